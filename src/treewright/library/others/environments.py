"""What Gymnasium and PettingZoo share: copies of an environment, and its random numbers as chance.

A copy holds the generator of its environment too, so that a search on plain copies would foresee
what is random.  Therefore a step that draws random numbers is refused unless ``outcomes`` says how
many ways it may go: then each step is followed by a chance node, and each of its outcomes is the
step with another seed.  An outcome always leads to the same state, as in any other game.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treewright.errors import DomainError, OptionError, TreewrightError
from treewright.library.domain import CHANCE
from treewright.library.options import Options
from treewright.library.others.domain import OthersDomain, Player
from treewright.random import below

TRIAL = 8  # steps that two copies take side by side, to see whether they are alike


class Episode:
    """A copy of an environment in the middle of an episode; a library fills in what is its own."""

    def __init__(self, env: Any, outcomes: int, players: int) -> None:
        self.env = env
        self.totals = [0.0] * players
        self._outcomes = outcomes
        self._waiting: int | None = None  # an action whose outcome chance decides next

    # ------------------------------------------------------------- filled in by a library

    @property
    def ended(self) -> bool:
        raise NotImplementedError

    @property
    def mover(self) -> int:
        raise NotImplementedError

    def actions(self) -> Sequence[int]:
        raise NotImplementedError

    def step(self, action: int) -> Any:
        """Take a step, add to the totals, and return all that can be seen of it."""
        raise NotImplementedError

    def copy_env(self) -> Any:
        return deep_copy(self.env)

    def resume(self) -> None:
        """Before a step, and when a search is over: the environment is in this very state."""

    def outside(self, action: int) -> Any:
        """The action as the environment calls it."""
        return action

    # ----------------------------------------------------------------- the game's side

    @property
    def player(self) -> int:
        return self.mover if self._waiting is None else CHANCE

    def legal(self) -> Sequence[int]:
        return self.actions() if self._waiting is None else range(self._outcomes)

    def play(self, action: int) -> Any:
        """One action or one outcome; returns what can be seen of a step, if it was one."""
        if not self._outcomes:
            self.resume()
            before = self._drawn()
            seen = self.step(action)
            if self._drawn() != before:
                raise DomainError(
                    f"{name_of(self.env)} draws random numbers in a step, which the search would "
                    f"foresee: pass outcomes=16 or so, of the ways that a step may go"
                )
            return seen
        if self._waiting is None:
            self._waiting = action
            return None
        waiting, self._waiting = self._waiting, None
        self._reseed(action)
        return self.step(waiting)

    def draw(self, rng: Any) -> int:
        return int(below(rng, self._outcomes))

    def rewards(self) -> Sequence[float]:
        return self.totals

    def copy(self) -> "Episode":
        other = copy.copy(self)
        other.env = self.copy_env()
        other.totals = list(self.totals)
        return other

    def describe(self, action: int) -> str:
        return str(self.outside(action)) if self._waiting is None else f"outcome {action}"

    def render(self) -> str:
        return f"{name_of(self.env)}, rewards so far: {self.totals}"

    def _drawn(self) -> Any:
        """Changes whenever the environment draws a random number."""
        generator = getattr(self.env.unwrapped, "np_random", None)
        bits = getattr(generator, "bit_generator", None)
        return bits.state if bits is not None else None

    def _reseed(self, outcome: int) -> None:
        generator = getattr(self.env.unwrapped, "np_random", None)
        if isinstance(generator, np.random.Generator):
            own = int(generator.integers(2**32))  # the next step's outcomes are others
            self.env.unwrapped.np_random = np.random.default_rng((own, outcome))


class EnvironmentDomain(OthersDomain):
    """An environment from the state that it is in; ``episode`` makes a game of another one."""

    def __init__(
        self,
        env: Any,
        episode: Callable[[Any], Episode],
        *,
        players: int,
        actions: int,
        outcomes: int,
        length: int,
    ) -> None:
        self._episode = episode
        first = _first(env, episode)
        super().__init__(
            name_of(env),
            first.copy,
            players=players,
            actions=max(actions, outcomes),
            length=2 * length if outcomes else length,
            keys=actions,
            chance=outcomes > 0,
        )

    def policy(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        options: Options | None = None,
        seed: int = 0,
    ) -> Callable[[Any], Any]:
        """A function from such an environment, in any state, to an action for it.

        It searches copies, and leaves the environment as it is.
        """
        player = Player(self, options, simulations, seconds, seed)

        def act(env: Any) -> Any:
            return self.act(player, env)

        return act

    def act(self, player: Player, env: Any) -> Any:
        game = self._episode(env)
        action = player.choose(game)
        game.resume()
        return game.outside(action)


def checked_outcomes(outcomes: int) -> int:
    if isinstance(outcomes, bool) or not isinstance(outcomes, int) or not 0 <= outcomes <= 1000:
        raise OptionError(f"outcomes must be a whole number from 0 to 1000, not {outcomes!r}")
    return outcomes


def actions_of(space: Any, name: str) -> tuple[int, int]:
    """The lowest action of a discrete space and their number; other spaces are refused."""
    from gymnasium.spaces import Discrete

    if not isinstance(space, Discrete):
        raise OptionError(f"{name} has the action space {space}: the search needs a Discrete one")
    return int(space.start), int(space.n)


def name_of(env: Any) -> str:
    named = getattr(getattr(env, "spec", None), "id", None) or env.metadata.get("name")
    return str(named or type(env.unwrapped).__name__)


def deep_copy(env: Any, memo: dict[int, Any] | None = None) -> Any:
    """``copy.deepcopy`` of wrappers and environment, each with all that it holds.

    Many environments are ``EzPickle``: a plain copy of one is a new environment, made with the same
    arguments, and would have to be reset.  These are copied attribute by attribute.
    """
    memo = {} if memo is None else memo
    layers: list[Any] = []
    layer = env
    while layer is not None and layer not in layers:
        layers.append(layer)
        layer = getattr(layer, "__dict__", {}).get("env")
    for layer in reversed(layers):
        if "_ezpickle_args" in getattr(layer, "__dict__", {}) and id(layer) not in memo:
            twin = memo[id(layer)] = object.__new__(type(layer))
            vars(twin).update(copy.deepcopy(vars(layer), memo))
    return copy.deepcopy(env, memo)


def _first(env: Any, episode: Callable[[Any], Episode]) -> Episode:
    """The episode that the environment is in, after a trial of its copies."""
    try:
        first = episode(env)
        alike = _alike(first.copy(), first.copy())
    except TreewrightError:
        raise
    except Exception as error:  # whatever a foreign object raises
        raise OptionError(
            f"{name_of(env)} can't be played on ({error}): reset it before it is searched"
        ) from error
    first.resume()
    if not alike:
        raise OptionError(
            f"two copies of {name_of(env)} do not behave alike: they share something, or it "
            f"draws random numbers from somewhere else than its np_random"
        )
    return first


def _alike(one: Episode, other: Episode) -> bool:
    """Whether two copies that play the same, side by side, see the same."""
    from gymnasium.utils.env_checker import data_equivalence

    for step in range(TRIAL):
        if one.ended or other.ended:
            break
        legal = one.legal()
        action = legal[step % len(legal)]
        if not data_equivalence(one.play(action), other.play(action)):
            return False
    return one.ended == other.ended
