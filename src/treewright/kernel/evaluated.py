"""Trees whose leaves a function outside the kernel values (kernel/leaves.py), and its answers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from treewright.errors import EvaluatorError, OptionError
from treewright.kernel import layout
from treewright.kernel.interpreted import Cells, Many, Objects, Records
from treewright.kernel.layout import FROM, GIVEN, LEAVES, MOVERS, Batch
from treewright.kernel.specialise import HERE
from treewright.kernel.worker import Worker

Evaluator = Callable[[Any], Any]

# what each tree has of its own; the rest is scratch, or the same for all
ROWS = ("nodes", "edges", "best", "marks", "table_visits", "table_value", "lows", "highs")
SINGLE = ("root", "best_state")


class Leaves:
    """Rounds of walking to leaves, asking the evaluator and taking in what it says."""

    def __init__(
        self, worker: Worker, kernel: Any, trees: int, evaluate: Evaluator, batch: int
    ) -> None:
        """``worker`` is one of the ``trees``: it knows domain and switches."""
        self._worker, self._kernel = worker, kernel
        self.evaluate, self._count = evaluate, batch
        try:
            self._allocate(batch * trees)
        except (MemoryError, ValueError):  # NumPy says the latter of arrays beyond all bounds
            raise OptionError(
                f"batch={batch} leaves of {trees} trees, with games of up to "
                f"{worker.switches.MAX_LENGTH:,} actions, need more memory than there is"
            ) from None
        self._limits, self.statuses = np.zeros(trees, np.int64), np.zeros(trees, np.int64)
        self._bind()

    def _allocate(self, most: int) -> None:
        worker, on = self._worker, self._worker.switches
        length = on.MAX_LENGTH + 2
        record = worker.domain.is_record
        copier = worker.domain.copy_state
        self._states: Any = (
            np.zeros(2 * most, worker.domain.state) if record else Objects(None, copier, 2 * most)
        )
        self._values, self._weights = np.zeros((most, on.PLAYERS)), np.zeros((most, 0))
        self._state = np.zeros(4, np.int64)
        self._walked = {
            "owner": np.zeros(2 * most, np.int32),
            "players": np.zeros(2 * most, np.int8),
            "paths": np.zeros((2 * most, length), np.int32),
            "movers": np.zeros((2 * most, length), np.int8),
            "depths": np.zeros(2 * most, np.int32),
        }

    def _bind(self) -> None:
        """The arrays as the kernel takes them."""
        arrays: dict[str, Any] = self._walked | {
            "values": self._values,
            "weights": self._weights,
            "state": self._state,
        }
        states: Any = self._states
        ends: tuple[Any, ...] = (self._limits, self.statuses)
        if not self._worker.compiled:
            states = Records(states) if self._worker.domain.is_record else states
            arrays = {name: Cells(array) for name, array in arrays.items()}
            ends = tuple(map(Cells, ends))
        self._bound = (Batch(states=states, **arrays), *ends)
        self._call: Any = None

    def run(self, arrays: tuple[Any, ...], limits: Any, enough: Callable[[], bool]) -> None:
        """Rounds until every tree has reached its limit of simulations, or it is enough.

        ``arrays``: the trees, the tables, and the params, runs and streams of the trees.
        """
        self._limits[:] = limits
        self.statuses[:] = layout.DONE
        self._call = None  # the arrays may be others than in the last run
        alone = self._step(arrays, self._count)
        while alone or self._state[LEAVES]:
            try:
                self._ask()
            except BaseException:
                self._let_go(arrays)
                raise
            alone = self._step(arrays, 0 if enough() else self._count)

    def compile(self, arrays: tuple[Any, ...]) -> None:
        self._call = None
        self._step(arrays, 0)

    def _step(self, arrays: tuple[Any, ...], count: int) -> int:
        if self._call is None:  # packing hundreds of arguments takes longer than a small batch
            fixed = (*arrays, *self._bound)
            kernel = self._kernel
            self._call = kernel.bind(*fixed) if self._worker.compiled else partial(kernel, *fixed)
        alone = int(self._call(count))
        if alone < 0:
            said = self._unfit()
            self._let_go(arrays)
            raise EvaluatorError(said)
        return alone

    def _let_go(self, arrays: tuple[Any, ...]) -> None:
        """The leaves are no longer under way, and nothing is known of them."""
        self._state[GIVEN] = layout.WITHOUT
        self._step(arrays, 0)

    def _ask(self) -> None:
        """Put the evaluator's answer into the batch."""
        made, first = int(self._state[LEAVES]), int(self._state[FROM])
        if not made:
            return
        states = self._states if self._worker.domain.is_record else self._states.rows
        try:
            answer = self.evaluate(states[first : first + made])
        except Exception as error:  # it is anybody's code
            said = f"{type(error).__name__}: {error}"
            raise EvaluatorError(f"evaluate raised {said}") from error
        values, weights = answer if isinstance(answer, tuple) else (answer, None)
        self._take_values(_numbers("values", values), made)
        self._state[GIVEN] = layout.WITHOUT_WEIGHTS
        if weights is not None:
            self._take_weights(_numbers("weights", weights), made)
            self._state[GIVEN] = layout.WITH_WEIGHTS

    def _take_values(self, values: np.ndarray, made: int) -> None:
        players = self._worker.switches.PLAYERS
        if values.shape == (made,) and players <= 2:
            self._values[:made, 0] = values
            self._state[MOVERS] = 1
            return
        if values.shape != (made, players):
            raise EvaluatorError(
                f"evaluate gave values of shape {values.shape} for {made} leaves of "
                f"{self._worker.domain.name}; wanted is {(made, players)}"
                + (f" or {(made,)}" if players <= 2 else "")
            )
        self._values[:made] = values
        self._state[MOVERS] = 0

    def _take_weights(self, weights: np.ndarray, made: int) -> None:
        if weights.ndim != 2 or len(weights) != made:
            raise EvaluatorError(
                f"evaluate gave weights of shape {weights.shape} for {made} leaves of "
                f"{self._worker.domain.name}; wanted is a row for each, by action"
            )
        if weights.shape[1] != self._weights.shape[1]:
            self._weights = np.zeros((len(self._weights), weights.shape[1]))
            self._bind()
        self._weights[:made] = weights

    def _unfit(self) -> str:
        """What is wrong with the numbers that the kernel has refused."""
        made = int(self._state[LEAVES])
        values = self._values[:made, : 1 if self._state[MOVERS] else None]
        for what, given in (("values", values), ("weights", self._weights[:made])):
            if not (np.abs(given) < 1e100).all():
                return f"evaluate gave {what} that are infinite or nan, or beyond 1e100"
        return "evaluate gave a weight below 0; weights are from 0 up"


