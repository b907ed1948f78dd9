"""Our methods as a sampler for Optuna: ``optuna.create_study(sampler=TreewrightSampler(…))``."""

import math
from typing import Any

from treewright.apps.functions.asking import Asking
from treewright.apps.functions.space import Choice, Integer
from treewright.errors import MissingExtra

try:
    from optuna.distributions import CategoricalDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import IntersectionSearchSpace
    from optuna.study import StudyDirection
    from optuna.trial import TrialState
except ImportError:
    raise MissingExtra("the sampler for Optuna", "experiments") from None


class TreewrightSampler(BaseSampler):  # type: ignore[misc]
    """All that every trial has, numbers and categories, is chosen by a method of ``tw.minimize``.

    A parameter that only some trials have is sampled at random, and so is the first trial.
    ``n_trials`` is the budget that the method plans for.
    """

    def __init__(self, n_trials: int = 1000, method: str | None = None, seed: int = 0) -> None:
        self._settings = {"budget": n_trials, "method": method, "seed": seed}
        self._space = IntersectionSearchSpace()
        self._random = RandomSampler(seed=seed)
        self._asking: Asking | None = None
        self._names: tuple[str, ...] = ()
        self._open: dict[int, int] = {}

    def reseed_rng(self) -> None:
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        """What all trials so far have in common."""
        space = self._space.calculate(study)
        return {name: kind for name, kind in space.items() if not kind.single()}

    def sample_relative(self, study: Any, trial: Any, space: dict[str, Any]) -> dict[str, Any]:
        if not space or len(study.directions) > 1:
            return {}
        names = tuple(sorted(space))
        if names != self._names:  # the first trial, or a space that has changed
            bounds = [_variable(space[name]) for name in names]
            self._asking = Asking(bounds, **self._settings)  # type: ignore[arg-type]
            self._names = names
            self._open.clear()
        assert self._asking is not None
        number, point = self._asking.ask()
        self._open[trial.number] = number
        return {name: _value(space[name], float(u)) for name, u in zip(names, point, strict=True)}

    def sample_independent(self, study: Any, trial: Any, name: str, kind: Any) -> Any:
        return self._random.sample_independent(study, trial, name, kind)

    def after_trial(self, study: Any, trial: Any, state: Any, values: Any) -> None:
        number = self._open.pop(trial.number, None)
        if number is None or self._asking is None:
            return
        value = values[0] if state == TrialState.COMPLETE and values else float("inf")
        maximise = study.direction == StudyDirection.MAXIMIZE
        self._asking.tell(number, -value if maximise and value != float("inf") else value)


def _variable(kind: Any) -> Any:
    """What a distribution is in ``bounds``: a category by its number, a real one from 0 to 1."""
    if isinstance(kind, CategoricalDistribution):
        return Choice(*range(len(kind.choices)))
    if kind.log or not kind.step:
        return (0.0, 1.0)
    return Integer(0, int((kind.high - kind.low) / kind.step + 1e-9))


def _value(kind: Any, u: float) -> Any:
    """The same back: the value of a distribution."""
    if isinstance(kind, CategoricalDistribution):
        return kind.choices[int(u)]
    low, high = kind.low, kind.high
    whole = isinstance(low, int) and isinstance(high, int)
    if kind.log:
        value = math.exp(math.log(low) + u * (math.log(high) - math.log(low)))
        return min(high, max(low, round(value) if whole else value))
    if kind.step:
        return low + kind.step * int(u)
    return low + u * (high - low)
