"""``treewright tactics`` from outside: what it prints, writes and refuses."""

import gzip
import json

import pytest

from treewright.workshop.experiments.store import Store


@pytest.fixture
def tactics(command, tmp_path):
    def call(*arguments, **checks):
        return command("tactics", *arguments, **checks)

    call.folder = tmp_path
    return call


QUICK = ("--agents", "greedy-action,random", "--budget", "evals:1", "-q")


def test_a_tournament_is_kept_and_goes_on(tactics):
    first = tactics("tournament", *QUICK, "--games", 4, "--store", "t.sqlite")
    assert "greedy-action against random" in first
    assert len(kept(tactics)) == 4
    tactics("tournament", *QUICK, "--games", 6, "--store", "t.sqlite")
    played = kept(tactics)
    assert len(played) == 6
    whole = json.loads(tactics("tournament", *QUICK, "--games", 6, "--json"))
    again = json.loads(tactics("tournament", *QUICK, "--games", 6, "--store", "t.sqlite", "--json"))
    assert whole == again  # nothing was played again, and it is what one run gives
    assert kept(tactics) == played
    assert whole[0]["games"] == 6
    assert whole[0]["low"] < whole[0]["score"] <= whole[0]["high"]


def kept(tactics):
    with Store(tactics.folder / "t.sqlite", read_only=True) as store:
        return store.finished("tactics-tournament")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--agents", "emcts"), "at least two agents"),
        (("--agents", "emcts,oep-gredy"), "did you mean 'oep-greedy'"),
        (("--agents", "emcts,oep", "--ap", "five"), "5,10,15"),
        (("--agents", "emcts,oep", "--ap", "0"), "ap must be 1 to 30"),
        (("--agents", "emcts,oep", "--budget", "20"), "write it like 200ms"),
        (("--agents", "emcts,oep", "--games", "0"), "games must be at least 1"),
        (("--agents", "emcts,oep", "--workers", "0"), "workers must be at least 1"),
        (("--agents", "emcts,oep", "--map", "b"), "there is no map 'b'"),
        (("--agents", "emcts,oep", "--store", "bad.sqlite"), "bad.sqlite is not a store"),
        (("--agents", "emcts,oep", "--evaluation", "tested"), "did you mean 'testbed'"),
    ],
)
def test_a_bad_tournament_is_one_sentence(tactics, arguments, says):
    (tactics.folder / "bad.sqlite").write_text("hello\n")
    assert says in tactics("tournament", *arguments, "-q", code=2)


def test_agents_play_and_the_game_is_replayed_and_drawn(tactics):
    out = tactics("watch", *QUICK, "--map", "a-tiny", "--out", "g.json")
    assert out.rstrip().endswith(("wins", "a draw"))
    again = tactics("watch", "g.json")
    assert again == out
    told = json.loads(tactics("watch", "g.json", "--json"))
    assert told["players"] == ["greedy-action", "random"]
    assert told["turns"][0]["player"] == 1
    assert tactics("render", "g.json", "--at", 3, "--out", "b.png") == "b.png written\n"
    assert (tactics.folder / "b.png").read_bytes()[:4] == b"\x89PNG"
    assert "the game has" in tactics("render", "g.json", "--at", 9999, "--out", "c.png", code=2)
    assert not (tactics.folder / "c.png").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("watch",), "give a saved game, or --agents"),
        (("watch", "missing.json"), "missing.json can't be read"),
        (("watch", "--agents", "random"), "two names"),
        (("watch", "--agents", "random,random", "--delay", "-1"), "--delay"),
        (("watch", "broken.json"), "broken.json is no JSON"),
        (("watch", "illegal.json"), "illegal.json, action 1: M0080 is not legal in turn 1"),
        (("play", "illegal.json"), "illegal.json, action 1"),
        (("play", "--opponent", "nobody"), "there is no agent 'nobody'"),
        (("verify", "missing.gz"), "can't be read as a gzip"),
        (("verify", "broken.json"), "can't be read as a gzip"),
        (("render", "--out", "x.txt"), "draw to one of"),
    ],
)
def test_bad_input_is_one_sentence(tactics, arguments, says):
    (tactics.folder / "broken.json").write_text("{")
    game = {"format": "treewright-hero-academy-1", "settings": {}, "actions": ["M0080"]}
    (tactics.folder / "illegal.json").write_text(json.dumps(game))
    assert says in tactics(*arguments, code=2)


def test_verify_tells_differences_from_agreement(tactics):
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.notation import to_json

    start = to_json(HeroAcademy(testbed=True, deck_seeds=(1, 2)).new_state()._record[0])
    head = {"type": "game", "g": 0, "ap": 5, "firstAp": 3, "limit": 100}
    head |= {"deckSeed1": 1, "deckSeed2": 2, "start": start}
    for name, change in (("good", 0), ("bad", 1)):
        line = head | {"start": start | {"s1": start["s1"] + change}}
        with gzip.open(tactics.folder / f"{name}.gz", "wt") as file:
            file.write(json.dumps(line) + "\n")
    assert "0 of 0 records agree (1 games" in tactics("verify", "good.gz", "-q")
    assert "1 x start" in tactics("verify", "good.gz", "bad.gz", "-q", code=1)


def test_a_whole_game_is_played_by_hand(tactics):
    """Always the first action listed, with everything else that can be typed on the way."""
    typed = ["nonsense", "0", "undo", "1", "undo", "1", "save g.json", "save no/g.json"]
    typed += ["load missing.json", "load g.json", "load", *["1"] * 400]
    out = tactics(
        *("play", "--opponent", "random", "--map", "a-tiny", "--budget", "evals:1", "-q"),
        typed="\n".join(typed) + "\n",
    )
    assert out.rstrip().endswith("the game is over")
    assert "'nonsense' is not an action here" in out
    assert "'0' is not an action here" in out
    assert "there is nothing to take back" in out
    assert "saved to g.json" in out
    assert "no/g.json can't be written" in out
    assert "missing.json can't be read" in out
    assert "random:" in out  # the opponent's turns are told
    assert "wins" in out or "draw" in out


def test_a_game_goes_on_from_a_file_and_can_be_left(tactics):
    options = ("--opponent", "random", "--map", "a-tiny", "--budget", "evals:1", "-q")
    tactics("play", *options, typed="1\n2\nsave g.json\nquit\n")
    saved = json.loads((tactics.folder / "g.json").read_text())
    assert len(saved["actions"]) == 2
    out = tactics("play", "g.json", "--opponent", "random", "--budget", "evals:1", "-q", typed="")
    assert "not finished" in out
    assert "player 2: hand ??????," in out
    shown = tactics("play", *options, "--open-hands", typed="")
    assert "player 2: hand ?" not in shown


def test_agents_are_listed(tactics):
    assert "emcts" in json.loads(tactics("agents", "--json"))
