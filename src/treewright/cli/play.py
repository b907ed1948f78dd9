"""``treewright play`` and ``treewright watch``: a domain in the terminal, with the search."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.search import Debug, tried
from treewright.errors import OptionError
from treewright.workshop.commands import (
    MOST_THREADS,
    C,
    Json,
    Memory,
    Normalise,
    Policy,
    Quiet,
    Rave,
    Seconds,
    Seed,
    Set,
    Simulations,
    Solver,
    Workers,
    check_workers,
    emit,
    exit_if_interrupted,
    options,
    settings,
    working,
)

if TYPE_CHECKING:
    from treewright.library.domain import Domain
    from treewright.library.options import Options
    from treewright.library.position import Position
    from treewright.library.result import Result
    from treewright.library.search import Search

Say = Callable[[str], object]
HELP = "a move such as {0!r}; 'hint' for the search's view, 'undo', 'quit'"
SIMULATIONS = 20_000  # a move, where nothing is said
SHOWN = 20  # labels in a prompt


# a long function, because each option is declared here with its help
def play(
    game: Annotated[
        str, typer.Argument(help="A domain's id, module:Class, or path/to/file.py:Class.")
    ],
    second: Annotated[bool, typer.Option("--second", help="Let the search move first.")] = False,
    simulations: Simulations = None,
    seconds: Seconds = None,
    hints: Annotated[bool, typer.Option("--hints", help="Show its view before each move.")] = False,
    c: C = None,
    rave: Rave = None,
    solver: Solver = True,
    policy: Policy = "uniform",
    normalise: Normalise = False,
    workers: Workers = 1,
    memory: Memory = "512MiB",
    debug: Debug = False,
    seed: Seed = 0,
    set_: Set = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play in the terminal: against the search, or alone with its hints.

    You are the first player, or the second with --second; the search plays everybody else. Type a
    move, 'hint' for the search's view, 'undo' or 'quit'.

    Examples: treewright play tictactoe; treewright play connect-four --second --seconds 2;
    treewright play samegame --hints; treewright play go --set size=9 --set handicap=2
    """
    from treewright.library.applications import declared, load
    from treewright.library.registry import find

    own_way = declared("play").get(game)
    if own_way is not None:
        played = load(own_way)
        played(second, simulations, seconds, hints, seed, settings(set_), as_json, quiet)
        return
    domain = find(game, **settings(set_))
    if second and domain.players < 2:
        raise OptionError(f"--second: {game} is for one player")
    solver = solver and domain.players == 2 and domain.function("determinise") is None
    how = options(c, rave, solver, policy, normalise)
    again = _searcher(game, domain, how, seed, workers, memory, debug, quiet)
    search = again()
    think = _thinker(simulations, seconds, quiet)
    human = 1 if second else 0
    moves: list[str] = []
    say = _speaker(as_json)
    while not search.position.ended:
        position = search.position
        if position.is_chance:
            moves.append(_draw(search, say))
        elif position.player != human:
            moves.append(_search_moves(search, think(search), say))
        else:
            say(position.view(human) + "\n")
            if hints:
                say(f"{think(search).children}\n")
            word = _ask(position)
            if word == "quit":
                break
            if word == "hint":
                say(f"{think(search).children}\n")
            elif word == "undo":
                search = _undo(search, again(), human)
                moves = moves[: len(search.history)]
            else:
                moves += _human_moves(search, word, say)
    position = search.position
    say((position.render() if position.ended else position.view(human)) + "\n")
    outcome = _outcome(position, human)
    rewards = position.rewards() if position.ended else None
    emit({"game": game, "moves": moves, "rewards": rewards, "outcome": outcome}, outcome, as_json)


