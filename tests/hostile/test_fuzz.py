"""A short run of every fuzzer; ``make hostile`` may run them for longer."""

import io
import sys

import pytest
from fuzz_disk import fuzz_cache, fuzz_full
from fuzz_edits import fuzz_edits
from fuzz_files import READERS, fuzz_reader
from fuzz_rules import fuzz as fuzz_rules
from fuzz_words import fuzz_gtp, fuzz_options, put_files

SLOW = {"chain": 40, "library": 60, "story": 60, "problem": 20, "upload-story": 20}


@pytest.mark.parametrize("name", sorted(READERS))
def test_readers(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen, wrong = fuzz_reader(name, SLOW.get(name, 150), tmp_path)
    assert not wrong, (seen, wrong[:5])


def test_edits():
    seen, wrong = fuzz_edits(200, elsewhere=100)
    assert not wrong, (seen, wrong[:5])
    assert seen["told apart"] > 100


def test_edited_rules(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    seen, wrong = fuzz_rules(12, tmp_path)
    assert not wrong, wrong[:2]
    assert seen["equal"] == 12


def test_damaged_caches(tmp_path):
    seen, wrong = fuzz_cache(60, tmp_path)
    assert not wrong, (seen, wrong[:5])
    assert seen["refused"]


def test_full_disks(tmp_path):
    seen, wrong = fuzz_full(30, tmp_path, mounts=False)
    assert not wrong, (seen, wrong[:5])
    assert seen["refused"]


def test_gtp():
    from treewright.apps.go.gtp.engine import Engine, MoveBudget
    from treewright.apps.go.gtp.player import style

    engine = Engine(io.StringIO(), style(resign=0.0), MoveBudget(10), size=5)
    seen, wrong = fuzz_gtp(engine, 300)
    assert not wrong, (seen, wrong[:5])


def test_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path)
    seen, wrong = fuzz_options(150)
    assert not wrong, (seen, wrong[:5])
