"""A method turned inside out: it asks for one point at a time and is told the value later.

The method runs in a thread of its own and waits there for the values, so that any caller who
evaluates points in his own time (Optuna, a laboratory) can use it.
"""

import math
import queue
import threading
from typing import Any

import numpy as np

from treewright.apps.functions.minimize import minimize
from treewright.apps.functions.space import Space
from treewright.errors import OptionError


class Asking:
    """``ask()`` gives a number and a point, ``tell(number, value)`` its value, in any order.

    While the method waits for values that are still out, further points are uniformly random.
    """

    def __init__(
        self, bounds: Any, budget: int = 10_000, method: str | None = None, seed: int = 0
    ) -> None:
        self.space = Space(bounds)
        self._rng = np.random.default_rng([seed, 1])
        self._open: dict[int, tuple[Any, int]] = {}
        self._next = 0
        self._points: queue.Queue[Any] = queue.Queue()
        self._lock = threading.Lock()
        self._failure: Exception | None = None  # of the method, in its thread
        arguments = {"budget": budget, "method": method, "seed": seed, "vectorized": True}
        self._thread = threading.Thread(
            target=self._run, args=(bounds, arguments), name="treewright-asking", daemon=True
        )
        self._thread.start()

    def ask(self) -> tuple[int, Any]:
        """The next point to evaluate, with the number to tell its value by."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            number = self._next
            self._next += 1
            waiting = any(batch is not None for batch, _ in self._open.values())
            try:
                # the method is computing unless it waits for values that are still out
                batch, at = self._points.get(block=not waiting and self._thread.is_alive())
            except queue.Empty:
                batch, at = None, 0
            self._open[number] = (batch, at)
            if batch is None:
                point = self._rng.uniform(self.space.low, self.space.high)
                return number, self.space.given(self.space.values(point))
            return number, self.space.given(batch.points[at].copy())

    def tell(self, number: int, value: float) -> None:
        """The value of a point; what is no number counts as infinitely bad."""
        if number not in self._open:
            raise OptionError(f"point {number} was not asked for, or was told before")
        batch, at = self._open.pop(number)
        if batch is not None:
            batch.tell(at, math.inf if math.isnan(value) else value)

    def _run(self, bounds: Any, arguments: dict[str, Any]) -> None:
        try:
            minimize(self._evaluate, bounds, **arguments)
        except Exception as error:
            self._failure = error
        self._points.put((None, 0))  # whoever waits goes on with random points

    def _evaluate(self, points: np.ndarray) -> np.ndarray:
        batch = _Batch(points)
        for i in range(len(points)):
            self._points.put((batch, i))
        batch.ready.wait()
        return batch.values


class _Batch:
    """Points that the method wants evaluated together."""

    def __init__(self, points: np.ndarray) -> None:
        self.points = points
        self.values = np.empty(len(points))
        self.left = len(points)
        self.ready = threading.Event()
        self._lock = threading.Lock()

    def tell(self, at: int, value: float) -> None:
        with self._lock:
            self.values[at] = value
            self.left -= 1
            if self.left == 0:
                self.ready.set()
