"""Counting move sequences: the classical test of a move generator."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
from typing import Any

import numpy as np

from treewright.apps.go.board import CELLS, EMPTY, LARGEST, PASS, SMALLEST, allowed, clear, move
from treewright.apps.go.domain import Go
from treewright.errors import OptionError
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rebind import Rebinder


def perft(size: int, depth: int, suicide: bool = False) -> int:
    """How many sequences of ``depth`` moves there are from the empty board.

    Simple ko, no suicide unless asked for, the pass is a move, two passes end the game.
    """
    if not SMALLEST <= size <= LARGEST or depth < 0:
        raise OptionError(f"perft: size {SMALLEST} to {LARGEST} and a depth of at least 0")
    domain = Go(size, suicide=suicide)
    states = np.zeros(depth + 1, domain.state)
    domain.interpret(clear)(RecordProxy(states[:1]))
    return int(_counter(size, suicide)(states, np.zeros(depth + 1, np.int64), depth))


@functools.cache
def _counter(size: int, suicide: bool) -> Any:
    """The compiled count for one board size."""
    from numba import njit

    return Rebinder(njit).function(Go(size, suicide=suicide).bind(count))


def legal(s, v):
    return v == PASS or (s.colour[v] == EMPTY and allowed(s, s.player + 1, v))


def count(states, cursor, depth):
    """Depth first with a stack of states; the last level is counted, not played."""
    if depth == 0:
        return 1
    total = 0
    at = 0
    cursor[0] = 0
    while at >= 0:
        s = states[at]
        if s.passes >= 2:
            at -= 1
        elif at == depth - 1:
            for v in range(CELLS):
                if legal(s, v):
                    total += 1
            at -= 1
        else:
            v = cursor[at]
            while v < CELLS and not legal(s, v):
                v += 1
            if v == CELLS:
                at -= 1
            else:
                cursor[at] = v + 1
                states[at + 1] = s
                move(states[at + 1], v)
                at += 1
                cursor[at] = 0
    return total
