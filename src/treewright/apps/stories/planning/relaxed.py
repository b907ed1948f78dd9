"""How far a wish is at least: nothing that was made true is ever taken back.

Each fluent has the set of values that it can have by now, as bits of a mask (numbers from -16 up,
entities by their number, the last bit for what is unknown).  An action whose condition can hold
in some choice of these values happens; each round of actions is one step.  What is believed in
other worlds is taken to be as an action needs it, so that the count is never too high.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.stories.planning.places import (
    AT_CLAUSE,
    AT_CLAUSE_START,
    AT_CONDITION_START,
    AT_DONE,
    AT_EFFECT_START,
    AT_HIGH,
    AT_LOW,
    AT_MASK,
    AT_NEXT_MASK,
    AT_OWNER,
    AT_PLAIN,
    AT_PRE,
    AT_SHIFT,
    AT_SOLO,
    AT_UTILITY,
)
from treewright.apps.stories.planning.problem import UNKNOWN
from treewright.apps.stories.planning.tables import (
    ACTIONS,
    ADD,
    AND,
    CHARACTERS,
    CHOOSE,
    COMPARE,
    END,
    FLUENTS,
    LITERAL,
    MULTIPLY,
    OR,
    PUSH,
    READ,
    SUBTRACT,
)
from treewright.library.domain import apart, lowest_bit

NEVER = 99
BITS = 61  # the highest value
UNSURE = 62  # the bit of what is unknown
KNOWN = (1 << UNSURE) - 1
FAR = 1e6


def bit(value, shift):
    if value == UNKNOWN:
        return int64(1) << UNSURE
    return int64(1) << min(max(value + shift, 0), BITS)


def least(mask, shift):
    mask &= KNOWN
    if mask == 0:
        return FAR
    found = lowest_bit(mask)
    return float(found - shift) if found > 0 or shift == 0 else -FAR  # the lowest bit: or less


def most(mask, shift):
    mask &= KNOWN
    if mask == 0:
        return -FAR
    found = -1
    while mask != 0:  # a loop of known length would be copied out 62 times by the compiler
        mask >>= 1
        found += 1
    return float(found - shift) if found < BITS else FAR  # the highest bit: or more


def can_be(t, o, x, i, opposite):
    """Whether a literal (or its opposite) can hold."""
    sign = t.rows[i, 4]
    if opposite:
        sign = sign ^ 1 if sign < 2 else 7 - sign  # > and <=, >= and <
    if t.rows[i, 1] >= 0 and t.rows[i, 1] != t.flat[AT_OWNER + x]:
        return True
    f = int64(t.rows[i, 3])
    mask = t.own[AT_MASK + f]
    shift = t.flat[AT_SHIFT + f]
    if t.rows[i, 0] == 1:
        if t.rows[i, 6] >= 0 and t.rows[i, 6] != t.flat[AT_OWNER + x]:
            return True
        other = t.own[AT_MASK + t.rows[i, 5]]
        if sign == 0:
            return mask & other != 0
        if sign == 1:
            return mask != other or mask & (mask - 1) != 0
        return in_order(
            sign, least(mask, shift), most(mask, shift), least(other, shift), most(other, shift)
        )
    value = int64(t.rows[i, 5])
    if sign == 0:
        return mask & bit(value, shift) != 0
    if sign == 1:
        return mask & ~bit(value, shift) != 0
    return in_order(sign, least(mask, shift), most(mask, shift), float(value), float(value))


def in_order(sign, low, high, other_low, other_high):
    """Whether some numbers of two ranges compare as the sign says."""
    if sign == 0:
        return low <= other_high and other_low <= high
    if sign == 1:
        return low != high or other_low != other_high or low != other_low
    if sign == 2:
        return high > other_low
    if sign == 3:
        return high >= other_low
    if sign == 4:
        return low < other_high
    return low <= other_high


@apart
def bounds(t, o, x, at):
    """Run a program on ranges; the result is in t.real[AT_LOW + 0] and t.real[AT_HIGH + 0]."""
    top = 0
    op = t.quads[at, 0]
    while op != END:
        a = int64(t.quads[at, 1])
        if op == PUSH:
            t.real[AT_LOW + top] = a
            t.real[AT_HIGH + top] = a
            top += 1
        elif op == READ:
            if t.quads[at, 2] >= 0 and t.quads[at, 2] != t.flat[AT_OWNER + x]:
                t.real[AT_LOW + top] = -FAR
                t.real[AT_HIGH + top] = FAR
            else:
                t.real[AT_LOW + top] = least(t.own[AT_MASK + a], t.flat[AT_SHIFT + a])
                t.real[AT_HIGH + top] = most(t.own[AT_MASK + a], t.flat[AT_SHIFT + a])
            top += 1
        elif op == LITERAL:
            t.real[AT_LOW + top] = 0.0 if can_be(t, o, x, a, True) else 1.0
            t.real[AT_HIGH + top] = 1.0 if can_be(t, o, x, a, False) else 0.0
            top += 1
        elif op == CHOOSE:
            top -= 2
            if t.real[AT_LOW + top - 1] > 0.0:
                t.real[AT_LOW + top - 1] = t.real[AT_LOW + top]
                t.real[AT_HIGH + top - 1] = t.real[AT_HIGH + top]
            elif t.real[AT_HIGH + top - 1] <= 0.0:
                t.real[AT_LOW + top - 1] = t.real[AT_LOW + top + 1]
                t.real[AT_HIGH + top - 1] = t.real[AT_HIGH + top + 1]
            else:
                t.real[AT_LOW + top - 1] = min(t.real[AT_LOW + top], t.real[AT_LOW + top + 1])
                t.real[AT_HIGH + top - 1] = max(t.real[AT_HIGH + top], t.real[AT_HIGH + top + 1])
        else:
            top -= 1
            combine(t, top, op, a)
        at += 1
        op = t.quads[at, 0]


def combine(t, top, op, a):
    """One step of arithmetic on the last two ranges."""
    l0 = t.real[AT_LOW + top - 1]
    h0 = t.real[AT_HIGH + top - 1]
    l1 = t.real[AT_LOW + top]
    h1 = t.real[AT_HIGH + top]
    if op == COMPARE:
        against = a ^ 1 if a < 2 else 7 - a
        t.real[AT_LOW + top - 1] = 0.0 if in_order(against, l0, h0, l1, h1) else 1.0
        t.real[AT_HIGH + top - 1] = 1.0 if in_order(a, l0, h0, l1, h1) else 0.0
    elif op == AND:
        t.real[AT_LOW + top - 1] = min(l0, l1)
        t.real[AT_HIGH + top - 1] = min(h0, h1)
    elif op == OR:
        t.real[AT_LOW + top - 1] = max(l0, l1)
        t.real[AT_HIGH + top - 1] = max(h0, h1)
    elif op == ADD:
        t.real[AT_LOW + top - 1] = l0 + l1
        t.real[AT_HIGH + top - 1] = h0 + h1
    elif op == SUBTRACT:
        t.real[AT_LOW + top - 1] = l0 - h1
        t.real[AT_HIGH + top - 1] = h0 - l1
    elif op == MULTIPLY:
        t.real[AT_LOW + top - 1] = min(min(l0 * l1, l0 * h1), min(h0 * l1, h0 * h1))
        t.real[AT_HIGH + top - 1] = max(max(l0 * l1, l0 * h1), max(h0 * l1, h0 * h1))
    else:
        t.real[AT_LOW + top - 1] = -FAR
        t.real[AT_HIGH + top - 1] = FAR


@apart
def can_hold(t, o, x, condition):
    for k in range(
        t.flat[AT_CONDITION_START + condition], t.flat[AT_CONDITION_START + condition + 1]
    ):
        good = True
        for j in range(t.flat[AT_CLAUSE_START + k], t.flat[AT_CLAUSE_START + k + 1]):
            i = int64(t.flat[AT_CLAUSE + j])
            if t.rows[i, 0] < 2:
                if not can_be(t, o, x, i, False):
                    good = False
                    break
            else:
                bounds(t, o, x, int64(t.rows[i, 5]))
                l0 = t.real[AT_LOW + 0]
                h0 = t.real[AT_HIGH + 0]
                bounds(t, o, x, int64(t.rows[i, 6]))
                if not in_order(t.rows[i, 4], l0, h0, t.real[AT_LOW + 0], t.real[AT_HIGH + 0]):
                    good = False
                    break
        if good:
            return True
    return False


@apart
def add_effects(t, o, x, event):
    """The values that an event can give, into t.next_mask; whether any is new."""
    new = False
    for e in range(t.flat[AT_EFFECT_START + event], t.flat[AT_EFFECT_START + event + 1]):
        p = t.rows[e, 1]
        if p >= 0 and (p != t.flat[AT_OWNER + x] or t.rows[e, 2] >= 0):
            continue
        if t.rows[e, 0] >= 0 and not can_hold(t, o, x, int64(t.rows[e, 0])):
            continue
        f = int64(t.rows[e, 3])
        a = int64(t.rows[e, 5])
        if t.rows[e, 4] == 0:
            found = bit(a, t.flat[AT_SHIFT + f])
        elif t.rows[e, 4] == 1:
            found = t.own[AT_MASK + a]
        else:
            bounds(t, o, x, a)
            low = int64(max(t.real[AT_LOW + 0], -16.0))
            high = int64(min(t.real[AT_HIGH + 0], 45.0))
            found = int64(0)
            for value in range(low, high + 1):
                found |= bit(value, t.flat[AT_SHIFT + f])
        if t.own[AT_NEXT_MASK + f] | found != t.own[AT_NEXT_MASK + f]:
            t.own[AT_NEXT_MASK + f] |= found
            new = True
    return new


def adopt(t):
    for f in range(t.flat[FLUENTS]):
        t.own[AT_MASK + f] = t.own[AT_NEXT_MASK + f]


@apart
def relaxed(t, o, x, who, wanted, above, longest):
    """Steps until a utility of ``wanted`` (or more than that, with ``above``) can be thought of.

    A character has the actions that anybody consents to, the author has all.  More than
    ``longest`` steps are NEVER.
    """
    fluents = t.flat[FLUENTS]
    for f in range(fluents):
        t.own[AT_MASK + f] = bit(int64(t.pool[o + x * fluents + f]), t.flat[AT_SHIFT + f])
        t.own[AT_NEXT_MASK + f] = t.own[AT_MASK + f]
    for a in range(t.flat[ACTIONS]):
        t.own[AT_DONE + a] = 0
    author = t.flat[CHARACTERS]
    for step in range(longest + 1):
        pulled = True
        while pulled:
            pulled = False
            for i in range(1, t.flat[AT_PLAIN + 0] + 1):
                event = int64(t.flat[AT_PLAIN + i])
                if can_hold(t, o, x, int64(t.flat[AT_PRE + event])):
                    pulled = add_effects(t, o, x, event) or pulled
            adopt(t)
        bounds(t, o, x, int64(t.flat[AT_UTILITY + who]))
        if t.real[AT_HIGH + 0] > wanted or (t.real[AT_HIGH + 0] == wanted and not above):
            return step
        if step == longest:
            return NEVER
        new = False
        for a in range(t.flat[ACTIONS]):
            if t.own[AT_DONE + a] == 1:
                continue
            if who != author and t.flat[AT_SOLO + a] == -1:
                continue
            if t.own[AT_DONE + a] == 0 and not can_hold(t, o, x, int64(t.flat[AT_PRE + a])):
                continue
            t.own[AT_DONE + a] = 1 if fixed(t, a) else 2
            new = add_effects(t, o, x, a) or new
        if not new:
            return NEVER
        adopt(t)
    return NEVER


def fixed(t, a):
    """Whether an action can do no more later than when it first can happen."""
    for e in range(t.flat[AT_EFFECT_START + a], t.flat[AT_EFFECT_START + a + 1]):
        if t.rows[e, 0] >= 0 or t.rows[e, 4] != 0:
            return False
    return True
