"""Large sets as files: whole, listed, resumed, refused."""

import hashlib
import json
import zipfile

import pytest

from treewright.errors import OptionError
from treewright.workshop.shards import ShardError, Target, packed, put, write_shards

pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'treewright[cluster]'")
SETTINGS = {"seed": 1, "of": (1, 2)}


def maker(target, asked):
    def make(numbers):
        for number in numbers:
            asked.append(number)
            yield put(target, number, [("a.txt", b"%d" % number)], things=1)

    return make


def index(folder):
    return json.loads((folder / "index.json").read_text())


def test_shards_are_written_listed_and_not_made_again(tmp_path):
    folder = tmp_path / "deep" / "set"
    target, asked = Target(str(folder)), []
    steps = write_shards(target, SETTINGS, 4, maker(target, asked))
    next(steps)
    next(steps)
    steps.close()  # stopped: what is there is listed
    assert [s["shard"] for s in index(folder)["shards"]] == [0, 1]
    seen = []
    again = write_shards(target, SETTINGS, 4, maker(target, asked), lambda e: seen.append(len(e)))
    assert [entry["shard"] for entry in again] == [2, 3]
    assert asked == [0, 1, 2, 3]
    assert seen == [2, 3, 4]
    for entry in index(folder)["shards"]:
        data = (folder / entry["file"]).read_bytes()
        assert entry["bytes"] == len(data)
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
        with zipfile.ZipFile(folder / entry["file"]) as shard:
            assert shard.read("a.txt") == b"%d" % entry["shard"]
    assert len(list(folder.iterdir())) == 5  # nothing half-written is left


def test_a_url_is_a_target_too():
    target = Target("memory://sets/one")
    entries = list(write_shards(target, SETTINGS, 2, maker(target, [])))
    assert len(entries) == 2
    assert target.read(entries[1]["file"]) == packed([("a.txt", b"1")])
    assert target.read("nothing") is None


def test_the_same_contents_are_the_same_bytes():
    assert packed([("a", b"1"), ("b", b"2")]) == packed([("a", b"1"), ("b", b"2")])


def test_what_can_not_be_used_is_one_sentence(tmp_path):
    target = Target(str(tmp_path / "set"))
    list(write_shards(target, SETTINGS, 1, maker(target, [])))
    with pytest.raises(ShardError, match="holds a set with other settings"):
        list(write_shards(target, {"seed": 2}, 1, maker(target, [])))
    (tmp_path / "set" / "index.json").write_text("[]")
    with pytest.raises(ShardError, match="not an index of shards"):
        list(write_shards(target, SETTINGS, 1, maker(target, [])))
    (tmp_path / "set" / "index.json").write_text("{")
    with pytest.raises(ShardError, match="is no JSON"):
        list(write_shards(target, SETTINGS, 1, maker(target, [])))
    with pytest.raises(OptionError, match="the target is empty"):
        Target("")
    with pytest.raises(ShardError, match="can't be reached"):
        Target("nowhere-fs://x/y").write("a", b"")
    (tmp_path / "file").write_text("")
    with pytest.raises(ShardError, match=r"can't write index.json to file://.*file/below"):
        below = Target(str(tmp_path / "file" / "below"))
        list(write_shards(below, SETTINGS, 1, maker(below, [])))


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch):
    target = Target(str(tmp_path / "set"))
    from fsspec.implementations.local import LocalFileOpener

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LocalFileOpener, "write", full)
    with pytest.raises(
        ShardError, match=r"can't write shard-00000.zip .*: No space left on device"
    ):
        put(target, 0, [("a", b"1")])
    assert [p for p in (tmp_path / "set").iterdir() if p.suffix == ".zip"] == []
