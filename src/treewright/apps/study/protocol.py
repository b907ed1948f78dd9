"""Who plays what: eight variants in four pairs, in orders that balance out.

The paper's protocol after Pedersen et al. (2009): gaps, enemies and rewards are each high or low;
every participant plays all eight variants once, in four pairs; after each pair come the two
forced-choice questions.

Participants come in twos: the second plays the pairs of the first in the opposite order, so each
variant is played equally often as first (A) and as second (B).  The pairs of seven such twos are a
round robin: after 14 participants each of the 28 pairs was played twice, once in each order.
"""

import random
from dataclasses import dataclass

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.controls import Controls, rates
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import generate
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import LevelError
from treewright.apps.study.errors import StudyError
from treewright.kernel.rng import stream_seed

PAIRS = 4
ATTEMPTS = 3
TRIES = 3
PARAMETERS = ("gaps", "enemies", "rewards")

# gaps, enemies, rewards of the paper's variants 1 to 8; 1 is high
VARIANTS = (
    (0, 0, 0),
    (0, 0, 1),
    (1, 0, 0),
    (1, 0, 1),
    (1, 1, 0),
    (1, 1, 1),
    (0, 1, 0),
    (0, 1, 1),
)
SETTINGS = {0: (0.3, 0.7), 1: (1.3, 1.7)}  # low and high, as multiples of the corpus's rate


@dataclass(frozen=True)
class Slot:
    """One level that a participant plays."""

    pair: int  # 1 to 4
    side: str  # A or B
    variant: int  # 1 to 8


def assignment(number: int, seed: int = 0) -> list[Slot]:
    """The eight slots of participant ``number`` (from 0), in the order of play."""
    two = number // 2
    dice = random.Random(f"study {seed} two {two // 7}")
    names, rounds = list(range(1, 9)), list(range(7))
    dice.shuffle(names)
    dice.shuffle(rounds)
    pairs = [(names[a], names[b]) for a, b in _round(rounds[two % 7])]
    dice = random.Random(f"study {seed} {two}")
    pairs = [(a, b) if dice.random() < 0.5 else (b, a) for a, b in pairs]
    if number % 2:
        pairs = [(b, a) for a, b in pairs]
    random.Random(f"study {seed} order {number}").shuffle(pairs)
    return [
        Slot(i, side, variant)
        for i, pair in enumerate(pairs, 1)
        for side, variant in zip("AB", pair, strict=True)
    ]


def _round(number: int) -> list[tuple[int, int]]:
    """One of the seven rounds of a round robin between eight."""
    others = [((number + k) % 7, (number - k) % 7) for k in (1, 2, 3)]
    return [(7, number), *others]


def difference(a: int, b: int) -> tuple[int, int, int]:
    """Of two variants: 1 where A is high and B low, -1 the other way round, 0 if they agree."""
    gaps, enemies, rewards = (x - y for x, y in zip(VARIANTS[a - 1], VARIANTS[b - 1], strict=True))
    return gaps, enemies, rewards


def variant_controls(variant: int, length: int, chain: Chain) -> Controls:
    """The wishes for a level of this variant."""
    if not 1 <= variant <= len(VARIANTS):
        raise StudyError(f"variant {variant}: there are 1 to {len(VARIANTS)}")
    average = rates(chain.corpus)
    wished = {}
    for name, high in zip(PARAMETERS, VARIANTS[variant - 1], strict=True):
        low, most = (length * average[name] * factor for factor in SETTINGS[high])
        wished[name] = (float(int(low)), max(float(round(most)), 1.0))
    return Controls(length=length, **wished)  # type: ignore[arg-type]


def variant_domain(variant: int, length: int, chain: Chain) -> Levels:
    return Levels(chain, variant_controls(variant, length, chain))


def variant_level(domain: Levels, seed: int) -> tuple[Level, str]:
    """A generated level of a variant, and the wishes that it does not keep, in words.

    A chain that gets stuck is begun again a few times; a wish that is missed by a little is no
    reason to have no study.
    """
    for number in range(TRIES):
        try:
            made = generate(domain, stream_seed(seed, number) % 2**62)
        except LevelError as error:
            why = error
        else:
            return made.level, made.missed
    raise StudyError(f"no level of a variant could be made: {why}")
