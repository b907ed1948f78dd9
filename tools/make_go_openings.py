"""Write the Go engine's openings: long searches of its own, breadth first from the empty board.

    python tools/make_go_openings.py --moves 4

Positions where the engine's Black is to move follow its own first move; those for White follow
every first move.  What the opponent may answer is what the priors or a short search think of.
Lines that the file has are not searched again.
"""

import argparse
from pathlib import Path

from treewright.apps.go.domain import Go
from treewright.apps.go.gtp import openings
from treewright.apps.go.gtp.player import SEARCHES
from treewright.apps.go.setup import to_point, to_vertex
from treewright.library.position import Position
from treewright.library.search import Search

FILE = Path(__file__).parents[1] / "src/treewright/apps/go/gtp/openings.txt"
OPTIONS, SETTINGS = SEARCHES["default"]
LONG, LATER, SHORT = 300_000, 100_000, 20_000
LIKELY, MOST, TRIED = 0.8, 8, 4  # answers by their priors, at most so many; by their visits


def searched(moves, simulations):
    domain = Go(openings.SIZE, moves=" ".join(moves), **SETTINGS)
    return Search(domain, OPTIONS, memory="2GiB").run(simulations=simulations).children


def best(moves):
    return searched(moves, LONG if len(moves) < 3 else LATER)[0].label


def replies(moves):
    """What an opponent may play: any sound first move, then what looks likely."""
    if len(moves) < 2:
        return [
            to_vertex(row * 10 + column, openings.SIZE)
            for row in range(2, 9)
            for column in range(2, 9)
            if to_vertex(row * 10 + column, openings.SIZE) not in moves
        ]
    position = Position(Go(openings.SIZE, moves=" ".join(moves)))
    weights = {position.describe(a): position.weight(a) for a in position.legal() if a}
    total = sum(weights.values())
    found, share = [], 0.0
    for label in sorted(weights, key=weights.get, reverse=True)[:MOST]:
        found.append(label)
        share += weights[label] / total
        if share > LIKELY:
            break
    return found + [c.label for c in searched(moves, SHORT)[:TRIED] if c.label not in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=4, help="the longest line's, but the answer")
    deepest = parser.parse_args().moves
    lines = {}
    if FILE.exists():
        for line in FILE.read_text().splitlines():
            *moves, answer = line.split()
            lines[tuple(moves)] = answer
    seen = set()
    levels = {0: [()], 1: [(vertex,) for vertex in replies(())]}  # to answer as Black, as White
    with FILE.open("a") as file:
        for count in range(deepest + 1):
            for moves in levels[count]:
                alike = openings.keys([to_point(vertex, openings.SIZE) for vertex in moves])
                if alike[0] in seen:
                    continue
                seen.update(alike)
                if moves not in lines:
                    lines[moves] = best(moves)
                    file.write(" ".join([*moves, lines[moves]]) + "\n")
                    file.flush()
                if count + 2 <= deepest:
                    answered = (*moves, lines[moves])
                    more = [(*answered, reply) for reply in replies(answered)]
                    levels.setdefault(count + 2, []).extend(more)
    print(len(lines), "lines")


if __name__ == "__main__":
    main()