# a long function, because each option is declared here with its help
def watch(
    domain: Annotated[
        str, typer.Argument(help="A domain's id, module:Class, or path/to/file.py:Class.")
    ],
    simulations: Simulations = None,
    seconds: Seconds = None,
    c: C = None,
    rave: Rave = None,
    solver: Solver = False,
    policy: Policy = "uniform",
    normalise: Normalise = False,
    workers: Workers = 1,
    memory: Memory = "512MiB",
    debug: Debug = False,
    seed: Seed = 0,
    set_: Set = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Watch the search play a game or solve a puzzle, move by move, for every player.

    Examples: treewright watch connect-four --simulations 2000;
    treewright watch samegame --policy domain --seconds 0.1 --seed 3
    """
    from treewright.library.registry import find

    how = options(c, rave, solver, policy, normalise)
    found = find(domain, **settings(set_))
    search = _searcher(domain, found, how, seed, workers, memory, debug, quiet)()
    think = _thinker(simulations, seconds, quiet)
    say = _speaker(as_json)
    moves: list[str] = []
    stopped = False
    while not search.position.ended:
        say(search.position.render() + "\n")
        if search.position.is_chance:
            moves.append(_draw(search, say))
            continue
        result = think(search)
        stopped = result.stopped == "interrupt"
        if stopped:  # half a search is no move
            break
        moves.append(_search_moves(search, result, say))
    position = search.position
    rewards = position.rewards() if position.ended else None
    say((position.render() if position.ended else "not finished") + "\n")
    text = f"{len(moves)} moves, {position.standing}"
    emit({"domain": domain, "seed": seed, "moves": moves, "rewards": rewards}, text, as_json)
    exit_if_interrupted(stopped)


def _searcher(
    name: str,
    domain: "Domain",
    how: "Options",
    seed: int,
    workers: int,
    memory: str,
    debug: bool,
    quiet: bool,
) -> Callable[[], "Search"]:
    """What makes a search at the start; a domain from a file is tried first."""
    from treewright.library.search import Search

    check_workers("--workers", workers, MOST_THREADS)
    with working(f"{name}: a first try", quiet):
        tried(name, domain, how, seed, debug)
    return lambda: Search(domain, how, seed=seed, workers=workers, memory=memory, debug=debug)


def _thinker(
    simulations: int | None, seconds: float | None, quiet: bool
) -> Callable[["Search"], "Result"]:
    if simulations is None and seconds is None:
        simulations = SIMULATIONS

    def think(search: "Search") -> "Result":
        with working("thinking", quiet):
            return search.run(simulations, seconds=seconds)

    return think


def _draw(search: "Search", say: Say) -> str:
    drawn = search.draw()
    label = search.position.describe(drawn)
    say(f"chance: {label}\n")
    search.commit(drawn)
    return label


def _search_moves(search: "Search", result: "Result", say: Say) -> str:
    several = search.domain.players > 2
    who = f"player {search.position.player}" if several else "search"
    expects = f"{result.value:.0%}" if 0 <= result.value <= 1 else f"{result.value:.4g}"
    say(f"{who} plays {result.label} (expects {expects})\n")
    search.commit(result.best)
    return result.label


def _human_moves(search: "Search", word: str, say: Say) -> list[str]:
    """Play what was typed, if that is one move."""
    position = search.position
    fitting = _fitting(position, word)
    if len(fitting) == 1:
        label = position.describe(fitting[0])
        search.commit(fitting[0])
        return [label]
    if fitting:
        say(f"{word!r} may mean {' or '.join(position.describe(a) for a in fitting[:SHOWN])}\n")
    else:
        first = position.describe(position.legal()[0])
        what = f"{word!r} is not a move here: " if word else "type "
        say(what + HELP.format(first) + "\n")
    return []


def _speaker(as_json: bool) -> Say:
    return (lambda text: print(text, file=sys.stderr)) if as_json else typer.echo


def _ask(position: "Position") -> str:
    labels = [position.describe(a) for a in position.legal()]
    more = f", and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
    print(f"your move ({', '.join(labels[:SHOWN])}{more}): ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip().lower() if line else "quit"


def _fitting(position: "Position", word: str) -> list[int]:
    """The legal actions with this label; else those with this last word, or this beginning."""
    labels = {a: position.describe(a).lower() for a in position.legal()}
    for fits in (str.__eq__, _ends_with, str.startswith):
        found = [a for a, label in labels.items() if word and fits(label, word)]
        if found:
            return found
    return []


def _ends_with(label: str, word: str) -> bool:
    return label.split()[-1:] == [word]


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
    rewards = position.rewards()
    mine = rewards[human]
    if len(rewards) == 1:
        return f"score {mine:g}"
    best = max(rewards)
    if mine < best:
        return "the search wins"
    return "draw" if rewards.count(best) > 1 else "you win"
