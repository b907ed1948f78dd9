"""The GTP engine, line by line; one small board, so that one kernel is compiled."""

import io
import os
import random
import re
import subprocess
import sys
import threading
import time

import pytest
from talk import Talk

from treewright.apps.go.gtp import ahead as ahead_module
from treewright.apps.go.gtp.ahead import Ahead
from treewright.apps.go.gtp.client import Client, EngineError, find
from treewright.apps.go.gtp.clock import Clock
from treewright.apps.go.gtp.engine import Engine, MoveBudget
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.player import Player, style
from treewright.apps.go.gtp.protocol import answer, parse
from treewright.library.running import Progress

COMMAND = [sys.executable, "-c", "from treewright.cli import main; main()", "gtp"]
MINIMUM = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "undo",
    "final_score",
    "final_status_list",
    "time_settings",
    "time_left",
    "set_free_handicap",
    "place_free_handicap",
    "fixed_handicap",
    "showboard",
    "reg_genmove",
    "loadsgf",
    "printsgf",
    "lz-analyze",
    "kata-analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "analyze",
    "genmove_analyze",
    "cputime",
    "gogui-analyze_commands",
    "stop",
]


@pytest.fixture
def gtp():
    return Talk()


# ---------------------------------------------------------------------------- the protocol


def test_lines():
    assert parse("  12 Play\tb D4 # a comment\n").id == "12"
    assert parse("12 play b D4").arguments == ("b", "D4")
    assert parse("# only a comment") is None
    assert parse(" \x07\t ") is None
    assert parse("12").name == ""
    assert answer(parse("7 name"), "Treewright") == "=7 Treewright\n\n"
    assert answer(parse("name"), "a\n\nb") == "= a\nb\n\n", "no empty line inside an answer"
    assert answer(parse("3 x"), "no", ok=False) == "?3 no\n\n"


def test_administration(gtp):
    assert gtp("protocol_version") == "2"
    assert gtp("name") == "Treewright"
    known = gtp("list_commands").split()
    assert set(MINIMUM) <= set(known)
    assert gtp("known_command genmove") == "true"
    assert gtp("known_command fly") == "false"
    assert gtp.refuses("fly") == "unknown command"
    assert gtp.raw("42 version").startswith("=42 ")
    assert float(gtp("cputime")) > 0
    assert "\n\n" not in gtp("gogui-analyze_commands")


def test_board_commands(gtp):
    assert gtp.refuses("boardsize 26") == "unacceptable size"
    assert gtp.refuses("boardsize 1") == "unacceptable size"
    gtp("boardsize 5")
    gtp("clear_board")
    gtp("komi 0.5")
    gtp("play B c3")
    gtp("play black D3")  # two in a row, as GoGui sets positions up
    assert gtp.refuses("play w C3") == "illegal move"
    assert gtp.refuses("play w I3") == "invalid coordinate"
    assert gtp.refuses("play green C4").startswith("green is not a colour")
    assert gtp("list_stones b") == "C3 D3"
    assert "X" in gtp("showboard")
    gtp("undo")
    gtp("undo")
    assert gtp.refuses("undo") == "cannot undo"
    assert gtp.refuses("komi lots").startswith("komi must be a number")
    assert gtp("is_legal w A1") == "1"
    assert len(gtp("all_legal b").split()) == 25


def test_superko_holds_at_every_move(gtp):
    """A ko fought round the board: the third capture would repeat a position two moves old."""
    for line in ("b B1", "w C1", "b A2", "w B2", "b C3", "w D2", "b D1", "w C2"):
        gtp(f"play {line}")
    # Black takes D... whatever the shape, a position may not come back
    seen = {gtp("list_stones b") + "|" + gtp("list_stones w")}
    dice = random.Random(5)
    for _ in range(120):
        colour = dice.choice("bw")
        moves = gtp(f"all_legal {colour}").split()
        if not moves:
            break
        gtp(f"play {colour} {dice.choice(moves)}")
        now = gtp("list_stones b") + "|" + gtp("list_stones w")
        assert now not in seen
        seen.add(now)


