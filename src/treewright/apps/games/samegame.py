"""SameGame: remove groups of one colour; the field's test bed for single-player search.

A group of n stones scores (n - 2)², an empty board 1000 more; when no group is left, the
stones of each colour cost (n - 2)² as if they were connected (Schadd et al. 2008).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8, int16, int32

from treewright.library.domain import Domain, hashed, record
from treewright.random import below, bits, stream

SIDE = 15
CELLS = SIDE * SIDE
COLOURS = 5
POINTS_PER_CELL = 5000 / CELLS  # a very good game; the reward is points / (cells * this)


def group(s, cell):
    """Collect the group of a cell in ``s.stack``, marking it, and return its size."""
    colour = s.colour[cell]
    s.mark[cell] = 1
    s.stack[0] = cell
    size = 1
    at = 0
    while at < size:
        here = s.stack[at]
        at += 1
        row = here % SIDE
        for side in range(4):
            if side == 0:
                near = here + 1 if row + 1 < SIDE else -1
            elif side == 1:
                near = here - 1 if row > 0 else -1
            elif side == 2:
                near = here + SIDE if here + SIDE < CELLS else -1
            else:
                near = here - SIDE
            if near >= 0 and s.colour[near] == colour and s.mark[near] == 0:
                s.mark[near] = 1
                s.stack[size] = near
                size += 1
    return size


def fall(s):
    """Stones drop to the bottom of their column (row 0); empty columns close up to the left."""
    target = 0
    for column in range(SIDE):
        height = 0
        for row in range(SIDE):
            colour = s.colour[column * SIDE + row]
            if colour > 0:
                s.colour[column * SIDE + row] = 0
                s.colour[target * SIDE + height] = colour
                height += 1
        if height > 0:
            target += 1


def clear_marks(s):
    for i in range(CELLS):
        s.mark[i] = 0


def movable(s):
    """Whether any two neighbours share a colour."""
    for cell in range(CELLS):
        colour = s.colour[cell]
        if colour > 0:
            if cell % SIDE + 1 < SIDE and s.colour[cell + 1] == colour:
                return True
            if cell + SIDE < CELLS and s.colour[cell + SIDE] == colour:
                return True
    return False


def points(s):
    """The final score, with the bonus for an empty board or the cost of what is left."""
    total = s.score
    left = 0
    for colour in range(1, COLOURS + 1):
        n = s.count[colour]
        left += n
        if n > 0:
            total -= (n - 2) * (n - 2)
    if left == 0:
        total += 1000
    return total


PAINT = ("#ffffff", "#0072b2", "#d55e00", "#009e73", "#f0c93d", "#9a6fb0")  # of the colours


class SameGame(Domain):
    """A board up to 15 x 15 in five colours, drawn from a seed or given as rows of digits."""

    id = "samegame-v1"
    players = 1
    max_actions = CELLS // 2
    max_length = CELLS // 2
    keys = CELLS
    state = record(
        colour=(int8, CELLS),  # column by column, row 0 at the bottom; 0 is empty
        mark=(int8, CELLS),
        stack=(int16, CELLS),
        count=(int16, COLOURS + 1),
        score=int32,
        cells=int16,
        over=int8,
    )

    def start(s, seed=1, width=SIDE, height=SIDE, colours=COLOURS, board=""):
        rows = board.split() or random_rows(seed, width, height, colours)
        if len(rows) > SIDE or any(len(row) > SIDE for row in rows):
            raise ValueError(f"a SameGame board has at most {SIDE} rows and columns")
        for up, row in enumerate(reversed(rows)):
            for column, digit in enumerate(row):
                if digit not in "012345":
                    raise ValueError(f"board row {len(rows) - up}: {digit!r} is no colour 0 to 5")
                s.colour[column * SIDE + up] = int(digit)
                s.count[int(digit)] += 1
        s.cells = sum(len(row) for row in rows)
        fall(s)
        s.count[0] = 0
        s.over = not movable(s)

    def legal(s, out):
        clear_marks(s)
        n = 0
        for cell in range(CELLS):
            if s.colour[cell] > 0 and s.mark[cell] == 0 and group(s, cell) > 1:
                out[n] = cell
                n += 1
        return n

    def play(s, action):
        clear_marks(s)
        colour = s.colour[action]
        size = group(s, action)
        for i in range(size):
            s.colour[s.stack[i]] = 0
        s.count[colour] -= size
        s.score += (size - 2) * (size - 2)
        fall(s)
        s.over = not movable(s)

    def ended(s):
        return s.over == 1

    def rewards(s, out):
        out[0] = min(1.0, max(0.0, points(s) / (POINTS_PER_CELL * s.cells)))

    def value(s, out):
        out[0] = min(1.0, max(0.0, s.score / (POINTS_PER_CELL * s.cells)))

    def weight(s, action):
        clear_marks(s)
        size = group(s, action)
        return float(size * size)

    def rollout(s, rng, out):
        """TabuColor: leave the most frequent colour for last, so that it grows together."""
        clear_marks(s)
        tabu = 1
        for colour in range(2, COLOURS + 1):
            if s.count[colour] > s.count[tabu]:
                tabu = colour
        n = 0
        last = -1
        for cell in range(CELLS):
            if s.colour[cell] > 0 and s.mark[cell] == 0 and group(s, cell) > 1:
                last = cell
                if s.colour[cell] != tabu:
                    out[n] = cell
                    n += 1
        return out[below(rng, n)] if n > 0 else last

    def key(s):
        """Colours and points: the rest is scratch, or follows from them."""
        h = hashed(0, s.score)
        word = 0
        for cell in range(CELLS):
            word = 8 * word + s.colour[cell]
            if cell % 21 == 20:  # three bits each
                h = hashed(h, word)
                word = 0
        return hashed(h, word)

    def describe(s, action):
        return f"{chr(ord('a') + action // SIDE)}{action % SIDE + 1}"

    def render(s):
        height = max([1] + [c % SIDE + 1 for c in range(CELLS) if s.colour[c]])
        width = max([1] + [c // SIDE + 1 for c in range(CELLS) if s.colour[c]])
        rows = [
            "".join(".12345"[s.colour[c * SIDE + r]] for c in range(width))
            for r in range(height - 1, -1, -1)
        ]
        return "\n".join([*rows, f"{s.score} points"])

    def picture(s):
        """Every stone of a group plays the group's action."""
        clear_marks(s)
        shapes = []
        for cell in range(CELLS):
            if s.colour[cell] > 0 and s.mark[cell] == 0:
                size = group(s, cell)
                stones = "".join(_stone(int(s.stack[i])) for i in range(size))
                action = f' data-action="{cell}"' if size > 1 else ""
                shapes.append(f'<g fill="{PAINT[s.colour[cell]]}"{action}>{stones}</g>')
        side = 20 * SIDE
        words = f'<text x="2" y="{side + 18}" font-size="14" fill="#7a746a">{s.score} points</text>'
        return f'<svg viewBox="0 0 {side} {side + 24}" width="420">{"".join(shapes)}{words}</svg>'


def _stone(cell: int) -> str:
    x, y = 20 * (cell // SIDE), 20 * (SIDE - 1 - cell % SIDE)
    return f'<rect x="{x + 1}" y="{y + 1}" width="18" height="18" rx="4"/>'


def random_rows(seed: int, width: int, height: int, colours: int) -> list[str]:
    """A uniform board; the same seed gives the same board everywhere."""
    if not (1 <= width <= SIDE and 1 <= height <= SIDE and 1 <= colours <= COLOURS):
        raise ValueError(f"SameGame: width and height 1 to {SIDE}, colours 1 to {COLOURS}")
    rng = stream(seed)
    bits(rng)
    return ["".join(str(1 + below(rng, colours)) for _ in range(width)) for _ in range(height)]
