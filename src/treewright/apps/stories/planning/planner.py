"""From a problem to a plan with its reasons: MCTS on the kernel, and the classical searches."""

import functools
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from treewright.apps.stories.planning import asking_kernel as asking
from treewright.apps.stories.planning.domain import planning_domain
from treewright.apps.stories.planning.places import AT_CHANGED, AT_FOUND_PLAN
from treewright.apps.stories.planning.problem import Ground, Problem
from treewright.apps.stories.planning.tables import (
    CHANGES,
    FOUND,
    FRACTION,
    NODES,
    STRIDE,
    TROUBLE,
)
from treewright.apps.stories.source import StoryError
from treewright.errors import OptionError, nearest
from treewright.kernel.interpreted import Cells
from treewright.kernel.specialise import specialise
from treewright.library.options import Options, Rollout
from treewright.library.program import Program
from treewright.library.search import Search

METHODS = ("mcts", "best-first", "explanation-first")
DEFAULT_METHOD = "best-first"  # which reaches most of the benchmark's goals
DEFAULT = Options(
    c=1.0,
    puct=True,
    expand="best",
    dense=True,
    max_backup=0.5,
    solver=True,
    rollout=Rollout(depth=0),
)
MILLION = 1_000_000
_SLICE = 20
_MOST_WAITING = 4_000_000
_AGAIN = 40  # reasons that are tried for one action


