"""Worlds and recorded keys for the tests of the study."""

from treewright.apps.levels.level import Level
from treewright.apps.levels.replay import encode
from treewright.apps.levels.world import World

GYM = """
--------------------------------------------------------------------
--------------------------------------------------------------------
--------------------------------------------------------------------
-------------------------------------------------------o------------
--?--SSS-S?SQS------------------SSS---o-------SQS------S------------
----------------------------------------------------SS--------------
-------------------------------------------------------------------F
---------------------------SS---------------------------------------
------X----------E-k-----r------<>---B----g-k-r-----------r--k----B-
XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX[]XXXbXXXXXXXXXXXXX--XXXXXXXXXXXXXbX
"""  # a power-up within reach, bricks, every kind of enemy


def world_of(text, seed=0):
    """A world from a drawing; rows are padded with air at the top."""
    rows = [line.strip() for line in text.strip().splitlines()]
    air = ["-" * len(rows[0])] * (14 - len(rows))
    return World(Level((*air, *rows)), seed)


def holding(*pieces):
    """``holding((keys, ticks), …)``: runs of keys."""
    return [list(piece) for piece in pieces]


def scribble(dice, ticks):
    """Keys of somebody who mostly runs to the right."""
    keys = []
    while len(keys) < ticks:
        k = 2 + 4 * (dice.random() < 0.5) + 8 * (dice.random() < 0.5)
        if dice.random() < 0.15:
            k = int(dice.integers(32))
        keys += [k] * int(dice.integers(1, 12))
    return encode(keys[:ticks])
