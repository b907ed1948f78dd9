"""What happens in a world and in all that is believed in it: conditions, actions, triggers.

Worlds lie in ``t.pool``: world ``x`` of the copy that begins at ``o`` has its fluents at
``o + x * fluents``.  The first copy is the story's own state; the second is what held before an
action, the third is for trials, and the others are the steps of an explanation (motives.py).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64, uint64

from treewright.apps.stories.planning.places import (
    AT_CHANGED,
    AT_CHILD,
    AT_CLAUSE,
    AT_CLAUSE_START,
    AT_CONDITION_START,
    AT_CONSENTS,
    AT_EFFECT_START,
    AT_OBSERVING,
    AT_OWNER,
    AT_PARENT,
    AT_PENDING_AT,
    AT_PRE,
    AT_SEEN,
    AT_SIZE,
    AT_START,
    AT_UTILITY,
    AT_WATCH_START,
    PENDING,
    QUEUE,
    WIDE,
)
from treewright.apps.stories.planning.problem import UNKNOWN
from treewright.apps.stories.planning.tables import (
    ACTIONS,
    ADD,
    AND,
    CHANGES,
    CHARACTERS,
    CHOOSE,
    COMPARE,
    END,
    ENDLESS,
    FLUENTS,
    FRACTION,
    LITERAL,
    MULTIPLY,
    OR,
    PUSH,
    READ,
    STRIDE,
    SUBTRACT,
    TRIGGERS,
    TROUBLE,
)
from treewright.library.domain import apart, hashed


def below(t, x, p, q):
    """The world that is believed in: of ``p`` in ``x``, and of ``q`` in that."""
    if p >= 0:
        x = t.flat[AT_CHILD + WIDE * x + p]
        if q >= 0:
            x = t.flat[AT_CHILD + WIDE * x + q]
    return int64(x)


def read(t, o, x, p, q, f):
    return int64(t.pool[o + below(t, x, p, q) * t.flat[FLUENTS] + f])


def compare(sign, left, right):
    """Only equality says anything about what is unknown."""
    if sign == 0:
        return left == right
    if sign == 1:
        return left != right
    if left == UNKNOWN or right == UNKNOWN:
        return False
    if sign == 2:
        return left > right
    if sign == 3:
        return left >= right
    if sign == 4:
        return left < right
    return left <= right


def plain_literal(t, o, x, i):
    """A literal that compares a fluent with a number or with another."""
    left = read(t, o, x, t.rows[i, 1], t.rows[i, 2], t.rows[i, 3])
    if t.rows[i, 0] == 0:
        return compare(t.rows[i, 4], left, int64(t.rows[i, 5]))
    right = read(t, o, x, t.rows[i, 6], t.rows[i, 7], t.rows[i, 5])
    return compare(t.rows[i, 4], left, right)


@apart
def number(t, o, x, at):
    """Run a program of tables.py; what can't be known is UNKNOWN."""
    stack = t.real
    top = 0
    op = t.quads[at, 0]
    while op != END:
        a = int64(t.quads[at, 1])
        if op == PUSH:
            stack[top] = a
            top += 1
        elif op == READ:
            stack[top] = read(t, o, x, t.quads[at, 2], t.quads[at, 3], a)
            top += 1
        elif op == LITERAL:
            stack[top] = 1.0 if plain_literal(t, o, x, a) else 0.0
            top += 1
        elif op == CHOOSE:
            top -= 2
            stack[top - 1] = stack[top] if stack[top - 1] != 0.0 else stack[top + 1]
        else:
            top -= 1
            stack[top - 1] = calculate(op, a, stack[top - 1], stack[top])
        at += 1
        op = t.quads[at, 0]
    return stack[0]


def calculate(op, a, left, right):
    if op == COMPARE:
        return 1.0 if compare(a, left, right) else 0.0
    if op == AND:
        return 1.0 if left != 0.0 and right != 0.0 else 0.0
    if op == OR:
        return 1.0 if left != 0.0 or right != 0.0 else 0.0
    if left == UNKNOWN or right == UNKNOWN:
        return float(UNKNOWN)
    if op == ADD:
        return left + right
    if op == SUBTRACT:
        return left - right
    if op == MULTIPLY:
        return left * right
    if right == 0.0:
        return float(UNKNOWN)
    return left / right


def literal_holds(t, o, x, i):
    if t.rows[i, 0] < 2:
        return plain_literal(t, o, x, i)
    left = number(t, o, x, int64(t.rows[i, 5]))
    return compare(t.rows[i, 4], left, number(t, o, x, int64(t.rows[i, 6])))


def clause_holds(t, o, x, k):
    for j in range(t.flat[AT_CLAUSE_START + k], t.flat[AT_CLAUSE_START + k + 1]):
        if not literal_holds(t, o, x, int64(t.flat[AT_CLAUSE + j])):
            return False
    return True


