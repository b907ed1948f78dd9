"""Where compiled kernels are kept: a folder for each fingerprint, a file for each form of a call.

A file has a seal, a line about the program, and its machine code.  To load one is to run it, so
what others may have written is not read (docs/promises.md).
"""

import contextlib
import hashlib
import json
import math
import os
import re
import shutil
import stat
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from treewright.kernel.native import Code

KEEP_DAYS = 90
PRIVATE = 0o700
LONGEST_WAIT = 300.0  # seconds, for another process that compiles the same
BETWEEN_LOOKS = 0.02
PIECES = "pieces"
VERSION = "treewright kernel 1"
_KEY = re.compile(r"[0-9a-f]{32}")


def directory() -> Path:
    """``$TREEWRIGHT_CACHE``, or the user's cache directory."""
    override = os.environ.get("TREEWRIGHT_CACHE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("treewright"))


def holds(key: str, entry: str) -> bool:
    """Whether a kernel was compiled before, for some arguments, and kept."""
    return any((directory() / key[:32]).glob(f"{entry}-*.kernel"))


def read(key: str, name: str) -> Code | None:
    """The kernel that was kept; None if there is none, or none that is sound."""
    path = _path(key, name)
    try:
        _trust(directory(), path.parent)
    except OSError:  # to be said when a kernel can't be kept there
        return None
    try:
        data = _read(path)
        seal, head, machine = data.split(b"\n", 2)
        if seal != _seal(key, name, head, machine):
            raise ValueError("it was damaged")
        about = json.loads(head)
        with contextlib.suppress(OSError):
            os.utime(path.parent)  # last use, for pruning
        return Code(about["name"], tuple(about["returns"]), tuple(about["needs"]), machine)
    except FileNotFoundError:
        pass
    except OSError as error:
        discard(key, name, _said(error))
    except (ValueError, KeyError, TypeError):
        discard(key, name, "it was damaged")
    return None


def write(key: str, name: str, code: Code) -> None:
    """Keep a kernel that was just compiled."""
    about = {"name": code.name, "returns": code.returns, "needs": code.needs}
    head = json.dumps(about).encode()
    try:
        if not _path(key, name).parent.exists():
            prune()
        _trust(*_make_folders(key, name))
        seal = _seal(key, name, head, code.machine)
        put(_path(key, name), b"\n".join([seal, head, code.machine]))
    except OSError as error:
        warn_once(f"compiled kernels can't be kept in {directory()}: {_said(error)}")


def refusal() -> str:
    """Why kernels can't be kept here; empty if they can."""
    folder = directory()
    try:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _trust(folder)
    except OSError as error:
        return _said(error)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "nothing can be written there"


def read_piece(key: str) -> bytes | None:
    """A function that was kept on its own (pieces.py); None if there is none that is sound."""
    path = _piece(key)
    with contextlib.suppress(OSError, ValueError):
        _trust(directory(), path.parent)
        seal, data = _read(path).split(b"\n", 1)
        if seal == _seal(key, "piece", data):
            return data
        path.unlink()
    return None


def write_piece(key: str, data: bytes) -> None:
    path = _piece(key)
    with contextlib.suppress(OSError):  # what is wrong is said when the whole kernel is kept
        if not path.parent.exists():
            path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _trust(directory(), path.parent)
        put(path, b"\n".join([_seal(key, "piece", data), data]))


def _piece(key: str) -> Path:
    return directory() / PIECES / f"{key[:32]}.piece"


def discard(key: str, name: str, reason: str) -> None:
    """Remove a kernel that can't be used, and say so."""
    path = _path(key, name)
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    warn_once(f"a kernel in {directory()} is compiled again: {reason}")


def _make_folders(key: str, name: str) -> tuple[Path, Path]:
    folders = directory(), _path(key, name).parent
    for folder in folders:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    return folders


def _path(key: str, name: str) -> Path:
    return directory() / key[:32] / f"{name}.kernel"


def _seal(key: str, name: str, *parts: bytes) -> bytes:
    """A hash of a kernel and of what it is for: damaged machine code would crash."""
    found = hashlib.sha256(f"{VERSION} {key} {name}".encode())
    for part in parts:
        found.update(b"%d " % len(part))
        found.update(part)
    return found.hexdigest().encode()


def _read(path: Path) -> bytes:
    """The contents of a file, after a look at what was opened: no link, no pipe, no device."""
    flags = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
    opened = os.open(path, sum((getattr(os, flag, 0) for flag in flags), os.O_RDONLY))
    with open(opened, "rb") as file:  # noqa: PTH123 - it has no path any more
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path.name} is no file")
        _trust_what(found, path.name)
        return file.read()


def put(path: Path, data: bytes) -> None:
    """Write a file that is there as a whole or not at all, and that nobody else can write."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.touch(mode=0o600)
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class Refused(OSError):  # noqa: N818 - reads as what it is
    """Something in the cache that may be the work of others."""


def _trust(*paths: Path) -> None:
    """Raise unless folders belong to us, and nobody else can write there.

    Kernels are machine code, so loading one is running it.  Windows has no such owners and modes.
    """
    for path in paths:
        found = path.stat() if path == directory() else path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise Refused(f"{path.name} is no folder")
        _trust_what(found, path.name)


def _trust_what(found: os.stat_result, name: str) -> None:
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid != os.geteuid():
        raise Refused(f"{name} belongs to somebody else")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Refused(f"others can write to {name}")


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


@contextlib.contextmanager
def alone(key: str | None, name: str) -> Iterator[None]:
    """Of several processes that need a new kernel one compiles it; the others wait, and load it."""
    with contextlib.ExitStack() as held:
        if key is not None and (lock := _locked(key, name)) is not None:
            held.enter_context(lock)
        yield


def _locked(key: str, name: str) -> IO[str] | None:
    """A locked file, free again when it is closed; None where files can't be locked."""
    try:
        import fcntl

        _make_folders(key, name)
        path = _path(key, name).with_suffix(".lock")
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "a")
    except (ImportError, OSError):
        return None
    with contextlib.suppress(OSError):  # then both compile, as without a lock
        _wait(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
    return file


def _wait(lock: Callable[[], None]) -> None:
    """Lock, or give up after some minutes: whoever holds the lock may have been stopped."""
    until = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < until:
        try:
            lock()
        except BlockingIOError:
            time.sleep(BETWEEN_LOOKS)
        else:
            return
    warn_once("another process has been compiling this for too long: it is compiled here as well")


_warned: set[str] = set()


def warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def entries() -> list[Path]:
    """The folders of all kernels that are kept; a folder with another name is not ours."""
    root = directory()
    found = root.iterdir() if root.is_dir() else ()
    return sorted(p for p in found if p.is_dir() and _KEY.fullmatch(p.name))


def size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def prune(days: float = KEEP_DAYS) -> int:
    """Remove kernels that were not used for this many days."""
    oldest = time.time() - days * 86400
    stale = [p for p in entries() if _last_used(p) < oldest]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    for piece in (directory() / PIECES).glob("*.piece"):
        if _last_used(piece) < oldest:
            piece.unlink(missing_ok=True)
    return len(stale)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process was faster
        return math.inf


def clear() -> int:
    """Remove every kernel; a process that has one loaded goes on using it."""
    found = entries()
    for folder in [*found, directory() / PIECES]:
        shutil.rmtree(folder, ignore_errors=True)
    return len(found)
