"""Rollouts in bulk: an evaluator that plays many of each leaf, side by side."""

from typing import Any, Literal

import numpy as np

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.forest import LEAST, Forest
from treewright.library.options import Options


class BulkRollouts:
    """Values leaves by the mean of ``each`` rollouts, for ``tw.Search(…, evaluate=…)``.

    The rollouts of up to ``batch`` leaves are played in one go; with ``engine="gpu"`` each has a
    thread of its own there, so that a tree on the CPU has a GPU's rollouts.  ``options`` say how
    they are played.  For one player, or two who share out a reward of 1, without chance.  The same
    calls in the same order give the same values.
    """

    def __init__(
        self,
        domain: Domain,
        each: int = 64,
        *,
        batch: int = 64,
        options: Options | None = None,
        seed: int = 0,
        engine: Literal["compiled", "python", "gpu"] | None = None,
    ) -> None:
        for name, number in (("each", each), ("batch", batch)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise OptionError(f"{name} must be a whole number, at least 1; not {number!r}")
        if domain.players > 2:
            raise OptionError(
                f"rollouts in bulk are for one player or two, and {domain.name} has "
                f"{domain.players}"
            )
        if domain.function("sample_chance") is not None:
            raise OptionError(
                f"rollouts in bulk value leaves where somebody decides, and in {domain.name} "
                f"chance may: leave out evaluate"
            )
        self.each, self.batch, self.seed = each, batch, seed
        count = each * batch
        # the first simulation of a tree is a rollout from its root
        self._forest = Forest(
            domain, count, options, seed=seed, memory=count * LEAST, engine=engine
        )

    def __repr__(self) -> str:
        return f"<BulkRollouts of {self._forest.domain.name}: {self.each} for each leaf>"

    def __call__(self, states: Any) -> np.ndarray:
        """A value for each state, for the player who is to move."""
        starts = range(0, len(states), self.batch)
        return np.concatenate([self._values(states[at : at + self.batch]) for at in starts])

    def _values(self, states: Any) -> np.ndarray:
        """Those of one batch; where it is not full, the last state is played more often."""
        forest = self._forest
        own = [_alone(forest.domain, states, i) for i in range(len(states))]
        at = np.minimum(np.arange(self.batch), len(own) - 1).repeat(self.each)
        with forest._like._alone():
            forest._begin_at(own, at, self.seed)
        self.seed += len(forest)
        rewards = forest.run(1).roots().own.reshape(self.batch, self.each)
        means: np.ndarray = rewards.mean(axis=1)[: len(states)]
        return means


def _alone(domain: Domain, states: Any, i: int) -> Any:
    """One of the leaves, as a state that can be played on."""
    if not domain.is_record:
        return states[i]
    from treewright.kernel.interpreted import RecordProxy

    return RecordProxy(states[i : i + 1].copy())
