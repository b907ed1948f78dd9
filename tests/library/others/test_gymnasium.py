"""Gymnasium's environments as domains, and the search as a policy for them."""

import random
import sys

import numpy as np
import pytest

import treewright as tw

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

SHORT = tw.Options(normalise=True, rollout=tw.Rollout(depth=15))


class Line(gymnasium.Env):
    """Walk from 0 to 3 or to -3 in at most ten steps: 30 or 5, less one for each step."""

    action_space = gymnasium.spaces.Discrete(2, start=1)  # 1 is left, 2 is right
    observation_space = gymnasium.spaces.Discrete(7, start=-3)
    slip = 0.0  # how likely a step goes the other way

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self.at, {}

    def step(self, action):
        assert action in (1, 2)
        way = 2 * action - 3
        if self.slip and self.np_random.random() < self.slip:
            way = -way
        self.at += way
        prize = {3: 30.0, -3: 5.0}.get(self.at, 0.0)
        return self.at, prize - 1.0, abs(self.at) == 3, False, {}


class Slippery(Line):
    slip = 0.2


class Snapshots(Line):
    """It can't be copied, but its state can be taken and put back."""

    def __deepcopy__(self, memo):
        raise TypeError("it holds a window")

    def clone_state(self):
        return self.at

    def restore_state(self, state):
        self.at = state


def begun(kind=Line, **keywords):
    env = gymnasium.wrappers.TimeLimit(kind(**keywords), 10)
    env.reset(seed=3)
    return env


def test_the_best_episode_and_its_reward_are_found():
    env = begun()
    result = tw.Search(tw.from_gymnasium(env), tw.Options(normalise=True), seed=1).run(60)
    assert result.best_score == 27.0
    assert result.best_sequence == [1, 1, 1]
    assert result.best == 1
    assert result.label == "2"  # as the environment calls it
    assert env.unwrapped.at == 0


def test_wrappers_are_copied_too():
    """After nine steps of ten there is one left, whatever it is."""
    env = begun()
    for _ in range(4):
        env.step(1)
        env.step(2)
    env.step(1)
    result = tw.Search(tw.from_gymnasium(env), tw.Options(normalise=True)).run(10)
    assert result.best_score == -1.0


def test_the_contract_is_kept():
    for domain in (tw.from_gymnasium(begun()), tw.from_gymnasium(begun(Slippery), outcomes=5)):
        report = tw.check(domain, games=3)
        assert all("outside [0, 1]" in problem for problem in report.problems), report


def test_a_policy_plays_and_leaves_the_environment_alone():
    env = begun()
    policy = tw.from_gymnasium(env).policy(40, seed=1)
    total, over = 0.0, False
    while not over:
        before = env.unwrapped.at
        action = policy(env)
        assert env.unwrapped.at == before
        _, reward, over, _, _ = env.step(action)
        total += reward
    assert total == 27.0


def test_snapshots_do_where_copies_can_not():
    env = begun(Snapshots)
    domain = tw.from_gymnasium(env)
    assert env.unwrapped.at == 0
    env.step(2)
    assert domain.policy(40, seed=1)(env) == 2
    assert env.unwrapped.at == 1
    assert tw.Search(domain, tw.Options(normalise=True), seed=1).run(60).best_score == 27.0


def test_cart_pole_stays_up_for_longer():
    env = gymnasium.make("CartPole-v1", max_episode_steps=60)
    env.reset(seed=1)
    policy = tw.from_gymnasium(env).policy(16, options=SHORT, seed=1)
    steps, over = 0, False
    while not over:
        *_, terminated, truncated, _ = env.step(policy(env))
        over = terminated or truncated
        steps += 1
    assert steps == 60  # at random it falls after about 20


# ---------------------------------------------------------------------------- chance


def worth(at, left, slip):
    """What the best policy gets on average from a place on the line, with some steps left."""
    if abs(at) == 3 or left == 0:
        return 0.0
    found = []
    for way in (-1, 1):
        after = [
            {3: 30.0, -3: 5.0}.get(at + step, 0.0) - 1.0 + worth(at + step, left - 1, slip)
            for step in (way, -way)
        ]
        found.append((1 - slip) * after[0] + slip * after[1])
    return max(found)


