"""What each generated client is asked to do, by the Python client of openapi-generator."""

import json
import os
import sys

from castellan_client import ApiClient, CoalitionApi, Configuration, ExtApi, GroupApi, HistoryApi
from castellan_client import PostGroup, PutCoalition

CHARACTER_ID = int(os.environ["CHARACTER_ID"])

configuration = Configuration(host=os.environ["BASE_URL"])
configuration.access_token = os.environ["TOKEN"]
client = ApiClient(configuration)

GroupApi(client).create_group(PostGroup(group_name="OAGP"), _preload_content=False)
passing = next(group for group in GroupApi(client).list_groups() if group.group_name == "OAGP")
GroupApi(client).delete_group(passing.group_id)
groups = GroupApi(client).list_groups()
coalition = CoalitionApi(client).update_coalition(
    os.environ["COALITION_ID"], put_coalition=PutCoalition(ticker="OAGP")
)
balances: list[float] = []
page, pages = 1, 1
while page <= pages:
    entries, _, headers = HistoryApi(client).list_wallet_balances_with_http_info(CHARACTER_ID, page=page)
    balances += [entry.balance for entry in entries]
    page, pages = page + 1, int(headers["X-Pages"])
forwarded = ExtApi(client).forward(f"characters/{CHARACTER_ID}/location")

json.dump(
    {
        "groups": [group.group_name for group in groups],
        "ticker": coalition.ticker,
        "balances": balances,
        "system": forwarded.data,
    },
    sys.stdout,
)
