"""Commands that are interrupted, as by Ctrl-C, at random moments.

One press is enough: the command ends by itself, says so with its exit code, shows no traceback,
and what it has written is whole.
"""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from fuzz_kills import COMMANDS, whole

LONG = {
    **COMMANDS,
    "gallery": "gallery --out gallery",
    "tournament": "tactics tournament --agents emcts,oep --games 400 --store games.db",
    "optimize": "optimize cec2014:9 --dim 10 --budget 2000000",
    "tune": "tune nim --tune c=0.1:2 --trials 20 --runs 40 --simulations 300 --store tune.db",
    "check": "check connect-four --games 2000",
}
FINE = ("0", "130", "before we began")
PATIENCE = 60.0  # seconds on a busy machine; on a free one it takes less than one


def fuzz(count, folder, seed=0):
    """Interrupt commands ``count`` times: how often what happened, and what was wrong."""
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []
    for number in range(count):
        name = sorted(LONG)[number % len(LONG)]
        place = Path(folder) / f"interrupted-{name}-{seed}-{number}"
        place.mkdir(parents=True)
        moment = dice.choice([dice.uniform(0.1, 0.8), dice.uniform(0.8, 8.0)])
        result = interrupted(LONG[name], place, moment)
        seen[result if result in FINE else "wrong"] += 1
        if result not in FINE:
            wrong.append((name, round(moment, 2), result))
    return seen, wrong


def interrupted(line, place, moment):
    """The exit code, or what was wrong."""
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright", *line.split()],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return "went on"
    if process.returncode == -signal.SIGINT or (
        "KeyboardInterrupt" in said and "in main" not in said
    ):
        return "before we began"  # Python was still on its way to our first line
    if "Traceback" in said:
        return said[-400:]
    return whole(place) or str(process.returncode)
