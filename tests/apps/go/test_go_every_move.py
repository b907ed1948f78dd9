"""10,000 random games, every move compared with a board that knows nothing but flood fill.

Both are compiled, so that each position can be compared whole: stones, captures, the ko point,
which moves are legal, the liberties of every chain, and the score.
"""

from functools import partial

import numpy as np
import pytest
from numba import njit

from treewright.apps.go.board import allowed, area, clear, move, only_liberty
from treewright.apps.go.domain import Go
from treewright.kernel.compiling import INNER
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rebind import Rebinder

# ---------------------------------------------------------------- the slow, obvious board


@njit
def neighbours(size, at, out):
    row, column = at // size, at % size
    n = 0
    if row > 0:
        out[n] = at - size
        n += 1
    if row < size - 1:
        out[n] = at + size
        n += 1
    if column > 0:
        out[n] = at - 1
        n += 1
    if column < size - 1:
        out[n] = at + 1
        n += 1
    return n


@njit
def flood(size, board, at, seen):
    """Mark the region of one colour around a point; returns how many points it has."""
    seen[:] = False
    stack = np.empty(size * size, np.int64)
    near = np.empty(4, np.int64)
    stack[0] = at
    seen[at] = True
    top = count = 1
    while top > 0:
        top -= 1
        for i in range(neighbours(size, stack[top], near)):
            if board[near[i]] == board[at] and not seen[near[i]]:
                seen[near[i]] = True
                stack[top] = near[i]
                top += 1
                count += 1
    return count


@njit
def liberties(size, board, chain):
    """(distinct liberties, pairs of stone and liberty, the last liberty) of a chain."""
    free = np.zeros(size * size, np.bool_)
    near = np.empty(4, np.int64)
    pairs = 0
    for v in range(size * size):
        if chain[v]:
            for i in range(neighbours(size, v, near)):
                if board[near[i]] == 0:
                    pairs += 1
                    free[near[i]] = True
    last = -1
    distinct = 0
    for v in range(size * size):
        if free[v]:
            distinct += 1
            last = v
    return distinct, pairs, last


@njit
def breathes(size, board, at, chain):
    """Whether the chain at a point has any liberty; the chain is marked."""
    flood(size, board, at, chain)
    near = np.empty(4, np.int64)
    for v in range(size * size):
        if chain[v]:
            for i in range(neighbours(size, v, near)):
                if board[near[i]] == 0:
                    return True
    return False


@njit
def put(size, board, at, colour):
    """Play on a copy: (the new board, stones taken, where the last one was, legal)."""
    new = board.copy()
    new[at] = colour
    near = np.empty(4, np.int64)
    chain = np.empty(size * size, np.bool_)
    taken = 0
    where = -1
    for i in range(neighbours(size, at, near)):
        if new[near[i]] == 3 - colour and not breathes(size, new, near[i], chain):
            for v in range(size * size):
                if chain[v]:
                    new[v] = 0
                    taken += 1
                    where = v
    return new, taken, where, breathes(size, new, at, chain)


@njit
def area_of(size, board):
    """Black's area minus White's, region by region."""
    total = 0
    seen = np.zeros(size * size, np.bool_)
    done = np.zeros(size * size, np.bool_)
    near = np.zeros(4, np.int64)
    for at in range(size * size):
        if board[at] == 1:
            total += 1
        elif board[at] == 2:
            total -= 1
        elif not done[at]:
            count = flood(size, board, at, seen)
            black = False
            white = False
            for v in range(size * size):
                if seen[v]:
                    done[v] = True
                    for i in range(neighbours(size, v, near)):
                        black = black or board[near[i]] == 1
                        white = white or board[near[i]] == 2
            if black and not white:
                total += count
            elif white and not black:
                total -= count
    return total


# -------------------------------------------------------------------------- side by side


def comparer(size):
    """Plays games on both boards; returns (moves, captures) or minus the kind of difference."""
    domain = Go(size)
    WIDTH = size + 1
    POINTS = size * size

    def games(states, count, seed):
        np.random.seed(seed)
        moves = 0
        captures = 0
        choices, expected, only = np.zeros((3, POINTS), np.int64)
        met, chain = np.zeros((2, POINTS), np.bool_)
        for _ in range(count):
            states[1] = states[0]
            s = states[1]
            slow = np.zeros(POINTS, np.int64)
            ko = -1
            colour = 1
            passes = 0
            for _ in range(3 * POINTS):
                n = 0
                met[:] = False
                for at in range(POINTS):
                    v = (at // size + 1) * WIDTH + at % size + 1
                    if slow[at] != s.colour[v]:
                        return -1, at
                    if slow[at] != 0:
                        if not met[at]:
                            flood(size, slow, at, chain)
                            distinct, pairs, last = liberties(size, slow, chain)
                            point = (last // size + 1) * WIDTH + last % size + 1
                            for w in range(POINTS):
                                if chain[w]:
                                    met[w] = True
                                    expected[w] = pairs
                                    only[w] = point if distinct == 1 else 0
                        head = s.chain[v]
                        if s.liberties[head] != expected[at]:
                            return -2, at
                        if only_liberty(s, head) != only[at]:
                            return -3, at
                        continue
                    legal = at != ko and put(size, slow, at, colour)[3]
                    if legal != allowed(s, colour, v):
                        return -4, at
                    if legal:
                        choices[n] = at
                        n += 1
                if s.ko != (0 if ko < 0 else (ko // size + 1) * WIDTH + ko % size + 1):
                    return -5, ko
                states[2] = s  # scoring notes what it finds in unused fields
                if area(states[2]) != area_of(size, slow):
                    return -6, 0
                if n == 0 or np.random.randint(0, 40) == 0:
                    move(s, 0)
                    ko = -1
                    passes += 1
                    if passes == 2:
                        break
                else:
                    passes = 0
                    at = choices[np.random.randint(0, n)]
                    move(s, (at // size + 1) * WIDTH + at % size + 1)
                    lone = True  # of the stone that is about to be played
                    near = np.empty(4, np.int64)
                    slow, taken, where, _ = put(size, slow, at, colour)
                    for i in range(neighbours(size, at, near)):
                        lone = lone and slow[near[i]] != colour
                    flood(size, slow, at, chain)
                    one = liberties(size, slow, chain)[0] == 1
                    ko = where if taken == 1 and lone and one else -1
                    captures += taken
                colour = 3 - colour
                moves += 1
        return moves, captures

    inner = Rebinder(partial(njit, **INNER)).function(domain.bind(games))

    @njit
    def ready(states, count, seed):
        return inner(states, count, seed)

    states = np.zeros(3, domain.state)
    domain.interpret(clear)(RecordProxy(states[:1]))
    return lambda count, seed: ready(states, count, seed)


@pytest.mark.parametrize(("size", "games"), [(2, 2000), (3, 3000), (5, 4000), (9, 950), (13, 50)])
def test_every_move_of_random_games(size, games):
    moves, captures = comparer(size)(games, size)
    assert moves > 0, f"difference of kind {moves} at {captures}"
    assert captures > games / 2
