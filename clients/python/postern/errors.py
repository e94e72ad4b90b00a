"""The two failures that callers must distinguish: a refusal by the service, and no answer."""

from __future__ import annotations

from typing import Any


class PosternError(Exception):
    """A refusal. `code` says why; `unexpected_answer` means that something else answered, such as a proxy."""

    def __init__(self, status: int, error: dict[str, Any], request_id: str | None, retry_after: float | None) -> None:
        super().__init__(error.get("message") or f"The answer with status {status} is not Postern's.")
        self.status = status
        self.code: str = error.get("code") or "unexpected_answer"
        self.param: str | None = error.get("param")
        """The field or parameter that is wrong."""
        self.details: list[dict[str, Any]] = error.get("details") or []
        self.request_id: str | None = error.get("requestId") or request_id
        """Quote it when you contact the operator."""
        self.retry_after = retry_after
        """Seconds to wait before a retry, if the service named them."""


class PosternUnreachable(Exception):
    """No answer, or none in time. The request may have taken effect all the same."""

    def __init__(self, message: str, is_timeout: bool, attempts: int) -> None:
        super().__init__(f"Postern {message} (attempt {attempts}).")
        self.is_timeout = is_timeout
        self.attempts = attempts
