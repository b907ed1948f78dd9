"""A model of a player, or of a designer's taste, as a score for the generator.

A model says by how much one level is liked (or found hard) more than another: a sum of terms, each
a product of quantities.  A quantity of a level is its count per slice, scaled so that the study's
low setting is -1/2 and its high one 1/2, and held there outside: what nobody has played is
not preferred to what somebody has.  A level's value is its log odds against the middle.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treewright.apps.levels.controls import counts
from treewright.apps.levels.level import Level
from treewright.apps.levels.score import QUANTITIES, Score, from_expression
from treewright.apps.levels.tiles import LevelError
from treewright.errors import nearest
from treewright.library.reading import json_of, text_of
from treewright.library.writing import write_whole

FORMAT = "treewright-player-model-1"
EXPERIENCE = ("beginner", "intermediate", "expert")
STRENGTH = 6.0
NEGLIGIBLE = 1e-9


def experience_code(word: str) -> float:
    """0 for a beginner, 1 for intermediate, 2 for an expert."""
    if word not in EXPERIENCE:
        raise LevelError(f"experience {word!r}: it is one of {', '.join(EXPERIENCE)}")
    return float(EXPERIENCE.index(word))


@dataclass(frozen=True)
class PlayerModel:
    """``terms`` are coefficients of products such as ``gaps`` or ``experience:rewards``.

    ranges: for each quantity the counts per slice (for ``height``: rows) at -1/2 and at 1/2.
    """

    kind: str  # challenge, preference or taste
    terms: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    experience: str = "intermediate"
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        experience_code(self.experience)
        for name, (low, high) in self.ranges.items():
            if not low < high:
                raise LevelError(f"the range of {name} is empty: {low:g} to {high:g}")
        known = [*self.ranges, "experience"]
        for term in self.terms:
            for name in term.split(":"):
                if name not in known:
                    raise LevelError(f"the term {term!r}: no {name!r}{nearest(name, known)}")

    def value(self, level: Level) -> float:
        """The log odds that this level is chosen against one in the middle of the study's."""
        have = counts(level)
        return self.of_counts({k: have[k] / _unit(k, level.length) for k in self.ranges})

    def of_counts(self, rates: Mapping[str, float]) -> float:
        """The same from counts per slice."""
        scaled = {}
        for name, (low, high) in self.ranges.items():
            scaled[name] = min(max((rates[name] - low) / (high - low), 0.0), 1.0) - 0.5
        scaled["experience"] = experience_code(self.experience)
        total = 0.0
        for term, coefficient in self.terms.items():
            for name in term.split(":"):
                coefficient *= scaled[name]
            total += coefficient
        return total

    def expression(self) -> str:
        """The same, up to a factor, as a score for the generator; counts are those so far.

        The generator takes the chain's own move unless another is clearly better, so the scale of a
        score says how strongly it steers.  All models steer alike: the best level that the terms
        allow is worth about ``STRENGTH``, whatever the size of the odds ratios.
        """
        parts = []
        most = 0.0
        for term, coefficient in self.terms.items():
            factors = []
            for name in term.split(":"):
                if name == "experience":
                    coefficient *= experience_code(self.experience)
                else:
                    factors.append(self._scaled(name))
            if factors and abs(coefficient) > NEGLIGIBLE:  # others are the same for every level
                most += abs(coefficient) * 0.5 ** len(factors)
                parts.append(" * ".join([f"({coefficient!r})", *factors]))
        return f"{STRENGTH / most!r} * ({' + '.join(parts)})" if parts else "0 * gaps"

    def _scaled(self, name: str) -> str:
        low, high = self.ranges[name]
        rate = name if name == "height" else f"{name} / max(columns, 1)"
        return f"(min(max(({rate} - {low!r}) / {high - low!r}, 0.0), 1.0) - 0.5)"

    def score(self) -> Score:
        """For ``Controls(score=…)``."""
        return from_expression(self.expression())

    def save(self, path: Path) -> None:
        data = {
            "format": FORMAT,
            "kind": self.kind,
            "experience": self.experience,
            "terms": self.terms,
            "ranges": {name: list(ends) for name, ends in self.ranges.items()},
            "about": self.about,
        }
        write_whole(path, json.dumps(data, indent=2) + "\n", LevelError)


def _unit(name: str, length: int) -> float:
    return 1.0 if name == "height" else float(length)


def load_model(path: Path) -> PlayerModel:
    """Read a model; an error names the file and the key that is wrong."""
    data = json_of(text_of(path, LevelError), str(path), LevelError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LevelError(f"{path} is no player model: 'format' must be {FORMAT!r}")
    terms, ranges = data.get("terms"), data.get("ranges")
    if not isinstance(terms, dict) or not all(_number(v) for v in terms.values()):
        raise LevelError(f"{path}: 'terms' must be an object of numbers")
    if not isinstance(ranges, dict) or not all(
        k in QUANTITIES and isinstance(v, list) and len(v) == 2 and all(map(_number, v))
        for k, v in ranges.items()
    ):
        raise LevelError(f"{path}: 'ranges' must give [low, high] for some of {QUANTITIES}")
    experience = data.get("experience", "intermediate")
    if experience not in EXPERIENCE:
        raise LevelError(f"{path}: 'experience' must be one of {', '.join(EXPERIENCE)}")
    about = data.get("about", {})
    ends = {name: (float(low), float(high)) for name, (low, high) in ranges.items()}
    try:
        return PlayerModel(str(data.get("kind", "")), dict(terms), ends, experience, about)
    except LevelError as error:
        raise LevelError(f"{path}: {error}") from None


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e6
