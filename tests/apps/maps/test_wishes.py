"""Symmetry and style, as part of what is asked for."""

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from treewright.apps.maps import scene
from treewright.apps.maps.methods import fitness_of, generate
from treewright.apps.maps.revise import Revise
from treewright.apps.maps.spec import (
    FLOOR,
    STYLES,
    SYMMETRIES,
    WALL,
    MapSpec,
    SpecError,
    load_spec,
    wished,
)
from treewright.apps.maps.style import planned, tidied
from treewright.apps.maps.ways import around, distances

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


def asked(style, symmetry="", fixed=()):
    """A map of 23 x 21 cells between four checkpoints, one of them on the border."""
    matrix = np.array([[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]])
    cells = np.zeros((21, 23), np.int8)
    for y, x, what in fixed:
        cells[y, x] = what
    return MapSpec(
        23, 21, ((0, 10), (5, 4), (17, 16), (22, 10)), matrix, cells, "asked", symmetry, style
    )


def squares(walls):
    """Where four cells of floor lie in a square."""
    floor = walls == 0
    return floor[1:, 1:] & floor[1:, :-1] & floor[:-1, 1:] & floor[:-1, :-1]


def reached(walls, spec):
    x, y = spec.checkpoints[0]
    return distances(walls, (x, y)) >= 0


@pytest.mark.parametrize("symmetry", ["", *SYMMETRIES])
@pytest.mark.parametrize("seed", [1, 2])
def test_rooms(symmetry, seed):
    spec = asked("rooms", symmetry)
    found = generate(spec, evaluations=4000, seed=seed)
    assert found.fitness > 0  # nobody is cut off
    assert (reached(found.walls, spec) == (found.walls == 0)).all()
    assert (found.walls == planned(spec, seed).mirrored(found.walls)).all()
    # most floor is in squares, and what is not is a corridor: one cell wide, not a dead end
    square = np.zeros((21, 23), bool)
    for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1)):
        square[dy : dy + 20, dx : dx + 22] |= squares(found.walls)
    floor = found.walls == 0
    assert square.sum() > 0.6 * floor.sum()
    for y, x in np.argwhere(floor & ~square).tolist():
        inside = [(u, v) for u, v in around((x, y)) if 0 <= u < 23 and 0 <= v < 21]
        beside = sum(not found.walls[v, u] for u, v in inside)
        assert beside >= 2 or (x, y) in spec.checkpoints or spec.image((x, y)) in spec.checkpoints


@pytest.mark.parametrize("symmetry", ["", *SYMMETRIES])
def test_corridors(symmetry):
    spec = asked("corridors", symmetry)
    found = generate(spec, evaluations=4000, seed=1)
    assert found.fitness > 0
    assert (reached(found.walls, spec) == (found.walls == 0)).all()
    assert (found.walls == spec.mirrored(found.walls)).all()
    assert squares(found.walls).sum() == 0
    assert (found.walls == 0).sum() > 180  # they fill the map: it has 110 cells to meet at


@pytest.mark.parametrize("size", [(9, 9), (10, 9), (12, 14), (14, 30), (33, 18), (255, 20)])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("symmetry", ["", *SYMMETRIES])
def test_a_style_is_drawn_at_any_size(size, style, symmetry):
    """With everything open the checkpoints are connected: a plan that they are not is refused."""
    width, height = size
    corners = ((0, 0), (width - 1, 0), (3, height - 1), (4, 4))
    matrix = 2 - 2 * np.eye(4, dtype=int)
    spec = MapSpec(
        width, height, corners, matrix, np.zeros((height, width), np.int8), "s", symmetry, style
    )
    plan = planned(spec, 3)
    assert plan.changeable().sum() >= 4
    before = fitness_of(plan.start(), plan)
    after = tidied(plan.start(), plan, spec, 3)
    assert fitness_of(after, plan) == before  # the same distances
    assert (after == spec.mirrored(after)).all()


def test_a_style_respects_what_is_fixed():
    fixed = [(6, x, FLOOR) for x in range(2, 12)] + [(y, 14, WALL) for y in range(3, 9)]
    for style in STYLES:
        walls = generate(asked(style, fixed=fixed), evaluations=2000, seed=1).walls
        assert not walls[6, 2:12].any()
        assert walls[3:9, 14].all()


@pytest.mark.parametrize("method", ["paper", "evolution", "hill-climbing"])
def test_methods_that_know_styles(method):
    found = generate(asked("corridors"), method, evaluations=500, seed=1)
    assert found.fitness > 0
    assert squares(found.walls).sum() == 0


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
    with pytest.raises(tw.OptionError, match="'evolution' knows no symmetry: take revisions"):
        generate(small(symmetry="turned"), method="evolution", evaluations=10)
    with pytest.raises(tw.OptionError, match="'growing' knows no style"):
        generate(asked("rooms"), method="growing", evaluations=10)
    tiny = MapSpec(8, 9, ((0, 0), (7, 8)), np.array([[0, 2], [2, 0]]), np.zeros((9, 8), np.int8))
    with pytest.raises(SpecError, match="a map of rooms has at least 9 x 9 cells, not 8 x 9"):
        generate(replace(tiny, style="rooms"), evaluations=10)
    shut = [(y, 11, WALL) for y in range(21) if y != 8]
    with pytest.raises(SpecError, match="with its fixed walls no corridors connect"):
        generate(asked("corridors", fixed=shut), evaluations=10)


def test_the_picture_of_a_map_has_a_banner_at_each_checkpoint():
    pixels = scene.paint_map(small().start(), small())
    assert pixels.shape == (160, 192, 3)
    colours = {tuple(c) for c in pixels.reshape(-1, 3).tolist()}
    assert {(226, 74, 58), (64, 140, 214)} <= colours  # two groups
    assert scene.paint_map(np.zeros((81, 90), np.uint8), small()).shape == (648, 720, 3)


def test_torches_hang_in_rooms_and_light_them():
    walls = np.ones((12, 40), np.uint8)
    walls[3:8, 2:38] = 0
    corridors = walls.copy()
    corridors[4:8] = 1
    room, corridor = scene.paint(walls, [], 8), scene.paint(corridors, [], 8)
    flame = scene.COLOURS["y"]
    assert any((room == flame).all(axis=2)[16:24].any(axis=0))
    assert not (corridor == flame).all(axis=2).any()
    floor = room[32:40].astype(int).sum(axis=2)
    assert floor.max() > 1.3 * np.median(corridor[24:32].astype(int).sum(axis=2))


def test_a_way_is_drawn_under_the_banners():
    spec = small()
    way = [(x, 0) for x in range(12)]
    shown, plain = (scene.paint_map(spec.start(), spec, w) for w in (way, ()))
    changed = (shown != plain).any(axis=2)
    assert not changed[16:].any()
    seen = [x for x in range(12) if changed[:16, 16 * x : 16 * x + 16].any()]
    assert seen == [x for x in range(12) if (x, 0) not in spec.checkpoints]
