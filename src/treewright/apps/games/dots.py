"""Dots and Boxes: whoever draws the fourth side of a box has it, and draws again.

So a turn has as many actions as its player closes boxes, and one more that opens something for the
other player: a multi-action game that everybody knows.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8, int64

from treewright.library.domain import Domain, record
from treewright.random import below

LARGEST = 5  # boxes across and down: sixty lines
LINES = 2 * LARGEST * (LARGEST + 1)


def lines(s):
    """How many lines there are: first the horizontal ones, row by row, then the vertical ones."""
    return (s.height + 1) * s.width + s.height * (s.width + 1)


def sides(s, drawn, box):
    """How many sides of a box are drawn."""
    row, column = box // s.width, box % s.width
    left = (s.height + 1) * s.width + row * (s.width + 1) + column
    top = row * s.width + column
    return int(
        (drawn >> top & 1)
        + (drawn >> (top + s.width) & 1)
        + (drawn >> left & 1)
        + (drawn >> (left + 1) & 1)
    )


def open_side(s, drawn, box):
    """A side of a box that is not drawn."""
    row, column = box // s.width, box % s.width
    left = (s.height + 1) * s.width + row * (s.width + 1) + column
    top = row * s.width + column
    if not drawn >> top & 1:
        return top
    if not drawn >> (top + s.width) & 1:
        return top + s.width
    return left if not drawn >> left & 1 else left + 1


def closed(s, drawn):
    """How many boxes have all their sides."""
    count = 0
    for box in range(s.width * s.height):
        count += sides(s, drawn, box) == 4
    return count


def within_reach(s):
    """How many boxes the player to move can close one after another."""
    drawn = s.drawn
    count = 0
    found = True
    while found:
        found = False
        for box in range(s.width * s.height):
            if sides(s, drawn, box) == 3:
                drawn |= int64(1) << open_side(s, drawn, box)
                count += 1
                found = True
    return count


class DotsAndBoxes(Domain):
    """``tw.make("dots-and-boxes", width=4, height=4)``; the player with more boxes wins."""

    id = "dots-and-boxes-v1"
    players = 2
    max_actions = LINES
    max_length = LINES
    keys = LINES
    state = record(drawn=int64, boxes=(int8, 2), player=int8, width=int8, height=int8)

    def start(s, width=4, height=4):
        for number in (width, height):
            if not 1 <= number <= LARGEST:
                raise ValueError(f"width and height must be 1 to {LARGEST}, not {number!r}")
        s.width = width
        s.height = height

    def legal(s, out):
        n = 0
        for line in range(lines(s)):
            if not s.drawn >> line & 1:
                out[n] = line
                n += 1
        return n

    def play(s, action):
        before = closed(s, s.drawn)
        s.drawn |= int64(1) << action
        made = closed(s, s.drawn) - before
        s.boxes[s.player] += made
        if made == 0:
            s.player = 1 - s.player

    def ended(s):
        return s.boxes[0] + s.boxes[1] == s.width * s.height

    def rewards(s, out):
        out[0] = 1.0 if s.boxes[0] > s.boxes[1] else 0.0 if s.boxes[0] < s.boxes[1] else 0.5
        out[1] = 1.0 - out[0]

    def value(s, out):
        """The boxes of both, with those within reach of the player to move as his."""
        ahead = s.boxes[0] - s.boxes[1]
        near = within_reach(s)
        ahead = ahead + near if s.player == 0 else ahead - near
        out[0] = 0.5 + 0.5 * ahead / (s.width * s.height)
        out[1] = 1.0 - out[0]

    def rollout(s, rng, out):
        """Close a box if one has three sides, else any line."""
        for box in range(s.width * s.height):
            if sides(s, s.drawn, box) == 3:
                return int(open_side(s, s.drawn, box))
        n = 0
        for line in range(lines(s)):
            if not s.drawn >> line & 1:
                out[n] = line
                n += 1
        return int(out[below(rng, n)])

    def allowed(s, action):
        return not s.drawn >> action & 1

    def describe(s, action):
        across = (s.height + 1) * s.width
        if action < across:
            row, column = divmod(int(action), int(s.width))
            return f"row {row + 1}, from dot {column + 1} to {column + 2}"
        row, column = divmod(int(action) - across, int(s.width) + 1)
        return f"column {column + 1}, from dot {row + 1} to {row + 2}"

    def render(s):
        across = (s.height + 1) * s.width
        rows = []
        for row in range(s.height + 1):
            drawn = [s.drawn >> (row * s.width + c) & 1 for c in range(s.width)]
            rows.append("+" + "+".join("---" if d else "   " for d in drawn) + "+")
            if row < s.height:
                first = across + row * (s.width + 1)
                text = ""
                for column in range(s.width + 1):
                    text += "|" if s.drawn >> (first + column) & 1 else " "
                    if column < s.width:
                        text += " # " if sides(s, s.drawn, row * s.width + column) == 4 else "   "
                rows.append(text)
        rows.append(f"boxes {s.boxes[0]} to {s.boxes[1]}, player {s.player + 1} draws")
        return "\n".join(rows)
