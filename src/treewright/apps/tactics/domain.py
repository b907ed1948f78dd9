"""Hero Academy as a domain: settings, tables and the functions that the kernel calls."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import int64

from treewright.apps.tactics import board, drawing, legal, notation, rules, state, turns
from treewright.apps.tactics.evaluation import shares
from treewright.apps.tactics.greedy import greedy_action
from treewright.apps.tactics.ordering import listed
from treewright.apps.tactics.policy import choose
from treewright.apps.tactics.units import CARDS, DECKS, HAND, INFERNO, OPENING_UNITS
from treewright.errors import OptionError, nearest
from treewright.library.domain import Domain
from treewright.random import below, stream

MAP_DECKS = {"a": "standard", "a-small": "small", "a-tiny": "tiny"}
EVALUATIONS = ("mirrored", "testbed")
MAX_AP = 30
MAX_UNITS = 13  # in a deck: with more, max_actions could be passed


class HeroAcademy(Domain):
    """The tactics game of Justesen et al. and Baier & Cowling; two players, many actions a turn.

    ``ap``: action points a turn; ``first_ap``: of the very first turn (by default 3 at 5 points,
    else one less than ``ap``).  ``map``: ``a``, ``a-small`` or ``a-tiny``; ``deck``:
    ``standard``, ``small``, ``tiny`` (by default the map's) or eleven counts.  ``seed`` deals;
    or ``deck_seeds=(0..999, 0..999)``.  ``turn_limit``: then it is a draw.  ``position``: a
    state in the notation of the recordings instead of a deal.

    ``evaluation``: ``mirrored`` is the opposite for the other player, ``testbed`` is the original
    one.  ``late_wins``: a win in the last turn counts (the testbed calls it a draw).
    ``pruned`` and ``ordered``: ``legal`` lists the testbed's pruned list, best first.
    ``end_turn``: ``automatic`` with the last action point, or ``listed`` as an action of its own.
    ``greed``: how often the rollout policy takes the best action of the chosen unit or card.
    ``testbed=True`` is all of the original's choices.
    """

    id = "hero-academy-v1"
    players = 2
    max_actions = 512
    max_length = 200 * (MAX_AP + 1)
    state = state.STATE

    def __init__(self, **settings: Any) -> None:
        if settings.get("testbed"):
            settings = TESTBED | settings
        name = settings.get("map", "a")
        if not isinstance(name, str) or name not in board.MAPS:
            raise OptionError(f"there is no map {name!r}{nearest(str(name), board.MAPS)}")
        self.board = board.load(name)
        given = DEFAULTS | settings
        self._check(given)
        table = np.zeros(state.RULES, np.int64)
        table[state.AP] = given["ap"]
        table[state.LIMIT] = given["turn_limit"]
        table[state.LIMIT_FIRST] = not given["late_wins"]
        table[state.MIRRORED] = given["evaluation"] == "mirrored"
        table[state.PRUNED] = bool(given["pruned"])
        table[state.SORTED] = bool(given["ordered"])
        table[state.AUTO_END] = given["end_turn"] == "automatic"
        table[state.GREEDY] = round(1000 * given["greed"])
        super().__init__(tables={**self.board.tables, "rules": table}, **settings)

    def _check(self, given: dict[str, Any]) -> None:
        def whole(name: str, low: int, high: int) -> None:
            if type(given[name]) is not int or not low <= given[name] <= high:
                raise OptionError(f"{name} must be {low} to {high}, not {given[name]!r}")

        whole("ap", 1, MAX_AP)
        whole("turn_limit", 1, 30_000)
        if given["first_ap"] is not None:
            whole("first_ap", 1, MAX_AP)
        for name, known in (("evaluation", EVALUATIONS), ("end_turn", ("automatic", "listed"))):
            if given[name] not in known:
                raise OptionError(
                    f"{name}={given[name]!r} is unknown{nearest(str(given[name]), known)}"
                )
        if not isinstance(given["greed"], (int, float)) or not 0 <= given["greed"] <= 1:
            raise OptionError(f"greed must be between 0 and 1, not {given['greed']!r}")

    def start(
        s,
        map="a",
        ap=5,
        first_ap=None,
        turn_limit=200,
        seed=0,
        deck_seeds=None,
        deck=None,
        position=None,
        evaluation="mirrored",
        late_wins=True,
        pruned=True,
        ordered=False,
        end_turn="automatic",
        greed=0.5,
        testbed=False,
    ):
        if position is None:
            position = deal(map, first_ap or first_points(ap), seed, deck_seeds, deck)
        s._record[0] = notation.read_state(position, int(board.load(map).tables["zone"][0]))[0]

    def legal(s, t, out):
        return listed(s, t, out)

    def play(s, t, action):
        rules.play(s, t, int64(action))

    def ended(s):
        return s.over == 1

    def rewards(s, out):
        out[0] = 1.0 if s.winner == 1 else 0.0 if s.winner == 2 else 0.5
        out[1] = 1.0 - out[0]

    def value(s, t, out):
        shares(s, t, out)

    def rollout(s, t, rng, out):
        return choose(s, t, rng, out)

    def allowed(s, t, action):
        return legal.allowed(s, t, int64(action))

    def greedy(s, t, rng, out):
        return greedy_action(s, t, rng)

    def describe(s, action):
        return notation.describe(s, action)

    def render(s, t):
        return drawing.text(s, board.by_squares(t.zone[board.BOARD]))


DEFAULTS: dict[str, Any] = {
    "ap": 5,
    "first_ap": None,
    "turn_limit": 200,
    "evaluation": "mirrored",
    "late_wins": True,
    "pruned": True,
    "ordered": False,
    "end_turn": "automatic",
    "greed": 0.5,
}
TESTBED: dict[str, Any] = {
    "evaluation": "testbed",
    "late_wins": False,
    "pruned": False,
    "end_turn": "listed",
}


def first_points(ap: int) -> int:
    """Action points of the first turn: 3 at 5, else one less than later."""
    return 3 if ap == 5 else max(1, ap - 1)


def deck_counts(deck: Any, map_name: str = "a") -> list[int]:
    """A deck by name or as eleven counts; it must allow an opening hand."""
    if deck is None:
        deck = MAP_DECKS[map_name]
    if isinstance(deck, str):
        if deck not in DECKS:
            raise ValueError(f"there is no deck {deck!r}{nearest(deck, DECKS)}")
        return list(DECKS[deck])
    try:
        counts = notation.read_cards(list(deck) if isinstance(deck, tuple) else deck, "deck")
    except OptionError as error:
        raise ValueError(str(error)) from error
    units, others = sum(counts[:INFERNO]), sum(counts[INFERNO:])
    if units > MAX_UNITS:
        raise ValueError(f"deck has {units} units; {MAX_UNITS} are the most")
    if units < OPENING_UNITS or units + others < HAND or others < HAND - OPENING_UNITS:
        raise ValueError(
            f"deck has {units} units and {others} other cards: an opening hand of {HAND} needs "
            f"exactly {OPENING_UNITS} units"
        )
    if units + others > 60:
        raise ValueError(f"deck has {units + others} cards; 60 are the most")
    return counts


def deal(map_name: str, first_ap: int, seed: int, deck_seeds: Any, deck: Any) -> dict[str, Any]:
    """The opening position, in the notation of the recordings."""
    where = board.load(map_name)
    counts = deck_counts(deck, map_name)
    if deck_seeds is None:
        rng = stream(seed)
        deck_seeds = (int(below(rng, 1000)), int(below(rng, 1000)))
    good = isinstance(deck_seeds, (tuple, list)) and len(deck_seeds) == 2
    if not good or not all(type(n) is int and 0 <= n <= 999 for n in deck_seeds):
        raise ValueError(f"deck_seeds must be two numbers 0 to 999, not {deck_seeds!r}")
    hands = [opening_hand(counts, n) for n in deck_seeds]
    units = [
        [*divmod(q, board.HEIGHT), side + 1, "X", 4500, 0]
        for side in (0, 1)
        for q in where.crystals[side]
    ]
    return {
        "p": 1,
        "t": 1,
        "ap": first_ap,
        "end": 0,
        "win": -1,
        **{f"h{i + 1}": hands[i][0] for i in (0, 1)},
        **{f"d{i + 1}": hands[i][1] for i in (0, 1)},
        **{f"s{i + 1}": hands[i][2] for i in (0, 1)},
        "u": units,
    }


def opening_hand(counts: list[int], seed: int) -> tuple[list[int], list[int], int]:
    """Draw six until exactly three are units; the hand, what is left, and the seed after it."""
    for _ in range(10_000):
        hand, deck = [0] * CARDS, list(counts)
        for _ in range(HAND):
            seed = turns.next_seed(seed)
            index = seed % sum(deck)
            card = next(c for c in range(CARDS) if (index := index - deck[c]) < 0)
            deck[card] -= 1
            hand[card] += 1
        if sum(hand[:INFERNO]) == OPENING_UNITS:
            return hand, deck, seed
    raise ValueError(f"deck {counts} never deals {OPENING_UNITS} units in {HAND} cards here")
