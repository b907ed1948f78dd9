"""Playouts without a search: where a position leads to when it is simply played on."""

from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.rng import stream_seed
from treewright.library.domain import Domain
from treewright.library.program import Program


def final_states(domain: Domain, n: int, *, seed: int = 0, state: Any = None) -> np.ndarray:
    """The states at the end of ``n`` playouts, as one structured array.

    They begin at ``state`` (the start if not given) and follow the domain's ``rollout``, or
    choose uniformly if it has none; one that does not end is cut at ``max_length``.
    """
    if not domain.is_record:
        raise OptionError(f"final_states needs {domain.name} to keep its states in records")
    if not isinstance(n, int) or n < 1:
        raise OptionError(f"n must be a whole number, at least 1; not {n!r}")
    constants = {
        "HAS_ROLLOUT": domain.function("rollout") is not None,
        "HAS_CHANCE": domain.function("sample_chance") is not None,
        "MAX_LENGTH": domain.max_length,
    }
    text = Path(__file__).parent / "playouts_kernel.py"
    program = Program(domain, (text,), "play_out", constants)
    first = state if state is not None else domain.new_state()
    states = np.repeat(first._record, n)
    buffer = np.zeros(domain.max_actions + 1, np.int32)
    program.call(states, program.tables, np.array([stream_seed(seed, 0)], np.uint64), buffer)
    return states
