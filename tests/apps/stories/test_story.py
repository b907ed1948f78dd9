"""Searching for stories: no story breaks its own rules, and the search finds good ones."""

import copy
import functools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from story_oracle import Oracle

from treewright.apps.stories.benchmark import run as benchmark
from treewright.apps.stories.benchmark import table
from treewright.apps.stories.distances import edit_distance
from treewright.apps.stories.domain import Grounding, story_domain
from treewright.apps.stories.library import built_in_names, find_source
from treewright.apps.stories.searches import DEFAULT, PLAIN, generate
from treewright.apps.stories.setup import load_setup
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.story import best_prefix, replay
from treewright.apps.stories.variants import branching, different
from treewright.errors import OptionError
from treewright.kernel.interpreted import Cells
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.random import below, stream

SEARCHES = 1000


@functools.cache
def beginning(name):
    setup = find_source(name, "setups")
    library = setup.data.get("library", "crime")
    return Oracle(find_source(library, "libraries").text, setup.text)


def oracle(name):
    """A world of its own at the beginning of a set-up, whose files are read once."""
    world = copy.copy(beginning(name))
    world.state, world.happened = dict(world.state), []
    return world


def names(setup, event):
    params = setup.library.action(event.action).params
    return [setup.entity(kind, n).id for n, (_, kind) in zip(event.args, params, strict=True)]


def in_words(setup, cell, value):
    kind = cell[0].type
    if kind.kind == "entity":
        return None if value < 0 else setup.entity(kind.name, value).id
    if kind.kind == "enum":
        return setup.library.known.enums[kind.name][value]
    return bool(value) if kind.kind == "bool" else value


def replayed(name, story):
    """Play a story in the oracle and compare every precondition, effect and believability."""
    world, setup = oracle(name), story.setup
    product = 1.0
    for step in story.steps:
        action, args = step.event.action, names(setup, step.event)
        assert world.possible(action, args), (action, args)
        believed = world.believability(action, args)
        assert believed == pytest.approx(step.believability, abs=1e-6)
        product *= believed
        before = dict(world.state)
        doer = args[0]
        if setup.library.known.types[world.kind[doer]].noun == "person":
            dead = world.state.get((world.kind[doer], "health", doer)) == 0
            assert not dead, f"{doer} is dead and did {action}"
        world.do(action, args)
        changed = {k: v for k, v in world.state.items() if before[k] != v}
        told = {}
        for cell, _, after in step.changes:
            key = (cell[0].owner, cell[0].name, setup.entity(cell[0].owner, cell[1]).id)
            if cell[0].over:
                key += (setup.entity(cell[0].over, cell[2]).id,)
            told[key] = in_words(setup, cell, after)
        assert told == changed
        assert world.share() == pytest.approx(step.share)
    assert product * world.share() == pytest.approx(story.score, abs=1e-6)


# ------------------------------------------------------------------------------ the rules are kept


def test_no_story_of_a_thousand_searches_breaks_its_rules():
    """The compiled search's own score of each story is the one that the plain interpreter finds."""
    setup = load_setup("sherlock")
    domain = story_domain(setup)
    grounding = domain.grounding
    lengths = []
    search = Search(domain, DEFAULT, seed=1, memory="4MiB")
    for _ in range(SEARCHES):
        search.begin(domain.new_state())  # its stream of random numbers goes on
        result = search.run(60)
        events = [grounding.event(a) for a in result.best_sequence if a != grounding.stop]
        story = best_prefix(setup, events)
        assert story.score == pytest.approx(result.best_score, abs=1e-6)
        replayed("sherlock", story)
        lengths.append(len(story.steps))
    assert np.mean(lengths) > 1


@pytest.mark.parametrize("name", ["sherlock", "fairy_tale", "citizen", "dragon"])
def test_random_play_agrees_with_the_plain_interpreter(name):
    """Legal actions, weights, effects and the share of goals along random stories."""
    setup = load_setup(name)
    domain = story_domain(setup)
    rng = stream(7)
    for _ in range(2):
        world, position = oracle(name), Position(domain)
        product = 1.0
        for _ in range(10):
            if position.ended:
                break
            legal = [a for a in position.legal() if a != domain.grounding.stop]
            found = {domain.grounding.event(a) for a in legal}
            assert found == every_possible(setup, world, domain.grounding)
            action = legal[below(rng, len(legal))]
            event = domain.grounding.event(action)
            args = names(setup, event)
            believed = world.believability(event.action, args)
            assert position.weight(action) == pytest.approx(believed, abs=1e-6)
            product *= believed
            position.play(action)
            world.do(event.action, args)
            assert position.state.share == pytest.approx(world.share())
            assert position.state.believability == pytest.approx(product, abs=1e-6)


def every_possible(setup, world, grounding):
    """All ground actions, tried one by one (those with the doer free are enough to be slow)."""
    forbidden = [setup.event(f, "forbid").action for f in setup.source.data.get("forbid", [])]
    found = set()
    for action in range(grounding.total):
        event = grounding.event(action)
        if event.action not in forbidden and world.possible(event.action, names(setup, event)):
            found.add(event)
    return found


