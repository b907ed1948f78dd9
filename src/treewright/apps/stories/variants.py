"""More than one story: variants that differ, and stories that branch."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from treewright.apps.stories.distances import edit_distance
from treewright.apps.stories.searches import StoryProgress, generate
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.story import Story
from treewright.kernel.rng import stream_seed
from treewright.library.cluster.jobs import Cluster, Shared

TRIES = 3  # searches for each variant before one that is alike is accepted


def different(
    setup: Setup,
    count: int,
    *,
    seed: int,
    progress: Callable[[StoryProgress], object] | None = None,
    cluster: str | None = None,
    **how: Any,
) -> list[Story]:
    """So many stories that differ; the first is the one that ``generate`` finds.

    Each is searched with a seed of its own.  One whose actions are those of an earlier story is
    searched again; with a seed after the other, at most three times.  On a ``cluster`` the
    searches run side by side, and the stories are the same.
    """
    seeds = (seed if i == 0 else stream_seed(seed, i) >> 33 for i in itertools.count())
    stories: list[Story] = []
    done = 0
    for attempt, story in enumerate(_stories(setup, seeds, progress, cluster, how), start=1):
        done += int(story.found.get("nodes", 0))
        if cluster is not None and progress is not None:
            progress(StoryProgress(done, max(s.score for s in [*stories, story])))
        alike = any(story.actions == other.actions for other in stories)
        if not alike or attempt >= TRIES * count:
            stories.append(story)
        if story.found.get("stopped") == "interrupt" or len(stories) == count:
            break
    return stories


def _stories(
    setup: Setup,
    seeds: Iterator[int],
    progress: Callable[[StoryProgress], object] | None,
    cluster: str | None,
    how: dict[str, Any],
) -> Iterator[Story]:
    """A story for each seed, in their order, searched here or on a cluster."""
    if cluster is not None:
        with Cluster(cluster) as there:
            yield from there.map(_there, itertools.repeat(Shared((setup, how))), seeds)
    done = 0
    for own in seeds:
        story = generate(setup, seed=own, progress=_shifted(progress, done), **how)
        done += int(story.found.get("nodes", 0))
        yield story


def _there(task: Shared, seed: int) -> Story:
    setup, how = task.get()
    return generate(setup, seed=seed, **how)


def branching(
    setup: Setup,
    points: int,
    *,
    seed: int,
    progress: Callable[[StoryProgress], object] | None = None,
    **how: Any,
) -> list[Story]:
    """One story and, from each of some moments in it, another way to go on.

    At a choice point the story so far is pinned, the action that was taken there is forbidden as
    the next one, and the search goes on from there.
    """
    first = generate(setup, seed=seed, progress=progress, **how)
    stories = [first]
    pinned = len(setup.steering.prefix)
    events = first.events
    # what was done before can't be forbidden at the choice point
    room = [i for i in range(pinned, len(events) - 1) if events[i] not in events[:i]]
    at = [room[(i + 1) * len(room) // (points + 1)] for i in range(points)] if room else []
    done = int(first.found.get("nodes", 0))
    for i, moment in enumerate(dict.fromkeys(at)):
        if stories[-1].found.get("stopped") == "interrupt":
            break
        story = _other_way(
            setup, first, moment, stream_seed(seed, 100 + i) >> 33, how, done, progress
        )
        done += int(story.found.get("nodes", 0))
        if all(edit_distance(story.actions, s.actions) > 0 for s in stories):
            stories.append(story)
    return stories


def _other_way(
    setup: Setup,
    story: Story,
    moment: int,
    seed: int,
    how: dict[str, Any],
    done: int,
    progress: Callable[[StoryProgress], object] | None,
) -> Story:
    """The best story that agrees with another up to a moment, and then does not."""
    old = setup.steering
    taken = story.events[moment]
    setup.steering = replace(old, prefix=story.events[:moment], forbidden=[*old.forbidden, taken])
    try:
        return generate(
            setup, seed=seed, progress=_shifted(progress, done), **(how | {"method": "mcts"})
        )
    finally:
        setup.steering = old


def _shifted(
    progress: Callable[[StoryProgress], object] | None, done: int
) -> Callable[[StoryProgress], object] | None:
    if progress is None:
        return None
    return lambda now: progress(replace(now, nodes=now.nodes + done))
