"""Why a character would do a thing: a plan of its own, in the world that it believes in.

An action is explained for a character who consents to it if, in the world as that character
believes it to be, a plan that begins with the action can be carried out, raises the character's
utility, has no needless action, and asks of nobody else what that one has no reason to do.  The
last is the same question one layer of belief deeper, with what is left of the plan's length; beyond
the deepest layer others do only what pays for them at once.

The search is depth-first with growing bounds, cut where even the relaxed distance is too long.  It
calls itself through a stack of frames: a frame is the worlds after one more action of
the plan that is tried.  Answers are remembered by what they depend on, and
apart from them, since there are many more, the beginnings from which no plan leads on.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64, uint64

from treewright.apps.stories.planning.places import (
    AT_CHILD,
    AT_CONSENTS,
    AT_DEAD,
    AT_FOUND_PLAN,
    AT_FRAME_ACTION,
    AT_FRAME_BASE,
    AT_FRAME_BEGUN,
    AT_FRAME_BOUND,
    AT_FRAME_KEY,
    AT_FRAME_LAYER,
    AT_FRAME_LENGTH,
    AT_FRAME_LONGEST,
    AT_FRAME_NEXT,
    AT_FRAME_NODE,
    AT_FRAME_RAISED,
    AT_FRAME_REJECTED,
    AT_FRAME_SINCE,
    AT_FRAME_WAITING,
    AT_FRAME_WHO,
    AT_HOPED,
    AT_MEMORY,
    AT_SIZE,
    AT_SOLO,
    FRAMES,
    MEMO,
    WIDE,
)
from treewright.apps.stories.planning.relaxed import relaxed
from treewright.apps.stories.planning.tables import (
    ACTIONS,
    CHARACTERS,
    FLUENTS,
    FOUND,
    LAYERS,
    MADE,
    NODES,
    STRIDE,
    TOP,
)
from treewright.apps.stories.planning.worlds import (
    copy_worlds,
    happens,
    hash_worlds,
    possible,
    utility,
)
from treewright.library.domain import apart, hashed

TRIAL = 2  # the copy of the worlds for trials
FIRST = 3  # the copy of the first frame
REJECTED = 40  # plans with a needless action before an explanation is given up
PATIENCE = 20000  # steps of one explanation before it is given up


def remembered(t, where, key):
    """0 or 1 if the answer is known, else -1."""
    found = t.own[where + (key & (MEMO - 1))]
    return int64(found & 1) if found | 1 == key | 1 else int64(-1)


def remember(t, where, key, answer):
    t.own[where + (key & (MEMO - 1))] = (key | 1) ^ (1 - answer)


def question(t, o, x, a, b, c, d):
    """A key for what is asked about the worlds from ``x`` on."""
    h = uint64(hash_worlds(t, o, x, x))
    return int64(hashed(hashed(h, uint64(a * 64 + b)), uint64(c * 256 + d)) >> uint64(2))


@apart
def enter(t, o, x, c, a, longest, layer, ask):
    """Begin to explain an action that happens in world ``x``; 0 or 1 if that is decided at once."""
    r = int64(t.flat[AT_CHILD + WIDE * x + c])
    if layer > t.flat[LAYERS] + 1 or not possible(t, o, r, a):
        return int64(0)
    key = question(t, o, r, a, c, longest, layer)
    if ask:
        known = remembered(t, AT_MEMORY, key)
        if known >= 0:
            return known
    k = t.own[TOP] + 1
    here = (FIRST + k) * t.flat[STRIDE]
    copy_worlds(t, o, here, r)
    t.real[AT_HOPED + k] = utility(t, o, r, c)
    happens(t, here, r, a)
    t.own[MADE] += 1
    t.own[AT_FRAME_ACTION + k] = a
    t.own[AT_FRAME_BEGUN + k] = k
    t.own[AT_FRAME_LENGTH + k] = 1
    if utility(t, here, r, c) > t.real[AT_HOPED + k]:
        remember(t, AT_MEMORY, key, 1)
        found_plan(t, k, k)
        return int64(1)
    if layer > t.flat[LAYERS]:  # what is gained at once needs no thought
        remember(t, AT_MEMORY, key, 0)
        return int64(0)
    h = relaxed(t, here, r, c, t.real[AT_HOPED + k], True, longest - 1)
    if 1 + h > longest:
        remember(t, AT_MEMORY, key, 0)
        return int64(0)
    t.own[AT_FRAME_KEY + k] = key
    t.own[AT_FRAME_BASE + k] = o
    t.own[AT_FRAME_NODE + k] = r
    t.own[AT_FRAME_WHO + k] = c
    t.own[AT_FRAME_LAYER + k] = layer
    t.own[AT_FRAME_BOUND + k] = 1 + h
    t.own[AT_FRAME_LONGEST + k] = longest
    t.own[AT_FRAME_WAITING + k] = t.flat[CHARACTERS]
    t.own[AT_FRAME_NEXT + k] = 0
    t.own[AT_FRAME_RAISED + k] = 0
    t.own[AT_FRAME_REJECTED + k] = 0
    t.own[AT_FRAME_SINCE + k] = t.own[MADE]
    t.own[TOP] = k
    return int64(-1)


def found_plan(t, first, last):
    """Keep the plan of the explanation that was asked for from outside."""
    if first == 0:
        t.own[FOUND] = last - first + 1
        for i in range(first, last + 1):
            t.own[AT_FOUND_PLAN + i - first] = t.own[AT_FRAME_ACTION + i]


@apart
def explained(t, o, x, c, a, longest, layer, ask):
    """Whether an action that happens in world ``x`` is explained for a character.

    ``ask``: 0 to search even if the answer is remembered, so that the plan is found again.
    """
    t.own[TOP] = -1
    answer = enter(t, o, x, c, a, longest, layer, ask)
    while t.own[TOP] >= 0:
        k = t.own[TOP]
        if answer >= 0:  # of somebody whose consent the last action of this frame needs
            if answer == 0:
                t.own[TOP] -= 1
            else:
                t.own[AT_FRAME_WAITING + k] += 1
            answer = int64(-1)
            continue
        if t.own[AT_FRAME_WAITING + k] < t.flat[CHARACTERS]:
            other = t.own[AT_FRAME_WAITING + k]
            if (
                t.flat[AT_CONSENTS + WIDE * t.own[AT_FRAME_ACTION + k] + other] == 0
                or other == t.own[AT_FRAME_WHO + t.own[AT_FRAME_BEGUN + k]]
            ):
                t.own[AT_FRAME_WAITING + k] += 1
            else:
                first = t.own[AT_FRAME_BEGUN + k]
                left = t.own[AT_FRAME_LONGEST + first] - t.own[AT_FRAME_LENGTH + k] + 1
                answer = enter(
                    t,
                    (FIRST + k - 1) * t.flat[STRIDE],
                    int64(t.own[AT_FRAME_NODE + first]),
                    int64(other),
                    int64(t.own[AT_FRAME_ACTION + k]),
                    left,
                    t.own[AT_FRAME_LAYER + first] + 1,
                    1,
                )
            continue
        answer = forward(t, k)
    return answer


@apart
def forward(t, k):
    """One step of the frame on top: see whether the plan is done, or try another action."""
    first = int64(t.own[AT_FRAME_BEGUN + k])
    r = int64(t.own[AT_FRAME_NODE + first])
    c = int64(t.own[AT_FRAME_WHO + first])
    here = (FIRST + k) * t.flat[STRIDE]
    if t.own[AT_FRAME_NEXT + k] < 0:
        t.own[AT_FRAME_NEXT + k] = 0
        reached = utility(t, here, r, c)
        if reached > t.real[AT_HOPED + first]:
            if needed(t, first, k, reached):
                remember(t, AT_MEMORY, t.own[AT_FRAME_KEY + first], 1)
                found_plan(t, first, k)
                t.own[TOP] = first - 1
                return int64(1)
            t.own[AT_FRAME_REJECTED + first] += 1
            for i in range(first, k):
                t.own[AT_FRAME_RAISED + i] = 1
            t.own[TOP] = k - 1
            return int64(-1)
        if t.own[AT_FRAME_LENGTH + k] >= t.own[AT_FRAME_BOUND + first]:
            t.own[TOP] = k - 1
            return int64(-1)
    tired = (
        t.own[AT_FRAME_REJECTED + first] > REJECTED
        or t.own[MADE] - t.own[AT_FRAME_SINCE + first] > PATIENCE
    )
    if not tired:
        if t.own[AT_FRAME_NEXT + k] == 0:
            t.own[NODES] += 1
        while t.own[AT_FRAME_NEXT + k] < t.flat[ACTIONS]:
            a = int64(t.own[AT_FRAME_NEXT + k])
            t.own[AT_FRAME_NEXT + k] += 1
            if try_action(t, first, k, a):
                return int64(-1)
    if k > first:
        if t.own[AT_FRAME_RAISED + k] == 0 and not tired:
            remember(t, AT_DEAD, dead(t, first, k), 1)
        t.own[TOP] = k - 1
        return int64(-1)
    if t.own[AT_FRAME_BOUND + first] < t.own[AT_FRAME_LONGEST + first] and not tired:
        t.own[AT_FRAME_BOUND + first] += 1
        t.own[AT_FRAME_NEXT + first] = 0
        return int64(-1)
    remember(t, AT_MEMORY, t.own[AT_FRAME_KEY + first], 0)
    t.own[TOP] = first - 1
    return int64(0)


def dead(t, first, k):
    """The key of "from here no plan raises the utility in what is left of the bound"."""
    here = (FIRST + k) * t.flat[STRIDE]
    left = t.own[AT_FRAME_BOUND + first] - t.own[AT_FRAME_LENGTH + k]
    about = int64(t.real[AT_HOPED + first] * 16.0) & 0xFFFF
    r = int64(t.own[AT_FRAME_NODE + first])
    return question(
        t,
        here,
        r,
        about + 70000,
        int64(t.own[AT_FRAME_WHO + first]),
        left,
        t.own[AT_FRAME_LAYER + first],
    )


@apart
def try_action(t, first, k, a):
    """Add an action to the plan if it can be done and does not lead too far."""
    c = int64(t.own[AT_FRAME_WHO + first])
    r = int64(t.own[AT_FRAME_NODE + first])
    solo = t.flat[AT_SOLO + a]
    if solo == -1:
        return False
    here = (FIRST + k) * t.flat[STRIDE]
    if k + 2 >= FRAMES or not possible(t, here, r, a):
        return False
    n = k + 1
    there = (FIRST + n) * t.flat[STRIDE]
    copy_worlds(t, here, there, r)
    happens(t, there, r, a)
    t.own[MADE] += 1
    if same(t, here, there, r):
        return False
    t.own[AT_FRAME_BEGUN + n] = first
    t.own[AT_FRAME_LENGTH + n] = t.own[AT_FRAME_LENGTH + k] + 1
    t.own[AT_FRAME_ACTION + n] = a
    if utility(t, there, r, c) <= t.real[AT_HOPED + first]:
        left = t.own[AT_FRAME_BOUND + first] - t.own[AT_FRAME_LENGTH + n]
        if left <= 0:
            return False
        if remembered(t, AT_DEAD, dead(t, first, n)) >= 0:
            return False
        if relaxed(t, there, r, c, t.real[AT_HOPED + first], True, left) > left:
            return False
    t.own[AT_FRAME_WAITING + n] = 0 if solo != c else t.flat[CHARACTERS]
    t.own[AT_FRAME_NEXT + n] = -1
    t.own[AT_FRAME_RAISED + n] = 0
    t.own[TOP] = n
    return True


def same(t, o, other, x):
    """Whether an action changed nothing, in whatever belief."""
    fluents = t.flat[FLUENTS]
    for i in range(x * fluents, (x + t.flat[AT_SIZE + x]) * fluents):
        if t.pool[o + i] != t.pool[other + i]:
            return False
    return True


@apart
def needed(t, first, last, reached):
    """Whether no action of a plan can be left out: no part of it that is explained does as well.

    Of a part that others take part in, only what is remembered of their reasons is asked: a plan
    that could do with less may pass, until somebody has asked for the smaller one.
    """
    trial = TRIAL * t.flat[STRIDE]
    r = int64(t.own[AT_FRAME_NODE + first])
    n = last - first + 1
    for chosen in range((1 << n) - 2, 0, -1):
        copy_worlds(t, int64(t.own[AT_FRAME_BASE + first]), trial, r)
        good = True
        taken = 0
        for i in range(n):
            if chosen >> i & 1:
                a = int64(t.own[AT_FRAME_ACTION + first + i])
                if not possible(t, trial, r, a) or not meant(t, first, a, taken):
                    good = False
                    break
                happens(t, trial, r, a)
                taken += 1
        if good and utility(t, trial, r, int64(t.own[AT_FRAME_WHO + first])) >= reached:
            return False
    return True


def meant(t, first, a, taken):
    """Whether the others of an action are known to have a reason, after ``taken`` actions."""
    c = t.own[AT_FRAME_WHO + first]
    if t.flat[AT_SOLO + a] == c:
        return True
    r = int64(t.own[AT_FRAME_NODE + first])
    trial = TRIAL * t.flat[STRIDE]
    left = t.own[AT_FRAME_LONGEST + first] - taken
    layer = t.own[AT_FRAME_LAYER + first] + 1
    for other in range(t.flat[CHARACTERS]):
        if other != c and t.flat[AT_CONSENTS + WIDE * a + other]:
            y = int64(t.flat[AT_CHILD + WIDE * r + other])
            if remembered(t, AT_MEMORY, question(t, trial, y, a, other, left, layer)) != 1:
                return False
    return True
