"""Maps: distances against plain breadth-first search, methods, files, bad input."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.apps.maps import fields
from treewright.apps.maps.flood import pack
from treewright.apps.maps.methods import fitness_of, generate
from treewright.apps.maps.output import write
from treewright.apps.maps.revise import Revise
from treewright.apps.maps.spec import FLOOR, WALL, MapSpec, SpecError, load_spec
from treewright.apps.maps.walls import Walls, unpack
from treewright.apps.maps.ways import distances

NEAR_FAR = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]])


def small(width=7, height=6, fixed=None):
    corners = ((0, 0), (width - 1, 0), (width - 1, height - 1))
    nothing = np.zeros((height, width), np.int8)
    return MapSpec(width, height, corners, NEAR_FAR, nothing if fixed is None else fixed)


@st.composite
def maps(draw):
    """A specification and random walls; wide ones need two words a row."""
    width = draw(st.sampled_from([2, 5, 9, 62, 63, 70]))
    height = draw(st.integers(2, 6))
    spec = small(width, height)
    density = draw(st.sampled_from([0.0, 0.1, 0.3]))
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    walls = (dice.random((height, width)) < density).astype(np.uint8)
    for x, y in spec.checkpoints:
        walls[y, x] = 0
    return spec, walls


@settings(max_examples=40, deadline=None)
@given(maps())
def test_the_flood_agrees_with_plain_search(case):
    spec, walls = case
    domain = Walls(spec, target=0)
    s = domain.new_state()
    s._record["open"][0][:] = pack(walls)
    out = [0.0]
    domain.interpreted["rewards"](s, domain.interpreted_tables, out)
    fitness, far, near = fitness_of(walls, spec)
    assert out[0] == fitness
    if fitness:
        assert (s.far, s.near) == (far, near)
    assert (unpack(pack(walls), spec.width, spec.height) == walls).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([(2, 2), (5, 4), (8, 7)]))
def test_the_fields_stay_exact_through_random_flips(seed, size):
    """Open and close cells, undo some, and compare with fields from scratch each time."""
    spec = small(*size)
    domain = Revise(spec)
    t = domain.interpreted_tables
    s = domain.new_state()
    names = ("measure", "foresee", "flip", "unflip")
    do = {name: domain.interpret(getattr(fields, name)) for name in names}
    dice = np.random.default_rng(seed)
    for _ in range(30):
        v = int(dice.choice(domain.tables["cells"])) if len(domain.tables["cells"]) else None
        if v is None:
            return
        before = s._record.copy()
        others = [u for u in (v + 1, v + size[0] + 2) if domain.tables["changeable"][u]]
        tried = [v, *others][: int(dice.integers(1, 4))]
        for i, u in enumerate(tried):
            s.tried[i] = u
        s.fitness = old = do["measure"](s, t)
        promised = do["foresee"](s, t, len(tried))
        s.fitness = 0.0  # so that nothing connected is refused
        found = do["flip"](s, t, len(tried))
        if promised == fields.SAME:
            assert found == old
        elif promised == fields.WORSE:
            assert found < old
        elif promised == fields.NO_BETTER:
            assert found <= old
        if found < 0 or dice.random() < 0.3:
            do["unflip"](s, len(tried))
            assert (s._record["d"] == before["d"]).all()
            assert (s._record["wall"] == before["wall"]).all()
        s.logged = 0
        walls = domain.walls(s)
        for k, checkpoint in enumerate(spec.checkpoints):
            expected = distances(walls, checkpoint)
            size_of = (size[0] + 2) * (size[1] + 2)
            field = s._record["d"][0][k * size_of : (k + 1) * size_of]
            found = field.reshape(size[1] + 2, size[0] + 2)[1:-1, 1:-1]
            assert (np.where(found >= fields.nowhere(*size), -1, found) == expected).all()
        assert do["measure"](s, t) == fitness_of(walls, spec)[0]


def test_the_empty_map_of_the_paper_has_fitness_one():
    spec = load_spec("mcguinness")
    assert fitness_of(spec.start(), spec) == (1.0, 200, 200)
    assert len(spec.pairs) == 10
    assert spec.groups == [0, 0, 1, 1, 0, 1]


def test_both_engines_make_the_same_map():
    spec = small()
    found = []
    for engine in ("python", "compiled"):
        domain = Walls(spec, target=3, limit=12)
        options = tw.Options(c=2.0, rollout=tw.Rollout("domain"), keep_state=True)
        search = tw.MultiPass(
            domain, options, passes=4, simulations=40, progress=3, seed=5, engine=engine, score=1.0
        )
        result = search.run()
        found.append((result.best_score, domain.walls(result.state).tolist()))
        assert [p.number for p in result.passes] == [0, 1, 2, 3]
    assert found[0] == found[1]


def test_revisions_never_hurt_and_leave_what_is_fixed():
    fixed = np.zeros((6, 7), np.int8)
    fixed[2, 1:4] = WALL
    fixed[4, :] = FLOOR
    spec = small(fixed=fixed)
    domain = Revise(spec, proposals=40, revisions=2, seed=3)
    search = tw.MultiPass(
        domain,
        tw.Options(c=0.05, rave=tw.Rave(k=50), keep_state=True),
        passes=5,
        simulations=3,
        keep="equal",
        score=fitness_of(spec.start(), spec)[0],
        engine="python",
    )
    result = search.run()
    bests = [p.best for p in result.passes]
    assert bests == sorted(bests)
    walls = domain.walls(result.state)
    assert fitness_of(walls, spec)[0] == pytest.approx(result.best_score)
    assert result.best_score > 1.0
    assert walls[2, 1:4].all()
    assert not walls[4].any()


@pytest.fixture(scope="module")
def made():
    return {m: generate("mcguinness", m, 4000, seed=1) for m in ("revisions", "evolution", "paper")}


def test_every_method_makes_a_valid_map(made):
    for method, found in made.items():
        assert found.fitness == fitness_of(found.walls, found.spec)[0] >= 1.0, method
        assert 0 < found.evaluations <= 4000
        fitness = [p.fitness for p in found.curve]
        assert fitness == sorted(fitness)
        assert fitness[-1] == pytest.approx(found.fitness)
    assert made["revisions"].fitness > made["evolution"].fitness


def test_the_seed_decides(made):
    again = generate("mcguinness", "revisions", 4000, seed=1)
    assert again.rows == made["revisions"].rows
    assert generate("mcguinness", "revisions", 4000, seed=2).rows != again.rows
    climb = generate("mcguinness", "hill-climbing", 4000, seed=1)
    assert climb.fitness >= 1.0


def test_files(made, tmp_path):
    from PIL import Image

    found = made["revisions"]
    for name in ("map.png", "map.txt", "map.json", "map.tmx", "map.tmj"):
        for path in write(found, tmp_path / name):
            assert path.stat().st_size > 0
    assert (tmp_path / "map.txt").read_text().split() == found.rows
    assert json.loads((tmp_path / "map.json").read_text())["fitness"] == found.fitness
    with Image.open(tmp_path / "map.png") as picture:
        assert picture.size == (51 * 16, 51 * 16)
        red, green, blue = picture.getpixel((25 * 16 + 8, 7))  # the banner at (25, 0)
        assert red > 2 * max(green, blue)
    with pytest.raises(tw.OptionError, match="one of"):
        write(found, tmp_path / "map.gif")


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_a_map_says_which_tiled_reads_it(made, tmp_path, suffix):
    """It need not, says Tiled; but pytiled-parser, the reader of Arcade, took no map without it."""
    write(made["revisions"], tmp_path / f"map.{suffix}")
    assert "tiledversion" in (tmp_path / f"map.{suffix}").read_text()


@pytest.mark.skipif(shutil.which("tiled") is None, reason="the editor Tiled is not installed")
@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_tiled_opens_what_we_write(made, tmp_path, suffix):
    import os

    path = tmp_path / f"map.{suffix}"
    write(made["revisions"], path)
    out = tmp_path / "again.tmj"
    subprocess.run(
        ["tiled", "--export-map", str(path), str(out)],
        check=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        timeout=60,
        capture_output=True,
    )
    read = json.loads(out.read_text())
    tiles = np.array(read["layers"][0]["data"]).reshape(51, 51)
    assert ((tiles == 2) == (made["revisions"].walls == 1)).all()
    assert len(read["layers"][1]["objects"]) == 6


# ------------------------------------------------------------------------- specifications

TOML = """
width = 5
height = 4
checkpoints = [[0, 0], [4, 0], [4, 3]]
requirements = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
walls = [[2, 2]]
floor = [[1, 1]]
"""


def test_three_ways_to_say_the_same(tmp_path):
    (tmp_path / "a.toml").write_text(TOML)
    (tmp_path / "a.txt").write_text("A...B\n._...\n..#..\n....C\n\n0 1 2\n1 0 2\n2 2 0\n")
    drawn = tmp_path / "b.toml"
    drawn.write_text('sketch = """\nA...A\n._...\n..#..\n....B\n"""\n')
    specs = [load_spec(tmp_path / n) for n in ("a.toml", "a.txt", "b.toml")]
    for spec in specs:
        assert (spec.fixed == specs[0].fixed).all()
        assert spec.checkpoints == specs[0].checkpoints
        assert (spec.requirements == NEAR_FAR).all()


