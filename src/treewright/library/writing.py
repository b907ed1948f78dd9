"""Files appear whole or not at all: the one way in which Treewright writes them."""

import contextlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError


@contextlib.contextmanager
def whole(
    path: Path, error: type[TreewrightError] = TreewrightError, private: bool = False
) -> Iterator[Path]:
    """The name of a temporary file, which takes the place of ``path`` when the block ends well.

    It has the same ending, because many writers choose their format by it.  What the system
    refuses (a full disk, a missing folder) is raised as ``error``, and nothing is left behind.
    A ``private`` file can be read by its owner only, from its first byte on.
    """
    temporary = path.with_name(f".{path.stem[:100]}.{os.urandom(4).hex()}{path.suffix}")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe can't be replaced
            yield path
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        os.close(os.open(temporary, flags, 0o600 if private else 0o666))
        yield temporary
        _to_disk(temporary)
        temporary.replace(path.resolve() if path.is_symlink() else path)
    except OSError as refused:
        raise error(f"{path} can't be written: {refused.strerror or refused}") from refused
    except ValueError as refused:
        if "null" not in str(refused):
            raise
        raise error("the name of a file can't hold a null character") from refused
    finally:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink(missing_ok=True)


def write_whole(
    path: Path,
    data: str | bytes,
    error: type[TreewrightError] = TreewrightError,
    private: bool = False,
) -> None:
    """Write a file; text is UTF-8, and what can't be encoded becomes a question mark."""
    with whole(path, error, private) as part:
        part.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "replace"))


def json_text(data: Any, indent: int | None = None) -> str:
    """Data as one JSON document; what is no finite number is null, as JSON knows no other."""
    return json.dumps(_plain(data), indent=indent, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k) if not isinstance(k, str) else k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):  # a number of NumPy's
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise TreewrightError(f"{path} can't be written: {refused.strerror}") from refused
    except ValueError as refused:
        raise TreewrightError("the name of a folder can't hold a null character") from refused


def _to_disk(path: Path) -> None:
    """Wait until the contents are on the disk, so that a power cut can't leave an empty file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
