"""The command line, as a script and as a person would use it."""

import io
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

COMMAND = [sys.executable, "-c", "from treewright.cli import main; main()"]


@pytest.fixture
def treewright(tmp_path, monkeypatch, capsys):
    """Run a command in this process, and an empty folder; its output and errors."""
    from treewright.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments, stdin="", check=0):
        monkeypatch.setattr(sys, "argv", ["treewright", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == check, (out, err)
        assert "Traceback" not in err
        return SimpleNamespace(stdout=out, stderr=err)

    return call


def process(*arguments, cwd):
    """Run a command in a process of its own."""
    out = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120
    )
    assert out.returncode == 0, (out.returncode, out.stdout, out.stderr)
    assert "Traceback" not in out.stderr
    return out


def test_help_is_quick():
    """It imports neither NumPy nor Numba, which take most of a second; see bench start."""
    out = subprocess.run(
        [sys.executable, "-X", "importtime", *COMMAND[1:], "--help"], capture_output=True, text=True
    )
    assert "play" in out.stdout
    imported = {line.rpartition("|")[2].strip() for line in out.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & {"numpy", "numba", "llvmlite", "pandas", "scipy", "matplotlib"}


@pytest.mark.parametrize(
    "command", ["play", "search", "tree", "check", "domains", "bench", "cache", "go", "story"]
)
def test_every_help_has_examples(treewright, command):
    assert "Examples:" in treewright(command, "--help").stdout


def test_search_json_is_one_document(treewright, tmp_path):
    out = treewright("search", "nim", "--set", "heap=10", "--solver", "--json")
    data = json.loads(out.stdout)
    assert data["best"] == 2
    assert data["value"] == 1.0
    assert data["stopped"] == "solved"
    assert {c["action"] for c in data["children"]} == {1, 2, 3}
    again = process("search", "nim", "--set", "heap=10", "--solver", "--json", cwd=tmp_path)
    first, second = json.loads(again.stdout), data
    first.pop("seconds"), second.pop("seconds")
    assert first == second


def test_search_for_people(treewright):
    out = treewright("search", "tictactoe", "--simulations", "500", "--rave", "100")
    assert "rave" in out.stdout
    assert "best:" in out.stdout
    assert out.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "chess"), "there is no domain 'chess'"),
        (("search", "./games:Nim"), "is no file that ends in .py"),
        (("search", "nim", "--save", "nim.py"), "--save nim.py: the file must end in .npz"),
        (("search", "nim", "--save", "no/a.npz"), "--save no/a.npz: there is no folder no"),
        (("experiment", "run", "mine.py"), "say which experiment of the file, as in mine.py:NAME"),
        (("search", "connect4"), "did you mean 'connect-four'"),
        (("search", "nim", "--simulations", "0"), "simulations must be a whole number"),
        (("search", "nim", "--simulations", "many"), "Invalid value for '--simulations'"),
        (("search", "nim", "--c", "nan"), "c must be between 0"),
        (("search", "nim", "--set", "heap"), "write it as name=value"),
        (("search", "nim", "--set", "pile=3"), "Nim has no setting 'pile'"),
        (("search", "nim", "--set", "heap=0"), "has ended: there is nothing to search"),
        (("search", "nim", "--memory", "lots"), "write it like '512MiB'"),
        (("search", "nim", "--policy", "clever"), "Rollout(policy)='clever' is unknown"),
        (("search", "none.py:Game"), "there is no file none.py"),
        (("search", "treewright.apps.games.nim:Nym"), "did you mean 'Nim'"),
        (("tree", "nim", "--out", "tree.bmp"), "must end in .svg or .png or .pdf or .dot"),
        (("tree", "nim", "--out", "no/such/folder/tree.svg"), "there is no folder no/such/folder"),
        (("search", "nim", "--set", "heap=abc"), "heap='abc' must be a number"),
        (("check", "examples/kayles.py"), "as in examples/kayles.py:Name"),
        (("tune", "nim", "--trials", "1"), "Invalid value for '--trials'"),
        (("play", "samegame", "--second"), "--second: samegame is for one player"),
        (("search", "nim", "--load", "none.npz"), "none.npz does not exist"),
        (("search", "nim", "--load", "none.npz", "--solver"), "leave them out"),
        (("match", "samegame"), "a match is for two players"),
        (("match", "nim", "--a", "strength=3"), "--a: 'strength' is no part of a player"),
        (("match", "nim", "--b", "simulations=0"), "--b: simulations must be a whole number"),
        (("match", "nim", "--a", "random=1"), "write random alone"),
        (("match", "nim", "--a", "c=nan"), "c must be between 0"),
        (("match", "nim", "--sprt", "30:0"), "write two rising differences in Elo"),
        (("experiment", "run", "none.py:MINE"), "there is no file none.py"),
        (("bench", "core", "--seconds", "0"), "Invalid value for '--seconds'"),
        (("serach", "nim"), "No such command"),
        (("search", "nim", "--seed", "1", "--seed", "2"), "--seed takes one value"),
        (("level", "generate", "--out", "a.png", "--out", "b.txt"), "--out takes one value"),
        (("search", "nim", "--set", "heap=5", "--set", "heap=7"), "--set heap is given twice"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, said, command, tmp_path):
    box = said.startswith(("Invalid value", "No such command"))
    err = command(*arguments, code=2, box=box)
    assert said in " ".join(err.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == [], "nothing half-written"


def test_tree_draws_what_it_says(treewright, tmp_path):
    for name in ("tree.svg", "tree.png", "tree.dot"):
        out = treewright("tree", "nim", "--set", "heap=7", "--out", name, "--json")
        assert json.loads(out.stdout)["nodes"] > 10
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "tree.svg").read_text()
    assert "take 3" in (tmp_path / "tree.dot").read_text()


