"""``treewright optimize``: minimise a function of real numbers."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.workshop.commands import (
    LARGEST,
    Json,
    OnCluster,
    Quiet,
    Seconds,
    Seed,
    counted,
    emit,
    exit_if_interrupted,
)


def optimize(
    function: Annotated[
        str,
        typer.Argument(help="cec2014:NUMBER, or path/to/file.py:function (a plain or Numba one)."),
    ],
    dim: Annotated[
        int | None,
        typer.Option(min=1, help="Dimensions; 10 for CEC 2014 if not given."),
    ] = None,
    budget: Annotated[int, typer.Option(min=1, max=LARGEST, help="Budget: evaluations.")] = 100_000,
    method: Annotated[
        str | None,
        typer.Option(
            help="runs (a tree shares the evaluations out among solvers and places), staged "
            "(mostly L-SHADE, planned for the budget), la-mcts, iterated-splitting or soo.",
            show_default="runs; staged from 5,000 evaluations per dimension",
        ),
    ] = None,
    seed: Seed = 0,
    bounds: Annotated[
        str | None,
        typer.Option(help="LOW,HIGH of every dimension of a function from a file."),
    ] = None,
    seconds: Seconds = None,
    moves: Annotated[int | None, typer.Option(min=1, help="Splitting: moves per pass.")] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Splitting: passes.")] = None,
    splits: Annotated[int | None, typer.Option(min=2, help="Splitting: parts per split.")] = None,
    cluster: OnCluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Minimise a function inside a box; for CEC 2014, the error to the optimum is shown.

    Examples: treewright optimize cec2014:17 --dim 10 --budget 100000 --seed 1;
    treewright optimize wing.py:drag --dim 2 --bounds=-5,5 --budget 100;
    treewright optimize cec2014:9 --method iterated-splitting --passes 10 --splits 3 --json
    """
    from treewright.apps.functions.minimize import default_method, minimize

    f, box, number = _read(function, dim, bounds)
    dim = len(box)
    method = method or default_method(dim, budget)
    given = {"moves": moves, "passes": passes, "splits": splits}
    options: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    best = "best" if number is None else "error"
    with (
        _calling(f, cluster) as workers,
        counted(f"{function}, {method}", budget, quiet) as seen,
    ):
        found = minimize(
            f,
            box,
            workers=workers,
            budget=budget,
            method=method,
            seed=seed,
            seconds=seconds,
            options=options,
            progress=lambda done, value: seen(done, f"{best} {value:.6g}"),
        )
    exit_if_interrupted(found.message == "interrupted" and not found.nfev)
    data: dict[str, Any] = {
        "function": function,
        "dim": dim,
        "budget": budget,
        "method": method,
        "seed": seed,
        "value": found.fun,
        "x": found.x.tolist(),
        "evaluations": found.nfev,
        "seconds": found.seconds,
        "message": found.message,
        "curve": [list(c) for c in found.curve],
    }
    shown = f"value {found.fun:.10g}"
    if number is not None:
        data |= {"value": found.fun + 100.0 * number, "error": found.fun}
        shown = f"error {found.fun:.10g} (value {data['value']:.10g})"
    point = ", ".join(f"{v:.6g}" for v in found.x)
    text = (
        f"{function} in {dim} dimensions, {method}: {shown}\nx = [{point}]\n"
        f"{found.nfev:,} evaluations in {found.seconds:.1f} s; {found.message}"
    )
    emit(data, text, as_json)
    exit_if_interrupted(found.message == "interrupted")


@contextlib.contextmanager
def _calling(f: Any, cluster: str | None) -> Iterator[Any]:
    """How a plain function is called for many points: here, or on the machines of a cluster."""
    if cluster is None:
        yield 1
        return
    from treewright.apps.functions.objective import compiled
    from treewright.library.cluster.jobs import Cluster

    if compiled(f) is not None:
        raise OptionError(
            "--cluster is for a plain Python function: one that compiles is faster here"
        )
    with Cluster(cluster) as there:
        there.carry(f)
        yield there.map


def _read(function: str, dim: int | None, bounds: str | None) -> tuple[Any, Any, int | None]:
    """The function, its box, and its number if it is one of CEC 2014."""
    from treewright.apps.functions.minimize import cec_bounds, cec_function

    place, colon, name = function.rpartition(":")
    if place == "cec2014":
        if not name.isdigit():
            raise OptionError(f"{function}: write cec2014:NUMBER, from cec2014:1 to cec2014:30")
        if bounds is not None:
            raise OptionError("the functions of CEC 2014 have their own bounds, -100 to 100")
        dim = dim or 10
        return cec_function(int(name), dim), cec_bounds(dim), int(name)
    if not colon or not place.endswith(".py"):
        raise OptionError(f"{function!r}: write cec2014:NUMBER or path/to/file.py:function")
    from treewright.library.registry import load_file

    module = load_file(Path(place))
    f = getattr(module, name, None)
    if not callable(f):
        raise OptionError(f"{place} has no function {name!r}")
    if bounds is None or dim is None:
        raise OptionError(f"{function} needs --dim and --bounds, as in --dim 2 --bounds=-5,5")
    try:
        low, high = (float(v) for v in bounds.split(","))
    except ValueError:
        raise OptionError(f"--bounds {bounds!r}: write it as LOW,HIGH") from None
    return f, [(low, high)] * dim, None