def test_random_steps_are_not_foreseen():
    """Nobody who does not know what comes gets more than the best policy; who does, gets 27."""
    domain = tw.from_gymnasium(begun(Slippery), outcomes=16)
    best = worth(0, 10, Slippery.slip)
    assert best < 25
    for seed in range(3):
        result = tw.Search(domain, SHORT, seed=seed).run(300)
        assert result.best == 1
        assert result.value < best + 1


def test_the_outcomes_of_a_step_are_as_likely_as_they_are():
    domain = tw.from_gymnasium(begun(Slippery), outcomes=16)
    position = tw.Position(domain)
    position.play(1)
    assert position.is_chance
    assert position.legal() == list(range(16))
    after = []
    for outcome in range(16):
        other = position.copy()
        other.play(outcome)
        after.append(other.state.env.unwrapped.at)
    assert set(after) == {-1, 1}
    assert after.count(1) > after.count(-1)


def test_what_happens_really_is_none_of_the_outcomes_seeds():
    """The generator of the environment itself is not used up, nor looked into."""
    env = begun(Slippery)
    before = env.unwrapped.np_random.bit_generator.state
    tw.from_gymnasium(env, outcomes=4).policy(30)(env)
    assert env.unwrapped.np_random.bit_generator.state == before


def test_random_steps_without_outcomes_are_refused():
    with pytest.raises(tw.DomainError, match=r"Slippery draws random numbers.*outcomes=16"):
        tw.from_gymnasium(begun(Slippery))


def test_same_seed_same_tree():
    domain = tw.from_gymnasium(begun(Slippery), outcomes=4)
    searches = [tw.Search(domain, SHORT, seed=s) for s in (1, 1, 2)]
    for search in searches:
        search.run(60)
    one, again, other = (s.tree.nodes.tobytes() for s in searches)
    assert one == again != other


# ------------------------------------------------------------------------- bad input


class Window(Line):
    def __deepcopy__(self, memo):
        raise TypeError("it holds a window")


class Shared(Line):
    """Its copies are no copies."""

    def __deepcopy__(self, memo):
        return self


class Elsewhere(Line):
    def step(self, action):
        return random.random(), *super().step(action)[1:]


def continuous():
    env = begun()
    env.action_space = gymnasium.spaces.Box(-1.0, 1.0)
    return env


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: "CartPole-v1", "from_gymnasium needs an environment.*not 'CartPole-v1'"),
        (continuous, r"Line has the action space Box\(.*\): the search needs a Discrete one"),
        (lambda: begun(Window), r"Window can't be copied \(it holds a window\), and has neither"),
        (lambda: begun(Shared), "two copies of Shared do not behave alike"),
        (lambda: begun(Elsewhere), "two copies of Elsewhere do not behave alike"),
        (lambda: gymnasium.make("CartPole-v1"), "CartPole-v1 can't be played on.*reset it before"),
    ],
)
def test_what_can_not_be_searched_is_one_sentence(make, said):
    with pytest.raises(tw.OptionError, match=said) as caught:
        tw.from_gymnasium(make())
    assert "\n" not in str(caught.value)


def test_outcomes_are_checked():
    for bad in (-1, 1.5, True, 10_000):
        with pytest.raises(tw.OptionError, match="outcomes must be a whole number from 0 to 1000"):
            tw.from_gymnasium(begun(), outcomes=bad)
    with pytest.raises(tw.OptionError, match="Snapshots can't be copied, only put back"):
        tw.from_gymnasium(begun(Snapshots), outcomes=4)


def test_an_error_in_a_step_names_its_line():
    class Breaks(Line):
        def step(self, action):
            if self.at == 2:
                raise RuntimeError("the bridge is out")
            return super().step(action)

    with pytest.raises(tw.DomainError, match=r"line \d+, in step.*the bridge is out"):
        tw.Search(tw.from_gymnasium(begun(Breaks)), tw.Options(normalise=True)).run(50)


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(tw.MissingExtra, match=r"pip install 'treewright\[gymnasium\]'"):
        tw.from_gymnasium(None)


def test_pickles_of_arguments_are_no_copies():
    """Such an environment is copied with all that it holds (LunarLander and others are such)."""

    class Eased(Line, gymnasium.utils.EzPickle):
        def __init__(self):
            gymnasium.utils.EzPickle.__init__(self)

    env = begun(Eased)
    env.step(2)
    result = tw.Search(tw.from_gymnasium(env), tw.Options(normalise=True), seed=1).run(60)
    assert result.best_score == 28.0
    assert np.isfinite(result.value)
