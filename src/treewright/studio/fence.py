"""Who is let in: a layer around the whole application, pages, addresses and sockets alike.

By default only this machine can connect, and then only programs on it: a page of another site that
is open in the same browser is refused, and so is a name that somebody has pointed to this machine.
Where others are let in (``--host``), each must show a token.
"""

import hmac
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from treewright.library.writing import json_text
from treewright.workshop.web import HERE

COOKIE = "treewright-token"
HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' ws: "
        b"wss:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
]


class Fence:
    """ASGI middleware.  ``hosts`` are the names under which it answers; None is any."""

    def __init__(self, app: Any, hosts: frozenset[str] | None = HERE, token: str = "") -> None:
        self.app = app
        self.hosts = hosts
        self.token = token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        why = self._foreign(scope, headers)
        if why:
            await _refuse(scope, send, 403, why)
            return
        if self.token and not self._knows_token(headers):
            if self._brings_token(scope):
                await self._let_in(scope, send)
            else:
                said = "a token is needed: open the address that treewright studio has printed"
                await _refuse(scope, send, 401, said)
            return

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self.app(scope, receive, sent)

    def _foreign(self, scope: Any, headers: dict[str, str]) -> str:
        """Why a request comes from where none should come from, or nothing."""
        host = headers.get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            return f"this studio does not answer to the name {_name(host)[:100]!r}"
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host.lower():
            return "requests from other sites are refused"
        looks = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        visit = looks and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not visit:
            return "requests from other sites are refused"
        return ""

    def _knows_token(self, headers: dict[str, str]) -> bool:
        given = headers.get("authorization", "")
        if given.lower().startswith("bearer "):
            return self._right(given[7:].strip())
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and self._right(cookie.value)

    def _brings_token(self, scope: Any) -> bool:
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"))).get("token", "")
        return scope["type"] == "http" and scope["method"] == "GET" and self._right(given)

    def _right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    async def _let_in(self, scope: Any, send: Any) -> None:
        """Keep the token in a cookie and go on without it in the address."""
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        rest = urlencode([(k, v) for k, v in query if k != "token"])
        path = "/" + scope["path"].lstrip("/")  # '//elsewhere' would be another host
        headers = [
            (b"location", (path + (f"?{rest}" if rest else "")).encode("utf-8", "replace")),
            (b"set-cookie", f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict".encode()),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers + HEADERS})
        await send({"type": "http.response.body", "body": b""})


def _name(host: str) -> str:
    """``[::1]:80`` is ``::1``."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _place(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


async def _refuse(scope: Any, send: Any, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"application/json"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json_text({"detail": why}).encode()})
