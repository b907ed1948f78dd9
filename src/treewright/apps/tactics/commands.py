"""``treewright tactics``: Hero Academy, its agents, tournaments and recordings."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.workshop.commands import (
    MOST_PROCESSES,
    CpuSeconds,
    Json,
    OnCluster,
    Quiet,
    Seed,
    check_workers,
    emit,
    emit_measured,
    exit_if_interrupted,
    progress_bar,
    working,
)

if TYPE_CHECKING:
    from treewright.apps.tactics.saves import Record
    from treewright.apps.tactics.tournament import PairScore

app = typer.Typer(
    no_args_is_help=True,
    help="Hero Academy: a tactics game with several actions a turn, and Evolutionary MCTS.\n\n"
    "Examples: treewright tactics watch --agents emcts,greedy-action; "
    "treewright tactics tournament --agents emcts,oep-greedy --ap 10 --games 10",
)
Ap = Annotated[int, typer.Option("--ap", help="Action points a turn.")]
Map = Annotated[str, typer.Option("--map", help="a, a-small or a-tiny.")]
BudgetText = Annotated[
    str, typer.Option("--budget", help="Per turn: evals:20000, or CPU time such as 200ms.")
]
OpenHands = Annotated[bool, typer.Option("--open-hands", help="Show all hands.")]


@app.command()
def verify(
    files: Annotated[list[Path], typer.Argument(help="Recordings, .jsonl.gz.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replay recordings of the original testbed and compare everything in them with ours.

    Examples: treewright tactics verify games.jsonl.gz; treewright tactics verify *.gz --json
    """
    from treewright.apps.tactics.verify import verify as replay

    found = []
    for path in files:
        with progress_bar(f"{path.name}", None, quiet) as seen:
            found.append(replay(path, seen))
        if not as_json:
            typer.echo(_verdict(found[-1]))
    data = [
        {
            "file": v.path,
            "games": v.games,
            "records": v.records,
            "agreed": v.agreed,
            "differences": dict(v.differences),
            "first": v.first,
        }
        for v in found
    ]
    if as_json:
        emit(data, "", True)
    if not all(v.ok for v in found):
        raise typer.Exit(1)


def _verdict(v: Any) -> str:
    head = f"{v.path}: {v.agreed:,} of {v.records:,} records agree ({v.games} games or states)"
    lines = [f"  {n} x {kind}; first: {v.first[kind]}" for kind, n in v.differences.items()]
    return "\n".join([head, *lines])


