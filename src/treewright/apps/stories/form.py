"""A set-up as a form, both ways: tables of people, places and things from a file, and back."""

import re
from typing import Any

FIRST = ("title", "library", "length", "goals")  # in this order; the rest follows
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(data: dict[str, Any]) -> str:
    """A set-up's data as a file: plain keys, then a table for each section."""
    keys = [k for k in FIRST if k in data] + [k for k in data if k not in FIRST]
    plain = [k for k in keys if not isinstance(data[k], dict)]
    lines = [f"{_key(k)} = {value_text(data[k])}" for k in plain]
    for name in keys:
        if isinstance(data[name], dict):
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(k)} = {value_text(v)}" for k, v in data[name].items()]
    return "\n".join(lines) + "\n"


def value_text(value: Any) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(k)} = {value_text(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return _quoted(str(value))


def cell_text(value: Any) -> str:
    """A value in a cell of the form: words stand without quotes."""
    return value if isinstance(value, str) else value_text(value)


def cell_value(text: str) -> Any:
    """What a cell of the form says: a number, true or false, a list, or words."""
    import tomllib

    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    plain = "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped)
    return f'"{plain}"'
