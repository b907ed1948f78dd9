"""Game records and reviews."""

import json
import subprocess
import sys

import pytest

from treewright.apps.go.gtp import sgf
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.player import style
from treewright.apps.go.gtp.review import comments, graph, review
from treewright.apps.go.setup import to_point, to_vertex

COMMAND = [sys.executable, "-c", "from treewright.cli import main; main()"]


def vertices(game):
    return [to_vertex(p, game.size) for _, p in game.moves]


def test_round_trip():
    game = Game(9, 6.5)
    for i, vertex in enumerate(["D4", "E5", "pass", "C3"]):
        game.play(1 + i % 2, to_point(vertex, 9))
    text = sgf.write(game, "B+3.5", ("me", "you"), comments=["Black 51 %"])
    assert "RE[B+3.5]" in text
    assert "C[Black 51 %]" in text
    again = sgf.parse(text.encode())
    assert again.moves == game.moves
    assert (again.size, again.komi) == (9, 6.5)


def test_handicap_round_trip():
    game = Game(9)
    game.fixed_handicap(3)
    game.play(2, to_point("E5", 9))
    again = sgf.parse(sgf.write(game).encode())
    assert sorted(again.stones) == sorted(game.stones)
    assert again.moves == game.moves
    assert again.to_play == 1


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[1]SZ[9];B[dd];W[tt];B[])", ["D6", "pass", "pass"]),
        ("(;SZ[9]AB[aa:bb]AW[cc] ; B[dd] (;W[ee])(;W[ff]))", ["D6", "E5"]),
        ("(;SZ[9]C[a \\] bracket]XX[unknown];\nB[dd]\n)", ["D6"]),
        ("(;SZ[9];B[dd])(;SZ[9];B[ee])", ["D6"]),
        ("(;;B[dd])", ["D16"]),
        ("(;SZ[9]PL[W];W[aa])", ["A9"]),
    ],
)
def test_what_files_contain(text, moves):
    assert vertices(sgf.parse(text.encode())) == moves


def test_setup_in_the_middle():
    game = sgf.parse(b"(;SZ[9];B[dd];AE[dd]AW[ee]PL[B];B[ff])")
    assert vertices(game) == ["F4"]
    assert [(c, to_vertex(p, 9)) for c, p in game.stones] == [(2, "E5")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"hello", "not SGF"),
        (b"", "not SGF"),
        (b"(;SZ[25];B[dd])", "25x25"),
        (b"(;SZ[9];B[dd];W[dd])", "node 2: D6 is not legal"),
        (b"(;SZ[9]AB[dd]AW[dd])", "node 0: there are two stones at D6"),
        (b"(;SZ[9]KM[lots])", "is no number"),
        (b"(;SZ[9]KM[7.5\nHA[2])", r"KM\[7.5 HA\[2\] is no number"),
        (b"\xff\xfe(;SZ[9", "not SGF"),
    ],
)
def test_bad_records(text, says):
    with pytest.raises(sgf.SgfError, match=says):
        sgf.parse(text, "game.sgf")


def test_review_finds_the_blunder(tmp_path):
    """Black gives a won 5x5 game away by playing inside White's last eye space, then White's."""
    game = Game(5, 0.5)
    for colour, vertex in [(1, "C3"), (2, "A1"), (1, "pass"), (2, "C2"), (1, "pass"), (2, "B3")]:
        game.play(colour, to_point(vertex, 5))
    found = review(game, style(reuse=False), 400)
    assert len(found.steps) == 6
    assert {s.number for s in found.swings()} & {3, 5}, "passing in the opening costs most"
    texts = comments(found)
    assert len(texts) == 6
    assert all(t.startswith("Black ") for t in texts)
    graph(found, "a game").savefig(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 5000


def test_the_command(tmp_path):
    record = tmp_path / "game.sgf"
    record.write_text("(;SZ[5]KM[0.5];B[cc];W[bb];B[];W[cb])")
    out = subprocess.run(
        [*COMMAND, "go", "analyse", str(record), "--simulations", "50", "--json",
         "--sgf", str(tmp_path / "commented.sgf")],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    data = json.loads(out.stdout)
    assert len(data["moves"]) == 4
    assert (tmp_path / "game.png").exists()
    assert "C[Black" in (tmp_path / "commented.sgf").read_text()
    for arguments, says in (
        ([str(tmp_path / "none.sgf")], "No such file"),
        ([str(record), "--out", "graph.xyz"], "must end in .png or .svg or .pdf"),
        ([str(record), "--out", "no/graph.png"], "there is no folder no"),
        ([str(record), "--sgf", "no/out.sgf"], "there is no folder no"),
    ):
        bad = subprocess.run(
            [*COMMAND, "go", "analyse", *arguments], capture_output=True, text=True, check=False
        )
        assert bad.returncode == 2
        assert says in bad.stderr
        assert "Traceback" not in bad.stderr


def test_play_go_in_the_terminal():
    out = subprocess.run(
        [*COMMAND, "play", "go", "--set", "size=5", "--simulations", "20", "--json"],
        input="C3\nC3\nundo\nhint\nfly\npass\nquit\n",
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    data = json.loads(out.stdout)
    assert (
        data["outcome"] in ("not finished", "the search wins", "you win") or ":" in data["outcome"]
    )
    assert "is no vertex" in out.stderr
    assert "is not legal" in out.stderr
