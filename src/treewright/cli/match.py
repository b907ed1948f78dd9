"""``treewright match``: which of two searches plays a game better."""

from typing import Annotated

import typer

from treewright.cli.search import Debug, DomainName, tried
from treewright.errors import OptionError
from treewright.workshop.commands import (
    Json,
    Quiet,
    Seed,
    Set,
    count_of,
    counted,
    emit,
    exit_if_interrupted,
    settings,
    working,
)


# a long function, because each option is declared here with its help
def match(
    domain: DomainName,
    a: Annotated[
        str, typer.Option("--a", metavar="PLAYER", help="Such as simulations=1000,rave.k=300.")
    ] = "simulations=1000",
    b: Annotated[
        str, typer.Option("--b", metavar="PLAYER", help="Such as simulations=1000,c=0.7; random.")
    ] = "simulations=1000",
    games: Annotated[int, typer.Option(min=1, help="At most this many; each begins half.")] = 100,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="Stop when A is clearly LOW or HIGH Elo better."),
    ] = None,
    seed: Seed = 0,
    set_: Set = None,
    debug: Debug = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let two searches play each other, and say how sure the result is.

    A player is its budget per move and what differs from the default: simulations, c, fpu, rave.k,
    rollout.depth and the other numbers of 'treewright tune', policy=NAME, solver; or random.
    In each pair of games either begins once. A domain that deals by a setting 'seed' deals
    anew for each pair: seed, seed + 1 and so on.

    Examples: treewright match connect-four --a c=0.7 --b c=1.4 --games 40;
    treewright match mine.py:Game --a simulations=500 --b simulations=250 --sprt 0:50
    """
    from treewright.workshop.contest import Contest, contest, contestant
    from treewright.workshop.deals import dealt

    limits = _limits(sprt)
    players = contestant("--a", a), contestant("--b", b)
    chosen = settings(set_)
    with working(f"{domain}: a first try", quiet):
        tried(domain, dealt(domain, chosen, seed), players[0].options, seed, debug)
    with counted(domain, games, quiet) as seen:

        def watch(now: Contest) -> None:
            seen(len(now.scores), f"A has {sum(now.scores):g}")

        done = contest(
            lambda number: dealt(domain, chosen, number), *players, games, seed, limits, watch
        )
    if not done.scores:
        exit_if_interrupted(True)
    share = done.rate
    text = (
        f"A scored {share.value:.1%} ({share.low:.1%} to {share.high:.1%}) "
        f"in {count_of(share.n, 'game')}: {done.scores.count(1.0)} won, "
        f"{done.scores.count(0.5)} drawn, {done.scores.count(0.0)} lost"
    )
    test = done.sprt
    if test is not None:
        said = "undecided between" if not test.decided else "accepted"
        which = f"{test.low:+g} and {test.high:+g}"
        if test.decided:
            which = f"{test.high if test.ratio > 0 else test.low:+g}"
        text += f"\nsequential test: {said} {which} Elo (log-likelihood ratio {test.ratio:.2f})"
    emit({"domain": domain, "a": a, "b": b, "seed": seed} | done.to_dict(), text, as_json)
    exit_if_interrupted(done.stopped == "interrupt")


def _limits(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low = high = 0.0
    if not -1000 <= low < high <= 1000:
        raise OptionError(f"--sprt {text!r}: write two rising differences in Elo, as in 0:30")
    return low, high
