"""Transpositions and the solver: the same values, proven with fewer nodes?"""

import functools
import random
from typing import Any

from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.tictactoe import TicTacToe, name
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import bars
from treewright.workshop.experiments.summary import estimate, where

NAMES = {"tictactoe": "tic-tac-toe", "connect-four": "Connect Four, 26 stones"}
PARTS = 20  # cells that share out the positions of tic-tac-toe
LATE = 15  # positions of Connect Four in a cell
STONES = 26
SIMULATIONS = 3_000_000  # a tree needed more for two of 300 positions with 24 stones


@functools.cache
def tictactoe() -> list[str]:
    """The moves to each of the 4,520 positions of tic-tac-toe that have not ended."""
    met: set[tuple[int, int]] = set()
    found: list[str] = []
    waiting = [("", Position(TicTacToe()))]
    for moves, position in waiting:
        board = (position.state.mine, position.state.theirs)
        if position.ended or board in met:
            continue
        met.add(board)
        found.append(moves)
        for action in position.legal():
            after = position.copy()
            after.follow(action)
            waiting.append((f"{moves} {name(action)}", after))
    return found


def late(seed: int) -> list[str]:
    """Random positions of Connect Four that nobody has won."""
    dice = random.Random(seed)
    found: list[str] = []
    while len(found) < LATE:
        position, moves = Position(ConnectFour()), ""
        while not position.ended and len(moves) < STONES:
            action = dice.choice(position.legal())
            position.follow(action)
            moves += str(action + 1)
        if not position.ended:
            found.append(moves)
    return found


def run(settings: Settings, seed: int) -> Row:
    """Solve each position as a tree and as a graph."""
    domains: list[Domain]
    if settings["game"] == "tictactoe":
        domains = [TicTacToe(moves=moves) for moves in tictactoe()[seed % PARTS :: PARTS]]
    else:
        domains = [ConnectFour(moves=moves) for moves in late(seed)]
    nodes, size, same = {False: 0, True: 0}, {False: 0, True: 0}, 0
    for domain in domains:
        values = set()
        for shared in nodes:
            options = Options(solver=True, transpositions=shared)
            search = Search(domain, options, seed=seed, memory="256MiB")
            result = search.run(SIMULATIONS)
            values.add((result.stopped, result.value))
            nodes[shared] += result.nodes
            size[shared] += search.tree.nbytes
        same += len(values) == 1 and next(iter(values))[0] == "solved"
    return {
        "positions": len(domains),
        "same": same,
        "share": nodes[True] / nodes[False],
        "tree_nodes": nodes[False],
        "graph_nodes": nodes[True],
        "bytes": size[True] / size[False],
    }


def verdict(rows: Rows) -> Verdict:
    said, fewer = [], True
    for game, title in NAMES.items():
        mine = where(rows, game=game)
        if mine:
            total = {
                n: sum(int(r[n]) for r in mine)  # type: ignore[arg-type]
                for n in ("positions", "same", "tree_nodes", "graph_nodes")
            }
            said.append(
                f"{title}: the same value in {total['same']:,} of {total['positions']:,} "
                f"positions, with {total['graph_nodes'] / total['tree_nodes']:.0%} of the nodes "
                f"(in the worst of {len(mine)} cells "
                f"{max(float(r['share']) for r in mine):.0%})"  # type: ignore[arg-type]
            )
            fewer = fewer and estimate(MEASURE, mine).high < 1.0
    return judge(
        "; ".join(said),
        fewer and all(r["same"] == r["positions"] for r in rows),
        enough=len(said) == len(NAMES) and len(rows) >= 2 * PARTS,
    )


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, rows, axes, by="game")


MEASURE = Measure("share", "nodes, as a share of the tree's")
EXPERIMENT = Experiment(
    name="transpositions-solved",
    title="Transpositions: the solver with shared nodes",
    claim="Where equal states share one node, the solver proves the same values with fewer nodes.",
    source="general knowledge of the field; no published number for these positions",
    scales={
        "smoke": [Grid({"game": ["tictactoe"]}, seeds=1)],
        "laptop": [Grid({"game": list(NAMES)}, seeds=PARTS)],
        "paper": [Grid({"game": ["connect-four"]}, seeds=200), Grid({"game": list(NAMES)}, PARTS)],
    },
    run=run,
    measure=MEASURE,
    groups=("game",),
    verdict=verdict,
    draw=draw,
)
