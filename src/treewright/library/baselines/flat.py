"""Flat Monte Carlo: rollouts from each action, no tree."""

from pathlib import Path

from treewright.kernel.worker import Worker
from treewright.library.search import Search


class _FlatWorker(Worker):
    texts = (*Worker.texts, Path(__file__).parent / "flat_kernel.py")
    entry = "flat"


class FlatMonteCarlo(Search):
    """Every action at the root gets the same number of rollouts; the best mean is played.

    It takes the same arguments as :class:`treewright.Search`; of the options, those of the
    rollout apply.
    """

    _worker_type = _FlatWorker
    _choose = "value"
