"""Do two checkouts compute the same?  Everything that Treewright makes, byte for byte.

    python tools/compare_versions.py OLD NEW

runs the same command lines in both, with the Python that runs this script, and compares what they
print and every file that they write.  Only what must differ is evened out: seconds, rates and the
checkouts' own paths.  It prints one row for each case, and its exit code is 1 if any differs.
Each checkout has its own cache of kernels, which is kept, so that the second run is quick.

The cases use the command line and ``import treewright as tw``, never a module's path, so that
the layout of the source may differ.
"""

import argparse
import difflib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

# one process runs all command lines of a case, so that kernels are loaded once
DRIVER = """
import io, json, runpy, sys
for line, typed in json.loads(sys.argv[1]):
    print("$ treewright", *line, flush=True)
    sys.argv, sys.stdin = ["treewright", *line], io.StringIO(typed)
    try:
        runpy.run_module("treewright", run_name="__main__")
    except SystemExit as end:
        print("exit code", end.code or 0, flush=True)
"""
UNEVEN = [  # what differs between two runs of the same code
    (r"""(seconds?["']: )[\d.e+-]+""", r"\1#"),
    (r"in [\d.,]+ s\b", "in # s"),
    (r"\([\d.,]+ a second\)", "(# a second)"),
    (r'("participant": )"[0-9a-f]{12}"', r"\1#"),  # drawn anew for each study
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "#"),
]
NOT_COMPARED = {".sqlite"}  # it holds times of day; the exported rows are compared


@dataclass
class Case:
    """Command lines that share a folder, what is typed into each, or a piece of Python."""

    name: str
    lines: list[str] = field(default_factory=list)
    typed: str = ""
    code: str = ""


