"""A wished curve of tension: by hand, in both engines' rules, in a search, and mistakes."""

import random

import pytest

from treewright.apps.stories.domain import story_domain
from treewright.apps.stories.searches import generate
from treewright.apps.stories.setup import load_setup
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.tension import Wish
from treewright.apps.stories.world import World
from treewright.library.position import Position


def wishing(curve, weight=0.5):
    return load_setup("jealousy", {"tension": {"curve": curve, "weight": weight}})


def test_a_story_that_is_as_tense_as_wished_loses_nothing():
    wish = Wish((0.0, 4.0, 0.0), 0.5)
    assert wish.fit((0, 2, 4, 2, 0)) == 1.0
    assert wish.fit((4, 2, 0, 2, 4)) == pytest.approx(1 - 0.5 * (1 + 0 + 1 + 0 + 1) / 5)
    assert wish.fit((0,)) == 1.0
    assert [wish.wished(i, 3) for i in range(4)] == pytest.approx([0, 8 / 3, 8 / 3, 0])


def test_the_searched_domain_feels_as_the_told_world_does():
    setup = wishing([1, 3, 0])
    domain = story_domain(setup)
    draw = random.Random(3)
    for _ in range(5):
        position, world = Position(domain), World.start(setup)
        while not position.ended:
            action = draw.choice(position.legal())
            if action == domain.grounding.stop:
                break
            position.play(action)
            event = domain.grounding.event(action)
            world.do(event, world.believed(event)[0])
            felt = [int(position.state.felt[i]) for i in range(world.length + 1)]
            assert tuple(felt) == world.felt
        assert position.state.best >= world.score() - 1e-9


def test_the_curve_is_a_term_of_the_score():
    story = generate(wishing([1, 3, 0], 0.9), nodes=60, seed=1, engine="python")
    assert story.score == pytest.approx(story.believability * story.share * story.fit)
    assert 0 < story.fit < 1
    plain = generate(load_setup("jealousy"), nodes=60, seed=1, engine="python")
    assert plain.fit == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"curve": [1]}, "a list of 2 to 20 numbers"),
        ({"curve": [1, "high"]}, "a point lies between -100 and 100, not 'high'"),
        ({"curve": [0, 1], "weight": 2}, "weight is above 0 and at most 1"),
        ({"curve": [0, 1], "wait": 1}, "'wait' is unknown here; did you mean 'weight'"),
    ],
)
def test_mistakes_are_named(given, said):
    with pytest.raises(StoryError, match=said):
        load_setup("jealousy", {"tension": given})


def test_a_library_must_say_what_tension_is():
    with pytest.raises(StoryError, match="does not say what tension is"):
        load_setup("lunch", {"tension": {"curve": [0, 1]}})
    with pytest.raises(StoryError, match="not both yet"):
        load_setup("motives", {"tension": {"curve": [0, 1]}})
