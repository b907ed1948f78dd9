"""Levels that the tests of the study share."""

import pytest

from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import generate, own_chain


@pytest.fixture(scope="session")
def levels():
    """Generated levels of three difficulties."""
    return [
        generate(Levels(own_chain(), Controls(length=160, difficulty=(d,))), seed=seed).level
        for d in (0.1, 0.5, 0.9)
        for seed in range(2)
    ]