SEARCH = [
    "search nim --set heap=21 --simulations 3000 --seed 1",
    "search nim --set heap=13 --solver --simulations 5000 --json",
    "search tictactoe --simulations 3000 --rave 100 --seed 2 --json",
    "search tictactoe --solver --simulations 20000 --seed 3",
    "search connect-four --simulations 5000 --c 0.7 --seed 4 --json",
    "search connect-four --simulations 4000 --workers 2 --seed 5",
    "search connect-four --policy domain --simulations 500",
    "search samegame --set seed=3 --simulations 2000 --policy domain --seed 1 --json",
    "search samegame --set width=8 --set height=8 --simulations 1000 --save tree.npz",
    "search foundry --simulations 2000 --seed 6 --json",
    "search hero-academy --simulations 300 --seed 2 --json",
    "search go-5x5 --simulations 500 --rave 300 --policy domain --seed 1",
    "search levels --simulations 200 --seed 2 --json",
    "search nimm",
]
TREES = [
    "tree tictactoe --simulations 2000 --out a.dot",
    "tree nim --set heap=9 --depth 4 --top 2 --seed 3 --out b.dot --json",
    "tree connect-four --rave 200 --seed 2 --out c.dot",
    "tree samegame --simulations 300 --policy domain --out d.dot",
]
CHECKS = [f"check {name} --games 5" for name in ("nim", "tictactoe", "connect-four", "foundry")]
STORIES = [
    "story list",
    "story describe crime",
    "story check sherlock",
    "story generate sherlock --nodes 20000 --seed 1 --graph why.svg",
    "story generate sherlock --nodes 20000 --seed 2 --format json",
    "story generate sherlock --nodes 10000 --seed 3 --plain --format markdown",
    "story generate sherlock --nodes 20000 --seed 4 --prune 2000",
    "story generate sherlock --nodes 5000 --seed 5 --variants 3 --out three.md",
    "story generate sherlock --nodes 5000 --seed 6 --branches 2 --out two.ink",
    "story generate sherlock --nodes 5000 --seed 7 --branches 1 --out one.yarn",
    "story generate sherlock --nodes 5000 --seed 8 --no-trim --length 12 --tune Kill=0.5",
    "story generate manor --nodes 10000 --seed 1",
    "story generate jealousy --nodes 10000 --seed 1 --format twee",
    "story generate citizen --nodes 10000 --seed 2",
    "story generate town --nodes 40000 --seed 1",
    "story generate village --nodes 5000 --seed 1 --json",
    "story generate sherlock --method best-first --nodes 3000",
    "story generate sherlock --method depth-first --nodes 3000",
    "story generate sherlock --method breadth-first --nodes 3000",
]
TALES = [
    "story generate fairy_tale --nodes 10000 --seed 1",
    "story generate dragon --nodes 10000 --seed 2 --branches 2 --out tale.twee",
    "story generate gentle --nodes 10000 --seed 3 --json",
]
LEVELS = [
    "level generate --seed 1 --length 120 --out a.txt",
    "level generate --seed 2 --length 320 --difficulty 0.2,0.8 --out b.json",
    "level generate --seed 3 --length 100 --gaps 3..5 --enemies 4..9 --out c.tmx",
    "level generate --seed 4 --length 100 --player small --height 1..3 --out d.tmj",
    "level generate --seed 5 --length 100 --rewards 5..20 --crowd 2 --out e.png",
    "level generate --seed 6 --length 80 --count 3 --out many --json",
    "level generate --seed 7 --vary a.txt --keep 0.4 --format vglc --out f.txt",
    "level generate --seed 8 --length 90 --score '2 - (gaps - 4)**2 / 20' --rollouts 50",
    "level generate --seed 9 --length 60 --tiles --out tiles.txt",
    "level generate --seed 10 --length 60 --tiles --difficulty 0.9 --out tiles.json --json",
    "level check a.txt b.json c.tmx d.tmj f.txt tiles.txt --path --picture paths",
    "level analyse a.txt many --json",
    "level learn many --out chain.json --history 1 --widest 4 --json",
    "level convert a.txt g.tmx",
    "level convert g.tmx g.json",
    "level tiles --out art",
    "level import-image e.png --tiles art --out h.txt",
]
MAPS = [
    *(
        f"map generate mcguinness --method {method} --evaluations {n} --seed {seed} --out {out}"
        for method, n, seed, out in [
            ("best", 20000, 1, "a.txt --out a.png --out a.tmx"),
            ("best", 8000, 2, "b.json --out b.tmj --json"),
            ("paper", 20000, 1, "c.txt"),
            ("paper", 8000, 2, "d.json --step 0.1 --iterations 100"),
            ("growing", 8000, 3, "e.txt --json"),
            ("evolution", 8000, 4, "f.txt"),
            ("hill-climbing", 8000, 5, "g.txt"),
        ]
    ),
    "map dungeon --seed 3 --simulations 100 --out h.tmx --out h.png",
    "map dungeon --seed 4 --width 60 --height 40 --rooms 14 --simulations 60 --out i.json --json",
]
FUNCTIONS = [
    *(
        f"optimize cec2014:{number} --dim {dim} --budget {budget} --method {method} --seed 1 --json"
        for number, dim, budget, method in [
            (1, 10, 10000, "best"),
            (9, 10, 10000, "best"),
            (17, 10, 10000, "best"),
            (26, 10, 5000, "best"),
            (1, 30, 10000, "best"),
            (9, 10, 10000, "iterated-splitting --passes 10 --splits 3"),
            (17, 10, 10000, "iterated-splitting --moves 10"),
            (4, 10, 5000, "soo"),
        ]
    )
]
GAME = "\n".join(["genmove b", "genmove w"] * 12 + ["showboard", "final_score", "quit", ""])
START = "\n".join(["play b c3", "play w c7", *["genmove b", "genmove w"] * 6, "showboard", ""])
AGENTS = [
    *("random", "greedy-action", "greedy-turn", "greedy-turn-6", "mcts", "bb-mcts", "mcts-ne"),
    *("oep", "oep-greedy", "emcts", "emcts-plain", "emcts-20", "emcts-reply", "emcts-reply-oep"),
]
TACTICS = [
    "tactics agents",
    *(
        f"tactics watch --agents {agent},greedy-action --ap {5 + 5 * (i % 3)} "
        f"--map a-small --budget evals:150 --seed {i} --json"
        for i, agent in enumerate(AGENTS)
    ),
    "tactics watch --agents emcts,oep --budget evals:300 --seed 4 --out game.json",
    "tactics watch game.json",
    "tactics tournament --agents emcts,oep-greedy,random --ap 5 --budget evals:60 --games 2 "
    "--map a-tiny --json",
]
STUDY = [
    "study new s.sqlite --seed 1 --length 80 --copies 1 --json",
    "study simulate s.sqlite --participants 1 --seed 2",
    "study export s.sqlite --out rows --format json",
    "level generate --seed 1 --length 100 --out a.txt",
    "study play a.txt --seed 3 --json",
]
LISTS = ["experiment list", "--version", "story list --json"]

