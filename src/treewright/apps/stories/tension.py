"""Tension: how tense a moment is, by the library, and the curve that a set-up wishes for.

A library's ``tension`` is a whole number, such as how many are at each other's throats.  A set-up's
``[tension]`` has the values that it should have from the first moment to the last, with straight
lines between them.  The score of a story is multiplied by how well it goes with that.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.apps.stories.source import Source
from treewright.errors import nearest

if TYPE_CHECKING:
    from treewright.apps.stories.setup import Setup

MOST_POINTS = 20
LARGEST = 100


@dataclass(frozen=True)
class Wish:
    """The curve, and how much of the score depends on it."""

    curve: tuple[float, ...]
    weight: float

    @property
    def height(self) -> float:
        """What is as far off as can be."""
        return max(1.0, max(self.curve) - min(self.curve))

    def wished(self, moment: int, last: int) -> float:
        """The value at a moment, if the story ends with the last one."""
        at = moment * (len(self.curve) - 1) / max(1, last)
        k = min(int(at), len(self.curve) - 2)
        return self.curve[k] + (at - k) * (self.curve[k + 1] - self.curve[k])

    def fit(self, felt: tuple[int, ...]) -> float:
        """1 if a story is as tense as is wished at every moment; less by the weight at most."""
        last = len(felt) - 1
        off = sum(
            min(1.0, abs(value - self.wished(i, last)) / self.height)
            for i, value in enumerate(felt)
        )
        return 1.0 - self.weight * off / len(felt)


def read_wish(setup: "Setup") -> Wish | None:
    """What a set-up wishes; None if it says nothing."""
    source = setup.source
    given = source.data.get("tension")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise source.error("write [tension], and below it curve = [0, 3, 1]", "tension")
    for key in given:
        if key not in ("curve", "weight"):
            others = nearest(key, ("curve", "weight"))
            raise source.error(f"{key!r} is unknown here{others}", "tension", key)
    if setup.library.tension is None:
        raise source.error(
            f"the library {setup.library.name} does not say what tension is", "tension"
        )
    if setup.minds is not None:
        raise source.error("a set-up has motives or a wish for tension, not both yet", "tension")
    weight = given.get("weight", 0.3)
    if not _is_number(weight) or not 0 < weight <= 1:
        raise source.error(f"weight is above 0 and at most 1, not {weight!r}", "tension", "weight")
    return Wish(_curve(source, given.get("curve")), float(weight))


def _curve(source: Source, given: Any) -> tuple[float, ...]:
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_POINTS:
        raise source.error(
            f"curve is a list of 2 to {MOST_POINTS} numbers, from the beginning to the end",
            "tension",
            "curve",
        )
    for i, value in enumerate(given):
        if not _is_number(value) or not -LARGEST <= value <= LARGEST:
            raise source.error(
                f"a point lies between -{LARGEST} and {LARGEST}, not {value!r}",
                "tension", "curve", i,
            )  # fmt: skip
    return tuple(float(value) for value in given)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
