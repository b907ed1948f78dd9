"""Domains with one or two slips of their author in them, searched by a command of its own each.

Whatever is wrong, the command ends with an answer or with a sentence: no signal, no traceback.
"""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from counting import SOUND

INDICES = ["5", "-6", "9", "1000", "10**6", "2**40", "-(2**40)", "s.n * 1000", "s.n - 9", "10**30"]
STATEMENTS = [  # anywhere in a function
    *[f"s.cell[{at}] = 1" for at in INDICES],
    *[f"s.n = s.cell[{at}]" for at in INDICES],
    *("s.n //= 0", "s.n %= s.n - s.n", "raise ValueError('no')", "raise KeyError", "assert False"),
    *("s.missing = 1", "s.n = 'a'", "s.n = None", "s.n = 10**30", "s.n = 1.5", "s.n = 3j"),
    *("unknown()", "import os", "print(s.n)", "x = {}", "x = [1, 'a']", "x = {1: 'a'}", "del s"),
    *("s = 3", "s.cell = 3", "return", "return None", "return 'a'", "yield 1", "Count.play(s, 0)"),
    *("open('x')", "eval('1')", "lambda: s", "s.n += len(s)", "s.cell[:] = 7", "s.cell[1.5] = 1"),
    *("global z; z = 1", "try:\n            s.n = 1 // 0\n        except Exception: pass"),
]
CHANGES = [  # an old piece of text, and a new one
    *[("range(3)", f"range({n})") for n in (0, 4, 5000, 10**9)],
    *[("return 3", f"return {n}") for n in (-1, 0, 4, 10**9, -(2**40), "None", "2.5", "'a'")],
    *[("out[i] = i", f"out[i] = {v}") for v in (-1, 3, 10**9, "i * 0", "None", "1.5", "'a'")],
    *[("s.n / 4", v) for v in ("1e308", "float('nan')", "float('inf')", "-1e308", "None", "'a'")],
    *[("out[0] =", f"out[{n}] =") for n in (1, -2, 1000, 2**40)],
    *[("s.n >= 4", v) for v in ("False", "True", "s.n", "None", "s.n < 0", "'a'", "[]")],
    *[("max_actions = 3", f"max_actions = {v}") for v in (0, -1, 1, 2**40, "'3'", "None", 3.0)],
    *[("(int8, 5)", v) for v in ("(int8, 0)", "(int8, -1)", "(int8, 10**12)", "int8", "5", "'x'")],
    *[("n=int32", v) for v in ("n=int8", "n=object", "n='i4'", "m=int32", "n=(int32, 2)")],
    *[("(s, action)", v) for v in ("(s)", "()", "(s, action, more)", "(*s)", "(action, s)")],
    *[("def legal", v) for v in ("def Legal", "async def legal", "legal = 3  #", "deff legal")],
    *[("import treewright as tw", v) for v in ("import nothing", "import treewright", "\x00", "(")],
    *[("class Count(tw.Domain)", v) for v in ("class Count", "class Other(tw.Domain)")],
    ("s.n += 1", "Count.play(s, action)"),
]


def slipped(dice):
    """The small domain with one or two slips in it."""
    text = SOUND
    for _ in range(dice.choice([1, 1, 1, 2])):
        if dice.randrange(2):
            old, new = dice.choice(CHANGES)
            text = text.replace(old, str(new))
        else:
            name = dice.choice(["start(s)", "legal(s, out)", "play(s, action)", "ended(s)"])
            name = dice.choice([name, "rewards(s, out)"])
            head = f"    def {name}:\n"
            text = text.replace(head, f"{head}        {dice.choice(STATEMENTS)}\n")
    return text


def fuzz(count, folder, seed=0):
    """Search ``count`` such domains: how often what happened, and what was wrong."""
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []
    for number in range(count):
        path = Path(folder) / f"slipped_{seed}_{number}.py"
        path.write_text(slipped(dice))
        verb = dice.choice([["search", "--json"], ["check"], ["tree", "--out", f"{path}.dot"]])
        words = [verb[0], f"{path}:Count", *verb[1:]]
        if verb[0] != "check":
            words += ["--simulations", "100", "--memory", "1MiB"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "treewright", *words],
                capture_output=True,
                text=True,
                timeout=200,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            code: object = done.returncode
            if "Traceback" in done.stderr:
                code = f"Traceback: {done.stderr[-300:]}"
        except subprocess.TimeoutExpired:
            code = "too long"
        seen[code if code in (0, 1, 2) else "wrong"] += 1
        if code not in (0, 1, 2):
            wrong.append((code, verb[0], path.read_text()))
    return seen, wrong
