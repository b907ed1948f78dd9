"""The domain of MCMCTS: a level that grows to the right, pattern by pattern.

An action appends a pattern of the Markov chain (chain.py).  Expansion draws actions by
``weight``, a rollout is a walk of the chain (``rollout``), and a level that can no longer be
finished ends at once (reach.py).  Use it with ``OPTIONS``.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import itertools
import math
from types import SimpleNamespace

import numpy as np
from numpy import float64, int8, int32, int64

from treewright.apps.levels import ends
from treewright.apps.levels.chain import Chain, Pattern, State
from treewright.apps.levels.controls import (
    Controls,
    can_hold,
    counts,
    faded_sum,
    fixed_columns,
    floor_height,
    per_column,
    target_tables,
)
from treewright.apps.levels.copies import automaton, follow
from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import ABOVE, as_tables, to_the_right
from treewright.apps.levels.reach import RING, append_column, column_masks
from treewright.apps.levels.score import BEST, FAILED, quadratic, worth
from treewright.apps.levels.tiles import TILES, LevelError
from treewright.library.domain import Domain, constant, record
from treewright.library.options import Options, Rollout, Widening
from treewright.random import uniform

CROWD_WINDOW = 8
SEAM = 0.5  # what the score loses where a fixed piece is joined as the corpus never does
LONG_COPY = 2 / 3  # of the copy limit: from here on, the chain looks back one slice less
COPIED_WINDOW = 8  # slices: what level analyse counts as copied
FAMILIAR = 0.03  # of all columns: a copied share that is this much too large costs one point
NOVEL_RUN = 4  # slices copied, from where the chain looks back one slice less if novelty is wished
DRAWS = 8  # tries before the allowed patterns are listed
ALIVE, UNREACHABLE, COPIED, CROWDED, CUT = range(5)  # why a level ended too early
EVALUATE = constant()  # evaluate or wished
SCORE = constant()  # what is wished

OPTIONS = Options(
    c=math.sqrt(2),
    expand="rollout",
    widening=Widening(k=2.0, alpha=0.5),
    rollout=Rollout(policy="domain", depth=16),
    max_backup=0.001,  # the mean leads the search; the maximum decides what is committed
    choose="max",
)


def append_slice(s, t, number):
    """Add a slice: count what is in it, see where the player can get, and what it copies."""
    append_column(s, t, t.stops[number], t.carries[number], t.stand[number], t.thin[number])
    if s.n == 0:
        s.reach[0] = t.start[number]
    count_column(s, t, t.gap[number], t.enemies[number], t.rewards[number], t.floor[number])
    s.copy_state, s.copy_run = follow(t, s.copy_state, s.copy_run, number)
    if s.copy_run >= COPIED_WINDOW:
        s.copied += 1
    if out_of_reach(s, t):
        s.dead = UNREACHABLE
    elif s.copy_run > t.limits[1]:
        s.dead = COPIED
    elif s.crowd > t.limits[2]:
        s.dead = CROWDED


def count_column(s, t, gap, enemies, rewards, floor):
    """Count what is in the newest column, and go on to the next."""
    begins = 1 if gap and not s.in_gap else 0
    s.gaps += begins
    s.felt[0] = t.fade[0] * s.felt[0] + begins
    s.felt[1] = t.fade[1] * s.felt[1] + enemies
    s.felt[2] = t.fade[2] * s.felt[2] + rewards
    s.in_gap = gap
    s.enemies += enemies
    s.rewards += rewards
    if floor >= 0:
        s.heights += floor
        s.floors += 1
    s.crowd += enemies - s.recent[s.n % CROWD_WINDOW]
    s.recent[s.n % CROWD_WINDOW] = enemies
    s.n += 1
    s.missed = t.past[0] * s.missed + (1.0 - t.past[0]) * miss(s.felt, t, s.n)


def miss(felt, t, n):
    """How far gaps, enemies and rewards are from what is wished by column n."""
    total = 0.0
    for i in range(3):
        total += quadratic(felt[i], t.low[i, n], t.high[i, n], t.tolerance[i, n])
    return total


def out_of_reach(s, t):
    """Whether no move leads on from what was reached, or the last column was not."""
    widest = len(t.move_group) // 32 - 1
    return s.n - 1 - s.far >= widest or (s.n == t.limits[0] and s.far != s.n - 1)


def next_slice(s, t, action, at):
    """The slice that an action appends next, or -1: of its pattern, or of the fixed ones."""
    if action == len(t.weight):
        return t.fixed[s.n] if s.n < t.limits[0] else -1
    return t.pattern[at] if at < t.first[action + 1] else -1


def chain_state(s, t):
    """The chain's state; with a slice less of history where a copied run has become long."""
    return t.shorter[s.state] if s.copy_run > t.limits[3] else s.state


