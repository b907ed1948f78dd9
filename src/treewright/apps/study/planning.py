"""Before a study: how many participants are enough to see an effect?

An effect is an odds ratio: by how much the odds for a level rise where it has many gaps (enemies,
rewards) and the other one few.  The plan's pairs are known, so the information that a participant
brings is known too, and with it the standard error of each estimate.  What that promises is tried
out: whole studies are answered at random from these odds and fitted (by Firth's likelihood, with a
Wald test), and the share in which the effect is seen is the power.  Answers of one person are taken
as independent of each other; if they are not, more people are needed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from treewright.apps.study.analysis import firth
from treewright.apps.study.errors import StudyError
from treewright.apps.study.protocol import PAIRS, PARAMETERS, VARIANTS, assignment, difference

LEVEL = 0.05
MOST = 100_000  # participants that are counted at all


@dataclass(frozen=True)
class Need:
    """What one effect asks for."""

    name: str
    odds: float
    participants: int  # for the power that was asked for
    power: float  # with the participants of this plan, by trying it out


def pairs_of(participants: int, seed: int = 0) -> np.ndarray:
    """[pair, parameter]: the differences that a plan shows."""
    rows = []
    for number in range(participants):
        slots = assignment(number, seed)
        rows += [difference(slots[2 * i].variant, slots[2 * i + 1].variant) for i in range(PAIRS)]
    return np.array(rows, float)


def information(beta: np.ndarray) -> np.ndarray:
    """Of one pair, on average over all pairs of variants, with a constant."""
    count = len(VARIANTS)
    rows = [difference(a, b) for a in range(1, count + 1) for b in range(1, count + 1) if a != b]
    x = np.column_stack([np.ones(len(rows)), np.array(rows, float)])
    p = 1.0 / (1.0 + np.exp(-(x[:, 1:] @ beta)))
    found: np.ndarray = (x * (p * (1.0 - p))[:, None]).T @ x / len(rows)
    return found


def participants_for(beta: np.ndarray, power: float) -> list[int]:
    """For each effect: an even number, since participants come in twos."""
    variance = np.diag(np.linalg.inv(information(beta)))[1:]
    z = NormalDist().inv_cdf(1.0 - LEVEL / 2.0) + NormalDist().inv_cdf(power)
    found = []
    for b, v in zip(beta, variance, strict=True):
        people = MOST if b == 0.0 else min(MOST, z * z * v / (b * b) / PAIRS)
        found.append(2 * math.ceil(people / 2))
    return found


def power_of(beta: np.ndarray, participants: int, studies: int, seed: int = 0) -> np.ndarray:
    """The share of simulated studies in which each effect is significant, in its direction."""
    dice = np.random.default_rng(seed)
    x = pairs_of(participants, seed)
    full = np.column_stack([np.ones(len(x)), x])
    p = 1.0 / (1.0 + np.exp(-(x @ beta)))
    bound = NormalDist().inv_cdf(1.0 - LEVEL / 2.0)
    seen = np.zeros(len(beta))
    for _ in range(studies):
        y = (dice.random(len(x)) < p).astype(float)
        found = firth(full, y)
        q = 1.0 / (1.0 + np.exp(-(full @ found)))
        covariance = np.linalg.pinv((full * (q * (1.0 - q))[:, None]).T @ full)
        z = found[1:] / np.sqrt(np.maximum(np.diag(covariance)[1:], 1e-12))
        seen += (abs(z) > bound) & (np.sign(z) == np.sign(beta))
    return seen / studies


def plan(
    odds: Mapping[str, float],
    power: float,
    participants: int | None = None,
    studies: int = 400,
    seed: int = 0,
) -> tuple[int, list[Need]]:
    """How many participants, and what each effect needs; ``participants`` may be given."""
    for name, value in odds.items():
        if not 0.01 <= value <= 100.0:
            raise StudyError(f"{name}: an odds ratio of {value:g}; it is from 0.01 to 100")
    wanted = [name for name in PARAMETERS if odds.get(name, 1.0) != 1.0]
    if not wanted:
        raise StudyError("name an effect to be seen, such as --gaps 2: odds ratios of 1 are none")
    beta = np.log([odds.get(name, 1.0) for name in PARAMETERS])
    needs = dict(zip(PARAMETERS, participants_for(beta, power), strict=True))
    people = participants or min(MOST, max(needs[name] for name in wanted))
    if people > 2000:
        studies = max(20, studies * 2000 // people)
    seen = dict(zip(PARAMETERS, power_of(beta, people, studies, seed), strict=True))
    return people, [Need(n, odds[n], needs[n], float(seen[n])) for n in wanted]
