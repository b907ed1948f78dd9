"""Commands that are killed at random moments: what is left is whole, and a second run completes it.

Each command runs once to its end in a folder of its own.  Then it is killed (-9) somewhere on its
way in another folder and run again there; both folders must hold the same.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import treewright as tw
from treewright.apps.levels.formats import read_level

COMMANDS = {
    "search": "search nim --set heap=30 --simulations 20000 --save tree.npz --quiet --json",
    "levels": "level generate --count 3 --length 60 --out levels --quiet --json",
    "experiment": "experiment run tictactoe-strength --scale smoke --store store.sqlite --quiet",
    "map": "map generate mcguinness --evaluations 3000 --out map.json --quiet --json",
    "story": "story generate sherlock --nodes 2000 --out story.json --quiet --json",
}


def begin(line, folder):
    return subprocess.Popen(
        [sys.executable, "-m", "treewright", *line.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def contents(folder):
    """What a folder holds, without what depends on the clock."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if path.name.startswith("."):
            continue  # a temporary file, which nobody takes for the real one
        if path.suffix == ".sqlite":
            with sqlite3.connect(path) as db:
                rows = db.execute("SELECT experiment, settings, seed, data FROM cells").fetchall()
            found[name] = sorted(map(repr, rows))
        elif path.suffix == ".npz":
            loaded = tw.load(path, tw.make("nim", heap=30))
            found[name] = loaded.tree.nodes["visits"].tolist()
        elif path.suffix == ".json":
            read = json.loads(path.read_text())
            timed = ("seconds", "evaluations_per_second")
            found[name] = {k: v for k, v in read.items() if k not in timed}
        elif path.is_file() and not name.endswith(("-wal", "-shm")):
            found[name] = path.read_bytes()
    return found


def whole(folder):
    """What is wrong with the files that a killed command has left; nothing if they are whole."""
    for path in Path(folder).rglob("*"):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            if path.suffix == ".txt":
                read_level(path)
            elif path.suffix == ".json":
                json.loads(path.read_text())
            elif path.suffix == ".npz":
                tw.load(path, tw.make("nim", heap=30))
        except Exception as error:
            return f"{path.name}: {type(error).__name__}: {error}"
    return ""


def fuzz(count, folder, seed=0):
    """Kill commands ``count`` times: how often what happened, and what was wrong."""
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []
    known = {}
    for number in range(count):
        name = sorted(COMMANDS)[number % len(COMMANDS)]
        line = COMMANDS[name]
        if name not in known:
            place = Path(folder) / f"{name}-{seed}-whole"
            place.mkdir(parents=True)
            began = time.monotonic()
            assert begin(line, place).wait() == 0, name
            known[name] = contents(place), time.monotonic() - began
        expected, seconds = known[name]
        place = Path(folder) / f"{name}-{seed}-{number}"
        place.mkdir()
        process = begin(line, place)
        time.sleep(dice.uniform(0.05, 1.0) * seconds)
        killed = process.poll() is None
        if killed:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        result = whole(place)
        again = begin(line, place).wait() if not result else 0
        if again != 0:
            result = f"the second run ended with {again}"
        elif not result and contents(place) != expected:
            result = "the second run made something else"
        seen["wrong" if result else "killed" if killed else "too late"] += 1
        if result:
            wrong.append((name, result))
    return seen, wrong
