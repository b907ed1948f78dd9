"""A Go controller that asks for anything; on small boards, without long searches."""

import io
import random
import subprocess
import sys
import time

import pytest
from talk import Talk

from treewright.apps.go.board import PASS
from treewright.apps.go.gtp import estimate, sgf
from treewright.apps.go.gtp.analysis import request
from treewright.apps.go.gtp.engine import Engine, MoveBudget
from treewright.apps.go.gtp.game import IllegalMove
from treewright.apps.go.gtp.player import style
from treewright.apps.go.setup import to_vertex

COMMAND = [sys.executable, "-c", "from treewright.cli import main; main()", "gtp"]


@pytest.fixture
def gtp():
    return Talk()


def test_a_free_handicap_of_a_billion(gtp):
    began = time.thread_time()
    gtp.engine.handle("boardsize 9")
    assert len(gtp("place_free_handicap 999999999").split()) == 9
    assert time.thread_time() - began < 5.0


def test_a_board_of_nine_and_a_half(gtp):
    assert "whole number" in gtp.refuses("boardsize 9.5")
    assert "whole number" in gtp.refuses("fixed_handicap 2.5")
    assert gtp("query_boardsize") == "5"
    gtp("boardsize 7.")  # some controllers write whole numbers like this
    assert gtp("query_boardsize") == "7"
    gtp("time_left b 12.5 0")


@pytest.mark.parametrize("memory", ["1KiB", "lots", "-1", "0"])
def test_too_little_memory_is_refused_at_the_start(memory):
    out = subprocess.run(
        [*COMMAND, "--memory", memory], input="name\nquit\n", capture_output=True, text=True
    )
    assert out.returncode == 2, out
    assert out.stderr.count("\n") == 1
    assert out.stdout == ""


@pytest.mark.parametrize("name", ["my game.sgf", "a  b.sgf", "game 3", "#1 game.sgf", "é.sgf"])
def test_paths_with_spaces(gtp, tmp_path, name):
    path = tmp_path / name
    path.write_text("(;SZ[5]KM[0.5];B[cc];W[bb])")
    assert gtp(f"loadsgf {path}") == "b"
    assert gtp(f"loadsgf {path} 2") == "w"
    assert gtp(f'loadsgf "{path}" 2') == "w"
    out = tmp_path / ("new " + name)
    gtp(f"printsgf {out}")
    assert len(sgf.read(out).moves) == 1
    assert "cannot load file" in gtp.refuses(f"loadsgf {tmp_path / 'not there.sgf'}")


def test_komi_of_records():
    assert sgf.parse(b"(;SZ[9]KM[];B[dd])").komi == 7.5
    with pytest.raises(sgf.SgfError, match=r"KM\[375\].*larger than the board"):
        sgf.parse(b"(;SZ[9]KM[375];B[dd])")
    with pytest.raises(sgf.SgfError, match=r"KM\[375\].*375 for 7.5"):
        sgf.parse(b"(;SZ[9]KM[375];B[dd])")
    for text in (b"lots", b"nan", b"inf", b"-1e999", b"1" * 5000):
        with pytest.raises(sgf.SgfError, match="KM"):
            sgf.parse(b"(;SZ[9]KM[" + text + b"];B[dd])")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"(;GM[2]SZ[8];B[dd])", r"GM\[2\].*not Go"),
        (b"(;GM[7];B[dd])", r"GM\[7\].*not Go"),
        (b"(;GM[chess];B[dd])", r"GM\[chess\].*not Go"),
        (b"(;SZ[9:13];B[dd])", "square"),
        (b"(;SZ[x];B[dd])", r"SZ\[x\]"),
    ],
)
def test_records_of_other_games(text, says):
    with pytest.raises(sgf.SgfError, match=says):
        sgf.parse(text)


@pytest.mark.parametrize("move", [b";B[];W[]", b";B[tt];W[tt]", b";B[dd]", b";AB[dd];AE[dd]"])
def test_records_without_end(move):
    began = time.thread_time()
    with pytest.raises(sgf.SgfError, match=r"most that are read|not legal|not SGF"):
        sgf.parse(b"(;SZ[19]" + move * 6_000 + b")")  # 5,000 are read
    assert time.thread_time() - began < 10.0
    with pytest.raises(sgf.SgfError):
        sgf.parse(b"(;" * 100_000)


def test_a_long_record_is_read_soon():
    began = time.thread_time()
    assert len(sgf.parse(b"(;SZ[19]" + b";B[];W[]" * 1_000 + b")").moves) == 2_000
    assert time.thread_time() - began < 5.0


def test_avoid_and_allow():
    colours = {"b": 1, "w": 2}
    asked = request(("B", "50", "avoid", "b", "C3,D4", "3", "avoid", "w", "A1", "1"), colours)
    assert (asked.colour, asked.interval) == (1, 0.5)
    assert asked.avoid == {1: {"C3", "D4"}, 2: {"A1"}}
    asked = request(("allow", "b", "C3,pass", "1", "interval", "20"), colours)
    assert asked.allow == {1: {"C3", "PASS"}}
    for words in ("avoid", "avoid b", "avoid b C3", "avoid x C3 1", "avoid b C3 x"):
        with pytest.raises(Exception, match="is not understood"):
            request(tuple(words.split()), colours)


def test_analysis_leaves_out_what_is_to_be_avoided(gtp):
    gtp.engine.player.prepare(gtp.engine.game, 1).run(300)
    gtp.engine.lines.put("stop")  # the analysis ends at once
    text = gtp.raw("lz-analyze b 1 avoid b C3,C4 1")
    assert "info move" in text
    assert "move C3 " not in text
    assert "move C4 " not in text
    text = gtp.raw("lz-analyze b 1 allow b C3 1")
    assert "info move" in text
    assert text.count("info move") == text.count("info move C3 ")
    assert "?" in gtp.raw("lz-analyze b 1 avoid b Z99 1")


def test_what_the_controller_plays_is_law(gtp, capsys):
    """Others take a move that repeats a position, and so do we, with a line on stderr."""
    gtp("boardsize 3")
    game, dice = gtp.engine.game, random.Random(1)
    forbidden = None
    while forbidden is None:
        colour = game.to_play
        reasons = {p: game.forbidden(colour, p) for p in game.points()}
        forbidden = next((p for p, why in reasons.items() if why and "superko" in why), None)
        if forbidden is None:
            free = [p for p, why in reasons.items() if why is None] or [PASS]
            game.play(colour, dice.choice(free))
    with pytest.raises(IllegalMove):
        game.play(colour, forbidden)
    gtp(f"play {'bw'[colour - 1]} {to_vertex(forbidden, 3)}")
    assert "superko" in capsys.readouterr().err
    assert game.moves[-1] == (colour, forbidden)
    record = sgf.parse(sgf.write(game).encode())  # and it can be read again
    assert record.moves == game.moves
    game.searchable(3 - colour).new_state()  # and searched


def test_a_new_board_is_compiled_without_being_asked(monkeypatch):
    """Beside the conversation, so that the first move need not wait for all of it."""
    monkeypatch.setattr(estimate, "_ready", set())  # another test may have compiled this board
    engine = Engine(io.StringIO(), style(resign=0.0), MoveBudget(20), size=4)
    engine.serve(io.StringIO("boardsize 5\nclear_board\nloadsgf nothing\n"))
    engine._ahead.wait()
    assert engine.game.size == 5
    assert estimate.is_ready(engine.game)
