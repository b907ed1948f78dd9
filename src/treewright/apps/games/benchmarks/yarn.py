"""A domain of a story's size, for measuring memory."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import float64, int8, int16

from treewright.library.domain import Domain, record

ACTORS, KINDS, STEPS = 6, 8, 30


class Yarn(Domain):
    """A story with nothing but its arithmetic: 48 actions, 30 steps, believability x goals.

    An action is what an actor does; it changes that actor's mood and trust in the others, is
    believable if the mood fits, and may reach one of eight goals.
    """

    players = 1
    max_actions = ACTORS * KINDS
    max_length = STEPS
    keys = ACTORS * KINDS
    state = record(
        mood=(int8, ACTORS),
        trust=(int8, ACTORS * ACTORS),
        done=(int8, ACTORS * KINDS),
        goals=int16,
        step=int8,
        belief=float64,
    )

    def start(s):
        s.belief = 1.0

    def legal(s, out):
        n = 0
        for action in range(ACTORS * KINDS):
            out[n] = action
            n += s.done[action] < 2
        return n

    def play(s, action):
        actor = action // KINDS
        kind = action % KINDS
        other = (actor + 1 + kind) % ACTORS
        fit = (s.mood[actor] + s.trust[actor * ACTORS + other] + kind) & 7
        s.belief *= 1.0 - 0.04 * fit
        s.done[action] += 1
        s.mood[other] = (s.mood[other] + kind + 1) & 7
        s.trust[other * ACTORS + actor] = (s.trust[other * ACTORS + actor] + fit) & 7
        if fit == 0:
            s.goals |= 1 << kind
        s.step += 1

    def ended(s):
        return s.step == STEPS

    def rewards(s, out):
        met = 0
        for kind in range(KINDS):
            met += s.goals >> kind & 1
        out[0] = s.belief * met / KINDS

    def value(s, out):
        met = 0
        for kind in range(KINDS):
            met += s.goals >> kind & 1
        out[0] = s.belief * met / KINDS
