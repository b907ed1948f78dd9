"""Styles of telling, as data: what opens and closes a story, and what joins its sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from treewright.apps.stories.source import Source
from treewright.errors import nearest

PLAIN = "plain"
_PACKAGE = "treewright.apps.stories"
_SHAPES = {str: "a text", bool: "true or false", tuple: "a list of texts"}


@dataclass(frozen=True)
class Style:
    """Each text is put before a sentence (or after all), with its own comma or blank."""

    opening: str = ""  # before who is where
    closing: tuple[str, ...] = ()  # one of these ends the story
    scene: tuple[str, ...] = ()  # where the story goes elsewhere
    result: tuple[str, ...] = ()  # where a deed answers the one before it
    entries: tuple[str, ...] = ()  # at the head of each paragraph, one after the other
    speech: bool = True  # whether people are heard
    feelings: bool = True  # whether it is said how they take a deed
    first_person: bool = False  # told by whoever acts last


def read_styles(sources: Sequence[Source]) -> dict[str, Style]:
    """The styles that come with Treewright; a library adds its own, or replaces parts of one."""
    text = (resources.files(_PACKAGE) / "styles.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = dict(Source(text, "styles.toml").data)
    for source in sources:
        given = source.data.get("styles", {})
        if not isinstance(given, dict):
            raise source.error("styles must be a table: [styles.report]", "styles")
        for name, changes in given.items():
            _check(source, name, changes)
            found[name] = {**found.get(name, {}), **changes}
    return {name: Style(**{k: _frozen(v) for k, v in data.items()}) for name, data in found.items()}


def _check(source: Source, name: str, given: Any) -> None:
    """Each key by itself, so that an error is reported where it stands."""
    if not isinstance(given, dict):
        raise source.error(f"write [styles.{name}] and below it its phrases", "styles", name)
    known = {field.name: field.default for field in fields(Style)}
    for key, value in given.items():
        if key not in known:
            raise source.error(f"{key!r} is unknown here{nearest(key, known)}", "styles", name, key)
        frozen = _frozen(value)
        listed = isinstance(frozen, tuple) and all(isinstance(text, str) for text in frozen)
        if not isinstance(frozen, type(known[key])) or (isinstance(frozen, tuple) and not listed):
            raise source.error(
                f"{key} is {_SHAPES[type(known[key])]}, not {value!r}", "styles", name, key
            )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
