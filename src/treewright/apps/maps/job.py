"""Maps and dungeons as jobs of the studio."""

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from treewright.workshop.jobs.work import Export, Report, Result, Work

LARGEST = 60  # cells across or down, here
EVALUATIONS = 1_000_000
WITH_TREES = ("paper", "growing", "revisions-tree")
POINTS = 300  # of a curve, while it grows
Cell = tuple[Annotated[int, Field(ge=0, lt=LARGEST)], Annotated[int, Field(ge=0, lt=LARGEST)]]
Cells = Annotated[list[Cell], Field(max_length=LARGEST * LARGEST)]


class Spec(BaseModel):
    """What a map must be; ``mcguinness`` is the paper's."""

    width: int = Field(20, ge=4, le=LARGEST)
    height: int = Field(20, ge=4, le=LARGEST)
    checkpoints: list[Cell] = Field([(2, 2), (17, 2), (2, 17), (17, 17)], max_length=20)
    requirements: list[tuple[int, int, Literal["near", "far"]]] = Field(
        [(0, 1, "near"), (2, 3, "near"), (0, 2, "far"), (1, 3, "far")],
        max_length=190,
        description="pairs of checkpoints by number; the others do not matter",
    )
    walls: Cells = Field([], description="cells that are walls, whatever comes")
    floor: Cells = Field([], description="cells that are floor, whatever comes")
    symmetry: Literal["", "left-right", "top-bottom", "turned"] = ""
    style: Literal["", "rooms", "corridors"] = ""


class Generate(Spec):
    """What ``treewright map generate`` takes."""

    method: Literal[
        "revisions", "revisions-tree", "paper", "growing", "evolution", "hill-climbing"
    ] = "revisions"
    evaluations: int = Field(60_000, ge=1000, le=EVALUATIONS)
    seed: int = Field(0, ge=0, le=2**31)


class Dungeon(BaseModel):
    """What ``treewright map dungeon`` takes."""

    width: int = Field(48, ge=16, le=100)
    height: int = Field(32, ge=16, le=100)
    rooms: int = Field(9, ge=2, le=30)
    locks: int = Field(2, ge=0, le=8)
    monsters: int = Field(8, ge=1, le=40)
    treasure: int = Field(5, ge=1, le=40)
    traps: int = Field(5, ge=1, le=40)
    simulations: int = Field(300, ge=1, le=3000)
    seed: int = Field(0, ge=0, le=2**31)


def spec_of(settings: Spec) -> Any:
    """The specification, checked by the application itself."""
    import numpy as np

    from treewright.apps.maps.spec import FAR, FLOOR, FREE, NEAR, WALL, MapSpec, SpecError

    n = len(settings.checkpoints)
    required = np.zeros((n, n), np.int8)
    for i, j, kind in settings.requirements:
        if not (0 <= i < n and 0 <= j < n and i != j):
            raise SpecError(f"there is no pair of checkpoints {i} and {j}")
        required[i, j] = required[j, i] = NEAR if kind == "near" else FAR
    fixed = np.full((settings.height, settings.width), FREE, np.int8)
    for cells, what in ((settings.walls, WALL), (settings.floor, FLOOR)):
        for x, y in cells:
            if x >= settings.width or y >= settings.height:
                raise SpecError(f"the cell ({x}, {y}) is outside the map")
            fixed[y, x] = what
    checkpoints = tuple((x, y) for x, y in settings.checkpoints)
    return MapSpec(
        settings.width,
        settings.height,
        checkpoints,
        required,
        fixed,
        "the map",
        settings.symmetry,
        settings.style,
    )


def generate(settings: Generate, report: Report) -> Result:
    """A map, by the function that ``treewright map generate`` calls."""
    from treewright.apps.maps.methods import generate as make
    from treewright.workshop.searching.inspector import Kept, growing

    spec = spec_of(settings)
    report(None, "compiling, if this size is new")
    curve: list[list[float]] = []

    kept = Kept()

    def seen(now: Any, walls: Any, search: Any) -> None:
        if settings.method in WITH_TREES:
            kept.look(search)
        curve.append([now.evaluations, now.fitness])
        share = min(1.0, now.evaluations / settings.evaluations)
        words = f"{now.evaluations:,} evaluations, fitness {now.fitness:.2f}"
        tree = settings.method in WITH_TREES
        report(
            share,
            words,
            lambda: (
                {"curve": thinned(curve), "map": rows_of(walls)}
                | ({"search": growing(search)} if tree else {})
            ),
        )

    found = make(spec, settings.method, settings.evaluations, settings.seed, progress=seen)
    files = _files(found, dungeon=False) | kept.files
    return Result(found.to_dict() | {"kind": "map"}, files)


def searched(settings: Generate) -> Any:
    """The domain of the search, for the methods that have a tree."""
    from treewright.apps.maps.grow import Grow
    from treewright.apps.maps.revise import Revise
    from treewright.apps.maps.style import planned
    from treewright.apps.maps.walls import Walls

    spec = planned(spec_of(settings), settings.seed)
    kinds = {"paper": lambda: Walls(spec, target=1), "growing": lambda: Grow(spec, target=1)}
    return kinds.get(settings.method, lambda: Revise(spec))()


def thinned(curve: list[list[float]]) -> list[list[float]]:
    """No more points than a picture can show."""
    step = 1 + len(curve) // POINTS
    return [*curve[::step], curve[-1]]


def rows_of(walls: Any) -> list[str]:
    return ["".join("#" if cell else "." for cell in row) for row in walls]


def dungeon(settings: Dungeon, report: Report) -> Result:
    """A dungeon, by the function that ``treewright map dungeon`` calls."""
    from treewright.apps.maps.dungeon import STAGES
    from treewright.apps.maps.dungeon_result import make_dungeon

    given = settings.model_dump(exclude={"width", "height", "seed"})

    def seen(now: Any) -> None:
        report((now.number + 1) / len(STAGES), STAGES[now.number])

    report(0.0, "digging")
    found = make_dungeon(settings.width, settings.height, settings.seed, progress=seen, **given)
    return Result(found.to_dict() | {"kind": "dungeon"}, _files(found, dungeon=True))


def _files(found: Any, dungeon: bool) -> dict[str, bytes]:
    """Every format as the command writes it, with what belongs beside it."""
    from treewright.apps.maps.output import FORMATS, write, write_dungeon

    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            (write_dungeon if dungeon else write)(found, Path(folder) / f"map{ending}")
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


EXPORTS = {
    "png": Export(".png", "image/png", "map.png"),
    "text": Export(".txt", "text/plain", "map.txt"),
    "json": Export(".json", "application/json", "map.json"),
    "tmx": Export(".tmx", "application/xml", "map.tmx"),
    "tmj": Export(".tmj", "application/json", "map.tmj"),
    "tiles": Export("-tiles.png", "image/png", "map-tiles.png"),
}
MAP = Work("A map", Generate, generate, EXPORTS, domain=searched)
DUNGEON = Work("A dungeon", Dungeon, dungeon, EXPORTS)
