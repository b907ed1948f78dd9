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


def play_alike(*forests):
    """Three moves of games side by side: the same visits and the same moves in both forests."""
    for _ in range(3):
        for forest in forests:
            forest.run(50)
        mine, theirs = forests
        assert (mine.roots().visits == theirs.roots().visits).all()
        assert (mine.best == theirs.best).all()
        for forest in forests:
            forest.commit()


def test_an_evaluator_beside_the_trees():
    """Leaves are read, and answers given, in the device's memory; games are played side by side."""
    from numba import cuda

    domain = samples()["connect-four"].domain()

    def guess(players):
        values = (0.25 + 0.5 * players).astype(np.float32)
        return values, np.tile(np.arange(1.0, 8.0, dtype=np.float32), (len(players), 1))

    def on_the_device(states):
        players = cuda.as_cuda_array(states["player"]).copy_to_host()
        return tuple(cuda.to_device(part) for part in guess(players))

    how = {"seed": 2, "memory": "64MiB", "batch": 2}
    mine = tw.Forest(domain, 100, engine="gpu", evaluate=on_the_device, **how)
    theirs = tw.Forest(domain, 100, evaluate=lambda states: guess(states["player"]), **how)
    play_alike(mine, theirs)


def in_torch(states):
    torch = pytest.importorskip("torch")
    players = torch.as_tensor(states["player"], device="cuda").to(torch.float32)
    weights = torch.arange(1, 8, dtype=torch.float32, device="cuda")
    return 0.25 + 0.5 * players, weights.tile(len(states), 1)


def in_cupy(states):
    cupy = pytest.importorskip("cupy")
    players = cupy.asarray(states["player"]).astype(cupy.float32)
    return 0.25 + 0.5 * players, cupy.tile(cupy.arange(1, 8, dtype=cupy.float32), (len(states), 1))


def in_jax(states):
    jax = pytest.importorskip("jax")
    from jax import numpy as jnp

    start = states.dtype.fields["player"][1]
    players = jax.dlpack.from_dlpack(states.bytes)[:, start].astype(jnp.float32)
    weights = jnp.tile(jnp.arange(1, 8, dtype=jnp.float32), (len(states), 1))
    return tuple(part.block_until_ready() for part in (0.25 + 0.5 * players, weights))


@pytest.mark.parametrize("network", [in_torch, in_cupy, in_jax])
def test_leaves_are_handed_to_other_libraries_without_a_copy(network):
    domain = samples()["connect-four"].domain()

    def here(states):
        values = (0.25 + 0.5 * states["player"]).astype(np.float32)
        return values, np.tile(np.arange(1.0, 8.0, dtype=np.float32), (len(values), 1))

    how = {"seed": 2, "memory": "64MiB", "batch": 2}
    mine = tw.Forest(domain, 500, engine="gpu", evaluate=network, **how)
    theirs = tw.Forest(domain, 500, evaluate=here, **how)
    play_alike(mine, theirs)


def test_one_position_takes_the_whole_device():
    domain = samples()["connect-four"].domain()
    forests = [tw.Forest(domain, 1000, memory="64MiB", engine=e).run(20) for e in ("gpu", None)]
    assert forests[0].merged().children == forests[1].merged().children
    found = []
    for engine in ("gpu", None):
        rollouts = tw.BulkRollouts(domain, 64, batch=8, engine=engine)
        found.append(tw.Search(domain, seed=1, evaluate=rollouts, batch=8).run(200).children)
    assert found[0] == found[1]