SIGNATURE = """
import json, subprocess, sys

for only in (["--only", "core"], []):  # the first is younger than the set
    line = [sys.executable, "-m", "treewright", "bench", "--signature", "--json", *only]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode == 0:
        found = json.loads(done.stdout)
        print(found["parts"].get("core", found["signature"]))
        break
"""
SWITCHES = """
import hashlib
import treewright as tw

def show(name, domain, options, simulations=400, **settings):
    try:
        search = tw.Search(tw.make(domain, **settings), options, seed=7, memory="16MiB")
    except tw.OptionError as refused:
        print(domain, name, "refused:", refused)
        return
    result = search.run(simulations)
    search.commit(result.best)
    result = search.run(simulations)
    nodes = search.tree.nodes
    seen = nodes["action"].tobytes() + nodes["visits"].tobytes()
    print(domain, name, hashlib.sha256(seen).hexdigest(), result.to_dict()["children"])

for domain, settings in {
    "connect-four": {}, "samegame": {"width": 7, "height": 7}, "foundry": {}
}.items():
    show("uct", domain, tw.Options(), **settings)
    show("rave", domain, tw.Options(rave=tw.Rave(k=50, first=True, fade=True)), **settings)
    show("solver", domain, tw.Options(solver=True, fpu=0.6), **settings)
    show("puct", domain, tw.Options(puct=True, dense=True), **settings)
    show("max", domain, tw.Options(max_backup=0.5, choose="max", keep_state=True), **settings)
    show("turn", domain, tw.Options(horizon="turn", expand="listed", c=0), **settings)
for domain in ("tictactoe", "connect-four"):
    found = tw.baselines.FlatMonteCarlo(tw.make(domain), seed=3).run(500)
    print(domain, "flat", found.to_dict())
"""

CASES = [
    Case("signature of the old set", code=SIGNATURE),
    Case("searches of small games", SEARCH),
    Case("trees of small games", TREES),
    Case("checks of domains", CHECKS),
    Case("switches from Python, with commit", code=SWITCHES),
    Case("stories of crime", STORIES),
    Case("stories of fairy tales", TALES),
    Case("levels", LEVELS),
    Case("maps and dungeons", MAPS),
    Case("functions", FUNCTIONS),
    Case("Go 9x9 with openings", ["gtp --simulations 300 --seed 1"], GAME),
    Case("Go 9x9 without", ["gtp --simulations 300 --no-openings --seed 2"], GAME),
    Case("Go 9x9 from a position", ["gtp --simulations 500 --no-openings"], START),
    Case(
        "Go 9x9, other searches",
        [f"gtp --simulations 200 --search {s}" for s in ("uct", "rave", "light")],
        START,
    ),
    Case("Go 13x13 with openings", ["gtp --simulations 200 --size 13 --seed 3"], GAME),
    Case("Go 13x13 without", ["gtp --simulations 200 --size 13 --no-openings --seed 4"], GAME),
    Case("tactics, every agent", TACTICS),
    Case("study", STUDY),
    Case("gallery", ["gallery --out page"]),
    Case("lists", LISTS),
]


