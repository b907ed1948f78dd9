"""The threads of a commit one after the other; see ``pretended.py``."""

import numpy as np


def commits_here(pools, t, runs, draws, actions, codes, scratch, playing):
    for r in range(len(codes)):
        buffer = pools.buffer[:, r] if FAR_BUFFER else np.empty(ACTIONS, np.int32)
        commit_tree(r, buffer, pools, t, runs, draws, actions, codes, scratch, playing)
    return 0
