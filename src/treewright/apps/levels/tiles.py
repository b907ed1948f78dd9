"""Tiles: what each character of a level stands for.

The characters are those of the Video Game Level Corpus and of the Mario-AI-Framework, which
agree wherever they overlap; a level keeps its characters as they are.  What the chain, the player
and the score need to know of a tile is its kind (the paper's eight) and two facts: does it
stop a body, and does it carry one.  Where the two engines' documents leave room the answer is
the one that allows less: a hidden block stops but does not carry, and a jump-through platform is
in the way from below too, but no wall that one could lean on (``thin``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from treewright.errors import OptionError, TreewrightError, nearest

Kind = Literal[
    "empty",
    "solid",
    "hidden power-up",
    "breakable",
    "question",
    "enemy",
    "cannon",
    "pipe",
    "coin",
    "start",
    "goal",
]


class LevelError(TreewrightError):
    """A level, a corpus or a wish about a level that can't be used."""


@dataclass(frozen=True)
class Tile:
    """One character."""

    kind: Kind
    stops: bool
    carries: bool
    vglc: str  # the nearest character of the Video Game Level Corpus
    thin: bool = False  # a floor only: nothing that comes from the side or from below is stopped

    @property
    def reward(self) -> bool:
        """A coin or a power-up (the paper's r)."""
        return self.kind in ("coin", "question", "hidden power-up")


def _passable(kind: Kind, vglc: str) -> Tile:
    return Tile(kind, stops=False, carries=False, vglc=vglc)


def _solid(kind: Kind, vglc: str) -> Tile:
    return Tile(kind, stops=True, carries=True, vglc=vglc)


EMPTY, START, GOAL = "-", "M", "F"
TILES: dict[str, Tile] = {
    "-": _passable("empty", "-"),
    "|": _passable("empty", "-"),  # the background of a jump-through platform
    "X": _solid("solid", "X"),
    "#": _solid("solid", "X"),
    "D": _solid("solid", "X"),
    "%": Tile("solid", stops=True, carries=True, vglc="X", thin=True),
    "S": _solid("breakable", "S"),
    "C": _solid("question", "Q"),  # a brick that holds a coin
    "U": _solid("hidden power-up", "S"),
    "L": _solid("hidden power-up", "S"),
    "?": _solid("question", "?"),
    "@": _solid("question", "?"),
    "Q": _solid("question", "Q"),
    "!": _solid("question", "Q"),
    "1": Tile("hidden power-up", stops=True, carries=False, vglc="S"),
    "2": Tile("question", stops=True, carries=False, vglc="Q"),
    "o": _passable("coin", "o"),
    **dict.fromkeys("EgGkKrRyY", _passable("enemy", "E")),
    **{c: _solid("pipe", c) for c in "<>[]"},
    "t": _solid("pipe", "["),
    "T": _solid("pipe", "["),
    "B": _solid("cannon", "B"),
    "*": _solid("cannon", "B"),
    "b": _solid("cannon", "b"),
    "M": _passable("start", "-"),
    "F": _passable("goal", "-"),
}

KINDS: tuple[Kind, ...] = (
    "solid",
    "hidden power-up",
    "breakable",
    "question",
    "enemy",
    "cannon",
    "pipe",
    "coin",
)


def read_legend(data: object, where: str) -> dict[str, str]:
    """From a legend's characters to ours; ``data`` is ``{"tiles": {"X": ["solid", …]}}``.

    A character that we know keeps its meaning if the legend's tags agree with it; any other gets
    the first of our tiles that its tags name.
    """
    tiles = data.get("tiles") if isinstance(data, Mapping) else None
    if not isinstance(tiles, Mapping) or not tiles:
        raise LevelError(f"{where}: a legend is a JSON object with 'tiles', characters with tags")
    found = {}
    for character, tags in tiles.items():
        if len(character) != 1 or not isinstance(tags, list):
            raise LevelError(f"{where}: {character!r} must be one character with a list of tags")
        found[character] = _by_tags(character, {str(tag).lower() for tag in tags}, where)
    return found


def _by_tags(character: str, tags: set[str], where: str) -> str:
    words = " ".join(sorted(tags))
    for word, ours in (
        ("enemy", "E"),
        ("coin", "o" if "passable" in tags or "collectable" in tags else "Q"),
        ("pipe", "["),
        ("cannon", "B"),
        ("hidden", "U"),
        ("question", "?"),
        ("breakable", "S"),
        ("solid", "X"),
        ("ground", "X"),
        ("passable", "-"),
        ("empty", "-"),
    ):
        if word in words:
            same = character in TILES and TILES[character].kind == TILES[ours].kind
            return character if same else ours
    raise LevelError(
        f"{where}: nothing in the tags of {character!r} ({', '.join(sorted(tags)) or 'none'}) says "
        f"what it is; one of solid, passable, enemy, coin, pipe, cannon, question, breakable would"
    )


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """Refuse a word that is not in a list."""
    names = list(known)
    if value not in names:
        raise OptionError(f"{name} {value!r} is unknown{nearest(value, names)}")
    return value
