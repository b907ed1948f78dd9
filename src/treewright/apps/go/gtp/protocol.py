"""The Go Text Protocol, version 2: lines in, answers out.  What they mean is engine.py's."""

import re
from dataclasses import dataclass

from treewright.errors import TreewrightError


class Refused(TreewrightError):  # noqa: N818 - reads as what it is
    """The reason that follows the question mark of an answer."""


@dataclass(frozen=True)
class Command:
    """One line: an optional number, a name and arguments; ``rest`` is all of them as written.

    Names of files are taken from ``rest``, because they may hold spaces and the sign of a comment.
    """

    id: str
    name: str
    arguments: tuple[str, ...]
    rest: str = ""


def parse(line: str) -> Command | None:
    """A command, or None for a line that is empty or only a comment (GTP 2.5, 3.1)."""
    text = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line).replace("\t", " ")
    words = text.split("#", 1)[0].split()
    if not words:
        return None
    number = words.pop(0) if re.fullmatch(r"[0-9]+", words[0], re.ASCII) else ""
    if not words:
        return Command(number, "", ())
    rest = text.strip().removeprefix(number).lstrip().removeprefix(words[0]).strip()
    return Command(number, words[0], tuple(words[1:]), rest)


def answer(command: Command, text: str, ok: bool = True) -> str:
    """The answer to a command: an empty line ends it, so there is none inside."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    head = ("=" if ok else "?") + command.id
    return (head + " " + "\n".join(lines)).rstrip() + "\n\n"