def test_handicap():
    gtp = Talk(size=9)
    assert gtp("fixed_handicap 4") == "C3 G7 C7 G3"
    assert gtp.refuses("fixed_handicap 2") == "board not empty"
    gtp("clear_board")
    assert gtp.refuses("fixed_handicap 1") == "invalid number of stones"
    assert len(gtp("place_free_handicap 20").split()) == 9
    gtp("clear_board")
    gtp("set_free_handicap C3 G7 E5")
    assert gtp("list_stones b").split() == ["G7", "E5", "C3"]
    assert gtp.engine.game.to_play == 2
    gtp("clear_board")
    assert gtp.refuses("set_free_handicap C3 C3") == "bad vertex list"
    assert gtp.refuses("set_free_handicap C3 pass") == "bad vertex list"


def test_genmove_plays_and_reg_genmove_does_not(gtp):
    before = gtp("list_stones b")
    vertex = gtp("reg_genmove b")
    assert re.fullmatch(r"[A-E][1-5]|pass", vertex)
    assert gtp("list_stones b") == before
    assert gtp("genmove b") in gtp("list_stones b")
    assert gtp("gomill-explain_last_move")


def test_the_same_seed_plays_the_same_game():
    def moves():
        gtp = Talk()
        return [gtp(f"genmove {'bw'[i % 2]}") for i in range(8)]

    assert moves() == moves()


def test_a_won_game_ends_with_a_pass(gtp):
    for line in ["b C1", "b C2", "b C3", "b C4", "b C5", "w E2"]:
        gtp(f"play {line}")
    gtp("play w pass")
    assert gtp("genmove b") == "pass", "it is won as it stands"
    assert gtp("final_score").startswith("B+")


def test_a_pass_is_found_where_every_other_move_loses():
    """Left in the corner is a seki: who plays there first loses it; all else is settled."""
    gtp = Talk(size=9, simulations=3000)
    rows = "XXOXXX.X. .XOOOXX.X OXOXX.XX. OXOOXXX.X OOOOXOXXX OXXXXOOOO XXXOO.OOO .XXXOOO.."
    for row, stones in enumerate(["." + "OOOX.X.X", *rows.split()]):
        for column, stone in enumerate(stones):
            if stone != ".":
                gtp(f"play {'b' if stone == 'X' else 'w'} {'ABCDEFGHJ'[column]}{9 - row}")
    assert gtp("final_score") == "B+5.5"
    thought = gtp.engine.player.choose(gtp.engine.game, 2, simulations=3000)
    assert thought.result.value < 0.1


def test_play_goes_on_after_two_passes(gtp):
    """Clients let players take dead stones after they have passed."""
    for line in ("play b C3", "play w pass", "play b pass"):
        gtp(line)
    assert gtp("genmove w") != "resign"
    for line in ("play w pass", "play b pass", "play w pass"):
        gtp(line)
    assert gtp("reg_genmove b")


def test_only_the_move_that_is_played_is_looked_up_in_the_history(gtp, monkeypatch):
    """Superko for every child was half a second a move on 19x19."""
    asked = []
    forbidden = Game.forbidden
    monkeypatch.setattr(Game, "forbidden", lambda *a: asked.append(a) or forbidden(*a))
    gtp("reg_genmove b")
    assert len(asked) == 1


def test_the_tree_is_kept(gtp):
    gtp("genmove b")
    search = gtp.engine.player.search
    reply = search.tree.principal_variation()[1][0]
    from treewright.apps.go.setup import to_vertex

    gtp(f"play w {to_vertex(reply, 5)}")
    gtp("genmove b")
    assert gtp.engine.player.search is search
    assert len(search.history) == 2
    gtp("undo")
    gtp("undo")
    gtp("genmove w")
    assert gtp.engine.player.search is not search


def test_it_resigns_only_when_told_to():
    gtp = Talk()
    gtp.engine.player.style = style(resign=0.99)
    for line in ["w C1", "w C2", "w C3", "w C4", "w C5", "w B3", "w D3"]:
        gtp(f"play {line}")
    assert gtp("genmove b") == "resign"
    assert gtp("list_stones b") == ""


# ----------------------------------------------------------------------------------- score


