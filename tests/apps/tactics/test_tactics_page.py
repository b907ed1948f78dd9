"""What the studio's page for Hero Academy stands on, without a browser."""

import json

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)

from treewright.apps.tactics.job import PLAN, Begun, Plan, from_file, plan, record_of, shown
from treewright.apps.tactics.saves import load, save
from treewright.apps.tactics.svg import board_svg
from treewright.errors import OptionError
from treewright.workshop.jobs.store import Store
from treewright.workshop.jobs.work import Here
from treewright.workshop.searching.inspector import about, children
from treewright.workshop.searching.steps import StepJob, run_of


def begun(*actions):
    return Begun(map="a-small", seed=3, actions=list(actions))


def first(kind):
    """The first legal action of a kind in the opening, and the position after it."""
    texts = [a["text"] for a in shown(begun().model_dump())["legal"]]
    return next(text for text in texts if text.startswith(kind))


def test_a_position_says_what_may_be_done():
    now = shown(begun().model_dump(), hidden=1)
    assert (now["player"], now["ap"], now["turn"], now["over"]) == (0, 3, 1, False)
    assert now["hands"][1] == "??????"
    assert len(now["hands"][0]) == 6
    assert {p["letter"] for p in now["pieces"].values()} == {"X"}
    assert all(a["from"] in now["hands"][0] for a in now["legal"]), "nobody stands there yet"
    after = shown(begun(first("D")).model_dump())
    (unit,) = [p for p in after["pieces"].values() if p["letter"] != "X"]
    assert (unit["side"], unit["hp"] > 0) == (0, True)


def test_the_board_shows_targets_and_the_planned_turn():
    action = first("D")
    now = shown(begun(action).model_dump())
    square = action[2:]
    targets = {a["to"] for a in now["legal"] if a["from"] == square}
    svg = board_svg(now, square, targets, {square}, [{"text": f"M{square}11", "from": square,
                                                      "to": "11"}])  # fmt: skip
    assert svg.count('class="target"') == len(targets) > 1
    assert svg.count('class="place"') == now["width"] * now["height"]
    assert 'class="chosen"' in svg
    assert 'marker-end="url(#tip)"' in svg


def test_a_single_card_that_was_put_back_can_be_replayed(tmp_path):
    """Rollout policies do that, though searches do not look at it; such games could not be read."""
    card = next(c for c in "KACWN" if shown(begun().model_dump())["hands"][0].count(c) == 1)
    record = record_of(begun(f"X{card}"))
    save(record, tmp_path / "game.json")
    assert load(tmp_path / "game.json").actions == record.actions


def test_a_planned_turn_goes_on_in_the_saved_game():
    data = plan(
        Plan(map="a-small", seed=3, agent="greedy-action", evaluations=1), lambda *_: None
    ).data
    assert len(data["turn"]) == 3, "the first turn has three points"
    assert all(one["words"] for one in data["turn"])
    saved = PLAN.exports["json"].write(data)
    again = from_file(saved)
    assert again["actions"] == [one["text"] for one in data["turn"]]
    assert shown(again)["player"] == 1


@pytest.fixture
def stored(tmp_path):
    """Where a plan's tree can be looked at, as the studio does it."""

    def store(settings):
        looks = []

        def report(share, words="", preview=None):
            if preview is not None:
                looks.append(preview())

        made = plan(settings, report)
        kept = Store(tmp_path / "jobs.sqlite")
        kept.add("turn", "tactics-turn", "", settings.model_dump(mode="json"))
        kept.end("turn", "done", "", made.data, made.files)
        return str(kept.path), made.data, looks

    return store


def test_the_tree_of_an_agent_can_be_opened_and_stepped_through(stored, monkeypatch):
    settings = Plan(map="a-small", seed=3, agent="emcts-plain", evaluations=400)
    path, data, looks = stored(settings)
    assert looks[-1]["turn"] == data["turn"], "the best turn so far is drawn on the way"
    assert max(len(look["search"]["tree"]) for look in looks) == 5
    said = about(path, "turn")
    assert said["took"]["nodes"] > 10
    assert said["root"].count("\n") == 2, "the root is a whole turn, of three actions"
    below = children(path, "turn", [])
    assert sum(child["visits"] for child in below) == said["took"]["nodes"] - 1
    assert below[0]["label"][0] in "123", "a child replaces one of them"
    monkeypatch.setattr(Here, "store", path)
    steps = run_of(StepJob(job="turn", simulations=8), lambda *_: None).data["steps"]
    assert [step["rollout"] for step in steps] == [[]] * 8, "turns are judged where they end"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (b"{", "JSON"),
        (b"[]", "not a saved game"),
        (b"[" * 100_000, "nested"),
        (b'{"format": "treewright-hero-academy-1"}', "needs an object"),
        (b'{"format": "treewright-hero-academy-1", "settings": {"map": "../a"}, "actions": []}',
         "no map"),
        (b'{"format": "treewright-hero-academy-1", "settings": {"greed": 1}, "actions": []}',
         "not by 'greed'"),
        (b'{"format": "treewright-hero-academy-1", "settings": {}, "actions": ["M0001"]}',
         "not legal"),
    ],
)  # fmt: skip
def test_files_that_are_no_games(given, said):
    with pytest.raises(OptionError, match=said):
        from_file(given)


@pytest.mark.parametrize(
    "wrong", [{"actions": ["Z"]}, {"ap": 31}, {"map": "b"}, {"actions": ["E"] * 6201}]
)
def test_games_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match="validation error"):
        Begun.model_validate(wrong)
    with pytest.raises(OptionError, match="action 1: M0001 is not legal"):
        record_of(begun("M0001"))
    assert json.dumps(shown(begun().model_dump()))
