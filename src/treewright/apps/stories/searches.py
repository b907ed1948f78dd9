"""From a set-up to a story: the searches of Magnuson 4.3 to 4.6, and restarts on top.

The default is the kernel with the switches that were worth it (docs/stories.md has the
ablation): believability as prior (PUCT), the best prefix as reward, the maximum mixed into the
value, finished sub-trees closed, rollouts biased by the table of action values, branch and bound.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from treewright.apps.stories.casting import LARGE, Cast, casts, named, taking_part
from treewright.apps.stories.domain import story_domain, with_cast
from treewright.apps.stories.model import Event
from treewright.apps.stories.ordering import in_scenes
from treewright.apps.stories.setup import Goal, Setup
from treewright.apps.stories.story import Story, best_prefix, replay, trim
from treewright.errors import OptionError, nearest
from treewright.library.baselines import best_first, breadth_first, depth_first
from treewright.library.domain import Domain
from treewright.library.options import Options, Rollout, SelectionBias
from treewright.library.phases import Phases
from treewright.library.position import Position
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
SHORT = 3_000  # nodes of one that goes on from somewhere, or of a large set-up after the first
TRIES = 2  # searches that go on from one beginning


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
    :func:`story_domain`.  ``shorten``: leave out idle actions afterwards, and put those
    that stay in an order with fewer changes of scene (not after the other methods: such a story
    of theirs would be ours).  Where people have motives, there is one
    tree, and nodes are all steps that are imagined, those of reasons included.
    """
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1:
        raise OptionError(f"nodes must be a whole number, at least 1; not {nodes!r}")
    setup.engine = engine
    replay(setup, setup.steering.prefix)  # before anything is compiled
    if setup.minds is not None and options == DEFAULT:
        from treewright.apps.stories.planning.planner import DEFAULT as PLANNING

        options = PLANNING
    domain = story_domain(setup, prefix=prefix_reward)
    goals_first = method == "mcts" and restarts and not prune and setup.minds is None
    if method == "mcts":
        if prune and options.max_backup > 0:
            options = replace(options, choose="max")  # the best story below, not the best mean
        run = _Run(setup, domain, nodes, seed, options, memory, engine, progress)
        if setup.minds is not None:
            run.imagined()
        else:
            run.pruned(prune) if prune else run.restarted() if restarts else run.once()
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
    events = _events(setup, domain, actions)
    story = best_prefix(setup, events, seed, goals_first, method=method, **found)
    pinned = len(setup.steering.prefix)
    if len(story.steps) < pinned:
        story = replay(setup, events[:pinned], seed, method=method, **found)
    if not shorten or method != "mcts":
        return story
    return in_scenes(trim(story, pinned), pinned)


def _events(setup: Setup, domain: Any, actions: list[int]) -> list[Event]:
    """What happens in a story: the pinned beginning, and the actions that were found."""
    found = [domain.grounding.event(a) for a in actions if a != domain.grounding.stop]
    return [*setup.steering.prefix, *found]


@dataclass
class _Beginning:
    """A story that meets some goals, without what it does not need, for a search to go on from."""

    share: float
    score: float
    actions: list[int]
    tries: int = 0


