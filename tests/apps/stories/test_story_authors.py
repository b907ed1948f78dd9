"""What helps an author: why an action can't happen, and a file looked at when it is saved."""

import itertools
import re

import pytest

from treewright.apps.stories import watching
from treewright.apps.stories.asking import ask
from treewright.apps.stories.explaining import as_text, explain
from treewright.apps.stories.library import find_source
from treewright.apps.stories.setup import load_setup
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.story import replay
from treewright.apps.stories.watching import report, report_or_mistake, saved


def test_the_conditions_that_fail_are_named_with_the_values_now():
    data = explain(load_setup("sherlock"), "Kill(Bob, Alice, rifle)", [])
    failing = [n["needs"] for n in data["needs"] if not n["holds"]]
    assert failing == [
        "Bob.place == Alice.place (Bob.place is bob_house, Alice.place is alice_house)",
        "rifle.holder == Bob (rifle.holder is none)",
    ]
    assert not data["possible"]
    assert "can't happen at the start" in as_text(data)


def test_what_happened_before_counts():
    after = ["PickUp(Bob, rifle)", "Move(Bob, alice_house)"]
    data = explain(load_setup("sherlock"), "Kill(Bob, Alice, rifle)", after)
    assert data["possible"]
    assert all(n["holds"] for n in data["needs"])
    assert as_text(data).startswith("Kill(Bob, Alice, rifle) can happen after PickUp(Bob, rifle);")


def test_what_the_set_up_forbids_is_said():
    setup = load_setup("sherlock", {"forbid": ["Kill(Bob, _, _)"]})
    data = explain(setup, "Kill(Bob, Alice, rifle)", [])
    assert "the set-up forbids it" in as_text(data)


def test_a_file_is_looked_at_again_only_when_it_was_saved(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("a = 1")
    looks = itertools.count()

    def pause(_):
        if next(looks) == 2:
            path.write_text("a = 22")
            import os

            os.utime(path, ns=(1, 1))

    seen = list(itertools.islice(saved(path, pause), 2))
    assert seen[1] == 1
    assert next(looks) == 3


def test_a_mistake_is_reported_and_not_raised(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("title = 3")
    assert f"{path}" in report_or_mistake(path, None, 10, 1)
    with pytest.raises(StoryError, match=f"{path}"):
        report(path, None, 10, 1)


def test_a_goal_that_is_not_met_is_named(monkeypatch, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(find_source("jealousy", "setups").text)
    short = replay(load_setup("jealousy"), [])
    monkeypatch.setattr(watching, "generate", lambda setup, **how: short)
    said = report(path, None, 10, 1).splitlines()
    assert said[-2:] == ["  not met: at least 1 murdered", "  not met: the murderer is arrested"]


def test_a_mistake_in_an_action_is_no_fault_of_the_file():
    with pytest.raises(StoryError, match=r"^the option action, in 'Kil\(Bob\)'"):
        explain(load_setup("sherlock"), "Kil(Bob)", [])
    with pytest.raises(StoryError, match=r"^the option after: 'Kill' must name every entity"):
        explain(load_setup("sherlock"), "Move(Bob, court)", ["Kill"])


def test_people_are_asked_for_their_pronouns():
    answers = {"Pronoun of Alice (she, he, they, it)": "she"}
    text = ask("crime", lambda question, default: answers.get(question, default), pytest.fail)
    assert re.search(r'Alice = \{.* pronoun = "she" \}', text)
