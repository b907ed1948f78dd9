"""The part of a story domain's text that is the same for every library (to_python.py fills it in).

``HEAD`` imports, ``MACHINE`` runs the goals' program (grounding.py), ``DOMAIN`` is the class.
"""

HEAD = '''"""A story domain, written by Treewright from a checked library."""

from numpy import float32, float64, int8, int16, int32, int64, uint8

from treewright.library.domain import Domain, apart, inlined, record
'''

MACHINE = '''
@apart
def goals_met(s, t):
    """The weighted share of goals that are met; 0 if a condition to keep is broken."""
    stack = s.stack
    top = 0
    share = 0.0
    for i in range(t.code.shape[0]):
        op = t.code[i, 0]
        a = t.code[i, 1]
        b = t.code[i, 2]
        if op == 0:
            stack[top] = t.numbers[i]
            top += 1
        elif op == 1:
            stack[top] = s.v[a]
            top += 1
        elif op == 2:
            stack[top - 1] = s.v[a + int64(stack[top - 1])]
        elif op == 4:
            stack[top - 1] = t.c[a + int64(stack[top - 1])]
        elif op == 3 or op == 5:
            top -= 1
            at = a + int64(stack[top - 1]) * b + int64(stack[top])
            stack[top - 1] = s.v[at] if op == 3 else t.c[at]
        elif op == 6:
            stack[top - 1] = 1.0 if stack[top - 1] == 0.0 else 0.0
        elif op == 16:
            stack[top] = s.times[a]
            top += 1
        elif op == 17:
            stack[top] = s.when[a]
            top += 1
        elif op == 18:
            top -= 1
            share += t.numbers[i] * min(1.0, max(0.0, stack[top] / a))
        elif op == 19:
            top -= 1
            if stack[top] == 0.0:
                return 0.0
        elif op == 20:
            top -= 2
            if stack[top + 1] != 0.0:
                stack[top - 1] = stack[top]
        else:
            top -= 1
            x = stack[top - 1]
            y = stack[top]
            if op == 7:
                x = 1.0 if x != 0.0 and y != 0.0 else 0.0
            elif op == 8:
                x = 1.0 if x != 0.0 or y != 0.0 else 0.0
            elif op == 9:
                x = 1.0 if x == y else 0.0
            elif op == 10:
                x = 1.0 if x != y else 0.0
            elif op == 11:
                x = 1.0 if x < y else 0.0
            elif op == 12:
                x = 1.0 if x <= y else 0.0
            elif op == 13:
                x = x + y
            elif op == 14:
                x = x - y
            elif op == 21:
                x = max(x, y)
            elif op == 22:
                x = min(x, y)
            else:
                x = x * y
            stack[top - 1] = x
    return share


def remember(s, t, a):
    """Count the events that goals ask for."""
    mask = t.events[a]
    slot = 0
    while mask > 0:
        if mask & 1:
            if s.times[slot] < 100:
                s.times[slot] += 1
            if s.when[slot] == 0:
                s.when[slot] = s.length
        mask >>= 1
        slot += 1
'''

STEERED = '''
@inlined
def steered(fixed, scale, a, b):
    """A believability after the user's own value and factor."""
    if fixed[a] >= 0.0:
        b = fixed[a]
    return min(1.0, b * scale[a])


@inlined
def offered(fixed, scale, steer, out, weights, n, k, a, b, so_far, beat):
    """List an action that may lead to a better story; how many there are then.

    The sum and the maximum of each kind are at the end of the weights.
    """
    if steer:
        b = steered(fixed, scale, a, b)
    if b <= 0.0 or so_far * b <= beat:
        return n
    if {full}:
        return {limit} + 1
    weights[n] = b
    weights[{limit} + 2 * k] += b
    weights[{limit} + 2 * k + 1] = max(weights[{limit} + 2 * k + 1], b)
    out[n] = a
    return n + 1
'''

