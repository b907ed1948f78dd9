"""``treewright gtp`` and ``treewright go``: an engine for Go clients, analysis, matches."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.common import Json, Quiet, Seed, emit
from treewright.errors import OptionError

if TYPE_CHECKING:
    from treewright.gtp.player import Style

app = typer.Typer(help="Go: analyse game records, let engines play each other.", no_args_is_help=True)

Simulations = Annotated[int | None, typer.Option(min=1, help="Simulations a move.")]
Seconds = Annotated[float | None, typer.Option(help="Seconds a move, if no clock is set.")]
Threads = Annotated[int, typer.Option(min=1, help="Trees grown side by side.")]
Size = Annotated[int, typer.Option(min=2, max=19, help="Board size, 2 to 19.")]
Komi = Annotated[float, typer.Option(help="White's compensation, in half points.")]
SIMULATIONS = 10_000


def gtp(
    simulations: Simulations = None,
    seconds: Seconds = None,
    threads: Threads = 1,
    size: Size = 9,
    komi: Komi = 7.5,
    resign: Annotated[
        float, typer.Option(min=0, max=1, help="Resign below this share of wins; 0 never does.")
    ] = 0.05,
    ponder: Annotated[bool, typer.Option("--ponder", help="Think in the opponent's time.")] = False,
    reuse: Annotated[bool, typer.Option(help="Keep the tree from move to move.")] = True,
    search: Annotated[
        str, typer.Option(help="default, mc-rave-priors, mc-rave, rave, uct, or light.")
    ] = "default",
    memory: Annotated[str, typer.Option(help="Memory for the tree.")] = "512MiB",
    log: Annotated[bool, typer.Option("--log", help="What is said, on stderr.")] = False,
    seed: Seed = 0,
) -> None:
    """A Go engine that speaks GTP 2 on stdin and stdout.

    Examples: treewright gtp; treewright gtp --seconds 5 --threads 2 --ponder;
    gogui-twogtp -black "treewright gtp --simulations 3000" -white "gnugo --mode gtp"
    """
    from treewright.gtp.engine import Budget, Engine

    style = _style(search, threads, memory, reuse, resign, seed)
    engine = Engine(
        sys.stdout, style, _budget(simulations, seconds, Budget), ponder, size, komi,
        sys.stderr if log else None,
    )
    engine.serve(sys.stdin)


def _budget(simulations: int | None, seconds: float | None, kind: type) -> object:  # type: ignore[type-arg]
    if seconds is not None and not seconds > 0:
        raise OptionError(f"--seconds must be above 0, not {seconds}")
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    return kind(simulations, seconds)


def _style(
    search: str, threads: int, memory: str, reuse: bool, resign: float, seed: int
) -> "Style":
    from treewright.gtp.player import style

    return style(
        search, workers=threads, memory=memory, reuse=reuse, resign=resign, seed=seed
    )
