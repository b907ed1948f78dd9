"""More than one story: variants that differ, and stories that branch."""

import copy
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from treewright.apps.stories.distances import edit_distance, jaccard
from treewright.apps.stories.model import Event
from treewright.apps.stories.reach import impossible
from treewright.apps.stories.searches import StoryProgress, generate
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.story import Story, replay
from treewright.apps.stories.world import covers
from treewright.kernel.rng import stream_seed
from treewright.library.cluster.jobs import Cluster, Shared

SHARES = (0.04, 0.02)  # of what is forbidden to make another story (see ``thinned``), by turns
CANDIDATES = 2  # stories that are made, each with its part of the nodes, for one that is kept
DISTANCE = 0.4  # what a story with nothing in common with any other may score less than one alike
TRIES = 3  # times as many are made, if need be, before one that is alike is accepted


def different(
    setup: Setup,
    count: int,
    *,
    seed: int,
    nodes: int = 100_000,
    progress: Callable[[StoryProgress], object] | None = None,
    cluster: str | None = None,
    **how: Any,
) -> list[Story]:
    """So many stories that differ; the first is the one that ``generate`` finds.

    More than are asked for are made, each with a seed of its own in a world where some people may
    not do some things (:func:`thinned`), and :func:`chosen` picks among them.  On a ``cluster`` the
    searches run side by side, and the stories are the same.
    """
    seeds = (seed if i == 0 else stream_seed(seed, i) >> 33 for i in itertools.count())
    made: list[Story] = []
    done = 0
    how = {**how, "nodes": nodes}
    for story in _stories(setup, seeds, progress, cluster, how):
        made.append(story)
        done += int(story.found.get("nodes", 0))
        if cluster is not None and progress is not None:
            progress(StoryProgress(done, max(s.score for s in made)))
        unlike = len({tuple(s.actions) for s in made})
        most = CANDIDATES * (count - 1) + 1
        enough = len(made) >= most and (unlike >= count or len(made) >= TRIES * most)
        if enough or count == 1 or story.found.get("stopped") == "interrupt":
            break
    return chosen(made, count)


def chosen(made: list[Story], count: int) -> list[Story]:
    """The first story, then one after the other the one that scores most and is least like them.

    Those that meet all goals come before those that do not.
    """
    kept, rest = made[:1], made[1:]
    while rest and len(kept) < count:

        def worth(story: Story) -> tuple[bool, bool, float]:
            near = min(jaccard(story.actions, other.actions) for other in kept)
            whole = story.share >= story.setup.enough
            return near > 0.0, whole, story.score + DISTANCE * near

        best = max(rest, key=worth)
        rest.remove(best)
        kept.append(best)
    return kept


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
            yield from there.map(
                _there, itertools.repeat(Shared((setup, how))), seeds, itertools.count()
            )
    done = 0
    for i, own in enumerate(seeds):
        now = _shifted(progress, done)
        story = _candidate(setup, i, seed=own, progress=now, **how)
        done += int(story.found.get("nodes", 0))
        yield story


def _there(task: Shared, seed: int, number: int) -> Story:
    setup, how = task.get()
    return _candidate(setup, number, seed=seed, **how)


def _candidate(setup: Setup, number: int, *, seed: int, nodes: int, **how: Any) -> Story:
    """The first is what ``generate`` finds; in the others some people may not do some things."""
    if number == 0:
        return generate(setup, seed=seed, nodes=nodes, **how)
    thin = thinned(setup, SHARES[number % len(SHARES)], random.Random(seed))
    if impossible(thin):
        thin = setup
    found = generate(thin, seed=seed, nodes=max(1, nodes // CANDIDATES), **how)
    return replay(setup, found.events, seed, **found.found)


def thinned(setup: Setup, share: float, rng: random.Random) -> Setup:
    """The same set-up, where about this share of all that has a part in a deed has not.

    Of each kind of action some people may not do it, and it can't happen to some people, things
    and places.
    """
    forbidden = list(setup.steering.forbidden)
    for action in setup.library.actions:
        for i, (_, kind) in enumerate(action.params):
            for entity in setup.entities[kind]:
                if rng.random() < share:
                    args = [-1] * len(action.params)
                    args[i] = entity.number
                    forbidden.append(Event(action.name, tuple(args)))
    pinned = setup.steering.prefix
    thin = copy.copy(setup)
    kept = [p for p in forbidden if not any(covers(p, event) for event in pinned)]
    thin.steering = replace(setup.steering, forbidden=kept)
    return thin


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
