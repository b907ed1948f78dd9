"""The domain of narrative planning: the author's next action, of those that are explained.

The state is the worlds.  What explanations take while they are searched for, and what is remembered
of them, are tables that the compiled code writes; none of it changes what a function returns, but
two workers must not share an instance.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np
from numpy import float64, int16, int64

from treewright.apps.stories.planning.motives import FIRST, TRIAL, explained
from treewright.apps.stories.planning.places import (
    AT_CONSENTS,
    AT_PRE,
    AT_RULE_START,
    AT_START,
    AT_WEIGHTS,
    MOST_ACTIONS,
    OWN_SIZE,
    REAL_SIZE,
    WIDE,
)
from treewright.apps.stories.planning.problem import Problem
from treewright.apps.stories.planning.relaxed import relaxed
from treewright.apps.stories.planning.tables import (
    ACTIONS,
    AUTHOR_LIMIT,
    CHARACTER_LIMIT,
    CHARACTERS,
    FULL,
    GOAL,
    MADE,
    NODES,
    PARTLY,
    PARTS,
    STRIDE,
    UNEXPLAINED,
    Worlds,
    tables,
)
from treewright.apps.stories.planning.worlds import (
    begin_worlds,
    copy_worlds,
    happens,
    hash_worlds,
    holds,
    number,
    possible,
    utility,
)
from treewright.apps.stories.source import StoryError
from treewright.library.domain import Domain, record

SIZES = (2560, 8192, 32768)  # numbers in a state: one kernel for each


def put(s, t):
    """The state's worlds to where they are worked on."""
    for i in range(t.flat[STRIDE]):
        t.pool[i] = s.worlds[i]


def keep(s, t):
    for i in range(t.flat[STRIDE]):
        s.worlds[i] = t.pool[i]


def open_actions(s, t, out):
    """What is possible and believable; t.weights has how much so and how near to the goal.

    Where only the whole goal counts, what leads too far from it is left out.  Most of it is never
    tried, so that reasons are asked for only when an action is played.
    """
    put(s, t)
    t.own[NODES] += 1
    n = 0
    trial = TRIAL * t.flat[STRIDE]
    author = t.flat[CHARACTERS]
    left = t.flat[AUTHOR_LIMIT] - s.length - 1
    for a in range(t.flat[ACTIONS]):
        if not happens_at_all(t, a):
            continue
        b = believed(t, a)
        if b <= 0.0:
            continue
        copy_worlds(t, 0, trial, 0)
        happens(t, trial, 0, a)
        t.own[MADE] += 1
        h = 0
        if utility(t, trial, 0, author) < t.flat[GOAL]:
            h = relaxed(t, trial, 0, author, float(t.flat[GOAL]), False, left)
            if h > left and t.flat[FULL] == 0:
                continue
        out[n] = a
        t.real[AT_WEIGHTS + n] = b / (1.0 + h) ** 2
        n += 1
    return n


def consented(t, x, a):
    """Whether all who take part in an action have a reason, in the story's own world."""
    for c in range(t.flat[CHARACTERS]):
        if t.flat[AT_CONSENTS + WIDE * a + c] and not explained(
            t, 0, x, c, a, int64(t.flat[CHARACTER_LIMIT]), int64(1), 1
        ):
            return False
    return True


def happens_at_all(t, a):
    """Whether an action can happen; those who take part must think so too, or it has no reason."""
    if t.flat[UNEXPLAINED] > 0:
        return holds(t, 0, 0, t.flat[AT_PRE + a])
    return possible(t, 0, 0, a)


def believed(t, a):
    """How believable an action is by the table of a library, whatever its reasons."""
    b = 1.0
    for i in range(t.flat[AT_RULE_START + a], t.flat[AT_RULE_START + a + 1]):
        if number(t, 0, 0, int64(t.quads[i, 0])) != 0.0:
            value = t.quads[i, 2] / PARTS
            b = b * value if t.quads[i, 1] else value
    return min(1.0, b)


def reasons(t, a):
    """What the reasons of those who consent to an action make of its believability."""
    asked = 0
    met = 0
    for c in range(t.flat[CHARACTERS]):
        if t.flat[AT_CONSENTS + WIDE * a + c]:
            asked += 1
            if explained(t, 0, 0, c, a, int64(t.flat[CHARACTER_LIMIT]), int64(1), 1):
                met += 1
    if met == asked:
        return 1.0
    return t.flat[PARTLY if met > 0 else UNEXPLAINED] / PARTS


