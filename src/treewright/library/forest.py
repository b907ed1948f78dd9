"""Many roots at once: positions to judge, or games of self-play, searched side by side."""

import math
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from treewright.errors import DomainError, OptionError
from treewright.kernel import layout
from treewright.kernel.commits import OVER, UNFIT
from treewright.kernel.evaluated import Evaluator
from treewright.kernel.gpu.driver import device
from treewright.kernel.gpu.trees import GpuTrees
from treewright.kernel.gpu.valued import ValuedTrees
from treewright.kernel.rng import stream_seed, stream_seeds
from treewright.kernel.trees import Trees
from treewright.kernel.worker import status_message
from treewright.library.alike import Alike
from treewright.library.domain import Domain
from treewright.library.merged import Report, added_up, result_of
from treewright.library.options import Options
from treewright.library.phases import STOPPED
from treewright.library.position import Position, state_of
from treewright.library.result import Result
from treewright.library.root import (
    Roots,
    by_action,
    first_by_visits,
    policy_of,
    promises,
    roots_of,
    schedule,
)
from treewright.library.search import Search
from treewright.library.shown import count_of
from treewright.library.switches import parse_memory
from treewright.library.tree import children_from

LEAST = 2**14  # bytes for each tree


class Forest(Alike):
    """A tree for each of many positions of one domain, in one compiled loop.

    ``states`` are the positions: a number of them at the domain's own start, or a list of
    :class:`Position` or of their states.  The tree of the i-th position is that of
    ``tw.Search(domain, options, seed=seed + i)`` begun there.  ``memory`` is for all of them
    together.  ``evaluate`` is as in :class:`Search`; each call gets the leaves of all trees,
    ``batch`` of each.

    ``engine="gpu"`` searches them on the first CUDA device, a thread for each, and builds the same
    trees; an evaluator is then handed the leaves in the device's memory (docs/gpu.md).
    """

    def __init__(
        self,
        domain: Domain,
        states: int | Sequence[Any],
        options: Options | None = None,
        *,
        seed: int = 0,
        memory: str | int = "512MiB",
        engine: Literal["compiled", "python", "gpu"] | None = None,
        evaluate: Evaluator | None = None,
        batch: int = 1,
    ) -> None:
        if isinstance(options, Options) and options.transpositions:
            raise OptionError("a forest does not know transpositions: use a tw.Search for each")
        count = _count(states)
        self.seed = seed
        each = parse_memory(memory) // count
        if each < LEAST:
            raise OptionError(f"memory={memory!r} is too little for {count} trees")
        # one that is like each of them: it checks what is given, and shows one when asked
        self.engine = engine
        here = "compiled" if engine == "gpu" else engine
        if engine == "gpu":
            _check_gpu(domain)
        self._like = Search(
            domain, options, memory=each, engine=here, evaluate=evaluate, batch=batch, seed=seed
        )
        if self._like.workers[0].switches.INFORMATION:
            raise OptionError(
                f"a forest searches open positions, and {domain.name} hides something: search the "
                f"true states with information='cheating'"
            )
        self._trees: Trees | GpuTrees
        if engine == "gpu" and evaluate is not None:
            self._trees = ValuedTrees(self._like.workers[0], count, device(), evaluate, batch)
        elif engine == "gpu":
            self._trees = GpuTrees(self._like.workers[0], count, device())
        else:
            self._trees = Trees(self._like.workers[0], count, evaluate, batch)
        self._seconds = 0.0
        self.begin(states)

    def __len__(self) -> int:
        return self._trees.count

    def __repr__(self) -> str:
        made = count_of(int(self.simulations.sum()), "simulation")
        return f"<Forest of {self.domain.name}: {count_of(len(self), 'position')}, {made}>"

    def begin(self, states: int | Sequence[Any], seed: int | None = None) -> None:
        """Empty trees at other positions, as many as before; ``seed`` is a new one for them."""
        if _count(states) != len(self):
            raise OptionError(f"this forest has {len(self)} trees, not {_count(states)}")
        with self._like._alone():
            self._begin(states, self.seed if seed is None else seed)

    def _begin(self, states: int | Sequence[Any], seed: int) -> None:
        if isinstance(states, int):
            self._begin_at([self.domain.new_state()], np.zeros(len(self), np.int64), seed)
        else:
            self._begin_at(*_distinct(states), seed)

    def _begin_at(self, own: list[Any], at: np.ndarray, seed: int) -> None:
        """Empty trees at the states of ``own``: ``at`` says for each tree which of them."""
        self.seed = seed
        positions = [Position(self.domain, state_of(self.domain, s)) for s in own]
        if self.domain.is_record:
            self._trees.states[:] = np.concatenate([p.state._record for p in positions])[at]
        else:
            self._trees.states[:] = [positions[i].state for i in at]
        self.ended = np.array([p.ended for p in positions])[at]
        players = np.array([0 if p.ended else p.player for p in positions])[at]
        self._trees.begin(stream_seeds(self.seed, len(self)), players)
        self._played: list[np.ndarray] = []
        self._rooted = np.zeros(len(self), np.int64)  # simulations when the roots were new
        self._best: dict[int, tuple[float, list[int]]] = {}

    def _check_index(self, i: int) -> None:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i < len(self):
            raise OptionError(f"positions are numbered from 0 to {len(self) - 1}; not {i!r}")

    def commit(self, actions: Sequence[int] | np.ndarray | None = None) -> "Forest":
        """Play an action at each position, the best if none are given, and keep what is below it.

        A number below 0 is for positions that have ended, and for those where chance decides: it is
        drawn, as by :meth:`Search.draw`.  With ``Options(gumbel=…)`` trees begin anew.
        """
        given = np.array(self.best if actions is None else actions)
        if actions is None and ((given < 0) & ~self._nobody).any():
            raise OptionError("not every position was searched: run first, or say what to play")
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise OptionError(
                f"commit needs a whole number for each of {len(self)} positions, not {actions!r}"
            )
        given = given.astype(np.int64)
        chance = np.flatnonzero(self._nobody & ~self.ended)
        draws = np.zeros(len(self), np.uint64)
        for i in chance.tolist():
            draws[i] = stream_seed(stream_seed(self.seed + i, -1 - len(self.history(i))))
        self._keep_best()
        asked = given.copy()
        with self._like._alone():
            codes = self._trees.commit(given, draws)
        for i in np.flatnonzero(codes == UNFIT).tolist():
            raise OptionError(f"position {i}: action {asked[i]} can't be played there")
        self._played.append(np.where(self.ended, -1, given))
        self.ended = codes == OVER
        if self.options.gumbel is not None:
            self._rooted = self.simulations
        return self

    def history(self, i: int) -> list[int]:
        """The actions that were committed at one position."""
        self._check_index(i)
        return [int(row[i]) for row in self._played if row[i] >= 0]

    def position(self, i: int) -> Position:
        """Where one of the positions is now; a copy, free to play with."""
        self._check_index(i)
        return Position(self.domain, self.domain.copy_state(self._state(i)))

    def _keep_best(self) -> None:
        """The best sequence of a tree, before its root moves away (single player)."""
        if self.domain.players > 1:
            return
        for i, score in enumerate(self._trees.runs["best_score"].tolist()):
            if score > self._best.get(i, (-math.inf, []))[0]:
                saved = self._trees.saved(i)
                found = saved["best"][: int(saved["run"]["best_length"][0])].tolist()
                self._best[i] = (score, self.history(i) + found)

    def run(self, simulations: int, *, seconds: float = math.inf) -> "Forest":
        """Search each position with this many more simulations; one that has ended is left out."""
        self._like._check_budget(simulations, seconds, None)
        with self._like._alone():
            self._run(simulations, seconds)
        return self

    def _run(self, simulations: int, seconds: float) -> None:
        self._like._stop.clear()
        self._trees.compile()
        limits = self._trees.made + np.where(self.ended, 0, simulations)
        started = time.perf_counter()
        self._like._stopped = "simulations"
        if self.options.gumbel is not None:
            self._trees.set_schedule(
                schedule(self.options.gumbel.considered, int((limits - self._rooted).max()))
            )
        pace = _Pace(started + seconds, self._like)
        with self._like._catch_interrupt():
            self._trees.run(limits, pace.simulations, pace.enough)
        self._seconds = time.perf_counter() - started
        self._check()

    def _check(self) -> None:
        """A tree that its domain has broken, in one sentence; the others have gone on."""
        worker = self._like.workers[0]
        for r in np.flatnonzero(self._trees.statuses != layout.DONE).tolist():
            worker.run["culprit"] = self._trees.runs[r]["culprit"]
            worker._small["rewards"][:] = self._trees.last_rewards(r)
            message = status_message(worker, int(self._trees.statuses[r]))
            if message is not None:
                raise DomainError(f"position {r}: {message}")

    # -------------------------------------------------------------------------- results

    @property
    def simulations(self) -> np.ndarray:
        """How many were made for each position."""
        return self._trees.made

    def search(self, i: int) -> Search:
        """The search of one position, to look at or to go on with; a copy."""
        self._check_index(i)
        like = self._like
        copied = Search(
            self.domain,
            self.options,
            seed=self.seed + i,
            memory=like.memory,
            engine=like.engine,
            evaluate=like.evaluate,
            batch=like.batch,
        )
        copied.begin(Position(self.domain, self._state(i)).state)
        saved = self._trees.saved(i)
        copied.workers[0].restore(saved)
        copied._seconds = self._seconds
        copied._stopped = STOPPED.get(int(self._trees.statuses[i]), self._like._stopped)
        copied.history[:] = self.history(i)
        copied._best = self._best.get(i, copied._best)
        copied._keep_best(copied.history)
        return copied

    def result(self, i: int) -> Result:
        """What is known of one position."""
        return self.search(i).result()

    def report(self) -> Report:
        """The roots of all trees added up, and their counters."""
        runs = self._trees.runs
        self._keep_best()
        return Report(
            rows=added_up(self.roots()),
            simulations=int(self.simulations.sum()),
            created=int(runs["created"].sum()),
            nodes=int(runs["nodes"].sum()),
            trees=len(self),
            stopped=self._like._stopped,
            full=bool(runs["full"].any()),
            best=max(self._best.values(), default=(-math.inf, [])),
        )

    def merged(self) -> Result:
        """What all trees say together of the one position that they are of."""
        states = self._trees.states
        if not self.domain.is_record or (states != states[0]).any():
            raise OptionError(
                "merged is for trees of one position: give a tw.Forest the same one many times"
            )
        if self.options.gumbel or (self.options.rules and self.options.rules.choose):
            raise OptionError("a rule for the choice looks at one tree: merged knows none")
        position, switches = self.position(0), self._like.workers[0].switches
        report = self.report()
        children = children_from([report.rows], switches, self._like.choose, position)
        return result_of([report], children, self._seconds, report.stopped)

    def _state(self, i: int) -> Any:
        states = self._trees.states
        if not self.domain.is_record:
            return states[i]
        from treewright.kernel.interpreted import RecordProxy

        return RecordProxy(states[i : i + 1].copy())

    def roots(self) -> Roots:
        """The actions of all positions, with their statistics, as arrays."""
        runs = self._trees.runs
        return roots_of(
            self.options.normalise, self._trees.edges_of_roots(), runs, self._trees.ranges()
        )

    @property
    def _nobody(self) -> np.ndarray:
        """Where nobody has a choice: the game has ended, or chance decides."""
        found: np.ndarray = self.ended | (self._trees.runs["root_player"] < 0)
        return found

    @property
    def best(self) -> np.ndarray:
        """The action to play at each position; -1 where it has ended or chance decides."""
        if self.options.gumbel is None and self._like.choose != "visits":
            found = [-1 if over else self.result(i).best for i, over in enumerate(self.ended)]
            return np.array(found)
        roots = self.roots()
        if self.options.gumbel is not None:
            at = promises(roots, self.options.gumbel).argmax(axis=1)
        else:
            at = first_by_visits(roots)
        return np.where(self._nobody, -1, roots.action[np.arange(len(self)), at])

    def policy(self, actions: int, temperature: float = 1.0) -> np.ndarray:
        """What to learn from: for each position a probability for each action below ``actions``.

        The shares of the visits (to the power of 1 over the temperature); with
        ``Options(gumbel=…)`` the improved policy.  A position that has ended has zeros.
        """
        roots = self.roots()
        return by_action(roots, policy_of(roots, self.options, temperature), actions)

    def sample(self, temperature: float = 1.0) -> np.ndarray:
        """An action for each position, drawn by :meth:`policy`; -1 where nobody has a choice.

        That is where it has ended, and where chance decides, which :meth:`commit` draws.  The draw
        depends on the seed and on how many simulations were made.
        """
        roots = self.roots()
        chances = policy_of(roots, self.options, temperature)
        key = [self.seed & (2**64 - 1), int(self.simulations.sum())]
        drawn = np.random.default_rng(key).random(len(self))[:, None]
        at = np.minimum((chances.cumsum(axis=1) <= drawn).sum(axis=1), chances.shape[1] - 1)
        return np.where(self._nobody, -1, roots.action[np.arange(len(self)), at])


