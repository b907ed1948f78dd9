"""OpenSpiel's games as domains, and the search as one of its bots.

Chance is drawn with the game's own probabilities.  What a game hides is redrawn by OpenSpiel's own
``resample_from_infostate`` where the game has it, and the search is one over information sets.
Elsewhere the search sees it, so that it has to be asked for; that is so with simultaneous moves
too, which OpenSpiel itself puts one after the other and hides from the later players.
"""

import math
import random
from collections.abc import Sequence
from typing import Any

from treewright.errors import DomainError, MissingExtra, OptionError, nearest
from treewright.library.domain import CHANCE
from treewright.library.options import Options
from treewright.library.others.domain import OthersDomain, Player
from treewright.random import uniform

TRIAL = 60  # steps of a game that show whether what it hides can be redrawn


class OpenSpielGame:
    """A ``pyspiel.State``, with its rewards on our scale."""

    __slots__ = ("_begun", "_low", "_width", "state")

    def __init__(self, state: Any, low: float, width: float, begun: bool) -> None:
        """``begun``: what chance decides from here on can't be drawn twice."""
        self.state = state
        self._low = low
        self._width = width
        self._begun = begun

    @property
    def ended(self) -> bool:
        return bool(self.state.is_terminal())

    @property
    def player(self) -> int:
        player = int(self.state.current_player())  # for chance it is our number, too
        if player == CHANCE and self._begun:
            raise DomainError(
                f"{_name(self.state.get_game())} draws chance in the middle of a game from a "
                f"generator of its own, so that no position can be reached twice"
            )
        return player

    def legal(self) -> Sequence[int]:
        found: Sequence[int] = self.state.legal_actions()
        return found

    def play(self, action: int) -> None:
        self.state.apply_action(action)

    def draw(self, rng: Any) -> int:
        outcomes = self.state.chance_outcomes()
        left = uniform(rng)
        for outcome, probability in outcomes:
            left -= probability
            if left < 0:
                return int(outcome)
        return int(outcomes[-1][0])  # the probabilities add up to a little less than 1

    def rewards(self) -> Sequence[float]:
        return [(reward - self._low) / self._width for reward in self.state.returns()]

    def copy(self) -> "OpenSpielGame":
        return self.at(self.state)

    def at(self, state: Any) -> "OpenSpielGame":
        """The same game in a copy of another state."""
        return OpenSpielGame(state.clone(), self._low, self._width, self._begun)

    def describe(self, action: int) -> str:
        return str(self.state.action_to_string(self.state.current_player(), action))

    def render(self) -> str:
        return str(self.state)

    def redraw(self, rng: Any, player: int) -> None:
        if self.state.is_chance_node():  # of half a deal OpenSpiel redraws nothing
            return
        self.state = self.state.resample_from_infostate(player, lambda: float(uniform(rng)))

    def view(self, player: int) -> str:
        return _seen(self.state, player)


class OpenSpielDomain(OthersDomain):
    """A game of OpenSpiel's; :func:`from_openspiel` makes it.

    ``game`` is the ``pyspiel.Game`` that is searched.
    """

    def __init__(self, game: Any, hides: bool = False) -> None:
        """``hides``: what the game hides from its players is hidden from the search too."""
        import pyspiel

        self.game = game
        mode, modes = game.get_type().chance_mode, pyspiel.GameType.ChanceMode
        sampled = mode == modes.SAMPLED_STOCHASTIC
        state = _begun(game)
        while sampled and state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        self._first = OpenSpielGame(state, *_scale(game), begun=sampled)
        chance = mode == modes.EXPLICIT_STOCHASTIC
        outcomes = game.max_chance_nodes_in_history() if chance else 0
        super().__init__(
            _name(game),
            self._first.copy,
            players=game.num_players(),
            actions=max(game.num_distinct_actions(), game.max_chance_outcomes()),
            # twice what OpenSpiel says, which is too little for some of its games
            length=2 * (game.max_game_length() + outcomes),
            keys=game.num_distinct_actions(),
            chance=chance,
            hides=hides,
        )

    def bot(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        options: Options | None = None,
        seed: int = 0,
    ) -> Any:
        """A ``pyspiel.Bot`` that searches before each of its moves, by default normalised."""
        from treewright.library.others.openspiel_bot import SearchBot

        if self.game.get_type().short_name == "turn_based_simultaneous_game":
            raise OptionError(
                f"{self.name}: a bot needs a game with turns, and here players move at once"
            )
        player = Player(self, options, simulations, seconds, seed)
        return SearchBot(player, self._first)


