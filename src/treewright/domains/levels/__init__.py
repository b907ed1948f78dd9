"""Platformer levels from a Markov chain that MCTS keeps playable (Summerville et al. 2015)."""

from treewright.domains.levels.chain import Chain, learn
from treewright.domains.levels.check import check
from treewright.domains.levels.controls import Controls
from treewright.domains.levels.domain import Levels
from treewright.domains.levels.formats import read_corpus, read_level, write_level
from treewright.domains.levels.generate import generate, generate_many, own_chain, own_levels
from treewright.domains.levels.level import Level

__all__ = [
    "Chain",
    "Controls",
    "Level",
    "Levels",
    "check",
    "generate",
    "generate_many",
    "learn",
    "own_chain",
    "own_levels",
    "read_corpus",
    "read_level",
    "write_level",
]
