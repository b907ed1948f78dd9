"""``make soak``: half an hour of new domains and many searches in one process; memory must be flat.

Two hundred domains, each compiled, each searched a hundred times in every way that needs no other
kernel, evenly over the time; a line for every ten of them.  Exit code 1: what the process holds
grew by more than a tenth between the first and the last quarter.
"""

import argparse
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from counting import SOUND

import treewright as tw
from treewright.library.registry import load_file


def held():
    """Megabytes of memory that the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def author(folder, number):
    """A domain that nobody has written before."""
    rng = random.Random(number)
    text = SOUND.replace("s.n / 4", f"(s.n + s.cell[{rng.randrange(5)}]) / {number + 9}")
    text = text.replace("s.n += 1", f"s.n += 1\n        s.cell[action] += {rng.randrange(1, 9)}")
    path = Path(folder) / f"domain_{number}.py"
    path.write_text(text)
    return load_file(path).Count()


def searches(domain, count, seed, folder):
    """Runs, commits, phases, files: what a long-lived process does."""
    rng = random.Random(seed)
    for i in range(count):
        search = tw.Search(domain, tw.Options(c=rng.random()), seed=i, memory="1MiB")
        result = search.run(rng.randrange(10, 400))
        if i % 10 == 0:
            search.commit(result.best)
            search.run(50)
        if i % 25 == 0:
            search.save(Path(folder) / "tree.npz")
            tw.load(Path(folder) / "tree.npz", domain).run(20)


def slope(held):
    """How many megabytes each domain adds, by least squares."""
    return statistics.linear_regression(range(len(held)), held).slope


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--domains", type=int, default=200, help="at least four")
    parser.add_argument("--searches", type=int, default=100, help="of each domain")
    parser.add_argument("--minutes", type=float, default=30, help="that this is spread over")
    chosen = parser.parse_args()
    seen, began = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(4, chosen.domains)):
            searches(author(folder, number), chosen.searches, number, folder)
            gc.collect()
            seen.append(held())
            minutes = (time.monotonic() - began) / 60
            early = chosen.minutes * (number + 1) / chosen.domains - minutes
            time.sleep(max(0, 60 * early))
            if number % 10 == 9:
                print(f"{number + 1:4} domains, {minutes:5.1f} min: {seen[-1]:6.0f} MB", flush=True)
    quarter = len(seen) // 4
    first, last = max(seen[:quarter]), max(seen[-quarter:])
    print(f"{len(seen)} domains, {len(seen) * chosen.searches:,} searches, {minutes:.1f} minutes,")
    print(f"{time.process_time() / 60:.1f} minutes of the processor: at most {first:.0f} MB in the")
    print(f"first quarter and {last:.0f} MB in the last, {slope(seen[quarter:]):.3f} MB a domain")
    return 1 if last > 1.1 * first else 0


if __name__ == "__main__":
    sys.exit(main())
