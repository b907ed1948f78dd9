"""On a GPU: the trees are those of the CPU, node for node, for a thousand seeds."""

import os

import numpy as np
import pytest

import treewright as tw
from treewright.kernel.gpu.driver import device
from treewright.workshop.samples import samples
from treewright.workshop.signature import VARIANTS


@pytest.fixture(scope="module", autouse=True)
def there():
    try:
        return device()
    except tw.TreewrightError as reason:
        pytest.skip(f"NOT TESTED ON A DEVICE: {reason}")


# six domains and more, with twelve sets of switches and more
SAME = [
    ("tictactoe", "uct"),
    ("tictactoe", "solver"),
    ("tictactoe", "rules"),
    ("connect-four", "uct"),
    ("connect-four", "rave"),
    ("connect-four", "selection-bias"),
    ("connect-four", "widening"),
    ("nim", "fpu"),
    ("nim", "rave-fade"),
    ("samegame", "uct"),
    ("samegame", "max-backup"),
    ("samegame", "weighted"),
    ("samegame", "table-rollout"),
    ("foundry", "own"),
    ("foundry", "turn"),
    ("knockout-whist", "cheating"),
    ("samegame", "epsilon-greedy"),
    ("liars-dice", "cheating"),
    ("go-5x5", "uct"),
    ("go-5x5", "rave-first"),
]
# their functions take powers and logarithms of their own, which a GPU rounds in another way
ALIKE = [
    ("go-5x5", "puct"),
    ("go-5x5", "noise"),
    ("go-5x5", "own"),
    ("levels", "own"),
    ("splitting", "own"),
]
SEEDS = int(os.environ.get("TREEWRIGHT_GPU_SEEDS", "1000"))


def forests(name, variant):
    sample = samples()[name]
    options = sample.own if variant == "own" else VARIANTS[variant]
    domain = sample.domain()
    memory = SEEDS * 2**16
    made = [
        tw.Forest(domain, SEEDS, options, seed=7, memory=memory, engine=e) for e in ("gpu", None)
    ]
    for simulations in (1, sample.simulations):
        for forest in made:
            forest.run(simulations)
    return made


@pytest.mark.parametrize(("name", "variant"), SAME)
def test_the_same_tree(name, variant):
    mine, theirs = forests(name, variant)
    assert (mine.simulations == theirs.simulations).all()
    for i in range(SEEDS):
        a, b = mine._trees.saved(i), theirs._trees.saved(i)
        for part in a:
            for field in a[part].dtype.names or (...,):  # not the bytes between fields
                assert a[part][field].tobytes() == b[part][field].tobytes(), (i, part, field)
    assert (mine.best == theirs.best).all()
    a, b = mine.roots(), theirs.roots()
    assert (a.action == b.action).all()
    assert (a.value == b.value).all()


@pytest.mark.parametrize(("name", "variant"), ALIKE)
def test_the_same_tree_but_for_the_last_bits(name, variant):
    mine, theirs = forests(name, variant)
    same = 0
    for i in range(SEEDS):
        a, b = mine._trees.saved(i)["nodes"], theirs._trees.saved(i)["nodes"]
        if len(a) == len(b) and all((a[f] == b[f]).all() for f in ("action", "visits")):
            same += 1
            assert np.allclose(a["value"], b["value"], rtol=1e-9)
    print(f"{name}/{variant}: {same} of {SEEDS} trees have the same nodes and visits")
    assert same >= 0.99 * SEEDS


def test_a_position_goes_on_where_the_gpu_stopped():
    domain = samples()["connect-four"].domain()
    forest = tw.Forest(domain, 8, seed=3, memory=8 * 2**20, engine="gpu").run(100)
    one = tw.Search(domain, seed=5, memory=2**20)
    one.run(100)
    copied = forest.search(2)
    assert copied.result().children == one.result().children
    assert copied.run(50).children == one.run(50).children


def test_a_limit_of_time_is_met():
    forest = tw.Forest(samples()["connect-four"].domain(), 1000, memory="2GiB", engine="gpu")
    forest.run(5)
    forest.run(10**9, seconds=0.5)
    assert forest._seconds < 5
    assert len(set(forest.simulations.tolist())) <= 2
