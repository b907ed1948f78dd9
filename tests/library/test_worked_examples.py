"""The papers' worked examples, on the real kernel (Magnuson 2015, figures 2 and 4).

The games are written out (`reference.TableTree`) so that each simulation can end in a few ways
only; of the trees that different seeds build, those that are the figure's are looked at.
"""

import math

import pytest
from reference import TwoPlayers, by_path, tables_of

import treewright as tw

ENGINES = ["compiled", "python"]
SEEDS = {"compiled": 400, "python": 160}  # a search takes four times as long interpreted


def search_of(children, wins, options, seed, engine):
    """All decisions are player 0's; the listed nodes end in a win, the other ends in a loss."""
    rewards = [[1.0, 0.0] if node in wins else [0.0, 1.0] for node in range(len(children))]
    tables = tables_of(children, [0] * len(children), rewards)
    return tw.Search(TwoPlayers(tables=tables), options, seed=seed, engine=engine, memory="1MiB")


def ratios(search):
    """path -> (wins, simulations)."""
    return {p: (row["value"], row["visits"]) for p, (row, _) in by_path(search).items()}


# -------------------------------------------------------------------------------- figure 2

#            root                      everything below GOOD is won,
#       0 /        \ 1                 everything else is lost
#     LEFT          RIGHT
#     0 |        0 /      \ 1
#      end      GOOD       BAD
#             0 / \ 1     0 |
#            end   end     end
FIGURE_2 = [{0: 1, 1: 2}, {0: 3}, {0: 4, 1: 5}, {}, {0: 6, 1: 7}, {0: 8}, {}, {}, {}]
LEFT, RIGHT, GOOD, BAD = (0,), (1,), (1, 0), (1, 1)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("c", [0.0, 0.5])
def test_figure_2_the_four_steps(engine, c):
    seen = 0
    for seed in range(40):
        search = search_of(FIGURE_2, {6, 7}, tw.Options(c=c), seed, engine)
        search.run(simulations=5)
        before = ratios(search)
        figure = {LEFT: (0, 1), RIGHT: (2, 3), GOOD: (1, 1), BAD: (0, 1)}
        root = before.pop(())
        if before != figure:
            continue
        seen += 1
        search.run(simulations=1)
        after = ratios(search)
        # selection goes by 2/3 and 1/1; expansion adds one node below; its simulation is won
        (new,) = set(after) - set(before) - {()}
        assert new[:-1] == GOOD
        assert after[new] == (1, 1)
        # backpropagation: the new node's ancestors, and nothing else
        assert after[GOOD] == (2, 2)
        assert after[RIGHT] == (3, 4)
        assert after[()] == (root[0] + 1, root[1] + 1) == (root[0] + 1, 6)
        assert after[LEFT] == (0, 1)
        assert after[BAD] == (0, 1)
    assert seen >= 5


# -------------------------------------------------------------------------------- figure 4

A, B, OTHER, THIRD = range(4)
#                 Z
#          A /         \ B
#     B /  \ OTHER   A / | OTHER \ THIRD
#   lost    won     won  won     lost
FIGURE_4 = [{A: 1, B: 2}, {B: 3, OTHER: 4}, {A: 5, OTHER: 6, THIRD: 7}, {}, {}, {}, {}, {}]
WON = {4, 5, 6}


def figure_4(options, engine):
    """Searches with three simulations through A and three through B, with the figure's results.

    1/3 through A: its own simulation took B and was lost, as did one child's; the other won.
    2/3 through B: its children A and OTHER won, so its own simulation took THIRD and was lost.
    """
    for seed in range(SEEDS[engine]):
        search = search_of(FIGURE_4, WON, options, seed, engine)
        result = search.run(simulations=7)
        found = ratios(search)
        values = found[(A,)], found[(B,)]
        if values == ((1, 3), (2, 3)) and {(B, A), (B, OTHER)} <= set(found):
            yield search, {child.action: child for child in result.children}


def next_choice(search):
    before = {p: n for p, (_, n) in ratios(search).items()}
    search.run(simulations=1)
    after = {p: n for p, (_, n) in ratios(search).items()}
    (chosen,) = (a for a in (A, B) if after[(a,)] > before[(a,)])
    return chosen


# with so much exploration both moves have had three simulations, and the bonus is the same
EXPLORE = 20.0


@pytest.mark.parametrize("engine", ENGINES)
def test_figure_4_mcts_chooses_b(engine):
    seen = 0
    for search, children in figure_4(tw.Options(c=EXPLORE), engine):
        seen += 1
        assert children[A].value == pytest.approx(1 / 3)
        assert children[B].value == pytest.approx(2 / 3)
        assert next_choice(search) == B
    assert seen >= 3


@pytest.mark.parametrize("engine", ENGINES)
def test_figure_4_rave_chooses_a(engine):
    seen = 0
    for search, children in figure_4(tw.Options(c=EXPLORE, rave=tw.Rave(k=math.inf)), engine):
        seen += 1
        _, edges = by_path(search)[()]
        assert (edges[A]["rave_value"], edges[A]["rave_visits"]) == (2, 4)
        assert (edges[B]["rave_value"], edges[B]["rave_visits"]) == (2, 5)
        assert children[A].value == pytest.approx(1 / 3)
        assert children[B].value == pytest.approx(2 / 3)
        assert next_choice(search) == A
    assert seen >= 3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("k", "choice"), [(0.5, B), (1e9, A)])
def test_mc_rave_moves_from_rave_to_mcts(engine, k, choice):
    """β = sqrt(k / (3 · 7 + k)): near 0 the node's value decides, near 1 the move's."""
    beta = math.sqrt(k / (21 + k))
    a, b = ((1 - beta) * q + beta * r for q, r in ((1 / 3, 2 / 4), (2 / 3, 2 / 5)))
    assert (A if a > b else B) == choice
    seen = 0
    for search, _ in figure_4(tw.Options(c=EXPLORE, rave=tw.Rave(k=k)), engine):
        seen += 1
        assert next_choice(search) == choice
    assert seen >= 3
