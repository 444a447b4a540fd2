"""A small client of castellan: the standard library of Python 3.9 or newer is all that it needs.

    castellan = Castellan("https://castellan.example", token)
    for group in castellan.get("/group"):
        print(group["group_name"])
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

Method = Literal["GET", "POST", "PUT", "DELETE"]

TRIES: Final = 3
PASSING: Final = frozenset({429, 502, 503, 504})


@dataclass
class CastellanError(Exception):
    """An answer that is no success."""

    status: int
    #: For programs, from a closed list; None where the answer is not the service's own.
    code: str | None
    #: A sentence, or everything that is wrong with the request.
    detail: Any
    #: Names the request in the service's logs.
    request_id: str | None

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.detail} (request {self.request_id})"


class _NoRedirects(HTTPRedirectHandler):
    """The API never redirects, and the token is for it alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True)
class _Answer:
    body: Any
    headers: Mapping[str, str]


class Castellan:
    def __init__(self, base_url: str, token: str, timeout: float = 30) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = build_opener(_NoRedirects)

    def get(self, path: str, **query: str | int) -> Any:
        return self._ask("GET", path, query=query).body

    def post(self, path: str, body: Any = None) -> Any:
        return self._ask("POST", path, body).body

    def put(self, path: str, body: Any) -> Any:
        return self._ask("PUT", path, body).body

    def delete(self, path: str) -> None:
        self._ask("DELETE", path)

    def pages(self, path: str) -> Iterator[Any]:
        """The entries of a history, newest first; a page is fetched when it is wanted."""
        page, pages = 1, 1
        while page <= pages:
            answer = self._ask("GET", path, headers={"Page": str(page)})
            yield from answer.body
            page, pages = page + 1, int(answer.headers["X-Pages"])

    def _ask(
        self,
        method: Method,
        path: str,
        body: Any = None,
        query: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _Answer:
        """What fails in passing is asked again, but a POST only where it cannot have been done."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._send(method, path, body, query or {}, headers or {})
            except HTTPError as error:
                again = error.code == 429 or (method != "POST" and error.code in PASSING)
                if not again or attempt == TRIES:
                    raise _told(error) from None
                time.sleep(min(_pause(error, attempt), 60))
        raise AssertionError("unreachable")

    def _send(
        self, method: Method, path: str, body: Any, query: Mapping[str, str | int], headers: Mapping[str, str]
    ) -> _Answer:
        url = f"{self._base_url}{path}{'?' + urlencode(query) if query else ''}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, {"Authorization": f"Bearer {self._token}", **headers}, method=method)
        with self._opener.open(request, timeout=self._timeout) as response:
            text = response.read()
            return _Answer(json.loads(text) if text else None, response.headers)


def _pause(error: HTTPError, otherwise: float) -> float:
    """Seconds to wait by `Retry-After`, which the service gives in seconds, but a proxy may give as a date."""
    value = error.headers.get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return otherwise


def _told(error: HTTPError) -> CastellanError:
    try:
        problem = json.loads(error.read())
    except ValueError:
        problem = None
    # A proxy may answer in the service's place: with no JSON at all, or with JSON that is no object.
    if not isinstance(problem, dict):
        problem = {}
    return CastellanError(
        error.code, problem.get("code"), problem.get("detail", error.reason), error.headers.get("X-Request-Id")
    )
