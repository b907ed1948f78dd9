"""From a set-up to a story: the searches of Magnuson 4.3 to 4.6, and restarts on top.

The default is the kernel with the switches that were worth it (docs/stories.md has the
ablation): believability as prior (PUCT), the best prefix as reward, the maximum mixed into the
value, finished sub-trees closed, rollouts biased by the table of action values, branch and bound.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from treewright.apps.stories.casting import Cast, casts
from treewright.apps.stories.domain import story_domain, with_cast
from treewright.apps.stories.model import Event
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.story import Story, best_prefix, replay, trim
from treewright.errors import OptionError, nearest
from treewright.library.baselines import best_first, breadth_first, depth_first
from treewright.library.options import Options, Rollout, SelectionBias
from treewright.library.search import Search, WhenFull

Method = Literal["mcts", "breadth-first", "depth-first", "best-first"]
Engine = Literal["compiled", "python"]
METHODS = ("mcts", "breadth-first", "depth-first", "best-first")
DEFAULT = Options(
    c=3.0,
    puct=True,
    expand="best",
    max_backup=0.5,
    solver=True,
    bound=True,
    rollout=Rollout("table"),
)
PLAIN = Options(c=0.5)  # the survey's UCT with uniform rollouts
SELECTION_BIAS = Options(c=0.5, selection_bias=SelectionBias(k=20))
ROLLOUT_BIAS = Options(c=0.5, rollout=Rollout("table"))
_SYSTEMATIC = {
    "breadth-first": breadth_first,
    "depth-first": depth_first,
    "best-first": best_first,
}
RESTART = 10_000  # nodes of a fresh search before another is tried
RECAST = 30_000  # the same in a large set-up, where each search has a cast of its own (casting.py)


@dataclass(frozen=True)
class StoryProgress:
    """How far a generation is: nodes so far, the best score so far, and the search at work."""

    nodes: int
    score: float
    search: Search | None = None


def generate(
    setup: Setup,
    *,
    method: Method = "mcts",
    nodes: int = 100_000,
    seed: int = 0,
    options: Options = DEFAULT,
    restarts: bool = True,
    prune: int = 0,
    prefix_reward: bool = True,
    shorten: bool = True,
    memory: str | int = "1GiB",
    engine: Engine = "compiled",
    progress: Callable[[StoryProgress], object] | None = None,
) -> Story:
    """The best story found with so many nodes.

    ``restarts``: many searches that share the best score instead of one.  ``prune``: plan step by
    step, committing the best action after so many nodes (Magnuson 4.5).  ``prefix_reward``: see
    :func:`story_domain`.  ``shorten``: leave out idle actions afterwards (not after the other
    methods: a trimmed story of theirs would be ours).
    """
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1:
        raise OptionError(f"nodes must be a whole number, at least 1; not {nodes!r}")
    replay(setup, setup.steering.prefix)  # before anything is compiled
    domain = story_domain(setup, prefix=prefix_reward)
    if method == "mcts":
        if prune and options.max_backup > 0:
            options = replace(options, choose="max")  # the best story below, not the best mean
        run = _Run(domain, nodes, seed, options, memory, engine, progress)
        run.pruned(prune) if prune else run.restarted(
            casts(setup, seed)
        ) if restarts else run.once()
        actions, found = run.best, run.report
    else:
        made = _SYSTEMATIC[method](
            domain,
            nodes,
            memory="16GiB",
            engine=engine,
            progress=(lambda n: progress(StoryProgress(n, math.nan))) if progress else None,
        )
        actions = made.best_sequence
        found = {"nodes": made.nodes, "expanded": made.expanded, "stopped": made.stopped}
    grounding = domain.grounding  # type: ignore[attr-defined]
    events: list[Event] = list(setup.steering.prefix)
    events += [grounding.event(a) for a in actions if a != grounding.stop]
    story = best_prefix(setup, events, seed, method=method, **found)
    pinned = len(setup.steering.prefix)
    if len(story.steps) < pinned:
        story = replay(setup, events[:pinned], seed, method=method, **found)
    return trim(story, pinned) if shorten and method == "mcts" else story


class _Run:
    """One generation by MCTS: it keeps the best actions over all its searches."""

    def __init__(
        self,
        domain: Any,
        nodes: int,
        seed: int,
        options: Options,
        memory: str | int,
        engine: Engine,
        progress: Callable[[StoryProgress], object] | None,
    ) -> None:
        self._domain = domain
        self._nodes = nodes
        self._seed = seed
        self._options = options
        self._memory = memory
        self._engine = engine
        self._progress = progress
        self._sizes = domain.grounding.counts.values()
        self.best: list[int] = []
        self.score = -math.inf
        self._made = 0
        self._simulations = 0
        self._searches = 0
        self._stopped = "nodes"

    @property
    def report(self) -> dict[str, Any]:
        return {
            "nodes": self._made,
            "simulations": self._simulations,
            "searches": self._searches,
            "stopped": self._stopped,
        }

    def _search(self, when_full: WhenFull = "stop") -> Search:
        self._searches += 1
        return Search(
            self._domain,
            self._options,
            seed=self._seed,
            memory=self._memory,
            when_full=when_full,
            engine=self._engine,
        )

    def _run(self, search: Search, nodes: int, commit: bool = False) -> str:
        """Some nodes of one search, and the best action if it is to be committed; why it ended."""
        if search.position.ended:
            return "solved"
        created = int(search.workers[0].run["created"])
        seen = None
        if self._progress is not None:
            report = self._progress

            def seen(now: Any) -> None:
                best = float(now.search.workers[0].run["best_score"])
                made = self._made + now.created - created
                report(StoryProgress(made, max(best, self.score), now.search))

        made = search.run_phases(1, nodes=nodes, commit=commit, progress=seen)
        self._made += made.created
        self._simulations += made.simulations
        if made.best_score is not None and made.best_score > self.score:
            self.score, self.best = made.best_score, made.best_sequence
        return made.stopped

    def once(self) -> None:
        """One tree, as far as the memory goes."""
        self._stopped = self._run(self._search(), self._nodes)

    def restarted(self, parts: Iterator[Cast] | None) -> None:
        """Many short searches; with ``bound``, each has to beat the best of those before it."""
        search = self._search()
        everybody = parts is None or self._recast(search, next(parts))
        each = RESTART if parts is None else RECAST
        while self._made < self._nodes:
            before = self._made
            why = self._run(search, min(each, self._nodes - before))
            # what one cast can do is not all that can be done
            if why == "interrupt" or (everybody and (why == "solved" or self._made == before)):
                self._stopped = why
                return
            if self._made < self._nodes:
                self._searches += 1
                if parts is None:
                    search.begin()
                else:
                    everybody = self._recast(search, next(parts))

    def _recast(self, search: Search, cast: Cast) -> bool:
        """Begin again with other people; whether that is everybody."""
        search.begin(with_cast(self._domain, cast), self.score)
        return all(len(c) == n for c, n in zip(cast.values(), self._sizes, strict=True))

    def pruned(self, nodes: int) -> None:
        """Search, commit, search again; the best story on the way is kept (Magnuson 4.5).

        Each step has all its nodes: a memory that is full before is made free by recycling.
        """
        search = self._search("recycle")
        why = "nodes"
        while why == "nodes" and self._made < self._nodes and not search.position.ended:
            why = self._run(search, min(nodes, self._nodes - self._made), commit=True)
        self._stopped = why