def last_fitting(s, t):
    """One behind the last action whose pattern fits before the next fixed slice or the end."""
    return t.width_end[chain_state(s, t), t.room[s.n]]


def allowed(s, t, action):
    """Whether an action keeps the start safe and leads towards the next joint (ends.py)."""
    after = s.n + t.first[action + 1] - t.first[action]
    safe = s.n + t.hazard[action] >= t.limits[4]
    return safe and t.led[t.window[after], t.target[action]] != 0


def draw_pattern(s, t, low, high, rng):
    """A step of the chain: a binary search in the summed probabilities."""
    before = t.summed[low]
    wanted = before + uniform(rng) * (t.summed[high] - before)
    high -= 1
    while low < high:
        middle = (low + high) // 2
        if t.summed[middle + 1] <= wanted:
            low = middle + 1
        else:
            high = middle
    return low


def draw_allowed(s, t, low, high, rng):
    """The same among the allowed actions, by their weights; -1 if there is none."""
    total = 0.0
    for action in range(low, high):
        if allowed(s, t, action):
            total += t.weight[action]
    wanted = uniform(rng) * total
    last = -1
    for action in range(low, high):
        if allowed(s, t, action):
            last = action
            wanted -= t.weight[action]
            if wanted < 0.0:
                break
    return last


def paper_score(s, t):
    """g + e + r (and heights, where they are wished), less the seams."""
    total = BEST - SEAM * s.seams - s.missed
    if s.floors > 0:
        mean = s.heights / s.floors
        total -= quadratic(mean, t.low[3, s.n], t.high[3, s.n], t.tolerance[3, s.n])
    return total


def evaluate(s, t):
    """The paper's score as a reward."""
    if s.dead != ALIVE:
        return FAILED * s.n / t.limits[0]
    return worth(paper_score(s, t) - too_familiar(s, t))


def wished(s, t):
    """The same with a score of the user's own."""
    if s.dead != ALIVE:
        return FAILED * s.n / t.limits[0]
    height = s.heights / s.floors if s.floors > 0 else 0.0
    score = SCORE(s.n, t.limits[0], s.gaps, s.enemies, s.rewards, height, t.difficulty[s.n])
    loss = SEAM * s.seams + too_familiar(s, t)
    return worth(score - loss) if math.isfinite(score) else FAILED


def too_familiar(s, t):
    """What the score loses where more is copied than ``novelty`` allows."""
    return quadratic(s.copied / max(s.n, 1), 0.0, t.familiar[0], FAMILIAR)


