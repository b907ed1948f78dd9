"""Telling and exporting: what is read, and what Ink, Twee and Yarn's own compilers say."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest

from treewright.apps.stories.causes import causal_svg
from treewright.apps.stories.distances import edit_distance, jaccard, variety
from treewright.apps.stories.exports import as_data, export, passages
from treewright.apps.stories.setup import load_setup, read_setup
from treewright.apps.stories.source import Source
from treewright.apps.stories.story import _spared, _without, links, replay, trim
from treewright.apps.stories.telling import in_turn, prose, sentences

START = "PickUp(Alice, vase); PickUp(Bob, rifle); Move(Bob, alice_house); Steal(Bob, Alice, vase)"
ENDINGS = [
    "Apologize(Bob, Alice)",
    "Steal(Alice, Bob, vase); Kill(Bob, Alice, rifle); Flee(Bob, downtown)",
    "Steal(Alice, Bob, vase); Attack(Bob, Alice)",
]
NODE = shutil.which("node")
MODULES = os.environ.get("TREEWRIGHT_NODE_MODULES", "")


def told(setup, text, seed=1):
    return replay(setup, [setup.ground(a.strip(), "prefix") for a in text.split(";")], seed)


@pytest.fixture(scope="module")
def stories():
    setup = load_setup("sherlock")
    return [told(setup, f"{START}; {e}") for e in ENDINGS]


def test_prose_has_pronouns_and_joined_sentences(stories):
    text = prose(stories[1])
    assert text.startswith("Alice and Bob were each at their own house.")
    assert "Charlie" not in text, "nobody is mentioned who does not appear"
    assert re.search(r"Bob (picked up|took) a rifle from his house and (went|made|set off)", text)
    assert re.search(r"This made (Alice|her) furious\.", text)
    assert "  " not in text
    assert "{" not in text
    assert all(re.match(r"[A-Z].*[.!?]$", s.text) for s in sentences(stories[1]))


def test_where_joins_a_journey_with_what_is_done_there():
    setup = load_setup("sherlock")
    text = prose(told(setup, "Move(Bob, court); PickUp(Bob, basketball)"))
    assert re.search(r"Bob .* the basketball court, where he (picked up|took) a basketball\.", text)


def test_a_place_has_an_article_unless_it_is_a_proper_name():
    setup = read_setup(Source('''
goals = ["Ann is dead"]
[places]
house = {}
mill = { at = "in the mill" }
Rome = {}
uptown = { kind = "public", to = "uptown" }
[actors]
Ann = { place = "house" }
Ben = { place = "uptown" }
Cleo = { place = "Rome" }
[items]
cup = { place = "Rome" }
''', "places.toml"))  # fmt: skip
    text = prose(told(setup, "Move(Ann, mill); Move(Ben, house); Move(Cleo, house)"))
    assert text.startswith("Ann was at the house, Ben at uptown and Cleo at Rome.")
    assert re.search(r"Ann \w[^,.]* to the mill", text)
    assert "the the" not in text


def test_a_thing_is_it_when_nothing_else_could_be_meant():
    setup = load_setup("sherlock")
    both = "Move(Bob, alice_house); PickUp(Bob, vase); Give(Bob, Alice, vase)"
    assert re.search(
        r"(picked up|took) a vase and (gave|handed).* it( |\.)", prose(told(setup, both))
    )
    two = "PickUp(Bob, rifle); Move(Bob, alice_house); PickUp(Bob, vase); Drop(Bob, rifle)"
    assert "left the rifle" in prose(told(setup, two)), "two things: which would it be?"
    cuffs = "Drop(Lestrade, handcuffs); PickUp(Lestrade, handcuffs)"
    assert re.search(r"left the handcuffs .* (picked up|took) them", prose(told(setup, cuffs)))


def test_a_second_and_becomes_then():
    assert in_turn(["ran", "fell"]) == "ran and fell"
    assert in_turn(["ran", "looked and saw", "fell"]) == "ran, looked and saw, then fell"
    assert in_turn(["looked and saw"]) == "looked and saw"


def test_variants_differ_with_the_seed():
    setup = load_setup("sherlock")
    assert len({prose(told(setup, START, seed)) for seed in range(12)}) > 4


def test_a_person_without_a_pronoun_is_they():
    text = 'goals = ["at least 1 dead"]\n[places]\nhut = {}\n[actors]\nSam = { place = "hut" }\n'
    text += '[items]\ncup = { place = "hut", owner = "Sam" }\n'
    setup = read_setup(Source(text, "x.toml"))
    assert "was at the hut" in prose(told(setup, "PickUp(Sam, cup)"))


def test_they_were():
    setup = load_setup("dragon")
    next(e for e in setup.people if e.id == "Rowan").told["pronoun"] = "they"
    texts = [
        prose(told(setup, f"Travel(Rowan, castle); {rest}", seed))
        for seed in range(6)
        for rest in ("Help(Rowan, Isolde)", "Help(Isolde, Rowan); Help(Rowan, Isolde)")
    ]
    assert any("where they were kind to" in t for t in texts)
    assert any("Rowan was kind to" in t for t in texts)
    assert not any("hey was" in t for t in texts)


def test_trimming_leaves_out_what_nothing_rests_on():
    setup = load_setup("sherlock")
    story = told(
        setup, f"PickUp(Charlie, bat); {START}; Steal(Alice, Bob, vase); Kill(Bob, Alice, rifle)"
    )
    setup.goals = [setup._goal("Alice is dead", "goals", 0)]
    short = trim(replay(setup, story.events))
    assert "PickUp(Charlie, bat)" not in short.actions
    assert short.score >= replay(setup, story.events).score
    kept = trim(replay(setup, story.events), keep=1)
    assert kept.actions[0] == "PickUp(Charlie, bat)"


@pytest.mark.parametrize("keep", [0, 2])
@pytest.mark.parametrize("together", [1, 2, 3])
def test_what_is_spared_first_is_the_first_of_all_combinations(together, keep):
    setup = load_setup("sherlock")
    text = f"PickUp(Charlie, bat); {START}; Move(Charlie, court); {ENDINGS[1]}"
    events = told(setup, text).events
    for goals in (["Alice is dead"], ["Alice has vase"], ["Alice is dead", "Bob is dead"]):
        setup.goals = [setup._goal(goal, "goals", i) for i, goal in enumerate(goals)]
        story = replay(setup, events)
        tried = combinations(range(keep, len(events)), together)
        slow = next((list(c) for c in tried if _without(story, c) is not None), None)
        assert _spared(story, keep, together) == slow


def test_links_say_what_made_what_possible(stories):
    found = {(k.source, k.target): k for k in links(stories[1])}
    names = stories[1].actions
    kill = names.index("Kill(Bob, Alice, rifle)")
    assert not found[names.index("PickUp(Bob, rifle)"), kill].motive
    assert found[names.index("Steal(Alice, Bob, vase)"), kill].motive


def test_the_graph_is_well_formed_and_escaped(stories):
    tree = ET.fromstring(causal_svg(stories[1]))
    texts = ["".join(t.itertext()) for t in tree.iter() if t.tag.endswith("text")]
    assert any("Bob" in t for t in texts)
    assert sum(t.tag.endswith("path") for t in tree.iter()) > 5


def test_json_has_every_step_with_its_changes(stories):
    data = as_data(stories[1])
    assert data["score"]["total"] == pytest.approx(
        data["score"]["believability"] * data["score"]["goals"]
    )
    theft = data["steps"][3]
    assert theft["action"] == "Steal"
    assert theft["arguments"] == {"A": "Bob", "B": "Alice", "I": "vase"}
    assert {"what": "vase.holder", "from": "Alice", "to": "Bob"} in theft["changes"]
    assert {"what": "Alice.anger[Bob]", "from": 0, "to": 3} in theft["changes"]
    assert theft["rule"] == "I.value >= 0.7"
    json.dumps(data)


def test_markdown_and_text(stories):
    assert export(stories[:1], "markdown").startswith("# The vase\n")
    assert export(stories[:1], "text").count("\n\n") >= 1


def test_branches_form_a_trie(stories):
    root = passages(stories)
    assert root.sentences[0] == "Alice and Bob were each at their own house."
    assert len(root.sentences) == 1 + 4
    assert len(root.choices) == 2
    assert sum(not p.choices for p in root.all()) == 3


def test_distances_have_known_values():
    assert edit_distance("abc", "abc") == 0
    assert edit_distance("abc", "xyz") == 1
    assert edit_distance("kitten", "sitting") == pytest.approx(3 / 7)
    assert jaccard("ab", "bc") == pytest.approx(2 / 3)


def test_variety_counts_pairs(stories):
    seen = variety(stories)
    assert seen.different == 3
    assert 0 < seen.jaccard < 1
    assert 0 < seen.edits < 1


def nasty():
    """Every sign that means something to one of the formats."""
    odd = r"{x} <b> [y] |z| #1 -> <- // \\ ~ * $v _i_ ''b'' :: == `c` @d ^e & TODO: ok"
    text = f"""title = '''{odd}'''
