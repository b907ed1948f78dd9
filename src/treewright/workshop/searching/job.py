"""A search of any domain as a job: of one that is registered, or of a file, which is code."""

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator

from treewright.errors import OptionError, nearest
from treewright.library.domain import Domain
from treewright.library.options import Options, Rave, Rollout
from treewright.library.position import Position
from treewright.library.registry import find, registered
from treewright.library.search import Search
from treewright.library.tree import Shown
from treewright.random import stream
from treewright.workshop.jobs.work import Export, Report, Result, Work
from treewright.workshop.searching.inspector import Kept, growing
from treewright.workshop.web.picture import picture

MEMORY = "256MiB"
SAVED = "search.npz"
MOST_SAVED = 32 * 2**20  # bytes of a tree
Value = int | float | Annotated[str, Field(pattern=r"^[A-Za-z0-9_ -]{0,64}$")]
CLASS = re.compile(r"^class (\w+)\(.*Domain\)", re.MULTILINE)


class Place(BaseModel):
    """A domain and how far it is played."""

    domain: str = Field("tictactoe", max_length=60)
    settings: dict[Annotated[str, Field(max_length=40)], Value] = Field({}, max_length=20)
    moves: list[Annotated[int, Field(ge=0, le=2**31)]] = Field([], max_length=2000)
    seed: int = Field(0, ge=0, le=2**31)

    @field_validator("domain")
    @classmethod
    def known(cls, name: str) -> str:
        """A name, never a file or a module: those are code."""
        names = {*registered(), *(key.rpartition("-v")[0] for key in registered())}
        if name not in names:
            raise ValueError(f"there is no domain {name!r}{nearest(name, names)}")
        return name


class Code(BaseModel):
    """The same for a domain of one's own."""

    code: str = Field(max_length=100_000, description="a Python file with one domain")
    settings: dict[Annotated[str, Field(max_length=40)], Value] = Field({}, max_length=20)
    moves: list[Annotated[int, Field(ge=0, le=2**31)]] = Field([], max_length=2000)
    seed: int = Field(0, ge=0, le=2**31)


class How(BaseModel):
    """A search's budget and switches."""

    simulations: int = Field(10_000, ge=1, le=500_000)
    c: float = Field(1.4, ge=0, le=100, description="exploration")
    rave: float | None = Field(None, gt=0, le=1e9, description="MC-RAVE with this k")
    solver: bool = False
    policy: Literal["uniform", "domain"] = Field("uniform", description="of the rollouts")


class SearchPlace(Place, How):
    """A search of a domain that is registered."""


class SearchCode(Code, How):
    """A search of a domain of one's own."""


@contextlib.contextmanager
def domain_of(place: Any) -> Iterator[Domain]:
    """The domain; one of a file exists as long as this is open."""
    if "domain" in type(place).model_fields:
        yield find(place.domain, **place.settings)
        return
    names = CLASS.findall(place.code)
    if not names:
        raise OptionError("the file has no class with tw.Domain as its base")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "own_domain.py"
        path.write_text(place.code, encoding="utf-8")
        yield find(f"{path}:{names[-1]}", **place.settings)


def at(domain: Domain, place: Any) -> tuple[Position, list[int]]:
    """The position after the moves, and the moves with what chance has decided since."""
    position = Position(domain)
    moves = []
    for action in place.moves:
        position.play(action)
        moves.append(action)
    while not position.ended and position.is_chance:
        drawn = position.chance(stream(place.seed + 7919 * len(moves)))
        position.play(drawn)
        moves.append(drawn)
    return position, moves


def searched(place: Any) -> Domain:
    """The domain of a search, for looking at its tree."""
    with domain_of(place) as domain:
        return domain


def look(kind: str, given: dict[str, Any], player: int | None = None) -> dict[str, Any]:
    """A position for the page: as text for one player, with what can be done."""
    place = (Place if kind == "search" else Code).model_validate(given)
    with domain_of(place) as domain:
        position, moves = at(domain, place)
        hidden = player is not None and domain.function("view") is not None
        actions = [] if position.ended else position.legal()
        legal = {int(a): position.describe(a) for a in actions}
        drawn = None if hidden else position.picture()
        return {
            "picture": None if drawn is None else picture(drawn, legal),
            "moves": moves,
            "text": position.view(player or 0) if hidden else position.render(),
            "standing": position.standing,
            "player": None if position.ended else position.player,
            "players": domain.players,
            "ended": position.ended,
            "rewards": position.rewards() if position.ended else None,
            "legal": [{"action": a, "label": label} for a, label in legal.items()],
            "about": (type(domain).__doc__ or "").split("\n")[0],
        }


