"""The calls that an integration makes. A method has the name of its operation in `openapi.json`."""

from __future__ import annotations

from typing import Any, Sequence, cast
from urllib.parse import quote

from .transport import Transport
from .types import Check, Decision, Item, Key, License, NewKey, NewLicense, NewRequester, Requester, Token


class Postern:
    """Asks one service. It may be used by several threads, and its methods raise `PosternError` for a refusal and
    `PosternUnreachable` without an answer.

    `timeout` bounds each attempt, in seconds. `retries` is how many follow the first. `idempotency_key` names a write,
    so that another process may repeat it; otherwise each call makes one, and its retries share it.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 10.0, retries: int = 2) -> None:
        self._transport = Transport(url, key, timeout, retries)

    def check_access(self, check: Check, *, idempotency_key: str | None = None) -> Decision:
        """Decides who may have an item or a URL. Let a denied request pass where `enforced` is false."""
        return cast(Decision, self.call("POST", "/v1/access/check", check, idempotency_key=idempotency_key))

    def check_access_batch(self, checks: Sequence[Check], *, idempotency_key: str | None = None) -> list[Decision]:
        """Decides up to 1,000 checks, in their order."""
        body = {"checks": list(checks)}
        answer = self.call("POST", "/v1/access/check/batch", body, idempotency_key=idempotency_key)
        return cast("list[Decision]", answer["data"])

    def upsert_content(self, item: Item, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Creates the item, or updates the one with its `externalId`."""
        return self.call("POST", "/v1/content/upsert", item, idempotency_key=idempotency_key)

    def bulk_upsert_content(self, items: Sequence[Item], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Creates or updates up to 1,000 items. `errors` names those that failed."""
        return self.call("POST", "/v1/content/bulk-upsert", {"items": list(items)}, idempotency_key=idempotency_key)

    def create_requester(self, requester: NewRequester, *, idempotency_key: str | None = None) -> Requester:
        return cast(Requester, self.call("POST", "/v1/requesters", requester, idempotency_key=idempotency_key))

    def create_requester_token(self, requester_id: str, name: str, *, idempotency_key: str | None = None) -> Token:
        """Creates a token, with which the requester proves itself."""
        path = f"/v1/requesters/{_id(requester_id)}/tokens"
        return cast(Token, self.call("POST", path, {"name": name}, idempotency_key=idempotency_key))

    def create_license(self, license: NewLicense, *, idempotency_key: str | None = None) -> License:
        return cast(License, self.call("POST", "/v1/licenses", license, idempotency_key=idempotency_key))

    def revoke_license(self, license_id: str, *, idempotency_key: str | None = None) -> License:
        path = f"/v1/licenses/{_id(license_id)}/revoke"
        return cast(License, self.call("POST", path, idempotency_key=idempotency_key))

    def create_api_key(self, key: NewKey, *, idempotency_key: str | None = None) -> Key:
        return cast(Key, self.call("POST", "/v1/api-keys", key, idempotency_key=idempotency_key))

    def revoke_api_key(self, key_id: str) -> dict[str, Any]:
        return self.call("DELETE", f"/v1/api-keys/{_id(key_id)}")

    def get_usage(self, **query: Any) -> dict[str, Any]:
        """Counts decisions, for example of `period="7d"` with `groupBy="day"`."""
        return self.call("GET", "/v1/analytics/usage", query=query)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Makes any other call of `openapi.json`."""
        return cast("dict[str, Any]", self._transport.send(method, path, body, query, idempotency_key))


def _id(text: str) -> str:
    """Returns one segment of a path. Servers would resolve two dots, and reach another record."""
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is no id")
    return quote(text, safe="")
