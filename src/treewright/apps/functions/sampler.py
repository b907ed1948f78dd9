"""Our methods as a sampler for Optuna: ``optuna.create_study(sampler=TreewrightSampler(…))``."""

from typing import Any

from treewright.apps.functions.asking import Asking
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
    """Numbers are sampled by a method of ``tw.minimize``, categories at random.

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
        """What all trials so far have in common and is a number."""
        space = self._space.calculate(study)
        return {
            name: kind
            for name, kind in space.items()
            if not kind.single() and not isinstance(kind, CategoricalDistribution)
        }

    def sample_relative(self, study: Any, trial: Any, space: dict[str, Any]) -> dict[str, Any]:
        if not space or len(study.directions) > 1:
            return {}
        names = tuple(sorted(space))
        if names != self._names:  # the first trial, or a space that has changed
            self._asking = Asking([(0.0, 1.0)] * len(names), **self._settings)  # type: ignore[arg-type]
            self._names = names
            self._open.clear()
        assert self._asking is not None
        number, point = self._asking.ask()
        self._open[trial.number] = number
        return {name: _scaled(space[name], float(u)) for name, u in zip(names, point, strict=True)}

    def sample_independent(self, study: Any, trial: Any, name: str, kind: Any) -> Any:
        return self._random.sample_independent(study, trial, name, kind)

    def after_trial(self, study: Any, trial: Any, state: Any, values: Any) -> None:
        number = self._open.pop(trial.number, None)
        if number is None or self._asking is None:
            return
        value = values[0] if state == TrialState.COMPLETE and values else float("inf")
        maximise = study.direction == StudyDirection.MAXIMIZE
        self._asking.tell(number, -value if maximise and value != float("inf") else value)


def _scaled(kind: Any, u: float) -> Any:
    """A number of [0, 1] as a value of an Optuna distribution."""
    import math

    low, high = kind.low, kind.high
    whole = isinstance(low, int) and isinstance(high, int)
    step = kind.step
    if whole and step is None:
        step = 1
    if kind.log:
        value = math.exp(math.log(low) + u * (math.log(high) - math.log(low)))
        return min(high, max(low, round(value))) if whole else min(high, max(low, value))
    if step:
        count = int((high - low) / step + 1e-9) + 1
        value = low + step * min(count - 1, int(u * count))
        return int(value) if whole else value
    return low + u * (high - low)