def options_of(how: How, domain: Domain) -> Options:
    rave = None if how.rave is None else Rave(k=how.rave)
    solver = how.solver and domain.function("determinise") is None
    return Options(c=how.c, rave=rave, solver=solver, rollout=Rollout(policy=how.policy))


def run(settings: Any, report: Report) -> Result:
    """Search from the position, and keep the tree to be looked at."""
    with domain_of(settings) as domain:
        position, moves = at(domain, settings)
        if position.ended:
            raise OptionError("the game is over here; there is nothing to search")
        options = options_of(settings, domain)
        if "code" in type(settings).model_fields and domain.is_record:
            report(None, "a first try, with every index checked")
            first = Search(domain, options, memory="16MiB", when_full="rollout", debug=True)
            first.run(200)
        search = Search(domain, options, seed=settings.seed, memory=MEMORY, when_full="rollout")
        for action in moves:
            search.commit(action)
        report(None, "compiling, if it is new")

        def seen(now: Any) -> None:
            report(now.share, f"{now.simulations:,} simulations", lambda: _look(now.search))

        found = search.run(settings.simulations, progress=seen)
        data = {
            "best": found.best,
            "label": found.label,
            "value": found.value,
            "children": [_row(child) for child in found.children],
            "variation": found.principal_variation(12),
            "moves": moves,
            "dot": search.tree.to_dot(top=3),
            "shown": {"name": domain.name, "nodes": [list(n) for n in search.tree.walk(top=3)]},
            "took": {
                "simulations": found.simulations,
                "nodes": found.nodes,
                "seconds": round(found.seconds, 3),
                "simulations a second": round(found.simulations / max(found.seconds, 1e-6)),
                "memory of the tree, kB": search.tree.nbytes // 1024,
                "stopped by": found.stopped,
            },
        }
        kept = Kept()
        kept.look(search, found.seconds)
        return Result(data, {**kept.files, **_saved(search)})


def _saved(search: Search) -> dict[str, bytes]:
    """The search as ``tw.load`` and ``treewright search --load`` read it, unless it is too large.

    States that are Python objects can't be saved.
    """
    if not search.domain.is_record or search.tree.nbytes > MOST_SAVED:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SAVED
        search.save(path)
        return {SAVED: path.read_bytes()}


def _look(search: Search) -> dict[str, Any]:
    rows = [_row(child) for child in search.result().children[:12]]
    return {"children": rows, "search": growing(search)}


def _row(child: Any) -> dict[str, Any]:
    names = ("action", "label", "visits", "value", "rave", "prior", "proven")
    return {name: getattr(child, name) for name in names}


def check(settings: Code, report: Report) -> Result:
    """Random games through a domain, and every breach of the contract."""
    from treewright.library.checking import check as run_check

    report(None, "playing random games")
    with domain_of(settings) as domain:
        found = run_check(domain, seed=settings.seed)
    return Result({"ok": found.ok, "text": str(found), "problems": found.problems})


def _json(data: dict[str, Any]) -> bytes:
    from treewright.library.writing import json_text

    return json_text(data, indent=1).encode()


def _table(data: dict[str, Any]) -> bytes:
    lines = ["action,label,visits,value"]
    lines += [
        f'{c["action"]},"{str(c["label"]).replace(chr(34), "")}",{c["visits"]},{c["value"]}'
        for c in data["children"]
    ]
    return ("\n".join(lines) + "\n").encode()


def _text(data: dict[str, Any]) -> bytes:
    return f"{data['text']}\n".encode()


EXPORTS: dict[str, Export] = {
    "json": Export(".json", "application/json", _json),
    "csv": Export(".csv", "text/csv", _table),
}


def _picture(kind: str) -> Callable[[dict[str, Any]], bytes]:
    """What draws the top of the tree, as ``treewright tree`` does."""

    def draw(data: dict[str, Any]) -> bytes:
        from treewright.library.tree_picture import drawn

        shown = data["shown"]
        return drawn([Shown(*node) for node in shown["nodes"]], shown["name"], kind)

    return draw


TREES = EXPORTS | {
    "dot": Export(".dot", "text/vnd.graphviz", lambda d: d["dot"].encode()),
    "svg": Export(".svg", "image/svg+xml", _picture("svg")),
    "png": Export(".png", "image/png", _picture("png")),
    "pdf": Export(".pdf", "application/pdf", _picture("pdf")),
    "npz": Export(".npz", "application/zip", SAVED),
}
SEARCH = Work("A search", SearchPlace, run, TREES, domain=searched)
SEARCH_CODE = Work(
    "A search of your own domain", SearchCode, run, TREES, local=True, domain=searched
)
CHECK_CODE = Work(
    "A check of your own domain",
    Code,
    check,
    {"text": Export(".txt", "text/plain", _text)},
    local=True,
)
