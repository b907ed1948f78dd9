"""Learn the weights of Go moves: for playouts from GNU Go, for the tree from our own search.

    python tools/learn_go_prior.py gnugo --out gnugo.jsonl --games 560    # needs gnugo
    python tools/learn_go_prior.py search --out search.jsonl --games 130
    python tools/learn_go_prior.py gnugo --size 19 --strength 1 --out large.jsonl --games 80
    python tools/learn_go_prior.py fit gnugo.jsonl search.jsonl large.jsonl  # writes weights.npz

Each game begins with a few random moves and has some in the middle, so that no two are alike;
those are not learned from.  The weights maximise the probability of the moves played, or of the
shares of the root's visits, which is exp(strength) over the sum of it for all legal moves
(Coulom 2007), less a penalty on their squares.  Those of the tree start from what GNU Go's moves
give; large boards have the same shapes, and the rest from GNU Go's games there.  A tenth of the
games is held back to measure with.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
from numba import njit

from treewright.apps.go.board import PASS, allowed, clear, eye, move
from treewright.apps.go.domain import Go
from treewright.apps.go.features import COUNT, GROUPS, OFFSET, features, shapes
from treewright.apps.go.gtp.client import Client, EngineError
from treewright.apps.go.gtp.player import DEFAULT
from treewright.apps.go.setup import LETTERS, to_point
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rebind import Rebinder
from treewright.library.search import Search

SIZE = 9
DECIDED = 0.02  # a search's game ends when one side wins less than this share
WEIGHTS = Path(__file__).parents[1] / "src/treewright/apps/go/weights.npz"


def by_gnu_go(games, seed, level, size=SIZE):
    """Games as lists of (vertex, [[point, 1]] if GNU Go chose it)."""
    command = ["gnugo", "--mode", "gtp", "--level", str(level), "--chinese-rules"]
    with Client([*command, "--seed", str(seed + 1)]) as gnugo:

        def chosen(moves):
            vertex = gnugo.send(f"genmove {'bw'[len(moves) % 2]}")
            return None if vertex == "resign" else (vertex, [[to_point(vertex, size), 1]])

        def drawn(moves, dice):
            return random_move(gnugo, "bw"[len(moves) % 2], dice, size)

        for number in range(games):
            for line in (f"boardsize {size}", "clear_board", "komi 7.5"):
                gnugo.send(line)
            yield one_game(random.Random(seed * 100_000 + number), chosen, drawn)


def by_search(games, seed, simulations):
    """Games as lists of (vertex, [[point, visits], …] if the search chose it)."""

    def searched(moves, count):
        domain = Go(SIZE, moves=" ".join(v for v, _ in moves), margin=0.04)
        search = Search(domain, DEFAULT, seed=seed + len(moves), memory="64MiB")
        return search.run(simulations=count).children

    def chosen(moves):
        children = searched(moves, simulations)
        if moves and not DECIDED < children[0].value < 1 - DECIDED:
            return None
        visited = [[c.action, c.visits] for c in children[:12] if c.visits >= 10]
        return children[0].label, visited

    def drawn(moves, dice):
        return dice.choice([c.label for c in searched(moves, 100) if c.action != PASS])

    for number in range(games):
        yield one_game(random.Random(seed * 100_000 + number), chosen, drawn)


def one_game(dice, chosen, drawn):
    moves = []
    opening = dice.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6])
    while len(moves) < 120 and [v.lower() for v, _ in moves[-2:]] != ["pass", "pass"]:
        if len(moves) < opening or (dice.random() < 0.06 and len(moves) < 40):
            moves.append((drawn(moves, dice), None))
        else:
            move = chosen(moves)
            if move is None:
                break
            moves.append(move)
    return moves


def random_move(gnugo, colour, dice, size):
    while True:
        vertex = f"{dice.choice(LETTERS[1 : size - 1])}{dice.randint(2, size - 1)}"
        try:
            gnugo.send(f"play {colour} {vertex}")
        except EngineError:
            continue
        return vertex


def each(states, points, out):
    """The features of every legal move of a state, and how many there are."""
    s = states[0]
    n = 0
    for i in range(s.empties):
        v = int(s.empty[i])
        if allowed(s, s.player + 1, v) and not eye(s, s.player + 1, v):
            features(s, v, out[n])
            points[n] = v
            n += 1
    return n


def rows(path, size=SIZE):
    """One entry per learned move: features of the legal moves, what each is worth, the game."""
    domain = Go(size)
    described = Rebinder(njit).function(domain.bind(each))
    out = np.zeros((size * size, len(GROUPS)), np.int64)
    points = np.zeros(size * size, np.int64)
    found = []
    begin, step = domain.interpret(clear), domain.interpret(move)
    for number, line in enumerate(Path(path).read_text().splitlines()):
        s = RecordProxy(np.zeros(1, domain.state))
        begin(s)
        for vertex, wanted in json.loads(line):
            v = to_point(vertex, size)
            if wanted and v != PASS:
                n = described(s._record, points, out)
                worth = dict(wanted)
                shares = np.array([worth.get(int(p), 0) for p in points[:n]], float)
                if n > 1 and shares.sum() > 0:
                    table = out[:n].copy()
                    table[:, 0] = shapes()[table[:, 0]]
                    found.append((table, shares / shares.sum(), number))
            step(s, v)
    return found


def fit(found, penalty, start=None, without=(), rounds=300, rate=0.05):
    """Gradient ascent with Adam on the log-probability of what was wanted."""
    lengths = np.array([len(table) for table, _, _ in found])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    index = np.concatenate([table for table, _, _ in found])
    target = np.concatenate([shares for _, shares, _ in found])
    start = np.zeros(COUNT) if start is None else start
    used = np.ones(COUNT)
    for name in without:
        used[OFFSET[name] : OFFSET[name] + GROUPS[name]] = 0
    weights = start.copy()
    first, second = np.zeros(COUNT), np.zeros(COUNT)
    for step in range(1, rounds + 1):
        error = target - softmax(weights[index].sum(axis=1), starts, lengths)
        gradient = -penalty * (weights - start)
        for column in range(index.shape[1]):
            gradient += used * np.bincount(index[:, column], error, COUNT)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        speed = rate * min(1.0, 3 * (rounds - step + 1) / rounds)
        weights += speed * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def softmax(x, starts, lengths):
    x = np.exp(x - np.repeat(np.maximum.reduceat(x, starts), lengths))
    return x / np.repeat(np.add.reduceat(x, starts), lengths)


def judged(weights, found):
    """Mean log-probability, and how often the best move comes first or among five."""
    ranks, logs = [], []
    for table, shares, _ in found:
        x = weights[table].sum(axis=1)
        ranks.append(int((x > x[shares.argmax()]).sum()))
        logs.append(shares @ (x - x.max() - np.log(np.exp(x - x.max()).sum())))
    ranks = np.array(ranks)
    return (
        f"{len(found)} moves, log {np.mean(logs):.3f}, first {np.mean(ranks == 0):.1%}, "
        f"top five {np.mean(ranks < 5):.1%}"
    )


def learn(gnu_go, search, large):
    """(weights for playouts, weights for the tree, the same on large boards)."""
    kept = {}
    for name, path in (("GNU Go", gnu_go), ("search", search)):
        found = rows(path)
        kept[name] = [f for f in found if f[2] % 10], [f for f in found if f[2] % 10 == 0]
    # playouts know the shape only: what these say has to be in it
    playout = fit(kept["GNU Go"][0], 2.0, without=("defence", "room", "links", "cuts"))
    base = fit(kept["GNU Go"][0], 2.0)
    prior = fit(kept["search"][0], 1.0, start=base)
    for title, weights in (("playout", playout), ("prior", prior)):
        for name, (_, held) in kept.items():
            print(f"{title} on {name}, held back: {judged(weights, held)}")
    found = rows(large, 19)
    wide = fit([f for f in found if f[2] % 10], 1.0, start=prior, without=("shape",))
    held = [f for f in found if f[2] % 10 == 0]
    print(f"prior on 19x19, held back: {judged(prior, held)}; learned there: {judged(wide, held)}")
    return playout, prior, wide


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("gnugo", "search"):
        make = commands.add_parser(name)
        make.add_argument("--out", required=True)
        make.add_argument("--games", type=int, default=300)
        make.add_argument("--seed", type=int, default=1)
        make.add_argument("--size", type=int, default=SIZE, help="of GNU Go's board")
        make.add_argument("--strength", type=int, help="GNU Go's level, or simulations a move")
    final = commands.add_parser("fit")
    final.add_argument("gnugo")
    final.add_argument("search")
    final.add_argument("large")
    chosen = parser.parse_args()
    if chosen.command != "fit":
        source, strength = (by_gnu_go, 4) if chosen.command == "gnugo" else (by_search, 1500)
        with Path(chosen.out).open("a") as out:
            how = {"size": chosen.size} if chosen.command == "gnugo" else {}
            for game in source(chosen.games, chosen.seed, chosen.strength or strength, **how):
                out.write(json.dumps(game) + "\n")
                out.flush()
        return
    playout, prior, wide = learn(chosen.gnugo, chosen.search, chosen.large)
    for name in list(GROUPS)[1:]:
        for weights in (prior, wide):
            part = weights[OFFSET[name] : OFFSET[name] + GROUPS[name]]
            print(f"{name:10}", " ".join(f"{w:.2f}" for w in part))
    used = np.unique(shapes())
    used = used[np.abs(playout[used]) + np.abs(prior[used]) > 0.005]
    np.savez_compressed(
        WEIGHTS,
        shapes=used.astype(np.uint16),
        playout=playout[used].astype(np.float16),
        prior=prior[used].astype(np.float16),
        others=prior[1 << 16 :].astype(np.float32),
        large=wide[1 << 16 :].astype(np.float32),
    )
    print(f"{len(used)} shapes, {WEIGHTS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
