"""Symmetry and style, as part of what is asked for."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.maps import scene
from treewright.apps.maps.methods import fitness_of, generate
from treewright.apps.maps.revise import Revise
from treewright.apps.maps.spec import SYMMETRIES, MapSpec, SpecError, load_spec, wished

MIRRORS = {
    "left-right": lambda w: w[:, ::-1],
    "top-bottom": lambda w: w[::-1],
    "turned": lambda w: w[::-1, ::-1],
}


def small(**wishes):
    matrix = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]])
    fixed = np.zeros((10, 12), np.int8)
    return MapSpec(12, 10, ((0, 0), (3, 0), (11, 9)), matrix, fixed, "small", **wishes)


def revised(spec, seed=1, eager=0.0, rounds=3):
    """A map after some revisions by the interpreted rules, and its state."""
    domain = Revise(spec, proposals=160, revisions=9, eager=eager, seed=seed)
    state = domain.new_state()
    for kind in range(rounds):
        domain.interpreted["play"](state, domain.interpreted_tables, kind % 4)
    return domain.walls(state), state


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_a_symmetric_map(symmetry):
    spec = small(symmetry=symmetry)
    walls, state = revised(spec)
    assert (walls == MIRRORS[symmetry](walls)).all()
    assert walls.sum() > 4
    assert state.fitness == pytest.approx(fitness_of(walls, spec)[0])
    assert state.fitness > fitness_of(spec.start(), spec)[0]
    for x, y in spec.checkpoints:
        assert walls[y, x] == 0


def borders(walls):
    return int((walls[1:] != walls[:-1]).sum() + (walls[:, 1:] != walls[:, :-1]).sum())


def squares(walls):
    floor = walls == 0
    return int((floor[1:, 1:] & floor[1:, :-1] & floor[:-1, 1:] & floor[:-1, :-1]).sum())


def test_styles_differ_as_they_say():
    found = {
        style: [revised(small(style=style), seed, 0.0, 4)[0] for seed in (1, 2)]
        for style in ("", "rooms", "corridors")
    }
    assert sum(map(squares, found["corridors"])) < 0.5 * sum(map(squares, found[""]))
    assert sum(map(borders, found["rooms"])) < 0.5 * sum(map(borders, found[""]))


def test_wishes_in_a_file_and_on_the_command_line(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(
        'symmetry = "turned"\nstyle = "rooms"\nsketch = """\nA....\n.....\n....B\n"""\n'
    )
    spec = load_spec(path)
    assert (spec.symmetry, spec.style) == ("turned", "rooms")
    assert wished(str(path), style="corridors").style == "corridors"
    assert not spec.changeable()[0, 4] or spec.changeable()[2, 0]


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        ({"symmetry": "left-rigth"}, "did you mean 'left-right'"),
        ({"style": "rom"}, "did you mean 'rooms'"),
    ],
)
def test_wishes_that_are_unknown(wishes, says):
    with pytest.raises(SpecError, match=says):
        small(**wishes)


def test_wishes_that_cannot_be(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("A...#\n.....\n....B\n")
    with pytest.raises(SpecError, match=r"not symmetric \(left-right\): \(0, 0\) differs"):
        wished(str(path), symmetry="left-right")
    with pytest.raises(tw.OptionError, match="knows no symmetry and no style: take revisions"):
        generate(small(style="rooms"), method="evolution", evaluations=10)


def test_the_picture_of_a_map_has_a_banner_at_each_checkpoint():
    pixels = scene.paint_map(small().start(), small())
    assert pixels.shape == (160, 192, 3)
    colours = {tuple(c) for c in pixels.reshape(-1, 3).tolist()}
    assert {(226, 74, 58), (64, 140, 214)} <= colours  # two groups
    assert scene.paint_map(np.zeros((81, 90), np.uint8), small()).shape == (648, 720, 3)
