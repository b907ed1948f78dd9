"""Rewards of any scale: what ``normalise`` promises."""

import importlib.util

import numpy as np
import pytest
from reference import BY_PLAYERS, grow

import treewright as tw
from treewright.library.tree import Shown
from treewright.library.tree_picture import scale

SCALED = [
    tw.Options(normalise=True),
    tw.Options(normalise=True, fpu=0.5),
    tw.Options(normalise=True, puct=True),
    tw.Options(normalise=True, rave=tw.Rave(k=50)),
]


@pytest.mark.parametrize(
    ("engine", "players", "options"),
    [
        *[("python", players, options) for players in (1, 2, 3) for options in SCALED],
        # each option and each number of players, for a kernel takes a second to compile
        *[("compiled", 1 + n % 3, options) for n, options in enumerate(SCALED)],
    ],
)
def test_the_scale_of_rewards_does_not_matter(players, options, engine):
    """Powers of two, so that no digit is lost."""
    tables = grow(5, players=players, depth=5)
    seen = []
    for factor in (1.0, 1024.0, 2.0**-10):
        domain = BY_PLAYERS[players](tables=tables | {"reward": tables["reward"] * factor})
        result = tw.Search(domain, options, seed=2, engine=engine, memory="1MiB").run(300)
        seen.append([(c.action, c.visits) for c in result.children])
    assert seen[0] == seen[1] == seen[2]


def test_each_player_has_a_range():
    """One player's rewards are worth a thousand times the other's: that changes nothing."""
    tables = grow(8, players=2, depth=5)
    factor = np.array([1024.0, 1.0, 1.0])
    options = tw.Options(normalise=True)
    seen = [
        [
            (c.action, c.visits)
            for c in tw.Search(BY_PLAYERS[2](tables=t), options).run(300).children
        ]
        for t in (tables, tables | {"reward": tables["reward"] * factor})
    ]
    assert seen[0] == seen[1]


def test_a_tour_is_found_with_its_natural_reward(root):
    spec = importlib.util.spec_from_file_location("tour", root / "examples" / "tour.py")
    tour = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tour)
    scaled, plain = [], []
    for seed in range(4):
        domain = tour.Tour(tables={"distance": tour.distances(seed)})
        best = tour.shortest(tour.distances(seed))
        options = tw.Options(normalise=True)
        scaled.append(-tw.Search(domain, options, seed=seed).run(20_000).best_score / best)
        plain.append(-tw.Search(domain, seed=seed).run(20_000).best_score / best)
    assert np.mean(scaled) < 1.05
    assert np.mean(plain) > np.mean(scaled) + 0.1


def test_the_range_goes_on_in_the_file(tmp_path):
    domain = BY_PLAYERS[1](tables=grow(3, players=1, depth=5))
    search = tw.Search(domain, tw.Options(normalise=True), seed=1, memory="1MiB")
    search.run(100)
    search.save(tmp_path / "tree.npz")
    again = tw.load(tmp_path / "tree.npz", domain)
    search.run(100)
    again.run(100)
    assert (search.tree.nodes == again.tree.nodes).all()


def test_colours_follow_the_range():
    def shown(*values):
        return [Shown(i, i - 1, 0, 0, "", 1, v) for i, v in enumerate(values)]

    assert scale(shown(0.5, 0.2, 0.9)) == (0.0, 1.0)
    assert scale(shown(-400.0, -380.0, -250.0)) == (-380.0, -250.0)
    assert scale(shown(7.0, 7.0)) == (6.0, 7.0)
