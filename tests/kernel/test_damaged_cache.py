"""Trouble with the cache costs a compile and one warning, never the search; and nothing is run
that others may have put there."""

import contextlib
import errno
import json
import os
import shutil
import signal
import stat
import warnings
from pathlib import Path

import pytest
from test_cache import RUN, Project

from treewright.kernel import cache, specialise

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
KEY = "0123456789abcdef" * 4
TEXT = "def entry(x):\n    return x + 1\n"


class NoFunctions:
    """What is compiled is the text alone."""

    functions = {}
    table_names = ()

    def fingerprint_parts(self):
        return ()


class Kernel:
    """A kernel of one line, with a cache of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"

    def run(self, text=TEXT):
        """Its result in a new process, as it were: value, kernels found, and what was said."""
        cache._warned.clear()
        specialise._loaded.clear()
        texts = (self.folder / f"{hash(text)}.py",)
        if not texts[0].exists():
            texts[0].write_text(text)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            entry = specialise.specialise(NoFunctions(), {}, texts, "entry").entry
            value = entry(1)
        return [value, entry.hits, [str(w.message) for w in said]]

    def files(self, ending):
        found = sorted(self.cache.rglob(f"*{ending}"))
        assert found, ending
        return found

    def plant(self):
        """A sound program of somebody else in the place of ours."""
        [path] = self.files(".kernel")
        theirs = self.folder / "theirs"
        ours, self.cache = self.cache, theirs
        os.environ["TREEWRIGHT_CACHE"] = str(theirs)
        assert self.run("def entry(x):\n    return x + 98\n")[0] == 99
        [planted] = self.files(".kernel")
        code = cache.read(*_place(planted))
        assert code is not None
        os.environ["TREEWRIGHT_CACHE"] = str(ours)
        self.cache = ours
        cache.write(*_place(path), code)


def _place(path):
    """Key and name of a kernel, as its seal has them."""
    return _keys[path.parent.name], path.stem


_keys: dict[str, str] = {}


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(specialise, "_loaded", {})
    key_of = specialise._key

    def remembered(*arguments):
        found = key_of(*arguments)
        _keys[found[0][:32]] = found[0]
        return found

    monkeypatch.setattr(specialise, "_key", remembered)
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
def test_damaged_files_cost_a_compile(kernel, kind):
    for path in kernel.files(".kernel"):
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1
    assert "damaged" in said[0]
    assert kernel.run() == [2, 1, []]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_locks_do_no_harm(kernel, kind):
    for path in kernel.files(".lock"):
        path.write_bytes(DAMAGE[kind](path.read_bytes() or b"a lock"))
    assert kernel.run() == [2, 1, []]


@pytest.mark.parametrize("ending", [".kernel", ".lock"])
def test_folders_in_place_of_files(kernel, ending):
    for path in kernel.files(ending):
        path.unlink()
        path.mkdir()
        (path / "within").touch()
    value, hits, said = kernel.run()
    assert value == 2
    assert (hits, len(said)) == ((0, 1) if ending == ".kernel" else (1, 0))


def test_a_kernel_of_another_name(kernel):
    """A sound file in the place of another is not taken for it."""
    [path] = kernel.files(".kernel")
    assert kernel.run("def entry(x):\n    return x + 4\n")[0] == 5
    for other in kernel.files(".kernel"):
        if other != path:
            shutil.copy(other, path)
    value, hits, said = kernel.run()
    assert (value, hits, len(said)) == (2, 0, 1)


def test_a_kernel_for_another_processor(kernel, monkeypatch):
    from treewright.kernel import fingerprint

    monkeypatch.setattr(fingerprint, "_processor", lambda: ("riscv64", "other", "+none"))
    assert kernel.run() == [2, 0, []]


def test_a_program_that_calls_what_is_not_there(kernel):
    """It would end the process if it were loaded."""
    [path] = kernel.files(".kernel")
    code = cache.read(*_place(path))
    worse = type(code)(code.name, code.returns, ("no_such_function",), code.machine)
    cache.write(*_place(path), worse)
    value, hits, said = kernel.run()
    assert (value, hits, len(said)) == (2, 0, 1)
    assert "no_such_function" in said[0]


def test_what_a_killed_process_left_behind(kernel):
    [path] = kernel.files(".kernel")
    path.with_name(f".{path.name}.123.tmp").write_bytes(path.read_bytes()[:100])
    assert kernel.run() == [2, 1, []]
    assert cache.clear() == 1
    assert not list(kernel.cache.rglob("*.tmp"))


@posix
@pytest.mark.parametrize("moment", ["write_bytes", "replace"])
def test_killed_while_a_kernel_is_written(kernel, moment):
    """Whatever it has left, the next process compiles, keeps and loads."""
    shutil.rmtree(kernel.cache)
    if (child := os.fork()) == 0:
        whole = Path.write_bytes

        def kill(path, given):
            if moment == "write_bytes":
                whole(path, given[: len(given) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(Path, moment, kill)
        kernel.run()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert list(kernel.cache.rglob("*.tmp"))
    assert kernel.run() == [2, 0, []]
    assert kernel.run() == [2, 1, []]


@posix
def test_a_directory_that_can_only_be_read(kernel, monkeypatch):
    """What is there is used; what is new is compiled each time, with one warning."""
    if os.geteuid() == 0:  # who may write everywhere

        def refuse(*arguments, **options):
            raise OSError(errno.EROFS, "Read-only file system")

        monkeypatch.setattr(cache, "put", refuse)
    else:
        for folder in [*kernel.cache.rglob("*"), kernel.cache]:
            folder.chmod(0o500 if folder.is_dir() else 0o400)
    assert kernel.run() == [2, 1, []]
    value, hits, said = kernel.run(TEXT.replace("1", "4"))
    assert (value, hits) == (5, 0)
    assert [text for text in said if "can't be kept" in text] == said
    assert len(said) == 1
    for folder in [kernel.cache, *kernel.cache.iterdir()]:
        folder.chmod(0o700 if folder.is_dir() else 0o600)


def test_a_missing_file(kernel):
    for path in kernel.files(".kernel"):
        path.unlink()
    assert kernel.run() == [2, 0, []]
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
@pytest.mark.parametrize("room", [0, 40, 500])
def test_a_full_disk(kernel, room):
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
    "a folder": lambda kernel: kernel.files(".kernel")[0].parent,
    "a kernel": lambda kernel: kernel.files(".kernel")[0],
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


@posix
@pytest.mark.parametrize("what", ["a pipe", "a device"])
def test_what_has_no_end_is_not_read(kernel, what):
    [path] = kernel.files(".kernel")
    path.unlink()
    if what == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    value, hits, said = kernel.run()
    assert (value, hits, len(said)) == (2, 0, 1)
    assert kernel.run() == [2, 1, []]


@posix
def test_links_are_refused(kernel):
    path = kernel.files(".kernel")[0]
    path.rename(kernel.folder / "elsewhere")
    path.symlink_to(kernel.folder / "elsewhere")
    value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert len(said) == 1


def test_what_is_planted_would_be_run(kernel):
    """In a directory that is ours we trust ourselves: the tests above show what protects it."""
    kernel.plant()
    assert kernel.run() == [99, 1, []]


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
    for path in project.cache.rglob("*.kernel"):
        path.write_bytes(b"")
    value, hits, said = json.loads(project.python(RUN, "{}"))
    assert (value, hits, len(said)) == (0.5, 0, 1)


def test_a_lock_that_nobody_lets_go(kernel, monkeypatch):
    """A process that was stopped while it compiled: others compile, and say why it took so long."""
    fcntl = pytest.importorskip("fcntl", reason="files can't be locked here")
    monkeypatch.setattr(cache, "LONGEST_WAIT", 0.2)
    kernel.run()
    [lock], [sound] = kernel.files(".lock"), kernel.files(".kernel")
    sound.unlink()
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        value, hits, said = kernel.run()
    assert (value, hits) == (2, 0)
    assert [text for text in said if "has been compiling" in text]
    assert kernel.files(".kernel")