class Levels(Domain):
    """``Levels(chain, controls)``: build a level of ``controls.length`` slices from a chain."""

    id = "levels-v1"
    players = 1
    state = record(
        n=int32,  # columns so far
        state=int32,  # of the chain
        stops=(int64, RING),
        carries=(int64, RING),
        reach=(int64, RING),
        far=int32,  # the last column with a reachable tile
        gaps=int32,
        enemies=int32,
        rewards=int32,
        felt=(float64, 3),  # gaps, enemies and rewards, less what has faded (controls.py)
        missed=float64,  # by how much; along a curve, over the last columns
        heights=int32,  # sum of floor heights
        floors=int32,  # columns with a floor
        recent=(int8, CROWD_WINDOW),
        crowd=int32,
        copy_state=int32,
        copy_run=int32,
        copied=int32,  # columns that end a copied stretch of eight or more
        last=int32,  # the last slice
        seams=int32,
        in_gap=int8,
        dead=int8,
    )

    def __init__(self, chain: Chain, controls: Controls | None = None) -> None:
        self.chain = chain
        self.controls = controls or Controls()
        can_hold(self.controls, chain)
        transitions = max(len(p) for p in chain.transitions.values())
        self.max_actions = power_of_two(transitions, 4096)
        self.max_length = power_of_two(self.controls.length, 512)
        self.fixed = fixed_columns(self.controls, chain.height)
        safe = 0
        if self.controls.whole:
            plain = ends.plain_slice([[chain.slices[i] for i in line] for line in chain.levels])
            self.fixed, safe = ends.with_ends(self.fixed, self.controls.length, plain)
        extra = [s for s in dict.fromkeys(self.fixed.values()) if s not in set(chain.slices)]
        self.slices = (*chain.slices, *extra)
        tables = slice_tables(self.slices, self.controls.player == "large")
        tables |= chain_tables(chain, self.controls.length, self.fixed, self.slices, safe)
        tables |= target_tables(self.controls, chain.corpus)
        tables |= as_tables(to_the_right(self.controls.player))
        tables |= automaton(chain.levels).tables()
        crowd = self.controls.crowd
        copies = self.controls.copy_limit
        novelty = self.controls.novelty
        tables["familiar"] = np.array([1.0 if novelty is None else 1.0 - novelty])
        tables["limits"] = np.array(
            [
                self.controls.length,
                copies,
                10**6 if crowd is None else crowd,
                round(LONG_COPY * copies) if novelty is None else NOVEL_RUN,
                safe,
            ],
            np.int64,
        )
        score = self.controls.score
        super().__init__(
            tables=tables,
            constants={EVALUATE: evaluate} if score is None else {EVALUATE: wished, SCORE: score},
        )

    def start(s, t):
        s.state = t.fixed_state[0]

    def legal(s, t, out):
        if t.fixed[s.n] >= 0:
            out[0] = len(t.weight)
            return 1
        n = 0
        first = t.action_first[chain_state(s, t)]
        last = last_fitting(s, t)
        for action in range(first, last):
            if allowed(s, t, action):
                out[n] = action
                n += 1
        if n == 0:
            for action in range(first, last):
                out[n] = action
                n += 1
        return n

    def play(s, t, action):
        fixed = action == len(t.weight)
        if fixed and s.n > 0:
            if t.seam[t.seam_row[s.n], s.last] == 0:
                s.seams += 1
            if t.led[t.window[s.n], s.state] == 0:
                s.dead = CUT
        at = t.first[action]
        number = next_slice(s, t, action, at)
        while number >= 0 and s.dead == ALIVE:
            append_slice(s, t, number)
            if fixed:  # what is given is no copy
                s.copy_run = 0
                s.copy_state = 0
            s.last = number
            at += 1
            number = next_slice(s, t, action, at)
        s.state = t.fixed_state[s.n] if fixed else t.target[action]

    def ended(s, t):
        return s.dead != ALIVE or s.n >= t.limits[0]

    def rewards(s, t, out):
        out[0] = EVALUATE(s, t)

    def value(s, t, out):
        out[0] = EVALUATE(s, t)

    def weight(s, t, action):
        return t.weight[action] if action < len(t.weight) else 1.0

    def rollout(s, t, rng, out):
        """A step of the chain among the actions that are allowed here."""
        if t.fixed[s.n] >= 0:
            return len(t.weight)
        low = t.action_first[chain_state(s, t)]
        high = last_fitting(s, t)
        for _ in range(DRAWS):
            action = draw_pattern(s, t, low, high, rng)
            if allowed(s, t, action):
                return action
        action = draw_allowed(s, t, low, high, rng)
        return action if action >= 0 else draw_pattern(s, t, low, high, rng)

    def describe(s, t, action):
        if action == len(t.weight):
            return "fixed"
        return "+".join(str(t.pattern[i]) for i in range(t.first[action], t.first[action + 1]))

    def render(s):
        return f"{s.n} slices, {s.gaps} gaps, {s.enemies} enemies, {s.rewards} rewards"

    def columns(self, actions: list[int]) -> list[int]:
        """The slices that a sequence of actions appends."""
        t = self.tables
        found: list[int] = []
        for action in actions:
            if action == len(t["weight"]):
                while len(found) < self.controls.length and t["fixed"][len(found)] >= 0:
                    found.append(int(t["fixed"][len(found)]))
            else:
                found += t["pattern"][t["first"][action] : t["first"][action + 1]].tolist()
        return found

    def text_columns(self, actions: list[int]) -> list[str]:
        """The same as text, for any beginning of a level."""
        return [self.slices[i] for i in self.columns(actions)]

    def level(self, actions: list[int], where: str = "the level") -> Level:
        return Level.of_columns(self.text_columns(actions), where)

    def judge(self, level: Level, playable: bool) -> float:
        """The reward that the search would give a finished level, whoever made it."""
        if not playable:
            return FAILED
        have = counts(level)
        floors = sum(floor_height(column) >= 0 for column in level.columns)
        t = SimpleNamespace(**self.tables)
        felt = [faded_sum(row, f) for row, f in zip(per_column(level), t.fade, strict=True)]
        missed = 0.0
        for n in range(1, level.length + 1):
            missed = t.past[0] * missed + (1.0 - t.past[0]) * miss([f[n] for f in felt], t, n)
        s = SimpleNamespace(
            n=level.length,
            seams=0,
            missed=missed,
            heights=have["height"] * floors,
            floors=floors,
        )
        return worth(paper_score(s, t))


