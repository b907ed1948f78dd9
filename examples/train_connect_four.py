"""Connect Four learned from nothing, by self-play on two cores: `pip install treewright[train]`.

    python examples/train_connect_four.py --minutes 15 --out net.npz     # again: it goes on
    python examples/train_connect_four.py --match 200 --out net.npz      # against plain UCT

A network of JAX's guesses who will win and what to play.  Games are played side by side, in one
`tw.Forest`: a Gumbel search of few simulations improves on the guess, and the network learns the
improved policy and the outcome (Silver et al. 2018, Danihelka et al. 2022).
"""

import argparse
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import treewright as tw

GAMES, SIMULATIONS, WIDTH, LAYERS = 256, 32, 256, 3
KEPT, BATCH, RATE, PASSES = 400_000, 1024, 1e-3, 4
SELF_PLAY = tw.Options(puct=True, c=1.25, gumbel=tw.Gumbel(considered=7, c_scale=0.5))
PLAY = tw.Options(puct=True, c=1.25)
DOMAIN = tw.make("connect-four")
CELLS = np.array([7 * column + row for column in range(7) for row in range(6)])


def planes(states):
    """The stones of the player to move, then the other's: 84 numbers for each state."""
    me = states["player"].astype(int)
    rows = np.arange(len(states))
    stones = np.stack([states["stones"][rows, me], states["stones"][rows, 1 - me]], axis=1)
    return ((stones[:, :, None] >> CELLS) & 1).reshape(len(states), 84).astype(np.float32)


# ------------------------------------------------------------------------------ the network


def new_network(seed):
    rng = np.random.default_rng(seed)
    sizes = [(84, WIDTH), *[(WIDTH, WIDTH)] * LAYERS, (WIDTH, 8)]
    return [
        {"w": (rng.normal(size=s) * np.sqrt(2 / s[0])).astype(np.float32), "b": np.zeros(s[1], "f")}
        for s in sizes
    ]


@jax.jit
def network(net, x):
    """Chances of winning, and logits of the columns."""
    h = jax.nn.relu(x @ net[0]["w"] + net[0]["b"])
    for layer in net[1:-1]:
        h = h + jax.nn.relu(h @ layer["w"] + layer["b"])
    out = h @ net[-1]["w"] * 0.1 + net[-1]["b"]
    return jax.nn.sigmoid(out[:, 7]), out[:, :7]


def loss(net, x, policy, won):
    value, logits = network(net, x)
    value = jnp.clip(value, 1e-4, 1 - 1e-4)
    guess = -(won * jnp.log(value) + (1 - won) * jnp.log(1 - value)).mean()
    decay = sum((layer["w"] ** 2).sum() for layer in net)
    return guess - (policy * jax.nn.log_softmax(logits)).sum(axis=1).mean() + 1e-5 * decay


@jax.jit
def learn(net, first, second, step, x, policy, won):
    """One step of Adam."""
    slope = jax.grad(loss)(net, x, policy, won)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slope)
    m_scale, v_scale = 1 / (1 - 0.9**step), 1 / (1 - 0.999**step)
    move = lambda p, m, v: p - RATE * m * m_scale / (jnp.sqrt(v * v_scale) + 1e-8)  # noqa: E731
    return jax.tree.map(move, net, first, second), first, second


def evaluator(net):
    """What the search asks: padded to one of few sizes, so that JAX compiles few programs."""

    def evaluate(states):
        n = len(states)
        x = np.zeros((max(16, 1 << (n - 1).bit_length()), 84), np.float32)
        x[:n] = planes(np.asarray(states))  # from the device, where they are there
        value, logits = (np.asarray(out)[:n] for out in network(net, x))
        return value, np.exp(logits - logits.max(axis=1, keepdims=True))

    return evaluate


# --------------------------------------------------------------------------------- self-play


def self_play(net, seed, engine=None):
    """Games from start to end: for each position planes, improved policy and who won."""
    games = [tw.Position(DOMAIN) for _ in range(GAMES)]
    where = {"memory": "128MiB", "engine": engine}
    forest = tw.Forest(DOMAIN, games, SELF_PLAY, evaluate=evaluator(net), **where)
    seen, policies, movers, owner = [], [], [], []
    for move in range(42):
        alive = np.array([not game.ended for game in games])
        if not alive.any():
            break
        forest.begin(games, seed=seed * 1_000_003 + move * GAMES)
        forest.run(SIMULATIONS)
        states = np.concatenate([np.asarray(g.state) for g in games])
        seen.append(planes(states)[alive])
        policies.append(forest.policy(7)[alive])
        movers.append(states["player"][alive])
        owner.append(np.flatnonzero(alive))
        for game, action in zip(games, forest.best, strict=True):
            if action >= 0:
                game.follow(int(action))
    outcome = np.array([game.rewards()[0] for game in games])[np.concatenate(owner)]
    won = np.where(np.concatenate(movers) == 0, outcome, 1 - outcome)
    return [np.concatenate(seen), np.concatenate(policies).astype("f"), won.astype("f")]