@pytest.mark.parametrize("name", ["sherlock", "dragon"])
def test_weights_share_out_the_best_of_each_kind(name):
    domain = story_domain(load_setup(name))
    out = Cells(np.zeros(domain.max_actions + 1, np.int32))
    weights = Cells(np.zeros(domain.max_actions + 1))
    listing = domain.interpreted["legal_weights"]
    rng = stream(3)
    position = Position(domain)
    while not position.ended and position.state.length < 12:
        n = listing(position.state, domain.interpreted_tables, out, weights)
        assert [out[i] for i in range(n)] == position.legal()
        sums = {}
        tops = {}
        for i in range(n):
            kind = domain.grounding.event(out[i]).action
            sums[kind] = sums.get(kind, 0.0) + weights[i]
            tops[kind] = max(tops.get(kind, 0.0), position.weight(out[i]))
        assert sums == pytest.approx(tops)
        position.play(out[below(rng, n)])


def test_both_engines_build_the_same_tree():
    domain = story_domain(load_setup("sherlock"))
    searches = [
        Search(domain, DEFAULT, seed=3, memory="8MiB", engine=e) for e in ("compiled", "python")
    ]
    for search in searches:
        search.run(25)
    one, other = (
        [*zip(s.tree.nodes["action"], s.tree.nodes["visits"], strict=True)] for s in searches
    )
    assert one == other


# ------------------------------------------------------------------------------------ the search


def test_the_default_search_is_far_above_the_survey():
    """0.07 in the survey at this budget; the bar of the issue is a mean of 0.85."""
    setup = load_setup("sherlock")
    scores = [generate(setup, nodes=100_000, seed=seed).score for seed in (301, 302, 303)]
    assert np.mean(scores) >= 0.85


def test_forty_people_are_no_hindrance():
    """The largest set-up: a good story within seconds, which keeps all the rules."""
    setup = load_setup("city")
    story = generate(setup, nodes=20_000, seed=3)
    assert story.share == 1.0
    assert story.score > 0.4
    replayed("city", story)


def test_the_benchmark_measures_what_it_says():
    (row,) = benchmark(3000, ("sherlock",))
    assert row["people"] == 5
    assert row["nodes"] == 3000
    assert 0 < row["seconds"] < 30
    assert 0 < row["score"] <= 1
    assert "sherlock" in table([row])


def test_the_other_methods_come_in_the_surveys_order():
    setup = load_setup("sherlock")
    found = {
        m: generate(setup, method=m, nodes=20_000).score
        for m in ("breadth-first", "best-first", "depth-first")
    }
    assert found["breadth-first"] == pytest.approx(0.0485)
    assert found["breadth-first"] > found["best-first"] > found["depth-first"]


def test_the_same_seed_gives_the_same_story_and_another_seed_another():
    setup = load_setup("sherlock")
    one, same, other = (generate(setup, nodes=3000, seed=s) for s in (1, 1, 2))
    assert one.actions == same.actions
    assert one.actions != other.actions


def test_steering():
    setup = load_setup(
        "sherlock",
        {
            "forbid": ["Earthquake", "Arrest"],
            "require": ["Insult(Alice, Bob)"],
            "prefix": ["Move(Alice, bob_house)"],
            "traits": {"Charlie": {"Kill": 0.0}},
            "believability": {"Insult": 1.0},
        },
    )
    story = generate(setup, nodes=12_000, seed=1)
    assert story.actions[0] == "Move(Alice, bob_house)"
    assert "Insult(Alice, Bob)" in story.actions
    assert not any(a.startswith(("Earthquake", "Arrest(", "Kill(Charlie")) for a in story.actions)
    told = next(s for s in story.steps if s.event.action == "Insult")
    assert told.believability == 1.0


def test_a_prefix_that_is_not_possible_is_refused():
    setup = load_setup("sherlock", {"prefix": ["Kill(Bob, Alice, rifle)"]})
    with pytest.raises(StoryError, match="step 1"):
        generate(setup, nodes=100)


def test_order_is_kept():
    story = generate(load_setup("citizen"), nodes=30_000, seed=2)
    kinds = [e.action for e in story.events]
    assert story.share == 1.0
    assert kinds.index("Steal") < kinds.index("Kill") < kinds.index("CitizensArrest")


def test_variants_differ_and_branches_share_a_beginning():
    setup = load_setup("sherlock")
    how = {"nodes": 2000}
    stories = different(setup, 4, seed=1, **how)
    assert len({tuple(s.actions) for s in stories}) == 4
    branches = branching(setup, 2, seed=1, **how)
    assert len(branches) >= 2
    first = branches[0].actions
    for other in branches[1:]:
        assert edit_distance(first, other.actions) > 0
    assert setup.steering.prefix == []


def test_a_tree_whose_best_line_ends_for_want_of_anything_better_can_be_shown():
    """The action that ends a story is listed only while there is something to beat."""
    others = [a.name for a in load_setup("jealousy").library.actions if a.name != "Insult"]
    steering = {"forbid": others, "require": ["Insult(Rosa, Emil)"]}
    domain = story_domain(load_setup("jealousy", steering))
    search = Search(domain, DEFAULT, seed=1, memory="8MiB", engine="python")
    for _ in range(6):
        result = search.run(40)
        assert result.principal_variation(20) is not None
        assert len(list(search.tree.walk(depth=8, top=60))) > 1
    assert domain.grounding.stop in search.tree.nodes["action"]


