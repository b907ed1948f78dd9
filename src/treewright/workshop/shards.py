"""Large sets as files: shards that are written where they are made, and an index of them.

The target is a folder, or the URL of one that fsspec knows (``s3://…``, ``gs://…``, ``file://…``).
What is made never passes through the driver: it hears how large each shard is, and writes that
into ``index.json`` the moment the shard is there, so that a run that was stopped goes on.
"""

import contextlib
import hashlib
import io
import json
import socket
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError, TreewrightError
from treewright.library.reading import json_of

INDEX = "index.json"
Entry = dict[str, Any]


class ShardError(TreewrightError):
    """A target that can't be written, or that holds something else."""


class Target:
    """A folder, here or elsewhere; it can be sent to other machines."""

    def __init__(self, url: str) -> None:
        if not url or "\0" in url:
            raise OptionError(
                "the target is empty: give a folder, or a URL such as s3://bucket/set"
            )
        self.url = url if "://" in url else Path(url).absolute().as_uri()

    def write(self, name: str, data: bytes) -> None:
        """A file appears whole or not at all."""
        with self._sentences(name), self._files() as (files, folder):
            files.makedirs(folder, exist_ok=True)
            with files.transaction, files.open(f"{folder}/{name}", "wb") as out:
                out.write(data)

    def read(self, name: str) -> bytes | None:
        """The contents; None if there is no such file."""
        try:
            with self._sentences(name), self._files() as (files, folder):
                data: bytes = files.cat_file(f"{folder}/{name}")
        except FileNotFoundError:
            return None
        return data

    @contextlib.contextmanager
    def _files(self) -> Iterator[tuple[Any, str]]:
        try:
            import fsspec
        except ImportError:
            raise MissingExtra("--shards", "cluster") from None
        try:
            files, folder = fsspec.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise ShardError(f"{self.url} can't be reached: {error}") from error
        yield files, folder.rstrip("/")

    @contextlib.contextmanager
    def _sentences(self, name: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            where = socket.gethostname()
            said = error.strerror or error
            raise ShardError(f"{where} can't write {name} to {self.url}: {said}") from error


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A shard: a zip file, the same bytes for the same contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as shard:
        for name, data in files:
            shard.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def put(target: Target, number: int, files: Iterable[tuple[str, bytes]], **facts: Any) -> Entry:
    """Write a shard from where it was made; what the index says of it."""
    data, name = packed(files), f"shard-{number:05d}.zip"
    target.write(name, data)
    digest = hashlib.sha256(data).hexdigest()
    return {"shard": number, "file": name, "bytes": len(data), "sha256": digest, **facts}


def write_shards(
    target: Target,
    made_with: Mapping[str, Any],
    count: int,
    make: Callable[[list[int]], Iterator[Entry]],
    watch: Callable[[list[Entry]], object] = lambda entries: None,
) -> Iterator[Entry]:
    """Have the shards made that the index does not list yet; each is listed when it is there.

    ``make`` gets their numbers and gives their entries, in that order.  ``made_with`` says what is
    in the set: the same target with other settings is refused.
    """
    entries = _listed(target, made_with)
    missing = sorted(set(range(count)) - {int(e["shard"]) for e in entries})
    _list(target, made_with, entries)  # what can't be written is known before the work
    watch(entries)
    for entry in make(missing):
        entries.append(entry)
        _list(target, made_with, entries)
        watch(entries)
        yield entry


def _listed(target: Target, made_with: Mapping[str, Any]) -> list[Entry]:
    text = target.read(INDEX)
    if text is None:
        return []
    where = f"{target.url}/{INDEX}"
    found = json_of(text.decode("utf-8", "replace"), where, ShardError)
    if not isinstance(found, dict) or not isinstance(found.get("shards"), list):
        raise ShardError(f"{where} is not an index of shards: choose another target")
    if found.get("made_with") != json.loads(json.dumps(dict(made_with))):
        raise ShardError(f"{target.url} holds a set with other settings: choose another target")
    entries = list(found["shards"])
    if not all(isinstance(e, dict) and type(e.get("shard")) is int for e in entries):
        raise ShardError(f"{where} lists what is no shard: choose another target")
    return entries


def _list(target: Target, made_with: Mapping[str, Any], entries: list[Entry]) -> None:
    ordered = sorted(entries, key=lambda e: int(e["shard"]))
    text = json.dumps({"made_with": dict(made_with), "shards": ordered}, indent=1)
    target.write(INDEX, text.encode() + b"\n")