TENSION = '''
def fit(s, t):
    """Note how tense it is now; how well the story so far goes with the curve (tension.py)."""
    s.felt[s.length] = felt_now(s, t)
    last = t.curve.shape[0] - 1
    off = 0.0
    for i in range(s.length + 1):
        at = i * last / max(1, s.length)
        k = min(int64(at), last - 1)
        wished = t.curve[k] + (at - k) * (t.curve[k + 1] - t.curve[k])
        off += min(1.0, abs(s.felt[i] - wished) / t.wish[1])
    return 1.0 - t.wish[0] * off / (s.length + 1)
'''
TENSE = {
    "felt": "\n        felt=(int8, 64),",
    "begun": "\n        for i in range(t.felt.shape[0]):\n            s.felt[i] = t.felt[i]",
    "fit": " * fit(s, t)",
}

DOMAIN = '''
class Story(Domain):
    """Each action multiplies the believability; the score is that times the share of goals."""

    players = 1
    max_actions = {max_actions}
    max_length = {longest}
    keys = {keys}
    state = record(
        v=(int8, {size}),
        times=(int8, {events}),
        when=(int8, {events}),
        stack=(float32, {stack}),
        length=int16,
        over=int8,
        acting=(int8, {types}),
        cast=(uint8, {cast}),
        believability=float64,
        share=float64,
        best=float64,
        beat=float64,{felt}
    )

    def start(s, t):
        s.v[:] = t.start
        s.times[:] = t.times
        s.when[:] = t.when
        s.acting[:] = t.n
        s.cast[:] = t.everybody
        s.length = t.limits[3]{begun}
        s.believability = t.reals[1]
        s.share = goals_met(s, t)
        s.best = max(t.reals[2], s.believability * s.share{fit})
        s.beat = -1.0

    def legal(s, t, out):
        """What is possible, less what nobody would believe or what can't lead to a better story."""
        n = possible(s, t, out)
        if n > {limit}:
            return {max_actions} + 1
        m = 0
        for i in range(n):
            a = int64(out[i])
            if t.scale[a] > 0.0:
                if {always} or s.beat >= 0.0:
                    b = believed(s, t, a)
                    if b <= 0.0 or s.believability * b <= s.beat:
                        continue
                out[m] = a
                m += 1
        if m == 0:
            out[0] = t.limits[2]
            m = 1
        return m

    def legal_weights(s, t, out, weights):
        """First the kind of action, weighted by the best of its kind; then which one.

        The end of ``weights`` holds the sum and the maximum of each kind.
        """
        for i in range({limit}, {limit} + 2 * {keys}):
            weights[i] = 0.0
        n = rated(s, t, out, weights)
        if n > {limit}:
            return {max_actions} + 1
        for i in range({limit}, {limit} + 2 * {keys}, 2):
            weights[i] = weights[i + 1] / weights[i] if weights[i] > 0.0 else 0.0
        for i in range(n):
            weights[i] *= weights[{limit} + 2 * t.schema[out[i]]]
        if n == 0:
            out[0] = t.limits[2]
            weights[0] = 1.0
            n = 1
        return n

    def play(s, t, action):
        a = int64(action)
        s.length += 1
        if a == t.limits[2]:
            s.over = 1
            return
        s.believability *= believed(s, t, a)
        change(s, t, a)
        if t.events[a] > 0:
            remember(s, t, a)
        if t.relevant[t.schema[a]] or t.events[a] > 0:
            s.share = goals_met(s, t)
        score = s.believability * s.share{fit}
        s.best = max(s.best, score) if t.limits[1] else score

    def ended(s, t):
        if s.over or s.length >= t.limits[0] or s.share >= t.reals[0]:
            return True
        return s.beat >= 0.0 and s.believability <= max(s.beat, s.best)

    def rewards(s, t, out):
        out[0] = s.best

    def value(s, t, out):
        out[0] = s.best

    def priority(s, t):
        return s.believability

    def beat(s, t, best):
        s.beat = max(0.0, best) + 1e-9

    def weight(s, t, action):
        return 1.0 if action == t.limits[2] else believed(s, t, int64(action))

    def amaf_key(s, t, action):
        return t.schema[action]
'''
