"""States and actions as text: the notation of the recordings, of saved games and of the screen."""

from typing import Any

import numpy as np

from treewright.apps.tactics.board import HEIGHT, SQUARES, square
from treewright.apps.tactics.state import (
    ATTACK,
    DISCARD,
    DROP,
    END,
    HEAL,
    MOVE,
    STATE,
    SWAP,
    action_of,
)
from treewright.apps.tactics.units import (
    CARD_LETTERS,
    CARD_NAMES,
    CARDS,
    CRYSTAL,
    UNIT_LETTERS,
    UNIT_NAMES,
)
from treewright.errors import OptionError

_UNIT_KINDS = {"M": MOVE, "A": ATTACK, "H": HEAL, "S": SWAP}
_LETTERS = {kind: letter for letter, kind in _UNIT_KINDS.items()}
VERBS = {MOVE: "to", ATTACK: "attacks", HEAL: "heals", SWAP: "swaps with"}


def place(q: int) -> str:
    """A square as its two digits, column and row."""
    return f"{q // HEIGHT}{q % HEIGHT}"


def action_text(action: int) -> str:
    """``E``, ``Xc``, ``Dcxy``, ``Mxyxy``, ``Axyxy``, ``Hxyxy`` or ``Sxyxy``."""
    kind, a, b = action >> 12, action >> 6 & 63, action & 63
    if kind == END:
        return "E"
    if kind == DISCARD:
        return f"X{CARD_LETTERS[a]}"
    if kind == DROP:
        return f"D{CARD_LETTERS[a]}{place(b)}"
    return f"{_LETTERS[kind]}{place(a)}{place(b)}"


def read_action(text: Any) -> int:
    """The action that a text means; it need not be legal anywhere."""
    if text == "E":
        return END
    try:
        if not isinstance(text, str):
            raise TypeError(text)
        head, rest = text[0], text[1:]
        if head == "X" and len(rest) == 1:
            return int(action_of(DISCARD, CARD_LETTERS.index(rest), 0))
        if head == "D" and len(rest) == 3:
            return int(action_of(DROP, CARD_LETTERS.index(rest[0]), _square(rest[1:])))
        if head in _UNIT_KINDS and len(rest) == 4:
            return int(action_of(_UNIT_KINDS[head], _square(rest[:2]), _square(rest[2:])))
    except (ValueError, IndexError, TypeError, AttributeError):
        pass
    raise OptionError(
        f"{text!r} is not an action: write E, Xc, Dcxy, Mxyxy, Axyxy, Hxyxy or Sxyxy "
        f"(c a card of {CARD_LETTERS}, x and y digits)"
    )


def _square(digits: str) -> int:
    x, y = int(digits[0]), int(digits[1])
    if y >= HEIGHT:
        raise ValueError(digits)
    return square(x, y)


def describe(s: Any, action: int) -> str:
    """An action for people, with the text that the command line takes at the end."""
    kind, a, b = action >> 12, action >> 6 & 63, action & 63
    text = action_text(action)
    if kind == END:
        return "end turn E"
    if kind == DISCARD:
        return f"swap card {CARD_NAMES[a]} {text}"
    if kind == DROP:
        return f"{CARD_NAMES[a]} on {place(b)} {text}"
    what = ""
    if kind != MOVE or (s.down[0] | s.down[1]) >> b & 1:
        what = " " + UNIT_NAMES[s.unit[b]]
    return f"{UNIT_NAMES[s.unit[a]]} {place(a)} {VERBS[kind]}{what} {place(b)} {text}"


def to_json(record: np.void) -> dict[str, Any]:
    """A state in the form of the recordings (FORMAT: STATE)."""
    units = []
    for q in range(SQUARES):
        for side in (0, 1):
            if (record["up"][side] | record["down"][side] | record["gem"][side]) >> q & 1:
                kind = UNIT_LETTERS[record["unit"][q]]
                x, y = divmod(q, HEIGHT)
                units.append([x, y, side + 1, kind, int(record["hp"][q]), int(record["gear"][q])])
    cards = {
        f"{pile}{side + 1}": [int(n) for n in record[name][side * CARDS : (side + 1) * CARDS]]
        for side in (0, 1)
        for pile, name in (("h", "hand"), ("d", "deck"))
    }
    return {
        "p": int(record["player"]) + 1,
        "t": int(record["turn"]),
        "ap": int(record["ap"]),
        "end": int(record["over"]),
        "win": int(record["winner"]),
        **{k: cards[k] for k in ("h1", "d1")},
        "s1": int(record["seed"][0]),
        **{k: cards[k] for k in ("h2", "d2")},
        "s2": int(record["seed"][1]),
        "u": units,
    }


