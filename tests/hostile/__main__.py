"""``make hostile``: every fuzzer for its share of ten minutes, and a table of what failed."""

import argparse
import io
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fuzz_disk
import fuzz_domains
import fuzz_edits
import fuzz_files
import fuzz_http
import fuzz_interrupts
import fuzz_kills
import fuzz_rules
import fuzz_trees
import fuzz_words
import page


def readers(name):
    return lambda count, folder, seed: fuzz_files.fuzz_reader(name, count, folder, seed)


def gtp(count, folder, seed):
    from treewright.apps.go.gtp.engine import Engine, MoveBudget
    from treewright.apps.go.gtp.player import style

    engine = Engine(io.StringIO(), style(resign=0.0), MoveBudget(10), size=5)
    return fuzz_words.fuzz_gtp(engine, count, seed)


def http(count, folder, seed):
    from fastapi import FastAPI

    from treewright.apps.levels.level import Level
    from treewright.apps.study.addresses import add_addresses
    from treewright.apps.study.store import Store

    easy = Level((*["-" * 16] * 12, "-" * 15 + "F", "X" * 16))
    study = Store.create(Path(folder) / f"{seed}.sqlite", {v: [easy] for v in range(1, 9)})
    app = FastAPI()
    add_addresses(app, study)
    return fuzz_http.fuzz(app, study.enrol(), count, seed)


def studio(count, folder, seed):
    """Every kind of job that there is, in a queue that nobody works off."""
    from treewright.studio import api
    from treewright.studio.fence import Fence
    from treewright.workshop.jobs import Manager
    from treewright.workshop.web import SmallBodies

    manager = Manager(Path(folder) / f"studio-{seed}", workers=0)
    app = api.build(manager)
    app.add_middleware(SmallBodies)
    app.add_middleware(Fence, hosts=None)
    try:
        asked = fuzz_http.studio_request
        return fuzz_http.fuzz(app, sorted(manager.works), count, seed, asked, longest=3000)
    finally:
        manager.close()


def options(count, folder, seed):
    fuzz_words.put_files(Path(folder))
    return fuzz_words.fuzz_options(count, seed)


def edits(count, folder, seed):
    return fuzz_edits.fuzz_edits(count, seed)


def trees(count, folder, seed):
    return fuzz_trees.fuzz_trees(count, Path(folder), seed, all_of_them=True)


# what is tried, what of the time it gets, and how many tries are one batch
FUZZERS = {
    **{f"file: {name}": (readers(name), 1.0, 200) for name in sorted(fuzz_files.READERS)},
    "file: tree": (trees, 4.0, 200),
    "GTP line": (gtp, 2.0, 500),
    "HTTP request": (http, 2.0, 500),
    "studio request": (studio, 2.0, 500),
    "command line": (options, 4.0, 50),
    "edited domain": (edits, 3.0, 500),
    "edited rules": (fuzz_rules.fuzz, 2.0, 40),
    "damaged cache": (fuzz_disk.fuzz_cache, 2.0, 500),
    "full disk": (fuzz_disk.fuzz_full, 2.0, 100),
    "slip in a domain": (fuzz_domains.fuzz, 4.0, 10),
    "interrupt": (fuzz_interrupts.fuzz, 6.0, 10),
    "kill -9": (fuzz_kills.fuzz, 6.0, 10),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0, help="of the first batch of each fuzzer")
    parser.add_argument("--only", action="append", help="such as 'GTP line'")
    parser.add_argument("--leave", action="append", default=[], help="all but these")
    parser.add_argument("--keep", action="store_true", help="the counts, in runs.csv")
    parser.add_argument("--page", action="store_true", help="write what was kept into the docs")
    chosen = parser.parse_args()
    if chosen.page:
        return page.write()
    shares = sum(share for _, share, _ in FUZZERS.values())
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (fuzz, share, batch) in FUZZERS.items():
            if name in chosen.leave or (chosen.only and name not in chosen.only):
                continue
            tries, wrong = run(fuzz, chosen.seconds * share / shares, batch, folder, chosen.seed)
            rows.append((tries, len(wrong)))
            print(f"{name:24} {tries:9,} tries  {len(wrong):4} failures", flush=True)
            if chosen.keep:
                page.keep(chosen.seed, name, tries, len(wrong))
            for one in wrong[:20]:
                print(f"- {one!r}"[:600], flush=True)
    tries, failures = (sum(column) for column in zip(*rows, strict=True))
    print(f"{'in all':24} {tries:9,} tries  {failures:4} failures")
    return 1 if failures else 0


def run(fuzz, seconds, batch, folder, seed):
    """Batch after batch until the time is up."""
    end = time.monotonic() + seconds
    seen: Counter = Counter()
    wrong = []
    while True:
        one, failed = fuzz(batch, folder, seed)
        seen.update({k: n for k, n in one.items() if k != "seconds"})
        wrong += failed
        seed += 1
        if time.monotonic() >= end:
            return sum(seen.values()), wrong


if __name__ == "__main__":
    sys.exit(main())