def power_of_two(n: int, least: int) -> int:
    """Sizes are rounded up, so that corpora and lengths share compiled kernels."""
    return max(least, 1 << (n - 1).bit_length())


def slice_tables(slices: tuple[str, ...], tall: bool) -> dict[str, np.ndarray]:
    """What the domain needs to know of each slice."""
    masks = [column_masks(column, tall) for column in slices]
    tiles = [[TILES[c] for c in column] for column in slices]
    return {
        "stops": np.array([m[0] for m in masks], np.int64),
        "carries": np.array([m[1] for m in masks], np.int64),
        "stand": np.array([m[2] for m in masks], np.int64),
        "thin": np.array([m[3] for m in masks], np.int64),
        "start": np.array(
            [start_mask(c, m[2]) for c, m in zip(slices, masks, strict=True)], np.int64
        ),
        "gap": np.array([not column[-1].stops for column in tiles], np.int8),
        "enemies": np.array([sum(t.kind == "enemy" for t in c) for c in tiles], np.int8),
        "rewards": np.array([sum(t.reward for t in c) for c in tiles], np.int8),
        "floor": np.array([floor_height(c) for c in slices], np.int8),
    }


def start_mask(column: str, stand: int) -> int:
    """The tile where the player starts if this is the first slice; 0 if there is no room."""
    try:
        _, row = Level.of_columns([column]).start
    except LevelError:
        return 0
    return stand & (1 << (ABOVE + row))


def chain_tables(
    chain: Chain, length: int, fixed: dict[int, str], slices: tuple[str, ...], safe: int
) -> dict[str, np.ndarray]:
    """States, actions and fixed slices as arrays; a state's actions are sorted by width.

    Behind the chain's own states come those with a slice less of history (``Chain.shorter``).
    """
    known = sorted(chain.transitions.items())
    number = {state: i for i, (state, _) in enumerate(known)}
    known += sorted(chain.shorter.items())
    shorter = {state: i for i, (state, _) in enumerate(known) if i >= len(number)}
    patterns: list[Pattern] = []
    counts: list[int] = []
    targets: list[int] = []
    for state, counted in known:
        ordered = sorted(sorted(counted), key=len)
        patterns += ordered
        counts += map(counted.__getitem__, ordered)
        targets += [number[chain.after(state, p)] for p in ordered]
    room = chain.widest if chain.widest >= chain.history else chain.history
    owner = np.repeat(np.arange(len(known)), [len(counted) for _, counted in known])
    widths = np.fromiter(map(len, patterns), np.int64, len(patterns))
    action_first = np.searchsorted(owner, np.arange(len(known))).astype(np.int32)
    of_width = np.bincount(owner * (room + 1) + widths, minlength=len(known) * (room + 1))
    width_end = action_first[:, None] + np.cumsum(of_width.reshape(len(known), -1), axis=1)
    weight = np.array(counts, np.float64)
    slice_number = {column: i for i, column in enumerate(slices)}
    given = np.full(length + 1, -1, np.int32)
    for column, tiles in fixed.items():
        given[column] = slice_number[tiles]
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    pattern = np.fromiter(itertools.chain.from_iterable(patterns), np.int32, first[-1])
    tables: dict[str, np.ndarray] = {
        "action_first": action_first,
        "width_end": width_end.astype(np.int32),
        "shorter": np.array([shorter.get(state[1:], i) for state, i in number.items()], np.int32),
        "first": first,
        "pattern": pattern,
        "target": np.array(targets, np.int32),
        "weight": weight,
        "summed": np.concatenate([[0.0], np.cumsum(weight)]),
        "fixed": given,
        "hazard": _first_hazards(first, pattern, slices),
        "fixed_state": _states_after(chain, number, given, slices),
        "room": _rooms(given, room, chain),
    }
    own = np.append(action_first, len(patterns))[: len(number) + 1]
    walks = ends.Walks(own, *(a[: own[-1]] for a in (widths, tables["target"], tables["hazard"])))
    tables |= ends.joint_tables(
        walks,
        given,
        tables["room"],
        tables["fixed_state"],
        safe,
        lambda column: _joints(chain, number, given, slices, column),
    )
    return tables | _seams(chain, given, len(slices))


