"""What all pages share: NiceGUI, the static files, the look, and serving."""

import contextlib
import logging
import re
import socket
from importlib import import_module
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError
from treewright.library.writing import json_text

STATIC = Path(__file__).parent / "static"
HERE = frozenset({"127.0.0.1", "localhost", "::1"})
PREFIX = re.compile(r"(/[\w.~-]{1,64}){1,8}")
PORTS = range(8080, 8100)
MOST_BODY = 2**20  # bytes; a batch of keys has a few hundred


def nicegui() -> Any:
    try:
        return import_module("nicegui")
    except ImportError:
        raise MissingExtra("the studio", "studio") from None


def page_frame(title: str, wide: bool = False) -> Any:
    """A page with our style and one white card in the middle; use it with ``with``."""
    ui = nicegui().ui
    ui.page_title(title)
    ui.add_head_html(f'<link rel="stylesheet" href="{address("/studio/studio.css")}">')
    with ui.element("main").classes("page wide" if wide else "page"):
        return ui.element("div").classes("card")


def address(path: str) -> str:
    """A path of ours as the browser must ask for it, behind a proxy that puts a prefix before it.

    The proxy says so in ``X-Forwarded-Prefix``, as NiceGUI expects it too.
    """
    prefix = nicegui().ui.context.client.request.headers.get("X-Forwarded-Prefix", "")
    return (prefix if PREFIX.fullmatch(prefix) else "") + path


def html(text: str) -> Any:
    """Our own markup; whatever comes from outside is escaped before it gets here."""
    return nicegui().ui.html(text, sanitize=False)


class SmallBodies:
    """Refuses a request whose body is too large, before any of it is parsed.

    The body is read here, as far as it may go, because one that comes in chunks does not say how
    long it will be; the application gets it as if it had come in one piece.
    """

    def __init__(self, app: Any, most: int = MOST_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not (announced.isdigit() and len(announced) < 20 and int(announced) <= self.most):
            await self._refuse(send)
            return
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":  # it hung up, and is told nothing
                await send({"type": "http.response.start", "status": 400, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            body += message.get("body", b"")
            if len(body) > self.most:
                await self._refuse(send)
                return
            if not message.get("more_body"):
                break
        whole = [{"type": "http.request", "body": bytes(body), "more_body": False}]
        await self.app(scope, lambda: _next(whole, receive), send)

    async def _refuse(self, send: Any) -> None:
        said = f"the body of a request can't be larger than {self.most:,} bytes"
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": json_text({"detail": said}).encode()})


async def _next(waiting: list[dict[str, Any]], receive: Any) -> Any:
    return waiting.pop() if waiting else await receive()


def guard(app: Any) -> None:
    """Limit what strangers may send, and answer what makes no sense without repeating it."""
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse

    app.add_middleware(SmallBodies)

    @app.exception_handler(RequestValidationError)
    async def refused(request: Any, error: Exception) -> Any:
        return JSONResponse({"detail": "this request is not understood"}, 422)


def is_local(scope: Any) -> bool:
    """Whether a request comes from this machine itself, and not through a proxy on it."""
    client = scope.get("client") or ("", 0)
    forwarded = {b"forwarded", b"x-forwarded-for", b"x-real-ip"}
    return client[0] in HERE and not any(name in forwarded for name, _ in scope["headers"])


def free(host: str, port: int) -> int:
    """The port, refused in one sentence and before anything starts where it is taken."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise OptionError(f"can't listen on {host}:{port}: {error.strerror or error}") from None
    return port


def free_port(host: str) -> int:
    """The first of a few ports that nobody listens on."""
    for port in PORTS[:-1]:
        with contextlib.suppress(OptionError):
            return free(host, port)
    return free(host, PORTS[-1])


def _no_interrupt(record: logging.LogRecord) -> bool:
    """Whether a line of the server's log is anything but its end by a second Ctrl-C."""
    last = record.getMessage().rstrip().rpartition("\n")[2]
    return not last.startswith(("asyncio.exceptions.CancelledError", "KeyboardInterrupt"))


def run(host: str, port: int, title: str, show: bool | str = False) -> None:
    """Serve until interrupted; only this machine is let in unless ``host`` says otherwise.

    ``show`` opens the browser, at an address of its own if that is given.
    """
    gui = nicegui()
    free(host, port)
    logging.getLogger("uvicorn.error").addFilter(_no_interrupt)
    gui.app.add_static_files("/studio", STATIC, max_cache_age=0)
    gui.ui.run(
        host=host,
        port=port,
        title=title,
        favicon="🌱",
        show=show,
        reload=False,
        show_welcome_message=False,
    )