def share(t, reached):
    """How much of what the author wishes is there; nothing but all, unless parts count."""
    if reached >= t.flat[GOAL]:
        return 1.0
    return reached / t.flat[FULL] if t.flat[FULL] > 0 else 0.0


class Telling(Domain):
    """One action at a time until the author's utility is high enough or the story is too long.

    Actions multiply the believability.  A story that does all that is asked is worth more than
    half a point; what is hoped of the others is worth less.
    """

    players = 1
    max_actions = MOST_ACTIONS
    max_length = 64

    def start(s, t):
        begin_worlds(t)
        keep(s, t)
        s.reached = utility(t, 0, 0, t.flat[CHARACTERS])
        s.believability = 1.0

    def legal(s, t, out):
        n = open_actions(s, t, out)
        if n == 0:
            out[0] = t.flat[ACTIONS]
            n = 1
        return n

    def legal_weights(s, t, out, weights):
        n = open_actions(s, t, out)
        for i in range(n):
            weights[i] = t.real[AT_WEIGHTS + i]
        if n == 0:
            out[0] = t.flat[ACTIONS]
            weights[0] = 1.0
            n = 1
        return n

    def weight(s, t, action):
        return 1.0

    def play(s, t, action):
        s.length += 1
        if action == t.flat[ACTIONS]:
            s.over = 1
            return
        put(s, t)
        s.believability *= believed(t, int64(action)) * reasons(t, int64(action))
        if s.believability <= 0.0:
            s.over = 1
            return
        happens(t, 0, 0, int64(action))
        keep(s, t)
        s.reached = utility(t, 0, 0, t.flat[CHARACTERS])

    def ended(s, t):
        return s.over == 1 or s.reached >= t.flat[GOAL] or s.length >= t.flat[AUTHOR_LIMIT]

    def rewards(s, t, out):
        out[0] = s.believability * share(t, s.reached) / 2.0
        if s.reached >= t.flat[GOAL]:
            out[0] += 0.5

    def value(s, t, out):
        author = t.flat[CHARACTERS]
        left = t.flat[AUTHOR_LIMIT] - s.length
        out[0] = s.believability * share(t, s.reached) / 2.0
        if s.reached >= t.flat[GOAL]:
            out[0] += 0.5
        elif s.over == 0:
            put(s, t)
            h = relaxed(t, 0, 0, author, float(t.flat[GOAL]), False, left)
            if h <= left:
                out[0] = max(out[0], s.believability * 0.45 / (1.0 + h))

    def key(s, t):
        put(s, t)
        return hash_worlds(t, 0, 0, s.length)

    def describe(s, action):
        return str(action)


class _Sized(Telling):
    def __init__(self, made: dict[str, np.ndarray], own: dict[str, np.ndarray], size: int) -> None:
        self.state = record(
            worlds=(int16, size),
            length=int64,
            over=int64,
            reached=float64,
            believability=float64,
        )
        super().__init__(tables=made | own)
        self.tables.update(own)  # these are written


def planning_domain(
    problem: Problem,
    goal: int,
    author: int,
    character: int,
    layers: int,
    start: np.ndarray | None = None,
) -> tuple[Domain, Worlds]:
    """The domain of a problem with its limits, and its tree of worlds.

    ``start``: other worlds than the problem's to begin with.
    """
    made, worlds = tables(problem, goal, author, character, layers)
    stride = int(made["flat"][STRIDE])
    if start is not None:
        made["flat"][AT_START : AT_START + stride] = start
    size = next((n for n in SIZES if stride <= n), 0)
    if not size or len(problem.actions) >= MOST_ACTIONS:
        raise StoryError(
            f"{problem.name}: {len(worlds.paths)} worlds of {len(problem.fluents)} properties "
            f"and {len(problem.actions)} actions are too many; use fewer layers of belief"
        )
    copies = FIRST + character + layers + 5
    own: dict[str, np.ndarray] = {
        "own": np.zeros(OWN_SIZE, np.int64),
        "real": np.zeros(REAL_SIZE),
        "pool": np.zeros(stride * copies, np.int16),
    }
    return _Sized(made, own, size), worlds