def test_a_png_sketch(tmp_path):
    from PIL import Image

    picture = Image.new("RGB", (5, 4), "white")
    for x, y, colour in ((0, 0, "red"), (4, 0, "red"), (4, 3, "blue"), (2, 2, "black")):
        picture.putpixel((x, y), Image.new("RGB", (1, 1), colour).getpixel((0, 0)))
    picture.putpixel((1, 1), (128, 128, 128))
    picture.save(tmp_path / "s.png")
    spec = load_spec(tmp_path / "s.png")
    assert spec.checkpoints == ((0, 0), (4, 0), (4, 3))
    assert (spec.requirements == NEAR_FAR).all()
    assert spec.fixed[2, 2] == WALL
    assert spec.fixed[1, 1] == FLOOR


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[4, 3]]", "[5, 3]]", r"checkpoint 2 at \(5, 3\) is outside the grid"),
        ("[4, 3]]", "[2, 2]]", r"checkpoint 2 at \(2, 2\) is on a fixed wall"),
        ("[4, 3]]", "[0, 0]]", "the same cell as checkpoint 0"),
        ("[1, 0, 2]", "[1, 0, 1]", "symmetric"),
        ("[1, 0, 2], ", "", "2 x 3, but 3 checkpoints need 3 x 3"),
        ("[1, 0, 2]", "[1, 0]", "not n x n"),
        ("[0, 1, 2], [1", "[0, 3, 2], [3", "must be 0 .ignore., 1 .near. or 2 .far."),
        ("[0, 1, 2]", "[1, 1, 2]", "to itself"),
        ("walls = [[2, 2]]", "walls = [[3, 0], [3, 1], [3, 2], [3, 3]]", "fixed walls separate"),
        ("walls = [[2, 2]]", "walls = [[9, 2]]", "outside the 5 x 4 grid"),
        ("walls = [[2, 2]]", "walls = [[1, 1]]", "both a fixed wall and fixed floor"),
        ("width = 5", "width = 'x'", "width must be a whole number"),
        ("width = 5", "widht = 5", "did you mean 'width'"),
        ("width = 5", "width = 9999", "between 2 and 255"),
        ("width = 5", "width = ", "not valid TOML"),
        ("checkpoints = [[0, 0], [4, 0], [4, 3]]", "", "'checkpoints' is missing"),
        ("[4, 0], [4, 3]]", "4, 3]", r"checkpoints\[1\] must be \[x, y\]"),
    ],
)
def test_bad_specifications(tmp_path, old, new, says):
    assert old in TOML
    path = tmp_path / "bad.toml"
    path.write_text(TOML.replace(old, new, 1))
    with pytest.raises(SpecError, match=says):
        load_spec(path)


