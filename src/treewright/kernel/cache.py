"""Where compiled kernels are kept: one small Python file per fingerprint.

Numba stores its machine code beside that file, with an index of its own per file, so two
processes never share an index entry and an edit never meets old code.
"""

import contextlib
import os
import shutil
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO

KEEP_DAYS = 90


def directory() -> Path:
    """``$TREEWRIGHT_CACHE``, or the user's cache directory."""
    override = os.environ.get("TREEWRIGHT_CACHE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("treewright"))


def store(key: str, name: str, text: str) -> Path | None:
    """Write a kernel's source as ``<key>/<name>.py``; None if the cache can't be written."""
    folder = directory() / key[:32]
    path = folder / f"{name}.py"
    try:
        if not path.exists():
            prune()
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / f".{name}.{os.getpid()}.tmp"
            temporary.write_text(text)
            temporary.replace(path)
        probe = folder / f".{os.getpid()}.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        _warn_once(f"compiled kernels can't be kept in {directory()}: {error.strerror}")
        return None
    os.utime(folder)  # last use, for pruning
    return path


def holds(key: str, name: str) -> bool:
    """Whether Numba has left its index beside a kernel's source: it was compiled before."""
    return any((directory() / key[:32] / "__pycache__").glob(f"{name}.*.nbi"))


@contextlib.contextmanager
def alone(path: Path | None) -> Iterator[None]:
    """Of several processes that need a new kernel one compiles it; the others wait, and load it."""
    with contextlib.ExitStack() as held:
        if path is not None and (lock := _locked(path.with_suffix(".lock"))) is not None:
            held.enter_context(lock)
        yield


def _locked(path: Path) -> IO[str] | None:
    """A locked file, free again when it is closed; None where files can't be locked."""
    try:
        import fcntl

        file = path.open("a")
    except (ImportError, OSError):
        return None
    with contextlib.suppress(OSError):  # then both compile, as without a lock
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def entries() -> list[Path]:
    """The folders of all kernels that are kept."""
    root = directory()
    return sorted(p for p in root.iterdir() if p.is_dir()) if root.is_dir() else []


def size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def prune(days: float = KEEP_DAYS) -> int:
    """Remove kernels that were not used for so many days."""
    oldest = time.time() - days * 86400
    stale = [p for p in entries() if p.stat().st_mtime < oldest]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)


def clear() -> int:
    """Remove every kernel; a process that has one loaded goes on using it."""
    found = entries()
    for folder in found:
        shutil.rmtree(folder, ignore_errors=True)
    return len(found)
