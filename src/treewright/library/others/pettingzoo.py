"""PettingZoo's environments (AEC) as domains, and the search as a policy for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.errors import MissingExtra, OptionError
from treewright.library.others.domain import Player
from treewright.library.others.environments import (
    EnvironmentDomain,
    Episode,
    actions_of,
    checked_outcomes,
    deep_copy,
    name_of,
)


class PettingZooGame(Episode):
    """A copy of an environment; agents that are done make their empty steps by themselves."""

    def __init__(self, env: Any, outcomes: int) -> None:
        super().__init__(deep_copy(env), outcomes, len(env.possible_agents))
        self._agents: list[Any] = env.possible_agents
        self._settle()

    @property
    def ended(self) -> bool:
        return not self.env.agents

    @property
    def mover(self) -> int:
        return self._agents.index(self.env.agent_selection)

    def actions(self) -> Sequence[int]:
        agent = self.env.agent_selection
        for told in (self.env.observe(agent), self.env.infos.get(agent)):
            mask = told.get("action_mask") if isinstance(told, dict) else None
            if mask is not None:
                return [int(action) for action in np.flatnonzero(mask)]
        return range(actions_of(self.env.action_space(agent), name_of(self.env))[1])

    def step(self, action: int) -> Any:
        self.env.step(self.outside(action))
        seen = dict(self.env.rewards)
        for agent, reward in seen.items():
            self.totals[self._agents.index(agent)] += float(reward)
        self._settle()
        return seen, None if self.ended else self.env.observe(self.env.agent_selection)

    def outside(self, action: int) -> int:
        space = self.env.action_space(self.env.agent_selection)
        return int(space.start) + action

    def _settle(self) -> None:
        while self.env.agents and is_done(self.env):
            self.env.step(None)


class PettingZooDomain(EnvironmentDomain):
    """An environment of PettingZoo's; :func:`from_pettingzoo` makes it."""

    def act(self, player: Player, env: Any) -> int | None:
        """An action for ``env.agent_selection``; None, as PettingZoo wants it, if that is done."""
        return None if is_done(env) else super().act(player, env)


def from_pettingzoo(env: Any, *, outcomes: int = 0) -> PettingZooDomain:
    """An environment (AEC) as a domain, searched from the state that it is in.

    It must have been reset, can be copied by ``copy.deepcopy``, and all its action spaces are
    ``Discrete``; an ``action_mask`` in the observation or in the infos is respected.  Players are
    numbered as in ``env.possible_agents``, and get the sum of their rewards from here on.

    ``outcomes`` is for steps that are random: how many ways each may go, drawn anew for each.
    """
    try:
        import pettingzoo
    except ImportError:
        raise MissingExtra("an environment of PettingZoo's", "pettingzoo") from None
    if isinstance(env, pettingzoo.ParallelEnv):
        raise OptionError(
            f"in {type(env.unwrapped).__name__} all agents move at once: "
            "pettingzoo.utils.parallel_to_aec(env) makes them move in turn"
        )
    if not isinstance(env, pettingzoo.AECEnv):
        raise OptionError(
            "from_pettingzoo needs an AEC environment, as pettingzoo.make('aec', …) gives it, "
            f"not {env!r}"
        )
    checked_outcomes(outcomes)
    name = name_of(env)
    spaces = [actions_of(env.action_space(agent), name) for agent in env.possible_agents]
    try:
        deep_copy(env)
    except Exception as error:  # whatever a foreign object raises
        raise OptionError(f"{name} can't be copied by copy.deepcopy ({error})") from error
    return PettingZooDomain(
        env,
        lambda env: PettingZooGame(env, outcomes),
        players=len(env.possible_agents),
        actions=max(n for _, n in spaces),
        outcomes=outcomes,
        length=EnvironmentDomain.max_length,
    )


def is_done(env: Any) -> bool:
    """Whether the agent whose turn it is may only make an empty step."""
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])
