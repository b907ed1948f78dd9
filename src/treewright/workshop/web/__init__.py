"""What all pages share: NiceGUI, the static files, the look, and serving."""

import socket
from importlib import import_module
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError

STATIC = Path(__file__).parent / "static"


def nicegui() -> Any:
    try:
        return import_module("nicegui")
    except ImportError:
        raise MissingExtra("the studio", "studio") from None


def page_frame(title: str, wide: bool = False) -> Any:
    """A page with our style and one white card in the middle; use it with ``with``."""
    ui = nicegui().ui
    ui.page_title(title)
    ui.add_head_html('<link rel="stylesheet" href="/studio/studio.css">')
    with ui.element("main").classes("page wide" if wide else "page"):
        return ui.element("div").classes("card")


def html(text: str) -> Any:
    """Our own markup; whatever comes from outside is escaped before it gets here."""
    return nicegui().ui.html(text, sanitize=False)


def free(host: str, port: int) -> None:
    """Refuse a port that is taken, in one sentence and before anything starts."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise OptionError(f"can't listen on {host}:{port}: {error.strerror or error}") from None


def run(host: str, port: int, title: str) -> None:
    """Serve until interrupted; only this machine is let in unless ``host`` says otherwise."""
    gui = nicegui()
    free(host, port)
    gui.app.add_static_files("/studio", STATIC, max_cache_age=0)
    gui.ui.run(
        host=host,
        port=port,
        title=title,
        favicon="🌱",
        show=False,
        reload=False,
        show_welcome_message=False,
    )
