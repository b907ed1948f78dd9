"""The search space of Evolutionary MCTS, for any multi-action domain (Baier & Cowling III-C).

A state is a complete turn, a *genome*, with the domain's states along it; an action replaces
one gene.  Genes behind it that became illegal are repaired by Greedy Action.  Since the states
before the replaced gene are kept, a mutation replays only what follows; mutations are listed
only when the kernel opens a node, never for a leaf.
"""

from typing import Any

import numpy as np

from treewright.domain import Domain
from treewright.errors import OptionError
from treewright.kernel.rng import below

SHIFT = 24  # a mutation is position << 24 | action
NOTHING = -1.0  # what an empty genome is worth
SIZES = (4, 8, 16, 32, 64)  # genes of a genome: turns are not longer than
LONGEST = SIZES[-1]


def genome_dtype(domain: Domain, size: int, reply: bool) -> np.dtype:
    """A turn with its states; scratch only where the domain's functions do not save it."""
    functions = domain.functions
    tries = "greedy" not in functions  # Greedy Action then plays every action on trial
    lists = tries or "allowed" not in functions
    return np.dtype(
        [
            ("states", domain.state, (size + 1 + reply + tries,)),
            ("genes", np.int32, (size,)),
            ("buffer", np.int32, (domain.max_actions + 1 if lists else 1,)),
            ("out", np.float64, (domain.players,)),
            ("dice", np.uint64, (1,)),  # ties of Greedy Action; part of the state, so that the
            # same mutation always gives the same genome
            ("worth", np.float64),  # of the state behind the turn, for its player
            ("length", np.int32),  # 0: an empty genome, to be filled by Greedy Action
            ("most", np.int32),  # actions of a turn
            ("reply", np.int32),  # judge after so many actions of a greedy reply
            ("mover", np.int32),
        ],
        align=True,
    )


def mutations(domain: Domain, length: int, reply: int = 0) -> Domain:
    """The domain whose states are turns of ``domain`` and whose actions are mutations.

    ``length``: the most actions of a turn.  ``reply``: judge a turn after so many actions of a
    greedy reply by the next player (0: at the end of the turn).  The start state is the empty
    genome; its only mutation is to be filled by Greedy Action, which makes the root.
    """
    if not domain.is_record or domain.function("value") is None:
        raise OptionError(f"{domain.name} needs a record state and value(s, out) for mutations")
    if not 1 <= length <= LONGEST:
        raise OptionError(f"a genome has 1 to {LONGEST} genes, not {length}")
    # turns of similar length share a compiled kernel
    size = next(n for n in SIZES if n >= length)
    kind = _kind(domain, size, reply > 0)
    found: Domain = kind(tables=domain.tables, length=length, reply=reply)
    return found


