"""``treewright studio``: the browser application."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.workshop.commands import Quiet, check_workers


def studio(
    workspace: Annotated[
        Path | None,
        typer.Argument(help="A folder for what is made; one in your home if not given."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Who is let in; everybody but this machine needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port; the first free one from 8080 if not given."),
    ] = None,
    workers: Annotated[int, typer.Option(help="Jobs at a time, each a process.")] = 2,
    show: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    gallery: Annotated[
        bool, typer.Option(help="Make the pieces of the first page in the background.")
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Open the studio: make, play and look at everything in the browser, until Ctrl-C.

    Examples: treewright studio; treewright studio my-work --port 8090 --no-show;
    treewright studio --host 0.0.0.0
    """
    import platformdirs

    from treewright.workshop import web

    check_workers("--workers", workers, 64)
    web.nicegui()
    port = web.free_port(host) if port is None else web.free(host, port)
    from treewright.studio.server import address, open_manager, serve, token_for

    folder = workspace or Path(platformdirs.user_data_path("treewright")) / "studio"
    token = token_for(host)
    manager = open_manager(folder, workers)
    if not quiet:
        typer.echo(f"{address(host, port, token)}  (Ctrl-C ends; work is in {folder})", err=True)
    serve(manager, host, port, token, gallery, show)