def test_pruning_commits_step_by_step():
    setup = load_setup("sherlock")
    story = generate(setup, nodes=6000, seed=1, prune=1000)
    assert story.found["nodes"] <= 6000
    assert story.score > 0


def test_pruning_searches_more_nodes_than_fit_into_the_memory():
    setup = load_setup("sherlock")
    story = generate(setup, nodes=60_000, seed=1, prune=4000, memory="1MiB")
    assert story.found["nodes"] > 40_000
    assert story.found["nodes"] % 4000 == 0 or story.found["nodes"] == 60_000


def test_plain_uct_with_the_score_at_the_end():
    """The survey's text read literally: unbelievable, and below the same with prefixes."""
    setup = load_setup("sherlock")
    scores = [
        generate(setup, nodes=4000, seed=1, options=PLAIN, restarts=False, prefix_reward=p).score
        for p in (False, True)
    ]
    assert all(0 <= s < 0.3 for s in scores)


def test_a_story_that_can_do_nothing_ends():
    text_setup = load_setup(
        "jealousy", {"forbid": [a.name for a in load_setup("jealousy").library.actions]}
    )
    story = generate(text_setup, nodes=50, seed=1)
    assert story.steps == ()
    assert story.score == 0.0


def test_every_setup_loads_and_its_start_is_consistent():
    for name in built_in_names("setups"):
        setup = load_setup(name)
        world = oracle(name)
        assert Grounding(setup).total > 100
        for (attribute, owner, index), value in setup.values.items():
            key = (attribute.owner, attribute.name, setup.entity(attribute.owner, owner).id)
            if attribute.over:
                key += (setup.entity(attribute.over, index).id,)
            assert world.state[key] == in_words(setup, (attribute, owner, index), value)
        assert replay(setup, []).share == pytest.approx(world.share())


def test_bad_arguments():
    setup = load_setup("sherlock")
    with pytest.raises(OptionError, match="no method 'bfs'"):
        generate(setup, method="bfs")
    with pytest.raises(OptionError, match="nodes"):
        generate(setup, nodes=0)


# ------------------------------------------------------------------------------- the command line


def run(*arguments, **keywords):
    code = "from treewright.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "story", *arguments], capture_output=True, text=True,
        env={**os.environ, "COLUMNS": "200"}, **keywords,
    )  # fmt: skip


def test_generate_from_the_shell(tmp_path):
    out = run(
        "generate", "sherlock", "--nodes", "3000", "--seed", "1", "--json", "--graph", "g.svg",
        cwd=tmp_path,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    data = json.loads(out.stdout)
    assert 0 < data["score"]["total"] <= 1
    assert (tmp_path / "g.svg").read_text().startswith("<svg")
    out = run(
        "generate", "sherlock", "--nodes", "3000", "--out", "s.ink", "--graph", "g.svg",
        cwd=tmp_path,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    assert out.stdout.endswith("g.svg written\n")
    assert "-> END" in (tmp_path / "s.ink").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "sherlok"],
        ["generate", "missing.toml"],
        ["generate", "sherlock", "--method", "bfs"],
        ["generate", "sherlock", "--format", "pdf"],
        ["generate", "sherlock", "--graph", "why.png"],
        ["generate", "sherlock", "--tune", "Kill"],
        ["generate", "sherlock", "--forbid", "Murder"],
        ["generate", "sherlock", "--variants", "2", "--branches", "1"],
        ["generate", "sherlock", "--length", "0"],
        ["check", "nothing"],
    ],
)
def test_bad_input_is_one_sentence(arguments, command, tmp_path):
    assert command("story", *arguments, code=2).startswith("treewright: ")
    assert list(tmp_path.iterdir()) == []


def test_list_check_and_new(tmp_path):
    assert "sherlock" in run("list").stdout
    about = run("check", "crime").stdout
    assert "actions: 28" in about
    assert "note" not in about  # about a file that its reader can't change
    answers = "\n".join(
        ["My story", "hut, jail", "house", "jail", "Ann, Ben", "hut", "civilian", "she",
         "hut", "officer", "he", "knife", "hut", "0.2", "1.0", "at least 1 dead", "", ""]
    )  # fmt: skip
    out = run("new", "mine.toml", cwd=tmp_path, input=answers)
    assert out.returncode == 0, out.stderr
    assert run("check", "mine.toml", cwd=tmp_path).returncode == 0
    out = run("new", "other.toml", cwd=tmp_path, input="My story\n")
    assert out.returncode == 2
    assert out.stderr.endswith("the answers ended too early; other.toml is not written\n")
    assert not (tmp_path / "other.toml").exists()
    (tmp_path / "own.toml").write_text(find_source("crime", "libraries").text)
    assert "the macro holds is used nowhere" in run("check", "own.toml", cwd=tmp_path).stdout
