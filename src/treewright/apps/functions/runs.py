"""Local runs, and a tree that shares the evaluations out among them.

A *run* is a local solver that can be left after any step and gone on with later.  Where it began
and which solver it is are the two decisions of a tree on the kernel: a simulation goes down to
a place and a solver, lets the run there spend a few evaluations (or begins one if there is
none), and is worth what that has gained.  Nothing needs to know the budget.

Places: *here*, the best point so far; the parts of the box; and the whole box.  As in LA-MCTS
(Wang, Fonseca & Tian 2020) the parts are learnt from the samples: a direction that tells the
better half from the worse splits the box in two, and each part again.

Solvers: a quadratic model (model.py) and BFGS for smooth valleys, CMA-ES with a model of its own
(surrogate.py), whose population doubles each time, a walk along ridges, and changes of single
variables (mixed.py) where some are whole numbers or choices.  L-SHADE (population.py) searches the
whole box as soon as the search is long; each population lives twice as long as the one before.  Of
noisy functions the tree may also evaluate a point again: *here* has one more solver then, under
which the candidates for the best point are the actions.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions.objective import Objective
from treewright.apps.functions.shared import AGAIN, Shared
from treewright.library.domain import Domain, constant
from treewright.library.options import Options, Rollout
from treewright.library.search import Search

PASS = 12  # simulations before the tree is built anew, with what has been learnt as its prior
C = 0.1  # of UCB, at first
CALM = 300  # evaluations per dimension after which it grows
TREE = constant()


def runs(
    objective: Objective,
    seed: int = 0,
    *,
    tree: bool = True,
    watch: Callable[[Search, Shared], object] | None = None,
) -> None:
    """Use the whole budget.  Without the ``tree``, places and solvers take turns.

    ``watch`` sees the search and what its functions share after each pass.
    """
    if not objective.warm:
        objective.evaluate(((objective.low + objective.high) / 2)[None])
    shared = Shared(objective, np.random.default_rng(seed))
    if not tree:
        take_turns(shared)
        return
    search, c = None, 0.0
    while objective.left > 0 and not shared.over:
        if search is None or exploration(objective) > c:
            c = exploration(objective)
            search = _search(shared, seed, c)
        search.begin()
        simulations = 1 if shared.opening else PASS
        made = search.run_phases(1, simulations=simulations, commit=False)
        if made.stopped == "interrupt":
            raise KeyboardInterrupt
        shared.learn()
        if watch is not None:
            watch(search, shared)


def exploration(objective: Objective) -> float:
    """The constant of UCB: it grows with the root of the evaluations, in steps."""
    doubled = math.log2(max(1.0, objective.done / (CALM * objective.n)))
    return float(C * 2.0 ** (0.5 * math.floor(doubled)))


def _search(shared: Shared, seed: int, c: float) -> Search:
    return Search(
        Sharing(shared),
        Options(c=c, priors=True, rollout=Rollout("domain")),
        seed=seed,
        memory="1MiB",
        engine="python",
    )


def take_turns(shared: Shared) -> None:
    """Without a tree: each place and solver in turn gets as many evaluations."""
    objective = shared.objective
    spent: dict[tuple[int, ...], int] = {}
    slices = 0
    while not shared.over and objective.left > 0:
        turn = min(shared.pairs, key=lambda pair: spent.get(pair, 0))
        chosen = [*turn]
        if shared.solvers[turn[1]] == AGAIN:
            chosen.append(slices % shared.candidates)
        before = objective.done
        shared.spend(chosen)
        spent[turn] = spent.get(turn, 0) + objective.done - before
        slices += 1
        if slices % PASS == 0:
            shared.learn()


class _Choice:
    """A state of the tree: the place, then the solver, and which candidate to evaluate again."""

    def __init__(self) -> None:
        self.chosen: list[int] = []


class Sharing(Domain):
    """The first action is a place, the second a solver; then the run there goes on.

    States are Python objects, for the interpreted kernel: a slice of a run is many evaluations.
    """

    players = 1
    max_actions = 8
    max_length = 3
    state = _Choice

    def __init__(self, shared: Shared) -> None:
        super().__init__(constants={TREE: shared})

    def start(s: Any) -> None:
        s.chosen.clear()

    def legal(s: Any, out: Any) -> int:
        actions = TREE.actions(s.chosen)
        for i, action in enumerate(actions):
            out[i] = action
        return len(actions)

    def play(s: Any, action: int) -> None:
        s.chosen.append(action)

    def ended(s: Any) -> bool:
        return bool(TREE.decided(s.chosen))

    def rewards(s: Any, out: Any) -> None:
        out[0] = TREE.spend(s.chosen)

    def rollout(s: Any, rng: Any, out: Any) -> int:
        return int(TREE.favourite(s.chosen))

    def prior(s: Any, action: int) -> tuple[float, float]:
        found: tuple[float, float] = TREE.known(s.chosen, action)
        return found