_NUMBERS = {
    "p": (1, 2),
    "t": (1, 32767),
    "ap": (0, 127),
    "end": (0, 1),
    "win": (-1, 2),
    "s1": (0, 2**31 - 1),
    "s2": (0, 2**31 - 1),
}


def read_state(data: Any, board: int | None = None) -> np.ndarray:
    """A state from its JSON form, in an array of one; what is wrong is named with its key.

    ``board`` is the mask of squares that exist; without it the whole 9 x 5 board.
    """
    if not isinstance(data, dict):
        raise OptionError(f"a state is a JSON object, not {data!r}")
    for key, (low, high) in _NUMBERS.items():
        value = data.get(key)
        if type(value) is not int or not low <= value <= high:
            raise OptionError(f"key {key!r} must be a whole number {low} to {high}, not {value!r}")
    array = np.zeros(1, STATE)
    record = array[0]
    record["player"] = data["p"] - 1
    record["turn"] = data["t"]
    record["ap"] = data["ap"]
    record["over"] = data["end"]
    record["winner"] = data["win"]
    for side in (0, 1):
        record["seed"][side] = data[f"s{side + 1}"]
        for key, name, count in (("h", "hand", "held"), ("d", "deck", "left")):
            cards = read_cards(data.get(f"{key}{side + 1}"), f"key '{key}{side + 1}'")
            record[name][side * CARDS : (side + 1) * CARDS] = cards
            record[count][side] = sum(cards)
    _read_units(record, data.get("u"), board)
    return array


def read_cards(cards: Any, where: str) -> list[int]:
    """Eleven counts in the order of ``CARD_LETTERS``, or the cards' letters."""
    if isinstance(cards, str):
        for letter in cards:
            if letter not in CARD_LETTERS:
                raise OptionError(f"{where}: {letter!r} is no card; there is {CARD_LETTERS}")
        return [cards.count(letter) for letter in CARD_LETTERS]
    good = isinstance(cards, list) and all(type(n) is int and 0 <= n <= 40 for n in cards)
    if not good or len(cards) != CARDS or sum(cards) > 100:
        raise OptionError(
            f"{where} must be {CARDS} counts of cards (in the order {CARD_LETTERS}), not {cards!r}"
        )
    return list(cards)


def _read_units(record: np.void, units: Any, board: int | None) -> None:
    if not isinstance(units, list):
        raise OptionError(f"key 'u' must be a list of units, not {units!r}")
    masks = {name: [0, 0] for name in ("up", "down", "gem")}
    kinds, health, gears = [0] * SQUARES, [0] * SQUARES, [0] * SQUARES
    taken = 0
    for i, unit in enumerate(units):
        try:
            x, y, owner, letter, hp, gear = unit
            q = square(x, y)
            kind = UNIT_LETTERS.index(letter)
            good = x >= 0 and 0 <= y < HEIGHT and q < SQUARES and owner in (1, 2) and 0 <= gear < 16
            good = good and 0 <= hp <= 20_000 and len(letter) == 1
            good = good and not (kind == CRYSTAL and hp == 0)
        except (ValueError, TypeError):
            good = False
        if not good:
            raise OptionError(
                f"key 'u', unit {i + 1}: {unit!r} should be [x, y, owner 1 or 2, letter of "
                f"{UNIT_LETTERS}, hp, equipment bits]"
            )
        if taken >> q & 1 or (board is not None and not board >> q & 1):
            why = "is taken already" if taken >> q & 1 else "is not on this map"
            raise OptionError(f"key 'u', unit {i + 1}: square {place(q)} {why}")
        taken |= 1 << q
        kinds[q], health[q], gears[q] = kind, hp, gear
        masks["gem" if kind == CRYSTAL else "up" if hp else "down"][owner - 1] |= 1 << q
    record["unit"], record["hp"], record["gear"] = kinds, health, gears
    for name, pair in masks.items():
        record[name] = pair
