"""Steps that could as well happen in another order, put where they are read most easily.

A search does not care whether Ada fetches the necklace before or after Hugo sets off.  A reader
does: each change from one person to another who has nothing to do with it is a new scene.  Of two
orders that are alike in that, the one with causes closer to what they lead to is taken.
"""

import itertools
from collections.abc import Iterator, Sequence

from treewright.apps.stories.model import Event
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.story import Story, goes_on, is_as_good, links, replay
from treewright.apps.stories.world import World

_LONGEST = 6  # steps of one person that are moved together
_MOST = 300  # orders that are tried: a long story must not take longer to order than to find


def in_scenes(story: Story, keep: int = 0) -> Story:
    """The same steps with fewer changes of scene, the first ``keep`` where they are.

    Every step stays possible, and neither the score nor the share of the goals falls.
    """
    people = [_people(story.setup, event) for event in story.events]
    causes = [(k.source, k.target) for k in links(story) if k.target < len(people)]
    changes = [[_change(before, step) for step in people] for before in people]
    order, tried = list(range(len(people))), 0
    worlds = _worlds(story, order)
    refused: set[tuple[int, ...]] = set()

    def cost_of(order: Sequence[int]) -> tuple[int, int]:
        steps = itertools.pairwise(order)
        return sum(changes[before][step] for before, step in steps), _apart(order, causes)

    while True:
        now = cost_of(order)
        better = ((cost_of(new), new) for new in _moves(order, people, keep))
        for cost, new in sorted(better):
            if cost >= now or tried == _MOST:
                return replay(
                    story.setup, [story.events[i] for i in order], story.seed, **story.found
                )
            if tuple(new) not in refused:
                tried += 1
                if _can_be(story, new, order, worlds):
                    order, worlds = new, _worlds(story, new)
                    break
                refused.add(tuple(new))
        else:
            return story


def _people(setup: Setup, event: Event) -> tuple[int, ...]:
    """Who takes part, first who does it; -1: nobody does."""
    types = setup.library.known.types
    kinds = [kind for _, kind in setup.library.action(event.action).params]
    found = [
        number if types[kind].noun == "person" else -1
        for number, kind in zip(event.args, kinds, strict=True)
    ]
    return tuple(found[:1] + [number for number in found[1:] if number >= 0])


def _change(before: tuple[int, ...], step: tuple[int, ...]) -> int:
    """How much a reader must follow: 1 to another doer, 2 where nobody takes part in both steps."""
    both = {who for who in before if who >= 0}.intersection(step)
    return 2 if not both else int(before[0] != step[0])


def _apart(order: Sequence[int], causes: Sequence[tuple[int, int]]) -> int:
    """How many steps lie between causes and what they led to."""
    at = {step: i for i, step in enumerate(order)}
    return sum(at[target] - at[source] for source, target in causes)


def _moves(
    order: Sequence[int], people: Sequence[tuple[int, ...]], keep: int
) -> Iterator[list[int]]:
    """All orders in which some steps of one person, one after another, stand elsewhere."""
    for begin in range(keep, len(order)):
        for end in range(begin + 1, min(begin + _LONGEST, len(order)) + 1):
            if people[order[end - 1]][0] != people[order[begin]][0]:
                break
            rest = [*order[:begin], *order[end:]]
            for at in range(keep, len(rest) + 1):
                if at != begin:
                    yield [*rest[:at], *order[begin:end], *rest[at:]]


def _worlds(story: Story, order: Sequence[int]) -> list[World]:
    """The world before each step, as far as the story goes on."""
    found = [World.start(story.setup)]
    for i in order:
        world = found[-1].copy()
        if not goes_on(world, story, story.events[i]):
            break
        found.append(world)
    return found


def _can_be(
    story: Story, new: Sequence[int], order: Sequence[int], worlds: Sequence[World]
) -> bool:
    """Whether the story is as good in a new order; ``worlds`` are those of the present one."""
    same = next((i for i, (a, b) in enumerate(zip(new, order, strict=True)) if a != b), len(order))
    same = min(same, len(worlds) - 1)
    world = worlds[same].copy()
    events = story.events
    return all(goes_on(world, story, events[i]) for i in new[same:]) and is_as_good(world, story)
