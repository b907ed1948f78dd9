"""Where compiled kernels are kept: one small Python file per fingerprint.

Numba stores its machine code beside that file, with an index of its own per file, so two
processes never share an index entry and an edit never meets old code.  Kernels are pickles: what
others may have written is not read (docs/promises.md).
"""

import contextlib
import hashlib
import math
import os
import re
import shutil
import stat
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

KEEP_DAYS = 90
PRIVATE = 0o700
_KEY = re.compile(r"[0-9a-f]{32}")


def directory() -> Path:
    """``$TREEWRIGHT_CACHE``, or the user's cache directory."""
    override = os.environ.get("TREEWRIGHT_CACHE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("treewright"))


def store(key: str, name: str, text: str) -> Path | None:
    """Write a kernel's source as ``<key>/<name>.py``; None if the cache can't be used."""
    root = directory()
    folder = root / key[:32]
    path = folder / f"{name}.py"
    try:
        root.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _trust(root)
        for within in (folder, folder / "__pycache__"):
            within.mkdir(mode=PRIVATE, exist_ok=True)
            _trust(within)
        if not path.exists():
            prune()
        if not path.exists() or path.read_bytes() != text.encode():
            _write(path, text)
        _write(folder / ".probe", "")
        os.utime(folder)  # last use, for pruning
    except OSError as error:
        _warn_once(f"compiled kernels can't be kept in {root}: {_said(error)}")
        return None
    return path


def holds(key: str, name: str) -> bool:
    """Whether a kernel was compiled before, and kept."""
    return (directory() / key[:32] / f"{name}.seal").exists()


def _write(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all, and that nobody else can write."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        temporary.chmod(0o600)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class Refused(OSError):  # noqa: N818 - reads as what it is
    """Something in the cache that may be the work of others."""


def _trust(*paths: Path) -> None:
    """Raise unless files and folders belong to us, and nobody else can write there.

    Kernels are pickles, so reading one is running it.  Windows has no such owners and modes.
    """
    if not hasattr(os, "geteuid"):
        return
    for path in paths:
        found = path.stat() if path == directory() else path.lstat()
        if found.st_uid != os.geteuid():
            raise Refused(f"{path.name} belongs to somebody else")
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise Refused(f"{path.name} is neither a file nor a folder")
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise Refused(f"others can write to {path.name}")


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def keep(entry: Any, path: Path) -> None:
    """Let Numba keep the machine code of ``entry`` beside its source, whatever happens there."""
    try:
        entry.enable_caching()
        entry._cache = Guarded(entry._cache, path)
    except Exception as error:
        _warn_once(f"compiled kernels can't be kept in {directory()}: {_said(error)}")


class Guarded:
    """Numba's cache of one function: trouble with it costs a compile and a warning.

    Beside the kernel lies a seal, a hash of all that Numba wrote, since damaged machine code
    would crash.  Nothing is unpickled that is not as it was when it was sealed.
    """

    def __init__(self, inner: Any, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._seal = path.with_suffix(".seal")

    @property
    def cache_path(self) -> str:
        return self._inner.cache_path  # type: ignore[no-any-return]

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The kernel that was kept; None if there is none, or none that is sound."""
        try:
            files = self._files()
            if not files and not self._seal.exists():
                return None
            _trust(Path(self.cache_path), self._seal, *files)
            if self._seal.read_bytes() == _hash(files).encode():
                return self._inner.load_overload(signature, context)
            self._discard("it was damaged")
        except FileNotFoundError:
            self._discard("it was damaged")
        except Exception as error:  # a pickle can raise anything
            self._discard(_said(error))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a kernel that was just compiled."""
        try:
            self._inner.save_overload(signature, result)
            files = self._files()
            for file in files:
                file.chmod(0o600)
            if files:
                _write(self._seal, _hash(files))
        except Exception as error:
            self._remove()
            _warn_once(f"compiled kernels can't be kept in {directory()}: {_said(error)}")

    def flush(self) -> None:
        self._remove()

    def _files(self) -> list[Path]:
        """What Numba has written for this kernel."""
        return sorted(Path(self.cache_path).glob(f"{self._path.stem}.*"))

    def _discard(self, reason: str) -> None:
        self._remove()
        _warn_once(f"a kernel in {directory()} is compiled again: {reason}")

    def _remove(self) -> None:
        for file in (self._seal, *self._files()):
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file, ignore_errors=True)
            with contextlib.suppress(OSError):
                file.unlink()


def _hash(files: list[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        data = file.read_bytes()
        found.update(f"{file.name} {len(data)} ".encode())
        found.update(data)
    return found.hexdigest()


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

        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "a")
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
    return len(stale)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process was faster
        return math.inf


def clear() -> int:
    """Remove every kernel; a process that has one loaded goes on using it."""
    found = entries()
    for folder in found:
        shutil.rmtree(folder, ignore_errors=True)
    return len(found)
