"""From physics to tile moves: a preprocessing step, as in the paper ("Solvability …").

A *move* takes the player from rest on one tile to rest on another.  Key sequences of one
family are tried in a world that holds nothing but the floor to start from and the floor to land
on, and every cell that the collision code looks at is written down.  A level that agrees on those
cells can't be told from that world, so the move succeeds there, whatever else the level holds.

The family: the player stands in the middle of the tile or 3.2 pixels behind it, give or take 0.6
(taps of the walking key move by 0.6, so anyone on the tile can get there); holds the direction
for some ticks, jumps before, with or after it, and then brakes to a stand.

``python -m treewright.apps.levels.extract`` writes ``data/moves.json``; a test repeats it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels import physics
from treewright.apps.levels.physics import (
    GROUNDED,
    HALF_WIDTH,
    JUMP,
    LARGE,
    LEFT,
    MAY_JUMP,
    RIGHT,
    RUN,
    SMALL,
    SPEED,
    TILE,
    VX,
    VY,
    WALK,
    X,
    Y,
)
from treewright.library.writing import write_whole

STANCES = (0.0, -3.2)  # pixels from the middle of the tile, against the direction
SLACK = (-0.6, 0.0, 0.6)
DEEPEST = 13  # rows fallen at most
HIGHEST = 4  # rows climbed at most
WIDEST = 23  # columns of a move at most
ABOVE = 8  # rows of a mask above the start row
RUN_UPS = (0, 3, 7)  # extra tiles of runway
KEPT, KEPT_WITH_RUN_UP = 4, 2  # alternatives for each landing

ROWS = ABOVE + DEEPEST + 3
ROW = ABOVE  # of the start, in the world array
MIDDLE = WIDEST + 2  # column of the start
COLUMNS = 2 * MIDDLE + 1
RECIPE = 6  # stance, delay, hold, speed, push, runway
LIMIT = 90  # ticks of the longest move
BELOW, BESIDE = range(2)  # cells looked at while falling, and on all other ways
REFUSED, CLEAN, TOUCHING = range(3)


def keys_at(time, forward, delay, hold, speed, push, body):
    """The keys of the family at one tick, for a direction of +1 or -1."""
    ahead = RIGHT if forward > 0 else LEFT
    behind = LEFT if forward > 0 else RIGHT
    begin = max(delay, 0)
    jump = max(-delay, 0)
    keys = JUMP if jump <= time < jump + hold else 0
    if begin <= time < begin + push:
        keys |= ahead | (SPEED if speed else 0)
    elif time >= begin + push:
        velocity = body[VX] * forward
        if velocity >= RUN:
            keys |= behind | SPEED
        elif velocity >= WALK - physics.STILL:
            keys |= behind
    return keys


def begin(stance, slack, forward):
    """The player at rest in the start column."""
    x = TILE * MIDDLE + TILE / 2 + forward * STANCES[stance] + slack
    return physics.at_rest(x, physics.stand_on(ROW))


def attempt(recipe, slack, forward, height, cells, seen):
    """Play a recipe from column MIDDLE; (x, y) of the rest, or (-1, -1) if there is none.

    ``seen`` has two layers: what was looked at while falling, and on all other ways.
    """
    stance, delay, hold, speed, push = recipe[0], recipe[1], recipe[2], recipe[3], recipe[4]
    body = begin(stance, slack, forward)
    busy = max(max(delay, 0) + push, max(-delay, 0) + hold)
    jump = max(-delay, 0)
    for time in range(LIMIT):
        if hold > 0 and time == jump and not (body[GROUNDED] and body[MAY_JUMP]):
            return -1.0, -1.0
        physics.steer(body, keys_at(time, forward, delay, hold, speed, push, body))
        physics.move(body, body[VX], 0.0, height, cells, seen[BESIDE])
        falling = body[VY] > 0.0
        physics.move(body, 0.0, body[VY], height, cells, seen[BELOW if falling else BESIDE])
        physics.settle(body)
        if body[Y] > TILE * (ROWS - 1):
            return -1.0, -1.0
        if time >= busy and body[GROUNDED] and body[VX] == 0.0:
            return body[X], body[Y]
    return -1.0, -1.0


def landings(recipe, forward, height, cells, seen, found):
    """Fill ``found`` with (dx, dy) where a flight over nothing comes down; return how many."""
    stance, delay, hold, speed, push = recipe[0], recipe[1], recipe[2], recipe[3], recipe[4]
    body = begin(stance, 0.0, forward)
    n = 0
    for time in range(LIMIT):
        before = body[Y]
        keys = keys_at(time, forward, delay, hold, speed, push, body)
        physics.tick(body, keys, height, cells, seen[BELOW])
        if body[Y] > TILE * (ROWS - 1):
            break
        if body[VY] <= 0.0 or body[GROUNDED]:
            continue
        for row in range(ROW - HIGHEST, ROW + DEEPEST + 1):
            if before <= TILE * (row + 1) - 1.0 < body[Y] + 1.0:
                for side in range(-1, 2):
                    dx = int((body[X] + side * HALF_WIDTH) // TILE) - MIDDLE
                    if dx * forward < 1 or dx * forward > WIDEST:
                        continue
                    if n > 0 and found[n - 1, 0] == dx and found[n - 1, 1] == row - ROW:
                        continue
                    if n < len(found):
                        found[n, 0] = dx
                        found[n, 1] = row - ROW
                        n += 1
    return n


def cells_of_move(recipe, dx, dy, forward, height, cells, seen, empty, solid):
    """Whether a recipe goes from rest to rest; its cells, as bit masks by column.

    Refused: looking outside the columns from start to landing, touching any wall but the floors,
    stopping with a foot beyond the edge of the landing tile, for any slack.  Touching: a floor was
    met from the side or from below, and a thin one would not have been there.
    """
    runway = recipe[5]
    for i in range(runway + 1):
        cells[ROW + 1, MIDDLE + forward * i] = 1
    cells[ROW + dy + 1, MIDDLE + dx] = 1
    seen[:] = 0
    fine = True
    for slack in SLACK:
        x, y = attempt(recipe, slack, forward, height, cells, seen)
        left = TILE * (MIDDLE + dx)
        fine = fine and y == TILE * (ROW + dy + 1) - 1.0
        fine = fine and x - HALF_WIDTH >= left and x + HALF_WIDTH < left + TILE
        if not fine:
            break
    low, high = min(dx, 0), max(dx, 0)
    touching = False
    if fine:
        empty[:] = 0
        solid[:] = 0
        for column in range(COLUMNS):
            for row in range(ROWS):
                if not seen[BELOW, row, column] and not seen[BESIDE, row, column]:
                    continue
                at = column - MIDDLE
                if at < low or at > high:
                    fine = False
                    break
                if cells[row, column]:
                    solid[abs(at)] |= 1 << row
                    touching = touching or seen[BESIDE, row, column] != 0
                else:
                    empty[abs(at)] |= 1 << row
    for i in range(runway + 1):
        cells[ROW + 1, MIDDLE + forward * i] = 0
    cells[ROW + dy + 1, MIDDLE + dx] = 0
    return TOUCHING if fine and touching else CLEAN if fine else REFUSED


def search_family(forward, height, runway, out_recipe, out_where, out_empty, out_solid):
    """Every recipe that works, up to the room in the arrays; returns how many."""
    cells = np.zeros((ROWS, COLUMNS), np.uint8)
    seen = np.zeros((2, ROWS, COLUMNS), np.uint8)
    found = np.zeros((64, 2), np.int64)
    empty = np.zeros(WIDEST + 1, np.int64)
    solid = np.zeros(WIDEST + 1, np.int64)
    recipe = np.zeros(RECIPE, np.int64)
    n = 0
    first_delay = -8 if runway == 0 else -8 - 2 * runway
    last_delay = 14 if runway == 0 else -2 * runway // 2
    for stance in range(2):
        for delay in range(first_delay, last_delay + 1):
            for hold in range(9):
                if hold == 0 and delay < 0:
                    continue
                for speed in range(2):
                    for push in range(1, 30 + 2 * runway):
                        recipe[0] = stance
                        recipe[1] = delay
                        recipe[2] = hold
                        recipe[3] = speed
                        recipe[4] = push
                        recipe[5] = runway
                        for i in range(runway + 1):
                            cells[ROW + 1, MIDDLE + forward * i] = 1
                        count = landings(recipe, forward, height, cells, seen, found)
                        for i in range(runway + 1):
                            cells[ROW + 1, MIDDLE + forward * i] = 0
                        for i in range(count):
                            dx, dy = found[i, 0], found[i, 1]
                            if abs(dx) <= runway and dy >= 0:
                                continue
                            kind = cells_of_move(
                                recipe, dx, dy, forward, height, cells, seen, empty, solid
                            )
                            if n < len(out_recipe) and kind != REFUSED:
                                out_recipe[n] = recipe
                                out_where[n, 0] = dx
                                out_where[n, 1] = dy
                                out_where[n, 2] = kind
                                out_empty[n] = empty
                                out_solid[n] = solid
                                n += 1
    return n


def family(forward: int, height: float, runway: int, room: int = 400_000) -> list[dict[str, Any]]:
    """The minimal moves of one direction, height and runway, as plain data."""
    import numba

    from treewright.kernel.rebind import Rebinder

    compiled = Rebinder(numba.njit).function(search_family)  # type: ignore[arg-type]
    recipes = np.zeros((room, RECIPE), np.int64)
    where = np.zeros((room, 3), np.int64)
    empty = np.zeros((room, WIDEST + 1), np.int64)
    solid = np.zeros((room, WIDEST + 1), np.int64)
    n = compiled(forward, height, runway, recipes, where, empty, solid)
    groups: dict[tuple[int, int], dict[tuple[int, ...], int]] = {}
    for i in range(n):
        masks = (*empty[i].tolist(), *solid[i].tolist())
        groups.setdefault((int(where[i, 0]), int(where[i, 1])), {}).setdefault(masks, i)
    found = []
    for (dx, dy), found_masks in sorted(groups.items(), key=lambda g: (abs(g[0][0]), g[0][1])):
        for kept in minimal(list(found_masks))[: KEPT_WITH_RUN_UP if runway else KEPT]:
            width = abs(dx) + 1
            at = found_masks[kept]
            found.append(
                {
                    "dx": dx,
                    "dy": dy,
                    "touches": bool(where[at, 2] == TOUCHING),
                    "recipe": recipes[at].tolist(),
                    "empty": list(kept[:width]),
                    "solid": list(kept[WIDEST + 1 :][:width]),
                }
            )
    return found


def minimal(masks: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Those that need no more than what no other one needs, the least demanding first."""
    found: list[tuple[int, ...]] = []
    for mask in sorted(masks, key=lambda m: (sum(bits.bit_count() for bits in m), m)):
        if not any(covers(mask, less) for less in found):
            found.append(mask)
    return found


