"""How much a character's balance has changed, by its history.

    CASTELLAN_URL=https://castellan.example CASTELLAN_TOKEN=… python3 balance.py 2112000001

The token is one of the character's own, or of somebody with read authority over it.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime
from typing import TypedDict

from castellan import Castellan, CastellanError


class Balance(TypedDict):
    balance: float
    timestamp: str


def main(character_id: int) -> None:
    castellan = Castellan(os.environ.get("CASTELLAN_URL", "http://127.0.0.1:8080"), os.environ["CASTELLAN_TOKEN"])
    history: list[Balance] = list(castellan.pages(f"/ext/history/characters/{character_id}/wallet"))
    if not history:
        print("Nothing is known yet.")
        return
    newest, oldest = history[0], history[-1]
    since = datetime.fromisoformat(oldest["timestamp"].replace("Z", "+00:00"))
    change = newest["balance"] - oldest["balance"]
    print(f"{change:+.2f} in {len(history)} entries since {since:%Y-%m-%d %H:%M}")


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except CastellanError as error:
        sys.exit(str(error))
