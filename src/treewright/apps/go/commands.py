"""``treewright gtp`` and ``treewright go``: an engine for Go clients, analysis, matches."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.library.writing import make_folder, whole, write_whole
from treewright.workshop.commands import (
    MOST_THREADS,
    CpuSeconds,
    Json,
    Memory,
    OnCluster,
    Quiet,
    Seed,
    Workers,
    check_target,
    check_workers,
    emit,
    emit_measured,
    exit_if_interrupted,
    progress_bar,
    working,
)

if TYPE_CHECKING:
    from treewright.apps.go.gtp.engine import MoveBudget
    from treewright.apps.go.gtp.game import Game
    from treewright.apps.go.gtp.player import Player, Style

app = typer.Typer(
    no_args_is_help=True,
    help="Go: analyse game records, let engines play each other.\n\n"
    "Examples: treewright go analyse game.sgf; "
    "treewright go match treewright 'gnugo --mode gtp --chinese-rules' --games 20",
)

Simulations = Annotated[int | None, typer.Option(min=1, help="Simulations a move.")]
Seconds = Annotated[float | None, typer.Option(help="Seconds a move, if no clock is set.")]
Size = Annotated[int, typer.Option(min=2, max=19, help="Board size, 2 to 19.")]
Komi = Annotated[float, typer.Option(help="White's compensation, in half points.")]
SIMULATIONS = 10_000


def gtp(
    simulations: Simulations = None,
    seconds: Seconds = None,
    workers: Workers = 1,
    size: Size = 9,
    komi: Komi = 7.5,
    resign: Annotated[
        float, typer.Option(min=0, max=1, help="Resign below this share of wins; 0 never does.")
    ] = 0.05,
    ponder: Annotated[bool, typer.Option("--ponder", help="Think in the opponent's time.")] = False,
    reuse: Annotated[bool, typer.Option(help="Keep the tree from move to move.")] = True,
    openings: Annotated[
        bool,
        typer.Option(help="Known first moves: 9x9 by heart, large boards in the corners."),
    ] = True,
    search: Annotated[
        str, typer.Option(help="default, mc-rave-priors, mc-rave, rave, uct, or light.")
    ] = "default",
    memory: Memory = "512MiB",
    log: Annotated[bool, typer.Option("--log", help="What is said, on stderr.")] = False,
    seed: Seed = 0,
) -> None:
    """A Go engine that speaks GTP 2 on stdin and stdout.

    Examples: treewright gtp; treewright gtp --seconds 5 --workers 2 --ponder;
    gogui-twogtp -black "treewright gtp --simulations 3000" -white "gnugo --mode gtp"
    """
    from treewright.apps.go.gtp.engine import Engine

    style = _style(search, workers, memory, reuse, resign, seed)
    if not openings:
        style = replace(style, openings=False)
    engine = Engine(
        sys.stdout,
        style,
        _budget(simulations, seconds),
        ponder,
        size,
        komi,
        sys.stderr if log else None,
    )
    engine.player.check(engine.game)
    try:
        engine.serve(sys.stdin)
    except KeyboardInterrupt:
        engine.leave(130)
        raise
    engine.leave()


def _budget(simulations: int | None, seconds: float | None) -> "MoveBudget":
    from treewright.apps.go.gtp.engine import MoveBudget

    if seconds is not None and not seconds > 0:
        raise OptionError(f"--seconds must be above 0, not {seconds}")
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    return MoveBudget(simulations, seconds)


def _style(
    search: str, workers: int, memory: str, reuse: bool, resign: float, seed: int
) -> "Style":
    from treewright.apps.go.gtp.player import style

    check_workers("--workers", workers, MOST_THREADS)
    return style(search, workers=workers, memory=memory, reuse=reuse, resign=resign, seed=seed)


@app.command("analyse")
def analyse(
    file: Annotated[Path, typer.Argument(help="A game record (SGF).")],
    out: Annotated[
        Path | None, typer.Option(help="The graph (PNG); the record's name by default.")
    ] = None,
    sgf: Annotated[
        Path | None, typer.Option(help="Also write the record with win rates as comments.")
    ] = None,
    simulations: Simulations = None,
    seconds: Seconds = None,
    workers: Workers = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Draw a game's win rate and name the moves that changed it most.

    Examples: treewright go analyse game.sgf;
    treewright go analyse game.sgf --simulations 20000 --out graph.png --sgf commented.sgf
    """
    from treewright.apps.go.gtp import sgf as records
    from treewright.apps.go.gtp.review import comments, graph, review

    game = records.read(file)
    if not game.moves:
        raise OptionError(f"{file}: there is no move in this record")
    picture = out or file.with_suffix(".png")
    check_target("--out", picture, (".png", ".svg", ".pdf"))
    if sgf is not None:
        check_target("--sgf", sgf, (".sgf",))
    budget = _budget(simulations, seconds)
    style = _style("default", workers, "512MiB", False, 0.0, seed)
    with progress_bar("analysing", len(game.moves) + 1, quiet) as seen:
        found = review(game, style, budget.simulations, budget.seconds, seen)
    with whole(picture) as part:
        graph(found, file.name).savefig(part)
    if sgf is not None:
        write_whole(sgf, records.write(game, comments=comments(found)))
    swings = found.swings()
    lines = [
        f"move {s.number}, {'BW'[s.colour - 1]} {s.vertex}: Black {s.before:.0%} -> {s.after:.0%}"
        + (f", better {s.preferred}" if s.preferred != s.vertex else "")
        for s in swings
    ]
    text = "\n".join(["biggest swings:", *lines] if lines else ["no move lost 5 % or more"])
    data = {
        "file": str(file),
        "graph": str(picture),
        "moves": [vars(s) | {"loss": s.loss} for s in found.steps],
        "swings": [s.number for s in swings],
    }
    emit(data, f"{text}\nwin-rate graph: {picture}", as_json)
    exit_if_interrupted(len(found.steps) < len(game.moves))