class _Pace:
    """Rounds of well under a second, so that Ctrl-C and a limit of time are met."""

    def __init__(self, deadline: float, search: Search) -> None:
        self._deadline, self._search = deadline, search
        self.simulations = 64

    def enough(self) -> bool:
        if time.perf_counter() >= self._deadline:
            self._search._end("seconds")
        return self._search._stop.is_set()


def _check_gpu(domain: Domain) -> None:
    """What a GPU can't do is said at once."""
    if not domain.is_record:
        raise OptionError(
            f"{domain.name} keeps its states in Python objects, and engine='gpu' needs records: "
            f"use engine='python'"
        )


def _distinct(states: Sequence[Any]) -> tuple[list[Any], np.ndarray]:
    """One that is there many times is looked at once: those that differ, and where each is."""
    own = {id(s): s for s in states}
    row = {key: i for i, key in enumerate(own)}
    return list(own.values()), np.array([row[id(s)] for s in states])


def _count(states: int | Sequence[Any]) -> int:
    """How many positions there are."""
    counted = isinstance(states, (int, list, tuple, np.ndarray)) and not isinstance(states, bool)
    if not counted or (isinstance(states, int) and states < 1):
        raise OptionError(f"a forest needs at least one position, not {states!r}")
    count = states if isinstance(states, int) else len(states)
    if not count:
        raise OptionError("a forest needs at least one position")
    return count
