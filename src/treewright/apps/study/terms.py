"""Terms of the models: differences of the parameters, experience, and products of them.

A difference is 1 where A is high and B low, -1 the other way round, 0 if they agree.  Experience
is 0 for a beginner, 1 for intermediate, 2 for an expert.  The paper does not print its coding; this
one agrees with the accuracy that it reports (docs/results/notes/study.md).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.apps.levels.player_model import experience_code
from treewright.apps.study.protocol import PARAMETERS

INTERACTIONS = ("gaps:enemies", "gaps:rewards", "enemies:rewards", "gaps:enemies:rewards")
WITH_EXPERIENCE = ("experience", *(f"experience:{p}" for p in PARAMETERS))
TERMS = (*PARAMETERS, *INTERACTIONS, *WITH_EXPERIENCE)


def value(term: str, row: Mapping[str, Any]) -> float:
    """A term for one pair."""
    product = 1.0
    for name in term.split(":"):
        product *= experience_code(row[name]) if name == "experience" else float(row[name])
    return product


def design(rows: Sequence[Mapping[str, Any]], terms: Sequence[str]) -> np.ndarray:
    """One column for each term."""
    return np.array([[value(term, row) for term in terms] for row in rows]).reshape(-1, len(terms))


def utility(coefficients: Mapping[str, float], row: Mapping[str, Any]) -> float:
    """The log odds for A."""
    return sum(c * value(term, row) for term, c in coefficients.items())