def covers(more: tuple[int, ...], less: tuple[int, ...]) -> bool:
    """Whether a level that allows ``more`` allows ``less`` too."""
    return all(b & ~a == 0 for a, b in zip(more, less, strict=True))


def shifted(move: dict[str, Any], by: int, width: int) -> tuple[int, ...]:
    """A move's masks as if it began ``by`` columns later, padded to a width."""
    empty = [0] * by + move["empty"]
    solid = [0] * by + move["solid"]
    pad = [0] * (width - len(empty))
    return (*empty, *pad, *solid, *pad)


def new_with_run_up(
    moves: list[dict[str, Any]], base: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The moves with a runway that none from rest, further along the runway, replaces."""
    known: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for move in base:
        known.setdefault((abs(move["dx"]), move["dy"]), []).append(move)
    for move in moves:
        width = abs(move["dx"]) + 1
        mine = (*move["empty"], *move["solid"])
        if not any(
            covers(mine, shifted(other, i, width))
            for i in range(move["recipe"][5] + 1)
            for other in known.get((width - 1 - i, move["dy"]), [])
        ):
            yield move


def extract() -> dict[str, list[dict[str, Any]]]:
    """All moves: small and large player, to the right and to the left, with run-ups."""
    found = {}
    for name, height in (("small", SMALL), ("large", LARGE)):
        for side, forward in (("right", 1), ("left", -1)):
            base = family(forward, height, 0)
            moves = list(base)
            for runway in RUN_UPS[1:]:
                moves += new_with_run_up(family(forward, height, runway), moves)
            found[f"{name}-{side}"] = moves
    return found


def main() -> None:
    out = Path(__file__).parent / "data" / "moves.json"
    moves = extract()
    lines = [
        f"{json.dumps(name)}: [\n"
        + ",\n".join(json.dumps(m, separators=(",", ":")) for m in group)
        + "\n]"
        for name, group in moves.items()
    ]
    write_whole(out, "{\n" + ",\n".join(lines) + "\n}\n")
    for name, group in moves.items():
        print(name, len(group), "moves,", sum(m["recipe"][5] == 0 for m in group), "from rest")


if __name__ == "__main__":
    main()
