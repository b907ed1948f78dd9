"""Gymnasium's environments as domains for one player, and the search as a policy for them."""

from collections.abc import Sequence
from typing import Any

from treewright.errors import MissingExtra, OptionError
from treewright.library.others.environments import (
    EnvironmentDomain,
    Episode,
    actions_of,
    checked_outcomes,
    deep_copy,
    name_of,
)

# what environments call the pair that takes a snapshot and puts it back
PAIRS = (("clone_state", "restore_state"), ("get_state", "set_state"))


class GymnasiumGame(Episode):
    """A copy of an environment; or its snapshot, where the environment itself can't be copied."""

    def __init__(self, env: Any, outcomes: int, pair: tuple[str, str] | None) -> None:
        super().__init__(env, outcomes, players=1)
        self._start, self._n = actions_of(env.action_space, name_of(env))
        self._pair = pair
        self._over = False
        self.env = self.copy_env()
        self._save()

    @property
    def ended(self) -> bool:
        return self._over

    @property
    def mover(self) -> int:
        return 0

    def actions(self) -> Sequence[int]:
        return range(self._n)

    def step(self, action: int) -> Any:
        observation, reward, terminated, truncated, _ = self.env.step(self.outside(action))
        self._save()
        self.totals[0] += float(reward)
        self._over = bool(terminated or truncated)
        return observation, reward, terminated, truncated

    def outside(self, action: int) -> int:
        return self._start + action

    def copy_env(self) -> Any:
        """A copy of the wrappers, and of what is inside them unless it has snapshots."""
        inner = self.env.unwrapped
        return deep_copy(self.env, {id(inner): inner} if self._pair else {})

    def _save(self) -> None:
        self._saved = getattr(self.env.unwrapped, self._pair[0])() if self._pair else None

    def resume(self) -> None:
        if self._pair:
            getattr(self.env.unwrapped, self._pair[1])(self._saved)


def from_gymnasium(env: Any, *, outcomes: int = 0) -> EnvironmentDomain:
    """An environment as a domain for one player, searched from the state that it is in.

    It must have been reset, have a ``Discrete`` action space, and be such that it can be copied
    (``copy.deepcopy``) or that ``env.unwrapped`` has ``clone_state`` and ``restore_state``, or
    ``get_state`` and ``set_state``.  The reward is the sum of all rewards from here on.

    ``outcomes`` is for steps that are random: how many ways each may go, drawn anew for each.
    """
    try:
        import gymnasium
    except ImportError:
        raise MissingExtra("an environment of Gymnasium's", "gymnasium") from None
    if not isinstance(env, gymnasium.Env):
        raise OptionError(
            "from_gymnasium needs an environment, as gymnasium.make('CartPole-v1') gives it, "
            f"not {env!r}"
        )
    checked_outcomes(outcomes)
    _, actions = actions_of(env.action_space, name_of(env))
    pair = _pair(env)
    if pair and outcomes:
        raise OptionError(
            f"{name_of(env)} can't be copied, only put back, and so its random steps "
            "can't be searched: leave out outcomes"
        )
    limit = env.spec.max_episode_steps if env.spec is not None else None
    return EnvironmentDomain(
        env,
        lambda env: GymnasiumGame(env, outcomes, pair),
        players=1,
        actions=actions,
        outcomes=outcomes,
        length=limit or EnvironmentDomain.max_length,
    )


def _pair(env: Any) -> tuple[str, str] | None:
    """The functions that take a snapshot and put it back, of an environment that needs them."""
    try:
        deep_copy(env)
    except Exception as error:  # whatever a foreign object raises
        inner = env.unwrapped
        for pair in PAIRS:
            if all(callable(getattr(inner, name, None)) for name in pair):
                return pair
        raise OptionError(
            f"{name_of(env)} can't be copied ({error}), and has neither clone_state and "
            "restore_state nor get_state and set_state"
        ) from error
    return None
