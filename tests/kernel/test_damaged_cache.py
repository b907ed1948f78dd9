"""Trouble with the cache costs a compile and one warning, never the search; and nothing is run
that others may have put there."""

import contextlib
import json
import os
import pickle
import shutil
import stat
import types
import warnings

import pytest
from numba import njit
from test_cache import RUN, Project

from treewright.kernel import cache

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
KEY = "0123456789abcdef" * 4
TEXT = "def entry(x):\n    return x + 1\n"


class Kernel:
    """A kernel of one line, with a cache of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"

    def run(self):
        """Its result in a new process, as it were: value, kernels found, and what was said."""
        cache._warned.clear()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            path = cache.store(KEY, "entry", TEXT)
            module = types.ModuleType("tiny")
            exec(compile(TEXT, str(path), "exec"), module.__dict__)
            entry = njit(module.entry)
            if path is not None:
                cache.keep(entry, path)
            with cache.alone(path):
                value = entry(1)
        return [value, sum(entry.stats.cache_hits.values()), [str(w.message) for w in said]]

    def files(self, ending):
        found = sorted(self.cache.rglob(f"*{ending}"))
        assert found, ending
        return found

    def plant(self):
        """An index that runs code when it is read."""
        for path in self.files(".nbi"):
            path.write_bytes(pickle.dumps(Planted(self.folder / "planted")))

    @property
    def was_hurt(self):
        return (self.folder / "planted").exists()


class Planted:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    found = Kernel(tmp_path)
    assert found.run() == [2, 0, []]
    assert found.run() == [2, 1, []]
    return found


def flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGE = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "random": lambda data: bytes(range(256)) * 8,
    "one bit": flipped,
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("ending", [".nbi", ".nbc", ".seal"])
def test_damaged_files_cost_a_compile(kernel, ending, kind):
    for path in kernel.files(ending):
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1
    assert "damaged" in said[0]
    assert kernel.run() == [2, 1, []]


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("ending", [".py", ".lock"])
def test_other_damaged_files_do_no_harm(kernel, ending, kind):
    for path in kernel.files(ending):
        path.write_bytes(DAMAGE[kind](path.read_bytes() or b"a lock"))
    assert kernel.run() == [2, 1, []]


@pytest.mark.parametrize("ending", [".nbi", ".nbc", ".py", ".seal", "__pycache__"])
def test_other_things_in_place_of_files(kernel, ending):
    for path in kernel.files(ending):
        if path.is_dir():
            shutil.rmtree(path)
            path.touch()
        else:
            path.unlink()
            path.mkdir()
            (path / "within").touch()
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1


@pytest.mark.parametrize("ending", [".nbi", ".nbc", ".seal"])
def test_a_missing_file(kernel, ending):
    for path in kernel.files(ending):
        path.unlink()
    assert kernel.run()[:2] == [2, 0]
    assert kernel.run() == [2, 1, []]


@contextlib.contextmanager
def no_room(room):
    """Files can't grow beyond some bytes, as if the disk were full."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
@pytest.mark.parametrize("room", [0, 40, 500, 3000])
def test_a_full_disk(kernel, room):
    """Source, index, object file or seal: one of them does not fit."""
    shutil.rmtree(kernel.cache)
    with no_room(room):
        value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1
    assert "can't be kept" in said[0]
    assert not list(kernel.cache.rglob("*.tmp*")), "nothing half-written is left"
    assert kernel.run() == [2, 0, []]
    assert kernel.run() == [2, 1, []]


PLACES = {
    "the directory": lambda kernel: kernel.cache,
    "a folder": lambda kernel: next(kernel.cache.iterdir()),
    "Numba's folder": lambda kernel: kernel.files("__pycache__")[0],
    "an index": lambda kernel: kernel.files(".nbi")[0],
    "the seal": lambda kernel: kernel.files(".seal")[0],
}


@posix
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("who", [stat.S_IWOTH, stat.S_IWGRP])
def test_what_others_can_write_is_refused(kernel, place, who):
    kernel.plant()
    path = PLACES[place](kernel)
    path.chmod(path.stat().st_mode | who)
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1
    assert "others can write" in said[0]
    assert not kernel.was_hurt


@posix
@pytest.mark.parametrize("place", PLACES)
def test_what_is_not_ours_is_refused(kernel, place, monkeypatch):
    kernel.plant()
    path = PLACES[place](kernel)
    try:
        os.chown(path, 12345, -1)
    except PermissionError:
        pytest.skip("only root can give files away")
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1
    assert "somebody else" in said[0]
    assert not kernel.was_hurt


@posix
def test_links_are_refused(kernel):
    path = kernel.files(".nbi")[0]
    path.rename(kernel.folder / "elsewhere.nbi")
    path.symlink_to(kernel.folder / "elsewhere.nbi")
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1


def test_nothing_unsealed_is_unpickled(kernel):
    kernel.plant()
    assert kernel.run()[:2] == [2, 0]
    assert not kernel.was_hurt


@posix
@pytest.mark.parametrize("usual", [0o022, 0o002, 0o000])
def test_the_cache_is_for_its_owner_only(kernel, usual):
    shutil.rmtree(kernel.cache)
    before = os.umask(usual)
    try:
        assert kernel.run() == [2, 0, []]
        assert kernel.run() == [2, 1, []]
    finally:
        os.umask(before)
    assert stat.S_IMODE(kernel.cache.stat().st_mode) == 0o700
    for path in kernel.cache.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o022, path


@posix
def test_the_directory_of_numba(kernel, monkeypatch):
    """With NUMBA_CACHE_DIR Numba keeps its files elsewhere: they are looked at there."""
    from numba.core import config

    shutil.rmtree(kernel.cache)
    elsewhere = kernel.folder / "numba"
    monkeypatch.setattr(config, "CACHE_DIR", str(elsewhere))
    assert kernel.run() == [2, 0, []]
    assert kernel.run() == [2, 1, []]
    for path in elsewhere.rglob("*.nbi"):
        path.write_bytes(pickle.dumps(Planted(kernel.folder / "planted")))
    value, hits, said = kernel.run()
    assert (value, hits, len(said)) == (2, 0, 1)
    assert not kernel.was_hurt


def test_only_kernels_are_cleared(tmp_path, monkeypatch):
    """A directory with other things in it keeps them, however old they are."""
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to_ann.txt").write_text("Dear Ann")
    os.utime(tmp_path / "letters", (0, 0))
    (tmp_path / KEY[:32]).mkdir()
    assert cache.prune() == 0
    assert cache.clear() == 1
    assert (tmp_path / "letters" / "to_ann.txt").exists()


def test_a_search_goes_on_with_a_damaged_cache(tmp_path):
    project = Project(tmp_path)
    assert project.run() == [0.5, 0, []]
    for path in project.cache.rglob("*.nbi"):
        path.write_bytes(b"")
    value, hits, said = json.loads(project.python(RUN, "{}"))
    assert (value, hits, len(said)) == (0.5, 0, 1)
