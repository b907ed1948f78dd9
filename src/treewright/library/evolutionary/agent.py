"""What every agent is given and what it returns."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.rng import stream_seed
from treewright.library.domain import Domain
from treewright.library.program import Program

if TYPE_CHECKING:
    from treewright.library.evolutionary.burning import Burning

HERE = Path(__file__).parent
SLICE = 500  # evaluations between looks at the clock


@dataclass(frozen=True)
class Budget:
    """How much an agent may do for one turn: evaluated plans, or seconds of CPU time."""

    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        limit, seconds = self.evaluations, self.seconds
        if (limit is None) == (seconds is None):
            raise OptionError("a budget is either evaluations or seconds")
        if limit is not None and (type(limit) is not int or limit < 1):
            raise OptionError(f"evaluations must be a whole number, at least 1; not {limit!r}")
        if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
            raise OptionError(f"seconds must be above 0, not {seconds!r}")


@dataclass(frozen=True)
class Plan:
    """A turn: its actions, what its end is worth to the mover, and what finding it took."""

    actions: list[int]
    value: float
    evaluations: int


class Agent:
    """Plans one turn at a time; the same seed and state give the same plan."""

    def __init__(self, domain: Domain, length: int) -> None:
        """``length`` is the most actions that a turn can have."""
        if not domain.is_record or domain.function("value") is None:
            raise OptionError(
                f"{domain.name} needs a record state and value(s, out) for this agent"
            )
        self.domain = domain
        self.length = length

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        """The turn to play in ``state``, an array of one record, which is not changed."""
        raise NotImplementedError

    @property
    def burning(self) -> "Burning | None":
        """The search behind it, for those who want to watch its tree; not every agent has one."""
        return None

    @property
    def turn_so_far(self) -> list[int]:
        """What it would play now, while it plans; only where there is a search to watch."""
        return []


def turn_program(domain: Domain, text: str, entry: str) -> Program:
    """A text behind that of turns, with what the domain lacks marked as missing."""
    known = {
        "HAS_ALLOWED": "allowed" in domain.functions,
        "HAS_GREEDY": "greedy" in domain.functions,
        "MAX_ACTIONS": domain.max_actions,
    }
    return Program(domain, (HERE / "turn_kernel.py", HERE / text), entry, known)


def stream(seed: int) -> np.ndarray:
    """A random stream for compiled code."""
    return np.array([stream_seed(seed)], np.uint64)


class CpuTimer:
    """CPU time of this thread since the agent began."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    @property
    def left(self) -> float:
        return self._end - time.thread_time()


def limits(budget: Budget, progress: np.ndarray) -> Iterator[int]:
    """How many evaluations to go on to, again and again until the budget is spent.

    ``progress[0]`` are those made.
    """
    if budget.seconds is None:
        assert budget.evaluations is not None
        yield budget.evaluations
        return
    clock = CpuTimer(budget.seconds)
    yield SLICE
    while clock.left > 0:
        yield int(progress[0]) + SLICE