@app.command("match")
def match(
    first: Annotated[
        str,
        typer.Argument(
            help="A GTP engine's command, such as 'gnugo --mode gtp' or 'treewright gtp --search "
            "uct'; 'treewright' alone is ours, with the options below."
        ),
    ],
    second: Annotated[str, typer.Argument(help="Its opponent's.")],
    games: Annotated[int, typer.Option(min=1, help="Colours alternate.")] = 10,
    size: Size = 9,
    komi: Komi = 7.5,
    simulations: Simulations = None,
    seconds: Seconds = None,
    sgf: Annotated[Path | None, typer.Option(help="A folder for the records.")] = None,
    cluster: OnCluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Let two GTP engines play; stones are counted as they stand at the end.

    Example: treewright go match treewright
    "gnugo --mode gtp --chinese-rules --capture-all-dead" --games 20 --simulations 3000
    """
    from treewright.apps.go.gtp import sgf as records
    from treewright.apps.go.gtp.match import Pairing, play_numbered, words_of
    from treewright.workshop.experiments.stats import rate

    for command in (first, second):
        words_of(command)  # before anything is played
    budget = _budget(simulations, seconds)
    pairing = Pairing(first, second, size, komi, budget.simulations, budget.seconds, seed)
    rows = []
    stopped = False
    with contextlib.ExitStack() as stack:
        mapped: Callable[..., Any] = map
        if cluster is not None:
            from treewright.library.cluster.jobs import Cluster

            mapped = stack.enter_context(Cluster(cluster)).map
        seen = stack.enter_context(progress_bar("games", games, quiet))
        if sgf is not None:
            make_folder(sgf)
        played_games = mapped(play_numbered, repeat(pairing, games), range(games))
        for number in range(games):
            black = number % 2
            try:
                played = next(played_games)
            except KeyboardInterrupt:
                stopped = True
                break
            won = None if played.winner == 0 else (black + played.winner - 1) % 2
            rows.append(
                {
                    "game": number + 1,
                    "black": black + 1,
                    "result": played.result,
                    "winner": None if won is None else won + 1,
                }
            )
            if sgf is not None:
                names = (first, second) if black == 0 else (second, first)
                text = records.write(played.game, played.result, names)
                write_whole(sgf / f"game-{number + 1:03}.sgf", text)
            if seen is not None:
                seen(number)
    wins = sum(row["winner"] == 1 for row in rows)
    share = rate(wins, len(rows)) if rows else None
    text = f"{first} won {wins} of {len(rows)}"
    text += f" ({share.low:.0%} to {share.high:.0%})" if share else ""
    interval = [share.low, share.high] if share else None
    emit({"games": rows, "wins": wins, "interval": interval}, text, as_json)
    exit_if_interrupted(stopped)


def play_go(
    second: bool,
    simulations: int | None,
    seconds: float | None,
    hints: bool,
    seed: int,
    given: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """``treewright play go``: the human has Black, or White with ``--second``."""
    from treewright.apps.go.gtp.estimate import dead_stones, score_without
    from treewright.apps.go.gtp.game import Game
    from treewright.apps.go.gtp.player import Player
    from treewright.apps.go.setup import to_vertex

    unknown = set(given) - {"size", "komi", "handicap"}
    if unknown:
        raise OptionError(f"--set {min(unknown)}: play go has size, komi and handicap")
    game = Game(int(given.get("size", 9)), float(given.get("komi", 7.5)))
    if given.get("handicap"):
        game.fixed_handicap(int(given["handicap"]))
    player = Player(_style("default", 1, "512MiB", True, 0.05, seed))
    budget = _budget(simulations, seconds)
    human = 2 if second else 1
    say = (lambda text: print(text, file=sys.stderr)) if as_json else typer.echo
    resigned = 0
    while not game.over and not resigned:
        colour = game.to_play
        if colour != human:
            with working("thinking", quiet):
                thought = player.choose(game, colour, budget.simulations, budget.seconds)
            if thought.point is None:
                resigned = colour
                say("the search resigns")
                continue
            value = thought.result.value if thought.result else None
            expects = f" (expects {value:.0%})" if value is not None else ""
            game.play(colour, thought.point)
            say(f"search plays {to_vertex(game.moves[-1][1], game.size)}{expects}\n")
            continue
        say(game.render())
        if hints:
            say(_hint(player, game, human, budget))
        print(
            "your move (D4, pass, hint, undo, resign, quit): ", end="", file=sys.stderr, flush=True
        )
        line = sys.stdin.readline()
        word = line.strip().lower() if line else "quit"
        if word == "quit":
            break
        if word == "resign":
            resigned = human
        elif word == "hint":
            say(_hint(player, game, human, budget))
        elif word == "undo":
            for _ in range(min(2, len(game.moves))):
                game.undo()
        else:
            _human_move(game, human, word, say)
    say(game.render())
    dead = dead_stones(game) if game.over else set()
    score = score_without(game, dead)
    outcome = _outcome(game, score, resigned, human)
    moves = [to_vertex(p, game.size) for _, p in game.moves]
    emit({"game": "go", "moves": moves, "score": score, "outcome": outcome}, outcome, as_json)


def _hint(player: "Player", game: "Game", human: int, budget: "MoveBudget") -> str:
    """The best moves for the human, as a table."""
    search = player.prepare(game, human)
    children = search.run(budget.simulations, seconds=budget.seconds).children
    return str(type(children)(children[:8])) + "\n"


def _human_move(game: "Game", human: int, word: str, say: Callable[[str], None]) -> None:
    from treewright.apps.go.setup import to_point

    try:
        game.play(human, to_point(word, game.size))
    except ValueError as error:
        say(f"{error}; write a vertex such as D4, or pass\n")


def _outcome(game: "Game", score: float, resigned: int, human: int) -> str:
    if resigned:
        return "you resign" if resigned == human else "the search resigns: you win"
    if not game.over:
        return "not finished"
    text = f"{'B' if score > 0 else 'W'}+{abs(score):g}"
    if score == 0:
        return "draw"
    return f"{text}: " + ("you win" if (score > 0) == (human == 1) else "the search wins")


def bench(
    seconds: CpuSeconds = 2.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulations per CPU second of the Go searches, light and heavy, 9x9 and 19x19.

    Examples: treewright bench go; treewright bench go --seconds 5 --json
    """
    from treewright.apps.go.benchmark import run, table

    emit_measured("searching the empty board", lambda: run(seconds), table, as_json, quiet)