def test_dead_stones():
    gtp = Talk()
    for line in [
        "b B1",
        "b B2",
        "b B3",
        "b B4",
        "b B5",
        "w A1",
        "w D1",
        "w D2",
        "w D3",
        "w D4",
        "w D5",
        "w C3",
        "b E3",
    ]:
        gtp(f"play {line}")
    gtp("play w pass")
    assert "A1" in gtp("final_status_list dead").split()
    assert "E3" in gtp("final_status_list dead").split()
    assert "B1" in gtp("final_status_list alive")
    assert gtp("final_status_list seki") == ""
    assert gtp("final_score") == "W+8.5"
    assert gtp.refuses("final_status_list asleep").startswith("asleep is not")


# ------------------------------------------------------------------------------------ time


def test_clock():
    clock = Clock(60, 0, 0)
    assert clock.limited
    assert 0.5 < clock.budget(20, 9) < 6
    clock.set_left(0, 0)
    assert clock.budget(20, 9) == pytest.approx(0.01)
    assert not Clock(0, 0, 0).limited
    assert not Clock(0, 10, 0).limited, "a period without stones: no limit"
    canadian = Clock(1, 30, 5)
    canadian.spend(2)
    assert (canadian.left, canadian.stones_left) == (30, 5)
    assert canadian.budget(60, 9) == pytest.approx(30 / 5 - 0.05)
    for _ in range(5):
        canadian.spend(1)
    assert (canadian.left, canadian.stones_left) == (30, 5)


def test_a_whole_game_stays_in_its_time():
    """Whatever the game does, the sum of the budgets never exceeds the main time."""
    clock = Clock(30, 0, 0)
    for move in range(0, 200, 2):
        clock.spend(clock.budget(move, 9))
    assert clock.left >= 0


def test_time_settings(gtp):
    gtp("time_settings 1 0 0")
    gtp("time_left b 1 0")
    begun = time.perf_counter()
    gtp("genmove b")
    assert time.perf_counter() - begun < 1 + 60, "compiling counts against no budget"
    assert gtp.engine.clocks[1].left < 1
    assert gtp.refuses("time_settings 1").startswith("time_settings needs")


# -------------------------------------------------------------------------------- analysis


@pytest.mark.parametrize(
    ("command", "number"),
    [("lz-analyze", r"\d+"), ("kata-analyze", r"\d\.\d+"), ("analyze", r"\d\.\d+")],
)
def test_analysis_until_the_next_line(gtp, command, number):
    gtp.engine.lines.put("name")  # a client has already sent the next command
    text = gtp.raw(f"9 {command} b 5")
    assert text.startswith("=9\ninfo move ")
    assert text.endswith("\n\n")
    first = text.splitlines()[1]
    match = re.match(
        rf"info move ([A-E][1-5]|pass) visits \d+ winrate {number} prior {number} lcb {number} ",
        first,
    )
    assert match, first
    assert " pv " in first
    assert " order 0 " in first


def test_analysis_shows_a_move_however_slow_the_machine(gtp, monkeypatch):
    """The first look at the clock may come after one simulation, which is of no move yet."""
    from treewright.library.search import Search

    run = Search.run

    def slow(search, *arguments, until, **more):
        assert not until(Progress(1, 1, 0.0, search)), "an analysis without a move"
        return run(search, *arguments, until=until, **more)

    monkeypatch.setattr(Search, "run", slow)
    gtp.engine.lines.put("name")
    assert gtp.raw("9 analyze b 5").startswith("=9\ninfo move ")


def test_analysis_of_no_move_has_no_empty_line_before_its_end(gtp):
    gtp.engine.lines.put("name")
    assert gtp.raw("9 kata-analyze b 5 allow b A1 1 avoid b A1 1") == "=9\n\n"


def test_ownership(gtp):
    for line in ["b B1", "b B2", "b B3", "b B4", "b B5"]:
        gtp(f"play {line}")
    gtp.engine.lines.put("name")
    text = gtp.raw("kata-analyze b interval 10 ownership true maxmoves 2")
    owners = [float(x) for x in text.split()[text.split().index("ownership") + 1 :][:25]]
    assert len(owners) == 25
    assert owners[0] > 0.3, "A5 is Black's"
    assert text.count("info move") <= 2 * len(text.splitlines())
    assert gtp.refuses("kata-analyze b sideways 3").startswith("sideways 3")


