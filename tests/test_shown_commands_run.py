"""Every command that the guides and the help texts show does its work: ``make shown-commands``.

All run in one folder with the files that the pages speak of, with budgets that make them quick.
The tutorials' commands are run as printed by tests/test_tutorials.py, those of docs/cluster.md on
two raylets by tests/cluster, and each experiment at its smoke scale by tests/workshop.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from itertools import permutations
from pathlib import Path

import pytest
import typer
from serving import TREEWRIGHT, served
from test_shown_commands import ENDS, EXAMPLES, LEFT_OUT, shown_in

pytestmark = pytest.mark.skipif(
    "TREEWRIGHT_SHOWN" not in os.environ, reason="make shown-commands runs it, for minutes"
)
NOT_THESE = ("cluster.md",)
# a budget that is named becomes this one
QUICK = {
    **{"--scale": "smoke", "--games": "2", "--trials": "2", "--variants": "2", "--count": "2"},
    **{"--simulations": "60", "--seconds": "0.2", "--nodes": "2000", "--evaluations": "2000"},
    **{"--budget": "60", "--length": "60", "--delay": "0", "--workers": "1", "--passes": "1"},
    **{"--participants": "2", "--pairs": "2", "--host": "127.0.0.1", "--memory": "64MiB"},
}
# and what names none is given one
MORE = {
    "bench core": "--seconds 0.05",
    "bench evaluate": "--seconds 0.1",
    "bench go": "--seconds 0.1",
    "bench gpu": "--simulations 16",
    "bench memory": "--nodes 20000 --memory 256KiB",
    "bench stories": "--nodes 500",
    "bench tactics": "--seconds 0.05",
    "check": "--games 2",
    "go analyse": "--simulations 30",
    "go match": "--simulations 30 --size 5",
    "level generate": "--length 60 --rollouts 20",
    "map generate": "--evaluations 2000",
    "match": "--games 2",
    "optimize": "--budget 60",
    "story generate": "--nodes 2000",
    "study new": "--length 60 --copies 1",
    "study plan": "--studies 20",
    "tactics watch": "--budget evals:30 --delay 0",
    "tactics tournament": "--budget evals:30 --games 2",
    "tactics play": "--budget evals:30",
    "tune": "--trials 2 --runs 2 --check 2 --simulations 30",
    "watch": "--simulations 30",
}
AS_WRITTEN = ("tactics tournament --budget", "bench memory --memory")  # words, not numbers
TYPED = {"play": "quit\n", "gtp": "boardsize 5\ngenmove b\nquit\n", "tactics play": "quit\n"}
FRESH = ("study new",)  # never overwrites: it runs in an empty folder
SERVERS = {"studio": "--no-show --no-gallery", "study serve": "", "study rate": ""}
ELSEWHERE = {
    "bench cluster": "tests/cluster",
    "bench --signature": "tests/workshop/test_signature.py",
    "bench start": "it empties caches, and takes minutes",
    "cache warm": "tests/workshop/test_starting.py",
    "cache clear": "tests/cli/test_cli.py",
    "experiment run": "the smoke scales are run by tests/workshop",
    "gallery": "tests/workshop/test_gallery.py",
    "level import-image": "tests/apps/levels",
    "story new": "it asks questions: tests/apps/stories",
    "story watch": "until Ctrl-C: tests/apps/stories",
    "squares": "tests/workshop/test_plugin.py",
    "tactics verify": "needs recordings of the original testbed",
}
PREPARED = """
experiment run tictactoe-strength
experiment run connect-four-strength --time 20
level generate --count 4 --length 60 --rollouts 20 --out levels
level generate --length 60 --rollouts 20 --out level.txt
level convert level.txt level.tmj
study new study.sqlite --length 60 --copies 1
study simulate study.sqlite --participants 6
study analyse study.sqlite --out report
tactics watch --agents random,random --ap 3 --delay 0 --out game.json
map generate mcguinness --count 3 --evaluations 2000 --out maps/map.png
"""


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    """What the pages speak of, made by the commands themselves where they can make it."""
    folder = tmp_path_factory.mktemp("shown")
    text = (root / "docs" / "tutorial.md").read_text()
    game = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)[0]
    (folder / "path" / "to").mkdir(parents=True)
    (folder / "path" / "to" / "file.py").write_text(game)
    (folder / "examples").symlink_to(root / "examples")
    (folder / "maps").mkdir()
    (folder / "mine.py").write_text(game.replace("Kayles", "Game"))
    (folder / "myfile.py").write_text("def f(x):\n    return (x * x).sum()\n")
    (folder / "game.sgf").write_text("(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[gc];B[cd])")
    castle = (root / "docs" / "tutorials" / "tiled-map.md").read_text()
    (folder / "castle.toml").write_text(re.findall(r"^```toml\n(.*?)^```", castle, re.S | re.M)[0])
    tale = (root / "docs" / "tutorials" / "story.md").read_text()
    (folder / "mine.toml").write_text(re.findall(r"^```toml\n(.*?)^```", tale, re.S | re.M)[0])
    libraries = root / "src" / "treewright" / "apps" / "stories" / "libraries"
    for name in ("my_library.toml", "lib.toml"):
        shutil.copy(libraries / "crime.toml", folder / name)
    shutil.copy(libraries.parent / "problems" / "vase.txt", folder / "problem.txt")
    (folder / "stories").mkdir()
    for name in ("one.txt", "two.txt"):
        (folder / "stories" / name).write_text("Once upon a time.")
    for line in PREPARED.strip().split("\n"):
        done = run(shlex.split(line), folder)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    rate(folder)
    shutil.copy(folder / "report" / "preference.json", folder)
    shutil.copytree(folder / "levels", folder / "my-levels")
    return folder


def rate(folder):
    """Ratings of the levels, and a table that says what a taste of them could be made of."""
    names = sorted(f"levels/{path.name}" for path in (folder / "levels").glob("*.txt"))
    pairs = [f"{a},{b},{'ab'[i % 2]}" for i, (a, b) in enumerate(permutations(names, 2))]
    (folder / "ratings.csv").write_text("\n".join(["a,b,better", *pairs]))
    table = "\n".join(["file,length", *(f"{name},{i}" for i, name in enumerate(names))])
    for name in ("maps.csv", "new-maps.csv"):
        (folder / name).write_text(table)


def run(words, folder, typed=""):
    return subprocess.run(
        [*TREEWRIGHT, *words],
        cwd=folder,
        env=os.environ | {"TREEWRIGHT_STORE": str(folder / "rows.sqlite")},
        input=typed,
        capture_output=True,
        text=True,
    )


def pages(root):
    yield from [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def test_the_commands_of_the_docs_do_their_work(root, folder):
    shown = [
        (path.name, command)
        for path in pages(root)
        if path.name not in NOT_THESE
        for command in shown_in(path.read_text())
    ]
    check(shown, folder)


def test_the_commands_of_the_help_texts_do_their_work(folder):
    from treewright.cli.app import app

    root_command = typer.main.get_command(app)
    context = root_command.make_context("treewright", ["domains"])
    check([("--help", command) for command in examples(root_command, context)], folder)


def examples(command, context):
    if hasattr(command, "list_commands"):
        for name in command.list_commands(context):
            yield from examples(command.get_command(context, name), context)
    text = " ".join((command.help or "").split())
    found = [shown for part in EXAMPLES.split(text)[1:] for shown in part.split("; ")]
    yield from (shown for shown in found if shown.startswith("treewright "))


def check(shown, folder):
    wrong, seen = [], set()
    for where, command in shown:
        words = words_of(command)
        if not words or command in seen or "--cluster" in words:
            continue
        seen.add(command)
        began = time.monotonic()
        said = failed(words, folder)
        print(f"{time.monotonic() - began:6.1f} s {where}: {shlex.join(words)}: {said or 'ok'}")
        if said:
            wrong.append(f"{where}: {command}: {said}")
    assert wrong == []
    assert len(seen) > 50


def words_of(shown):
    """The words of a command that can be run, with small budgets; none if it can't."""
    words = shlex.split(ENDS.split(shown + " ")[0])[1:]
    name = name_of(words)
    stands_for_others = any(word.isupper() and word.isalpha() for word in words)
    if name in ELSEWHERE or stands_for_others or any(mark in shown for mark in LEFT_OUT):
        return []
    if words[0].startswith("-") or "subtract-square" in words:  # of the root, and of the plug-in
        return []
    for at, word in enumerate(words[:-1]):
        if word in QUICK and f"{name} {word}" not in AS_WRITTEN:
            words[at + 1] = QUICK[word]
    more = MORE.get(name, "").split()
    for option, value in zip(more[::2], more[1::2], strict=True):
        if option not in words:
            words += [option, value]
    return words


