"""``treewright play``: a game in the terminal against the search."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.search import Debug, tried
from treewright.errors import OptionError
from treewright.workshop.commands import (
    Json,
    Quiet,
    Seconds,
    Seed,
    Set,
    Simulations,
    Solver,
    emit,
    settings,
    working,
)

if TYPE_CHECKING:
    from treewright.library.position import Position
    from treewright.library.search import Search

HELP = "a move such as {0!r}; 'hint' for the search's view, 'undo', 'quit'"


def play(
    game: Annotated[
        str, typer.Argument(help="go, tictactoe, connect-four or any two-player domain.")
    ],
    second: Annotated[bool, typer.Option("--second", help="Let the search move first.")] = False,
    simulations: Simulations = None,
    seconds: Seconds = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show its view before each move.")] = False,
    solver: Solver = True,
    debug: Debug = False,
    seed: Seed = 0,
    set_: Set = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play against the search in the terminal.

    Examples: treewright play tictactoe; treewright play connect-four --second --seconds 2;
    treewright play go --set size=9 --set handicap=2
    """
    from treewright.library.options import Options
    from treewright.library.registry import find
    from treewright.library.search import Search

    if game == "go":
        from treewright.apps.go.commands import play_go

        play_go(second, simulations, seconds, hints, seed, settings(set_), as_json, quiet)
        return
    domain = find(game, **settings(set_))
    if domain.players != 2:
        raise OptionError(f"{game} is not a game for two players")
    if simulations is None and seconds is None:
        simulations = 20_000
    solver = solver and domain.function("determinise") is None

    def new() -> "Search":
        return Search(domain, Options(solver=solver), seed=seed, debug=debug)

    with working(f"{game}: a first try", quiet):
        tried(game, domain, Options(solver=solver), seed, debug)

    search = new()
    human = 1 if second else 0
    moves: list[str] = []
    say = _speaker(as_json)
    while not search.position.ended:
        position = search.position
        if position.is_chance:
            drawn = search.draw()
            moves.append(position.describe(drawn))
            say(f"chance: {moves[-1]}\n")
            search.commit(drawn)
            continue
        if position.player != human:
            with working("thinking", quiet):
                result = search.run(simulations, seconds=seconds)
            say(f"search plays {result.label} (expects {result.value:.0%})\n")
            moves.append(result.label)
            search.commit(result.best)
            continue
        say(position.view(human) + "\n")
        if hints:
            say(f"{search.run(simulations, seconds=seconds).children}\n")
        word = _ask(position, as_json)
        if word == "quit":
            break
        if word == "hint":
            say(f"{search.run(simulations, seconds=seconds).children}\n")
        elif word == "undo":
            search = _undo(search, new(), human)
            moves = moves[: len(search.history)]
        else:
            action = _action(position, word)
            if action is None:
                say(f"{word!r} is not a move here: " + HELP.format(_words(position)[0]) + "\n")
                continue
            moves.append(position.describe(action))
            search.commit(action)
    position = search.position
    say((position.render() if position.ended else position.view(human)) + "\n")
    outcome = _outcome(position, human)
    rewards = position.rewards() if position.ended else None
    emit({"game": game, "moves": moves, "rewards": rewards, "outcome": outcome}, outcome, as_json)


def _speaker(as_json: bool):  # type: ignore[no-untyped-def]
    return (lambda text: print(text, file=sys.stderr)) if as_json else typer.echo


def _words(position: "Position") -> list[str]:
    return [position.describe(a).split()[-1] for a in position.legal()]


def _ask(position: "Position", as_json: bool) -> str:
    print(f"your move ({' '.join(_words(position))}): ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip().lower() if line else "quit"


def _action(position: "Position", word: str) -> int | None:
    """The legal action with this label, or with this last word of a label."""
    for action in position.legal():
        label = position.describe(action).lower()
        if word in (label, label.split()[-1]):
            return action
    return None


def _undo(search: "Search", fresh: "Search", human: int) -> "Search":
    """Take back to the human's previous decision; without one, nothing."""
    position, mine = fresh.position, []
    for at, action in enumerate(search.history):
        if position.player == human:
            mine.append(at)
        position.play(action)
    for action in search.history[: mine[-1]] if mine else search.history:
        fresh.commit(action)
    return fresh


def _outcome(position: "Position", human: int) -> str:
    if not position.ended:
        return "not finished"
    mine = position.rewards()[human]
    return "you win" if mine > 0.5 else "draw" if mine == 0.5 else "the search wins"
