"""Actions for pages: which squares they are about, and what they are in words."""

from treewright.apps.tactics.notation import action_text, place
from treewright.apps.tactics.state import DISCARD, DROP, END
from treewright.apps.tactics.units import CARD_LETTERS
from treewright.library.position import Position


def parts(action: int) -> dict[str, str]:
    """An action's text, and the squares (or the card) that it is about."""
    kind, a, b = action >> 12, action >> 6 & 63, action & 63
    text = action_text(action)
    if kind == END:
        return {"text": text, "from": "", "to": ""}
    if kind == DISCARD:
        return {"text": text, "from": CARD_LETTERS[a], "to": ""}
    return {"text": text, "from": CARD_LETTERS[a] if kind == DROP else place(a), "to": place(b)}


def told(start: Position, actions: list[int]) -> list[dict[str, str]]:
    """Actions from a position on, each with its parts and in words."""
    position = start.copy()
    found = []
    for action in actions:
        found.append(parts(action) | {"words": position.describe(action).rpartition(" ")[0]})
        position.follow(action)
    return found
