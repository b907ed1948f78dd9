"""The search: budgets, workers, commit, results, files."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from treewright.errors import OptionError, nearest
from treewright.kernel.evaluated import EvaluatedWorker, Evaluator
from treewright.kernel.rng import stream_seed
from treewright.kernel.worker import Worker
from treewright.library.domain import CHANCE, Domain
from treewright.library.options import Choice, Options
from treewright.library.phases import (
    Phases,
    Rules,
    has_compiled_phases,
    in_one_call,
    one_by_one,
)
from treewright.library.position import Position, state_of
from treewright.library.result import Child, Result
from treewright.library.root import Roots, policy_of, schedule
from treewright.library.running import Progress, Running, around, search_step
from treewright.library.shown import count_of
from treewright.library.switches import hides, params_of, parse_memory, switches_of
from treewright.library.tree import TreeView, merge_children, root_of
from treewright.random import stream, uniform

DEFAULT_SIMULATIONS = 10_000
MOST_WITH_GUMBEL = 1_000_000
MOST = 10**15  # simulations, nodes or seconds
WhenFull = Literal["stop", "rollout", "recycle"]


class Search(Running):
    """A search of one domain from one position; it can be run again and again.

    ``seed``, budget and ``workers`` decide the result, on every machine and in both engines.
    ``workers`` trees grow in as many threads and are merged at the root.  ``memory`` bounds the
    trees.  When they are full, ``when_full`` decides: ``stop`` ends the run, ``rollout`` goes on
    without new nodes, and ``recycle`` makes room by dropping rarely visited ones.
    ``engine="python"`` interprets the domain, which is the default for states that are Python
    objects; ``debug=True`` compiles it with every index checked.

    ``evaluate(states)`` values leaves in the place of rollouts, ``batch`` of them at a time.  It
    gets an array of states (a list, if they are Python objects) and returns the rewards that it
    expects: a row of players for each state, or, with at most two players, one number each, for
    the player to move.  It may return ``values, weights``, the weights by action.
    """

    _worker_type: type[Worker] = Worker
    _choose: Choice | None = None  # a baseline's own way to choose the move
    _first_stream = 0  # of random numbers; a tree of many machines has its own

    def __init__(
        self,
        domain: Domain,
        options: Options | None = None,
        *,
        seed: int = 0,
        workers: int = 1,
        memory: str | int = "512MiB",
        when_full: WhenFull = "stop",
        engine: Literal["compiled", "python"] | None = None,
        debug: bool = False,
        evaluate: Evaluator | None = None,
        batch: int = 64,
    ) -> None:
        if not isinstance(domain, Domain):
            raise OptionError(f"Search needs an instance of a tw.Domain, not {domain!r}")
        if options is not None and not isinstance(options, Options):
            raise OptionError(
                f"options must be a tw.Options, not {options!r}; to search from a position, "
                f"call begin(position)"
            )
        if engine is None:
            engine = "compiled" if domain.is_record else "python"
        if engine == "gpu":  # type: ignore[comparison-overlap]
            raise OptionError("engine='gpu' searches many positions at once: use a tw.Forest")
        if engine not in ("compiled", "python"):
            raise OptionError(f"engine={engine!r} is unknown; there is 'compiled' and 'python'")
        if when_full not in ("stop", "rollout", "recycle"):
            known = ("stop", "rollout", "recycle")
            raise OptionError(f"when_full={when_full!r} is unknown{nearest(when_full, known)}")
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise OptionError(f"workers must be a whole number, at least 1; not {workers!r}")
        if not isinstance(seed, int):
            raise OptionError(f"seed must be a whole number, not {seed!r}")
        if workers > 1 and options and options.rules and options.rules.choose:
            raise OptionError("a rule for the choice looks at one tree: it needs workers=1")
        if workers > 1 and options and options.gumbel:
            raise OptionError("gumbel shares out the simulations of one tree: it needs workers=1")
        if engine == "compiled" and not domain.is_record:
            raise OptionError(
                f"{domain.name} keeps its states in Python objects: use engine='python'"
            )
        super().__init__(workers)
        self.domain = domain
        self.options = options or Options()
        self.seed = seed
        self.memory = parse_memory(memory)
        self.when_full = when_full
        self.engine = engine
        self.debug = debug
        self.history: list[int] = []
        self.began_elsewhere = False  # at a state that the domain's ``start`` did not make
        self._best: tuple[float, list[int]] = (-math.inf, [])
        self._seconds = 0.0
        self._stopped = "simulations"
        self.evaluate, self.batch = evaluate, batch
        if evaluate is not None:
            _check_evaluator(self, workers)
            self._worker_type = EvaluatedWorker
        if self.options.transpositions and self._worker_type.entry != "search" and not evaluate:
            raise OptionError(f"{type(self).__name__} has no tree that transpositions could share")
        switches = switches_of(domain, self.options, evaluate is not None)
        params = params_of(self.options, self.memory // workers, when_full)
        state = domain.new_state()
        self.workers = [
            self._worker_type(
                domain,
                switches,
                params,
                domain.copy_state(state),
                stream_seed(seed, self._first_stream + i),
                engine == "compiled",
                debug,
            )
            for i in range(workers)
        ]
        for worker in self.workers:
            worker.start()
            if evaluate is not None:
                assert isinstance(worker, EvaluatedWorker)
                worker.set_evaluator(evaluate, batch)
        position = self.position
        if not position.ended:
            self._set_players(position.player)

    def __repr__(self) -> str:
        played = f" after {count_of(len(self.history), 'action')}" if self.history else ""
        trees = f" in {len(self.workers)} trees" if len(self.workers) > 1 else ""
        return (
            f"<Search of {self.domain.name}{played}: {count_of(self.simulations, 'simulation')}, "
            f"{count_of(self.tree.size, 'node')}{trees}, seed {self.seed}>"
        )

    # --------------------------------------------------------------------------- running

    def run(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        until: Callable[[Progress], bool] | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Result:
        """Search until the first limit is reached; without any, 10,000 simulations.

        ``nodes`` counts nodes that this run adds; given alone, it also ends a run whose tree has
        hardly any node left to add (``stopped == "exhausted"``).  ``progress`` is called
        about ten times a second; :class:`treewright.ProgressBar` is one to look at.  Ctrl-C ends
        the run with what was found (``result.stopped == "interrupt"``).
        """
        self._check_budget(simulations, seconds, nodes)
        self._check_not_ended()
        with self._alone(), around(progress):
            self._stop.clear()
            self.compile()  # it counts against no budget, and Ctrl-C is not held back
            started = time.perf_counter()
            with self._catch_interrupt():
                self._spend(simulations, seconds, nodes, until, progress)
            self._seconds = time.perf_counter() - started
        return self.result()

    def run_phases(
        self,
        phases: int | None = None,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        shared: bool = False,
        carry: bool = True,
        slack: float | None = None,
        accept: float = -math.inf,
        patience: int = 0,
        goal: float = math.inf,
        commit: bool = True,
        progress: Callable[[Progress], object] | None = None,
    ) -> Phases:
        """Search and commit the best action, again and again, without a report of each phase.

        There are ``phases`` of them, or as many as it takes to the end of the game (with
        ``horizon="turn"``, of the turn).  Each has the whole budget, or an equal part of it if it
        is ``shared``.  ``carry`` keeps the subtree of the committed action; without it each phase
        begins with an empty tree.  The action is what ``Options.choose`` says; where chance
        decides, it is drawn.

        ``slack`` commits the child that was added to the tree first among those whose value (or
        maximum, if ``choose`` says so) is within it of the highest: with ``expand="rollout"``
        that is what the policy would do, unless it is worse by more.  A child whose value is not
        above ``accept`` is not committed.  A phase without any acceptable child gets its budget
        again, ``patience`` times; then the run ends (``stopped == "refused"``).

        ``goal`` ends the run at the first simulation that scores more (single player).
        ``commit=False`` makes it one phase after which nothing is committed.  Ctrl-C ends the run
        too: what was committed stays, the phase under way is not committed.
        """
        rules = Rules(phases if commit else 1, shared, carry, slack, accept, patience)
        self._check_budget(simulations, seconds, nodes)
        if hides(self.domain, self.options) and 0 in (
            rules.share(simulations, 0),
            rules.share(nodes, 0),
        ):
            raise OptionError("with information sets each phase needs a simulation of its own")
        if not commit:
            self._check_not_ended()
        made, created, history = self.simulations, self._created, len(self.history)
        if simulations is None and seconds is None and nodes is None:
            simulations = DEFAULT_SIMULATIONS
        compiled = seconds is None and nodes is None and commit and has_compiled_phases(self)
        with self._alone(), around(progress):
            self._stop.clear()
            self._stopped = "simulations"
            self._compile(_no_phases if compiled else search_step)
            started = time.perf_counter()
            for worker in self.workers:
                worker.set_goal(goal)
            try:
                with self._catch_interrupt():
                    if not commit:
                        self._spend(simulations, seconds, nodes, None, progress)
                    elif compiled:
                        assert simulations is not None
                        in_one_call(self, rules, simulations, progress)
                    else:
                        one_by_one(self, rules, simulations, seconds, nodes, progress)
            finally:
                for worker in self.workers:
                    worker.set_goal(math.inf)
            self._seconds = time.perf_counter() - started
        return Phases(
            actions=self.history[history:],
            simulations=self.simulations - made,
            created=self._created - created,
            seconds=self._seconds,
            stopped=self._stopped,
            best_sequence=list(self._best[1]),
            best_score=self._best_score,
        )

    def _check_not_ended(self) -> None:
        if self.position.ended:
            raise OptionError("the position at the root has ended: there is nothing to search")

    def _check_budget(
        self, simulations: int | None, seconds: float | None, nodes: int | None
    ) -> None:
        for name, limit in (("simulations", simulations), ("nodes", nodes)):
            if limit is not None and (
                isinstance(limit, bool) or not isinstance(limit, int) or limit < 1
            ):
                raise OptionError(f"{name} must be a whole number, at least 1; not {limit!r}")
            if limit is not None and limit > MOST:
                raise OptionError(f"{name} must be at most {MOST:,}, not {limit!r}")
        if seconds is not None and (
            isinstance(seconds, bool)
            or not isinstance(seconds, (int, float))
            or not (0 < seconds <= MOST or seconds == math.inf)
        ):
            raise OptionError(f"seconds must be above 0, not {seconds!r}")

    def _spend(
        self,
        simulations: int | None,
        seconds: float | None,
        nodes: int | None,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        """Search until the first limit is reached."""
        if simulations is None and seconds is None and nodes is None and until is None:
            simulations = DEFAULT_SIMULATIONS
        self._stopped = "simulations"
        if simulations is None and nodes is not None:
            # an exhausted tree has no node to add: don't wait for it
            self._stopped = "exhausted"
            limits = self._limits(2 * nodes + 1000, nodes)
        else:
            limits = self._limits(simulations, nodes)
        if self.options.gumbel is not None:
            self._set_schedules(simulations, limits)
        started = time.perf_counter()
        deadline = started + seconds if seconds is not None else math.inf
        self._run_workers(limits, started, deadline, until, progress)
        self._keep_best(self.history)

    def _set_schedules(self, simulations: int | None, limits: list[tuple[int, int]]) -> None:
        """Gumbel's choice shares out a number of simulations."""
        assert self.options.gumbel is not None
        if simulations is None or simulations > MOST_WITH_GUMBEL:
            raise OptionError(
                f"gumbel needs a number of simulations, at most {MOST_WITH_GUMBEL:,}, to share out"
            )
        for worker, (limit, _) in zip(self.workers, limits, strict=True):
            made = int(worker.run["simulations"]) - int(worker.nodes[0]["visits"])
            worker.set_schedule(schedule(self.options.gumbel.considered, limit - made))

    def compile(self) -> None:
        """Compile the kernel, or load it, now instead of in the first run."""
        self._compile(search_step)

    def _compile(self, step: Callable[[Worker, int], int]) -> None:
        self._call(self.workers[0], 0, step)

    def begin(self, state: Any = None, above: float = -math.inf) -> None:
        """Begin again with an empty tree.

        Without a state that is at the position where the search is: its history and best sequence
        stay.  A ``state`` is another beginning, without either; then only what scores more than
        ``above`` counts as a best sequence (single player).  The compiled kernel, the stream of
        random numbers and the action-value table go on in both cases.
        """
        state = None if state is None else state_of(self.domain, state)
        with self._paused():
            for worker in self.workers:
                if state is not None:
                    worker.set_root(state)
                    worker.start(above)
                worker.reset()
            if state is not None:
                self.began_elsewhere = True
                self.history.clear()
                self._best = (above, [])
                position = self.position
                if not position.ended:
                    self._set_players(position.player)

    @property
    def best(self) -> tuple[float, list[int]]:
        """The score and the actions of the best simulation so far (single player)."""
        return self._best[0], list(self._best[1])

    @property
    def _best_score(self) -> float | None:
        return self._best[0] if self._best[0] > -math.inf else None

    @property
    def best_state(self) -> Any:
        """Where the best simulation ended, with ``Options(keep_state=True)``; else None."""
        if not self.options.keep_state:
            return None
        best = max(self.workers, key=lambda w: float(w.run["best_score"]))
        return self.domain.copy_state(best.best_state)

    def stop(self) -> None:
        """End a running search soon, from another thread or from a callback."""
        self._end("stop")

    def result(self) -> Result:
        """What is known now, without searching."""
        with self._paused(reading=True):
            return self._known()

    def _known(self) -> Result:
        tree = self.tree
        position = self.position
        if position.ended:
            raise OptionError("the position at the root has ended: there is nothing to choose")
        children = merge_children(self.workers, self.choose, position)
        if position.is_chance:
            roots = [w.nodes[0] for w in self.workers]
            visits = sum(int(root["visits"]) for root in roots)
            mean = sum(float(root["value"]) for root in roots) / visits if visits else math.nan
            best = Child(CHANCE, "chance decides", visits, mean)
        else:
            best = children[0]
        return Result(
            best=best.action,
            label=best.label,
            value=_value(best),
            visits=best.visits,
            children=children,
            simulations=self.simulations,
            nodes=tree.size,
            created=self._created,
            seconds=self._seconds,
            stopped=self._stopped,
            full=any(bool(w.run["full"]) for w in self.workers),
            best_sequence=list(self._best[1]),
            best_score=self._best_score,
            variation=tree.principal_variation(children[0].action),
            trees=len(self.workers),
        )

    # ------------------------------------------------------------------- moving and looking

    @property
    def position(self) -> Position:
        """The position at the root, as a copy that you may change."""
        return Position(self.domain, self.domain.copy_state(self.workers[0].root))

    @property
    def choose(self) -> Choice:
        """By what the action to play is chosen: the options say so, or a baseline does."""
        rules = self.options.rules
        if self.options.gumbel is not None or (rules is not None and rules.choose is not None):
            return "value"  # what the rule says stands there for the mean
        return self._choose or self.options.choose

    @property
    def tree(self) -> TreeView:
        """The tree, for looking at it; with several workers, the first one's."""
        return TreeView(self)

    def commit(self, action: int) -> None:
        """Play an action at the root: keep its subtree, drop the siblings, reclaim memory.

        Where chance decides, the action is an outcome: ``search.commit(search.draw())``.
        """
        with self._paused():
            position = self.position
            mover = position.player
            if action == CHANCE and mover == CHANCE:
                raise OptionError(
                    "chance decides at the root, so there is no move to play: "
                    "draw an outcome with search.commit(search.draw())"
                )
            position.play(action)
            for worker in self.workers:
                child = worker.child(action)
                Position(self.domain, worker.root).play(action)
                if child >= 0:
                    worker.compact(child)
                    worker.run["stirred"] = 0  # the new root wants noise of its own
                else:
                    worker.reset()
            self.history.append(action)
            if not position.ended:
                self._set_players(position.player, mover)

    def draw(self) -> int:
        """An outcome of chance at the root, from the domain's own ``sample_chance``.

        It depends on the seed and on how many actions were played, not on what was searched: who
        takes a move back and plays it again meets the same dice.
        """
        position = self.position
        if position.ended or not position.is_chance:
            who = "nobody" if position.ended else f"player {position.player}"
            raise OptionError(f"{who} decides at the root: there is no outcome to draw")
        # workers have the streams from 0 up
        return position.chance(stream(stream_seed(self.seed, -1 - len(self.history))))

    def roots(self) -> Roots:
        """The actions at the root with their statistics, as arrays of one row."""
        return root_of(self.workers[0])

    def policy(self, temperature: float = 1.0) -> dict[int, float]:
        """Each action's probability: the shares of visits, or Gumbel's improved policy.

        The shares are taken to the power of 1 over the temperature: 0 is the most visited alone.
        """
        roots = self.roots()
        chances = policy_of(roots, self.options, temperature)[0]
        return {int(a): float(c) for a, c in zip(roots.action[0], chances, strict=True) if a >= 0}

    def sample(self, temperature: float = 1.0) -> int:
        """An action drawn by :meth:`policy`; the seed and the number of actions played decide."""
        if self.position.is_chance:
            return self.draw()
        left = uniform(stream(stream_seed(self.seed, -1 - len(self.history))))
        for action, chance in (policy := self.policy(temperature)).items():
            left -= chance
            if left < 0:
                return action
        return max(policy, key=lambda a: policy[a])

    def save(self, path: str | Path) -> None:
        """Write the whole search to a file; :func:`treewright.load` goes on from there."""
        from treewright.library.files import save

        with self._paused():
            save(self, Path(path))

    # --------------------------------------------------------------------------- internals

    def _set_players(self, player: int, mover: int | None = None) -> None:
        """Who decides at the root, and who moved there; chance moves for whoever moved last."""
        moved = player if mover is None else mover
        for worker in self.workers:
            before = int(worker.run["root_mover"])
            worker.set_players(player, moved if moved >= 0 else before)

    def _keep_best(self, before: list[int]) -> None:
        """Remember the best complete sequence, counted from the first root.

        ``before`` are the actions from there to the root at which it was simulated.
        """
        for worker in self.workers:
            score = float(worker.run["best_score"])
            imagined = worker.switches.INFORMATION  # its actions belong to one of many draws
            if self.domain.players == 1 and not imagined and score > self._best[0]:
                self._best = (score, before + worker.best_sequence)


def _check_evaluator(search: Search, workers: int) -> None:
    if not callable(search.evaluate):
        raise OptionError(f"evaluate must be a function of states, not {search.evaluate!r}")
    if type(search.batch) is not int or not 1 <= search.batch <= 2**20:
        raise OptionError(f"batch must be a whole number, from 1 up; not {search.batch!r}")
    if workers > 1:
        raise OptionError("an evaluator is asked by one worker: use batch, and workers=1")


def _no_phases(worker: Worker, simulations: int) -> int:
    worker.plan(0, 0)
    return worker.phases(simulations)


def _value(child: Child) -> float:
    """What a child is worth: proven, or the mean of its simulations."""
    if child.proven is not None:
        return child.proven
    return child.value if child.value is not None else math.nan
