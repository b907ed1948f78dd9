"""Whole games between engine processes: a hundred of each kind, and no word out of place."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from treewright.apps.go.gtp.client import Client, find
from treewright.apps.go.gtp.match import play

MAIN = [sys.executable, "-c", "from treewright.cli import main; main()"]
ENGINE = [*MAIN, "gtp", "--size", "5", "--simulations", "20"]
GNU_GO = find("gnugo")
NODE = shutil.which("node")
MODULES = os.environ.get("TREEWRIGHT_NODE_MODULES")


def hundred(ours, theirs):
    """A hundred games on 5x5, colours alternating; a refused command or an illegal move raises."""
    with Client(ours) as one, Client(theirs) as other:
        return [play(*((one, other) if n % 2 else (other, one)), size=5) for n in range(100)]


def test_a_hundred_games_between_two_processes():
    played = hundred(ENGINE, [*ENGINE, "--seed", "1"])
    assert len({tuple(p.game.moves) for p in played}) > 50
    assert all(p.game.over or p.result.endswith("+R") for p in played)
    assert sum(p.winner == 1 for p in played) > 90  # 5x5 is Black's (van der Werf 2003)


@pytest.mark.skipif(GNU_GO is None, reason="needs GNU Go 3.8: apt-get install gnugo")
def test_a_hundred_games_against_gnu_go():
    level = ["--level", "1", "--chinese-rules", "--capture-all-dead"]
    assert len(hundred(ENGINE, [GNU_GO, "--mode", "gtp", *level])) == 100


@pytest.mark.skipif(not NODE, reason="needs node")
@pytest.mark.skipif(
    not (MODULES and (Path(MODULES) / "node_modules" / "@sabaki").exists()),
    reason="needs TREEWRIGHT_NODE_MODULES: npm install @sabaki/gtp there",
)
def test_a_hundred_games_through_sabakis_own_client():
    job = {"commands": [ENGINE, [*ENGINE, "--seed", "1"]], "games": 100, "size": 5}
    script = Path(__file__).parent / "sabaki_match.mjs"
    out = subprocess.run(
        [NODE, str(script), MODULES, json.dumps(job)], capture_output=True, text=True, timeout=600
    )
    assert out.returncode == 0, out.stderr
    seen = json.loads(out.stdout)
    assert seen["refused"] == []
    assert len(seen["lengths"]) == 100
    assert seen["infos"] > 100


def match(*arguments):
    return subprocess.run(
        [*MAIN, "go", "match", *arguments], capture_output=True, text=True, timeout=300
    )


def test_the_command_writes_records_and_counts_wins(tmp_path):
    engine = " ".join(f"'{word}'" for word in ENGINE)
    out = match(
        "treewright", engine, "--games", "4", "--size", "5", "--simulations", "20",
        "--sgf", str(tmp_path / "records"), "--json",
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    seen = json.loads(out.stdout)
    assert [game["black"] for game in seen["games"]] == [1, 2, 1, 2]
    assert seen["wins"] == sum(game["winner"] == 1 for game in seen["games"])
    records = sorted((tmp_path / "records").iterdir())
    assert [r.name for r in records] == [f"game-00{n}.sgf" for n in (1, 2, 3, 4)]
    for record, game in zip(records, seen["games"], strict=True):
        assert f"RE[{game['result']}]" in record.read_text()


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        ("no-such-engine --gtp", "no-such-engine does not start"),
        (f"{sys.executable} -c pass", "has ended"),
        (f"{sys.executable} -c \"print('hello', flush=True); input(); print()\"", "'hello'"),
        ("cat", "answered 'boardsize 5' with 'boardsize 5'"),  # it waited for more
        ("'unclosed", "No closing quotation"),
        ("", "command is empty"),
    ],
)
def test_an_engine_that_is_none_is_one_sentence(engine, says):
    out = match("treewright", engine, "--games", "2", "--size", "5", "--simulations", "20")
    assert out.returncode == 2
    assert says in out.stderr
    assert "Traceback" not in out.stderr


def test_a_game_can_travel():
    """Its board could not be pickled, and so no match ran on a cluster."""
    import pickle

    from treewright.apps.go.gtp.game import Game
    from treewright.apps.go.gtp.match import Played
    from treewright.apps.go.setup import to_point

    game = Game(5, 7.5)
    for point in ("C3", "B2", "pass"):
        game.play(game.to_play, to_point(point, 5))
    copied = pickle.loads(pickle.dumps(Played(1, "B+R", game)))
    assert copied.game.moves == game.moves
    assert copied.game.render() == game.render()
