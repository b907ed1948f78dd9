"""The cache of compiled kernels: never stale, shared, and optional.

Real files are edited and searched in fresh processes.  The quick checks compare
fingerprints; the slow ones compile, and compare results.
"""

import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

FILES = {
    "config.py": "SCALE = 1.0\n",
    "deeper.py": "DEEP = 1.0\ndef deep():\n    return DEEP\n",
    "helper.py": "from deeper import deep\ndef scale(x=1.0):\n    return 1.0 * x * deep()\n",
    "domain.py": textwrap.dedent(
        """
        import enum
        import numpy as np
        import treewright as tw
        from numpy import int8
        import config
        from helper import scale

        class Cell(enum.IntEnum):
            EMPTY = 0

        WIN = 0.5
        TABLE = np.array([0.0, 1.0, 2.0])

        def maker(bonus):
            def rewards(s, out):
                out[0] = WIN * scale() * TABLE[1] * config.SCALE * bonus
            return rewards

        class Small(tw.Domain):
            players, max_actions = 1, 2
            state = tw.record(n=int8)
            def start(s): s.n = 0
            def legal(s, out):
                out[0] = 0
                out[1] = 1
                return 2
            def play(s, action): s.n += 1
            def ended(s): return s.n == 3 and s.n != Cell.EMPTY
            rewards = maker(1.0)
        """
    ),
}

SETS = """
from treewright.kernel.fingerprint import Fingerprint
mark = Fingerprint()
mark.code(compile("x in {'a', 'b', 'c', 'd', 'e'}", "x", "eval"))
print(mark.hexdigest())
"""

KEY = """
import warnings
warnings.simplefilter("ignore")
import treewright as tw
from domain import Small
from treewright.kernel.specialise import _key
from treewright.library.switches import switches_of
print(_key(Small(), switches_of(Small(), tw.Options()).constants(), "", False)[0])
"""

RUN = """
import json, sys, warnings
seen = []
warnings.showwarning = lambda message, *rest: seen.append(str(message))
import treewright as tw
from domain import Small
search = tw.Search(Small(), tw.Options(**json.loads(sys.argv[1])))
value = search.run(200).value
kernel = search.workers[0]._module.search
print(json.dumps([value, kernel.hits, seen]))
"""


LOOSE = """
import importlib.util
spec = importlib.util.spec_from_file_location("loose", "domain.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
Small = module.Small
"""


IMPORTED = """
import sys
print(sorted({"numba", "scipy", "pandas"} & set(sys.modules)))
"""


