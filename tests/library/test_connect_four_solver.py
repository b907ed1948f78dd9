"""Connect Four: what the solver proves, against a brute-force search written here.

The brute force keeps its own board (a list of columns) and looks for four in a row the slow
way; it shares nothing with the domain's bitboards.
"""

import functools
import random

import pytest

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour

WIDTH, HEIGHT = 7, 6
OPTIONS = tw.Options(solver=True)


# ------------------------------------------------------------------------------- brute force


def wins(columns, column):
    """Whether the stone on top of a column makes four."""
    row = len(columns[column]) - 1
    stone = columns[column][row]
    for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            x, y = column + sign * dx, row + sign * dy
            while 0 <= x < WIDTH and 0 <= y < len(columns[x]) and columns[x][y] == stone:
                run += 1
                x, y = x + sign * dx, y + sign * dy
        if run >= 4:
            return True
    return False


def drop(columns, column, stone):
    return (*columns[:column], columns[column] + stone, *columns[column + 1 :])


def build(moves):
    """The columns after a string of columns 1 to 7, or None if the game ends on the way."""
    columns = ("",) * WIDTH
    for at, digit in enumerate(moves):
        columns = drop(columns, int(digit) - 1, "XO"[at % 2])
        if wins(columns, int(digit) - 1):
            return None
    return columns


@functools.cache
def value(columns, alpha=0.0, beta=1.0):
    """1, 0.5 or 0 for the player to move; alpha-beta, exact at the full window."""
    count = sum(map(len, columns))
    if count == WIDTH * HEIGHT:
        return 0.5
    stone = "XO"[count % 2]
    after = [(c, drop(columns, c, stone)) for c in ORDER if len(columns[c]) < HEIGHT]
    if any(wins(below, column) for column, below in after):
        return 1.0
    best = 0.0
    for _, below in after:
        best = max(best, 1.0 - value(below, 1.0 - beta, 1.0 - alpha))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


ORDER = (3, 2, 4, 1, 5, 0, 6)


def move_values(columns):
    """column -> true value of dropping there."""
    stone = "XO"[sum(map(len, columns)) % 2]
    found = {}
    for column in range(WIDTH):
        if len(columns[column]) < HEIGHT:
            below = drop(columns, column, stone)
            found[column] = 1.0 if wins(below, column) else 1.0 - value(below)
    return found


def winning_moves(columns, plies):
    """Columns with which the player to move forces four within so many plies."""
    stone = "XO"[sum(map(len, columns)) % 2]
    open_ = [c for c in ORDER if len(columns[c]) < HEIGHT]
    found = {c for c in open_ if wins(drop(columns, c, stone), c)}
    if plies < 3:
        return found
    for column in set(open_) - found:
        if loses(drop(columns, column, stone), plies - 1):
            found.add(column)
    return found


def loses(columns, plies):
    """Whether every reply of the player to move runs into a forced win."""
    stone = "XO"[sum(map(len, columns)) % 2]
    open_ = [c for c in ORDER if len(columns[c]) < HEIGHT]
    after = [(c, drop(columns, c, stone)) for c in open_]
    if not after or any(wins(below, c) for c, below in after):
        return False
    return all(winning_moves(below, plies - 1) for _, below in after)


def random_game(rng, stones):
    """A string of that many legal moves which nobody has won."""
    while True:
        moves = ""
        while len(moves) < stones:
            open_ = [c for c in range(WIDTH) if moves.count(str(c + 1)) < HEIGHT]
            moves += str(rng.choice(open_) + 1)
        if build(moves) is not None:
            return moves


def solve(moves, simulations=3_000_000, seed=0):
    search = tw.Search(ConnectFour(moves=moves), OPTIONS, seed=seed, memory="128MiB")
    return search.run(simulations=simulations)


# ------------------------------------------------------------------------------------- tests


def test_transpositions_prove_the_same_values_at_fewer_nodes():
    """A few late positions; 300 of them are in the experiment ``transpositions-solved``."""
    rng = random.Random(20)
    nodes = {False: 0, True: 0}
    for _ in range(12):
        moves = random_game(rng, 26)
        for shared in nodes:
            options = tw.Options(solver=True, transpositions=shared)
            search = tw.Search(ConnectFour(moves=moves), options, memory="64MiB")
            result = search.run(simulations=300_000)
            assert result.stopped == "solved"
            assert result.value == value(build(moves))
            nodes[shared] += result.nodes
    assert nodes[True] < 0.7 * nodes[False]


