"""The search space of Evolutionary MCTS, for any multi-action domain (Baier & Cowling III-C).

A state is a complete turn, a *genome*, with the domain's states along it; an action replaces
one gene.  Genes behind it that became illegal are repaired by Greedy Action.  Since the states
before the replaced gene are kept, a mutation replays only what follows, and is taken back for the
price of the genes (``rewind``).  Mutations are listed only when the kernel opens a node, never for
a leaf, and then only for the states that have changed since the last commit.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.hooks import with_tables
from treewright.library.domain import Domain, apart, constant
from treewright.library.evolutionary.agent import HERE
from treewright.library.position import Position

SHIFT = 24  # a mutation is position << 24 | action
NOTHING = -1.0  # what an empty genome is worth
SIZES = (4, 8, 16, 32, 64)  # genes of a genome: turns are not longer than
LONGEST = SIZES[-1]
MOST = 400  # mutations in a row
TYPICAL = 48  # legal actions of a state; where there are more, not all lists of a turn are kept

DOMAIN = constant()
GENES = constant()
LEAF = constant(lambda: GENES + 1)  # the state behind the turn
REPLIED = constant()
# the domain's functions, and the steps of turn_kernel.py over them
LEGAL, PLAY, ENDED, PLAYER = (constant() for _ in range(4))
SAME_TURN, MAY_PLAY, GREEDY_ACTION, WORTH = (constant() for _ in range(4))


def genome_dtype(domain: Domain, size: int) -> np.dtype:
    """A turn with its states; scratch only where the domain's functions do not save it."""
    functions = domain.functions
    tries = "greedy" not in functions  # Greedy Action then plays every action on trial
    lists = tries or "allowed" not in functions
    return np.dtype(
        [
            # along the turn, behind it, and one to try out actions
            ("states", domain.state, (size + 2 + tries,)),
            ("genes", np.int32, (size,)),
            ("buffer", np.int32, (domain.max_actions + 1 if lists else 1,)),
            ("out", np.float64, (domain.players,)),
            ("dice", np.uint64, (1,)),  # ties of Greedy Action; part of the state, so that the
            # same mutation always gives the same genome
            ("worth", np.float64),  # of the state behind the turn, for its player
            ("length", np.int32),  # 0: an empty genome, to be filled by Greedy Action
            ("most", np.int32),  # actions of a turn
            ("reply", np.int32),  # judge after this many actions of a greedy reply
            ("mover", np.int32),
            ("valid", np.int32),  # states up to this one belong to the genes
            ("clean", np.int32),  # states up to this one are still the root's
            ("changed", np.int32),  # genes from here on may differ from the root's
            ("forced", np.int32),  # 1: there is no other turn
            # the legal actions behind each of the first ``listed`` states, one list after the other
            ("listed", np.int32),
            ("ends", np.int32, (size + 1,)),
            ("lists", np.int32, (size * min(domain.max_actions, TYPICAL),)),
        ],
        align=True,
    )


def mutations(domain: Domain, length: int, reply: int = 0, flat: bool = False) -> Domain:
    """The domain whose states are turns of ``domain`` and whose actions are mutations.

    ``length``: the most actions of a turn.  ``reply``: judge a turn after this many actions of a
    greedy reply by the next player (0: at the end of the turn).  ``flat``: no mutation follows
    another, so that a search only compares single ones.  The start state is the empty
    genome; its only mutation is to be filled by Greedy Action, which makes the root.
    """
    if not domain.is_record or domain.function("value") is None:
        raise OptionError(f"{domain.name} needs a record state and value(s, out) for mutations")
    if not 1 <= length <= LONGEST:
        raise OptionError(f"a genome has 1 to {LONGEST} genes, not {length}")
    # turns of similar length share a compiled kernel
    size = next(n for n in SIZES if n >= length)
    return Mutations(domain, size, length, reply, 1 if flat else MOST)


def turn_steps(domain: Domain) -> dict[str, Any]:
    """The steps of turn_kernel.py over the domain's functions, and these."""
    path = HERE / "turn_kernel.py"
    scope: dict[str, Any] = {n: with_tables(f) for n, f in domain.functions.items()}
    scope |= {
        "__name__": __name__,
        "HAS_ALLOWED": "allowed" in scope,
        "HAS_GREEDY": "greedy" in scope,
    }
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
    return scope


@apart
def unfold(g, t, first, known):
    """Play the genes from ``first`` on; there are ``known``, and illegal ones are replaced.

    States between are not kept: most turns are judged and never looked at again.
    """
    g.states[LEAF] = g.states[first]
    s = g.states[LEAF]
    at = first
    mover = g.mover
    while at < g.most and SAME_TURN(s, t, mover):
        # the mutated gene comes from the list of legal actions
        if at >= known or (at > first and not MAY_PLAY(s, t, g.genes[at], g.buffer[:])):
            g.genes[at] = GREEDY_ACTION(s, t, g.dice[:], g.buffer[:], g.states, g.out[:])
        PLAY(s, t, g.genes[at])
        at += 1
    g.length = at
    g.valid = first
    if REPLIED:
        respond(g, t, s)
    g.worth = WORTH(s, t, mover, g.out[:])