def _first_hazards(first: np.ndarray, pattern: np.ndarray, slices: tuple[str, ...]) -> np.ndarray:
    """Where in each pattern the first slice is that can hurt."""
    hurts = np.array([ends.hazardous(column) for column in slices])
    place = np.arange(len(pattern)) - np.repeat(first[:-1], np.diff(first))
    where = np.where(hurts[pattern], place, ends.NEVER)
    return np.minimum.reduceat(where, first[:-1]).astype(np.int32)


def _joints(
    chain: Chain,
    number: dict[State, int],
    given: np.ndarray,
    slices: tuple[str, ...],
    column: int,
) -> list[np.ndarray]:
    """[state]: may it stand before the given piece at this column?  The best kind first.

    The chain walks into the piece; or the corpus has its first slice after the state's last one;
    or no pipe is cut.
    """
    piece = [int(i) for i in given[column : column + chain.history] if i >= 0]
    pairs = {pair for line in chain.levels for pair in itertools.pairwise(line)}
    walked, seen, uncut = (np.zeros(len(number), bool) for _ in range(3))
    for state, i in number.items():
        if not state:
            continue
        here = state
        for slice_ in piece:
            if (slice_,) not in chain.transitions.get(here, ()):
                break
            here = chain.after(here, (slice_,))
        else:
            walked[i] = True
        seen[i] = (state[-1], piece[0]) in pairs
        uncut[i] = not ends.cuts(slices[state[-1]], slices[piece[0]])
    return [walked, seen, uncut]


def _rooms(given: np.ndarray, widest: int, chain: Chain) -> np.ndarray:
    """How wide a pattern may be at each column: up to the next fixed slice or the end."""
    rooms = np.zeros(len(given), np.int32)
    for column in range(len(given) - 2, -1, -1):
        rooms[column] = 0 if given[column] >= 0 else min(rooms[column + 1] + 1, widest)
    if given[0] < 0 and rooms[0] < chain.history:
        raise LevelError(
            f"the first fixed piece leaves {rooms[0]} free columns at the start; a chain with "
            f"{chain.history} slices of history needs none or at least {chain.history}"
        )
    return rooms


def _seams(chain: Chain, given: np.ndarray, slices: int) -> dict[str, np.ndarray]:
    """[row of the column, slice]: did the corpus ever put the fixed piece after that slice?"""
    pairs = {pair for line in chain.levels for pair in itertools.pairwise(line)}
    begins = [c for c in range(1, len(given) - 1) if given[c] >= 0 and given[c - 1] < 0]
    row = np.zeros(len(given), np.int32)
    found = np.ones((len(begins) + 1, slices), np.int8)
    for i, column in enumerate(begins, 1):
        row[column] = i
        found[i] = [(before, int(given[column])) in pairs for before in range(slices)]
    return {"seam": found, "seam_row": row}


def _states_after(
    chain: Chain, number: dict[State, int], given: np.ndarray, slices: tuple[str, ...]
) -> np.ndarray:
    """The chain's state at each column if the slices before it are fixed.

    If the corpus never had these two slices in a row, the chain goes on from the state that looks
    most alike: the same last slice, or the one with the most tiles in common.
    """
    found = np.full(len(given), number[()], np.int32)
    known: dict[tuple[int, ...], int] = {}
    for column in range(1, len(given)):
        if given[column - 1] >= 0 and (column == len(given) - 1 or given[column] < 0):
            line = tuple(int(i) for i in given[max(0, column - chain.history) : column])
            if line not in known:
                known[line] = _nearest(chain, number, line, slices)
            found[column] = known[line]
    return found


def _nearest(
    chain: Chain, number: dict[State, int], line: tuple[int, ...], slices: tuple[str, ...]
) -> int:
    if line in number:
        return number[line]

    def alike(state: State) -> int:
        """Tiles in common, those of the last slice before all others."""
        total = 0
        for back, (a, b) in enumerate(zip(reversed(state), reversed(line), strict=False)):
            same = sum(x == y for x, y in zip(slices[a], slices[b], strict=True)) if b >= 0 else 0
            total += same * (100 if back == 0 else 1)
        return total

    return number[max((s for s in chain.transitions if s), key=lambda s: (alike(s), s))]