@app.command()
def tournament(
    agents: Annotated[str, typer.Option(help="Names with commas between; see 'agents'.")],
    ap: Annotated[str, typer.Option("--ap", help="Action points, such as 5,10,15.")] = "5",
    budget: Annotated[
        str,
        typer.Option(help="Per turn: evals:N, CPU time such as 200ms, or class (Java's 200 ms)."),
    ] = "class",
    games: Annotated[int, typer.Option(help="Games per pair and number of points.")] = 20,
    workers: Annotated[int, typer.Option(help="Games at a time, in processes.")] = 1,
    cluster: OnCluster = None,
    store: Annotated[
        Path | None, typer.Option(help="Keep each game here, and go on from there.")
    ] = None,
    map_name: Map = "a",
    turn_limit: Annotated[int, typer.Option(help="Then the game is a draw.")] = 200,
    evaluation: Annotated[str, typer.Option(help="mirrored, or testbed's.")] = "mirrored",
    open_hands: OpenHands = False,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let agents play each other: paired deals with swapped sides, draws count half.

    Examples: treewright tactics tournament --agents emcts,oep-greedy --ap 10 --games 10;
    treewright tactics tournament --agents emcts,oep --ap 5,10 --budget 200ms --store t.sqlite
    """
    from treewright.apps.tactics.agents import CLASS
    from treewright.apps.tactics.tournament import run
    from treewright.apps.tactics.tournament import tournament as games_of
    from treewright.workshop.experiments.display import display

    names = [n.strip() for n in agents.split(",") if n.strip()]
    budgets = {
        points: budget if budget != "class" else f"evals:{CLASS.get(points, CLASS[15])}"
        for points in _points(ap)
    }
    settings: dict[str, Any] = {"map": map_name, "turn_limit": turn_limit}
    settings |= {"evaluation": evaluation, "open_hands": open_hands}
    check_workers("--workers", workers, MOST_PROCESSES)
    todo = games_of(names, budgets, games, seed, settings)
    with display(quiet) as watch:
        done, rows = run(todo, store, workers, watch, cluster)
    if done.stopping:
        kept = "" if store is None else ": what was played is kept"
        typer.echo(f"stopped ({done.stopping}){kept}", err=True)
    emit([_row(s) for s in rows], _table(rows), as_json)
    exit_if_interrupted(done.stopping == "interrupt")
    if done.stopping:
        raise typer.Exit(1)


def _points(text: str) -> list[int]:
    try:
        return [int(n) for n in text.split(",")]
    except ValueError:
        raise OptionError(f"--ap {text!r}: write numbers with commas between, 5,10,15") from None


def _row(s: "PairScore") -> dict[str, Any]:
    return {
        "first": s.first,
        "second": s.second,
        "ap": s.ap,
        "games": s.games,
        "score": s.score,
        "draws": s.draws,
        "low": s.interval.low,
        "high": s.interval.high,
        "stars": s.stars,
    }


def _table(rows: "list[PairScore]") -> str:
    if not rows:
        return "no games were played"
    width = max(len(f"{s.first} against {s.second}") for s in rows)
    lines = [
        f"{f'{s.first} against {s.second}':{width}}  {s.ap:2} AP  {s.games:4} games  "
        f"{s.score:6.1%}{s.stars:3}  ({s.interval.low:.1%} to {s.interval.high:.1%}, "
        f"{s.draws} draws)"
        for s in rows
    ]
    return "\n".join([*lines, "* p < 0.05, ** p < 0.01, *** p < 0.001 for more than even"])


@app.command("agents")
def agents_(as_json: Json = False) -> None:
    """List the agents.

    Examples: treewright tactics agents; treewright tactics agents --json
    """
    from treewright.apps.tactics.agents import AGENTS

    emit(list(AGENTS), "\n".join(AGENTS), as_json)


@app.command()
def watch(
    game: Annotated[Path | None, typer.Argument(help="A saved game.")] = None,
    agents: Annotated[str, typer.Option(help="Or let two agents play, such as emcts,oep.")] = "",
    ap: Ap = 5,
    budget: BudgetText = "evals:2000",
    map_name: Map = "a",
    delay: Annotated[float, typer.Option(help="Seconds between turns.")] = 0.0,
    out: Annotated[Path | None, typer.Option("--out", help="Save the game here.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replay a saved game turn by turn, or watch two agents.

    Examples: treewright tactics watch --agents greedy-action,random --out game.json;
    treewright tactics watch game.json --delay 0.5
    """
    from treewright.apps.tactics.saves import load, save

    if (game is None) == (not agents):
        raise OptionError("give a saved game, or --agents with two names")
    if delay < 0:
        raise OptionError(f"--delay must be 0 or more, not {delay}")
    if game is not None:
        record = load(game)
    else:
        with working("compiling and playing", quiet):
            record = _agents_play(agents, ap, budget, map_name, seed)
    if out is not None:
        save(record, out)
    _show(record, delay, as_json)


def _agents_play(names: str, ap: int, budget: str, map_name: str, seed: int) -> "Record":
    from treewright.apps.tactics.agents import agent
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.match import play_game
    from treewright.apps.tactics.saves import Record
    from treewright.apps.tactics.tournament import parse_budget

    pair = [n.strip() for n in names.split(",")]
    if len(pair) != 2:
        raise OptionError(f"--agents {names!r}: write two names with a comma between")
    domain = HeroAcademy(map=map_name, ap=ap, seed=seed)
    players = (agent(pair[0], ap, map=map_name), agent(pair[1], ap, map=map_name))
    game = play_game(domain, players, parse_budget(budget), seed)
    return Record(domain, [a for turn in game.turns for a in turn], (pair[0], pair[1]))


def _show(record: "Record", delay: float, as_json: bool) -> None:
    import time

    from treewright.apps.tactics import drawing
    from treewright.apps.tactics.notation import action_text

    position = record.position(0)
    board = record.domain.board
    colour = sys.stdout.isatty()
    turns: list[dict[str, Any]] = []
    while len(position.history) < len(record.actions):
        turn, side = position.state.turn, position.player
        words, labels = [], []
        while len(position.history) < len(record.actions) and position.player == side:
            action = record.actions[len(position.history)]
            words.append(action_text(action))
            labels.append(position.describe(action).rpartition(" ")[0])
            position.play(action)
            if position.ended:
                break
        turns.append({"turn": turn, "player": side + 1, "actions": words})
        if not as_json:
            typer.echo(f"\n{record.players[side]} (player {side + 1}), turn {turn}:")
            typer.echo("  " + "; ".join(labels) + "\n")
            typer.echo(drawing.text(position.state, board, colour))
            time.sleep(delay)
    winner = int(position.state.winner)
    if as_json:
        data = {"players": list(record.players), "turns": turns, "winner": winner}
        emit(data, "", True)
    else:
        result = {-1: "not finished", 0: "a draw", 1: "player 1 wins", 2: "player 2 wins"}[winner]
        typer.echo(f"\n{result}")


@app.command()
def render(
    out: Annotated[Path, typer.Option("--out", help="PNG, SVG or PDF.")],
    game: Annotated[Path | None, typer.Argument(help="A saved game; else a fresh deal.")] = None,
    at: Annotated[
        int | None, typer.Option("--at", help="The position after this many actions.")
    ] = None,
    ap: Ap = 5,
    map_name: Map = "a",
    seed: Seed = 0,
) -> None:
    """Draw a position to a picture.

    Examples: treewright tactics render --out start.png;
    treewright tactics render game.json --at 20 --out board.svg
    """
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.drawing import picture
    from treewright.apps.tactics.saves import Record, load

    record = load(game) if game else Record(HeroAcademy(map=map_name, ap=ap, seed=seed), [])
    if at is not None and not 0 <= at <= len(record.actions):
        raise OptionError(f"--at {at}: the game has {len(record.actions)} actions")
    picture(record.position(at).state, record.domain.board.name, out)
    typer.echo(f"{out} written")


@app.command()
def play(
    game: Annotated[Path | None, typer.Argument(help="Go on with a saved game.")] = None,
    opponent: Annotated[str, typer.Option(help="An agent; see 'agents'.")] = "local-search",
    second: Annotated[bool, typer.Option("--second", help="Play the second player.")] = False,
    ap: Ap = 5,
    budget: BudgetText = "evals:2000",
    map_name: Map = "a",
    open_hands: OpenHands = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Play in the terminal: an action by its number or text, undo, save FILE, load FILE, quit.

    Examples: treewright tactics play; treewright tactics play --opponent oep-greedy --ap 10
    """
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.play_commands import Session
    from treewright.apps.tactics.saves import Record, load

    domain = HeroAcademy(map=map_name, ap=ap, seed=seed)
    record = load(game) if game else Record(domain, [])
    Session(record, opponent, 1 if second else 0, budget, seed, open_hands, quiet).run()


def bench(
    seconds: CpuSeconds = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hero Academy: random actions and evaluated turns per CPU second at 5, 10 and 15 points.

    Examples: treewright bench tactics; treewright bench tactics --seconds 3 --json
    """
    from treewright.apps.tactics.benchmark import run, table

    emit_measured(
        "playing at random and planning turns", lambda: run(seconds), table, as_json, quiet
    )
