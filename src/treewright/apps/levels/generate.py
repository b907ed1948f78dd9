"""From wishes to levels: MCMCTS's outer loop, again and again until enough levels are kept.

Each move spends a fixed number of rollouts and commits a pattern (section "Markov Chain Monte
Carlo Tree Search"; 200 rollouts, 320 slices): the first that the chain has drawn among those whose
best rollout is about as good as any.  Taking the highest mean instead would leave the style of the
corpus, since what is a little risky would never be built; but the search is there to find the way
through, and one good rollout shows that there is one.  If every rollout of a move failed, it gets
more of them; if that does not help, the level is begun again with another stream.
"""

import functools
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import count as count_from
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.apps.levels.balance import Balance
from treewright.apps.levels.chain import Chain, learn
from treewright.apps.levels.controls import Controls, counts
from treewright.apps.levels.copies import Shelf
from treewright.apps.levels.domain import OPTIONS, Levels
from treewright.apps.levels.finish import Played, play_live
from treewright.apps.levels.formats import read_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import playable
from treewright.apps.levels.repair import distance, repaired
from treewright.apps.levels.score import FAILED
from treewright.apps.levels.tilechain import TileChain, learn_tiles
from treewright.apps.levels.tiledomain import TileLevels
from treewright.apps.levels.tiles import LevelError
from treewright.kernel.rng import stream_seed
from treewright.library.cluster.jobs import Cluster, Shared
from treewright.library.options import Options
from treewright.library.search import Search

if TYPE_CHECKING:
    from concurrent.futures import Future

ROLLOUTS = 200
SLACK = 0.02  # of the reward: how much worse than the best rollout the chain's own move may be
PATIENCE = 4  # how often a move without a good rollout gets as many again
ATTEMPTS = 20  # levels begun, for one that can be finished
NEAR_MISSES = 5  # of them that keep almost all wishes, before the nearest is taken
MEMORY = "64MiB"
CANDIDATES = 2  # for each place in a set of levels
SHARED = 0.6  # of its slices, in order, that a level may have in common with another one


@functools.cache
def own_corpus() -> tuple[Level, ...]:
    """The levels that come with Treewright."""
    with as_file(files("treewright.apps.levels") / "corpus") as folder:
        return tuple(replace(level, where=Path(level.where).stem) for level in read_corpus(folder))


@functools.cache
def own_chain() -> Chain:
    return learn(own_corpus())


def own_levels(length: int = 320, difficulty: float = 0.5) -> Levels:
    """The registered domain: levels in the style of our own corpus."""
    return Levels(own_chain(), Controls(length=length, difficulty=(difficulty,)))


def own_tile_levels(length: int = 320, difficulty: float = 0.5) -> TileLevels:
    """The same tile by tile, as in Snodgrass & Ontañón's chains."""
    chain = learn_tiles(own_corpus())
    return TileLevels(chain, Controls(length=length, difficulty=(difficulty,)))


Seen = Callable[[Search], object]  # is shown the search while a level grows


@dataclass(frozen=True)
class Made:
    """A generated level and what it took."""

    level: Level
    seed: int
    rollouts: int
    moves: int
    attempts: int
    seconds: float  # of one core
    score: float  # the reward of the finished level, in [0, 1]
    missed: str = ""  # the wishes that this level, the nearest, does not keep
    played: Played | None = None  # with its enemies alive, if that was asked for

    @property
    def counts(self) -> dict[str, float]:
        return counts(self.level)


def compile_kernel(domain: "Maker") -> None:
    """Compile, or load, what generating will need, so that it does not count as search."""
    Search(domain, OPTIONS, memory=MEMORY).run_phases(1, simulations=2)


