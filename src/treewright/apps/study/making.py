"""The levels of a new study, one by one, kept as they come so that a stop costs nothing.

Beside the study's file lies one with the levels made so far, a line for each; its first line says
what they are levels of.  The same command goes on from there, and removes it at the end.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import LevelError
from treewright.apps.study.protocol import VARIANTS, variant_domain, variant_level


@dataclass(frozen=True)
class Kept:
    """A level of a variant, and what it misses of the variant's wishes."""

    level: Level
    missed: str


def kept_beside(study: Path) -> Path:
    return study.with_name(study.name + ".levels")


def make_levels(
    study: Path,
    chain: Chain,
    length: int,
    copies: int,
    seed: int,
    progress: Callable[[int], object] | None = None,
) -> dict[int, list[Kept]]:
    """``copies`` levels of each variant; those that an earlier run has kept are taken over."""
    path = kept_beside(study)
    corpus = hashlib.sha256(repr((chain.slices, chain.levels)).encode()).hexdigest()[:16]
    asked = {"length": length, "copies": copies, "seed": seed, "corpus": corpus}
    found = _kept(path, asked)
    if not found:
        path.write_text(json.dumps(asked) + "\n")
    done = sum(map(len, found.values()))
    with path.open("a") as file:
        for variant in range(1, len(VARIANTS) + 1):
            have = found.setdefault(variant, [])
            if len(have) == copies:
                continue
            domain = variant_domain(variant, length, chain)
            for copy in range(len(have), copies):
                number = 1000 * seed + copies * (variant - 1) + copy
                level, missed = variant_level(domain, number)
                have.append(Kept(level, missed))
                row = {"variant": variant, "rows": level.rows, "missed": missed}
                file.write(json.dumps(row) + "\n")
                file.flush()
                done += 1
                if progress is not None:
                    progress(done)
    return found


def _kept(path: Path, asked: dict[str, Any]) -> dict[int, list[Kept]]:
    """What an earlier run of the same command has made; a line that is cut off is made again."""
    found: dict[int, list[Kept]] = {}
    try:
        first, *lines = path.read_text().splitlines()
        if json.loads(first) != asked:
            return {}
    except (OSError, ValueError, RecursionError):
        return {}
    for line in lines:
        try:
            row = json.loads(line)
            level = Level(tuple(row["rows"]))
            found.setdefault(int(row["variant"]), []).append(Kept(level, str(row["missed"])))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError, LevelError):
            break
    if sum(map(len, found.values())) < len(lines):  # write again without what can't be read
        rows = [
            json.dumps({"variant": variant, "rows": kept.level.rows, "missed": kept.missed})
            for variant, levels in found.items()
            for kept in levels
        ]
        path.write_text("\n".join([json.dumps(asked), *rows]) + "\n")
    return found
