"""PettingZoo's environments as domains, and the search as a policy for them."""

import sys

import pytest

import treewright as tw

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
pettingzoo = pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

NORMALISED = tw.Options(normalise=True)


class Heap(pettingzoo.AECEnv):
    """Take one to three stones in turn; who takes the last one gets 100, the others lose 10."""

    metadata = {"name": "heap_v0"}

    def __init__(self, stones=10, agents=2, mask="observation", dice=False):
        self.possible_agents = [f"taker_{i}" for i in range(agents)]
        self.stones, self.mask, self.dice = stones, mask, dice

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(3)

    def observation_space(self, agent):
        return gymnasium.spaces.Discrete(100)

    def reset(self, seed=None, options=None):
        self.np_random = gymnasium.utils.seeding.np_random(seed)[0]
        self.left = self.stones
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._tell()

    def _tell(self):
        legal = [int(n < self.left) for n in range(3)]
        self.infos = {
            a: {"action_mask": legal} if self.mask == "infos" else {} for a in self.agents
        }

    def observe(self, agent):
        if self.mask != "observation":
            return self.left
        return {"observation": self.left, "action_mask": [int(n < self.left) for n in range(3)]}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert 0 <= action < min(3, self.left)
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0
        more = int(self.np_random.integers(2)) if self.dice and self.left > 4 else 0
        self.left -= action + 1 + more
        if self.left <= 0:
            self.rewards = {a: 100 if a == agent else -10 for a in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        at = self.agents.index(agent)
        self.agent_selection = self.agents[(at + 1) % len(self.agents)]
        self._tell()
        self._accumulate_rewards()


def begun(**settings):
    env = pettingzoo.utils.wrappers.OrderEnforcingWrapper(Heap(**settings))
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("mask", ["observation", "infos"])
def test_the_winning_move_is_found(mask):
    domain = tw.from_pettingzoo(begun(mask=mask))
    result = tw.Search(domain, NORMALISED, seed=1).run(400)
    assert result.best == 1  # two stones: eight are left
    assert result.value > 60


def test_it_is_the_game_of_nim():
    """The same tree as our own domain has, but for the numbers of actions and the scale."""
    theirs = tw.Search(tw.from_pettingzoo(begun()), NORMALISED, seed=2)
    ours = tw.Search(tw.make("nim", heap=10), NORMALISED, seed=2, engine="python")
    for search in (theirs, ours):
        search.run(200)
    assert (theirs.tree.nodes["visits"] == ours.tree.nodes["visits"]).all()


def test_the_contract_is_kept_with_two_and_three_agents_and_chance():
    for env, outcomes in ((begun(), 0), (begun(agents=3), 0), (begun(dice=True), 4)):
        domain = tw.from_pettingzoo(env, outcomes=outcomes)
        assert domain.players == len(env.possible_agents)
        assert domain.name == "heap_v0"
        report = tw.check(domain, games=3)
        assert all("outside [0, 1]" in problem for problem in report.problems), report
        assert tw.Search(domain, NORMALISED, seed=1).run(50).simulations == 50


def test_a_policy_plays_in_pettingzoos_own_loop():
    env = begun()
    policy = tw.from_pettingzoo(env).policy(300, seed=1)
    totals = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        _, reward, _, _, _ = env.last()
        totals[agent] += reward
        first = agent == "taker_0"
        done = env.terminations[agent]
        env.step(policy(env) if first or done else 0)
    assert totals == {"taker_0": 100, "taker_1": -10}


def test_tic_tac_toe_of_theirs_has_the_tree_of_ours():
    pytest.importorskip("pygame", reason="PettingZoo's classic games need pygame")
    from pettingzoo.classic.tictactoe import tictactoe

    env = tictactoe.env()
    env.reset(seed=1)
    theirs = tw.Search(tw.from_pettingzoo(env), NORMALISED, seed=1)
    ours = tw.Search(tw.make("tictactoe"), NORMALISED, seed=1, engine="python")
    for search in (theirs, ours):
        search.run(80)
    for column in ("visits", "action"):
        assert (theirs.tree.nodes[column] == ours.tree.nodes[column]).all()


# ------------------------------------------------------------------------- bad input


class AtOnce(pettingzoo.ParallelEnv):
    metadata = {"name": "at_once_v0"}


def not_reset():
    return pettingzoo.utils.wrappers.OrderEnforcingWrapper(Heap())


def with_a_window():
    env = begun()
    env.unwrapped.window = (x for x in ())
    return env


def continuous():
    env = begun()
    env.unwrapped.action_space = lambda agent: gymnasium.spaces.Box(0.0, 1.0)
    return env


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (AtOnce, r"in AtOnce all agents move at once: pettingzoo.utils.parallel_to_aec\(env\)"),
        (lambda: "chess_v6", "from_pettingzoo needs an AEC environment.*not 'chess_v6'"),
        (not_reset, "heap_v0 can't be played on.*reset it before"),
        (with_a_window, "heap_v0 can't be copied by copy.deepcopy .*generator"),
        (continuous, r"heap_v0 has the action space Box\(.*: the search needs a Discrete one"),
    ],
)
def test_what_can_not_be_searched_is_one_sentence(make, said):
    with pytest.raises(tw.OptionError, match=said) as caught:
        tw.from_pettingzoo(make())
    assert "\n" not in str(caught.value)


def test_random_steps_without_outcomes_are_refused():
    with pytest.raises(tw.DomainError, match="heap_v0 draws random numbers in a step"):
        tw.from_pettingzoo(begun(dice=True))


def test_without_pettingzoo_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(tw.MissingExtra, match=r"pip install 'treewright\[pettingzoo\]'"):
        tw.from_pettingzoo(None)