def test_check_says_no_with_exit_code_1(treewright, tmp_path):
    (tmp_path / "bad.py").write_text(
        "import treewright as tw\n"
        "from numpy import int8\n"
        "class Bad(tw.Domain):\n"
        "    max_actions, state = 2, tw.record(n=int8)\n"
        "    def start(s): s.n = 0\n"
        "    def legal(s, out):\n"
        "        out[0] = 1\n"
        "        out[1] = 1\n"
        "        return 2\n"
        "    def play(s, action): s.n += 1\n"
        "    def ended(s): return s.n == 2\n"
        "    def rewards(s, out): out[0] = 1.0\n"
    )
    out = treewright("check", "bad.py:Bad", check=1)
    assert "legal() listed an action twice" in out.stdout
    report = json.loads(treewright("check", "nim", "--games", "2", "--json").stdout)
    assert report["ok"]


def test_a_domain_file_with_an_error_in_it(treewright, tmp_path):
    (tmp_path / "broken.py").write_text("import treewright as tw\n\n1 / 0\n")
    out = treewright("check", "broken.py:Any", check=2)
    assert "broken.py can't be loaded: ZeroDivisionError" in out.stderr


def test_a_game_of_tic_tac_toe(treewright):
    """A human who plays badly loses or draws; hint, undo and garbage are understood."""
    moves = "hint\nz9\na2\nundo\na2\nb1\nc2\na1\na3\nb3\nc3\nc1\nquit\n"
    out = treewright("play", "tictactoe", "--simulations", "2000", stdin=moves)
    assert "visits" in out.stdout
    assert "'z9' is not a move here" in out.stdout
    assert out.stdout.strip().splitlines()[-1] in ("the search wins", "draw", "not finished")


def test_a_word_that_fits_several_moves_is_asked_back(treewright):
    out = treewright("play", "nim", "--simulations", "50", stdin="take\ntake 2\nundo\n3\n")
    assert "'take' may mean take 1 or take 2 or take 3" in out.stdout
    assert "your move (take 1, take 2, take 3)" in out.stderr
    assert out.stdout.count("21 stones") == 3  # at first, asked back, after undo


def test_a_puzzle_is_played_alone_and_watched(treewright):
    small = ("--set", "width=3", "--set", "height=3", "--simulations", "50", "--json")
    moves = json.loads(treewright("watch", "samegame", *small).stdout)["moves"]
    assert moves
    out = treewright("play", "samegame", *small, stdin="\n".join([*moves, "quit"]))
    assert json.loads(out.stdout)["moves"] == moves
    assert json.loads(out.stdout)["outcome"].startswith("score ")


def test_an_empty_line_is_told_what_to_type(treewright):
    out = treewright("play", "tictactoe", "--simulations", "10", stdin="\nquit\n")
    assert "type a move such as 'a3'; 'hint'" in out.stdout


def test_a_match_says_how_sure_it_is(treewright):
    players = ("--a", "simulations=50", "--b", "random", "--games", "40")
    found = json.loads(treewright("match", "nim", *players, "--sprt", "0:50", "--json").stdout)
    assert found["stopped"] == "decided"
    assert found["sprt"]["ratio"] > found["sprt"]["bound"]
    assert found["games"] % 2 == 0
    assert found["rate"]["low"] > 0.5


def test_a_tour_whose_rewards_are_lengths_is_searched_with_normalise(treewright, tmp_path):
    file = tmp_path / "walk.py"
    file.write_text(
        "import treewright as tw\n"
        "from numpy import int32\n"
        "class Walk(tw.Domain):\n"
        "    players, max_actions, state = 1, 9, tw.record(n=int32, length=int32)\n"
        "    def start(s): s.n = 0\n"
        "    def legal(s, out):\n"
        "        for i in range(9): out[i] = i\n"
        "        return 9\n"
        "    def play(s, action):\n"
        "        s.n += 1\n"
        "        s.length += 100 * abs(action - s.n)\n"
        "    def ended(s): return s.n == 6\n"
        "    def rewards(s, out): out[0] = -s.length\n"
    )
    found = {}
    for how in ("--quiet", "--normalise"):
        out = treewright("search", f"{file}:Walk", "--simulations", "5000", "--json", how)
        found[how] = json.loads(out.stdout)["best_score"]
    assert found["--quiet"] < found["--normalise"] <= 0


