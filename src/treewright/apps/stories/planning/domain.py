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
    GOAL,
    NODES,
    STRIDE,
    Worlds,
    tables,
)
from treewright.apps.stories.planning.worlds import (
    begin_worlds,
    copy_worlds,
    happens,
    hash_worlds,
    possible,
    utility,
)
from treewright.apps.stories.source import StoryError
from treewright.library.domain import Domain, record

SIZES = (2560, 32768)  # numbers in a state: one kernel for each


def put(s, t):
    """The state's worlds to where they are worked on."""
    for i in range(t.flat[STRIDE]):
        t.pool[i] = s.worlds[i]


def keep(s, t):
    for i in range(t.flat[STRIDE]):
        s.worlds[i] = t.pool[i]


def open_actions(s, t, out):
    """What is possible, explained and not too far from the goal; t.weights has how near."""
    put(s, t)
    n = 0
    trial = TRIAL * t.flat[STRIDE]
    author = t.flat[CHARACTERS]
    left = t.flat[AUTHOR_LIMIT] - s.length - 1
    for a in range(t.flat[ACTIONS]):
        if not possible(t, 0, 0, a):
            continue
        copy_worlds(t, 0, trial, 0)
        happens(t, trial, 0, a)
        t.own[NODES] += 1
        h = 0
        if utility(t, trial, 0, author) < t.flat[GOAL]:
            h = relaxed(t, trial, 0, author, float(t.flat[GOAL]), False, left)
            if h > left:
                continue
        if consented(t, 0, a):
            out[n] = a
            t.real[AT_WEIGHTS + n] = 1.0 / (1.0 + h) ** 2
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


class Telling(Domain):
    """One action at a time until the author's utility is high enough or the story is too long."""

    players = 1
    max_actions = MOST_ACTIONS
    max_length = 64

    def start(s, t):
        begin_worlds(t)
        keep(s, t)
        s.reached = utility(t, 0, 0, t.flat[CHARACTERS])

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
        happens(t, 0, 0, int64(action))
        keep(s, t)
        s.reached = utility(t, 0, 0, t.flat[CHARACTERS])

    def ended(s, t):
        return s.over == 1 or s.reached >= t.flat[GOAL] or s.length >= t.flat[AUTHOR_LIMIT]

    def rewards(s, t, out):
        if s.reached >= t.flat[GOAL]:
            out[0] = 1.0

    def value(s, t, out):
        author = t.flat[CHARACTERS]
        left = t.flat[AUTHOR_LIMIT] - s.length
        if s.reached >= t.flat[GOAL]:
            out[0] = 1.0
        else:
            put(s, t)
            h = relaxed(t, 0, 0, author, float(t.flat[GOAL]), False, left)
            out[0] = 0.0 if h > left else 0.9 / (1.0 + h)

    def key(s, t):
        put(s, t)
        return hash_worlds(t, 0, 0, s.length)

    def describe(s, action):
        return str(action)


class _Sized(Telling):
    def __init__(self, made: dict[str, np.ndarray], own: dict[str, np.ndarray], size: int) -> None:
        self.state = record(worlds=(int16, size), length=int64, over=int64, reached=float64)
        super().__init__(tables=made | own)
        self.tables.update(own)  # these are written


def planning_domain(
    problem: Problem, goal: int, author: int, character: int, layers: int
) -> tuple[Domain, Worlds]:
    """The domain of a problem with its limits, and its tree of worlds."""
    made, worlds = tables(problem, goal, author, character, layers)
    stride = int(made["flat"][STRIDE])
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
