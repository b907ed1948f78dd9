"""Random numbers for authors: ``below``, ``uniform``, ``normal``, ``gamma`` and ``bits``.

They work on the ``rng`` argument that the kernel hands to ``rollout``, to
``sample_chance`` and to rules, in both engines.  ``stream(seed)`` makes one by hand, for tests.
"""

from typing import Any

from treewright.kernel.rng import below, bits, gamma, normal, stream_seed, uniform

__all__ = ["below", "bits", "gamma", "normal", "stream", "uniform"]


def stream(seed: int = 0) -> Any:
    """A stream for calling a domain's functions directly, without a search."""
    import numpy as np

    from treewright.kernel.interpreted import Cells

    return Cells(np.array([stream_seed(seed)], np.uint64))