def _kind(domain: Domain, size: int, replied: bool) -> Any:
    base = {name: _uniform(f) for name, f in domain.functions.items()}
    legal, play, ended = base["legal"], base["play"], base["ended"]
    player, rewards, value = base["player"], base["rewards"], base["value"]
    has_allowed, has_greedy = "allowed" in base, "greedy" in base
    allowed, greedy = base.get("allowed", legal), base.get("greedy", legal)
    players = domain.players
    answer, trial = size + 1, size + 1 + replied
    start_of = domain

    def lasts(s, t, mover):
        return not ended(s, t) and player(s, t) == mover

    def judged(g, t, s, mover):
        for i in range(players):
            g.out[i] = 0.0
        if ended(s, t):
            rewards(s, t, g.out)
        else:
            value(s, t, g.out)
        return g.out[mover]

    def may_play(g, t, s, action):
        if has_allowed:
            return allowed(s, t, action)
        n = legal(s, t, g.buffer)
        for i in range(n):
            if g.buffer[i] == action:
                return True
        return False

    def greedy_action(g, t, s):
        if has_greedy:
            return greedy(s, t, g.dice, g.buffer)
        mover = player(s, t)
        n = legal(s, t, g.buffer)
        top = -1e300
        ties = 0
        best = 0
        for i in range(n):
            g.states[trial] = s
            play(g.states[trial], t, g.buffer[i])
            found = judged(g, t, g.states[trial], mover)
            if found > top:
                top = found
                best = i
                ties = 1
            elif found == top:
                ties += 1
                if below(g.dice, ties) == 0:
                    best = i
        return g.buffer[best]

    def unfold(g, t, first, known):
        """Play the genes from ``first`` on; there are ``known``, and illegal ones are replaced."""
        at = first
        mover = g.mover
        while at < g.most and lasts(g.states[at], t, mover):
            s = g.states[at]
            # the mutated gene comes from the list of legal actions
            if at >= known or (at > first and not may_play(g, t, s, g.genes[at])):
                g.genes[at] = greedy_action(g, t, s)
            g.states[at + 1] = s
            play(g.states[at + 1], t, g.genes[at])
            at += 1
        g.length = at
        if replied:
            respond(g, t, at)
        else:
            g.worth = judged(g, t, g.states[at], mover)

    def respond(g, t, at):
        """Judge the turn after a quick greedy reply."""
        g.states[answer] = g.states[at]
        s = g.states[answer]
        if not ended(s, t):
            opponent = player(s, t)
            moves = 0
            while moves < g.reply and lasts(s, t, opponent):
                play(s, t, greedy_action(g, t, s))
                moves += 1
        g.worth = judged(g, t, s, g.mover)

    def start(s, length=size, reply=0):
        s.states[0] = start_of.new_state()
        s.most = length
        s.reply = reply
        s.worth = NOTHING

    def listed(g, t, out):
        n = 0
        for at in range(g.length):
            own = g.genes[at]
            found = out[n:]  # listed where they go, then marked with their position
            count = legal(g.states[at], t, found)
            for i in range(count):
                action = found[i]
                if action != own:
                    out[n] = (at << 24) | action
                    n += 1
        if n == 0:  # an empty genome, or a forced turn
            out[0] = g.genes[0]
            n = 1
        return n

    def mutate(g, t, action):
        at = action >> 24
        known = g.length
        if known == 0:
            g.mover = player(g.states[0], t)
        g.genes[at] = action & 16777215
        g.dice[0] = g.dice[0] ^ action  # different mutations break ties differently
        unfold(g, t, at, known)

    def never(g):
        return False

    def worth(g, out):
        out[0] = g.worth

    def describe(s, action):
        at, gene = action >> SHIFT, action & ((1 << SHIFT) - 1)
        own = domain.function("describe")
        shown = str(gene)
        if own is not None:
            tables = (domain.interpreted_tables,) if _takes_tables(own) else ()
            shown = own(s.states[at], *tables, gene)
        return f"{at + 1}: {shown}"

    return type(
        f"Mutations{domain.name}",
        (Domain,),
        {
            "__module__": __name__,
            "__doc__": f"Turns of {domain.name}, and mutations of them.",
            "players": 1,
            "max_actions": min(65535, size * domain.max_actions),
            "max_length": 400,
            "state": genome_dtype(domain, size, replied),
            "start": start,
            "legal": listed,
            "play": mutate,
            "ended": never,
            "rewards": worth,
            "value": worth,
            "describe": describe,
        },
    )


def _takes_tables(function: Any) -> bool:
    return bool(function.__code__.co_varnames[1:2] == ("t",))


def _uniform(function: Any) -> Any:
    """The function with the tables as its second parameter, wanted or not."""
    if _takes_tables(function):
        return function
    if function.__code__.co_argcount == 1:

        def call(s, t):
            return function(s)

    elif function.__code__.co_argcount == 2:

        def call(s, t, a):
            return function(s, a)

    else:

        def call(s, t, a, b):
            return function(s, a, b)

    return call
