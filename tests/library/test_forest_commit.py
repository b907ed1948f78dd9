"""Many games side by side: a commit in a forest is that of a search, tree by tree."""

import numpy as np
import pytest
from numpy import int8

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.random import below


class Coins(tw.Domain):
    """Take a coin or two, then a coin may be thrown away by chance; the last one to take wins."""

    players = 2
    max_actions = 2
    max_length = 30
    state = tw.record(coins=int8, player=int8, thrown=int8)

    def start(s, coins=7):
        s.coins = coins

    def player(s):
        return tw.CHANCE if s.thrown else s.player

    def legal(s, out):
        out[0] = 1
        out[1] = 2
        return 2 if s.coins > 1 else 1

    def sample_chance(s, rng):
        return 1 + below(rng, 2 if s.coins > 1 else 1)

    def play(s, action):
        if s.thrown:
            s.coins -= action - 1
            s.thrown = 0
        else:
            s.coins -= action
            s.player = 1 - s.player
            s.thrown = 1 if s.coins > 0 else 0

    def ended(s):
        return s.coins <= 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


class Digits(tw.Domain):
    """Three digits; the reward is highest in the middle of them."""

    max_actions = 4
    max_length = 3
    state = tw.record(digit=(int8, 3), n=int8)

    def start(s):
        s.n = 0

    def legal(s, out):
        for i in range(4):
            out[i] = i
        return 4

    def play(s, action):
        s.digit[s.n] = action
        s.n += 1

    def ended(s):
        return s.n == 3

    def rewards(s, out):
        out[0] = (s.digit[0] * 2 + s.digit[1] * s.digit[2]) / 15


def even(states):
    return np.full(len(states), 0.5), np.ones((len(states), 9))


NOISY = tw.Options(puct=True, noise=tw.Noise())
GUMBEL = tw.Options(puct=True, gumbel=tw.Gumbel(considered=3))


@pytest.mark.parametrize(
    ("domain", "options", "engine", "evaluated"),
    [
        (TicTacToe(), tw.Options(), "compiled", False),
        (Coins(), tw.Options(), "python", False),
        (Digits(), tw.Options(max_backup=0.5), "python", False),
        (TicTacToe(), NOISY, "python", True),
    ],
)
def test_games_side_by_side_are_those_of_searches(domain, options, engine, evaluated):
    more = {"evaluate": even, "batch": 2} if evaluated else {}
    forest = tw.Forest(domain, 3, options, seed=5, engine=engine, memory="3MiB", **more)
    alone = [
        tw.Search(domain, options, seed=5 + i, engine=engine, memory="1MiB", **more)
        for i in range(3)
    ]
    while not forest.ended.all():
        forest.run(30)
        best = forest.best
        for i, search in enumerate(alone):
            if search.position.ended or search.position.is_chance:
                assert best[i] == forest.sample()[i] == -1
            if search.position.ended:
                continue
            search.run(30)
            assert (forest.search(i).tree.nodes == search.tree.nodes).all()
            assert forest.search(i).best == search.best
            assert best[i] == search.result().best
            search.commit(search.draw() if search.position.is_chance else int(best[i]))
        forest.commit()
        for i, search in enumerate(alone):
            assert forest.history(i) == search.history
            assert forest.ended[i] == search.position.ended
            mine, theirs = (np.asarray(p.state) for p in (forest.position(i), search.position))
            assert (mine == theirs).all()


def test_gumbel_begins_anew_at_each_root():
    forest = tw.Forest(TicTacToe(), 2, GUMBEL, engine="python", evaluate=even, memory="1MiB")
    forest.run(12).commit()
    assert (forest.roots().visits == 0).all()
    again = tw.Forest(
        TicTacToe(),
        [forest.position(0), forest.position(1)],
        GUMBEL,
        engine="python",
        evaluate=even,
        memory="1MiB",
    )
    visits = [np.sort(f.run(12).roots().visits, axis=1) for f in (forest, again)]
    assert (visits[0].sum(axis=1) == visits[1].sum(axis=1)).all()
    assert (visits[0][:, -1] == visits[1][:, -1]).all()  # the same schedule
    assert (forest.simulations == 24).all()


def test_states_that_others_hold_are_left_alone(root):
    import importlib.util

    spec = importlib.util.spec_from_file_location("any_object", root / "examples/any_object.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    start = tw.Position(module.Packing())
    forest = tw.Forest(start.domain, [start, start], tw.Options(normalise=True), memory="1MiB")
    forest.run(20).commit()
    assert start.state.inside == []
    for i in range(2):
        assert forest.position(i).state.inside == [module.NAMES[forest.history(i)[0]]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1], "a whole number for each of 2 positions"),
        ([0.5, 1.0], "a whole number for each of 2"),
        ("ab", "a whole number for each of 2"),
        ([0, 9], "position 1: action 9 can't be played there"),
        ([0, -1], "position 1: action -1 can't be played there"),
    ],
)
def test_bad_actions_are_refused_and_nothing_is_played(given, said):
    forest = tw.Forest(TicTacToe(), 2, engine="python", memory="1MiB").run(5)
    before = forest.search(0).tree.nodes.copy()
    with pytest.raises(tw.OptionError, match=said):
        forest.commit(given)
    assert (forest.search(0).tree.nodes == before).all()
    assert forest.history(0) == []


def test_what_is_not_there_is_one_sentence():
    forest = tw.Forest(TicTacToe(), 2, engine="python", memory="1MiB")
    with pytest.raises(tw.OptionError, match="not every position was searched: run first"):
        forest.commit()
    for look in (forest.search, forest.position, forest.history, forest.result):
        for i in (-1, 2):
            with pytest.raises(tw.OptionError, match=f"from 0 to 1; not {i}"):
                look(i)
    for other in (tw.Position(Digits()), 3, "x"):
        with pytest.raises(tw.OptionError, match="is no state of tictactoe"):
            forest.begin([tw.Position(TicTacToe()), other])
        with pytest.raises(tw.OptionError, match="is no state of tictactoe"):
            tw.Search(TicTacToe(), engine="python").begin(other)


def test_a_root_that_a_commit_reaches_has_noise_of_its_own():
    one = tw.Search(TicTacToe(), NOISY, seed=1, engine="python", evaluate=even, batch=1)
    other = tw.Search(TicTacToe(), NOISY, seed=1, engine="python", evaluate=even, batch=1)
    one.commit(one.run(40).best)
    other.run_phases(phases=1, simulations=40)
    assert other.history == one.history
    assert (one.run(40).visits, one.tree.nodes["visits"].tolist()) == (
        other.run(40).visits,
        other.tree.nodes["visits"].tolist(),
    )
    shares = one.tree.edges["p"][: int(one.tree.nodes[0]["n"])]
    assert len(set(shares.tolist())) > 1  # without noise they are all alike
