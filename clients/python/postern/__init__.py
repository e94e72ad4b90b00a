"""The client of Postern for Python: the calls that an integration makes, with the standard library alone."""

from .client import Postern
from .errors import PosternError, PosternUnreachable
from .types import Check, Decision, Item, Key, License, NewKey, NewLicense, NewRequester, Requester, Token

__all__ = [
    "Check",
    "Decision",
    "Item",
    "Key",
    "License",
    "NewKey",
    "NewLicense",
    "NewRequester",
    "Postern",
    "PosternError",
    "PosternUnreachable",
    "Requester",
    "Token",
]
