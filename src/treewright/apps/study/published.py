"""The paper's own tables: odds ratios with their direction, accuracy and kappa.

A term is a product of names joined by ``:``; the direction is in the sign of the log odds ratio.
"""

from dataclasses import dataclass
from math import log


@dataclass(frozen=True)
class Published:
    """One of the paper's models."""

    odds: dict[str, tuple[float, int]]  # odds ratio, direction
    accuracy: float
    kappa: float

    @property
    def coefficients(self) -> dict[str, float]:
        return {term: sign * log(odds) for term, (odds, sign) in self.odds.items()}


CHALLENGE = Published(
    {"gaps": (7.91, 1), "enemies": (1.80, 1), "experience:gaps": (2.22, -1)}, 0.7266, 0.45
)
PREFERENCE = Published(
    {
        "rewards": (1.35, 1),
        "experience:rewards": (3.71, -1),
        "gaps": (1.72, -1),
        "experience:enemies": (1.37, -1),
    },
    0.6407,
    0.28,
)
# the paper's text speaks of seven features, its table has eight
PLAYER_EXPERIENCE = Published(
    {
        "jumps": (1.08, 1),
        "time_left": (1.03, 1),
        "aimless_jumps": (1.04, -1),
        "kills_shell": (3.41, 1),
        "time_large": (1.04, 1),
        "total_enemies": (1.04, 1),
        "kills_green_turtle": (1.64, -1),
        "kills_bullet": (1.42, 1),
    },
    0.7031,
    0.41,
)
MODELS = {"challenge": CHALLENGE, "preference": PREFERENCE, "experience": PLAYER_EXPERIENCE}