def respond(g, t, s):
    """Play a quick greedy reply."""
    if not ENDED(s, t):
        opponent = PLAYER(s, t)
        moves = 0
        while moves < g.reply and SAME_TURN(s, t, opponent):
            PLAY(s, t, GREEDY_ACTION(s, t, g.dice[:], g.buffer[:], g.states, g.out[:]))
            moves += 1


@apart
def catch_up(g, t, upto):
    """Bring the states along the turn up to date."""
    while g.valid < upto:
        at = g.valid
        g.states[at + 1] = g.states[at]
        PLAY(g.states[at + 1], t, g.genes[at])
        g.clean = min(g.clean, at)
        g.valid = at + 1


@apart
def relist(g, t, at, found):
    """List the legal actions behind a state, and keep them where there is room."""
    catch_up(g, t, at)
    count = LEGAL(g.states[at], t, found)
    first = g.ends[at]
    if at == g.listed and first + count <= len(g.lists):
        for i in range(count):
            g.lists[first + i] = found[i]
        g.ends[at + 1] = first + count
        g.listed = at + 1
    return count


def mark(g, at, out, n, found, count):
    """Append the mutations that these actions make; without branches, since the own gene
    can't be predicted.  ``found`` may lie where the mutations go."""
    own = g.genes[at]
    for i in range(count):
        action = found[i]
        out[n] = (at << 24) | action
        n += action != own
    return n


class Mutations(Domain):
    """Turns of a domain with up to ``size`` genes, and mutations of them."""

    players = 1

    def __init__(
        self, domain: Domain, size: int, length: int, reply: int, max_length: int = MOST
    ) -> None:
        self.domain = domain
        self.max_length = max_length
        self.max_actions = min(65535, size * domain.max_actions)
        self.state = genome_dtype(domain, size)
        steps = turn_steps(domain)
        super().__init__(
            tables=domain.tables,
            constants={
                DOMAIN: domain,
                GENES: size,
                REPLIED: reply > 0,
                LEGAL: steps["legal"],
                PLAY: steps["play"],
                ENDED: steps["ended"],
                PLAYER: steps["player"],
                SAME_TURN: steps["same_turn"],
                MAY_PLAY: steps["may_play"],
                GREEDY_ACTION: steps["greedy_action"],
                WORTH: steps["worth"],
            },
            length=length,
            reply=reply,
        )

    @property
    def name(self) -> str:
        return f"Mutations of {self.domain.name}"

    def start(s, length=GENES, reply=0):
        s.states[0] = DOMAIN.new_state()
        s.most = length
        s.reply = reply
        s.worth = NOTHING

    def legal(g, t, out):
        n = 0
        for at in range(g.length):
            if at >= g.listed:
                n = mark(g, at, out, n, out[n:], relist(g, t, at, out[n:]))
            else:
                n = mark(g, at, out, n, g.lists[g.ends[at] :], g.ends[at + 1] - g.ends[at])
        if n == 0:  # an empty genome, or a forced turn
            out[0] = g.genes[0]
            n = 1
        return n

    def play(g, t, action):
        at = action >> 24
        known = g.length
        if known == 0:
            g.mover = PLAYER(g.states[0], t)
        catch_up(g, t, at)
        g.changed = min(g.changed, at)
        g.listed = min(g.listed, at + 1)
        if known > 0 and g.genes[at] == action & 16777215:
            g.forced = 1
        g.genes[at] = action & 16777215
        g.dice[0] = g.dice[0] ^ action  # different mutations break ties differently
        unfold(g, t, at, known)

    def rewind(g, root):
        """Take mutations back: the states along the root's turn are there as a rule."""
        for at in range(g.changed, root.length):
            g.genes[at] = root.genes[at]
        for at in range(g.clean, root.valid):
            g.states[at + 1] = root.states[at + 1]
        g.clean = root.valid
        g.valid = root.valid
        g.listed = min(g.listed, g.changed + 1)
        g.changed = GENES
        g.length = root.length
        g.worth = root.worth
        g.mover = root.mover
        g.forced = root.forced
        g.dice[0] = root.dice[0]

    def ended(g):
        return g.forced == 1

    def rewards(g, out):
        out[0] = g.worth

    def value(g, out):
        out[0] = g.worth

    def describe(s, action):
        at, gene = action >> SHIFT, action & ((1 << SHIFT) - 1)
        turn = Position(DOMAIN, DOMAIN.copy_state(s.states[0]))
        for i in range(at):
            turn.follow(s.genes[i])
        return f"{at + 1}: {turn.describe(gene)}"

    def render(s):
        """The turn, an action in each line."""
        turn = Position(DOMAIN, DOMAIN.copy_state(s.states[0]))
        lines = []
        for i in range(s.length):
            lines.append(f"{i + 1}: {turn.describe(s.genes[i])}")
            turn.follow(s.genes[i])
        return "\n".join(lines)
