"""A game of Hero Academy in the terminal."""

import sys
from pathlib import Path

import typer

from treewright.apps.tactics import drawing
from treewright.apps.tactics.agents import agent
from treewright.apps.tactics.match import view
from treewright.apps.tactics.notation import action_text
from treewright.apps.tactics.saves import Record, load, save
from treewright.apps.tactics.state import AP
from treewright.apps.tactics.tournament import parse_budget
from treewright.errors import TreewrightError
from treewright.library.position import Position
from treewright.workshop.commands import working

HELP = "an action's number or text, 'undo', 'save FILE', 'load FILE', 'quit'"


class Session:
    """One human against one agent; the record is the game so far."""

    def __init__(
        self,
        record: Record,
        opponent: str,
        human: int,
        budget: str,
        seed: int,
        open_hands: bool = False,
        quiet: bool = False,
    ) -> None:
        self.record = record
        self.human = human
        self.budget = parse_budget(budget)
        self.seed = seed
        self.open_hands = open_hands
        self.quiet = quiet
        self.opponent = opponent
        self.agent = agent(opponent, self._points, map=record.domain.board.name)

    @property
    def _points(self) -> int:
        return int(self.record.domain.tables["rules"][AP])

    def run(self) -> None:
        typer.echo(drawing.legend() + "\n")
        position = self.record.position()
        while not position.ended:
            if position.player == self.human:
                if not self._ask(position):
                    break
            else:
                self._answer(position)
            position = self.record.position()
        self._draw(position)
        typer.echo("the game is over" if position.ended else "not finished")

    def _draw(self, position: Position) -> None:
        colour = sys.stdout.isatty()
        hidden = None if self.open_hands or position.ended else 1 - self.human
        board = self.record.domain.board
        typer.echo("\n" + drawing.text(position.state, board, colour, hidden) + "\n")

    def _answer(self, position: Position) -> None:
        with working(f"{self.opponent} thinks", self.quiet):
            state = view(position.state._record, self.open_hands)
            plan = self.agent.plan(state, self.budget, self.seed + len(self.record.actions))
        typer.echo(f"{self.opponent}:")
        for action in plan.actions:
            typer.echo("  " + position.describe(action).rpartition(" ")[0])
            position.play(action)
        typer.echo("")
        self.record.actions += plan.actions

    def _ask(self, position: Position) -> bool:
        """One command of the human; False to quit."""
        self._draw(position)
        legal = position.legal()
        for i, action in enumerate(legal):
            typer.echo(f"{i + 1:4} {position.describe(action)}")
        print("your action: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        word, _, rest = line.strip().partition(" ")
        if not line or word == "quit":
            return False
        try:
            if word == "undo":
                self._undo()
            elif word == "save" and rest:
                save(self.record, Path(rest))
                typer.echo(f"saved to {rest}")
            elif word == "load" and rest:
                self.record = load(Path(rest))
                self.agent = agent(self.opponent, self._points, map=self.record.domain.board.name)
            else:
                self._act(word, legal)
        except TreewrightError as error:
            typer.echo(str(error))
        return True

    def _act(self, word: str, legal: list[int]) -> None:
        texts = {action_text(a): a for a in legal}
        if word.isdigit() and 1 <= int(word) <= len(legal):
            self.record.actions.append(legal[int(word) - 1])
        elif word in texts:
            self.record.actions.append(texts[word])
        else:
            typer.echo(f"{word!r} is not an action here: {HELP}")

    def _undo(self) -> None:
        """Back to the human's decision before this one, over the opponent's turn if need be."""
        actions = self.record.actions
        for count in range(len(actions) - 1, -1, -1):
            if self.record.position(count).player == self.human:
                self.record.actions = actions[:count]
                return
        typer.echo("there is nothing to take back")
