"""A domain edited again and again, searched after each edit: the tree is that of the new rules.

What is kept of earlier versions, whole kernels and single functions, may save time and nothing
else: the interpreted engine, which keeps nothing, must build the same tree.
"""

import random
import sys
from collections import Counter
from pathlib import Path

import treewright as tw
from treewright.library.registry import load_file

DOMAIN = """
import numpy as np
import treewright as tw
from numpy import int8, int32
from collections import namedtuple
from {helpers} import far, FAR

K = {k}
TABLE = np.array({table}, np.{kind})
Config = namedtuple("Config", "{fields}")
CONFIG = Config({first}, {second})


def made(step):
    def inside(x):
        return x * step + {a}
    return inside


near = made({step})


def inner(x{default}):
    return {inner}


def outer(s, x):
    return inner(x) + TABLE[x] + CONFIG.a


class Count(tw.Domain):
    max_actions = 3
    state = tw.record(cell=({cell}, 5), n=int32)

    def start(s):
        s.n = {start}

    def legal(s, out):
        for i in range({actions}):
            out[i] = i
        return {actions}

    def play(s, action):
        s.n += 1
        s.cell[action] += int({play}) % 7

    def ended(s):
        return s.n >= {end}

    def rewards(s, out):
        out[0] = (abs(s.cell[{at}] * {c} + s.n) % 11) / 11.0
"""
HELPERS = """
FAR = {far}


def deep(x):
    return {deep}


def far(x):
    return deep(x) + {more}
"""
CALLS = ["outer(s, action)", "far(action)", "near(action)", "inner(action)", "K * action + FAR"]
CHOICES = {
    "k": ["1", "2", "3", "2.5", "True"],
    "table": ["[1, 2, 3]", "[3, 2, 1]", "[0, 5, 1]"],
    "kind": ["int8", "int64", "float64"],
    "fields": ["a b", "b a"],
    "first": ["1", "4", "2.0"],
    "second": ["5", "6"],
    "a": ["1", "2", "0.5"],
    "step": ["1", "3", "2.5"],
    "default": ["", ", y=1", ", y=2"],
    "inner": ["x * 2 + K", "x + K", "near(x) * K", "far(x)", "x * K + 0.5", "x - FAR"],
    "cell": ["int8", "int32"],
    "start": ["0", "1"],
    "actions": ["2", "3"],
    "play": [*CALLS, *(f"{one} + {other}" for one in CALLS for other in CALLS)],
    "end": ["3", "4"],
    "at": ["0", "1", "2"],
    "c": ["1", "3", "5"],
    "far": ["1", "2", "1.5"],
    "deep": ["x * 3", "x + FAR", "x * FAR + 1", "x * 0.5"],
    "more": ["0", "1", "7"],
}


def fuzz(count, folder, seed=0):
    """Search ``count`` versions: how often the trees agreed, and the edits where they did not."""
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []
    chosen = {name: dice.choice(values) for name, values in CHOICES.items()}
    for number in range(count):
        edited = dice.sample(sorted(CHOICES), dice.choice([1, 1, 2]))
        chosen |= {name: dice.choice(CHOICES[name]) for name in edited}
        if "y" in chosen["default"] and "y" not in chosen["inner"]:
            chosen["inner"] += " + y"
        if "y" not in chosen["default"]:
            chosen["inner"] = chosen["inner"].removesuffix(" + y")
        found = [searched(chosen, Path(folder), seed, engine) for engine in ("compiled", "python")]
        seen["equal" if found[0] == found[1] else "wrong"] += 1
        if found[0] != found[1]:
            wrong.append((number, edited, dict(chosen)))
    return seen, wrong


def searched(chosen, folder, seed, engine):
    """The visits and values of a small tree of this version."""
    helpers = f"helpers_{seed}"
    sys.modules.pop(helpers, None)
    (folder / f"{helpers}.py").write_text(HELPERS.format(**chosen))
    path = folder / f"rules_{seed}.py"
    path.write_text(DOMAIN.format(helpers=helpers, **chosen))
    sys.dont_write_bytecode = True  # two versions within a second look alike to Python
    search = tw.Search(load_file(path).Count(), seed=1, memory="1MiB", engine=engine)
    search.run(60)
    nodes = search.tree.nodes
    return nodes["visits"].tolist(), nodes["value"].tolist()