goals = ["at least 1 dead"]
[places]
hut = {{ name = '''{odd}''' }}
sea = {{ name = "the sea", kind = "public" }}
[actors]
Sam = {{ place = "sea", name = '''* -> {odd}''' }}
Eve = {{ place = "hut", name = '''== {odd} Eve''' }}
[items]
cup = {{ place = "hut", name = '''[cup] {odd}''' }}
"""
    setup = read_setup(Source(text, "nasty.toml"))
    return [
        told(setup, "Move(Sam, hut); Befriend(Sam, Eve)"),
        told(setup, "Move(Sam, hut); PickUp(Sam, cup)"),
    ]


@pytest.mark.skipif(not NODE, reason="needs node")
@pytest.mark.skipif(
    not MODULES, reason="needs TREEWRIGHT_NODE_MODULES: npm install inkjs extwee yarn-bound there"
)
@pytest.mark.parametrize("which", ["plain", "linear", "nasty"])
def test_the_tools_own_compilers_accept_the_files(stories, which, tmp_path):
    chosen = {"plain": stories, "linear": stories[:1], "nasty": nasty()}[which]
    for form in ("ink", "twee", "yarn"):
        (tmp_path / f"story.{form}").write_text(export(chosen, form), encoding="utf-8")
    script = Path(__file__).parent / "story_formats.mjs"
    out = subprocess.run(
        [NODE, str(script), str(tmp_path), MODULES], capture_output=True, text=True, timeout=60
    )
    assert out.returncode == 0, out.stderr
    read = json.loads(out.stdout)
    for form in ("ink", "twee", "yarn"):
        assert read[form]["problems"] == [], form
        assert len(read[form]["endings"]) == len(chosen), form
    if which == "nasty":
        for form in ("ink",):
            assert "#1 -> <- //" in read[form]["endings"][0], read[form]["endings"][0]
    else:
        assert "Alice" in read["ink"]["endings"][0]
        assert read["ink"]["endings"][0].split() == read["yarn"]["endings"][0].split()
    assert re.fullmatch(r"[0-9A-F-]{36}", read["twee"]["ifid"])
