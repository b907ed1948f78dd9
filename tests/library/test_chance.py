"""Chance is drawn from the domain's own distribution wherever a game is played out."""

import importlib.util
import io
import sys

import numpy as np
import pytest

import treewright as tw
from treewright.random import uniform
from treewright.workshop.experiments.matches import Contestant, play


class Coin(tw.Domain):
    """Thirty tosses of a coin that shows heads in three of five, with a call before each."""

    players = 2
    max_actions = 2
    state = tw.record(tosses=np.int8, heads=np.int8, tossing=np.int8)

    def start(s):
        s.tossing = 1

    def player(s):
        return tw.CHANCE if s.tossing else 0

    def legal(s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(s, action):
        if s.tossing:
            s.tosses += 1
            s.heads += action
        s.tossing = 1 - s.tossing

    def ended(s):
        return s.tosses == 30

    def rewards(s, out):
        out[0] = s.heads / 30
        out[1] = 1.0 - out[0]

    def sample_chance(s, rng):
        return 1 if uniform(rng) < 0.6 else 0


def example(root, name):
    spec = importlib.util.spec_from_file_location(name, root / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def played_out(seed):
    search = tw.Search(Coin(), seed=seed, memory="4MiB")
    while not search.position.ended:
        result = search.run(50)
        search.commit(search.draw() if result.best == tw.CHANCE else result.best)
    return search


def test_outcomes_are_drawn_with_the_searchs_own_seed():
    heads = [int(played_out(seed).position.state.heads) for seed in range(20)]
    assert 310 < sum(heads) < 410  # 360 expected of 600; three standard deviations are 36
    assert len(set(heads)) > 3
    assert played_out(7).history == played_out(7).history


def test_what_was_searched_does_not_change_what_is_drawn():
    one, other = tw.Search(Coin(), seed=3), tw.Search(Coin(), seed=3)
    other.run(100)
    drawn = []
    for search in (one, other):
        for _ in range(20):
            search.commit(search.draw() if search.position.is_chance else 0)
        drawn.append(search.history)
    assert drawn[0] == drawn[1]
    assert {0, 1} <= set(drawn[0][::2])


def test_a_search_at_a_chance_node_gives_no_advice():
    search = tw.Search(Coin(), seed=1)
    result = search.run(2000)
    assert result.best == tw.CHANCE
    assert result.label == "chance decides"
    assert result.visits == 2000
    assert result.value == pytest.approx(0.6, abs=0.03)
    assert sum(c.visits for c in result.children) == 1999
    with pytest.raises(
        tw.OptionError, match=r"chance decides .* search\.commit\(search\.draw\(\)\)"
    ):
        search.commit(result.best)


def test_nothing_is_drawn_where_a_player_decides():
    search = tw.Search(Coin(), seed=1)
    search.commit(search.draw())
    with pytest.raises(tw.OptionError, match="player 0 decides"):
        search.draw()


def test_matches_draw_the_dice():
    both = [Contestant(simulations=20), Contestant(simulations=20)]
    won = [play(Coin(), both, seed)[0] for seed in range(20)]
    assert 0.52 < sum(won) / 20 < 0.68
    assert play(Coin(), both, 5) == play(Coin(), both, 5)


@pytest.fixture
def shell(root, monkeypatch, capsys):
    from treewright.cli import main

    def call(typed, *arguments):
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["treewright", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert not ended.value.code, out + err
        return out

    return call


PIG = ("play", "examples/dice.py:Pig", "--simulations", "100", "--quiet", "--set", "goal=30")


def test_play_draws_the_dice_and_takes_them_back(shell):
    out = shell("roll\nundo\nroll\nquit\n", *PIG, "--seed", "5")
    faces = [line for line in out.splitlines() if line.startswith("chance: die")]
    assert len(faces) == 2
    assert faces[0] == faces[1]  # taking back is no second throw
    assert "search plays die" not in out
    seeds = {
        shell("roll\nquit\n", *PIG, "--seed", str(seed)).split("chance: ")[1][:5]
        for seed in range(8)
    }
    assert len(seeds) > 2


def test_search_says_that_chance_decides(shell, tmp_path):
    file = tmp_path / "toss.py"
    file.write_text(
        "import treewright as tw\nfrom numpy import int8\n\n\n"
        "class Toss(tw.Domain):\n"
        "    players = max_actions = 2\n    state = tw.record(done=int8)\n"
        "    def start(s):\n        s.done = 0\n"
        "    def player(s):\n        return tw.CHANCE\n"
        "    def legal(s, out):\n        out[0], out[1] = 0, 1\n        return 2\n"
        "    def play(s, action):\n        s.done = 1 + action\n"
        "    def ended(s):\n        return s.done > 0\n"
        "    def rewards(s, out):\n        out[s.done - 1] = 1.0\n"
        "    def sample_chance(s, rng):\n        return tw.random.below(rng, 2)\n"
    )
    out = shell("", "search", f"{file}:Toss", "--simulations", "50", "--quiet")
    assert "chance decides here: value 0." in out
    assert "best:" not in out


# ------------------------------------------------------------------ Pig, solved by value iteration


def solve(goal):
    """The chance to win by rolling and by holding, by own score, the other's, and the turn's."""
    best = np.full((goal, goal, goal + 6), 0.5)
    while True:
        hold = np.ones_like(best)
        for own in range(goal):
            for turn in range(goal - own):
                hold[own, :, turn] = 1 - best[:, own + turn, 0]
        roll = np.repeat((1 - best[:, :, 0].T)[:, :, None] / 6, goal + 6, axis=2)
        for face in range(2, 7):
            after = np.ones_like(best)
            after[:, :, :-face] = best[:, :, face:]
            roll += after / 6
        new = np.maximum(roll, hold)
        new[:, :, 0] = roll[:, :, 0]
        if np.abs(new - best).max() < 1e-9:
            return roll, hold
        best = new


def test_values_with_chance_are_right(root):
    """The whole game is in the tree: the means come close to the solution."""
    pig = example(root, "dice").Pig
    roll, hold = solve(8)
    for turn in (0, 2, 4, 6, 8):
        result = tw.Search(pig(turn=turn, goal=8), tw.Options(c=0.3), seed=1).run(200_000)
        exact = {"roll": roll[0, 0, turn], "hold": hold[0, 0, turn] if turn else 0.0}
        assert result.label == max(exact, key=exact.get)
        assert result.value == pytest.approx(exact[result.label], abs=0.005)


def test_the_example_gives_the_right_advice(root):
    dice = example(root, "dice")
    roll, hold = solve(40)
    for turn in dice.TURNS:
        right = "roll" if roll[0, 0, turn] > hold[0, 0, turn] else "hold"
        assert dice.advice(turn).label == right, turn
