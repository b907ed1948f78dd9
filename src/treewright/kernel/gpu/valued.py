"""Trees in a GPU's memory whose leaves an evaluator values, on the same device if it can.

The rounds are those of ``kernel/evaluated.py``: walk to leaves, ask, take in what is said.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.errors import EvaluatorError
from treewright.kernel import layout
from treewright.kernel.evaluated import Evaluator, _numbers
from treewright.kernel.gpu.handed import HandedStates, taken
from treewright.kernel.gpu.leaves_thread import BELOW, CHECK
from treewright.kernel.gpu.pools import Place, batch_places, place
from treewright.kernel.gpu.trees import GpuTrees
from treewright.kernel.layout import FROM, GIVEN, LEAVES, MOVERS, Batch
from treewright.kernel.worker import Worker

DOUBLE = np.dtype(np.float64)


class ValuedTrees(GpuTrees):
    """Trees like that of a worker; a thread walks to ``batch`` leaves of each."""

    def __init__(
        self, like: Worker, count: int, device: Any, evaluate: Evaluator, batch: int
    ) -> None:
        self._evaluate, self._each, self._rows = evaluate, batch, count * batch
        self._read: dict[str, Any] = {}
        self._most = 0  # simulations that a tree may have had
        self._by_kinds: dict[tuple[str, str], Any] = {}
        super().__init__(like, count, device)
        self._values: tuple[int, Place] = (0, place(DOUBLE, 0, like.switches.PLAYERS))
        self._weights: tuple[int, Place] = (0, place(DOUBLE, 0, 0))
        self._state = np.zeros(4, np.int64)
        self._state[FROM] = batch
        for name, one in self._batch()._asdict().items():
            if name not in ("values", "weights"):
                self._make(f"leaves' {name}", one.dtype.itemsize * int(np.prod(one.shape)))

    def _searching(self) -> list[Any]:
        return []  # it depends on the numbers that the evaluator gives

    def _batch(self) -> Batch:
        on, state = self._like.switches, np.dtype(self._like.domain.state)
        return batch_places(on, state, self._rows, self._values[1], self._weights[1])

    def compile(self) -> None:
        self._kernel()

    def _kernel(self) -> Any:
        kinds = self._values[1].dtype.name, self._weights[1].dtype.name
        if kinds not in self._by_kinds:
            self._by_kinds[kinds] = self._device.valuing(self._like, kinds)
        return self._by_kinds[kinds]

    def run(self, limits: np.ndarray, slice_: int, enough: Callable[[], bool]) -> None:
        """Rounds until each tree has so many simulations, or it is enough."""
        self._device.use()
        self._put("params", self._like._params)
        self._put("limits", np.asarray(limits, np.int64))
        self._device.clear(self._addresses["statuses"], self.statuses.nbytes)
        self._most = int(self.made.max())
        self._step(self._each)
        over = False
        while not over and (self._leaves() or self._unfinished(limits)):
            try:
                self._ask()
            except BaseException:
                self._let_go()
                raise
            over = enough()
            self._step(0 if over else self._each)
        self._device.get(self._addresses["statuses"], self.statuses)
        self.made = self.runs["simulations"].copy()

    def _step(self, leaves: int) -> None:
        self._state[LEAVES] = leaves
        self._most += max(0, leaves)
        self._tabulate(self._most + self._each + 2)
        self._device.put(self._addresses["leaves' state"], self._state)
        answers = {"values": self._values, "weights": self._weights}
        batch = tuple(
            answers.get(name) or (self._addresses[f"leaves' {name}"], one)
            for name, one in self._batch()._asdict().items()
        )
        self._device.launch(self._kernel(), self.count, [*self._arguments(), batch, 1])
        self._stale = True

    def _leaves(self) -> int:
        """How many leaves are under way."""
        self._under_way = self._get("leaves' depths", place(np.int32, self._rows)) > 0
        return int(self._under_way.sum())

    def _unfinished(self, limits: np.ndarray) -> bool:
        """Whether games that ended by themselves were all that the last round had."""
        self._device.get(self._addresses["statuses"], self.statuses)
        return bool(((self.statuses == layout.DONE) & (self.runs["simulations"] < limits)).any())

    def _let_go(self) -> None:
        """The leaves are no longer under way, and nothing is known of them."""
        self._state[GIVEN] = layout.WITHOUT
        self._step(0)

    def _ask(self) -> None:
        if not self._under_way.any():
            return
        one = place(self._like.domain.state, self._rows)
        states = HandedStates(self._device, self._addresses["leaves' states"], one)
        try:
            answer = self._evaluate(states)
        except Exception as error:  # it is anybody's code
            said = f"{type(error).__name__}: {error}"
            raise EvaluatorError(f"evaluate raised {said}") from error
        self._device.use()
        self._device.wait()  # for what other libraries have under way
        values, weights = answer if isinstance(answer, tuple) else (answer, None)
        self._take("values", values)
        self._state[GIVEN] = layout.WITHOUT_WEIGHTS
        if weights is not None:
            self._take("weights", weights)
            self._state[GIVEN] = layout.WITH_WEIGHTS
        self._check()

    def _take(self, what: str, given: Any) -> None:
        """Note where the numbers lie: on the device already, or after a copy."""
        found = taken(what, given)
        address, one = self._copied(what, given) if found is None else found
        rows, players = self._rows, self._like.switches.PLAYERS
        wanted = [(rows, players), *([(rows,)] if players <= 2 else [])]
        fits = len(one.shape) == 2 and one.shape[0] == rows
        if one.shape not in wanted if what == "values" else not fits:
            raise EvaluatorError(
                f"evaluate gave {what} of shape {one.shape} for {rows} leaves of "
                f"{self._like.domain.name}; wanted is a row for each"
            )
        if what == "values":
            self._state[MOVERS] = len(one.shape) == 1
        self._read[what] = given  # it must not be freed while the device reads it
        setattr(self, f"_{what}", (address, _wide(one)))

    def _copied(self, what: str, given: Any) -> tuple[int, Place]:
        """Numbers of the CPU's memory, on the device."""
        numbers = np.ascontiguousarray(_numbers(what, given))
        self._make(f"leaves' {what}", numbers.nbytes)
        self._device.put(self._addresses[f"leaves' {what}"], numbers)
        return self._addresses[f"leaves' {what}"], place(DOUBLE, *numbers.shape)

    def _check(self) -> None:
        """Refuse numbers that are none, before any is taken in."""
        self._step(CHECK)
        found = self._get("leaves' owner", place(np.int32, self._rows))
        if found.any():
            below = (found[found > 0] == BELOW).all()
            raise EvaluatorError(
                "evaluate gave a weight below 0; weights are from 0 up"
                if below
                else "evaluate gave values or weights that are infinite or nan"
            )


def _wide(one: Place) -> Place:
    """Two axes, though the evaluator has given one number for each leaf."""
    if len(one.shape) == 2:
        return one
    return one._replace(shape=(*one.shape, 1), strides=(*one.strides, one.dtype.itemsize))