def test_a_saved_search_goes_on(treewright, tmp_path):
    first = ("--simulations", "300", "--seed", "4", "--save", "a.npz")
    treewright("search", "nim", *first)
    more = treewright("search", "nim", "--simulations", "200", "--load", "a.npz", "--json")
    once = treewright("search", "nim", "--simulations", "500", "--seed", "4", "--json")
    assert json.loads(more.stdout)["children"] == json.loads(once.stdout)["children"]


def test_a_domain_and_an_experiment_in_the_current_folder(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from treewright.apps.games.nim import Nim\n"
        "from treewright.workshop.experiments import Experiment, Grid, Measure, judge\n"
        "def run(settings, seed):\n"
        "    return {'twice': 2 * settings['n']}\n"
        "def draw(rows, axes):\n"
        "    pass\n"
        "MINE = Experiment(name='mine', title='Mine', claim='Twice is more.', source='us',\n"
        "    scales={s: [Grid({'n': [1, 2]}, seeds=1)] for s in ('smoke', 'laptop', 'paper')},\n"
        "    measure=Measure('twice', 'twice'), groups=('n',), draw=draw, run=run,\n"
        "    verdict=lambda rows: judge('it is', True, enough=True))\n"
    )
    assert "best:" in process("search", "mine:Nim", "--simulations", "50", cwd=tmp_path).stdout
    store = ("--store", "rows.sqlite")
    out = process("experiment", "run", "mine.py:MINE", *store, "--json", cwd=tmp_path)
    assert json.loads(out.stdout)[0]["computed"] == 2
    shown = process("experiment", "show", "mine:MINE", *store, "--json", cwd=tmp_path)
    assert [row["value"] for row in json.loads(shown.stdout)["lines"]] == [2.0, 4.0]


def test_flags_name_no_type(treewright):
    for words in ((), ("search",), ("experiment", "run")):
        assert "<bool>" not in treewright(*words, "--help").stdout


def test_who_plays_cards_sees_their_own(treewright):
    moves = "hint\nkc\n"  # and then the input ends
    out = treewright(
        "play", "knockout-whist", "--set", "seed=3", "--simulations", "200", stdin=moves
    )
    assert "your hand: 5C 7C 9C KC 7H 9H QH" in out.stdout
    assert "your hand: 5C 7C 9C 7H 9H QH" in out.stdout
    assert "AD" not in out.stdout  # which the search has


def test_play_ends_with_its_input_and_speaks_json(treewright):
    out = treewright("play", "connect-four", "--second", "--json", stdin="4\n")
    data = json.loads(out.stdout)
    assert data["outcome"] == "not finished"
    assert len(data["moves"]) == 3


def test_cache_info_and_clear(treewright, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    data = json.loads(treewright("cache", "info", "--json").stdout)
    assert data == {"directory": str(tmp_path / "cache"), "kernels": 0, "bytes": 0}
    (tmp_path / "cache" / "somebody's").mkdir(parents=True)
    (tmp_path / "cache" / ("0123456789abcdef" * 2)).mkdir()
    assert "1 kernels" in treewright("cache", "info").stdout
    assert json.loads(treewright("cache", "clear", "--json").stdout) == {"removed": 1}
    assert (tmp_path / "cache" / "somebody's").exists()


def test_domains_lists_ids(treewright):
    assert "tictactoe-v1" in json.loads(treewright("domains", "--json").stdout)


def test_save_writes_a_search(treewright, tmp_path):
    import treewright as tw

    treewright("search", "nim", "--save", "nim.npz")
    assert tw.load(tmp_path / "nim.npz", tw.make("nim")).result().simulations == 10_000


def test_memory_benchmark_runs_small(treewright):
    out = treewright("bench", "memory", "--nodes", "20000", "--memory", "256KiB", "--json")
    data = json.loads(out.stdout)
    assert data["without_commit"]["stopped"] == "memory"
    assert data["with_commit"]["nodes"] > data["without_commit"]["nodes"]


def test_version(treewright):
    assert treewright("--version").stdout.startswith("treewright 0.")


def test_the_same_tree_gives_the_same_drawing(tmp_path):
    for name in ("one.svg", "two.svg"):
        process("tree", "nim", "--set", "heap=7", "--out", name, cwd=tmp_path)
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "two.svg").read_text()
