"""Levels as jobs of the studio: generate one, or look at one that somebody has painted."""

import io
import zipfile
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from treewright.errors import TreewrightError
from treewright.workshop.jobs.work import Export, Report, Result, Work

LONGEST = 1000  # slices, here
ROLLOUTS = 2000
FOUND = {"E": "enemy", "o": "coin", "Q": "question", "<": "pipe", "S": "brick"}
STEP = 2  # every second point of a flight is enough to draw it

Rows = Annotated[
    list[Annotated[str, Field(max_length=LONGEST)]], Field(max_length=24, description="top first")
]
Wish = tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]] | None


def _level(rows: list[str]) -> None:
    from treewright.apps.levels.level import Level

    try:
        Level(tuple(rows))
    except TreewrightError as error:
        raise ValueError(str(error)) from None


class Generate(BaseModel):
    """What ``treewright level generate`` takes."""

    length: int = Field(160, ge=10, le=LONGEST, description="slices")
    difficulty: list[Annotated[float, Field(ge=0, le=1)]] = Field(
        [0.5], min_length=1, max_length=20, description="several are a curve along the level"
    )
    gaps: Wish = Field(None, description="least and most; left to the difficulty if not given")
    enemies: Wish = None
    rewards: Wish = None
    seed: int = Field(1, ge=0, le=2**31)
    rollouts: int = Field(200, ge=1, le=ROLLOUTS, description="of each move")
    player: Literal["small", "large"] = "large"
    tiles: bool = Field(False, description="tile by tile: slices that the corpus never had")
    corpus: list[Rows] = Field([], max_length=50, description="levels to learn from; else ours")
    level: Rows = Field([], description="a level of which the locked columns are kept")
    locked: list[tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]] = Field(
        [], max_length=100, description="first and last column of each part that is kept"
    )

    @field_validator("difficulty", mode="before")
    @classmethod
    def one_number(cls, given: Any) -> Any:
        """A single number may stand alone, as in an address."""
        return [given] if isinstance(given, int | float | str) else given

    @model_validator(mode="after")
    def right(self) -> Self:
        for rows in self.corpus:
            _level(rows)
        for name, wish in (("gaps", self.gaps), ("enemies", self.enemies)):
            if wish is not None and wish[0] > wish[1]:
                raise ValueError(f"{name}: the least must not be above the most")
        if self.locked and not self.level:
            raise ValueError("locked columns belong to a level; give its rows")
        if self.level:
            _level(self.level)
            if len(self.level[0]) != self.length:
                raise ValueError(f"the level has {len(self.level[0])} columns, not {self.length}")
        for first, last in self.locked:
            if not first <= last < self.length:
                raise ValueError(f"columns {first} to {last} are no part of the level")
        return self


class Look(BaseModel):
    """A level as it is."""

    rows: Rows
    player: Literal["small", "large"] = "large"

    @field_validator("rows")
    @classmethod
    def right(cls, rows: list[str]) -> list[str]:
        _level(rows)
        return rows


def from_file(data: bytes, name: str) -> list[str]:
    """The rows of a level that somebody brings along; ``name`` is only said, never opened."""
    from treewright.apps.levels.formats import from_text
    from treewright.apps.levels.tiles import LevelError

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise LevelError(f"{name} is not UTF-8 text") from None
    rows = list(from_text(text, name).rows)
    if len(rows[0]) > LONGEST:
        raise LevelError(f"{name} has {len(rows[0]):,} columns; {LONGEST:,} are the most here")
    return rows


def generate(settings: Generate, report: Report) -> Result:
    """One level, by the functions that ``treewright level generate`` calls."""
    from treewright.apps.levels.generate import compile_kernel, generate_many
    from treewright.workshop.searching.inspector import Kept, growing

    report(None, "learning")
    domain = searched(settings)
    report(None, "compiling")
    compile_kernel(domain)
    kept = Kept()

    def words_of(position: Any, action: int) -> str:
        return labelled(position.domain, action)

    report(None, "searching")

    def seen(search: Any) -> None:
        slices = int(search.position.state.n)
        words = f"{slices} of {settings.length} slices"
        history = list(search.history)
        kept.look(search)
        report(
            slices / settings.length,
            words,
            lambda: {"columns": domain.text_columns(history), "search": growing(search, words_of)},
        )

    (made,) = generate_many(
        domain.chain, domain.controls, 1, settings.seed, rollouts=settings.rollouts, seen=seen
    )
    took = {"rollouts": made.rollouts, "attempts": made.attempts, "seconds": made.seconds}
    report(None, "checking")
    data = looked_at(list(made.level.rows), settings.player)
    return Result(data | measured(made.level, _chain(settings), took), kept.files)


def _chain(settings: Generate) -> Any:
    """What is learnt from the corpus, slice by slice."""
    from treewright.apps.levels.chain import learn
    from treewright.apps.levels.generate import own_chain
    from treewright.apps.levels.level import Level

    corpus = [Level(tuple(rows), f"level {i}") for i, rows in enumerate(settings.corpus, 1)]
    return learn(corpus) if corpus else own_chain()


