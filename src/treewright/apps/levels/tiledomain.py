"""MCMCTS over the tile-to-tile chain: the same search, with columns that the corpus never had.

An action appends one of 64 columns, each drawn from the chain by a stream that depends on the
place, the column before and the action's number: so an action always means the same column,
and the tree stays a tree.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np
from numpy import float64, int8, int32, int64

from treewright.apps.levels import ends
from treewright.apps.levels.controls import Controls, target_tables
from treewright.apps.levels.domain import (
    CROWD_WINDOW,
    CUT,
    UNREACHABLE,
    count_column,
    out_of_reach,
    paper_score,
    power_of_two,
    start_mask,
)
from treewright.apps.levels.level import MOST_ROWS, Level
from treewright.apps.levels.moves import ABOVE, as_tables, to_the_right
from treewright.apps.levels.reach import RING, append_column, column_masks
from treewright.apps.levels.score import FAILED, worth
from treewright.apps.levels.tilechain import TileChain
from treewright.apps.levels.tiles import TILES, LevelError
from treewright.library.domain import Domain, record
from treewright.random import below

CHOICES = 64  # columns offered at each place


def scramble(z):
    """The next number of a small stream: 31 bits, the same in both engines."""
    z = (z * 1103515245 + 12345) % 2147483648
    return z ^ (z >> 13)


def draw_column(s, t, action):
    """Draw the column of an action, bottom up, into ``s.column``."""
    z = scramble(s.mark % 1000003 * 64 + action)
    z = scramble(z + s.n)
    rows = t.limits[1]
    under = len(t.stops)
    diagonal = under
    mark = 7
    for up in range(rows):
        row = rows - 1 - up
        z = scramble(z + up)
        wanted = z / 2147483648.0
        at = t.draws[row, s.column[row], under, diagonal]
        tile = 0
        while t.summed[at, tile] <= wanted and tile < len(t.stops) - 1:
            tile += 1
        diagonal = s.column[row]
        under = tile
        s.column[row] = tile
        mark = (mark * 31 + tile) % 1000003
    s.mark = mark


def is_end(s, t):
    """Whether the next column belongs to the start or to the finish (ends.py)."""
    return s.n < t.limits[4] or s.n >= t.limits[5]


def joins_plain(s, t):
    """Whether the chain could draw flat ground after the last column."""
    rows = t.limits[1]
    under = len(t.stops)
    diagonal = under
    for up in range(rows):
        row = rows - 1 - up
        tile = t.plain[row]
        at = t.draws[row, s.column[row], under, diagonal]
        below_it = t.summed[at, tile - 1] if tile > 0 else 0.0
        if t.summed[at, tile] <= below_it:
            return False
        diagonal = s.column[row]
        under = tile
    return True


def append_plain(s, t):
    """A column of the start or of the finish."""
    if s.n == t.limits[5] and not joins_plain(s, t):
        s.dead = CUT
        return
    mark = 7
    for up in range(t.limits[1]):
        row = t.limits[1] - 1 - up
        s.column[row] = t.plain[row]
        mark = (mark * 31 + t.plain[row]) % 1000003
    s.mark = mark
    append_drawn(s, t)


def append_drawn(s, t):
    """See where the player can get in the drawn column, and count what is in it.

    In the first one it is the lowest floor.
    """
    rows = t.limits[1]
    stops = 0
    carries = 0
    enemies = 0
    rewards = 0
    for row in range(rows):
        tile = s.column[row]
        stops |= t.stops[tile] << (ABOVE + row)
        carries |= t.carries[tile] << (ABOVE + row)
        enemies += t.enemies[tile]
        rewards += t.rewards[tile]
    stops |= (stops >> 1) & (1 << (ABOVE - 1))
    stand = 0
    lowest = 0
    thin = 0
    floor = -1
    for row in range(rows - 1):
        free = (stops >> (ABOVE + row)) & 1 == 0
        if free and (carries >> (ABOVE + row + 1)) & 1 == 1:
            floor = rows - 2 - row
            lowest = 0
            if t.limits[2] == 0 or (stops >> (ABOVE + row - 1)) & 1 == 0:
                lowest = 1 << (ABOVE + row)
                stand |= lowest
                thin |= t.thin[s.column[row + 1]] << (ABOVE + row)
    append_column(s, t, stops, carries, stand, thin)
    if s.n == 0:
        s.reach[0] = lowest
    gap = 1 if (stops >> (ABOVE + rows - 1)) & 1 == 0 else 0
    hurts = gap == 1 or enemies > 0
    for row in range(rows):
        hurts = hurts or t.cannon[s.column[row]] == 1
    if hurts and s.n < t.limits[6]:
        s.dead = CUT
    count_column(s, t, gap, enemies, rewards, floor)


def evaluate(s, t):
    if s.dead != 0:
        return FAILED * s.n / t.limits[0]
    return worth(paper_score(s, t))


class TileLevels(Domain):
    """``TileLevels(chain, controls)``: a level of tiles; fixed pieces and copies do not apply."""

    players = 1
    max_actions = CHOICES
    state = record(
        n=int32,
        column=(int8, MOST_ROWS),  # the last one, by tile numbers
        mark=int32,  # a hash of it
        stops=(int64, RING),
        carries=(int64, RING),
        reach=(int64, RING),
        far=int32,
        gaps=int32,
        enemies=int32,
        rewards=int32,
        felt=(float64, 3),
        missed=float64,
        heights=int32,
        floors=int32,
        recent=(int8, CROWD_WINDOW),
        crowd=int32,
        seams=int32,
        in_gap=int8,
        dead=int8,
    )

    def __init__(self, chain: TileChain, controls: Controls | None = None) -> None:
        self.chain = chain
        self.controls = controls or Controls()
        self.max_length = power_of_two(self.controls.length, 512)
        if self.controls.fixed or self.controls.score is not None:
            raise LevelError("fixed pieces and other scores are for the chain of slices")
        tiles = [TILES[tile] for tile in chain.tiles]
        tall = self.controls.player == "large"
        whole = self.controls.whole
        self.plain = ends.plain_slice([level.columns for level in chain.corpus])
        if not set(self.plain) <= set(chain.tiles):
            whole = False
        self.whole = whole
        starts = [c for c in chain.starts if start_mask(c, column_masks(c, tall)[2])]
        if not starts and not whole:
            raise LevelError("no level of the corpus begins with a floor to stand on")
        starts = starts or [self.plain]
        numbers = [[chain.tiles.index(tile) for tile in column] for column in starts]
        crowd = self.controls.crowd
        tables = {
            "stops": np.array([tile.stops for tile in tiles], np.int64),
            "carries": np.array([tile.carries for tile in tiles], np.int64),
            "thin": np.array([tile.thin for tile in tiles], np.int64),
            "enemies": np.array([tile.kind == "enemy" for tile in tiles], np.int64),
            "rewards": np.array([tile.reward for tile in tiles], np.int64),
            "draws": chain.draws,
            "summed": chain.summed,
            "cannon": np.array([tile.kind == "cannon" for tile in tiles], np.int64),
            "plain": np.array([max(chain.tiles.find(c), 0) for c in self.plain], np.int64),
            "starts": np.array(numbers, np.int8),
            "limits": np.array(
                [
                    self.controls.length,
                    chain.height,
                    tall,
                    10**6 if crowd is None else crowd,
                    ends.BEGIN if whole else 0,
                    self.controls.length - ends.FINISH if whole else 10**9,
                    ends.safe_columns(self.controls.length) if whole else 0,
                ],
                np.int64,
            ),
        }
        tables |= target_tables(self.controls, chain.corpus)
        tables |= as_tables(to_the_right(self.controls.player))
        super().__init__(tables=tables)

    def start(s, t):
        s.n = 0

    def legal(s, t, out):
        n = CHOICES if s.n > 0 else min(CHOICES, t.starts.shape[0])
        if is_end(s, t):
            n = 1
        for i in range(n):
            out[i] = i
        return n

    def play(s, t, action):
        if is_end(s, t):
            append_plain(s, t)
        elif s.n == 0:
            for row in range(t.limits[1]):
                s.column[row] = t.starts[action, row]
            append_drawn(s, t)
        else:
            draw_column(s, t, action)
            append_drawn(s, t)
        if out_of_reach(s, t) or s.crowd > t.limits[3]:
            s.dead = UNREACHABLE

    def ended(s, t):
        return s.dead != 0 or s.n >= t.limits[0]

    def rewards(s, t, out):
        out[0] = evaluate(s, t)

    def value(s, t, out):
        out[0] = evaluate(s, t)

    def rollout(s, t, rng, out):
        if is_end(s, t):
            return 0
        return below(rng, CHOICES if s.n > 0 else min(CHOICES, t.starts.shape[0]))

    def render(s):
        return f"{s.n} slices, {s.gaps} gaps, {s.enemies} enemies, {s.rewards} rewards"

    def text_columns(self, actions: list[int]) -> list[str]:
        """Play the actions again and write down every column, for any beginning of a level."""
        s = self.new_state()
        columns = []
        for action in actions:
            self.interpreted["play"](s, self.interpreted_tables, action)
            tiles = (s.column[row] for row in range(self.chain.height))
            columns.append("".join(self.chain.tiles[tile] for tile in tiles))
        return columns

    def level(self, actions: list[int], where: str = "the level") -> Level:
        columns = self.text_columns(actions)
        if self.whole:
            columns[: ends.BEGIN] = ends.begin_columns(self.plain)
            columns[-ends.FINISH :] = ends.finish_columns(self.plain)
        return Level.of_columns(columns, where)
