"""Fit the weights of the Go prior to games that GNU Go plays against itself.

    python tools/learn_go_prior.py games --out games.jsonl --games 300   # needs gnugo
    python tools/learn_go_prior.py fit games.jsonl                       # writes weights.npz

Each game begins with a few random moves and has some in the middle, so that no two are alike;
those are not learned from.  The weights maximise the probability of the moves played, which is
exp(strength) over the sum of it for all legal moves (Coulom 2007), less a penalty on their
squares.  A tenth of the games is held back to measure with.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
from numba import njit

from treewright.domains.go import to_point
from treewright.domains.go.board import PASS, layout, rules
from treewright.domains.go.features import COUNT, GROUPS, OFFSET, make_features, shapes
from treewright.domains.go.setup import LETTERS
from treewright.gtp.client import Client, EngineError
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rebind import Rebinder

SIZE = 9
WEIGHTS = Path(__file__).parents[1] / "src/treewright/domains/go/weights.npz"


def play(games, seed, level):
    """Games as lists of (vertex, whether GNU Go chose it)."""
    command = ["gnugo", "--mode", "gtp", "--level", str(level), "--chinese-rules"]
    with Client([*command, "--seed", str(seed + 1)]) as gnugo:
        for number in range(games):
            yield one_game(gnugo, random.Random(seed * 100_000 + number))


def one_game(gnugo, dice):
    for line in (f"boardsize {SIZE}", "clear_board", "komi 7.5"):
        gnugo.send(line)
    moves = []
    opening = dice.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6])
    while len(moves) < 120 and [v for v, _ in moves[-2:]] != ["PASS", "PASS"]:
        colour = "bw"[len(moves) % 2]
        if len(moves) < opening or (dice.random() < 0.06 and len(moves) < 40):
            vertex = random_move(gnugo, colour, dice)
            moves.append((vertex, 0))
        else:
            vertex = gnugo.send(f"genmove {colour}")
            if vertex == "resign":
                break
            moves.append((vertex, 1))
    return moves


def random_move(gnugo, colour, dice):
    while True:
        vertex = f"{dice.choice(LETTERS[1 : SIZE - 1])}{dice.randint(2, SIZE - 1)}"
        try:
            gnugo.send(f"play {colour} {vertex}")
        except EngineError:
            continue
        return vertex


def describe():
    """Compiled: the features of every legal move of a state, and how many there are."""
    board = rules(SIZE)
    features = make_features(board).features
    eye, allowed = board.eye, board.allowed

    def each(states, points, out):
        s = states[0]
        n = 0
        for i in range(s.empties):
            v = int(s.empty[i])
            if allowed(s, s.player + 1, v) and not eye(s, s.player + 1, v):
                features(s, v, out[n])
                points[n] = v
                n += 1
        return n

    return Rebinder(njit).function(each)


def rows(path):
    """One entry per learned move: features of the legal moves, and which was played."""
    each = describe()
    out = np.zeros((SIZE * SIZE, len(GROUPS)), np.int64)
    points = np.zeros(SIZE * SIZE, np.int64)
    found, games = [], []
    board, slow = rules(SIZE), Rebinder(None)
    clear, move = slow.function(board.clear), slow.function(board.move)
    shape = shapes()
    for number, line in enumerate(Path(path).read_text().splitlines()):
        s = RecordProxy(np.zeros(1, layout(SIZE)))
        clear(s)
        for vertex, learned in json.loads(line):
            if vertex == "resign":
                break
            v = to_point(vertex, SIZE)
            if learned and v != PASS:
                n = each(s._record, points, out)
                where = np.flatnonzero(points[:n] == v)
                if len(where) and n > 1:
                    table = out[:n].copy()
                    table[:, 0] = shape[table[:, 0]]
                    # the move that was played goes first
                    table[[0, where[0]]] = table[[where[0], 0]]
                    found.append(table)
                    games.append(number)
            move(s, v)
    return found, np.array(games)


def fit(found, penalty, rounds=300, rate=0.05):
    """Gradient ascent with Adam on the log-probability of the played moves."""
    lengths = np.array([len(table) for table in found])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    index = np.concatenate(found)
    weights = np.zeros(COUNT)
    first, second = np.zeros(COUNT), np.zeros(COUNT)
    target = np.zeros(len(index))
    target[starts] = 1.0
    for step in range(1, rounds + 1):
        p = softmax(weights[index].sum(axis=1), starts, lengths)
        error = target - p
        gradient = -penalty * weights
        for column in range(index.shape[1]):
            gradient += np.bincount(index[:, column], error, COUNT)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        speed = rate * min(1.0, 3 * (rounds - step + 1) / rounds)
        weights += speed * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def softmax(x, starts, lengths):
    x = np.exp(x - np.repeat(np.maximum.reduceat(x, starts), lengths))
    return x / np.repeat(np.add.reduceat(x, starts), lengths)


def judged(weights, found):
    """Mean log-probability, and how often the played move comes first or among five."""
    ranks, logs = [], []
    for table in found:
        x = weights[table].sum(axis=1)
        ranks.append(int((x > x[0]).sum()))
        logs.append(x[0] - x.max() - np.log(np.exp(x - x.max()).sum()))
    ranks = np.array(ranks)
    return np.mean(logs), np.mean(ranks == 0), np.mean(ranks < 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("games")
    make.add_argument("--out", required=True)
    make.add_argument("--games", type=int, default=300)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--level", type=int, default=4)
    learn = commands.add_parser("fit")
    learn.add_argument("file")
    learn.add_argument("--penalty", type=float, default=2.0)
    chosen = parser.parse_args()
    if chosen.command == "games":
        with Path(chosen.out).open("a") as out:
            for game in play(chosen.games, chosen.seed, chosen.level):
                out.write(json.dumps(game) + "\n")
                out.flush()
        return
    found, games = rows(chosen.file)
    held = games % 10 == 0
    learned = [t for t, h in zip(found, held, strict=True) if not h]
    weights = fit(learned, chosen.penalty)
    for name, part in (
        ("learned", learned),
        ("held back", [t for t, h in zip(found, held, strict=True) if h]),
    ):
        log, first, five = judged(weights, part)
        print(f"{name}: {len(part)} moves, log {log:.3f}, first {first:.1%}, top five {five:.1%}")
    for name in list(GROUPS)[1:]:
        part = weights[OFFSET[name] : OFFSET[name] + GROUPS[name]]
        print(f"{name:10}", " ".join(f"{w:.2f}" for w in part))
    used = np.unique(shapes())
    used = used[np.abs(weights[used]) > 0.005]
    np.savez_compressed(
        WEIGHTS,
        shapes=used.astype(np.uint16),
        shape_weights=weights[used].astype(np.float16),
        others=weights[1 << 16 :].astype(np.float32),
    )
    print(f"{len(used)} shapes, {WEIGHTS.stat().st_size} bytes")


if __name__ == "__main__":
    main()