@apart
def holds(t, o, x, condition):
    for k in range(
        t.flat[AT_CONDITION_START + condition], t.flat[AT_CONDITION_START + condition + 1]
    ):
        if clause_holds(t, o, x, k):
            return True
    return False


@apart
def possible(t, o, x, a):
    """Whether an action can happen, and all who must consent believe so."""
    if not holds(t, o, x, t.flat[AT_PRE + a]):
        return False
    for c in range(t.flat[CHARACTERS]):
        if t.flat[AT_CONSENTS + WIDE * a + c]:
            y = t.flat[AT_CHILD + WIDE * x + c]
            if y != x and not holds(t, o, y, t.flat[AT_PRE + a]):
                return False
    return True


def write(t, o, x, f, value):
    """Assign, and note the change for the triggers."""
    at = o + x * t.flat[FLUENTS] + f
    old = t.pool[at]
    if old == value:
        return
    t.pool[at] = value
    if t.own[CHANGES] >= QUEUE:
        t.own[TROUBLE] = ENDLESS
        return
    i = t.own[CHANGES]
    t.own[AT_CHANGED + 3 * i + 0] = x
    t.own[AT_CHANGED + 3 * i + 1] = f
    t.own[AT_CHANGED + 3 * i + 2] = old
    t.own[CHANGES] += 1


def effect_value(t, o, x, e):
    kind = t.rows[e, 4]
    a = int64(t.rows[e, 5])
    if kind == 0:
        return a
    if kind == 1:
        return read(t, o, x, t.rows[e, 6], t.rows[e, 7], a)
    found = number(t, o, x, a)
    if found != int64(found):
        t.own[TROUBLE] = FRACTION
    return min(max(int64(found), UNKNOWN), 20000)


def effect_world(t, x, e):
    """Where an effect takes place; -1 if that is deeper than there are worlds."""
    for j in range(1, 3):
        p = t.rows[e, j]
        if p >= 0:
            y = t.flat[AT_CHILD + WIDE * x + p]
            if y == x and t.flat[AT_OWNER + x] != p:
                return int64(-1)
            x = y
    return int64(x)


@apart
def happens(t, o, x, a):
    """An action in a world, in the beliefs of all who see it, and the triggers after it.

    Nothing, once there is trouble: the changes that were made say where it comes from.
    """
    if t.own[TROUBLE]:
        return
    t.own[CHANGES] = 0
    fluents = t.flat[FLUENTS]
    before = t.flat[STRIDE]
    end = x + t.flat[AT_SIZE + x]
    for i in range(x * fluents, end * fluents):
        t.pool[before + i] = t.pool[o + i]
    observed(t, o, x, a)
    for i in range(x, end):
        if t.own[AT_SEEN + i]:
            for e in range(t.flat[AT_EFFECT_START + a], t.flat[AT_EFFECT_START + a + 1]):
                if t.rows[e, 1] < 0 and applies(t, before, i, e):
                    write(t, o, i, int64(t.rows[e, 3]), effect_value(t, before, i, e))
    for i in range(end - 1, x - 1, -1):  # what one believes oneself, then what one is told
        if t.own[AT_SEEN + i]:
            for e in range(t.flat[AT_EFFECT_START + a], t.flat[AT_EFFECT_START + a + 1]):
                if t.rows[e, 1] >= 0 and applies(t, before, i, e):
                    y = effect_world(t, i, e)
                    if y >= 0:
                        value = effect_value(t, before, i, e)
                        write(t, o, y, int64(t.rows[e, 3]), value)
    settle(t, o, x)


def applies(t, o, x, e):
    return t.rows[e, 0] < 0 or holds(t, o, x, t.rows[e, 0])


def observed(t, o, x, a):
    """Mark the worlds in which the action takes place; who is surprised learns first."""
    before = t.flat[STRIDE]
    t.own[AT_SEEN + x] = 1
    for i in range(x + 1, x + t.flat[AT_SIZE + x]):
        above = t.flat[AT_PARENT + i]
        t.own[AT_SEEN + i] = 0
        if t.own[AT_SEEN + above] and holds(
            t, before, above, t.flat[AT_OBSERVING + WIDE * a + t.flat[AT_OWNER + i]]
        ):
            t.own[AT_SEEN + i] = 1
            if not possible(t, before, i, a):
                surprise(t, o, above, i, i, a)
                for c in range(t.flat[CHARACTERS]):
                    if (
                        t.flat[AT_CONSENTS + WIDE * a + c]
                        and c != t.flat[AT_OWNER + i]
                        and t.flat[AT_CHILD + WIDE * i + c] != i
                    ):
                        surprise(
                            t,
                            o,
                            int64(t.flat[AT_CHILD + WIDE * above + c]),
                            int64(t.flat[AT_CHILD + WIDE * i + c]),
                            i,
                            a,
                        )


