"""The baselines over the same domain interface."""

import itertools

import pytest

import treewright as tw
from treewright.library.baselines import (
    FlatMonteCarlo,
    best_first,
    breadth_first,
    depth_first,
    greedy_action,
    random_action,
)
from treewright.random import stream

BOARD = {"seed": 3, "width": 4, "height": 4}


def brute_force(domain):
    """Scores of all nodes in the order in which each method generates them."""
    seen = []

    def expand(position, path):
        for action in position.legal() if not position.ended else []:
            after = position.copy()
            after.play(action)
            score = after.rewards()[0] if after.ended else after.value()[0]
            seen.append((score, (*path, action)))
            expand(after, (*path, action))

    expand(tw.Position(domain), ())
    return seen


@pytest.mark.parametrize("method", [breadth_first, depth_first, best_first])
def test_finds_the_best_sequence_of_a_small_board(method):
    domain = tw.make("samegame", **BOARD)
    every = brute_force(domain)
    found = method(domain, nodes=100_000)
    assert found.stopped == "exhausted"
    assert found.nodes == len(every)
    assert found.best_score == pytest.approx(max(score for score, _ in every))
    position = tw.Position(domain)
    for action in found.best_sequence:
        position.play(action)
    score = position.rewards()[0] if position.ended else position.value()[0]
    assert score == pytest.approx(found.best_score)


def test_order_of_expansion():
    """Breadth-first sees all sequences of length 1, then 2; depth-first dives."""
    domain = tw.make("samegame", **BOARD)
    width = len(tw.Position(domain).legal())
    shallow = breadth_first(domain, nodes=width)
    assert len(shallow.best_sequence) == 1
    assert shallow.stopped == "nodes"
    assert shallow.nodes == width
    every = brute_force(domain)
    first_line = next(path for _, path in every if _ended(domain, path))
    assert depth_first(domain, nodes=200).expanded >= len(first_line) - 1


def _ended(domain, path):
    position = tw.Position(domain)
    for action in path:
        position.play(action)
    return position.ended


@pytest.mark.parametrize("method", [breadth_first, depth_first, best_first])
def test_interpreted_equals_compiled(method):
    domain = tw.make("samegame", **BOARD)
    compiled = method(domain, nodes=60)
    interpreted = method(domain, nodes=60, engine="python")
    assert compiled.best_sequence == interpreted.best_sequence
    assert compiled.best_score == interpreted.best_score


def test_systematic_search_refuses():
    with pytest.raises(tw.OptionError, match="is for one player; nim-v1 has 2"):
        breadth_first(tw.make("nim"), nodes=10)
    with pytest.raises(tw.OptionError, match="nodes must be"):
        breadth_first(tw.make("samegame"), nodes=0)
    with pytest.raises(tw.OptionError, match="more than memory"):
        breadth_first(tw.make("samegame"), nodes=10_000_000, memory="1MiB")


def test_flat_monte_carlo_shares_out_its_simulations():
    search = FlatMonteCarlo(tw.make("tictactoe"), seed=1)
    result = search.run(901)
    assert {c.visits for c in result.children} == {100, 101}
    assert search.tree.size == 10
    twin = FlatMonteCarlo(tw.make("tictactoe"), seed=1, engine="python")
    assert twin.run(901).children == result.children
    winning = FlatMonteCarlo(tw.make("tictactoe", moves="a1 b3 b1 c3"), seed=1).run(900)
    assert winning.label == "c1"
    assert winning.value == 1.0


def test_greedy_takes_a_win_and_random_plays_everything():
    rng = stream(1)
    position = tw.Position(tw.make("tictactoe", moves="a1 b3 b1 c3"))
    assert position.describe(greedy_action(position, rng)) == "c1"
    played = {random_action(position, rng) for _ in range(200)}
    assert played == set(position.legal())


def test_greedy_uses_the_value():
    position = tw.Position(tw.make("samegame", board="1112 2112 3333"))
    worth = {}
    for action in position.legal():
        after = position.copy()
        after.play(action)
        worth[action] = after.rewards()[0] if after.ended else after.value()[0]
    best = max(worth.values())
    rng = stream(2)
    chosen = {greedy_action(position, rng) for _ in range(20)}
    assert chosen <= {a for a, w in worth.items() if w == best}


def test_methods_agree_on_ties_for_the_same_budget():
    domain = tw.make("samegame", **BOARD)
    runs = list(itertools.starmap(best_first, [(domain, 500)] * 2))
    assert runs[0].best_sequence == runs[1].best_sequence
