"""Sends requests and retries them.

A write is retried only under the same idempotency key, so it takes effect once. No attempt takes longer than its
timeout, however slowly the answer arrives. Each thread has a connection of its own, which it keeps.
"""

from __future__ import annotations

import json
import random
import re
import selectors
import socket
import ssl
import threading
import time
import uuid
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from .errors import PosternError, PosternUnreachable

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
LONGEST_WAIT = 30.0
"""A longer Retry-After is returned to the caller as an error."""
TEMPORARY = {408, 429, 500, 502, 503, 504}
REPEATABLE = {"GET", "PUT", "DELETE"}


class Transport:
    def __init__(self, url: str, key: str, timeout: float, retries: int) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"Postern answers at an http or https URL, not {url}")
        # An invalid header would be quoted in its error.
        if re.fullmatch(r"[\x21-\x7e]+", key) is None:
            raise ValueError("A key is one word")
        self._host, self._port, self._base = parts.hostname, parts.port, parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._key, self._timeout, self._retries = key, timeout, retries
        self._kept = threading.local()

    def send(self, method: str, path: str, body: Any, query: dict[str, Any] | None, idempotency_key: str | None) -> Any:
        target = self._base + path
        if query:
            target += "?" + urlencode({name: _text(value) for name, value in query.items() if value is not None}, True)
        headers = {"Accept": "application/json", "Authorization": f"Bearer {self._key}"}
        if method not in REPEATABLE:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        made = 1
        while True:
            try:
                return self._attempt((method, target, data, headers), made)
            except PosternUnreachable:
                if made > self._retries:
                    raise
                wait = 0.0
            except PosternError as error:
                wait = error.retry_after or 0.0
                temporary = error.status in TEMPORARY or error.code == "idempotency_key_in_use"
                if made > self._retries or not temporary or wait > LONGEST_WAIT:
                    raise
            # Random, so that clients that failed together do not retry together.
            time.sleep(wait + random.random() * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (made - 1)))
            made += 1

    def _attempt(self, request: tuple[str, str, bytes | None, dict[str, str]], made: int) -> Any:
        connection = self._connection()
        late = threading.Event()
        timer = threading.Timer(self._timeout, _end, [connection, late])
        timer.daemon = True
        timer.start()
        try:
            if connection.sock is None:
                connection.connect()
            if late.is_set():
                raise TimeoutError
            connection.request(*request)
            response = connection.getresponse()
            text = response.read()
            if late.is_set():
                raise TimeoutError
        except (OSError, HTTPException) as error:
            connection.close()
            if late.is_set() or isinstance(error, TimeoutError):
                message = f"did not answer within {self._timeout:g} s"
                raise PosternUnreachable(message, True, made) from error
            raise PosternUnreachable("could not be reached", False, made) from error
        except BaseException:
            # Such as an interrupt: an answer that was not read must not reach the next request.
            connection.close()
            raise
        finally:
            timer.cancel()
        value = _json(text)
        if 200 <= response.status < 300 and value is not None:
            return value
        error = value.get("error") if isinstance(value, dict) else None
        found = error if isinstance(error, dict) else {}
        wait = _seconds(response.headers.get("Retry-After"))
        raise PosternError(response.status, found, response.headers.get("Request-Id"), wait)

    def _connection(self) -> HTTPConnection:
        kept: HTTPConnection | None = getattr(self._kept, "connection", None)
        # One that its server closed meanwhile is readable: nothing was asked.
        if kept is not None and kept.sock is not None and _is_readable(kept.sock):
            kept.close()
        if kept is None:
            if self._tls is None:
                kept = HTTPConnection(self._host, self._port, timeout=self._timeout)
            else:
                kept = HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
            self._kept.connection = kept
        return kept


def _end(connection: HTTPConnection, late: threading.Event) -> None:
    """Ends what waits for the socket, also where single bytes of an answer keep arriving."""
    late.set()
    sock = connection.sock
    if sock is not None:
        try:
            # That of TLS itself would wait for the thread that reads.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            pass


def _is_readable(sock: socket.socket) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return value


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _seconds(header: str | None) -> float | None:
    """Retry-After is seconds or a date (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