@dataclass
class Outcome:
    """What one version made of a case: printed text and files, evened out."""

    printed: str
    files: dict[str, bytes]
    code: int
    seconds: float


def run(case: Case, checkout: Path, cache: Path) -> Outcome:
    """Run a case in an empty folder."""
    environment = os.environ | {
        "PYTHONPATH": str(checkout / "src"),
        "TREEWRIGHT_CACHE": str(cache),
        "SOURCE_DATE_EPOCH": "0",  # Matplotlib writes no time of day
        "PYTHONHASHSEED": "0",  # sums over sets differ in the last digit otherwise
    }
    lines = json.dumps([(shlex.split(line), case.typed) for line in case.lines])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", case.code or DRIVER, lines],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        seconds = time.monotonic() - began
        found = {
            str(path.relative_to(folder)): even(path.read_bytes(), checkout, folder)
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path.suffix not in NOT_COMPARED
        }
        printed = even(done.stdout, checkout, folder).decode()
    return Outcome(printed, found, done.returncode, seconds)


def even(data: bytes, checkout: Path, folder: str) -> bytes:
    """Text without what must differ; anything else as it is."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    for place, name in ((str(checkout), "CHECKOUT"), (folder, "FOLDER")):
        text = text.replace(place, name)
    for pattern, instead in UNEVEN:
        text = re.sub(pattern, instead, text)
    return text.encode()


def differences(old: Outcome, new: Outcome) -> list[str]:
    """What differs, in words; nothing if all is equal."""
    found = []
    if old.code or new.code:
        found.append(f"the process ended with code {old.code} (old), {new.code} (new)")
        found += new.printed.splitlines()[-5:]
    if old.printed != new.printed:
        shown = difflib.unified_diff(
            old.printed.splitlines(), new.printed.splitlines(), "old", "new", "", "", 1, ""
        )
        found += [line[:200] for line in list(shown)[:12]]
    for name in sorted(old.files.keys() | new.files.keys()):
        if name not in new.files or name not in old.files:
            found.append(f"{name}: only {'old' if name in old.files else 'new'} wrote it")
        elif old.files[name] != new.files[name]:
            found.append(f"{name}: not the same bytes")
    return found


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="a checkout")
    parser.add_argument("new", type=Path, help="another")
    parser.add_argument("--only", action="append", help="cases whose name holds this word")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "treewright-compare",
        help="a folder for the kernels of both",
    )
    return parser.parse_args()


def main() -> int:
    given = parsed()
    versions = {name: getattr(given, name).resolve() for name in ("old", "new")}
    for checkout in versions.values():
        if not (checkout / "src/treewright/__init__.py").is_file():
            sys.exit(f"{checkout} is no checkout of Treewright")
    chosen = [c for c in CASES if not given.only or any(word in c.name for word in given.only)]
    different = 0
    began = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        started = [
            [pool.submit(run, case, place, given.cache / name) for name, place in versions.items()]
            for case in chosen
        ]
        print(f"{'case':34} {'commands':>8} {'files':>5} {'bytes':>9} {'old s':>6} {'new s':>6}")
        for case, pair in zip(chosen, started, strict=True):
            old, new = (future.result() for future in pair)
            found = differences(old, new)
            different += bool(found)
            size = len(new.printed) + sum(map(len, new.files.values()))
            print(
                f"{case.name:34} {len(case.lines) or '-':>8} {len(new.files):>5} {size:>9,} "
                f"{old.seconds:>6.1f} {new.seconds:>6.1f}  {'DIFFERENT' if found else 'equal'}",
                *(f"    {line}" for line in found),
                sep="\n",
                flush=True,
            )
    equal = len(chosen) - different
    print(f"{equal} of {len(chosen)} cases equal, {time.monotonic() - began:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
