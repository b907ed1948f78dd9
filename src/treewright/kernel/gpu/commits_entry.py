"""The entry of a commit on a GPU; executed behind ``commits_thread.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numba import cuda
from numpy import int32


def commits_there(pools, t, runs, draws, actions, codes, scratch, playing):
    """A thread for each tree."""
    r = cuda.grid(1)
    if r >= codes.shape[0]:
        return
    if FAR_BUFFER:
        buffer = pools.buffer[:, r]
    else:
        buffer = cuda.local.array(ACTIONS, int32)
    commit_tree(r, buffer, pools, t, runs, draws, actions, codes, scratch, playing)
