"""Words that no program of ours would say: lines of GTP, and options of the command line."""

import contextlib
import io
import random
import sys
from collections import Counter

from fuzz_files import TooLong, limited

VALUES = [
    *("", " ", "0", "1", "-1", "2", "3", "5", "9.5", "nan", "inf", "-inf", "1e308", "1e999", "²"),
    *("9" * 25, "-" + "9" * 25, "9" * 5000, "true", "None", "[]", "{}", "a=b", "=", ":", "1:2"),
    *("é", "\ud800", "\x01", "../..", "/", "/dev/null/x", ".", "a" * 5000, "--", "-x", "b", "w"),
    *("B", "C3", "pass", "resign", "Z99", "A0", "c3", "b C3", "'", '"', "#", "\\", "*", "%s", "50"),
]
GTP_WORDS = ["avoid", "allow", "interval", "ownership", "maxmoves", "alive", "dead", "C3,D4"]


def gtp_line(dice, commands):
    """A line of GTP, or what looks like one."""
    name = dice.choice(commands) if dice.randrange(10) else dice.choice(VALUES)
    words = [dice.choice([*VALUES, *GTP_WORDS]) for _ in range(dice.choice([0, 1, 1, 2, 2, 3, 6]))]
    number = f"{dice.randrange(99)} " if dice.randrange(3) == 0 else ""
    return number + " ".join([name, *words])


def fuzz_gtp(engine, count, seed=0):
    """Say ``count`` lines to an engine; each gets one answer that begins with = or ?."""
    dice = random.Random(seed)
    slow = ("quit", "boardsize", "loadsgf", "printsgf")  # files and kernels have tests of their own
    commands = [name for name in sorted(engine.commands) if name not in slow]
    seen: Counter = Counter()
    wrong = []
    for _ in range(count):
        line = gtp_line(dice, commands)
        if line.split()[:1] and any(word in slow for word in line.split()[:2]):
            continue
        engine.out = io.StringIO()
        engine.lines.put("stop")  # ends an analysis at once
        try:
            with limited():
                engine.handle(line)
            said = engine.out.getvalue()
            good = said == "" or (said[0] in "=?" and said.endswith("\n\n"))
            result = said[:1] or "nothing" if good else f"answer {said[:200]!r}"
        except TooLong:
            result = "too long"
        except Exception as error:
            result = f"{type(error).__name__}: {error}"[:300]
        seen[result if result in ("=", "?", "nothing") else "wrong"] += 1
        if result not in ("=", "?", "nothing"):
            wrong.append((result, line[:300]))
    return seen, wrong


SMALL = {
    "search": ["nim", "--simulations", "5", "--memory", "1MiB"],
    "tree": ["nim", "--simulations", "5", "--out", "t.dot"],
    "check": ["nim", "--games", "1"],
    "domains": [],
    "optimize": ["f.py:f", "--bounds=-5,5", "--dim", "2", "--budget", "20"],
    "cache info": [],
    "map generate": ["m.txt", "--evaluations", "20"],
    "level check": ["level.txt"],
    "level convert": ["level.txt", "level.json"],
    "level learn": ["levels", "--out", "chain.json"],
    "story check": ["sherlock"],
    "story describe": ["fairy_tale"],
    "story list": [],
    "tactics agents": [],
    "tactics render": ["--out", "board.svg"],
    "experiment list": [],
    "experiment show": ["tictactoe-strength"],
    "experiment export": ["tictactoe-strength", "--out", "rows.csv"],
    "study export": ["study.sqlite"],
    "study taste": ["ratings.csv"],
    "go analyse": ["game.sgf"],
}
LONG = ("--games", "--simulations", "--seconds", "--budget", "--evaluations", "--workers", "--time")


def command_line(dice, options):
    """A command with its usual words, some of them exchanged, and options with any value."""
    name = dice.choice(sorted(SMALL))
    words = [*name.split(), *SMALL[name]]
    for _ in range(dice.choice([0, 1, 1, 2])):
        option = dice.choice(options[name] or ["--help"])
        value = dice.choice(VALUES)
        if option in LONG:  # a large number is no mistake there, but takes its time
            value = dice.choice(["", "0", "-1", "nan", "x", "1.5", "9" * 25])
        words += [f"{option}={value}" if dice.randrange(2) else option, value][
            : dice.choice([1, 2])
        ]
    if dice.randrange(3) == 0 and len(words) > len(name.split()):
        at = dice.randrange(len(name.split()), len(words))
        if words[at] not in LONG:
            words[at] = dice.choice(VALUES)
    # A byte that is no text comes to a command as this one; the other comes from files alone.
    return [word.replace("\ud800", "\udcff") for word in words]


def all_options():
    """The options of each command, as the command line itself declares them."""
    import typer

    from treewright.cli.app import app

    found = {}

    def walk(command, path):
        names = command.list_commands(None) if hasattr(command, "list_commands") else []
        for name in names:  # those of applications are loaded here
            walk(command.get_command(None, name), [*path, name])
        found[" ".join(path)] = [o for p in command.params for o in p.opts if o.startswith("-")]

    walk(typer.main.get_command(app), [])
    return found


def fuzz_options(count, seed=0):
    """Run ``count`` command lines in this process and folder; each ends with a code."""
    from treewright.cli import main

    dice = random.Random(seed)
    options = all_options()
    seen: Counter = Counter()
    wrong = []
    kept = sys.argv, sys.stdin
    for _ in range(count):
        words = command_line(dice, options)
        out, err = io.StringIO(), io.StringIO()
        sys.argv, sys.stdin = ["treewright", *words], io.StringIO("quit\n")
        result: object = "no exit"
        try:
            with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main()
        except SystemExit as end:
            result = end.code or 0
        except TooLong:
            result = "too long"
        except Exception as error:
            result = f"{type(error).__name__}: {error}"[:300]
        if result in (0, 1, 2) and "Traceback" in err.getvalue():
            result = "Traceback"
        seen[result if result in (0, 1, 2) else "wrong"] += 1
        if result not in (0, 1, 2):
            wrong.append((result, [word[:80] for word in words]))
    sys.argv, sys.stdin = kept
    return seen, wrong


def put_files(folder):
    """The files that command lines name."""
    rows = ["-" * 40] * 13 + ["X" * 40]
    (folder / "level.txt").write_text("\n".join(rows) + "\n")
    (folder / "levels").mkdir(exist_ok=True)
    (folder / "levels" / "a.txt").write_text("\n".join(rows) + "\n")
    (folder / "m.txt").write_text("A..#\n..B_\nA...\n")
    (folder / "f.py").write_text("def f(x):\n    return float(sum(x * x))\n")
    (folder / "ratings.csv").write_text("a,b,better\nlevel.txt,level.txt,a\n")
    (folder / "game.sgf").write_text("(;SZ[5])")
