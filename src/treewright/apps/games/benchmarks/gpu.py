"""Simulations per second of many trees: one core, all cores, a GPU, and mctx on the same GPU.

Ours play each simulation to its end at random.  mctx is given the rules by pgx and a network that
knows nothing and costs nothing, and plays no rollouts at all, so its figure is of leaves.
"""

import functools
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.domain import Domain
from treewright.library.forest import LEAST, Forest
from treewright.library.options import Options, Rollout
from treewright.library.registry import find

TREES = 16_384, 65_536, 262_144  # on the GPU; the best of these is reported
HERE = 64  # trees of each core
BYTES = 128  # of a tree, for each simulation; the report says where that is too little
ROUNDS = 3
MCTX = {64: 65_536, 256: 16_384, 1000: 4_096}  # roots, by simulations: as many as it has room for
LIGHT = Options(c=0.3, fpu=1.1, rollout=Rollout("domain"))  # docs/go.md


@dataclass(frozen=True)
class Case:
    """A domain with its options, and what pgx calls it."""

    name: str
    options: Options | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    pgx: str | None = None

    def domain(self) -> Domain:
        return find(self.name, **self.settings)


CASES = (
    Case("tictactoe", pgx="tic_tac_toe"),
    Case("connect-four", pgx="connect_four"),
    Case("go-9x9", LIGHT, {"playout": "light"}, pgx="go_9x9"),
)


def run(domains: list[str], simulations: list[int]) -> list[dict[str, Any]]:
    """One row for each domain and number of simulations."""
    known = {case.name: case for case in CASES}
    cases = [known.get(name, Case(name)) for name in domains] or list(CASES)
    return [_row(case, each) for case in cases for each in simulations]


def _row(case: Case, simulations: int) -> dict[str, Any]:
    domain = case.domain()
    memory = max(LEAST, BYTES * simulations)
    row: dict[str, Any] = {
        "domain": case.name,
        "simulations": simulations,
        "cores": os.cpu_count() or 1,
        "one_core": _on_cores(case, domain, simulations, memory, 1),
    }
    row["all_cores"] = _on_cores(case, domain, simulations, memory, row["cores"])
    try:
        row |= _on_gpu(case, domain, simulations, memory)
    except TreewrightError as reason:
        row["gpu_reason"] = str(reason)
    row["mctx"] = _mctx(case, simulations)
    return row


def _on_cores(case: Case, domain: Domain, simulations: int, memory: int, cores: int) -> float:
    """Each core has a forest of its own, and all begin at once."""
    forests = [Forest(domain, HERE, case.options, memory=HERE * memory) for _ in range(cores)]
    forests[0].run(2)  # compiles

    def work(forest: Forest) -> None:
        forest.run(simulations)

    rates = []
    with ThreadPoolExecutor(cores) as pool:
        for seed in range(ROUNDS):
            for forest in forests:
                forest.begin(HERE, seed=seed)
            started = time.perf_counter()
            list(pool.map(work, forests))
            rates.append(HERE * cores * simulations / (time.perf_counter() - started))
    return statistics.median(rates)


def _on_gpu(case: Case, domain: Domain, simulations: int, memory: int) -> dict[str, Any]:
    """The best rate over numbers of trees, the search alone and with beginning and answer."""
    best: dict[str, Any] = {}
    for trees in TREES:
        try:
            forest = Forest(domain, trees, case.options, memory=trees * memory, engine="gpu")
        except TreewrightError:
            if best:  # more trees than there is memory for
                break
            raise
        forest.run(simulations)  # compiles, and finds out which kernel is the fastest
        rates, whole = [], []
        for seed in range(ROUNDS):
            began = time.perf_counter()
            forest.begin(trees, seed=seed)
            started = time.perf_counter()
            forest.run(simulations)
            ended = time.perf_counter()
            _ = forest.best
            rates.append(trees * simulations / (ended - started))
            whole.append(trees * simulations / (time.perf_counter() - began))
        full = bool(forest._trees.runs["full"].any())
        rate = statistics.median(rates)
        del forest
        if rate < best.get("gpu", 0.0):
            break
        best = {"gpu": rate, "whole": statistics.median(whole), "trees": trees, "full": full}
    return best


def _mctx(case: Case, simulations: int) -> float | None:
    """Leaves per second of mctx with pgx, or None."""
    if case.pgx is None:
        return None
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        search, roots = _mctx_search(case.pgx, simulations)
    except (ImportError, ValueError):  # pgx knows no such game
        return None
    rates = []
    for seed in range(ROUNDS + 1):
        started = time.perf_counter()
        search(seed)
        rates.append(roots * simulations / (time.perf_counter() - started))
    return statistics.median(rates[1:])  # the first one compiles


@functools.cache
def _mctx_search(game: str, simulations: int) -> tuple[Callable[[int], Any], int]:
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    rules: Any = pgx.make(game)  # type: ignore[arg-type]
    roots = MCTX.get(simulations, 4096)
    state = jax.jit(jax.vmap(rules.init))(jax.random.split(jax.random.PRNGKey(0), roots))
    step = jax.vmap(rules.step)

    def next_state(params: Any, key: Any, action: Any, state: Any) -> Any:
        after = step(state, action)
        output = mctx.RecurrentFnOutput(
            reward=after.rewards[jnp.arange(roots), state.current_player],
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=jnp.where(after.legal_action_mask, 0.0, -1e9),
            value=jnp.zeros(roots),
        )
        return output, after

    @jax.jit  # type: ignore[untyped-decorator]
    def policy(state: Any, key: Any) -> Any:
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        root = mctx.RootFnOutput(prior_logits=logits, value=jnp.zeros(roots), embedding=state)
        found = mctx.muzero_policy(
            None,
            key,
            root,
            next_state,
            num_simulations=simulations,
            invalid_actions=~state.legal_action_mask,
        )
        return found.action

    return lambda seed: policy(state, jax.random.PRNGKey(seed)).block_until_ready(), roots


def line(row: dict[str, Any]) -> str:
    """A row for people."""
    parts = [
        f"{row['domain']}, {row['simulations']:,} simulations a root, million a second:",
        f"one core {_millions(row['one_core'])},",
        f"{row['cores']} cores {_millions(row['all_cores'])},",
    ]
    if "gpu" in row:
        times = row["gpu"] / row["one_core"]
        parts += [
            f"GPU {_millions(row['gpu'])} ({times:,.0f} times one core; {row['trees']:,} trees;",
            f"with beginning and answer {_millions(row['whole'])})",
        ]
        if row["full"]:
            parts.append("and its memory was full,")
    else:
        parts.append(row["gpu_reason"])
    parts.append(f"; mctx {_millions(row['mctx'])}" if row["mctx"] else "; no mctx")
    return " ".join(parts).replace(" ;", ";")


def _millions(rate: float) -> str:
    return f"{rate / 1e6:,.3g}" if rate < 1e8 else f"{rate / 1e6:,.0f}"


def table(rows: list[dict[str, Any]]) -> str:
    """The rows, one after the other."""
    return "\n".join(line(row) for row in rows)