class _Run:
    """One generation by MCTS: it keeps the best actions over all its searches."""

    def __init__(
        self,
        setup: Setup,
        domain: Any,
        nodes: int,
        seed: int,
        options: Options,
        memory: str | int,
        engine: Engine,
        progress: Callable[[StoryProgress], object] | None,
    ) -> None:
        self._setup = setup
        self._domain = domain
        self._nodes = nodes
        self._seed = seed
        self._options = options
        self._memory = memory
        self._engine = engine
        self._progress = progress
        counts = domain.grounding.counts
        self._everybody: Cast = {kind: list(range(n)) for kind, n in counts.items()}
        self.best: list[int] = []
        self._strict = self._search(domain)
        self._drawn: dict[tuple[str, ...], Search] = {}
        self._casts: dict[tuple[str, ...], Iterator[Cast] | None] = {}
        weights = [goal.weight for goal in setup.goals]
        self._incomplete = 1.0 - min(weights) / sum(weights)  # more than any such story scores
        self._hard: list[Goal] = []  # goals that the first search did not reach
        anyway = named(setup, [])
        of_all = [goal for goal in setup.goals if named(setup, [goal]) <= anyway]
        self._anybodys = of_all or setup.goals  # goals that speak of nobody in particular
        self._begun: dict[tuple[bool, ...], _Beginning] = {}  # by the goals that are met
        self._random = random.Random(seed)
        self._again = False  # whether the last search went on from the best story
        self._anybody = False  # whether the last one made for what is asked of nobody
        self._complete = False  # whether the best story meets all goals
        self._score = -math.inf
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

    def _search(self, domain: Domain, when_full: WhenFull = "stop") -> Search:
        return Search(
            domain,
            self._options,
            seed=self._seed,
            memory=self._memory,
            when_full=when_full,
            engine=self._engine,
        )

    def _run(self, search: Search, nodes: int, commit: bool = False) -> Phases | None:
        """Some nodes of one search, and the best action if it is to be committed."""
        self._searches += not commit or not self._made
        if search.position.ended:
            self._stopped = "solved"
            return None
        created = int(search.workers[0].run["created"])
        seen = None
        if self._progress is not None:
            report = self._progress

            def seen(now: Any) -> None:
                best = float(now.search.workers[0].run["best_score"])
                made = self._made + now.created - created
                report(StoryProgress(made, max(best, self._score), now.search))

        made = search.run_phases(1, nodes=nodes, commit=commit, progress=seen)
        self._made += made.created
        self._simulations += made.simulations
        self._stopped = made.stopped
        return made

    def _keep(self, made: Phases | None) -> None:
        """Keep a search's story if none has scored more."""
        if made is not None and made.best_score is not None and made.best_score > self._score:
            self._score, self.best = made.best_score, list(made.best_sequence)

    def once(self) -> None:
        """One tree, as far as the memory goes."""
        self._keep(self._run(self._strict, self._nodes))

    def imagined(self) -> None:
        """One tree of a set-up with motives, which counts what people imagine."""
        from treewright.apps.stories.planning.tables import MADE

        search, own = self._strict, self._domain.tables["own"]
        run: Any = search.workers[0].run

        def enough(_: Any) -> bool:
            if self._progress is not None:
                best = max(0.0, 2.0 * float(run["best_score"]) - 1.0)
                self._progress(StoryProgress(int(own[MADE]), best, search))
            return int(own[MADE]) >= self._nodes

        made = search.run(nodes=self._nodes, until=enough)
        self._made, self._simulations = int(own[MADE]), made.simulations
        self._searches, self._stopped = 1, made.stopped
        self.best = list(made.best_sequence)

    def restarted(self) -> None:
        """Many short searches; with ``bound``, each has to beat the best of those before it.

        Until a story meets all goals, those after the first are drawn towards goals that are met
        in part: they go on from what was found, or make for what the first one did not reach, or
        for what is asked of nobody in particular.  What is asked of somebody comes last: who is
        jailed for a murder can't make friends.  Afterwards every other one goes on from a beginning
        of the best story; as long as one that does not meet all goals might score more, all are
        drawn towards what is not met.
        """
        search, kept, cast = self._strict, list[int](), self._cast(self._setup.goals)
        while True:
            strict = search is self._strict
            above = self._score if strict or self._complete else 0.0
            search.begin(self._after(kept, cast, search), above)
            before = self._made
            begun = kept or (self._searches and len(self._setup.people) > LARGE)
            self._run(search, min(SHORT if begun else RESTART, self._nodes - before))
            if search.best[1] or not self._hard:
                self._told([*kept, *search.best[1]])
            # what one cast can do, or one beginning, is not all that can be done
            closed = (strict or self._complete) and not kept and cast == self._everybody
            closed = closed and (self._stopped == "solved" or self._made == before)
            if self._stopped == "interrupt" or closed or self._made >= self._nodes:
                return
            search, kept, cast = self._next()

    def _told(self, actions: list[int]) -> None:
        """Keep a story that meets all goals before any that does not; else by its score.

        One that meets some goals is a beginning.
        """
        events = _events(self._setup, self._domain, actions)
        told = best_prefix(self._setup, events, goals_first=True)
        complete = told.share >= self._setup.enough
        if (complete, told.score) > (self._complete, self._score):
            self._complete, self._score, self.best = complete, told.score, actions
        met = tuple(share >= 1.0 for share in told.goals)
        goals = list(zip(self._setup.goals, met, strict=True))
        if not self._hard:
            self._hard = [goal for goal, done in goals if not done] or self._setup.goals
        if any(met) and not complete:
            self._begin(met, _Beginning(told.share, told.score, self._needed(told)))

    def _begin(self, met: tuple[bool, ...], begun: "_Beginning") -> None:
        """Note a story to go on from: a better one, or another of the best where one is spent."""
        if not begun.actions:
            return  # what is so at the start is nothing to go on from
        known = self._begun.get(met)
        spent = known is not None and known.tries == TRIES and known.actions != begun.actions
        furthest = all(other.share <= begun.share for other in self._begun.values())
        if known is None or begun.score > known.score or (spent and furthest):
            self._begun[met] = begun

    def _next(self) -> tuple[Search, list[int], Cast]:
        """The search to be made now, what it goes on from, and who acts."""
        goals = self._setup.goals
        self._again = not self._again
        if self._complete:
            kept = self._beginning() if self._again else []
            unbeatable = self._score >= self._incomplete
            search = self._strict if unbeatable else self._towards(goals)
            return search, kept, self._cast(goals, kept)
        hopeful = [begun for begun in self._begun.values() if begun.tries < TRIES]
        if hopeful:
            begun = max(hopeful, key=lambda b: (b.share, -b.tries, b.score))
            begun.tries += 1
            return self._towards(goals), begun.actions, self._cast(goals, begun.actions)
        self._anybody = not self._anybody
        aims = self._anybodys if self._anybody else self._hard
        return self._towards(aims), [], self._cast(aims)

    def _beginning(self) -> list[int]:
        """The best story up to somewhere before the last step that costs believability."""
        events = _events(self._setup, self._domain, self.best)
        told = best_prefix(self._setup, events, goals_first=True)
        kept = self._needed(told)
        pinned = len(self._setup.steering.prefix)
        steps = replay(self._setup, _events(self._setup, self._domain, kept)).steps[pinned:]
        costly = [i for i, step in enumerate(steps) if step.believability < 1.0]
        return kept[: self._random.randint(0, max(costly, default=0))]

    def _needed(self, told: Story) -> list[int]:
        """The actions of a story, after what is pinned, without those that it does not need."""
        pinned = len(self._setup.steering.prefix)
        events = trim(told, pinned).events[pinned:]
        return [self._domain.grounding.number(event) for event in events]

    def _after(self, kept: list[int], cast: Cast, search: Search) -> Any:
        """Where a search begins that goes on from some actions."""
        state = with_cast(self._domain, cast)
        if not kept:
            return state
        position = Position(search.domain, state)
        for action in kept:
            position.follow(action)
        return position.state

    def _cast(self, goals: list[Goal], kept: Sequence[int] = ()) -> Cast:
        """Who acts in the next search for some goals, with all who take part in some actions."""
        key = tuple(g.text for g in goals)
        if key not in self._casts:
            self._casts[key] = casts(self._setup, self._seed, goals)
        drawn = self._casts[key]
        if drawn is None:
            return self._everybody
        cast = {kind: set(numbers) for kind, numbers in next(drawn).items()}
        for action in kept:
            for kind, number in taking_part(self._setup, self._domain.grounding.event(action)):
                cast[kind].add(number)
        return {kind: sorted(numbers) for kind, numbers in cast.items()}

    def _towards(self, goals: list[Goal]) -> Search:
        """The search that is drawn towards some goals, which may be met in part."""
        key = tuple(g.text for g in goals)
        if key not in self._drawn:
            self._drawn[key] = self._search(story_domain(self._setup, towards=goals))
        return self._drawn[key]

    def pruned(self, nodes: int) -> None:
        """Search, commit, search again; the best story on the way is kept (Magnuson 4.5).

        Each step has all its nodes: a memory that is full before is made free by recycling.
        """
        search = self._search(self._domain, "recycle")
        self._stopped = "nodes"
        while self._stopped == "nodes" and self._made < self._nodes and not search.position.ended:
            self._keep(self._run(search, min(nodes, self._nodes - self._made), commit=True))
