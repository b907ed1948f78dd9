"""Files of others: read as data, with limits, and whatever is wrong is one sentence.

Levels, maps, stories, models, saved games and ratings come from strangers.  Everything that reads
them comes through here, so that nothing nested, huge or misnamed ends in a traceback.
"""

import json
import math
import tomllib
import zlib
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError

MOST_BYTES = 64 * 2**20
MOST_TOML = 2**20  # characters; the standard library's reader is slow where keys have many dots
DEEPEST = 64
MOST_PIXELS = 2**26


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; not if its name is impossible."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether there is such a folder."""
    return is_there(path) and path.is_dir()


def shown(path: Path) -> str:
    """The name of a file in one line, whatever is in it."""
    name = str(path)
    return name if name.isprintable() else repr(name)


def bytes_of(path: Path, error: type[TreewrightError], most: int = MOST_BYTES) -> bytes:
    """A file's contents, if they are no more than ``most`` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as refused:
        raise error(f"{shown(path)} can't be read: {refused.strerror or refused}") from refused
    except ValueError as refused:
        raise error("the name of a file can't hold a null character") from refused
    if len(data) > most:
        raise error(f"{path} is larger than {most:,} bytes, the most that is read")
    return data


def text_of(path: Path, error: type[TreewrightError], most: int = MOST_BYTES) -> str:
    """A file's text; a byte order mark and Windows' ends of lines are nothing."""
    data = bytes_of(path, error, most)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as refused:
        raise error(f"{path} is not UTF-8 text: byte {refused.start} is wrong") from refused


def json_of(text: str, where: str, error: type[TreewrightError]) -> Any:
    """What a JSON document says."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise error(f"{where} is nested too deeply") from None
    except ValueError as refused:
        raise error(f"{where} is no JSON: {refused}") from None
    return _plain(data, where, error)


def toml_of(text: str, where: str, error: type[TreewrightError]) -> dict[str, Any]:
    """What a TOML document says."""
    if len(text) > MOST_TOML:
        raise error(f"{where} has {len(text):,} characters; {MOST_TOML:,} are the most")
    if any(line.count(".") > 1000 for line in text.split("\n")):
        raise error(f"{where} has a line with more than a thousand dots")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise error(f"{where} is nested too deeply") from None
    except ValueError as refused:  # its own error, and numbers of thousands of digits
        said = str(refused).replace("Cannot overwrite a value", "a name is given twice")
        raise error(f"{where} is not valid TOML: {said}") from None
    found: dict[str, Any] = _plain(data, where, error)
    return found


def unpacked(
    packed: bytes, kind: str, most: int, where: str, error: type[TreewrightError]
) -> bytes:
    """What zlib or gzip have packed, if that is no more than ``most`` bytes."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | (16 if kind == "gzip" else 0))
    try:
        data = reader.decompress(packed, most + 1)
    except zlib.error as refused:
        raise error(f"{where} can't be unpacked: {refused}") from None
    if len(data) > most:
        raise error(f"{where} unpacks to more than the {most:,} bytes that it should have")
    if not reader.eof:
        raise error(f"{where} can't be unpacked: it ends too early")
    return data


def check_picture(path: Path, error: type[TreewrightError], most: int = MOST_PIXELS) -> None:
    """Refuse a picture with too many pixels before any of them is decoded.

    Only the header is read.  What has none that Pillow knows is left to the reader of pixels.
    """
    import warnings

    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large pictures, which are refused below
            with Image.open(path) as opened:
                width, height = opened.size
    except Image.DecompressionBombError:
        raise error(f"{path} has more than {most:,} pixels, the most that are read") from None
    except OSError as refused:
        raise error(f"{path} can't be read as a picture: {refused.strerror or refused}") from None
    except (ValueError, SyntaxError, OverflowError, MemoryError, EOFError) as refused:
        raise error(f"{path} can't be read as a picture: {refused}") from None
    if width * height > most:
        raise error(
            f"{path} has {width} x {height} pixels; {most:,} in all are the most that are read"
        )


def _plain(data: Any, where: str, error: type[TreewrightError]) -> Any:
    """The same data, if it is not too deep and every number and every text can be used."""
    layer, depth = [data], 0
    while layer:
        if depth > DEEPEST:
            raise error(f"{where} is nested too deeply: {DEEPEST} levels are the most")
        below: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                below += item
                below += item.values()
            elif isinstance(item, list):
                below += item
            elif isinstance(item, float) and not math.isfinite(item):
                raise error(f"{where} holds the number {item}, which is none")
            elif isinstance(item, int) and abs(item) >= 2**63:
                raise error(f"{where} holds a whole number beyond 64 bits")
            elif isinstance(item, str) and not item.isascii():
                _encodable(item, where, error)
        layer, depth = below, depth + 1
    return data


def _encodable(text: str, where: str, error: type[TreewrightError]) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{where} holds half a character (a lone surrogate)") from None
