"""Putting it together: the manager, the interface, the pages, the fence, and serving."""

import secrets
import socket
from pathlib import Path

from treewright.errors import OptionError
from treewright.library.applications import load
from treewright.studio import experiments, home
from treewright.studio.fence import Fence
from treewright.workshop import web
from treewright.workshop.jobs import Manager
from treewright.workshop.web.studio import Studio

MOST_BODY = 4 * 2**20  # bytes of a request: the largest file that may be brought along
ANYBODY = ("0.0.0.0", "::")


def token_for(host: str) -> str:
    """A secret that visitors from other machines must show; none where there can be no others."""
    return "" if host in web.HERE else secrets.token_urlsafe(18)


def address(host: str, port: int, token: str) -> str:
    """Where to open it: for everybody, by the name of this machine."""
    host = socket.gethostname() if host in ANYBODY else host
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}{_path(token)}"


def _path(token: str) -> str:
    return f"/?token={token}" if token else "/"


def open_manager(workspace: Path, workers: int) -> Manager:
    """The jobs of a workspace."""
    try:
        return Manager(workspace, workers)
    except OSError as error:
        raise OptionError(f"{workspace} can't be the workspace: {error.strerror}") from None


def serve(manager: Manager, host: str, port: int, token: str, gallery: bool, show: bool) -> None:
    """Serve until interrupted."""
    from treewright.studio import api

    gui = web.nicegui()
    app = gui.app
    studio = Studio(manager)
    app.mount("/api", api.build(manager))
    home.build(studio, gallery)
    experiments.build(studio)
    for page in studio.pages.values():
        load(page.where)(studio)
    hosts = None if host in ANYBODY else web.HERE | {host.lower()}
    app.add_middleware(web.SmallBodies, most=MOST_BODY)
    app.add_middleware(Fence, hosts=hosts, token=token)
    app.on_shutdown(manager.close)
    web.run(host, port, "Treewright studio", show=_path(token) if show else False)
