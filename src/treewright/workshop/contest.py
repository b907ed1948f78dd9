"""Matches between two searches that a person describes in words, until it is clear who is better.

A player is written like ``simulations=1000,c=0.7,rave.k=300``: its budget per move, the numbers
that :mod:`treewright.workshop.tuning` knows, ``solver`` and ``policy``.  ``random`` plays any move.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import OptionError, nearest
from treewright.kernel.rng import stream_seed
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.switches import switches_of
from treewright.workshop.experiments.matches import Contestant, play
from treewright.workshop.experiments.stats import Interval, Sprt, rate, sprt
from treewright.workshop.tuning import RANGES, build

SIMULATIONS = 1000
WORDS = ("simulations", "policy", "solver", "random", *RANGES)


def contestant(option: str, text: str) -> Contestant:
    """``simulations=1000,rave.k=300`` as a player."""
    chosen: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = part.partition("=")
        if name not in WORDS:
            raise OptionError(f"{option}: {name!r} is no part of a player{nearest(name, WORDS)}")
        if bool(equals) == (name in ("solver", "random")):
            right = f"{name} alone" if equals else f"{name}=VALUE"
            raise OptionError(f"{option}: write {right}, not {part!r}")
        chosen[name] = value
    if "random" in chosen:
        if len(chosen) > 1:
            raise OptionError(f"{option}: a random player has nothing else to set")
        return Contestant()
    simulations = _whole(option, chosen.pop("simulations", str(SIMULATIONS)))
    base = Options(solver=chosen.pop("solver", None) is not None)
    if "policy" in chosen:
        rollout = dataclasses.replace(base.rollout, policy=chosen.pop("policy"))  # type: ignore[arg-type]
        base = dataclasses.replace(base, rollout=rollout)
    numbers = {name: _number(option, name, value) for name, value in chosen.items()}
    return Contestant(simulations, build(base, numbers))


def _whole(option: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10**12):
        raise OptionError(f"{option}: simulations must be a whole number above 0, not {text!r}")
    return int(text)


def _number(option: str, name: str, text: str) -> float:
    try:
        return int(text) if RANGES[name].whole else float(text)
    except ValueError:
        raise OptionError(f"{option}: {name} must be a number, not {text!r}") from None


@dataclass
class Contest:
    """What was played so far, from the first player's side."""

    scores: list[float] = field(default_factory=list)
    limits: tuple[float, float] | None = None  # Elo differences of the two hypotheses
    stopped: str = "games"

    @property
    def pairs(self) -> list[float]:
        """The mean score of each pair of games, in which each began once."""
        whole = len(self.scores) // 2
        return [(self.scores[2 * i] + self.scores[2 * i + 1]) / 2 for i in range(whole)]

    @property
    def rate(self) -> Interval:
        return rate(sum(self.scores), len(self.scores))

    @property
    def sprt(self) -> Sprt | None:
        return sprt(self.pairs, *self.limits) if self.limits and self.pairs else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "games": len(self.scores),
            "wins": self.scores.count(1.0),
            "draws": self.scores.count(0.5),
            "rate": vars(self.rate) if self.scores else None,
            "sprt": vars(self.sprt) if self.sprt else None,
            "stopped": self.stopped,
        }


def contest(
    deal: Callable[[int], Domain],
    a: Contestant,
    b: Contestant,
    games: int,
    seed: int,
    limits: tuple[float, float] | None = None,
    watch: Callable[[Contest], object] = lambda found: None,
) -> Contest:
    """At most ``games`` games, in pairs with the same seed and deal in which each begins once.

    ``deal`` makes the domain of a pair from ``seed``, ``seed + 1`` and so on.
    With ``limits`` the match ends as soon as the sequential test accepts one of the hypotheses.
    Ctrl-C ends it with the games so far.
    """
    domain = deal(seed)
    if domain.players != 2:
        raise OptionError(f"a match is for two players; {domain.name} has {domain.players}")
    for player in (a, b):
        if player.simulations:
            switches_of(domain, player.options)  # refuse now what can't be searched
    found = Contest(limits=limits)
    for game in range(games):
        first = game % 2 == 0
        if first and game:
            domain = deal(seed + game // 2)
        try:
            rewards = play(
                domain, (a, b) if first else (b, a), stream_seed(seed, game // 2) % 2**62
            )
        except KeyboardInterrupt:
            found.stopped = "interrupt"
            break
        mine, other = (rewards[0], rewards[1]) if first else (rewards[1], rewards[0])
        found.scores.append(1.0 if mine > other else 0.5 if mine == other else 0.0)
        watch(found)
        if not first and found.sprt is not None and found.sprt.decided:
            found.stopped = "decided"
            break
    return found
