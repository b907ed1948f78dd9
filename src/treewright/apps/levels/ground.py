"""Enemies that walk stand on ground: a corpus without floating ones, and the chain learnt from it.

A public corpus has one character for every enemy, so flying ones and mistakes of transcription
float in it, and a chain that learns from it makes levels in which they float as well.
"""

from treewright.apps.levels.chain import Chain, learn
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import EMPTY, TILES

WINGED = frozenset("GKRY")  # fly, and so may be anywhere


def walks(tile: str) -> bool:
    return TILES[tile].kind == "enemy" and tile not in WINGED


def floating(level: Level) -> int:
    """How many enemies that walk have nothing to stand on."""
    return sum(
        walks(tile) and not (below and TILES[below[0]].carries)
        for column in level.columns
        for row, tile in enumerate(column)
        for below in [column[row + 1 :]]
    )


def grounded(level: Level) -> Level:
    """The same level with those enemies on the floor below; over a gap there are none."""
    return Level.of_columns([_settled(column) for column in level.columns], level.where)


def grounded_chain(chain: Chain) -> Chain:
    """The chain that the same levels give with their enemies on the ground."""
    return learn([grounded(level) for level in chain.corpus], chain.history, chain.widest)


def _settled(column: str) -> str:
    """From the bottom up, so that each enemy falls onto what has settled already."""
    tiles = list(column)
    for row in range(len(tiles) - 1, -1, -1):
        if not walks(tiles[row]):
            continue
        enemy, tiles[row] = tiles[row], EMPTY
        floor = next((r for r in range(row, len(tiles) - 1) if TILES[tiles[r + 1]].carries), None)
        if floor is not None and tiles[floor] == EMPTY:
            tiles[floor] = enemy
    return "".join(tiles)