@apart
def surprise(t, o, truth, belief, within, a):
    """Believe what makes an action possible, as far as it is so in the world where it happens."""
    before = t.flat[STRIDE]
    condition = t.flat[AT_PRE + a]
    for k in range(
        t.flat[AT_CONDITION_START + condition], t.flat[AT_CONDITION_START + condition + 1]
    ):
        if not clause_holds(t, before, truth, k):
            continue
        for j in range(t.flat[AT_CLAUSE_START + k], t.flat[AT_CLAUSE_START + k + 1]):
            i = int64(t.flat[AT_CLAUSE + j])
            if t.rows[i, 0] == 2 or literal_holds(t, before, belief, i):
                continue
            p = t.rows[i, 1]
            if (
                p >= 0
                and t.flat[AT_CHILD + WIDE * belief + p] == belief
                and t.flat[AT_OWNER + belief] != p
            ):
                continue
            f = int64(t.rows[i, 3])
            value = UNKNOWN
            if t.rows[i, 4] == 0:
                value = read(t, before, truth, p, t.rows[i, 2], f)
            y = below(t, belief, p, t.rows[i, 2])
            t.pool[before + y * t.flat[FLUENTS] + f] = value
            write(t, o, y, f, value)


@apart
def settle(t, o, x):
    """Let triggers fire, in every world from ``x`` on, until none applies."""
    head = 0
    while head < t.own[CHANGES] and t.own[TROUBLE] == 0:
        y = int64(t.own[AT_CHANGED + 3 * head + 0])
        f = int64(t.own[AT_CHANGED + 3 * head + 1])
        old = t.own[AT_CHANGED + 3 * head + 2]
        head += 1
        new = t.pool[o + y * t.flat[FLUENTS] + f]
        for w in range(t.flat[AT_WATCH_START + f], t.flat[AT_WATCH_START + f + 1]):
            sign = t.quads[w, 1]
            if (sign == 0 and new != t.quads[w, 2]) or (sign == 1 and old != t.quads[w, 2]):
                continue
            z = y
            fire(t, o, z, int64(t.quads[w, 0]))
            for _ in range(t.quads[w, 3]):
                if z == x:
                    break
                z = int64(t.flat[AT_PARENT + z])
                fire(t, o, z, int64(t.quads[w, 0]))


@apart
def fire(t, o, x, event):
    """A trigger, if its condition holds."""
    if not holds(t, o, x, t.flat[AT_PRE + event]):
        return
    n = 0
    for e in range(t.flat[AT_EFFECT_START + event], t.flat[AT_EFFECT_START + event + 1]):
        if n < PENDING and applies(t, o, x, e):
            t.own[AT_PENDING_AT + 3 * n + 0] = effect_world(t, x, e)
            t.own[AT_PENDING_AT + 3 * n + 1] = t.rows[e, 3]
            t.own[AT_PENDING_AT + 3 * n + 2] = effect_value(t, o, x, e)
            n += 1
    for i in range(n):
        if t.own[AT_PENDING_AT + 3 * i + 0] >= 0:
            write(
                t,
                o,
                int64(t.own[AT_PENDING_AT + 3 * i + 0]),
                int64(t.own[AT_PENDING_AT + 3 * i + 1]),
                t.own[AT_PENDING_AT + 3 * i + 2],
            )


def begin_worlds(t):
    """The start, after all triggers that apply in it, in whatever world."""
    for i in range(t.flat[STRIDE]):
        t.pool[i] = t.flat[AT_START + i]
    for _ in range(100):
        t.own[CHANGES] = 0
        for x in range(t.flat[AT_SIZE + 0]):
            for i in range(t.flat[TRIGGERS]):
                fire(t, 0, x, t.flat[ACTIONS] + i)
        if t.own[CHANGES] == 0 or t.own[TROUBLE]:
            break
        settle(t, 0, 0)
    if t.own[CHANGES]:
        t.own[TROUBLE] = ENDLESS


def copy_worlds(t, source, target, x):
    """The worlds from ``x`` on, from one copy to another."""
    fluents = t.flat[FLUENTS]
    for i in range(x * fluents, (x + t.flat[AT_SIZE + x]) * fluents):
        t.pool[target + i] = t.pool[source + i]


@apart
def hash_worlds(t, o, x, h):
    """A number that stands for the worlds from ``x`` on."""
    fluents = t.flat[FLUENTS]
    h = uint64(h)
    word = uint64(0)
    n = 0
    for i in range(o + x * fluents, o + (x + t.flat[AT_SIZE + x]) * fluents):
        word = (word << uint64(16)) | (uint64(t.pool[i]) & uint64(65535))
        n += 1
        if n == 4:
            h = hashed(h, word)
            word = uint64(0)
            n = 0
    return int64(hashed(h, word) >> uint64(2))


def utility(t, o, x, who):
    """What a character, or the author as the last of them, makes of a world."""
    return number(t, o, x, int64(t.flat[AT_UTILITY + who]))