def from_openspiel(game: Any, *, see_all: bool = False) -> OpenSpielDomain:
    """A game of OpenSpiel's as a domain: a ``pyspiel.Game``, or its name: ``go(board_size=9)``.

    Where a game hides something from its players, the search is one over information sets, if
    OpenSpiel can redraw what is hidden.  Where it can't, or players move at once,
    ``see_all=True`` must say that the search may look at the full state, like somebody who sees
    all cards; it does so in any game.  Rewards are on a scale from the lowest utility of the game,
    0, to the highest, 1.
    """
    try:
        import pyspiel
    except ImportError:
        raise MissingExtra("a game of OpenSpiel's", "openspiel") from None
    if isinstance(game, str):
        game = _load(pyspiel, game)
    if not isinstance(game, pyspiel.Game):
        raise OptionError(f"from_openspiel needs a pyspiel.Game or the name of one, not {game!r}")
    kinds = pyspiel.GameType
    kind, name = game.get_type(), _name(game)
    if kind.dynamics == kinds.Dynamics.MEAN_FIELD:
        raise OptionError(f"{name} is a mean field game: its players are a crowd, not a few")
    if not 0 < game.num_distinct_actions() < 2**30:
        raise OptionError(
            f"{name} has {game.num_distinct_actions()} actions by number; the search needs at "
            f"least one and less than 2**30"
        )
    at_once = kind.dynamics == kinds.Dynamics.SIMULTANEOUS
    if at_once:
        game = pyspiel.convert_to_turn_based(game)
    hides = not see_all and kind.information != kinds.Information.PERFECT_INFORMATION
    if not see_all and (at_once or (hides and not _redraws(game))):
        what = "hides something from its players that OpenSpiel can't redraw"
        raise OptionError(
            f"{name} {'lets its players move at once' if at_once else what}, and the search would "
            f"see it: pass see_all=True to search the full state, as somebody who sees all cards "
            f"does"
        )
    return OpenSpielDomain(game, hides)


def _redraws(game: Any) -> bool:
    """Whether OpenSpiel redraws what a game hides, and leaves alone what its players have seen.

    It does not say so in advance; this plays the beginning of a game to find out.
    """
    dice = random.Random(1)
    state = game.new_initial_state()
    for _ in range(TRIAL):
        if state.is_terminal():
            break
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, chances)[0])
            continue
        player = state.current_player()
        try:
            other = state.resample_from_infostate(player, dice.random)
        except Exception:  # pyspiel.SpielError: "not implemented"
            return False
        if _seen(other, player) != _seen(state, player):
            return False
        state.apply_action(dice.choice(state.legal_actions()))
    return True


def _seen(state: Any, player: int) -> str:
    """All that one player has seen, in OpenSpiel's words; what it has none for is left out."""
    kind = state.get_game().get_type()
    if kind.provides_information_state_string:
        return str(state.information_state_string(player))
    return str(state.observation_string(player)) if kind.provides_observation_string else ""


def _load(pyspiel: Any, text: str) -> Any:
    known = pyspiel.registered_names()
    name = text.partition("(")[0].strip()
    if name not in known:
        raise OptionError(f"OpenSpiel has no game {name!r}{nearest(name, known)}")
    try:
        return pyspiel.load_game(text)
    except Exception as error:  # pyspiel.SpielError, but also what its standard library throws
        said = " ".join(str(error).split())
        raise OptionError(f"OpenSpiel can't load {text!r}: {said}") from error


def _begun(game: Any) -> Any:
    try:  # some parameters are looked at only here
        return game.new_initial_state()
    except Exception as error:
        said = " ".join(str(error).split())
        raise OptionError(f"OpenSpiel can't begin {_name(game)}: {said}") from error


def _name(game: Any) -> str:
    """``tic_tac_toe``, ``go(board_size=9)``."""
    return str(game).removesuffix("()")


def _scale(game: Any) -> tuple[float, float]:
    """The lowest utility, and how far the highest is above it; 0 and 1 where there is no range."""
    low, high = float(game.min_utility()), float(game.max_utility())
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return 0.0, 1.0
    return low, high - low
