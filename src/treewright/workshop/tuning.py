"""Tuning: Optuna over the search's numbers, checked at the end on seeds it never saw.

A number that may be tuned is declared once, in :data:`RANGES`: its name, its range and whether
factors or differences matter.  Its default is that of :class:`treewright.Options`.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError, TreewrightError, nearest
from treewright.library.options import Options, Rave, Rollout, SelectionBias, Widening
from treewright.library.registry import find
from treewright.library.search import Search
from treewright.library.switches import switches_of
from treewright.workshop.deals import dealt
from treewright.workshop.experiments.code import CodeFingerprint
from treewright.workshop.experiments.matches import Contestant, match, play_numbered
from treewright.workshop.experiments.stats import Comparison, better_than_even, compare_paired, rate

Mapped = Callable[..., Any]  # as Python's map
HELD_OUT = 1_000_000  # the first seed of the check; tuning uses seeds far below


@dataclass(frozen=True)
class Range:
    """Where a number may lie; ``log`` where 0.01 and 0.1 differ as much as 1 and 10."""

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False


RANGES = {
    r.name: r
    for r in (
        Range("c", 0.01, 3.0, log=True),
        Range("fpu", 0.0, 2.0),
        Range("rave.k", 1.0, 10_000.0, log=True),
        Range("rave.bias", 0.001, 1.0, log=True),
        Range("selection_bias.k", 1.0, 1_000.0, log=True),
        Range("widening.k", 0.5, 10.0, log=True),
        Range("widening.alpha", 0.1, 0.9),
        Range("rollout.epsilon", 0.0, 1.0),
        Range("rollout.depth", 0, 200, whole=True),
        Range("rollout.floor", 0.001, 1.0, log=True),
        Range("max_backup", 0.0, 1.0),
    )
}
_PARTS = {"rave": Rave, "selection_bias": SelectionBias, "widening": Widening, "rollout": Rollout}


def parse(texts: Sequence[str]) -> list[Range]:
    """``c``, ``c=0.01:1`` for another range, ``set.width=5:15`` for a setting of the domain."""
    return [_parse(text) for text in dict.fromkeys(texts)]


def _parse(text: str) -> Range:
    name, equals, limits = text.partition("=")
    if name not in RANGES and not name.startswith("set."):
        raise OptionError(f"{name!r} can't be tuned{nearest(name, RANGES)}")
    if not equals:
        if name not in RANGES:
            raise OptionError(f"--tune {name}: give its range, as in {name}=1:10")
        return RANGES[name]
    try:
        low, high = map(float, limits.split(":"))
    except ValueError:
        raise OptionError(f"--tune {text!r}: write the range as {name}=LOW:HIGH") from None
    known = RANGES.get(name, Range(name, low, high, whole="." not in limits))
    if not low < high or (known.log and low <= 0):
        raise OptionError(f"--tune {text!r}: the range must rise{', from above 0' * known.log}")
    return dataclasses.replace(known, low=low, high=high)


def build(base: Options, values: Mapping[str, float]) -> Options:
    """The options with these numbers; a part that was off is switched on."""
    chosen: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        part, dot, inner = name.partition(".")
        if part == "set":
            continue
        if dot:
            parts.setdefault(part, {})[inner] = value
        else:
            chosen[name] = value
    for part, numbers in parts.items():
        chosen[part] = dataclasses.replace(getattr(base, part) or _PARTS[part](), **numbers)
    return dataclasses.replace(base, **chosen)


def default_of(base: Options, name: str) -> float | None:
    """What the number is before tuning, if it has a value then."""
    part, dot, inner = name.partition(".")
    if part == "set":
        return None
    if not dot:
        value = getattr(base, part)
    else:
        value = getattr(getattr(base, part) or _PARTS[part](), inner)
    return None if value is None else float(value)


@dataclass(frozen=True)
class Task:
    """What is tuned: a domain, the options to begin with, and the budget of one run."""

    domain: str
    settings: Mapping[str, Any]
    base: Options
    ranges: Sequence[Range]
    simulations: int
    runs: int

    def __post_init__(self) -> None:
        if self.players > 2:
            raise OptionError(f"{self.domain} has {self.players} players: tuning is for one or two")
        if self.players == 2 and any(r.name.startswith("set.") for r in self.ranges):
            raise OptionError("settings of a game for two are the same for both: tune options")
        middle = {r.name: (r.low + r.high) // 2 if r.whole else r.high for r in self.ranges}
        switches_of(find(self.domain, **self.settings), build(self.base, middle))  # refuse now

    @property
    def players(self) -> int:
        return find(self.domain, **self.settings).players

    def scores(
        self, values: Mapping[str, float], seeds: Sequence[int], mapped: Mapped = map
    ) -> list[float]:
        """One number per seed, larger is better, the same for the same values and seeds.

        One player: the best score found.  A domain that draws its instance from a setting
        ``seed`` gets another instance for each.  Two players: the score of a match against the
        options to begin with, a game for each seed; each side begins half of them.  ``mapped``
        is Python's map, or one that calls on other machines.
        """
        options = build(self.base, values)
        if self.players == 1:
            return list(mapped(self._best_score, repeat(values), repeat(options), seeds))
        games = range(len(seeds))
        won = list(mapped(self._game, repeat(options), repeat(seeds[0]), games))
        return [sum(won) / len(won)] * len(won)

    def _game(self, options: Options, seed: int, number: int) -> float:
        domain = dealt(self.domain, self.settings, seed + number // 2)
        both = Contestant(self.simulations, options), Contestant(self.simulations, self.base)
        return play_numbered(domain, *both, number, seed)

    def _best_score(self, values: Mapping[str, float], options: Options, seed: int) -> float:
        own = {n[4:]: v for n, v in values.items() if n.startswith("set.")}
        settings = dict(self.settings) | own
        domain = dealt(self.domain, settings, seed)
        result = Search(domain, options, seed=seed).run(self.simulations)
        if result.stopped == "interrupt":
            raise KeyboardInterrupt
        return float(result.best_score or 0.0)

    @property
    def name(self) -> str:
        """Equal for tasks whose trials may be continued; other code begins anew."""
        mark = CodeFingerprint()
        mark.value([find(self.domain, **self.settings), Search, match])
        mark.value([self.base, list(self.ranges), self.simulations, self.runs])
        names = "+".join(r.name for r in self.ranges)
        return f"{self.domain} {names} {mark.hexdigest()[:12]}"


@dataclass(frozen=True)
class Tuned:
    """The best values, and what they are worth on seeds that tuning never saw."""

    values: dict[str, float]
    score: float
    trials: int
    resumed: int
    check: Comparison
    check_runs: int
    sentence: str


def tune(
    task: Task,
    *,
    trials: int,
    check_runs: int,
    store: Path,
    seed: int = 0,
    watch: Callable[[int, float, dict[str, float]], object] = lambda done, best, values: None,
    mapped: Mapped = map,
) -> Tuned:
    """Run trials until there are ``trials``, then compare the best with where it began."""
    for name, number in (("--trials", trials), ("--runs", task.runs), ("--check", check_runs)):
        if number < 2:
            raise OptionError(f"{name} must be at least 2, not {number}")
    study, done = _study(task, store, seed)
    seeds = range(task.runs)

    def objective(trial: Any) -> float:
        values = {r.name: _suggest(trial, r) for r in task.ranges}
        scores = task.scores(values, seeds, mapped)
        return sum(scores) / len(scores)

    def ended(study: Any, trial: Any) -> None:
        watch(len(_complete(study)), study.best_value, dict(study.best_params))

    if trials > done:
        study.optimize(objective, n_trials=trials - done, callbacks=[ended])
    best = dict(study.best_params)
    check, sentence = _check(task, best, range(HELD_OUT, HELD_OUT + check_runs), mapped)
    total = len(_complete(study))
    return Tuned(best, study.best_value, total, done, check, check_runs, sentence)


def _check(
    task: Task, best: dict[str, float], seeds: range, mapped: Mapped
) -> tuple[Comparison, str]:
    """The best values against those to begin with."""
    scores = task.scores(best, seeds, mapped)
    if task.players == 1:
        found = compare_paired(scores, task.scores({}, seeds, mapped))
        what = f"the mean best score changed by {found.difference:+.4f}"
    else:
        interval = rate(sum(scores), len(scores))
        p = better_than_even(sum(scores), len(scores))
        half = (interval.value - 0.5, interval.low - 0.5, interval.high - 0.5)
        found = Comparison(*half, p, "one-sided binomial test against even")
        what = f"the tuned player scored {interval.value:.1%}"
    sure = found.p < 0.05 and found.difference > 0
    return found, (
        f"On {len(scores)} held-out runs {what} (95 % interval of the difference "
        f"{found.low:+.4f} to {found.high:+.4f}, p = {found.p:.2g}): "
        f"{'better than where it began' if sure else 'not clearly better than where it began'}."
    )


def _study(task: Task, store: Path, seed: int) -> tuple[Any, int]:
    """The study in the store, new or continued, and how many trials it has."""
    try:
        import optuna
        from sqlalchemy.exc import DBAPIError
    except ImportError:
        raise MissingExtra("tuning", "experiments") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        study = optuna.create_study(
            storage=f"sqlite:///{store}",
            study_name=task.name,
            direction="maximize",
            load_if_exists=True,
        )
    except (OSError, DBAPIError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "orig", None) or error
        raise TreewrightError(f"the tuning store {store} can't be used: {reason}") from error
    done = len(_complete(study))
    study.sampler = optuna.samplers.TPESampler(seed=seed + 1000 * done)  # go on, do not repeat
    start = {r.name: default_of(task.base, r.name) for r in task.ranges}
    if done == 0 and all(_inside(r, start[r.name]) for r in task.ranges):
        study.enqueue_trial(start, skip_if_exists=True)
    return study, done


def _inside(r: Range, value: float | None) -> bool:
    return value is not None and r.low <= value <= r.high


def _complete(study: Any) -> list[Any]:
    return [t for t in study.get_trials(deepcopy=False) if t.state.name == "COMPLETE"]


def _suggest(trial: Any, r: Range) -> float:
    if r.whole:
        return int(trial.suggest_int(r.name, int(r.low), int(r.high)))
    return float(trial.suggest_float(r.name, r.low, r.high, log=r.log))