def _numbers(what: str, given: Any) -> np.ndarray:
    """An evaluator's numbers as an array; whatever library they come from."""
    try:
        if hasattr(given, "detach"):  # PyTorch's, which may be on its way to a gradient
            given = given.detach().cpu()
        elif hasattr(given, "__cuda_array_interface__"):  # CuPy's, which is copied when asked to
            given = given.get()
        if np.iscomplexobj(given):
            raise TypeError("they are complex")
        return np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"evaluate gave {what} that are no numbers: {error}") from None


class EvaluatedWorker(Worker):
    """One tree whose leaves an evaluator values."""

    texts = (*Worker.texts, HERE / "many.py", HERE / "leaves.py")
    entry = "leaves"

    def set_evaluator(self, evaluate: Evaluator, batch: int) -> None:
        self._leaves = Leaves(self, self._module.leaves, 1, evaluate, batch)

    def search(self, simulations: int) -> int:
        """Whole batches, until so many simulations more are made."""
        arrays = self._arrays
        if not simulations:
            self._leaves.compile(arrays)
            return layout.DONE
        enough = int(self.run["simulations"]) + simulations
        self._leaves.run(arrays, self.until, lambda: int(self.run["simulations"]) >= enough)
        return int(self._leaves.statuses[0])

    def interpreted_twin(self) -> Worker:
        twin = super().interpreted_twin()
        assert isinstance(twin, EvaluatedWorker)
        twin.set_evaluator(self._leaves.evaluate, 1)
        return twin

    @property
    def _arrays(self) -> tuple[Any, ...]:
        if self.compiled:
            rows = {name: getattr(self._tree, name)[None] for name in ROWS}
            return (self._tree._replace(**rows), self._tables, *self._seen)
        rows = {name: Many([getattr(self._tree, name)]) for name in (*ROWS, *SINGLE)}
        params, run, rng = self._seen
        return (self._tree._replace(**rows), self._tables, params, run, Many([rng]))