def test_other_bad_input(tmp_path):
    (tmp_path / "a.txt").write_text("A..\n..?\n..B\n")
    (tmp_path / "b.txt").write_text("A..\n....\n..B\n")
    (tmp_path / "c.png").write_text("no picture")
    for name, says in (
        ("a.txt", "row 2, column 3"),
        ("b.txt", "row 2: 4 characters"),
        ("c.png", "can't be read as a picture"),
        ("no.toml", "there is no file"),
        ("mcguiness", "did you mean 'mcguinness'"),
    ):
        with pytest.raises(SpecError, match=says):
            load_spec(tmp_path / name if "." in name else name)
    with pytest.raises(tw.OptionError, match="no method 'revision'; did you mean 'revisions'"):
        generate("mcguinness", "revision")
    with pytest.raises(tw.OptionError, match="evaluations must be"):
        generate("mcguinness", evaluations=0)
    with pytest.raises(tw.OptionError, match=r"step='0\.3' is unknown"):
        generate("mcguinness", "paper", step="0.3")
    with pytest.raises(tw.OptionError, match="does not say how to shrink"):
        tw.MultiPass(tw.make("nim"))


def test_growing_walls_keep_their_distance():
    from treewright.apps.maps.grow import Grow

    spec = small(15, 13)
    domain = Grow(spec, spacing=4, gap=1)
    position = tw.Position(domain)
    assert len(position.legal()) == 8 * len(domain.tables["seeds"])
    position.play(0)  # the first seed, at (2, 2), grows east to the border
    walls = domain.walls(position.state)
    assert walls[2, 2:].all()
    assert walls.sum() == 13
    domain = Grow(spec, target=2)
    options = tw.Options(c=0.1, rave=tw.Rave(), rollout=tw.Rollout("domain"), keep_state=True)
    search = tw.MultiPass(
        domain, options, passes=4, simulations=20, progress=2, engine="python", score=1.0
    )
    found = search.run()
    assert found.best_score > 1.0
    assert fitness_of(domain.walls(found.state), spec)[0] == found.best_score
