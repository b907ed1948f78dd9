"""``treewright gallery``: one of everything, on one page."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from treewright.workshop.commands import Json, Quiet, Seed, emit


def gallery(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("gallery"),
    only: Annotated[list[str] | None, typer.Option(help="Only this piece.")] = None,
    seed: Seed = 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make one of everything that this version can make, as one HTML page.

    Examples: treewright gallery; treewright gallery --only nim --only samegame --out pictures
    """
    from treewright.errors import OptionError, TreewrightError, nearest
    from treewright.workshop.gallery import everything
    from treewright.workshop.gallery.page import page

    known = everything()
    for name in only or []:
        if name not in known:
            raise OptionError(f"the gallery has no piece {name!r}{nearest(name, known)}")
    chosen = {name: make for name, make in known.items() if not only or name in only}
    made = {}
    for at, (name, make) in enumerate(chosen.items()):
        if not quiet:
            print(f"{at + 1} of {len(chosen)}: {name}", file=sys.stderr, flush=True)
        made[name] = make(seed)
    file = out / "index.html"
    names = "".join(f" --only {name}" for name in only or [])
    try:
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(page(made, f"treewright gallery{names} --seed {seed}"))
    except OSError as error:
        raise TreewrightError(f"{file} can't be written: {error.strerror}") from error
    commands = {name: piece.command for name, piece in made.items()}
    emit({"page": str(file), "pieces": commands}, f"{file}: {len(made)} pieces", as_json)
