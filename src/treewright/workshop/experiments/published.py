"""The reports that come with us: in a checkout under ``docs/results``, else where data belongs."""

import re
import sysconfig
from pathlib import Path

import treewright

PLACES = (
    Path(treewright.__file__).parents[2] / "docs" / "results",
    Path(sysconfig.get_path("data")) / "share" / "treewright" / "results",
)
NAME = re.compile(r"[a-z0-9-]+")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")  # to another page of the docs
PICTURE = re.compile(r"!\[([^\]]*)\]\(([a-z0-9-]+\.png)\)")


def folder() -> Path | None:
    """Where they are, if they are here."""
    return next((place for place in PLACES if (place / "README.md").is_file()), None)


def published(name: str, pictures: str) -> str:
    """The report of an experiment as Markdown, its pictures below an address; or nothing."""
    place = folder()
    if place is None or not NAME.fullmatch(name) or not (place / f"{name}.md").is_file():
        return ""
    text = LINK.sub(r"\1", (place / f"{name}.md").read_text(encoding="utf-8"))
    return PICTURE.sub(rf"![\1]({pictures}/\2)", text)
