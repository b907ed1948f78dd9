"""``treewright demo``: what the toolkit does, in half a minute."""

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.common import Json, Seed, emit


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("out"),
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Search four domains with one kernel and draw a tree.

    Examples: treewright demo; treewright demo --out pictures --json
    """
    from treewright.domains import make
    from treewright.drawing import draw_tree
    from treewright.options import Options, Rave, Rollout
    from treewright.search import Search

    shows: list[tuple[str, dict[str, Any], Options, int]] = [
        ("nim", {"heap": 21}, Options(solver=True), 20_000),
        ("tictactoe", {"moves": "b2 a1"}, Options(solver=True), 20_000),
        ("connect-four", {"moves": "443"}, Options(rave=Rave(k=300)), 200_000),
        ("samegame", {"seed": 1}, Options(c=0.1, rollout=Rollout(policy="domain")), 5_000),
    ]
    found = []
    for name, settings, options, simulations in shows:
        search = Search(make(name, **settings), options, seed=seed)
        if not as_json:
            typer.echo(f"--- {name}\n{search.position.render()}\n")
        result = search.run(simulations)
        found.append({"domain": name} | result.to_dict())
        if not as_json:
            typer.echo(
                f"best: {result.label}, value {result.value:.3f} after {result.simulations:,} "
                f"simulations in {result.seconds:.2f} s\n"
            )
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "tictactoe-tree.png"
    search = Search(make("tictactoe"), seed=seed)
    search.run(2_000)
    draw_tree(search, picture, depth=2, top=5)
    emit({"results": found, "picture": str(picture)}, f"tree drawn to {picture}", as_json)
