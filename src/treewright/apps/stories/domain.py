"""The story domain: a generated class for each library and size, with a set-up's tables."""

import functools
import hashlib
import linecache
from typing import Any

import numpy as np

from treewright.apps.stories import generated
from treewright.apps.stories.grounding import Program, compile_goals
from treewright.apps.stories.layout import EVENTS
from treewright.apps.stories.model import Event
from treewright.apps.stories.setup import Goal, Setup, load_setup
from treewright.apps.stories.to_python import domain_source
from treewright.apps.stories.world import World
from treewright.library.domain import Domain

PARAMS = 4
ROUNDING = 1e-6  # of shares, which the goals' machine adds up in single precision


@functools.cache
def _story_class(text: str) -> type[Domain]:
    """The class of a generated text; equal texts give the same class."""
    filename = f"<story {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope: dict[str, Any] = {"__name__": generated.__name__}
    exec(compile(text, filename, "exec"), scope)  # our own generator's text
    found: type[Domain] = scope["Story"]
    return found


class Grounding:
    """The ground actions of a set-up: numbers, entities, tables."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.counts = {k: len(e) for k, e in setup.entities.items()}
        self.shapes = [
            tuple(self.counts[kind] for _, kind in a.params) for a in setup.library.actions
        ]
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        self.base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.total = int(self.base[-1])

    @property
    def stop(self) -> int:
        """The action that ends a story in which nothing else can be done."""
        return self.total

    def number(self, event: Event) -> int:
        k = self._index(event.action)
        return int(self.base[k] + np.ravel_multi_index(event.args, self.shapes[k]))

    def event(self, action: int) -> Event:
        k = int(np.searchsorted(self.base, action, side="right")) - 1
        args = np.unravel_index(action - int(self.base[k]), self.shapes[k])
        return Event(self.setup.library.actions[k].name, tuple(int(a) for a in args))

    def _index(self, name: str) -> int:
        return next(i for i, a in enumerate(self.setup.library.actions) if a.name == name)

    def matching(self, event: Event) -> np.ndarray:
        """The numbers of all actions that an event's pattern covers."""
        k = self._index(event.action)
        grid = np.arange(self.base[k], self.base[k + 1]).reshape(self.shapes[k])
        index = tuple(slice(None) if a < 0 else a for a in event.args)
        return np.atleast_1d(grid[index]).ravel()

    def tables(self, program: Program, prefix: bool) -> dict[str, Any]:
        setup, layout = self.setup, self.setup.layout
        world, best = World.start(setup), 0.0
        for event in setup.steering.prefix:  # the story begins after what is pinned
            world.do(event, world.believed(event)[0])
            best = max(best, world.score()) if prefix else 0.0
        times, when = np.zeros(EVENTS, np.int8), np.zeros(EVENTS, np.int8)
        for slot, event in enumerate(program.events):
            times[slot], when[slot] = world.times.get(event, 0), world.when.get(event, 0)
        start = np.zeros(layout.sizes["v"], np.int8)
        fixed: dict[str, np.ndarray] = {"c": np.zeros(max(1, layout.sizes["c"]), np.int32)}
        fixed["k"] = np.zeros(max(1, layout.sizes["k"]))
        arrays: dict[str, np.ndarray] = {"v": start, **fixed}
        for attribute, place in layout.slots.items():
            arrays[place.table][layout.whole(attribute)] = attribute.empty
        for (attribute, owner, index), value in world.values.items():
            arrays[layout.slots[attribute].table][layout.address(attribute, owner, index)] = value
        for attribute, row in layout.rows.items():
            owners = range(self.counts[attribute.owner])
            start[row : row + len(owners)] = [
                any(
                    world.values[attribute, owner, other] != attribute.empty
                    for other in range(self.counts[attribute.over])
                )
                for owner in owners
            ]
        entities = np.zeros((PARAMS, self.total + 1), np.uint8)
        schema = np.full(self.total + 1, len(self.shapes), np.int16)
        for k, shape in enumerate(self.shapes):
            begin, end = int(self.base[k]), int(self.base[k + 1])
            schema[begin:end] = k
            for i, column in enumerate(np.indices(shape).reshape(len(shape), -1)):
                entities[i, begin:end] = column
        scale, own = self._sliders(entities)
        events = np.zeros(self.total + 1, np.int32)
        for slot, event in enumerate(program.events):
            events[self.matching(event)] |= 1 << slot
        return {
            "n": np.array(list(self.counts.values()), np.int64),
            "everybody": np.concatenate([np.arange(c) for c in layout.caps.values()]),
            "start": start,
            **fixed,
            "base": self.base,
            "schema": schema,
            **{f"p{i}": entities[i] for i in range(PARAMS)},
            "scale": scale,
            "fixed": own,
            "steered": self._steered(scale, own),
            "events": events,
            "relevant": self._relevant(program),
            "most": self._most(scale, own),
            "code": np.array([c[:3] for c in program.code], np.int32).reshape(-1, 3),
            "numbers": np.array([c[3] for c in program.code]),
            "limits": np.array([setup.length, prefix, self.total, world.length], np.int64),
            "reals": np.array([setup.enough - ROUNDING, world.believability, best]),
            "times": times,
            "when": when,
            **self._wish(world.felt),
        }

    def _wish(self, felt: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The curve of tension, where one is wished for, and what was felt so far."""
        wish = self.setup.wish
        if wish is None:
            return {}
        curve = np.array(wish.curve)
        begun = np.array(felt, np.int8)
        return {"curve": curve, "wish": np.array([wish.weight, wish.height]), "felt": begun}

    def _sliders(self, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The user's factor and own believability of each ground action."""
        scale = np.ones(self.total + 1, np.float32)
        own = np.full(self.total + 1, -1.0, np.float32)
        steering = self.setup.steering
        people = {k for k, t in self.setup.library.known.types.items() if t.noun == "person"}
        for k, action in enumerate(self.setup.library.actions):
            rows = slice(int(self.base[k]), int(self.base[k + 1]))
            if action.name in steering.fixed:
                own[rows] = steering.fixed[action.name]
            scale[rows] *= steering.factors.get(action.name, 1.0)
            if action.params[0][1] in people:
                for person, traits in steering.traits.items():
                    doer = entities[0, rows] == person
                    scale[rows][doer] *= traits.get(action.name, 1.0)
        for event in steering.forbidden:
            scale[self.matching(event)] = 0.0
        scale[own == 0.0] = 0.0
        return scale, own

    def _steered(self, scale: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Which kinds of action the user's sliders change."""
        changed = (scale != 1.0) | (own >= 0.0)
        pairs = zip(self.base[:-1], self.base[1:], strict=True)
        return np.array([changed[begin:end].any() for begin, end in pairs], np.int8)

    def _most(self, scale: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The highest believability that each kind of action can have."""
        found = []
        for k, action in enumerate(self.setup.library.actions):
            rows = slice(int(self.base[k]), int(self.base[k + 1]))
            rules = max(r.value for r in action.believe)
            rated = np.where(own[rows] >= 0, own[rows], rules) * scale[rows].astype(np.float64)
            found.append(min(1.0, float(rated.max(initial=0.0))))
        return np.array(found)

    def _relevant(self, program: Program) -> np.ndarray:
        """Whether an action can change what the goals read."""
        found = [
            any(
                c.target is not None and c.target.value in program.reads
                for top in action.changes
                for c in top.walk()
            )
            for action in self.setup.library.actions
        ]
        return np.array(found, np.int8)


def story_domain(setup: Setup, *, prefix: bool = True, towards: list[Goal] | None = None) -> Domain:
    """The domain of a set-up.

    ``prefix``: a story may stop anywhere, so its reward is the best score on the way; without
    it the score counts only where a simulation ends (the survey's text, read literally).
    ``towards`` some goals: only these count, in part too (grounding.py); same class, other tables.
    With motives it is the domain of planning problems, where reasons are part of believability.
    """
    if setup.minds is not None:
        from treewright.apps.stories.planning.mind import motivated_domain

        return motivated_domain(setup)
    cls = _story_class(domain_source(setup.library, setup.layout, setup.wish is not None))
    grounding = Grounding(setup)
    domain = cls(tables=grounding.tables(compile_goals(setup, towards), prefix))
    domain.grounding = grounding  # type: ignore[attr-defined]
    return domain


def story(setup: str = "sherlock") -> Domain:
    """The domain of a set-up that comes with Treewright, or of a ``.toml`` file."""
    return story_domain(load_setup(setup))


def with_cast(domain: Domain, cast: dict[str, list[int]]) -> Any:
    """The start of a story in which only some take part (casting.py)."""
    state = domain.new_state()
    layout = domain.grounding.setup.layout  # type: ignore[attr-defined]
    for i, (kind, numbers) in enumerate(cast.items()):
        state.acting[i] = len(numbers)
        for j, number in enumerate(numbers):
            state.cast[layout.seats[kind] + j] = number
    return state
