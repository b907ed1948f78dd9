"""What can go wrong, each as one clear sentence."""

import difflib
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LONGEST = 2_000  # characters of a message
MOST_NAMES = 40  # a longer list helps nobody


class TreewrightError(Exception):
    """The base of every error that Treewright raises on purpose."""

    def __str__(self) -> str:
        """The sentence; one that repeats a very long input is cut in the middle."""
        said = super().__str__()
        half = LONGEST // 2
        return said if len(said) <= LONGEST else f"{said[:half]} … {said[-half:]}"


class OptionError(TreewrightError, ValueError):
    """An option, a budget or an argument that can't be used."""


class DomainError(TreewrightError):
    """A domain that breaks the contract of :class:`treewright.Domain`."""


class CompileError(DomainError):
    """A domain function that Numba can't compile."""


class EvaluatorError(TreewrightError):
    """An evaluator that gave no usable answer."""


class TreeFileError(TreewrightError):
    """A saved search that can't be read, or that belongs to another domain."""


class MissingExtra(TreewrightError, ImportError):  # noqa: N818 - reads as what it is
    """An optional package that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'treewright[{extra}]'")


def given(settings: Mapping[str, Any]) -> str:
    """``with heap=21``, for a sentence about settings."""
    each = [f"{name}={value!r:.100}" for name, value in settings.items()]
    return "with " + (", ".join(each) or "its own settings")


def said(error: Exception) -> str:
    """What an exception of somebody's code says, and where it was raised, in one line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text} ({Path(last.filename).name}, line {last.lineno})"


def nearest(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for a misspelt name, or the list of what there is."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=2)
    if close:
        return "; did you mean " + " or ".join(repr(c) for c in close) + "?"
    if len(names) > MOST_NAMES:
        return ""
    return "; there is " + ", ".join(repr(n) for n in names) if names else ""