def name_of(words):
    groups = ("bench", "cache", "experiment", "go", "map", "level", "story", "study", "tactics")
    return " ".join(words[: 2 if words and words[0] in groups else 1])


def failed(words, folder):
    """What a command says if it does not do its work."""
    name = name_of(words)
    if name in SERVERS:
        return failed_to_serve(words + SERVERS[name].split(), folder)
    words = [found for word in words for found in matching(word, folder)]
    if name in FRESH:
        folder = Path(tempfile.mkdtemp(dir=folder))
    done = run(words, folder, TYPED.get(name, ""))
    said = done.stderr or done.stdout
    alone = words == [*name.split(), *MORE.get(name, "").split()]
    if done.returncode == 2 and "Missing argument" in said and alone:
        return ""  # in a sentence, the name of a command alone is enough
    # a level that can't be finished, a problem without a plan: that is an answer
    no = done.returncode == 1 and name in ("level check", "story generate")
    return "" if done.returncode == 0 or no else f"{done.returncode}: {said[-400:]}"


def matching(word, folder):
    if "*" not in word:
        return [word]
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word))


def failed_to_serve(words, folder):
    words = words[: words.index("--port")] if "--port" in words else words
    before = Path.cwd()
    os.chdir(folder)
    try:
        with served(*words):
            return ""
    except AssertionError as error:
        return str(error)[-400:]
    finally:
        os.chdir(before)
