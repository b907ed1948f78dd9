"""The widest gap that a running player can jump, flown tick by tick: tests/data/levels/jumps.json.

    python tools/make_jump_table.py [FILE]

The player starts at rest in the middle of the first tile of a runway, runs, jumps at some tick,
holds the key for some ticks, and comes down on a wide platform so many rows higher or lower.  All
ticks and holds are tried, so no move of a level may claim more than this table allows.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

from treewright.apps.levels import physics
from treewright.apps.levels.physics import GROUNDED, JUMP, RIGHT, SMALL, SPEED, TILE, X, Y
from treewright.kernel.rebind import Rebinder

FILE = Path(__file__).parents[1] / "tests/data/levels/jumps.json"
RUNWAYS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24)
HEIGHTS = range(4, -7, -1)
WIDEST = 20
ROWS, FLOOR, LANDING = 40, 20, 12  # rows of the world, row of the runway, width of the platform
JUMPS, HOLDS, TICKS = 60, 9, 120


def lands(runway, gap, up, height, cells, seen):
    """Whether any jump from the runway comes down on the platform."""
    cells[:] = 0
    cells[FLOOR, :runway] = 1
    begin = runway + gap
    cells[FLOOR - up, begin : begin + LANDING] = 1
    for start in range(JUMPS):
        for hold in range(1, HOLDS + 1):
            body = physics.at_rest(TILE / 2, physics.stand_on(FLOOR - 1))
            for time in range(TICKS):
                keys = RIGHT | SPEED
                if start <= time < start + hold:
                    keys |= JUMP
                physics.tick(body, keys, height, cells, seen)
                on = body[X] >= TILE * begin - physics.HALF_WIDTH
                if on and body[GROUNDED] and body[Y] == physics.stand_on(FLOOR - up - 1):
                    return True
                if body[Y] > TILE * (ROWS - 1):
                    break
    return False


def table() -> dict[str, Any]:
    """Rows by the height of the landing; a column for each runway."""
    compiled: Any = Rebinder(numba.njit).function(lands)  # type: ignore[arg-type]
    cells = np.zeros((ROWS, max(RUNWAYS) + WIDEST + LANDING), np.uint8)
    seen = np.zeros_like(cells)
    found = {}
    for up in HEIGHTS:
        found[str(up)] = [
            max(
                gap
                for gap in range(WIDEST)
                if gap == 0 or compiled(runway, gap, up, SMALL, cells, seen)
            )
            for runway in RUNWAYS
        ]
    return {"runways": list(RUNWAYS), "widest gap by height": found}


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    path.write_text(json.dumps(table()).replace("], ", "],\n") + "\n")
    print(path.read_text())


if __name__ == "__main__":
    main()