def test_genmove_analyze(gtp):
    text = gtp.raw("4 lz-genmove_analyze b 1")
    assert text.startswith("=4\ninfo move ")
    played = re.search(r"\nplay (\S+)\n\n$", text)
    assert played
    assert played[1] in gtp("list_stones b")


def test_pondering():
    gtp = Talk(ponder=True)
    gtp("genmove b")
    search, end = gtp.engine.player.search, time.monotonic() + 60
    while search.workers[0].run["simulations"] <= 200 and time.monotonic() < end:
        time.sleep(0.01)
    gtp("play w pass")
    assert int(search.workers[0].run["simulations"]) > 200
    gtp("genmove b")
    gtp.engine._stop_pondering()


# ------------------------------------------------------------------------- a real process


def test_engines_are_found_on_the_path_and_among_debians_games(tmp_path, monkeypatch):
    program = tmp_path / "some-engine"
    program.write_text("#!/bin/sh\nread line\nprintf '= 2\\n\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert find("some-engine") == str(program)
    with Client(["some-engine"]) as client:
        assert client.send("protocol_version") == "2"
    with pytest.raises(EngineError, match="no-such-engine does not start"):
        Client(["no-such-engine"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert find("gnugo") in (None, "/usr/games/gnugo")


def test_a_process_from_start_to_quit():
    lines = ["1 boardsize 5", "2 clear_board", "3 genmove b", "", "# hm", "4 fly", "5 quit", "name"]
    out = subprocess.run(
        [*COMMAND, "--size", "5", "--simulations", "20", "--log"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    answers = [a.split()[0] for a in out.stdout.strip().split("\n\n")]
    assert answers == ["=1", "=2", "=3", "?4", "=5"]
    assert "genmove" in out.stderr


def test_a_client_reads_analysis_while_moves_are_played_and_stops_it():
    """Sabaki's way: any line ends the stream; Ctrl-C ends it too and the engine goes on."""
    import signal

    with subprocess.Popen(
        [*COMMAND, "--size", "5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def send(line):
            process.stdin.write(line + "\n")
            process.stdin.flush()

        def stream():
            """Read an analysis up to its second line of info."""
            assert process.stdout.readline().startswith("=")
            for _ in range(2):
                assert process.stdout.readline().startswith("info move")

        def rest():
            while (line := process.stdout.readline()) != "\n":
                assert line, "the engine has ended"

        send("lz-analyze b 5")
        stream()
        for vertex in ("C3", "B2", "D4"):
            send(f"play b {vertex}")
            rest()
            assert process.stdout.readline().startswith("=")
            assert process.stdout.readline() == "\n"
            send("lz-analyze w 5")
            stream()
        send("stop")
        rest()
        assert process.stdout.readline().startswith("=")
        assert process.stdout.readline() == "\n"
        send("lz-analyze w 5")
        stream()
        process.send_signal(signal.SIGINT)
        rest()
        send("quit")
        assert process.stdout.readline().startswith("=")
        assert process.wait(timeout=20) == 0


# ------------------------------------------------------------------------------------ fuzz


def words(dice):
    """Half a line that could mean something."""
    vertex = f"{dice.choice('ABCDEFGHJZI')}{dice.randint(0, 7)}"
    return dice.choice(
        [
            f"play {dice.choice('bwx')} {vertex}",
            f"play {dice.choice(['black', 'WHITE', ''])} {vertex}",
            "undo",
            "clear_board",
            f"boardsize {dice.choice([5, 5, 0, -3, 400, 'x'])}",
            f"komi {dice.choice([7.5, -3, 1e9, 'nan', '0.5', ''])}",
            f"fixed_handicap {dice.randint(-1, 10)}",
            f"set_free_handicap {vertex} C3",
            f"place_free_handicap {dice.randint(0, 12)}",
            f"time_settings {dice.randint(-1, 9)} {dice.randint(0, 9)} {dice.randint(0, 3)}",
            f"time_left {dice.choice('bw')} {dice.randint(-5, 99)} 0",
            f"is_legal w {vertex}",
            "showboard",
            "printsgf",
            "loadsgf /nowhere",
            f"loadsgf {dice.choice(['', '/', '.', 'x' * 300])} {dice.randint(-9, 99)}",
            "list_commands",
            f"known_command {vertex}",
            "name",
            "\ufffd\x00\u202e play",
        ]
    )


def garbage(dice):
    return "".join(
        chr(dice.choice([dice.randint(0, 255), dice.randint(32, 126)]))
        for _ in range(dice.randint(0, 40))
    )


def test_fuzz_a_hundred_thousand_lines():
    """Each line gets exactly one well-formed answer, or none if it is empty."""
    gtp = Talk(simulations=3)
    dice = random.Random(2026)
    thinking = ["genmove b", "genmove w", "reg_genmove b", "final_score", "final_status_list dead"]
    for number in range(100_000):
        kind = dice.random()
        if kind < 0.55:
            line = garbage(dice)
        elif kind < 0.997:
            line = words(dice)
        else:
            line = dice.choice(thinking)
            gtp.raw("time_settings 0 0 0")
        if dice.random() < 0.2:
            line = f"{dice.randint(0, 10**12)} {line}"
        if parse(line) is not None and parse(line).name in ("quit", "boardsize"):
            line = "clear_board" if "quit" in line else line
        text = gtp.raw(line)
        if parse(line) is None:
            assert text == ""
            continue
        assert re.match(r"[=?][0-9]*( |\n)", text), (number, line, text)
        assert text.endswith("\n\n")
        assert "\n\n" not in text[:-2], (number, line, text)
        if len(gtp.engine.game.moves) > 120:
            gtp.raw("clear_board")
    assert gtp("name") == "Treewright"


def test_compiling_ahead_changes_no_move():
    """A board that is set up again plays the same moves: compiling ahead draws no seeds."""
    moves = []
    for ahead in (False, True):
        engine = Engine(io.StringIO(), style(resign=0.0), MoveBudget(30), size=5)
        engine._ahead = Ahead(engine.player) if ahead else None
        engine.handle("clear_board")
        engine.handle("genmove b")
        moves.append([point for _, point in engine.game.moves])
    assert moves[0] == moves[1]


def test_answers_come_while_the_search_is_compiled(monkeypatch):
    go_on = threading.Event()
    compiled = []

    def slow(player, game):
        go_on.wait(60)
        compiled.append(game.size)

    monkeypatch.setattr(Player, "compile", slow)
    monkeypatch.setattr(ahead_module, "PAUSE", 0.05)
    engine = Engine(io.StringIO(), style(resign=0.0), MoveBudget(30), size=5)
    engine._ahead = Ahead(engine.player)
    begun = time.perf_counter()
    for line in ("boardsize 9", "boardsize 5", "komi 7", "clear_board", "name", "play b c3"):
        engine.handle(line)
    assert time.perf_counter() - begun < 5
    assert engine.out.getvalue().count("=") == 6
    assert engine._ahead.busy
    go_on.set()
    engine.handle("final_score")
    assert engine.out.getvalue().endswith("= B+18.0\n\n")
    assert compiled == [5], "only the last of several boards is played on"
    assert not engine._ahead.busy


def test_an_engine_that_is_not_needed_leaves_at_once(tmp_path):
    """The compiler has not even been imported yet: no kernel is there, and nobody waits for one."""
    lines = "name\nprotocol_version\nversion\nboardsize 9\nkomi 6.5\nclear_board\nquit\n"
    environment = {**os.environ, "TREEWRIGHT_CACHE": str(tmp_path / "cache")}
    ended = subprocess.run(COMMAND, input=lines, capture_output=True, text=True, env=environment)
    assert ended.returncode == 0
    assert ended.stdout.count("=") == 7
    assert not list(tmp_path.rglob("*.kernel"))


def test_compiling_ahead_fails_without_a_word(monkeypatch):
    """As when the program ends meanwhile: the traceback of a thread was all over the terminal."""
    from treewright.apps.go.gtp import estimate

    def ended(*_, **__):
        raise RuntimeError("the interpreter is shutting down")

    monkeypatch.setattr(estimate, "_ready", set())  # another test may have compiled this board
    monkeypatch.setattr(estimate, "final_states", ended)
    estimate.make_ready(Game(5, 0.0))
    assert not estimate.is_ready(Game(5, 0.0))
