"""The agents of the papers, set up for Hero Academy with the parameters that the papers name."""

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.hidden import Blind
from treewright.errors import OptionError, nearest
from treewright.library.evolutionary import (
    Agent,
    Evolution,
    EvolutionaryMCTS,
    GreedyAction,
    GreedyTurn,
    OnlineEvolution,
    RandomActions,
    Replied,
    TurnMCTS,
)

# mean + 2 c sqrt(2 ln N / n) with c = 1/sqrt(2), as the testbed has it
TESTBED_C = 2.0
ORIGINAL_DEPTH = 6  # Greedy Turn of the testbed looks no further
# evaluations a turn by action points: what the Java testbed's OEP managed in 200 ms
CLASS = {5: 11_800, 10: 6_800, 15: 6_500}

AMONG = 8  # turns of EMCTS that are judged after a reply (docs/tactics.md)
FORESEEN = 10  # actions: Greedy Action's forecast of longer turns is of no use


def _tree(c: float, greed: float, burning: bool) -> Callable[..., Agent]:
    def make(ap: int, **rules: Any) -> Agent:
        domain = HeroAcademy(ap=ap, ordered=True, greed=greed, **rules)
        return TurnMCTS(domain, ap, c=c, phases=ap if burning else 1)

    return make


def _plain(kind: Callable[..., Agent], **settings: Any) -> Callable[..., Agent]:
    def make(ap: int, **rules: Any) -> Agent:
        return kind(HeroAcademy(ap=ap, **rules), ap, **settings)

    return make


def _replying(ap: int, **rules: Any) -> Agent:
    """EMCTS that judges every turn after the opponent's greedy reply."""
    return EvolutionaryMCTS(HeroAcademy(ap=ap, **rules), ap, reply=ap)


def _choosing(ap: int, flat: bool = False, **rules: Any) -> Agent:
    """EMCTS that chooses among its best turns by the opponent's greedy reply, if they are short."""
    among = AMONG if ap <= FORESEEN else 0
    domain = HeroAcademy(ap=ap, **rules)
    return EvolutionaryMCTS(domain, ap, flat=flat, reply=ap if among else 0, reply_among=among)


def _blind(ap: int, **rules: Any) -> Agent:
    """EMCTS that knows neither the opponent's hand nor what will be drawn."""
    return Blind(_choosing(ap, **rules))


def _second_thoughts(ap: int, **rules: Any) -> Agent:
    """Four turns of EMCTS, each judged after the reply of a small OEP."""
    domain = HeroAcademy(ap=ap, **rules)
    small = Evolution(population=20, greedy_start=0.2, greedy_repair=True)
    return Replied(EvolutionaryMCTS(domain, ap), OnlineEvolution(domain, ap, small))


AGENTS: Mapping[str, Callable[..., Agent]] = MappingProxyType(
    {
        "random": _plain(RandomActions),
        "greedy-action": _plain(GreedyAction),
        "greedy-turn": _plain(GreedyTurn),
        "greedy-turn-6": _plain(GreedyTurn, deepest=ORIGINAL_DEPTH),
        "mcts": _tree(TESTBED_C, 0.5, burning=False),
        "bb-mcts": _tree(TESTBED_C, 0.5, burning=True),
        "mcts-ne": _tree(0.0, 1.0, burning=False),
        "oep": _plain(OnlineEvolution),
        "oep-greedy": _plain(OnlineEvolution, settings=Evolution.greedy()),
        "local-search": functools.partial(_choosing, flat=True),
        "emcts": _choosing,  # the same with a tree, which makes no difference
        "emcts-blind": _blind,
        "emcts-plain": _plain(EvolutionaryMCTS),  # the paper's: blind to what comes next
        "emcts-20": _plain(EvolutionaryMCTS, phases=20),  # whatever the budget
        "emcts-reply": _replying,
        "emcts-reply-oep": _second_thoughts,
    }
)


@functools.lru_cache(32)
def agent(name: str, ap: int, **rules: Any) -> Agent:
    """An agent by its name; one of each kind is enough, since it keeps nothing between turns."""
    if name not in AGENTS:
        raise OptionError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    return AGENTS[name](ap, **rules)
