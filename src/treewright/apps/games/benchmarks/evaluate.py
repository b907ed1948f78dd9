"""Leaves per CPU second with an evaluator that knows nothing: ``tw.Forest`` beside mctx.

Both search many empty boards of Connect Four at once by PUCT, on one core, in turns.  mctx's
game is that of pgx.  A constant evaluator takes hardly any time, so this is the search's own.
"""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from treewright.library.forest import Forest
from treewright.library.options import Options
from treewright.library.registry import make

C = 1.25
SIZES = ((256, 64), (64, 256))  # roots, simulations of each
MOVES = 7
Run = Callable[[], float]  # the CPU seconds of one search of all roots


def ours(roots: int, simulations: int) -> Run:
    def evaluate(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.full(len(states), 0.5), np.ones((len(states), MOVES))

    options = Options(puct=True, c=C)
    forest = Forest(make("connect-four"), roots, options, evaluate=evaluate, memory="256MiB")
    seeds = count()

    def run() -> float:
        forest.begin(roots, seed=next(seeds))
        started = time.process_time()
        forest.run(simulations)
        return time.process_time() - started

    return run


def mctx_with_pgx(roots: int, simulations: int) -> Run:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    one_thread = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", one_thread)
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    game = pgx.make("connect_four")

    def step(_: Any, key: Any, action: Any, state: Any) -> Any:
        state = jax.vmap(game.step)(state, action)
        mover = 1 - state.current_player  # who has just moved
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(roots), mover],
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=jnp.where(state.legal_action_mask, 0.0, -1e9),
            value=jnp.zeros(roots),
        )
        return output, state

    def search(key: Any) -> Any:
        state = jax.vmap(game.init)(jax.random.split(key, roots))
        logits = jnp.zeros((roots, MOVES))
        root = mctx.RootFnOutput(prior_logits=logits, value=jnp.zeros(roots), embedding=state)
        policy = mctx.muzero_policy(
            None, key, root, step, num_simulations=simulations, dirichlet_fraction=0.0
        )
        return policy.action_weights

    compiled = jax.jit(search)
    seeds = count()

    def run() -> float:
        key = jax.random.PRNGKey(next(seeds))
        started = time.process_time()
        compiled(key).block_until_ready()
        return time.process_time() - started

    return run


CONTESTANTS: dict[str, Callable[[int, int], Run]] = {
    "mctx with pgx": mctx_with_pgx,
    "tw.Forest": ours,
}


def run(seconds: float) -> list[dict[str, Any]]:
    """Measure every contestant that is installed, in turns."""
    rows = []
    with _one_core():
        for roots, simulations in SIZES:
            least = _least(roots, simulations, seconds)
            for name in CONTESTANTS:
                row = {"name": name, "roots": roots, "simulations": simulations}
                spent = least.get(name)
                rate = roots * simulations / spent if spent else None
                ratio = spent / least["tw.Forest"] if spent else None
                rows.append({**row, "rate": rate, "ratio": ratio})
    return rows


def _least(roots: int, simulations: int, seconds: float) -> dict[str, float]:
    """The least CPU seconds of each: whatever else the machine does only adds to them."""
    ready: dict[str, Run] = {}
    for name, build in CONTESTANTS.items():
        with contextlib.suppress(ImportError):
            ready[name] = build(roots, simulations)
            ready[name]()  # compile
    least = dict.fromkeys(ready, math.inf)
    spent = 0.0
    while spent < seconds:
        for name, search in ready.items():
            took = search()
            least[name] = min(least[name], took)
            spent += took
    return least


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """Bind this thread, and those that it starts, to one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for people."""
    lines = [f"{'roots of simulations':22}{'library':16}{'leaves/CPU s':>14}{'tw.Forest is':>16}"]
    for row in rows:
        size = f"{row['roots']} of {row['simulations']}"
        rate = f"{row['rate']:,.0f}" if row["rate"] else "-"
        ratio = f"{row['ratio']:,.2f} x" if row["ratio"] else "not installed"
        lines.append(f"{size:22}{row['name']:16}{rate:>14}{ratio:>16}")
    return "\n".join(lines)
