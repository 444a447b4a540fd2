"""How much a character's balance has changed: balance.py by a client that a generator makes of the document.

    curl -o openapi.yaml https://castellan.example/openapi.yaml
    npx @apiture/openapi-down-convert --input openapi.yaml --output openapi-3.0.yaml
    java -jar openapi-generator.jar generate --skip-validate-spec -i openapi-3.0.yaml \\
        -g python -o generated --package-name castellan_client
    PYTHONPATH=generated CASTELLAN_URL=https://castellan.example CASTELLAN_TOKEN=… \\
        python3 generated.py 2112000001

What the client needs is in generated/requirements.txt.
"""

from __future__ import annotations

import os
import sys

from castellan_client import ApiClient, ApiException, Configuration, HistoryApi


def main(character_id: int) -> None:
    configuration = Configuration(host=os.environ.get("CASTELLAN_URL", "http://127.0.0.1:8080"))
    configuration.access_token = os.environ["CASTELLAN_TOKEN"]
    histories = HistoryApi(ApiClient(configuration))
    entries = []
    page, pages = 1, 1
    while page <= pages:
        answer = histories.list_wallet_balances_with_http_info(character_id, page=page)
        # An object of generators since 7.0, a tuple of those before.
        found, headers = (answer.data, answer.headers) if hasattr(answer, "data") else (answer[0], answer[2])
        entries += found
        page, pages = page + 1, int(headers["X-Pages"])
    if not entries:
        print("Nothing is known yet.")
        return
    newest, oldest = entries[0], entries[-1]
    change = newest.balance - oldest.balance
    print(f"{change:+.2f} in {len(entries)} entries since {oldest.timestamp:%Y-%m-%d %H:%M}")


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except ApiException as error:
        sys.exit(f"{error.status}: {error.body}")
