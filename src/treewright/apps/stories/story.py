"""A finished story: its steps, its score, what depends on what; and how to trim it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.apps.stories.model import Event, Expr
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.world import Step, World, covers, ground_text, scope_of

CLOSE = 1e-12


@dataclass(frozen=True)
class Link:
    """A later step (or a goal) rests on an earlier one; ``motive``: it only made it believable."""

    source: int
    target: int  # a step, or ``len(steps) + i`` for goal i
    what: str
    motive: bool


@dataclass(frozen=True)
class Story:
    """A set-up with the actions that were chosen for it, replayed."""

    setup: Setup
    steps: tuple[Step, ...]
    goals: tuple[float, ...]  # how far each is met
    share: float
    believability: float
    seed: int = 0
    fit: float = 1.0  # to the tension that is wished for
    found: dict[str, Any] = field(default_factory=dict, compare=False)  # how the search went

    @property
    def score(self) -> float:
        return self.believability * self.share * self.fit

    @property
    def events(self) -> list[Event]:
        return [s.event for s in self.steps]

    @property
    def actions(self) -> list[str]:
        return [ground_text(self.setup, e) for e in self.events]


def replay(setup: Setup, events: Sequence[Event], seed: int = 0, **found: Any) -> Story:
    """The story of a list of actions; each must be possible when its turn comes."""
    world = World.start(setup)
    steps = []
    for i, event in enumerate(events):
        if not world.possible(event):
            raise StoryError(
                f"step {i + 1}, {ground_text(setup, event)}, is not possible at that point"
            )
        steps.append(world.play(event))
    return Story(
        setup,
        tuple(steps),
        tuple(world.met()),
        world.share(),
        world.believability,
        seed,
        world.fit(),
        found,
    )


def best_prefix(
    setup: Setup, events: Sequence[Event], seed: int = 0, goals_first: bool = False, **found: Any
) -> Story:
    """A story may stop anywhere: the shortest beginning with the highest score.

    ``goals_first``: of those that meet all goals, if there are any.
    """
    whole = replay(setup, events, seed)
    start = World.start(setup)
    ends = [(start.share(), start.score()), *((s.share, s.score) for s in whole.steps)]
    if goals_first and any(share >= setup.enough for share, _ in ends):
        ends = [(share, score if share >= setup.enough else -1.0) for share, score in ends]
    best = max(score for _, score in ends)
    end = next(i for i, (_, score) in enumerate(ends) if score >= best - CLOSE)
    if end == len(events):
        return replace(whole, found=found)
    return replay(setup, events[:end], seed, **found)


def trim(story: Story, keep: int = 0, most: int = 3) -> Story:
    """Leave out what the story does not need: up to ``most`` actions at a time, as long as it stays
    possible and neither its score nor the share of its goals falls.  The first ``keep`` steps stay.

    Fully motivated actions cost nothing, so a search has no reason to avoid idle ones.
    """
    story = _without(story, _idle(story, keep)) or story
    together = 1
    while together <= most:
        left_out = _spared(story, keep, together)
        if left_out is not None:
            story = _without(story, left_out) or story
            together = 1
        else:
            together += 1
            if together == 3 and len(story.steps) > 24:
                break
    return story


def _spared(story: Story, keep: int, together: int) -> list[int] | None:
    """The first so many steps, in order, that the story can do without.

    What was played up to the next step that is tried serves all that are tried after it.
    """

    def first(world: World, at: int, left: int) -> list[int] | None:
        while at <= len(story.events) - left:
            if left:
                found = first(world.copy(), at + 1, left - 1)
                if found is not None:
                    return [at, *found]
            elif at == len(story.events):
                return [] if is_as_good(world, story) else None
            if not goes_on(world, story, story.events[at]):
                return None  # nor does it if a later one is left out
            at += 1
        return None

    world = World.start(story.setup)
    for event in story.events[:keep]:
        if not goes_on(world, story, event):
            return None
    return first(world, keep, together)


def goes_on(world: World, story: Story, event: Event) -> bool:
    """Do an event, if it is possible and leaves the story as good as it is."""
    action = story.setup.library.action(event.action)
    if not world.value(action.precondition, scope_of(event)):
        return False
    b = world.believed(event)[0]
    if world.believability * b < story.score - CLOSE:
        return False
    world.do(event, b)
    return True


def is_as_good(world: World, story: Story) -> bool:
    return world.score() >= story.score - CLOSE and world.share() >= story.share - CLOSE


def _idle(story: Story, keep: int) -> list[int]:
    """Steps on which no goal rests, directly or through others."""
    needed = set(range(keep))
    count = len(story.steps)
    wanted = list(range(count, count + len(story.goals)))
    found = links(story)
    while wanted:
        target = wanted.pop()
        for link in found:
            if link.target == target and link.source not in needed:
                needed.add(link.source)
                wanted.append(link.source)
    return [i for i in range(count) if i not in needed]


def _without(story: Story, left_out: Sequence[int]) -> Story | None:
    if not left_out:
        return None
    events = [e for i, e in enumerate(story.events) if i not in left_out]
    world = World.start(story.setup)
    if not all(goes_on(world, story, event) for event in events):
        return None
    if not is_as_good(world, story):
        return None
    return replay(story.setup, events, story.seed, **story.found)


def links(story: Story) -> list[Link]:
    """Which step made which possible or believable, and which goals rest on which.

    A condition rests on the step that established it: the last one but for which it would not hold.
    """
    finder = _Links(story.setup)
    for i, (event, step) in enumerate(zip(story.events, story.steps, strict=True)):
        action = story.setup.library.action(event.action)
        finder.note(action.precondition, scope_of(event), i, False)
        rule = finder.world.believed(event)[1]
        finder.note(rule.condition, scope_of(event), i, True)
        finder.world.do(event, step.believability)
        for cell, before, _ in step.changes:
            finder.history.setdefault(cell, []).append((i, before))
    for i, goal in enumerate(story.setup.goals):
        if story.goals[i] > 0:
            target = len(story.steps) + i
            finder.note(goal.expr, {}, target, False)
            for pattern in (e.value for e in goal.expr.walk() if e.op in ("times", "when")):
                first = next((j for j, e in enumerate(story.events) if covers(pattern, e)), None)
                if first is not None:
                    link = Link(first, target, pattern.action, False)
                    finder.found.setdefault((first, target), link)
    return list(finder.found.values())


class _Links:
    """The world as it changes, with what each step overwrote."""

    def __init__(self, setup: Setup) -> None:
        self.world = World.start(setup)
        self.history: dict[Any, list[tuple[int, Any]]] = {}  # cell -> (step, value before it)
        self.found: dict[tuple[int, int], Link] = {}

    def note(self, expr: Expr, scope: dict[str, int], target: int, motive: bool) -> None:
        if expr.op == "and":
            for part in expr.args:
                self.note(part, scope, target, motive)
            return
        cells = self.world.support(expr, scope)
        for cell in sorted(cells, key=lambda c: (str(c[0]), c[1], c[2])):
            step = self._established(expr, scope, cell)
            if step is not None and (step, target) not in self.found:
                text = cell_text(self.world.setup, cell)
                self.found[step, target] = Link(step, target, text, motive)

    def _established(self, expr: Expr, scope: dict[str, int], cell: Any) -> int | None:
        """The last step that wrote a cell and without whose value there the condition fails."""
        now, values = self.world.value(expr, scope), self.world.values
        kept = values[cell]
        for step, before in reversed(self.history.get(cell, [])):
            values[cell] = before
            without = self.world.value(expr, scope)
            values[cell] = kept
            if bool(without != now):
                return int(step)
        return None


def cell_text(setup: Setup, cell: Any) -> str:
    """``Alice.anger[Bob]``."""
    attribute, owner, index = cell
    text = f"{setup.entity(attribute.owner, owner).id}.{attribute.name}"
    return f"{text}[{setup.entity(attribute.over, index).id}]" if attribute.over else text


def value_text(setup: Setup, cell: Any, value: Any) -> Any:
    """A value as a set-up would write it."""
    kind = cell[0].type
    if kind.kind == "entity":
        return "none" if value < 0 else setup.entity(kind.name, value).id
    if kind.kind == "enum":
        return setup.library.known.enums[kind.name][value]
    return bool(value) if kind.kind == "bool" else value