def attempt(
    domain: "Maker",
    seed: int,
    rollouts: int = ROLLOUTS,
    options: Options = OPTIONS,
    seen: Seen | None = None,
) -> tuple[list[int], int, float] | None:
    """One level: its actions, the rollouts spent and its reward; ``None`` if it got stuck."""
    search = Search(domain, options, seed=seed, memory=MEMORY)
    made = search.run_phases(
        simulations=rollouts,
        slack=SLACK,
        accept=FAILED,
        patience=PATIENCE,
        progress=None if seen is None else lambda _: seen(search),
    )
    if made.stopped == "interrupt":
        raise KeyboardInterrupt
    position = search.position
    if made.stopped == "refused" or position.state.dead:
        return None
    if seen is not None:
        seen(search)  # the whole level, however little time it took
    return search.history, search.simulations, position.rewards()[0]


def generate(
    domain: "Maker",
    seed: int = 0,
    rollouts: int = ROLLOUTS,
    options: Options = OPTIONS,
    *,
    strict: bool = False,
    enemies_safe: bool = False,
    seen: Seen | None = None,
) -> Made:
    """One level that keeps all wishes, or the nearest that was found, which says what it misses.

    ``strict`` makes a miss an error.  ``enemies_safe`` keeps only levels that the search finishes
    with their enemies alive (finish.py).
    """
    began = time.process_time()
    spent = unsafe = 0
    best: tuple[float, Made] | None = None
    given_marks = any(piece.marked for _, piece in domain.controls.fixed)
    wishes = domain.controls
    for number in range(ATTEMPTS):
        found = attempt(domain, stream_seed(seed, number) % 2**62, rollouts, options, seen)
        if found is None:
            continue
        actions, used, score = found
        spent += used
        level = domain.level(actions, f"level {seed}")
        if given_marks and not playable(level, wishes.player):
            continue  # the search goes from the first column to the last
        if wishes.missed(level) and isinstance(domain, Levels):
            level = repaired(level, domain.chain, wishes, domain.fixed)
        played = play_live(level, seed) if enemies_safe else None
        if played is not None and not played.finished:
            unsafe += 1
            continue
        seconds = time.process_time() - began
        missed = _missed(wishes, wishes.missed(level))
        far = distance(wishes, level)
        made = Made(level, seed, spent, len(actions), number + 1, seconds, score, missed, played)
        if best is None or far < best[0]:
            best = far, made
        if not missed:
            return made
        if number >= NEAR_MISSES:
            break
    if best is None:
        raise LevelError(_why(wishes, unsafe))
    if strict:
        raise LevelError(f"these wishes can't all hold, in {number + 1} attempts: {best[1].missed}")
    return best[1]


def _missed(controls: Controls, missed: dict[str, float]) -> str:
    """Which wishes a level does not keep, in words."""
    wishes = []
    for name, have in missed.items():
        low, high = controls.ranges()[name] or (0.0, 0.0)
        wished = f"{low:g} to {high:g}" if high > low else f"{low:g}"
        wishes.append(f"{name} {wished} (the nearest level has {have:g})")
    return "; ".join(wishes)


def _why(controls: Controls, unsafe: int) -> str:
    """Why there is no level at all."""
    if unsafe:
        return (
            f"{unsafe} of {ATTEMPTS} levels could not be finished with their enemies alive, the "
            f"others not at all; ask for fewer enemies, or leave out --enemies-safe"
        )
    fixed = ", ".join(f"{piece.where} at column {at + 1}" for at, piece in controls.fixed)
    about = f"the fixed pieces ({fixed}) leave no way through; " if fixed else ""
    return (
        f"no level could be finished in {ATTEMPTS} attempts: {about}try more rollouts, another "
        f"corpus, a higher copy limit, or the small player"
    )


# ----------------------------------------------------------------------------- many levels


Maker = Levels | TileLevels
_worker: Maker | None = None


def domain_of(chain: Chain | TileChain, controls: Controls) -> Maker:
    """The domain of a chain, of slices or of tiles."""
    return Levels(chain, controls) if isinstance(chain, Chain) else TileLevels(chain, controls)


def _begin(chain: Chain | TileChain, controls: Controls) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    _worker = domain_of(chain, controls)


def _one(seed: int, rollouts: int, strict: bool, enemies_safe: bool) -> Made:
    assert _worker is not None
    return generate(_worker, seed, rollouts, strict=strict, enemies_safe=enemies_safe)


