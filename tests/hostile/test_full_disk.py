"""A disk that fills: one sentence, what was there before is still there, and nothing else is."""

import contextlib
import functools
import resource
from pathlib import Path

import pytest

import treewright as tw
from treewright.errors import TreewrightError
from treewright.library.writing import json_text, whole, write_whole

OLD = b"what was there before"


@contextlib.contextmanager
def no_room(room=2_000):
    """Files can't grow beyond some bytes, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@functools.cache
def searched():
    from treewright.apps.games.nim import Nim

    found = tw.Search(Nim(heap=21), engine="python", memory="1MiB")
    found.run(60)
    return found


def tree(path):
    from treewright.library.tree_picture import draw_tree

    draw_tree(searched(), path, depth=6, top=3)


def level(path):
    from treewright.apps.levels.formats import write_level
    from treewright.apps.levels.level import Level

    write_level(Level((*["-" * 300] * 13, "X" * 300)), path)


def model(path):
    from treewright.apps.levels.player_model import PlayerModel

    PlayerModel("taste", {"gaps": 1.0}, {"gaps": (0.0, 1.0)}, about={"note": "x" * 5000}).save(path)


def saved_game(path):
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.saves import Record, save

    save(Record(HeroAcademy(), [0] * 5000), path)


def record(path):
    from treewright.apps.go.gtp import sgf
    from treewright.apps.go.gtp.game import Game

    game = Game(9)
    game.moves = [(1, 0)] * 2000
    write_whole(path, sgf.write(game))


WRITERS = [
    (tree, "tree.svg"),
    (tree, "tree.dot"),
    (lambda path: searched().save(path), "tree.npz"),
    (level, "level.json"),
    (level, "level.txt"),
    (model, "model.json"),
    (saved_game, "game.json"),
    (record, "game.sgf"),
]


@pytest.mark.parametrize(("write", "name"), WRITERS)
def test_nothing_half_written_is_left(write, name, tmp_path):
    path = tmp_path / name
    for before in (None, OLD):
        if before is not None:
            path.write_bytes(before)
        with no_room(), pytest.raises(TreewrightError, match="can't be written: "):
            write(path)
        assert [p.name for p in tmp_path.iterdir()] == ([name] if before else [])
        if before is not None:
            assert path.read_bytes() == OLD
    write(path)
    assert path.read_bytes() != OLD
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_writer_that_raises_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), whole(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_devices_links_and_names(tmp_path):
    write_whole(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()
    real = tmp_path / "real.txt"
    real.write_text("old")
    (tmp_path / "link.txt").symlink_to(real)
    write_whole(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert real.read_text() == "new"
    for name in ("no\0name", "x" * 300, "no/folder/file"):
        with pytest.raises(TreewrightError):
            write_whole(tmp_path / name, "text")
    write_whole(tmp_path / ("é" * 120 + ".txt"), "half a character \ud800")
    assert len(list(tmp_path.iterdir())) == 3


def test_json_knows_no_infinity():
    import numpy as np

    data = {"a": float("nan"), 1: [np.float64("inf"), np.int64(3), (1.5, None)], "b": True}
    assert json_text(data) == '{"a": null, "1": [null, 3, [1.5, null]], "b": true}\n'