def mirrored(x, policy, won):
    """The same positions in a mirror: columns from right to left."""
    board = x.reshape(-1, 2, 7, 6)[:, :, ::-1].reshape(-1, 84)
    return [np.concatenate(pair) for pair in ((x, board), (policy, policy[:, ::-1]), (won, won))]


def new_state(seed):
    net = new_network(seed)
    first = jax.tree.map(np.zeros_like, net)
    return {"net": net, "first": first, "second": first, "round": 0, "step": 0}


def load(path, seed):
    """What training has saved: numbers alone, so that nobody's file can run code here."""
    with np.load(path) as file:
        leaves = [file[f"arr_{i}"] for i in range(len(file))]
    return jax.tree.unflatten(jax.tree.structure(new_state(seed)), leaves)


def train(path, minutes, seed, rounds=10**9, engine=None):
    """Play and learn until time or rounds are up; everything is in the file after each round."""
    state = load(path, seed) if path.exists() else new_state(seed)
    if state["round"]:
        print(f"goes on after round {state['round']}")
    net, first, second = state["net"], state["first"], state["second"]
    store, began = [np.zeros((0, *n), "f") for n in ((84,), (7,), ())], time.monotonic()
    while time.monotonic() - began < 60 * minutes and state["round"] < rounds:
        state["round"] += 1
        new = mirrored(*self_play(net, seed + int(state["round"]), engine))
        store = [np.concatenate(pair)[-KEPT:] for pair in zip(store, new, strict=True)]
        rng = np.random.default_rng([seed, int(state["round"])])
        for _ in range(max(1, PASSES * len(new[0]) // BATCH)):
            state["step"] += 1
            some = rng.integers(len(store[0]), size=BATCH)
            net, first, second = learn(net, first, second, state["step"], *(a[some] for a in store))
        state |= jax.tree.map(np.asarray, {"net": net, "first": first, "second": second})
        part = path.with_suffix(".part.npz")
        np.savez(part, *jax.tree.leaves(state))
        part.replace(path)
        if state["round"] % 10 == 0:
            at = (time.monotonic() - began) / 60
            print(f"round {state['round']}: {at:.1f} min, {len(store[0]):,} positions", flush=True)
    return net


def match(net, games, simulations=400, seed=0):
    """The share that the network wins against plain UCT with as many simulations."""
    sides = [tw.Position(DOMAIN) for _ in range(games)]
    learned = tw.Forest(DOMAIN, games, PLAY, evaluate=evaluator(net), memory="512MiB", batch=4)
    plain = tw.Forest(DOMAIN, games, memory="512MiB")
    mine = np.arange(games) % 2  # as whom the network plays
    over = tw.Position(tw.make("connect-four", moves="1212121"))  # where it is the other's turn
    for move in range(42):
        turn = mine == move % 2
        actions = np.zeros(games, int)
        for forest, who in ((learned, turn), (plain, ~turn)):
            some = [s if w else over for s, w in zip(sides, who, strict=True)]
            forest.begin(some, seed=seed + move * games)
            actions = np.where(who, forest.run(simulations).best, actions)
        for position, action in zip(sides, actions, strict=True):
            if not position.ended:
                position.follow(int(action))
    return float(np.mean([s.rewards()[m] for s, m in zip(sides, mine, strict=True)]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--out", type=Path, default=Path("connect-four-net.npz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--match", type=int, default=0, help="play this many games against UCT")
    parser.add_argument("--engine", choices=["gpu"], help="where self-play grows its trees")
    given = parser.parse_args()
    if given.match and not given.out.exists():
        parser.error(f"there is no network in {given.out} yet: train one first")
    if not given.match:
        train(given.out, given.minutes, given.seed, engine=given.engine)
    state, games, began = load(given.out, given.seed), given.match or 40, time.monotonic()
    won = match(state["net"], games, seed=given.seed)
    print(f"seed {given.seed}, {state['round']} rounds: the network wins {won:.1%} of {games}")
    print(f"games against UCT with 400 simulations each ({time.monotonic() - began:.0f} s)")
