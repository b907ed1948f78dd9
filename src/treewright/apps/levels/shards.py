"""Thousands of levels: a set for each shard, written by the machine that made it."""

import hashlib
import itertools
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.apps.levels.formats import FORMATS, write_level
from treewright.apps.levels.generate import Made, generate_many
from treewright.library.cluster.jobs import Cluster, Shared
from treewright.workshop.commands import emit, exit_if_interrupted
from treewright.workshop.shards import Entry, Target, put, write_shards

IN_A_SHARD = 100
APART = 1_000_000  # between the first seeds of two shards


@dataclass(frozen=True)
class Order:
    """What every shard is made of; ``wishes`` are the chain and the controls."""

    wishes: Any
    count: int
    seed: int
    rollouts: int
    shared: float
    kind: str
    target: Target

    @property
    def shards(self) -> int:
        return -(-self.count // IN_A_SHARD)


def make_shard(order: Order, number: int) -> Entry:
    """Generate and write one shard; near duplicates are dropped within it, not between shards."""
    chain, controls = order.wishes.get() if isinstance(order.wishes, Shared) else order.wishes
    size = min(IN_A_SHARD, order.count - number * IN_A_SHARD)
    first = order.seed + number * APART
    found = generate_many(
        chain, controls, size, first, rollouts=order.rollouts, shared=order.shared
    )
    with tempfile.TemporaryDirectory() as folder:
        files = list(_files(found, order.kind, Path(folder), number * IN_A_SHARD))
    return put(order.target, number, files, levels=size, first=number * IN_A_SHARD, seed=first)


def _files(
    found: Iterator[Made], kind: str, folder: Path, first: int
) -> Iterator[tuple[str, bytes]]:
    rows = []
    for number, made in enumerate(found, start=first + 1):
        path = folder / f"level-{number:06d}{FORMATS[kind]}"
        write_level(made.level, path, kind)
        rows.append(json.dumps({"file": path.name, "seed": made.seed, **made.counts}))
        for file in sorted(folder.iterdir()):
            yield file.name, file.read_bytes()
            file.unlink()
    yield "levels.jsonl", ("\n".join(rows) + "\n").encode()


def write_sharded(
    wishes: tuple[Any, Any],
    count: int,
    seed: int,
    rollouts: int,
    shared: float,
    kind: str,
    target: str,
    cluster: str | None,
    seen: Callable[[int, int], object] | None,
    as_json: bool,
) -> None:
    """``level generate --shards``: have the shards made that are missing, and say what is there."""
    order = Order(wishes, count, seed, rollouts, shared, kind, Target(target))
    controls = repr(wishes[1])
    made_with: dict[str, Any] = {
        "levels": count,
        "seed": seed,
        "rollouts": rollouts,
        "shared": shared,
    }
    made_with |= {"format": kind, "controls": controls, "chain": _mark(wishes[0])}
    listed: list[Entry] = []

    def watch(entries: list[Entry]) -> None:
        listed[:] = entries
        if seen is not None:
            seen(sum(e["levels"] for e in entries), 0)

    new, stopped = 0, False
    try:
        for _ in write_shards(order.target, made_with, order.shards, _maker(order, cluster), watch):
            new += 1
    except KeyboardInterrupt:
        stopped = True
    levels, size = sum(e["levels"] for e in listed), sum(e["bytes"] for e in listed)
    text = (
        f"{order.target.url}: {levels:,} of {count:,} levels in {len(listed)} shards, "
        f"{size / 1e6:.1f} MB, {new} of them made now"
    )
    emit({"target": order.target.url, "levels": levels, "made": new, "bytes": size}, text, as_json)
    exit_if_interrupted(stopped)


def _mark(chain: Any) -> str:
    """Which corpus the levels are made of."""
    corpus = repr((type(chain).__name__, [level.columns for level in chain.corpus]))
    return hashlib.sha256(corpus.encode()).hexdigest()[:12]


def _maker(order: Order, cluster: str | None) -> Callable[[list[int]], Iterator[Entry]]:
    """What makes shards: this machine, or those of a cluster."""

    def make(numbers: list[int]) -> Iterator[Entry]:
        if cluster is None:
            yield from (make_shard(order, number) for number in numbers)
        elif numbers:
            with Cluster(cluster) as there:
                order_there = replace(order, wishes=Shared(order.wishes))
                yield from there.map(make_shard, itertools.repeat(order_there), numbers)

    return make
