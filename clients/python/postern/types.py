"""Types of what is sent and answered. They name the fields that an integration uses; `openapi.json` has all of them."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class Context(TypedDict, total=False):
    ip: str
    country: str
    userAgent: str
    method: str


class Check(TypedDict, total=False):
    """Of an item, by `contentId`, or of a `url`."""

    contentId: str
    url: str
    requesterId: str
    permission: str
    purpose: str
    context: Context
    explain: bool
    page: str
    dryRun: bool


class Decision(TypedDict, total=False):
    """The answer to a check. In a batch, `error` stands in its place where a check could not be decided."""

    id: str | None
    allowed: bool
    action: Literal["allow", "deny"]
    reason: str | None
    message: str
    permissions: list[str]
    contentId: str | None
    externalId: str | None
    url: str | None
    requesterId: str | None
    licenseId: str | None
    policyId: str
    policyVersion: int
    enforced: bool
    recorded: bool
    created: str
    maxAge: int
    remedies: list[dict[str, Any]]
    error: dict[str, Any]


class Item(TypedDict, total=False):
    externalId: str
    title: str
    type: str
    source: str
    policyId: str | None
    tags: list[str]
    metadata: dict[str, Any]


class NewRequester(TypedDict, total=False):
    id: str
    name: str
    type: str | None
    tags: list[str]
    userAgents: list[str]
    metadata: dict[str, Any]


class Requester(NewRequester, total=False):
    status: Literal["active", "suspended"]
    created: str
    updated: str


class Token(TypedDict, total=False):
    """`token` is in the first answer alone."""

    id: str
    requesterId: str
    name: str
    prefix: str
    expiresAt: str | None
    token: str


class NewLicense(TypedDict, total=False):
    requesterId: str
    type: str
    features: list[str]
    scope: dict[str, Any] | None
    startsAt: str | None
    expiresAt: str | None
    metadata: dict[str, Any]
    terms: dict[str, Any] | None


class License(NewLicense, total=False):
    id: str
    status: Literal["active", "suspended", "revoked"]
    valid: bool
    created: str
    updated: str


class NewKey(TypedDict, total=False):
    name: str
    type: Literal["secret", "public"]
    mode: Literal["live", "test"]
    permissions: list[str]
    allowedIps: list[str]
    expiresAt: str | None


class Key(NewKey, total=False):
    """`key` is in the first answer alone."""

    id: str
    prefix: str
    key: str