@dataclass(frozen=True)
class Step:
    """An action, and for each who consents to it the plan that is their reason."""

    action: int
    reasons: dict[int, tuple["Step", ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """A solution, or what is known of why there is none."""

    problem: Problem
    steps: tuple[Step, ...]
    utility: float
    nodes: int
    simulations: int
    seconds: float
    stopped: str
    method: str

    @property
    def solved(self) -> bool:
        return bool(self.steps)


class LostError(StoryError):
    """What was taken for the reason of an action is none."""


class Space(NamedTuple):
    """The nodes of a classical search, in the order in which they were made."""

    worlds: Any  # of those that were expanded, in rows
    rows: Any
    parents: Any
    actions: Any
    depths: Any
    order: Any
    heap: Any
    met: Any
    counts: Any  # made, expanded, waiting, found


class Planner:
    """One problem with a goal and limits."""

    def __init__(
        self,
        problem: Problem,
        goal: int = 1,
        author: int = 7,
        character: int = 5,
        layers: int = 2,
        engine: Literal["compiled", "python"] = "compiled",
        start: np.ndarray | None = None,
    ) -> None:
        for name, number, low, high in (
            ("--author", author, 1, 60),
            ("--character", character, 1, 12),
            ("--layers", layers, 0, 5),
        ):
            if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
                raise OptionError(f"{name} must be from {low} to {high}; not {number!r}")
        self.problem = problem
        self.engine = engine
        self._empty = _space(1, 1, 1)
        self.goal = goal
        self.limits = (author, character, layers)
        self.domain, self.worlds = planning_domain(problem, goal, author, character, layers, start)
        state = self.domain.new_state()
        self._tables = self.domain.tables
        self._own = self._tables["own"]
        self._refuse_trouble()
        if state.reached >= goal and not problem.full:
            raise StoryError(
                f"{problem.where_goals_are}: the author's utility is {state.reached:g} at the "
                f"start, and the goal is {goal}: nothing is left to tell"
            )
        self._stride = int(self._tables["flat"][STRIDE])
        self.begin: np.ndarray = state._record["worlds"][0, : self._stride].copy()

    def _refuse_trouble(self) -> None:
        if self._own[TROUBLE] == FRACTION:
            raise StoryError(
                f"{self.problem.name}: a property was given a fraction; only utilities and "
                "conditions may have any, properties are whole numbers"
            )
        if self._own[TROUBLE]:
            cycle = self._cycle()
            line = min((g.line for g in cycle), default=0)
            where = f"{self.problem.name}, line {line}" if line else self.problem.name
            names = ", ".join(sorted({g.name for g in cycle}))
            raise StoryError(f"{where}: the triggers set each other off without end: {names}")

    def _cycle(self) -> list[Ground]:
        """The triggers that were at work when the last changes were made."""
        made = int(self._own[CHANGES])
        last = self._own[AT_CHANGED + 1 : AT_CHANGED + 3 * made : 3][-64:]
        fluents = {int(f) for f in last}
        return [g for g in self.problem.triggers if any(e.fluent in fluents for e in g.effects)]

    @functools.cached_property
    def _program(self) -> Callable[..., Any]:
        """The compiled functions of asking_kernel.py behind one entry, or the interpreted ones."""
        text = Path(asking.__file__)
        if self.engine == "compiled":
            program = Program(self.domain, (text,), "ask")
            return lambda space, *numbers: program.call(space, program.tables, *numbers)
        module: Any = specialise(self.domain, {}, (text,), "ask", False)
        tables = self.domain.interpreted_tables
        return lambda space, *numbers: module.ask(
            Space(*(Cells(array) for array in space)), tables, *numbers
        )

    # ---------------------------------------------------------------- searches

    def solve(
        self,
        method: str = DEFAULT_METHOD,
        nodes: int = MILLION,
        seed: int = 1,
        options: Options = DEFAULT,
        progress: Callable[[int, float], object] | None = None,
    ) -> Plan:
        """The first plan found within so many nodes, those of explanations included."""
        if method not in METHODS:
            raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
        self._program(self._empty, asking.UTILITY, 0, 0, 0, 0, 0)  # compiled before the clock runs
        self._own[:] = 0
        begun = time.perf_counter()
        if method == "mcts":
            steps, made, why = self._mcts(nodes, seed, options, progress)
        else:
            steps, made, why = self._classical(method, nodes, progress)
        seconds = time.perf_counter() - begun
        reached = self.utility_after([s.action for s in steps])
        spent = int(self._own[NODES])
        return Plan(self.problem, steps, reached, spent, made, seconds, why, method)

    def _mcts(
        self, nodes: int, seed: int, options: Options, progress: Any
    ) -> tuple[tuple[Step, ...], int, str]:
        search = Search(self.domain, options, seed=seed, memory="256MiB", engine=self.engine)
        search.compile()
        worker: Any = search.workers[0]
        simulations = 0

        def spent() -> int:
            return int(self._own[NODES])

        def enough(_: Any) -> bool:
            if progress is not None:
                progress(spent(), float(worker.run["best_score"]))
            done = float(worker.run["best_score"]) >= 1.0 or spent() >= nodes
            return done or bool(self._own[TROUBLE])

        while True:
            made = search.run(nodes=nodes, until=enough)
            simulations += made.simulations
            self._refuse_trouble()
            if made.best_score is None or made.best_score < 1.0:
                closed = "exhausted" if made.stopped == "solved" else str(made.stopped)
                return (), simulations, "nodes" if spent() >= nodes else closed
            steps = self.confirmed(list(made.best_sequence))
            if steps:
                return steps, simulations, "solved"
            search.begin(self.domain.new_state())  # what was taken for a reason is none: again

    def _classical(
        self, method: str, nodes: int, progress: Any
    ) -> tuple[tuple[Step, ...], int, str]:
        expanded = min(nodes, (1 << 31) // (2 * self._stride)) + 1
        space = _space(expanded, self._stride, min(64 * nodes, _MOST_WAITING) + 2)
        space.worlds[0] = self.begin
        space.counts[:] = (1, 0, 1, 0)
        mode = asking.AT_ONCE if method == "explanation-first" else asking.LATER
        status = 0
        steps: tuple[Step, ...] = ()
        try:
            while status in (0, 1) and not steps:
                status = int(self._program(space, 9, mode, nodes, _SLICE, 0, 0))
                if progress is not None:
                    progress(int(self._own[NODES]), 0.0)
                self._refuse_trouble()
                if status == 1:
                    steps = self.confirmed(_way_to(space, int(space.counts[3])))
            why = {1: "solved", 2: "exhausted", 3: "nodes"}[status]
        except KeyboardInterrupt:
            why = "interrupt"
        return steps, int(space.counts[1]), why

    # ---------------------------------------------------------------- questions

    def _ask(
        self, what: int, x: int = 0, c: int = 0, a: int = 0, n: int = 0, layer: int = 1
    ) -> int:
        return int(self._program(self._empty, what, x, c, a, n, layer))

    def _put(self, worlds: np.ndarray) -> None:
        self._tables["pool"][: self._stride] = worlds

    def _worlds(self) -> np.ndarray:
        found: np.ndarray = self._tables["pool"][: self._stride].copy()
        return found

    def _utility(self, who: int, x: int = 0) -> float:
        self._ask(asking.UTILITY, x, who)
        return float(self._tables["real"][0])

    def utility_after(self, actions: list[int]) -> float:
        """The author's utility after some actions."""
        self._put(self.begin)
        for a in actions:
            self._ask(asking.HAPPENS, a=a)
        return self._utility(len(self.problem.characters))

    def confirmed(self, actions: list[int]) -> tuple[Step, ...]:
        """A plan without needless actions and with its reasons; nothing if one is lost.

        Whether somebody's plan could do with less is asked of what is known of other people's
        reasons (motives.py), which grows: what was a reason at first may be none in the end.
        """
        try:
            return tuple(self.explained(self.shortened(actions)))
        except LostError:
            return ()

    def shortened(self, actions: list[int]) -> list[int]:
        """The plan without needless actions: no part of it that is explained does as well."""
        reached = self.utility_after(actions)
        for size in range(1, len(actions)):
            for part in itertools.combinations(actions, size):
                if self._reaches(list(part), reached) and self._meant(list(part)):
                    return list(part)
        return actions

    def _reaches(self, actions: list[int], wanted: float) -> bool:
        self._put(self.begin)
        for a in actions:
            if not self._ask(asking.POSSIBLE, a=a):
                return False
            self._ask(asking.HAPPENS, a=a)
        return self._utility(len(self.problem.characters)) >= wanted

    def _meant(self, actions: list[int]) -> bool:
        self._put(self.begin)
        for a in actions:
            if not all(
                self._ask(asking.MEANT, 0, c, a, self.limits[1])
                for c in self.problem.actions[a].consenting
            ):
                return False
            self._ask(asking.HAPPENS, a=a)
        return True

    def after(self, worlds: np.ndarray, action: int) -> np.ndarray:
        """The worlds after an action, which happens whatever anybody thinks of it."""
        self._put(worlds)
        self._ask(asking.HAPPENS, a=action)
        return self._worlds()

    def reasons(self, worlds: np.ndarray, action: int) -> dict[int, tuple[Step, ...] | None]:
        """The plans of those who consent to an action; None of who has no reason."""
        found: dict[int, tuple[Step, ...] | None] = {}
        for c in self.problem.actions[action].consenting:
            self._put(worlds)
            found[c] = None
            if self._ask(asking.EXPLAINED, 0, c, action, self.limits[1]):
                length = int(self._own[FOUND])
                plan = self._own[AT_FOUND_PLAN : AT_FOUND_PLAN + length]
                found[c] = tuple(Step(int(a)) for a in plan)
        return found

    def explained(self, actions: list[int]) -> list[Step]:
        """The story's actions with their reasons."""
        self._put(self.begin)
        return self._steps(0, -1, actions, self.limits[1], 1)

    def _steps(
        self, x: int, owner: int, actions: list[int], longest: int, layer: int
    ) -> list[Step]:
        """Actions in world ``x``, from the worlds that were put; reasons one layer deeper."""
        found = []
        for i, a in enumerate(actions):
            worlds = self._worlds()
            reasons = {}
            for c in self.problem.actions[a].consenting:
                if c != owner and (owner < 0 or i > 0):
                    left = longest - (i if owner >= 0 else 0)
                    plan = self._reason(worlds, x, c, a, left, layer)
                    below = int(self.worlds.child[x, c])
                    self._put(worlds)
                    reasons[c] = tuple(self._steps(below, c, plan, left, layer + 1))
            self._put(worlds)
            self._ask(asking.HAPPENS, x, 0, a)
            found.append(Step(a, reasons))
        return found

    def _reason(
        self, worlds: np.ndarray, x: int, c: int, a: int, longest: int, layer: int
    ) -> list[int]:
        """The plan of a character that begins with an action, without a needless one.

        The search for it asks only what is known of other people's reasons for a part of it
        (motives.py); here they are asked, and if the part does as well, the search is made again.
        """
        for _ in range(_AGAIN):
            self._put(worlds)
            if not self._ask(asking.EXPLAINED, x, c, a, longest, layer):
                break
            length = int(self._own[FOUND])
            plan = [int(b) for b in self._own[AT_FOUND_PLAN : AT_FOUND_PLAN + length]]
            if self._minimal(worlds, int(self.worlds.child[x, c]), c, plan, longest, layer + 1):
                return plan
        raise LostError(f"{self.problem.actions[a]} has lost its explanation")

    def _minimal(
        self, worlds: np.ndarray, x: int, c: int, plan: list[int], longest: int, layer: int
    ) -> bool:
        """Whether no part of a character's plan does as well and is explained for all others.

        Parts in which nobody else takes part were tried when the plan was found.
        """
        shared = {b for b in plan if set(self.problem.actions[b].consenting) - {c}}
        if not shared:
            return True
        self._put(worlds)
        for b in plan:
            self._ask(asking.HAPPENS, x, 0, b)
        reached = self._utility(c, x)
        return not any(
            self._does(worlds, x, c, part, reached)
            and self._is_meant(worlds, x, c, part, longest, layer)
            for size in range(1, len(plan))
            for part in itertools.combinations(plan, size)
            if shared & set(part)
        )

    def _does(
        self, worlds: np.ndarray, x: int, c: int, part: tuple[int, ...], reached: float
    ) -> bool:
        self._put(worlds)
        for b in part:
            if not self._ask(asking.POSSIBLE, x, 0, b):
                return False
            self._ask(asking.HAPPENS, x, 0, b)
        return self._utility(c, x) >= reached

    def _is_meant(
        self, worlds: np.ndarray, x: int, c: int, part: tuple[int, ...], longest: int, layer: int
    ) -> bool:
        """Whether all but ``c`` have a reason for what they do in a plan."""
        now = worlds
        for i, b in enumerate(part):
            for other in self.problem.actions[b].consenting:
                self._put(now)
                if other != c and not self._ask(asking.MEANT, x, other, b, longest - i, layer):
                    return False
            self._put(now)
            self._ask(asking.HAPPENS, x, 0, b)
            now = self._worlds()
        return True


def _way_to(space: Space, node: int) -> list[int]:
    """The actions from the start to a node."""
    actions: list[int] = []
    while node > 0:
        actions.append(int(space.actions[node]))
        node = int(space.parents[node])
    return actions[::-1]


def _space(expanded: int, stride: int, capacity: int) -> Space:
    rows, parents, actions, depths, order, heap = (np.zeros(capacity, np.int64) for _ in range(6))
    worlds = np.zeros((expanded, stride), np.int16)
    met = np.zeros(1 << (2 * capacity).bit_length(), np.int64)
    counts = np.zeros(4, np.int64)
    return Space(worlds, rows, parents, actions, depths, order, heap, met, counts)


def as_data(plan: Plan) -> dict[str, Any]:
    """A plan as plain data."""
    return {
        "problem": plan.problem.name,
        "solved": plan.solved,
        "utility": plan.utility,
        "nodes": plan.nodes,
        "simulations": plan.simulations,
        "seconds": round(plan.seconds, 3),
        "stopped": plan.stopped,
        "method": plan.method,
        "plan": _data(plan.problem, plan.steps),
    }


def _data(problem: Problem, steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    return [
        {
            "action": str(problem.actions[s.action]),
            "because": {
                problem.entities[problem.characters[c]]: _data(problem, reason)
                for c, reason in s.reasons.items()
            },
        }
        for s in steps
    ]


def tree(plan: Plan) -> str:
    """The actions, and below each the plans of those who consent to it."""
    lines: list[str] = []
    _tree(plan.problem, plan.steps, lines, "")
    return "\n".join(lines)


def _tree(problem: Problem, steps: tuple[Step, ...], lines: list[str], indent: str) -> None:
    for step in steps:
        lines.append(f"{indent}{problem.actions[step.action]}")
        for c, reason in step.reasons.items():
            who = problem.entities[problem.characters[c]]
            lines.append(f"{indent}  | {who} has in mind:")
            _tree(problem, reason, lines, f"{indent}  |   ")
