"""Games as JSON files: the settings and every action, so that a game can be replayed."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.notation import action_text, read_action
from treewright.errors import OptionError, TreewrightError
from treewright.library.position import Position
from treewright.library.reading import json_of, text_of
from treewright.library.writing import write_whole

FORMAT = "treewright-hero-academy-1"


@dataclass
class Record:
    """A game under way: how it began and what was played."""

    domain: HeroAcademy
    actions: list[int]
    players: tuple[str, str] = ("player 1", "player 2")

    def position(self, count: int | None = None) -> Position:
        """The position after this many actions, or after all.

        All that the rules allow is legal there, also what a search does not look at: agents
        complete their turns by policies that take it now and then.
        """
        found = Position(HeroAcademy(**self.domain.settings | {"pruned": False}))
        for action in self.actions[:count]:
            found.play(action)
        return found


def save(record: Record, path: Path) -> None:
    """Write a game; the file appears whole or not at all."""
    write_whole(path, text_of_game(record))


def text_of_game(record: Record) -> str:
    """A game as the text of its file."""
    data = {
        "format": FORMAT,
        "players": list(record.players),
        "settings": record.domain.settings,
        "actions": [action_text(a) for a in record.actions],
    }
    return json.dumps(data, indent=1) + "\n"


def load(path: Path) -> Record:
    """Read a game and play it through; whatever is wrong is named with its place."""
    return read(text_of(path, OptionError), str(path))


def read(text: str, path: str) -> Record:
    """A game from the text of its file; ``path`` is what the file is called."""
    data = json_of(text, path, OptionError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise OptionError(f"{path} is not a saved game: key 'format' must be {FORMAT!r}")
    settings, texts, players = (data.get(k) for k in ("settings", "actions", "players"))
    if not isinstance(settings, dict) or not isinstance(texts, list):
        raise OptionError(f"{path} needs an object 'settings' and a list 'actions'")
    names = ("player 1", "player 2")
    if isinstance(players, list) and len(players) == 2:
        names = (str(players[0]), str(players[1]))
    try:
        record = Record(HeroAcademy(**settings), [], names)
        position = record.position()
    except TreewrightError as error:
        raise OptionError(f"{path}, key 'settings': {error}") from error
    for number, text in enumerate(texts, 1):
        play_text(position, text, f"{path}, action {number}")
    record.actions = position.history
    return record


def play_text(position: Position, text: Any, where: str) -> None:
    """Play an action by its text; ``where`` says which it is, if it can't be played."""
    try:
        action = read_action(text)
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from error
    if position.ended:
        raise OptionError(f"{where}: {text} comes after the end of the game")
    if action not in position.legal():
        raise OptionError(f"{where}: {text} is not legal in turn {position.state.turn}")
    position.play(action)
