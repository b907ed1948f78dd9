"""Tic-tac-toe, every reachable position: does the chosen move keep the game's true value?

The minimax here knows nothing of Treewright's domain: a position is a string of nine cells.
"""

import functools

import pytest

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]
NAMES = [column + row for row in "321" for column in "abc"]
SIMULATIONS = 2000


def winner(board):
    for a, b, c in (map(int, line) for line in LINES):
        if board[a] != "." and board[a] == board[b] == board[c]:
            return board[a]
    return None


def free(board):
    return [cell for cell in range(9) if board[cell] == "."]


def ended(board):
    return winner(board) is not None or not free(board)


def after(board, cell):
    mark = "XO"[board.count("O") < board.count("X")]
    return board[:cell] + mark + board[cell + 1 :]


@functools.cache
def value(board):
    """1, 0.5 or 0 for the player to move."""
    if winner(board) is not None:
        return 0.0
    if not free(board):
        return 0.5
    return max(1 - value(after(board, cell)) for cell in free(board))


def reachable():
    """board -> the cells played to get there, in any one order that is legal."""
    found = {"." * 9: ()}
    waiting = list(found)
    for board in waiting:
        for cell in [] if ended(board) else free(board):
            below = after(board, cell)
            if below not in found:
                found[below] = (*found[board], cell)
                waiting.append(below)
    return found


REACHABLE = reachable()
POSITIONS = {board: cells for board, cells in REACHABLE.items() if not ended(board)}


def kept(board, move):
    return 1 - value(after(board, move)) == value(board)


def lines():
    """Games that visit every position once; the boards that are new come last in each."""
    left = set(POSITIONS)
    for cells in sorted(POSITIONS.values(), key=len, reverse=True):
        boards = [functools.reduce(after, cells[:n], "." * 9) for n in range(len(cells) + 1)]
        if boards[-1] in left:
            new = [board in left for board in boards]
            first = len(new) - new[::-1].index(False) if False in new else 0
            left -= set(boards[first:])
            yield cells, boards, first
    assert not left


def run_all(options):
    """(board, result) of every position; a search goes on with the next position of its line."""
    for cells, boards, first in lines():
        moves = " ".join(NAMES[cell] for cell in cells[:first])
        search = tw.Search(TicTacToe(moves=moves), options, memory="1MiB")
        for n, board in enumerate(boards[first:], first):
            if n > first:
                search.begin()  # nothing is carried from one position to the next
                search.commit(cells[n - 1])
            yield board, search.run(simulations=SIMULATIONS)


def test_the_positions_are_those_that_the_literature_counts():
    assert len(REACHABLE) == 5478
    assert len(POSITIONS) == 4520
    assert value("." * 9) == 0.5


def test_the_domain_agrees_on_every_position():
    def walk(board, position):
        seen.add(board)
        assert position.ended == ended(board)
        if ended(board):
            assert position.rewards()[1 - position.player] == 1 - value(board)  # the last mover
            return
        assert position.legal() == free(board)
        for cell in free(board):
            if after(board, cell) not in seen:
                below = position.copy()
                below.play(cell)
                assert below.player == 1 - position.player
                walk(after(board, cell), below)

    seen = set()
    walk("." * 9, tw.Position(TicTacToe()))
    assert len(seen) == 5478


def test_a_position_is_set_up_by_its_moves():
    for board, cells in list(POSITIONS.items())[::150]:
        position = tw.Position(TicTacToe(moves=" ".join(NAMES[cell] for cell in cells)))
        shown = "".join(line[2:].replace(" ", "") for line in position.render().split("\n")[:3])
        assert shown == board
        assert position.legal() == free(board)


def test_the_solver_keeps_the_true_value_everywhere():
    lost, wrong, solved, count = [], [], 0, 0
    for board, result in run_all(tw.Options(solver=True)):
        count += 1
        solved += result.stopped == "solved"
        if not kept(board, result.best):
            lost.append(board)
        for child in result.children:
            truth = 1 - value(after(board, child.action))
            if child.low is not None and not child.low <= truth <= child.high:
                wrong.append((board, child))
    print(f"solver: {1 - len(lost) / count:.2%} of {count} positions, {solved} of them solved")
    assert count == 4520
    assert not lost
    assert not wrong
    assert solved > 0.98 * count


def test_transpositions_prove_the_same_values_at_fewer_nodes():
    """Every twelfth position; all of them are in the experiment ``transpositions-solved``."""
    trees, graphs, count = 0, 0, 0
    for board, cells in list(POSITIONS.items())[5::12]:
        domain = TicTacToe(moves=" ".join(NAMES[cell] for cell in cells))
        for shared in (False, True):
            options = tw.Options(solver=True, transpositions=shared)
            result = tw.Search(domain, options, memory="1MiB").run(simulations=20_000)
            assert result.stopped == "solved"
            assert result.value == value(board)
            assert kept(board, result.best)
            trees, graphs = trees + (not shared) * result.nodes, graphs + shared * result.nodes
        count += 1
    print(f"{count} positions: {trees} nodes in trees, {graphs} in graphs")
    assert count == 377
    assert graphs < 0.7 * trees


def test_plain_uct_keeps_it_in_99_of_100():
    results = [kept(board, result.best) for board, result in run_all(None)]
    share = sum(results) / len(results)
    print(f"plain UCT: {share:.2%} of {len(results)} positions")
    assert len(results) == 4520
    assert share >= 0.99


@pytest.mark.parametrize(
    ("seed", "moves"), [(1, ".O....XXO"), (2, "..XO.X..O"), (3, "XXO....O."), (3, "..OO.X..X")]
)
def test_tictactoe_solved_but_loses(seed, moves):
    for s in range(60):
        cells = POSITIONS[moves]
        d = TicTacToe(moves=" ".join(NAMES[c] for c in cells))
        r = tw.Search(d, tw.Options(solver=True), seed=s, memory="1MiB").run(simulations=2000)
        assert kept(moves, r.best), (s, r.stopped, str(r.children))
