"""Damaged caches and full disks: a compile or a sentence, and never half a file.

Disks fill in two ways: files can't grow beyond some bytes (a limit of the process), and, where that
may be mounted, a file system of some pages that others have filled already.
"""

import contextlib
import os
import random
import shutil
import subprocess
import warnings
from collections import Counter
from pathlib import Path

from fuzz_files import TooLong, damaged, limited
from test_full_disk import OLD, WRITERS, no_room

from treewright.errors import TreewrightError

ROOM = 64 * 1024  # bytes of the file system that is mounted


class NoFunctions:
    """As much of a domain as a kernel of one line needs."""

    functions = {}
    table_names = ()

    def fingerprint_parts(self):
        return ()


def fuzz_cache(count, folder, seed=0):
    """Damage a kernel ``count`` times: how often what became of it, and what was wrong."""
    from treewright.kernel import cache

    dice = random.Random(f"cache {seed}")
    seen: Counter = Counter()
    wrong = []
    place = Path(folder) / "cache"
    before = os.environ.get("TREEWRIGHT_CACHE")
    os.environ["TREEWRIGHT_CACHE"] = str(place)
    try:
        shutil.rmtree(place, ignore_errors=True)
        text = Path(folder) / "kernel.py"
        text.write_text("def entry(x):\n    return x + 1\n")
        assert called(text) == 2
        [path] = place.rglob("*.kernel")
        sound = path.read_bytes()
        for number in range(count):
            restore(path, sound)
            kind = damage(dice, path, sound)
            try:
                with limited():
                    result = after(cache, text, path, sound, whole=number % 50 == 0)
            except TooLong:
                result = "too long"
            except Exception as error:
                result = f"{type(error).__name__}: {error}"[:300]
            fine = result in ("refused", "read")
            seen[result if fine else "wrong"] += 1
            if not fine:
                wrong.append((kind, result))
    finally:
        os.environ.pop("TREEWRIGHT_CACHE")
        if before is not None:
            os.environ["TREEWRIGHT_CACHE"] = before
    return seen, wrong


def called(text):
    """What the kernel says in a new process, as it were."""
    from treewright.kernel import cache, specialise

    cache._warned.clear()
    specialise._loaded.clear()
    return specialise.specialise(NoFunctions(), {}, (text,), "entry").entry(1)


def restore(path, sound):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o700)
    path.write_bytes(sound)
    path.chmod(0o600)


def damage(dice, path, sound):
    """Do something to a kernel, its folder or the cache."""
    kind = dice.choice(["bytes"] * 12 + ["empty", "folder", "link", "gone", "open", "pipe", "none"])
    if kind == "bytes":
        path.write_bytes(damaged(dice, sound))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "open":
        where = dice.choice([path, path.parent, path.parent.parent])
        where.chmod(dice.choice([0o777, 0o770, 0o722, 0o707]))
    elif kind != "none":
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "link":
            path.symlink_to(dice.choice([path, "/dev/zero", "/etc/passwd", "nowhere"]))
        elif kind == "pipe":
            os.mkfifo(path)
    return kind


def after(cache, text, path, sound, whole):
    """``read`` if the sound kernel was read, ``refused`` if none was."""
    [key, name] = named(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if whole:
            return "read" if called(text) == 2 else "a wrong number"
        code = cache.read(key, name)
    if code is None:
        return "refused"
    return "read" if sound.endswith(code.machine) else "other code was read"


_key = []


def named(path):
    """Key and name of the kernel, as its seal has them."""
    from treewright.kernel import specialise

    if not _key:
        text = "def entry(x):\n    return x + 1\n"
        _key.append(specialise._key(NoFunctions(), {}, text, False)[0])
    return _key[0], path.stem


@contextlib.contextmanager
def small_disk(folder):
    """A file system with room for little, or None where none may be mounted."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        done = False
    try:
        yield folder if done else None
    finally:
        if done:
            subprocess.run(["umount", str(folder)], check=True)


def fuzz_full(count, folder, seed=0, mounts=True):
    """Write to full disks ``count`` times: how often what, and what was wrong with which."""
    dice = random.Random(f"full {seed}")
    seen: Counter = Counter()
    wrong = []
    with small_disk(Path(folder) / "small") if mounts else contextlib.nullcontext() as small:
        for _ in range(count):
            write, name = dice.choice(WRITERS)
            place = small if small and dice.randrange(2) else Path(folder) / "large"
            result = attempt(dice, write, name, place, mounted=place is small)
            fine = result in ("written", "refused")
            seen[result if fine else "wrong"] += 1
            if not fine:
                wrong.append((write.__name__, name, str(place), result))
    return seen, wrong


def attempt(dice, write, name, place, mounted):
    """What became of one file: ``written``, ``refused``, or what is wrong with it."""
    place.mkdir(exist_ok=True)
    for path in place.iterdir():
        path.unlink()
    old = dice.randrange(2) == 0
    if old:
        (place / name).write_bytes(OLD)
    room = dice.choice([0, 1, 100, 512, 4096, dice.randrange(20_000)])
    if mounted:
        with contextlib.suppress(OSError), (place / "others").open("wb") as others:
            others.write(bytes(ROOM))  # whatever the old file leaves
        if dice.randrange(2):
            with (place / "others").open("r+b") as others:
                others.truncate(max(0, ROOM // 4096 - dice.randrange(1, 6)) * 4096)
    try:
        with limited(), contextlib.nullcontext() if mounted else no_room(room):
            write(place / name)
        result = "written"
    except TreewrightError as error:
        result = "refused" if "\n" not in str(error) else f"no sentence: {error}"
    except TooLong:
        return "too long"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    there = sorted(p.name for p in place.iterdir() if p.name != "others")
    if there != ([name] if old or result == "written" else []):
        return f"left behind: {there}"
    if result == "refused" and old and (place / name).read_bytes() != OLD:
        return "what was there is gone"
    if result == "written" and (place / name).read_bytes()[: len(OLD)] == OLD:
        return "nothing was written"
    return result
