"""What to compare against: the same domains, other ways to search them."""

from treewright.baselines.flat import FlatMonteCarlo
from treewright.baselines.playouts import final_states
from treewright.baselines.simple import greedy_action, random_action
from treewright.baselines.systematic import (
    Found,
    best_first,
    breadth_first,
    depth_first,
)

__all__ = [
    "FlatMonteCarlo",
    "Found",
    "best_first",
    "breadth_first",
    "depth_first",
    "final_states",
    "greedy_action",
    "random_action",
]
