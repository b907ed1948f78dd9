"""What to compare against: the same domains, other ways to search them."""

from treewright.library.baselines.determinised import DeterminisedUCT
from treewright.library.baselines.flat import FlatMonteCarlo
from treewright.library.baselines.playouts import final_states
from treewright.library.baselines.simple import greedy_action, random_action
from treewright.library.baselines.systematic import Found, best_first, breadth_first, depth_first

__all__ = [
    "DeterminisedUCT",
    "FlatMonteCarlo",
    "Found",
    "best_first",
    "breadth_first",
    "depth_first",
    "final_states",
    "greedy_action",
    "random_action",
]