def generate_many(
    chain: Chain | TileChain,
    controls: Controls,
    count: int,
    seed: int = 0,
    *,
    rollouts: int = ROLLOUTS,
    workers: int = 1,
    cluster: str | None = None,
    shared: float = SHARED,
    strict: bool = False,
    enemies_safe: bool = False,
    progress: Callable[[int, int], object] | None = None,
    seen: Seen | None = None,
    domain: Maker | None = None,
) -> Iterator[Made]:
    """Levels one by one, in the order of their seeds, without near duplicates.

    A level that has more than ``shared`` of its slices, in order, in common with an earlier one
    is dropped.  Of every ``CANDIDATES`` that are left, the set gets the one that keeps it nearest
    to the corpus (balance.py); a single level is the first.  The same seed gives the same levels
    with any number of ``workers``, here or on the machines of a ``cluster``.  ``progress`` is told
    how many were kept and how many dropped as duplicates, ``seen`` is shown the search while a
    level grows (with one worker).  ``domain``: the one of this chain, if it was made before.
    """
    domain = domain or domain_of(chain, controls)
    shelf = Shelf(controls.length)
    balance = Balance(chain.corpus)
    candidates: list[Made] = []
    kept = dropped = 0
    stream = (
        _stream(domain, seed, rollouts, workers, strict, enemies_safe, seen)
        if cluster is None
        else _on_cluster(cluster, domain, seed, rollouts, workers, strict, enemies_safe)
    )
    for made in stream:
        if kept and shared < 1 and shelf.nearest(made.level.columns) > shared:
            dropped += 1
            if dropped > 20 + 5 * count:
                raise LevelError(
                    f"only {kept} of {count} levels differ enough: {dropped} shared more than "
                    f"{shared:.0%} of their slices with an earlier one; allow more, or use a "
                    f"richer corpus"
                )
        else:
            candidates.append(made)
        if len(candidates) == (CANDIDATES if count > 1 else 1):
            best = candidates[balance.add_nearest([c.level for c in candidates])]
            candidates = []
            shelf.add(best.level.columns)
            kept += 1
            yield best
        if progress is not None:
            progress(kept, dropped)
        if kept == count:
            return


def _on_cluster(
    cluster: str,
    domain: Maker,
    seed: int,
    rollouts: int,
    workers: int,
    strict: bool,
    enemies_safe: bool,
) -> Iterator[Made]:
    """The same levels in the same order, made on the machines of a cluster."""
    with Cluster(cluster, workers if workers > 1 else None) as there:
        wishes = Shared((domain.chain, domain.controls))
        how = repeat(rollouts), repeat(strict), repeat(enemies_safe)
        yield from there.map(_there, repeat(wishes), count_from(seed), *how)


def _there(
    wishes: Shared, seed: int, rollouts: int, strict: bool = False, enemies_safe: bool = False
) -> Made:
    domain = _domain_there(wishes)
    return generate(domain, seed, rollouts, strict=strict, enemies_safe=enemies_safe)


@functools.lru_cache(maxsize=2)
def _domain_there(wishes: Shared) -> Maker:
    return domain_of(*wishes.get())


def _stream(
    domain: Maker,
    seed: int,
    rollouts: int,
    workers: int,
    strict: bool,
    enemies_safe: bool,
    seen: Seen | None,
) -> Iterator[Made]:
    """Levels of seed, seed + 1, …, made here or in processes, always in that order."""
    number = seed
    if workers == 1:
        while True:
            yield generate(
                domain, number, rollouts, strict=strict, enemies_safe=enemies_safe, seen=seen
            )
            number += 1
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(
        workers, initializer=_begin, initargs=(domain.chain, domain.controls)
    )
    with pool:
        waiting: list[Future[Made]] = []
        try:
            while True:
                while len(waiting) < 2 * workers:
                    waiting.append(pool.submit(_one, number, rollouts, strict, enemies_safe))
                    number += 1
                yield waiting.pop(0).result()
        finally:
            for job in waiting:
                job.cancel()
