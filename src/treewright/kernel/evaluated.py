"""Trees whose leaves a function outside the kernel values (kernel/leaves.py), and its answers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.errors import EvaluatorError
from treewright.kernel import layout
from treewright.kernel.interpreted import Cells, Many, Objects, Records
from treewright.kernel.layout import Batch
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
        on, most = worker.switches, batch * trees
        length = on.MAX_LENGTH + 2
        record = worker.domain.is_record
        copier = worker.domain.copy_state
        self._states: Any = (
            np.zeros(most, worker.domain.state) if record else Objects(None, copier, most)
        )
        self._numbers: dict[str, np.ndarray] = {
            "owner": np.zeros(most, np.int32),
            "players": np.zeros(most, np.int8),
            "paths": np.zeros((most, length), np.int32),
            "movers": np.zeros((most, length), np.int8),
            "depths": np.zeros(most, np.int32),
            "values": np.zeros((most, on.PLAYERS)),
            "weights": np.zeros((0, 0)),
            "state": np.zeros(2, np.int64),
        }
        self._limits, self.statuses = np.zeros(trees, np.int64), np.zeros(trees, np.int64)

    def run(self, arrays: tuple[Any, ...], limits: Any, enough: Callable[[], bool]) -> None:
        """Rounds until every tree has reached its limit of simulations, or it is enough.

        ``arrays``: the trees, the tables, and the params, runs and streams of the trees.
        """
        self._limits[:] = limits
        self.statuses[:] = layout.DONE
        alone = self._step(arrays, self._count)
        while alone or self._numbers["state"][0]:
            self._ask(arrays)
            alone = self._step(arrays, 0 if enough() else self._count)

    def compile(self, arrays: tuple[Any, ...]) -> None:
        self._step(arrays, 0)

    def _step(self, arrays: tuple[Any, ...], count: int) -> int:
        if self._worker.compiled:
            batch = Batch(states=self._states, **self._numbers)
            return int(self._kernel(*arrays, batch, self._limits, self.statuses, count))
        states = Records(self._states) if self._worker.domain.is_record else self._states
        batch = Batch(states=states, **{k: Cells(v) for k, v in self._numbers.items()})
        return int(self._kernel(*arrays, batch, Cells(self._limits), Cells(self.statuses), count))

    def _ask(self, arrays: tuple[Any, ...]) -> None:
        """Put the evaluator's answer into the batch; without one, the leaves are let go."""
        made = int(self._numbers["state"][0])
        if not made:
            return
        record = self._worker.domain.is_record
        asked = self._states[:made] if record else self._states.rows[:made]
        try:
            self._take(self._answer(asked), made)
        except BaseException:
            self._numbers["state"][1] = layout.WITHOUT
            self._step(arrays, 0)
            raise

    def _answer(self, asked: Any) -> Any:
        try:
            return self.evaluate(asked)
        except Exception as error:  # it is anybody's code
            said = f"{type(error).__name__}: {error}"
            raise EvaluatorError(f"evaluate raised {said}") from error

    def _take(self, answer: Any, made: int) -> None:
        values, weights = answer if isinstance(answer, tuple) else (answer, None)
        values = _numbers("values", values)
        players = self._worker.switches.PLAYERS
        if values.shape == (made,) and players <= 2:
            values = self._both(values) if players == 2 else values[:, None]
        if values.shape != (made, players):
            raise EvaluatorError(
                f"evaluate gave values of shape {values.shape} for {made} leaves of "
                f"{self._worker.domain.name}; wanted is {(made, players)}"
                + (f" or {(made,)}" if players <= 2 else "")
            )
        self._numbers["values"][:made] = values
        self._numbers["state"][1] = layout.WITHOUT_WEIGHTS
        if weights is not None:
            weights = _numbers("weights", weights)
            if weights.ndim != 2 or len(weights) != made:
                raise EvaluatorError(
                    f"evaluate gave weights of shape {weights.shape} for {made} leaves of "
                    f"{self._worker.domain.name}; wanted is a row for each, by action"
                )
            if (weights < 0).any():
                raise EvaluatorError("evaluate gave a weight below 0; weights are from 0 up")
            self._numbers["weights"] = np.ascontiguousarray(weights)
            self._numbers["state"][1] = layout.WITH_WEIGHTS

    def _both(self, values: np.ndarray) -> np.ndarray:
        """Each player's reward, from that of the player to move: together they have 1."""
        first = np.where(self._numbers["players"][: len(values)] == 0, values, 1.0 - values)
        return np.stack([first, 1.0 - first], axis=1)


def _numbers(what: str, given: Any) -> np.ndarray:
    """An evaluator's numbers as an array; whatever library they come from."""
    try:
        if hasattr(given, "detach"):  # PyTorch's, which may be on its way to a gradient
            given = given.detach().cpu()
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"evaluate gave {what} that are no numbers: {error}") from None
    if not np.isfinite(found).all():
        raise EvaluatorError(f"evaluate gave {what} that are infinite or nan")
    return found


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
