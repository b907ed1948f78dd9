"""Casts of large set-ups: who may act in one search."""

import pytest

from treewright.apps.stories.casting import LARGE, SMALLEST, casts, luby, named
from treewright.apps.stories.domain import story_domain, with_cast
from treewright.apps.stories.searches import DEFAULT, TRIES, _Run
from treewright.apps.stories.setup import load_setup
from treewright.library.position import Position


def test_luby():
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_small_setups_need_no_cast():
    setup = load_setup("sherlock")
    assert casts(setup, 1, setup.goals) is None
    assert len(setup.people) <= LARGE < len(load_setup("village").people)


def attributes(setup, kind, name):
    attribute = setup.library.known.attributes[kind, name]
    return [setup.values[attribute, e.number, 0] for e in setup.entities[kind]]


@pytest.mark.parametrize("name", ["town", "city"])
def test_a_cast_has_everybody_it_needs(name):
    setup = load_setup(name)
    jobs, homes = attributes(setup, "actor", "job"), attributes(setup, "actor", "place")
    owners, places = attributes(setup, "item", "owner"), attributes(setup, "item", "place")
    sizes = set()
    for _, cast in zip(range(15), casts(setup, 3, setup.goals), strict=False):
        assert all(numbers == sorted(set(numbers)) for numbers in cast.values())
        assert {jobs[n] for n in cast["actor"]} == set(jobs)
        assert {homes[n] for n in cast["actor"]} <= set(cast["place"])
        assert all(i in cast["item"] for i, owner in enumerate(owners) if owner in cast["actor"])
        assert all(places[i] in {-1, *cast["place"]} for i in cast["item"])
        assert named(setup, setup.goals) <= {
            (kind, n) for kind, listed in cast.items() for n in listed
        }
        sizes.add(len(cast["actor"]))
    assert min(sizes) == SMALLEST
    assert max(sizes) == len(setup.people)


def test_named_are_those_of_goals_and_of_the_prefix():
    steering = {"prefix": ["Move(Ada, park)"], "require": ["Insult(Leo, _)"]}
    setup = load_setup("city", steering)
    ids = {setup.entity(*who).id for who in named(setup, setup.goals)}
    assert ids == {"Ada", "park", "Leo"}


def test_who_is_needed_for_another_goal_stays_out():
    setup = load_setup("village")  # Ada has the necklace: not if she is dead or jailed by then
    ada = next(e.number for e in setup.entities["actor"] if e.id == "Ada")
    for _, cast in zip(range(15), casts(setup, 3, setup.goals[:2]), strict=False):
        assert ada not in cast["actor"]
    assert ada in next(casts(setup, 3, setup.goals))["actor"]


ALL_GOALS = (
    "PickUp(Clara, violin); PickUp(David, pistol); Move(David, clara_house); Steal(David, "
    "Clara, violin); Attack(Clara, David); Kill(David, Clara, pistol); Move(Ada, "
    "clara_house); CallPolice(Ada, Hugo); Flee(David, edith_house); Befriend(Ada, Hugo); "
    "FindClues(Hugo); PickUp(Hugo, necklace); Give(Hugo, Ada, necklace); Steal(Edith, "
    "David, violin); Kill(David, Edith, pistol); Flee(David, david_house); Move(Hugo, "
    "david_house); Wrestle(Hugo, David, pistol); Arrest(Hugo, David)"
)


def a_run(options=None):
    setup = load_setup("village", options)
    run = _Run(setup, story_domain(setup), 1000, 1, DEFAULT, "64MiB", "python", None)
    events = [setup.ground(a) for a in ALL_GOALS.split("; ")]
    return run, [run._domain.grounding.number(e) for e in events]


def test_a_story_that_meets_all_goals_comes_first():
    run, whole = a_run({"tuning": {"Arrest": 0.5}})
    run._told(whole[:-1])
    most = run._score
    run._told(whole)
    assert run._score < most
    run._told(whole[:-1])
    assert run.best == whole


def test_a_search_goes_on_from_the_best_story_that_meets_some_goals():
    run, whole = a_run()
    run._told([])  # the first search met no goal
    run._told(whole[:-1])
    for _ in range(TRIES):
        search, kept, cast = run._next()
        assert search is not run._strict
        assert 0 < len(kept) < len(whole)
        assert set(kept) <= set(whole)
        assert run._after(kept, cast, search).length == len(kept)
    assert run._next()[1] == []


def test_what_the_first_search_reached_is_gone_on_from_too():
    run, whole = a_run()
    run._told(whole[:-1])  # two murders and the necklace, at once
    search, kept, _ = run._next()
    assert 0 < len(kept) < len(whole)
    assert search is run._towards(run._setup.goals)


def test_what_is_so_at_the_start_is_nothing_to_go_on_from():
    run, _ = a_run({"goals": ["Ada is alive"]})
    run._told([])
    assert run._begun == {}


def test_with_all_goals_met_no_search_makes_for_some_of_them():
    run, whole = a_run({"tuning": {"Arrest": 0.1}})
    run._told(whole[:-1])
    run._told(whole)
    assert run._complete
    assert run._score < run._incomplete
    for _ in range(4):
        assert run._next()[0] is run._towards(run._setup.goals)


def test_the_same_seed_gives_the_same_casts():
    setup = load_setup("city")
    one, same, other = (
        [c for _, c in zip(range(5), casts(setup, s, setup.goals), strict=False)] for s in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_only_the_cast_acts_and_is_acted_upon():
    setup = load_setup("town")
    domain = story_domain(setup)
    everything = {domain.grounding.event(a) for a in Position(domain).legal()}
    cast = next(casts(setup, 5, setup.goals))
    state = with_cast(domain, cast)
    found = {domain.grounding.event(a) for a in Position(domain, state).legal()}

    def inside(event):
        params = setup.library.action(event.action).params
        return all(n in cast[kind] for n, (_, kind) in zip(event.args, params, strict=True))

    assert found == {e for e in everything if inside(e)}
    assert 0 < len(found) < len(everything) / 2
    assert state.share == domain.new_state().share
