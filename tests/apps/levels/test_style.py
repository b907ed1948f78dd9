"""Novelty, themes, chunks, and enemies on the ground."""

import pytest

from treewright.apps.levels import metrics
from treewright.apps.levels.chain import learn
from treewright.apps.levels.chunks import FLAT, chunks_of
from treewright.apps.levels.controls import Controls
from treewright.apps.levels.copies import automaton
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.ends import is_plain
from treewright.apps.levels.formats import read_corpus
from treewright.apps.levels.generate import generate, own_chain, own_corpus
from treewright.apps.levels.ground import floating, grounded, grounded_chain
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import playable
from treewright.apps.levels.themes import THEMES
from treewright.apps.levels.tiles import TILES, LevelError


def test_novelty_is_kept():
    chain = own_chain()
    runs = automaton(chain.levels)
    shares = {}
    for novelty in (None, 0.8):
        domain = Levels(chain, Controls(length=160, novelty=novelty))
        made = [generate(domain, seed).level for seed in range(3)]
        assert all(playable(level, "large") for level in made)
        shares[novelty] = [metrics.copied(level.unmarked(), chain, runs)[1] for level in made]
    assert min(shares[None]) > 0.35
    assert max(shares[0.8]) < 0.35
    with pytest.raises(LevelError, match="a share from 0 to 1"):
        Controls(novelty=1.5)


def test_chunks_can_be_joined_anywhere_and_are_a_corpus(tmp_path, command):
    for level in own_corpus():
        for chunk in chunks_of(level):
            first, last = chunk.columns[:FLAT], chunk.columns[-FLAT:]
            assert len(set(first)) == len(set(last)) == 1
            assert is_plain(first[0])
            assert is_plain(last[0])
            assert "".join(chunk.rows[0]) in level.rows[0].replace("M", "-").replace("F", "-")
    said = command("level", "chunks", "--out", "chunks")
    assert "edit them" in said
    assert len(read_corpus(tmp_path / "chunks")) > 100
    (tmp_path / "air.txt").write_text("-----\n" * 4)
    assert "nothing to cut" in command(
        "level", "chunks", "--corpus", "air.txt", "--out", "none", code=2
    )


def test_each_theme_draws_every_tile_in_its_own_way():
    pytest.importorskip("PIL", reason="Pillow is not installed: pip install 'treewright[levels]'")
    from treewright.apps.levels.drawing import tile, tile_sheet

    assert len({tile_sheet(theme) for theme in THEMES}) == len(THEMES)
    for character in TILES:
        for theme in THEMES:
            assert tile(character, True, theme).size == (16, 16)
    grounds = {tile("X", exposed, theme).tobytes() for theme in THEMES for exposed in (True, False)}
    assert len(grounds) == 2 * len(THEMES)


def test_enemies_fall_onto_the_floor_below_and_winged_ones_stay():
    level = Level(("E-E-G", "-----", "-E-o-", "--EE-", "XX-X-"))
    #  onto the floor; onto the floor; over a gap, away; one stands; one flies
    assert grounded(level).rows == ("----G", "-----", "---o-", "EE-E-", "XX-X-")
    assert (floating(level), floating(grounded(level))) == (4, 0)


def test_levels_from_a_corpus_with_floating_enemies_have_none_if_grounded():
    lifted = [Level(_lifted(level.rows), level.where) for level in own_corpus()]
    chain = learn(lifted)
    assert sum(map(floating, chain.corpus)) > 100
    level = generate(Levels(grounded_chain(chain), Controls(length=160)), 1).level
    assert level.enemies > 5
    assert floating(level) == 0


def _lifted(rows):
    """The same with every enemy three rows higher, where that is free."""
    tiles = [list(row) for row in rows]
    for row in range(3, len(tiles)):
        for column, tile in enumerate(tiles[row]):
            if TILES[tile].kind == "enemy" and tiles[row - 3][column] == "-":
                tiles[row][column], tiles[row - 3][column] = "-", tile
    return tuple("".join(row) for row in tiles)
