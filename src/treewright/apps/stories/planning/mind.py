"""What the people of a set-up have in mind: whose reasons an action has, and a search by them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.apps.stories.model import Event
from treewright.apps.stories.planning.from_setup import FULL, SetupProblem
from treewright.apps.stories.planning.planner import Planner

if TYPE_CHECKING:
    from treewright.apps.stories.setup import Setup
    from treewright.library.domain import Domain


@dataclass(frozen=True)
class Reasons:
    """For each who consents to an action their plan, or None; what that makes of it."""

    plans: dict[int, tuple[Event, ...] | None]
    factor: float

    @property
    def word(self) -> str:
        found = [plan is not None for plan in self.plans.values()]
        if all(found):
            return "explained" if found else ""
        return "partly explained" if any(found) else "unexplained"


class Mind:
    """The beliefs of everybody after some events, and what can be said of the next one."""

    def __init__(self, setup: "Setup") -> None:
        assert setup.minds is not None
        assert setup.library.motives is not None
        self._setup = setup
        self.problem = SetupProblem(setup)
        self.planner = _planner(setup, self.problem)
        self._number = {event: i for i, event in enumerate(self.problem.events)}
        self._after: dict[tuple[Event, ...], np.ndarray] = {(): self.planner.begin}
        self._known: dict[tuple[Event, ...], Reasons] = {}

    def worlds(self, history: tuple[Event, ...]) -> np.ndarray:
        """All that is so and all that is believed after some events."""
        if history not in self._after:
            before = self.worlds(history[:-1])
            number = self._number.get(history[-1])
            self._after[history] = (
                before if number is None else self.planner.after(before, number)
            )  # what changes nothing is no action of the problem
        return self._after[history]

    def reasons(self, history: tuple[Event, ...], event: Event) -> Reasons:
        """Why those who consent to an event would take part in it."""
        key = (*history, event)
        if key not in self._known:
            number = self._number.get(event)
            plans = {} if number is None else self._plans(history, number)
            minds, motives = self._setup.minds, self._setup.library.motives
            assert minds is not None
            assert motives is not None
            found = Reasons(plans, 1.0)
            if found.word.endswith("explained") and found.word != "explained":
                weak = motives.partly if found.word.startswith("partly") else motives.unexplained
                found = Reasons(plans, 0.0 if minds.hard else weak)
            self._known[key] = found
        return self._known[key]

    def _plans(
        self, history: tuple[Event, ...], number: int
    ) -> dict[int, tuple[Event, ...] | None]:
        events = self.problem.events
        return {
            who: None if steps is None else tuple(events[s.action] for s in steps)
            for who, steps in self.planner.reasons(self.worlds(history), number).items()
        }


class _Numbers:
    """The ground actions of a search by motives, as the story's other searches know them."""

    def __init__(self, setup: "Setup", events: list[Event]) -> None:
        self.setup = setup
        self._events = events
        self.stop = len(events)
        self.counts = {k: len(e) for k, e in setup.entities.items()}

    def event(self, action: int) -> Event:
        return self._events[action]


def motivated_domain(setup: "Setup") -> "Domain":
    """The domain of a set-up with motives; it begins after what is pinned."""
    prefix = tuple(setup.steering.prefix)
    problem = SetupProblem(setup)
    planner = _planner(setup, problem, len(prefix), setup.mind.worlds(prefix) if prefix else None)
    domain: Any = planner.domain
    domain.grounding = _Numbers(setup, problem.events)
    return planner.domain


def _planner(
    setup: "Setup", problem: SetupProblem, begun: int = 0, start: np.ndarray | None = None
) -> Planner:
    minds = setup.minds
    assert minds is not None
    return Planner(
        problem,
        int(FULL * setup.enough) - len(setup.goals),  # shares are rounded
        max(1, setup.length - begun),
        minds.ahead,
        minds.layers,
        setup.engine,
        start,
    )