def searched(settings: Generate) -> Any:
    """The domain of the search, from the chain that is learnt and the wishes."""
    from treewright.apps.levels.controls import Controls
    from treewright.apps.levels.generate import domain_of
    from treewright.apps.levels.tilechain import learn_tiles

    chain = _chain(settings)
    if settings.tiles:
        chain = learn_tiles(chain.corpus)
    controls = Controls(
        length=settings.length,
        difficulty=tuple(settings.difficulty),
        gaps=settings.gaps,
        enemies=settings.enemies,
        rewards=settings.rewards,
        fixed=tuple(_kept(settings)),
        player=settings.player,
    )
    return domain_of(chain, controls)


def labelled(domain: Any, action: int) -> str:
    """A piece that the search adds, in words: how long it is and what is on it."""
    if not hasattr(domain, "slices"):  # tile by tile
        return f"column {action}"
    tables = domain.tables
    if action == len(tables["weight"]):
        return "what is locked"
    pattern = tables["pattern"][tables["first"][action] : tables["first"][action + 1]]
    columns = [domain.slices[i] for i in pattern]
    there = "".join(columns)
    found = [words for tile, words in FOUND.items() if tile in there]
    if any(column[-1] == "-" for column in columns):
        found.insert(0, "gap")
    slices = f"{len(columns)} slice{'s' if len(columns) > 1 else ''}"
    return f"{slices}: {', '.join(found)}" if found else slices


def _kept(settings: Generate) -> list[tuple[int, Any]]:
    """The locked columns as fixed pieces; those that touch are one."""
    from treewright.apps.levels.level import Level

    parts: list[tuple[int, int]] = []
    for first, last in sorted(settings.locked):
        if parts and first <= parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], max(last, parts[-1][1]))
        else:
            parts.append((first, last))
    return [
        (first, Level(tuple(row[first : last + 1] for row in settings.level), "the locked part"))
        for first, last in parts
    ]


def look(settings: Look, report: Report) -> Result:
    """A level that somebody has painted."""
    from treewright.apps.levels.generate import own_chain
    from treewright.apps.levels.level import Level

    report(None, "checking")
    level = Level(tuple(settings.rows))
    found = looked_at(settings.rows, settings.player)
    return Result(found | measured(level, own_chain(), {}))


def looked_at(rows: list[str], player: str) -> dict[str, Any]:
    """Whether it can be finished, and the way: for every stroke of a brush, so it must be quick."""
    from treewright.apps.levels.check import check, flights
    from treewright.apps.levels.controls import counts
    from treewright.apps.levels.level import Level

    level = Level(tuple(rows), "the level")
    found = check(level, player)  # type: ignore[arg-type]
    lines = flights(level, found.report, player)  # type: ignore[arg-type]
    path = [[[round(x), round(y)] for x, y in [*line[::STEP], line[-1]]] for line in lines]
    return {
        "rows": rows,
        "player": player,
        "playable": found.report.playable,
        "says": found.text.removeprefix("the level: "),
        "farthest": list(found.report.farthest),
        "counts": counts(level),
        "path": path,
    }


def measured(level: Any, chain: Any, took: dict[str, Any]) -> dict[str, Any]:
    """The field's metrics against a corpus."""
    from treewright.apps.levels.analysis import analyse

    (numbers,) = analyse([level], chain)["levels"]
    skipped = ("level", "length", "gaps", "enemies", "rewards", "height", "nearest")
    return {"metrics": {k: v for k, v in numbers.items() if k not in skipped}, "took": took}


# --------------------------------------------------------------------------------- formats


def _read(data: dict[str, Any]) -> Any:
    from treewright.apps.levels.level import Level

    return Level(tuple(data["rows"]))


def _writer(kind: str) -> Any:
    def write(data: dict[str, Any]) -> bytes:
        from treewright.apps.levels.formats import WRITERS

        return WRITERS[kind](_read(data)).encode()

    return write


def _picture(data: dict[str, Any]) -> bytes:
    from treewright.apps.levels.drawing import draw_level

    return draw_level(_read(data))


def _path(data: dict[str, Any]) -> bytes:
    from treewright.apps.levels.check import check

    return check(_read(data), data["player"]).picture()


def _tiled(data: dict[str, Any]) -> bytes:
    """The map with its tile sheet, as Tiled wants them: side by side."""
    import tempfile

    from treewright.apps.levels.formats import write_level

    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(out, "w") as archive:
        write_level(_read(data), Path(folder) / "level.tmx")
        for file in sorted(Path(folder).iterdir()):
            archive.write(file, file.name)
    return out.getvalue()


EXPORTS = {
    "mario-ai": Export(".txt", "text/plain", _writer("mario-ai")),
    "vglc": Export(".vglc.txt", "text/plain", _writer("vglc")),
    "json": Export(".json", "application/json", _writer("json")),
    "tmx": Export(".tmx", "application/xml", _writer("tmx")),
    "tmj": Export(".tmj", "application/json", _writer("tmj")),
    "tiled": Export(".zip", "application/zip", _tiled),
    "png": Export(".png", "image/png", _picture),
    "path": Export(".path.png", "image/png", _path),
}
LEVEL = Work("A level", Generate, generate, EXPORTS, domain=searched, label=labelled)
PAINTED = Work("A level painted by hand", Look, look, EXPORTS)
