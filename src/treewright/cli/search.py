"""``treewright search | tree | check | domains``: one position, looked at from all sides."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.errors import OptionError
from treewright.workshop.commands import (
    LARGEST,
    MOST_THREADS,
    C,
    Json,
    Memory,
    Nodes,
    Normalise,
    Policy,
    Quiet,
    Rave,
    Seconds,
    Seed,
    Set,
    Simulations,
    Solver,
    Workers,
    check_target,
    check_workers,
    count_of,
    emit,
    exit_if_interrupted,
    options,
    progress,
    settings,
    working,
)

if TYPE_CHECKING:
    from treewright.library.domain import Domain
    from treewright.library.options import Options

DomainName = Annotated[
    str, typer.Argument(help="A domain's id, module:Class, or path/to/file.py:Class.")
]


Debug = Annotated[bool, typer.Option("--debug", help="Check every index; much slower.")]
LARGE, BYTES_A_BOX = 2000, 1900  # boxes of a picture, and what each takes as SVG
TRIED = 200  # simulations with every index checked, before a domain from a file is searched


def tried(spec: str, domain: "Domain", options: "Options", seed: int, debug: bool) -> None:
    """Search a domain from a file for a moment with every index checked.

    A bad index then ends in a sentence instead of corrupted memory.  The build for it is cached
    like any other, so that this costs a compilation once for each edit.
    """
    from treewright.library.search import Search

    place = spec.rpartition(":")[0]
    if place.endswith(".py") and domain.is_record and not debug:
        first = Search(domain, options, seed=seed, memory="16MiB", when_full="rollout", debug=True)
        if not first.position.ended:
            exit_if_interrupted(first.run(TRIED).stopped == "interrupt")


# a long function, because each option is declared here with its help
def search(
    domain: DomainName,
    simulations: Simulations = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    seed: Seed = 0,
    workers: Workers = 1,
    memory: Memory = "512MiB",
    set_: Set = None,
    c: C = None,
    rave: Rave = None,
    solver: Solver = False,
    policy: Policy = "uniform",
    normalise: Normalise = False,
    debug: Debug = False,
    save: Annotated[Path | None, typer.Option(help="Write the search to this file (.npz).")] = None,
    load: Annotated[
        Path | None, typer.Option(help="Go on with a search that --save has written.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search a domain from its start position and show the moves.

    With --load the options, the seed and the memory are those of the file.

    Examples: treewright search nim --set heap=10 --solver;
    treewright search connect-four --seconds 1 --rave 300 --json;
    treewright search connect-four --seconds 60 --save tree.npz;
    treewright search connect-four --seconds 60 --load tree.npz
    """
    from treewright.library.domain import CHANCE
    from treewright.library.files import load as read
    from treewright.library.registry import find
    from treewright.library.search import Search

    check_workers("--workers", workers, MOST_THREADS)
    if save is not None:
        check_target("--save", save, (".npz",))
    game, how = find(domain, **settings(set_)), options(c, rave, solver, policy, normalise)
    if load is not None:
        if how != options(None, None, False, "uniform", False) or workers != 1 or debug:
            raise OptionError("--load brings the options of the search along: leave them out")
        found = read(load, game)
        seed = found.seed
    else:
        found = Search(game, how, seed=seed, workers=workers, memory=memory, debug=debug)
        with working(f"{domain}: a first try", quiet):
            tried(domain, game, how, seed, debug)
    seen = progress(domain, quiet)
    result = found.run(simulations, seconds=seconds, nodes=nodes, progress=seen)
    if save is not None:
        found.save(save)
    line = ", ".join(result.principal_variation(8))
    chance = result.best == CHANCE
    said = f"{result.label} here: " if chance else f"best: {result.label} ("
    text = (
        f"{found.position.render()}\n\n{result.children}\n\n"
        f"{said}value {result.value:.3f}, {result.visits:,} of "
        f"{result.simulations:,} simulations, stopped by {result.stopped}"
    )
    text += "" if chance else f")\nexpected: {line}"
    if result.best_score is not None:
        text += (
            f"\nbest sequence: score {result.best_score:.4f}, "
            f"{count_of(len(result.best_sequence), 'action')}"
        )
    emit({"domain": domain, "seed": seed} | result.to_dict(), text, as_json)
    exit_if_interrupted(result.stopped == "interrupt")


def tree(
    domain: DomainName,
    out: Annotated[Path, typer.Option(help="Where to draw: .svg, .png, .pdf or .dot.")] = Path(
        "tree.svg"
    ),
    simulations: Simulations = 2000,
    depth: Annotated[int, typer.Option(min=1, help="Levels below the root.")] = 3,
    top: Annotated[int, typer.Option(min=1, help="Children shown of each node.")] = 3,
    seed: Seed = 0,
    set_: Set = None,
    c: C = None,
    rave: Rave = None,
    solver: Solver = False,
    policy: Policy = "uniform",
    normalise: Normalise = False,
    debug: Debug = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw the top of a search tree with visits and values.

    Examples: treewright tree tictactoe --out tree.svg;
    treewright tree nim --set heap=7 --depth 4 --top 3 --out nim.png
    """
    from treewright.library.registry import find
    from treewright.library.search import Search
    from treewright.library.tree_picture import FORMATS, draw_tree

    check_target("--out", out, FORMATS)
    game, how = find(domain, **settings(set_)), options(c, rave, solver, policy, normalise)
    found = Search(game, how, seed=seed, debug=debug)
    with working(f"{domain}: a first try", quiet):
        tried(domain, game, how, seed, debug)
    result = found.run(simulations, progress=progress(domain, quiet))
    boxes = sum(1 for _ in found.tree.walk(depth, top))
    if boxes > LARGE and not quiet:
        size = f"about {boxes * BYTES_A_BOX / 1e6:.0f} MB" if out.suffix == ".svg" else "large"
        print(
            f"{out}: {boxes:,} boxes will be {size}; --depth and --top draw fewer", file=sys.stderr
        )
    shown = draw_tree(found, out, depth=depth, top=top)
    emit({"out": str(out), "nodes": shown}, f"{out}: {shown} nodes drawn", as_json)
    exit_if_interrupted(result.stopped == "interrupt")


def check(
    domain: DomainName,
    games: Annotated[int, typer.Option(min=1, max=LARGEST, help="Random games to play.")] = 20,
    seed: Seed = 0,
    set_: Set = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play random games through a domain and report breaches of the contract; exit 1 if any.

    Examples: treewright check nim; treewright check examples/kayles.py:Kayles --games 100
    """
    from treewright.library.checking import check as run_check
    from treewright.library.registry import find

    with working(f"playing {games} games of {domain}", quiet):
        report = run_check(find(domain, **settings(set_)), games=games, seed=seed)
    emit(vars(report) | {"ok": report.ok}, str(report), as_json)
    if not report.ok:
        raise typer.Exit(1)


def domains(as_json: Json = False, quiet: Quiet = False) -> None:
    """List the domains that can be searched.

    Examples: treewright domains; treewright domains --json
    """
    from treewright.library.registry import registered

    known = registered()
    width = max(map(len, known))
    text = "\n".join(f"{name.ljust(width)}  {place}" for name, place in sorted(known.items()))
    emit(known, text, as_json)
