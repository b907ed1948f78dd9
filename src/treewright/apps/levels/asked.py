"""What the options of ``treewright level generate`` ask for, out of the text that was typed."""

from pathlib import Path
from typing import TYPE_CHECKING

from treewright.errors import OptionError

if TYPE_CHECKING:
    from treewright.apps.levels.level import Level


def numbers_of(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"{name} {text!r}: write a number, or several as 0.2,0.8") from None


def range_of(name: str, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, dots, high = text.partition("..")
    try:
        return float(low), float(high if dots else low)
    except ValueError:
        raise OptionError(f"{name} {text!r}: write it as 12 or 10..14") from None


def pieces_of(
    fix: list[str] | None,
    start: Path | None,
    goal: Path | None,
    vary: Path | None,
    keep: float | None,
    length: int | None,
    seed: int,
) -> tuple[tuple[tuple[int, "Level"], ...], int]:
    """The fixed pieces, and the level's length, which is the varied one's if there is one."""
    from treewright.apps.levels.controls import kept_parts
    from treewright.apps.levels.formats import read_level

    found: list[tuple[int, Level]] = []
    if keep is not None and vary is None:
        raise OptionError("--keep belongs to a level: --vary level.txt")
    if vary is not None:
        share = 0.5 if keep is None else keep
        if not 0 <= share <= 1:
            raise OptionError(f"--keep {share:g} must be between 0 and 1")
        level = read_level(vary)
        if length not in (None, level.length):
            raise OptionError(f"--length {length}: {vary} has {level.length} slices; leave it out")
        length = level.length
        found += kept_parts(level, share, seed)
    elif length is None:
        length = 320
    if start is not None:
        found.append((0, read_level(start)))
    for pair in fix or []:
        column, colon, name = pair.partition(":")
        if not (colon and name and column.isascii() and column.isdigit() and int(column) > 0):
            raise OptionError(f"--fix {pair!r}: write it as column:file, the first column is 1")
        found.append((int(column) - 1, read_level(Path(name))))
    if goal is not None:
        piece = read_level(goal)
        found.append((length - piece.length, piece))
    return tuple(found), length


def wishes_of(model: Path, experience: str | None, score: str | None) -> str:
    """The score of a player model, as an expression."""
    from dataclasses import replace

    from treewright.apps.levels.player_model import load_model

    if score is not None:
        raise OptionError("--player with a model is a score already; leave out --score")
    found = load_model(model)
    return (replace(found, experience=experience) if experience else found).expression()
