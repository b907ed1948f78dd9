"""``treewright gallery``: one of everything, on one page."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.library.writing import make_folder, write_whole
from treewright.workshop.commands import Json, Quiet, Seed, count_of, emit

if TYPE_CHECKING:
    from treewright.workshop.gallery import Piece


def gallery(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("gallery"),
    only: Annotated[list[str] | None, typer.Option(help="Only this piece.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make one of everything that this version can make, as one HTML page.

    Examples: treewright gallery; treewright gallery --only nim --only samegame --out pictures
    """
    from treewright.errors import OptionError, nearest
    from treewright.workshop.gallery import everything
    from treewright.workshop.gallery.page import page

    known = everything()
    for name in only or []:
        if name not in known:
            raise OptionError(f"the gallery has no piece {name!r}{nearest(name, known)}")
    make_folder(out)
    chosen = {name: make for name, make in known.items() if not only or name in only}
    made: dict[str, Piece] = {}
    stopped = False
    try:
        for at, (name, make) in enumerate(chosen.items()):
            if not quiet:
                print(f"{at + 1} of {len(chosen)}: {name}", file=sys.stderr, flush=True)
            made[name] = _made(make, seed)
    except KeyboardInterrupt:
        stopped = True
    file = out / "index.html"
    names = "".join(f" --only {name}" for name in only or [])
    write_whole(file, page(made, f"treewright gallery{names} --seed {seed}"))
    commands = {name: piece.command for name, piece in made.items()}
    text = f"{file}: {count_of(len(made), 'piece')}"
    emit({"page": str(file), "pieces": commands}, text, as_json)
    if stopped:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)  # the piece in hand is still at work, and can't be asked to end


def _made(make: "Callable[[int], Piece]", seed: int) -> "Piece":
    """A piece, made by a thread of its own.

    In the main thread each search inside would take Ctrl-C for itself and end early, and the piece
    would go on with the next one.
    """
    found: list[Piece] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            found.append(make(seed))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if raised:
        raise raised[0]
    return found[0]