def test_brute_force_knows_a_few_positions_by_heart():
    assert build("1212121") is None  # four on the first column
    assert winning_moves(build("112233"), 1) == {3}
    nearly_full = "121212212121343434434343565656656565777777"[:-2]
    assert move_values(build(nearly_full)) == {6: 0.5}


@pytest.mark.parametrize(("fewest", "most", "count"), [(22, 25, 60), (26, 30, 160), (31, 38, 120)])
def test_late_positions_are_solved_and_agree(fewest, most, count):
    rng = random.Random(count + 1)
    outcomes = {0.0: 0, 0.5: 0, 1.0: 0}
    simulations = 0
    for _ in range(count):
        moves = random_game(rng, rng.randint(fewest, most))
        truth = move_values(build(moves))
        best = max(truth.values())
        result = solve(moves)
        assert result.stopped == "solved", moves
        assert truth[result.best] == best, moves
        visited = [child for child in result.children if child.visits]
        assert max(child.low for child in visited) == best, moves
        for child in visited:
            assert child.low <= truth[child.action] <= child.high, (moves, child)
            assert child.proven in (None, truth[child.action])
        if best < 1.0:  # a win is proven by one move, anything else by all of them
            assert len(visited) == len(truth), moves
            assert max(child.high for child in visited) == best, moves
        outcomes[best] += 1
        simulations += result.simulations
    print(f"{fewest}-{most} stones: {count} agree: {outcomes}, {simulations} simulations")
    assert outcomes[1.0] >= 5
    assert outcomes[0.0] >= 5


# name -> (moves so far, the columns that win, within how many plies)
WINS = {
    # O O O . . . .
    # X X X _ . . .
    "one, along the bottom": ("112233", {4}, 1),
    # _
    # X O . . . . .
    # X O . . . . .
    # X O . . . . .
    "one, upwards": ("121212", {1}, 1),
    # . . . _ . . .
    # . . X O . . .
    # . X O O . . .
    # X O O X . X .
    "one, on the diagonal": ("1223433464", {4}, 1),
    # . . O O . . .     an open three either way
    # . _ X X _ . .
    "three, by a double threat": ("3344", {2, 5}, 3),
}


@pytest.mark.parametrize("name", WINS)
def test_forced_wins_are_found(name):
    moves, columns, plies = WINS[name]
    assert winning_moves(build(moves), plies) == {c - 1 for c in columns}  # we drew it right
    result = solve(moves, 100_000)
    assert result.stopped == "solved"
    assert result.best + 1 in columns
    assert result.children[0].proven == 1.0


@pytest.mark.parametrize(
    ("moves", "block"),
    [
        ("11223", 4),  # X X X _ along the bottom
        ("12131", 1),  # three upwards
    ],
)
def test_what_must_be_blocked_is(moves, block):
    result = solve(moves, 30_000)
    assert result.best + 1 == block
    for child in result.children:
        assert (child.proven == 0.0) == (child.action + 1 != block)


def test_a_double_threat_is_known_to_be_lost():
    # . . O O . . .
    # _ X X X _ . .     O to move can stop one side only
    moves = "33442"
    assert loses(build(moves), 2)
    result = solve(moves, 100_000)
    assert result.stopped == "solved"
    assert {child.proven for child in result.children} == {0.0}


@pytest.mark.parametrize("plies", [3, 5])
def test_random_middle_games_with_a_forced_win(plies):
    rng = random.Random(plies)
    found = 0
    while found < 40:
        columns = build(moves := random_game(rng, rng.randint(12, 20)))
        if winning_moves(columns, plies - 2) or not winning_moves(columns, plies):
            continue
        found += 1
        result = solve(moves, 300_000)
        assert result.stopped == "solved", moves
        assert result.children[0].proven == 1.0, moves
        stone = "XO"[len(moves) % 2]
        quick = result.best in winning_moves(columns, plies)
        assert quick or loses(drop(columns, result.best, stone), 8), moves  # slower, but a win
