"""``treewright story generate problem.txt``: a narrative planning problem instead of a set-up."""

from pathlib import Path
from typing import Any

import typer

from treewright.apps.stories.planning.planner import METHODS, MILLION, Planner, as_data, tree
from treewright.apps.stories.planning.problem import load_problem
from treewright.apps.stories.planning.prose import told
from treewright.apps.stories.source import StoryError
from treewright.errors import OptionError, nearest
from treewright.library.writing import write_whole
from treewright.workshop.commands import counted, emit, exit_if_interrupted

FORMATS = ("text", "json")


def generate(
    name: str,
    goal: int,
    author: int,
    character: int,
    layers: int,
    method: str,
    nodes: int | None,
    seed: int,
    form: str,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Solve a problem, print the plan with its reasons and tell it."""
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r} for a problem{nearest(method, METHODS)}")
    if form not in FORMATS:
        raise OptionError(f"the format of a plan is {' or '.join(FORMATS)}; not {form!r}")
    planner = Planner(load_problem(name), goal, author, character, layers)
    budget = MILLION if nodes is None else nodes
    with counted(Path(name).name, budget, quiet) as bar:

        def seen(spent: int, score: float) -> None:
            bar(min(spent, budget), f"{spent:,} nodes")

        plan = planner.solve(method, budget, seed, progress=seen)
    if plan.stopped == "exhausted":
        raise StoryError(
            f"{planner.problem.where_goals_are}: no plan raises the author's utility to {goal} "
            f"within --author {author}, --character {character} and --layers {layers}"
        )
    data: dict[str, Any] = as_data(plan)
    data["story"] = told(plan) if plan.solved else ""
    limits = f"{plan.nodes:,} nodes, {plan.seconds:.2f} s, {plan.method}"
    if plan.solved:
        text = f"{tree(plan)}\n\n{data['story']}\n\nutility {plan.utility:g}; {limits}"
    else:
        why = "the nodes are used up" if plan.stopped == "nodes" else plan.stopped
        text = f"no plan found: {why}; {limits}"
    if out is not None:
        import json

        write_whole(out, json.dumps(data, indent=2) + "\n" if form == "json" else f"{text}\n")
        typer.echo(f"{out} written")
    else:
        emit(data, text, as_json or form == "json")
    exit_if_interrupted(plan.stopped == "interrupt")
    if not plan.solved:
        raise typer.Exit(1)
