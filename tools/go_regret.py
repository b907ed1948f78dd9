"""How much a search's choice of a Go move gives away: a yardstick that needs few games.

    python tools/learn_go_prior.py search --out search.jsonl --games 60
    python tools/go_regret.py search.jsonl "" "head_start=50" "rave.bias=0.08 c=0.05"

Each line of settings changes the engine's default ("" is the default itself).  A move's worth is
the mean value of a search of 12,000 simulations after it, kept in ``--cache``; the regret of a
choice is what it is short of the best move that any setting chose there.  The gain is paired with
the first line of settings.  The values are our own search's, so this tells how well a tree is
grown, not whether the playouts judge well.
"""

import argparse
import json
import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np

from treewright.apps.go.domain import Go
from treewright.apps.go.gtp.player import SEARCHES
from treewright.library.search import Search

OPTIONS, PLAYOUT = SEARCHES["default"]
DEEP, SHALLOW = 12_000, 3_000


def changed(options, settings):
    """The default with ``name=value`` or ``rave.name=value``, parted by spaces."""
    for setting in settings.split():
        name, value = setting.split("=")
        if name.startswith("rave."):
            rave = replace(options.rave, **{name[5:]: json.loads(value)})
            options = replace(options, rave=rave)
        else:
            options = replace(options, **{name: json.loads(value)})
    return options


def searched(moves, options, simulations, seed):
    search = Search(Go(9, moves=" ".join(moves), **PLAYOUT), options, seed=seed, memory="256MiB")
    return search.run(simulations=simulations)


def positions(path, count):
    """Move lists up to the 6th to the 56th move, a few of each game."""
    dice = random.Random(3)
    found = []
    for line in Path(path).read_text().splitlines():
        moves = [vertex for vertex, _ in json.loads(line)]
        ends = [n for n in range(6, min(56, len(moves))) if moves[n - 1].lower() != "pass"]
        found += [moves[:n] for n in dice.sample(ends, min(4, len(ends)))]
    dice.shuffle(found)
    return found[:count]


def worth(cache, moves, label):
    """The value of a move for who plays it."""
    key = " ".join([*moves, label])
    known = cache.execute("SELECT value FROM worth WHERE moves = ?", (key,)).fetchone()
    if known:
        return known[0]
    result = searched([*moves, label], OPTIONS, DEEP, 7)
    visits = np.array([c.visits for c in result.children])
    values = np.array([c.value or 0.0 for c in result.children])
    value = 1.0 - float(visits @ values) / visits.sum()
    with cache:
        cache.execute("INSERT INTO worth VALUES (?, ?)", (key, value))
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games")
    parser.add_argument("settings", nargs="+")
    parser.add_argument("--positions", type=int, default=240)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--cache", default="go-regret.sqlite")
    chosen = parser.parse_args()
    cache = sqlite3.connect(chosen.cache)
    cache.execute("CREATE TABLE IF NOT EXISTS worth (moves TEXT PRIMARY KEY, value REAL)")
    drawn = positions(chosen.games, chosen.positions)
    values = []
    for settings in chosen.settings:
        options = changed(OPTIONS, settings)
        picks = [
            searched(moves, options, SHALLOW, 1000 * seed + i).children[0].label
            for i, moves in enumerate(drawn)
            for seed in range(chosen.seeds)
        ]
        each = np.repeat(np.arange(len(drawn)), chosen.seeds)
        worths = [worth(cache, drawn[i], pick) for i, pick in zip(each, picks, strict=True)]
        values.append(np.array(worths).reshape(len(drawn), chosen.seeds))
        gain = (values[-1] - values[0]).mean(axis=1)
        error = gain.std() / np.sqrt(len(gain))
        print(f"{settings or 'default':32} gain {gain.mean():+.4f} ± {error:.4f}", flush=True)
    best = np.max([v.max(axis=1) for v in values], axis=0)
    for settings, found in zip(chosen.settings, values, strict=True):
        print(f"{settings or 'default':32} regret {(best[:, None] - found).mean():.4f}")


if __name__ == "__main__":
    main()