class Project:
    """A folder with a domain in four files, and a cache of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        for name, text in FILES.items():
            (folder / name).write_text(text)

    def edit(self, file, old, new):
        assert old in FILES[file], old
        (self.folder / file).write_text(FILES[file].replace(old, new))

    def restore(self, file):
        (self.folder / file).write_text(FILES[file])

    def rename(self, old, new):
        """Call the helper's helper's module otherwise."""
        (self.folder / f"{old}.py").rename(self.folder / f"{new}.py")
        self.edit("helper.py", old, new)

    def python(self, code, *arguments, **environment):
        path = os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")])
        out = subprocess.run(
            [sys.executable, "-B", "-c", code, *arguments],
            cwd=self.folder,
            env=os.environ
            | {"TREEWRIGHT_CACHE": str(self.cache), "PYTHONPATH": path}
            | environment,
            capture_output=True,
            text=True,
        )
        assert out.returncode == 0, out.stderr
        return out.stdout.strip().splitlines()[-1]

    def run(self, options=None, **environment):
        return json.loads(self.python(RUN, json.dumps(options or {}), **environment))


EDITS = {
    "a global": ("domain.py", "WIN = 0.5", "WIN = 0.25"),
    "an array": ("domain.py", "[0.0, 1.0, 2.0]", "[0.0, 0.5, 2.0]"),
    "a closure": ("domain.py", "maker(1.0)", "maker(0.5)"),
    "a function's body": ("domain.py", "s.n == 3", "s.n == 4"),
    "the state": ("domain.py", "tw.record(n=int8)", "tw.record(n=int8, m=int8)"),
    "an enum": ("domain.py", "EMPTY = 0", "EMPTY = 0; FULL = 1"),
    "another module's attribute": ("config.py", "SCALE = 1.0", "SCALE = 0.5"),
    "a helper in another file": ("helper.py", "return 1.0 *", "return 0.5 *"),
    "a helper's default": ("helper.py", "x=1.0", "x=0.5"),
    "a helper's helper's global": ("deeper.py", "DEEP = 1.0", "DEEP = 0.5"),
}


def test_every_edit_changes_the_fingerprint_and_no_comment_does(tmp_path):
    project = Project(tmp_path)
    before = project.python(KEY)
    project.edit("domain.py", "WIN = 0.5", "# a comment\n\n\nWIN = 0.5")
    assert project.python(KEY) == before
    keys = {before}
    project.restore("domain.py")
    for what, (file, old, new) in EDITS.items():
        project.edit(file, old, new)
        keys.add(project.python(KEY))
        project.restore(file)
        assert len(keys) == 2 + list(EDITS).index(what), f"{what} was not noticed"
    assert project.python(KEY) == before
    assert project.python(KEY, NUMBA_BOUNDSCHECK="1") not in keys


def test_a_set_in_the_code_has_one_fingerprint(tmp_path):
    """Sets of words are in another order in each process."""
    project = Project(tmp_path)
    assert len({project.python(SETS, PYTHONHASHSEED=str(seed)) for seed in range(4)}) == 1


def test_edits_are_picked_up_at_once(tmp_path):
    project = Project(tmp_path)
    assert project.run() == [0.5, 0, []]
    assert project.run() == [0.5, 1, []], "the second process must find the kernel"
    for what in ("a global", "a helper in another file"):
        file, old, new = EDITS[what]
        project.edit(file, old, new)
        assert project.run() == [0.25, 0, []], what
        project.restore(file)
    project.rename("deeper", "deepest")
    assert project.run() == [0.5, 0, []], "a module that went by another name"
    assert project.run({"solver": True})[1] == 0, "a structural switch is another kernel"
    assert project.run({"c": 0.3})[1] == 1, "a number is not"


def test_what_is_kept_is_run_without_the_compiler(tmp_path):
    project = Project(tmp_path)
    assert "numba" in project.python(RUN + IMPORTED, "{}")
    assert project.python(RUN + IMPORTED, "{}") == "[]"


def test_a_module_that_nobody_can_import_by_its_name(tmp_path):
    """A file that was executed, as many programs load them, is in no list of modules."""
    project = Project(tmp_path)
    run = RUN.replace("from domain import Small", LOOSE)
    for hits in (0, 1):
        assert json.loads(project.python(run, "{}")) == [0.5, hits, []]


def test_two_processes_at_once(tmp_path):
    project = Project(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        found = [f.result() for f in [pool.submit(project.run) for _ in range(2)]]
    assert [value for value, _, _ in found] == [0.5, 0.5]
    assert sorted(hits for _, hits, _ in found) == [0, 1], "one compiles, the other waits for it"
    assert project.run()[1] == 1


def test_without_a_writable_cache(tmp_path):
    project = Project(tmp_path)
    project.cache.write_text("a file where the folder should be")
    value, hits, warned = project.run()
    assert (value, hits) == (0.5, 0)
    assert len(warned) == 1
    assert "can't be kept in" in warned[0]


def test_what_cannot_be_fingerprinted_is_not_cached(tmp_path):
    project = Project(tmp_path)
    project.edit(
        "deeper.py",
        "def deep():\n    return DEEP\n",
        "from numba.extending import overload\n"
        "def deep():\n    return DEEP\n"
        "@overload(deep)\n"
        "def other():\n    return lambda: 0.25\n",
    )
    value, hits, warned = project.run()
    assert (value, hits) == (0.125, 0)
    assert "has a Numba overload" in warned[0]


def test_prune_and_clear(tmp_path, monkeypatch):
    from treewright.kernel import cache

    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    new, old = "0" * 32, "1" * 32
    for name in (old, new):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.py").write_text("x = 1\n")
    os.utime(tmp_path / old, (0, 0))
    assert [p.name for p in cache.entries()] == [new, old]
    assert cache.prune() == 1
    assert [p.name for p in cache.entries()] == [new]
    assert cache.size(tmp_path / new) == 6
    assert cache.clear() == 1
    assert cache.entries() == []


@pytest.mark.parametrize("folder", ["missing", "missing/deeper"])
def test_a_cache_that_does_not_exist_is_empty(tmp_path, monkeypatch, folder):
    from treewright.kernel import cache

    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / folder))
    assert cache.entries() == []
    assert cache.clear() == 0
