"""``treewright map``: maps between checkpoints (McGuinness 2016)."""

import contextlib
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.workshop.commands import (
    LARGEST,
    Json,
    OnCluster,
    Quiet,
    Seconds,
    Seed,
    counted,
    emit,
    exit_if_interrupted,
)

if TYPE_CHECKING:
    from treewright.apps.maps.spec import MapSpec

app = typer.Typer(
    no_args_is_help=True,
    help="Generate maps between checkpoints, and dungeons.\n\n"
    "Examples: treewright map generate mcguinness --out map.png; "
    "treewright map dungeon --seed 3 --out dungeon.tmx --out dungeon.png",
)

Spec = Annotated[
    str, typer.Argument(help="mcguinness (the paper's), or a .toml, .txt or .png specification.")
]
Evaluations = Annotated[int, typer.Option(min=1, max=LARGEST, help="How many maps to evaluate.")]


@app.command()
def generate(
    spec: Spec,
    method: Annotated[
        str,
        typer.Option(
            help="revisions (ours, a local search), revisions-tree (the same with a tree in every "
            "16th pass), paper (MP-MCTS as published), growing (walls from seeds), evolution or "
            "hill-climbing."
        ),
    ] = "revisions",
    evaluations: Evaluations = 300_000,
    seed: Seed = 0,
    seconds: Seconds = None,
    step: Annotated[
        str | None,
        typer.Option(
            help="Paper's method: how much is filled each stage: minimum, 0.05, 0.1, 0.2."
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help="Paper's method: simulations of a stage (else shared out)."),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="Write the map to a .png, .txt, .json, .tmx or .tmj file; repeatable."),
    ] = None,
    count: Annotated[
        int, typer.Option(min=1, help="How many maps, of this seed and of those after it.")
    ] = 1,
    symmetry: Annotated[
        str, typer.Option(help="Wished for: left-right, top-bottom or turned.")
    ] = "",
    style: Annotated[str, typer.Option(help="Wished for: rooms or corridors.")] = "",
    cluster: OnCluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a map whose checkpoints are as near and as far from each other as asked.

    Examples: treewright map generate mcguinness --seed 1 --out map.png --out map.tmx;
    treewright map generate mcguinness --symmetry turned --style rooms --out map.png;
    treewright map generate mcguinness --method paper --evaluations 156000 --json;
    treewright map generate mcguinness --count 50 --cluster auto --out map.png
    """
    from treewright.apps.maps.methods import generate as make
    from treewright.apps.maps.output import check, write
    from treewright.apps.maps.spec import wished

    for path in out or []:
        check(path)
    wanted = wished(spec, symmetry, style)
    if cluster is not None and count == 1:
        raise OptionError("--cluster makes several maps side by side: add --count")
    given = {"step": step, "iterations": iterations}
    settings: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    if count > 1:
        how = {"method": method, "evaluations": evaluations, "seconds": seconds} | settings
        _several(wanted, range(seed, seed + count), how, out or [], cluster, as_json, quiet)
        return
    with counted(f"{spec}, {method}", evaluations, quiet or as_json) as seen:
        result = make(
            wanted,
            method,
            evaluations,
            seed,
            seconds=seconds,
            progress=lambda p, *_: seen(p.evaluations, f"fitness {p.fitness:.2f}"),
            **settings,
        )
    files = [str(f) for path in out or [] for f in write(result, path)]
    text = "\n".join(
        [
            *result.rows,
            "",
            f"fitness {result.fitness:.3f} (far {result.far}, near {result.near}), "
            f"{result.fill:.0%} walls, {result.evaluations:,} evaluations in "
            f"{result.seconds:.1f} s, stopped by {result.stopped}",
            *(f"wrote {f}" for f in files),
        ]
    )
    emit(result.to_dict() | {"files": files}, text, as_json)
    exit_if_interrupted(result.stopped == "interrupt")


def _several(
    spec: "MapSpec",
    seeds: range,
    how: dict[str, Any],
    out: list[Path],
    cluster: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """A map for each seed, here or on a cluster; the seed is added to the names of the files."""
    from treewright.apps.maps.methods import seeded
    from treewright.apps.maps.output import write

    rows: list[dict[str, Any]] = []
    stopped = False
    with contextlib.ExitStack() as stack:
        mapped: Callable[..., Any] = map
        if cluster is not None:
            from treewright.library.cluster.jobs import Cluster

            mapped = stack.enter_context(Cluster(cluster)).map
        seen = stack.enter_context(counted(spec.name, len(seeds), quiet or as_json))
        try:
            for result in mapped(seeded, repeat(spec), seeds, repeat(how)):
                stopped = result.stopped == "interrupt"
                if stopped:
                    break
                name = f"-{result.seed:04d}"
                paths = [path.with_stem(path.stem + name) for path in out]
                files = [str(f) for path in paths for f in write(result, path)]
                rows.append(result.to_dict() | {"files": files})
                seen(len(rows), f"{len(rows)} maps")
        except KeyboardInterrupt:
            stopped = True
    lines = [
        f"seed {row['seed']}: fitness {row['fitness']:.3f} (far {row['far']}, near {row['near']}), "
        f"{row['fill']:.0%} walls{''.join(f', wrote {f}' for f in row['files'])}"
        for row in rows
    ]
    if stopped:
        lines.append(f"interrupted: {len(rows)} of {len(seeds)} maps are done")
    emit(rows, "\n".join(lines), as_json)
    exit_if_interrupted(stopped)


@app.command()
def dungeon(
    width: Annotated[int, typer.Option(help="Cells across.")] = 48,
    height: Annotated[int, typer.Option(help="Cells down.")] = 32,
    rooms: Annotated[int, typer.Option(help="Rooms, if they fit.")] = 9,
    locks: Annotated[int, typer.Option(help="Locked doors, each with a key.")] = 2,
    monsters: Annotated[int, typer.Option(help="Monsters.")] = 8,
    treasure: Annotated[int, typer.Option(help="Treasures.")] = 5,
    traps: Annotated[int, typer.Option(help="Traps.")] = 5,
    simulations: Annotated[int, typer.Option(min=1, help="Simulations of each pass.")] = 300,
    seed: Seed = 0,
    out: Annotated[
        list[Path] | None,
        typer.Option(help="Write it to a .png, .txt, .json, .tmx or .tmj file; repeatable."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a dungeon: rooms, locked doors with keys, monsters, treasure, traps, a pass for each.

    Examples: treewright map dungeon --seed 3 --out dungeon.tmx --out dungeon.png;
    treewright map dungeon --width 60 --height 40 --rooms 14 --json
    """
    from treewright.apps.maps.dungeon import STAGES
    from treewright.apps.maps.dungeon_result import LEGEND, make_dungeon
    from treewright.apps.maps.output import check, write_dungeon

    for path in out or []:
        check(path)
    with counted("dungeon", len(STAGES), quiet or as_json) as seen:
        found = make_dungeon(
            width,
            height,
            seed,
            rooms=rooms,
            locks=locks,
            monsters=monsters,
            treasure=treasure,
            traps=traps,
            simulations=simulations,
            progress=lambda p: seen(p.number + 1, STAGES[p.number]),
        )
    files = [str(f) for path in out or [] for f in write_dungeon(found, path)]
    scores = ", ".join(f"{k} {v:.2f}" for k, v in found.scores.items())
    lines = [*found.rows, "", LEGEND, f"scores: {scores}", *(f"wrote {f}" for f in files)]
    emit(found.to_dict() | {"files": files}, "\n".join(lines), as_json)
