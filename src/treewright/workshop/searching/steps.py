"""A search one simulation at a time: what was selected, expanded, simulated and backed up.

The interpreted engine builds the same tree as the compiled one, and lets us listen: the domain's
``play`` and ``rewards`` are wrapped, and what they are called with is the simulation.
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from treewright.errors import OptionError
from treewright.library.applications import load
from treewright.library.domain import Domain
from treewright.library.options import Options, Rollout
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.library.tree import children_of
from treewright.workshop.jobs.store import Store
from treewright.workshop.jobs.work import Here, Report, Result, Work, places
from treewright.workshop.searching.inspector import Label, opened
from treewright.workshop.searching.job import EXPORTS, Code, How, Place, at, domain_of, options_of

MOST = 200
SHOWN = 40  # moves of a rollout


class StepPlace(Place):
    """A few simulations of a domain that is registered, one by one."""

    simulations: int = Field(40, ge=1, le=MOST)
    c: float = Field(1.4, ge=0, le=100, description="exploration")


class StepCode(Code):
    """The same for a domain of one's own."""

    simulations: int = Field(40, ge=1, le=MOST)
    c: float = Field(1.4, ge=0, le=100, description="exploration")


class StepJob(BaseModel):
    """The same from the root of the tree that a job has left."""

    job: str = Field(max_length=40, pattern=r"^[A-Za-z0-9_-]*$", description="its id")
    simulations: int = Field(30, ge=1, le=MOST)
    c: float = Field(1.4, ge=0, le=100, description="exploration")
    seed: int = Field(0, ge=0, le=2**31)


class _Ear:
    """Listens to a domain: the actions of a simulation, until its rewards are asked for."""

    def __init__(self, domain: Domain) -> None:
        self.actions: list[int] = []
        self.rewards: list[float] | None = None
        own = domain.functions
        own["play"] = self._listened(own["play"], self._played)
        for name in ("rewards", "value"):
            if name in own:
                own[name] = self._listened(own[name], self._rewarded)

    def begin(self) -> None:
        self.actions, self.rewards = [], None

    def _played(self, action: Any) -> None:
        if self.rewards is None:
            self.actions.append(int(action))

    def _rewarded(self, out: Any) -> None:
        if self.rewards is None:
            self.rewards = [float(out[i]) for i in range(self.players)]

    players = 1

    def _listened(self, function: Any, tell: Any) -> Any:
        if function.__code__.co_varnames[1:2] == ("t",):

            def with_tables(s: Any, t: Any, last: Any) -> Any:
                found = function(s, t, last)
                tell(last)
                return found

            return with_tables

        def plain(s: Any, last: Any) -> Any:
            found = function(s, last)
            tell(last)
            return found

        return plain


def run(settings: Any, report: Report) -> Result:
    """The simulations, each with its four steps, and the nodes that they make."""
    with domain_of(settings) as domain:
        position, moves = at(domain, settings)
        options = options_of(How.model_validate({"c": settings.c}), domain)
        return _stepped(settings, report, position, options, Position.describe, moves)


def run_of(settings: StepJob, report: Report) -> Result:
    """The same for the search of a job that is done, from the root of the tree that it has left.

    The options are those that its work declares.  Else its rollouts are the domain's own, if it has
    some, and the other switches are those of plain UCT.
    """
    row = Store(Path(Here.store)).row(settings.job)
    if row is None or row["kind"] not in places():
        raise OptionError("there is no such job")
    work = load(places()[row["kind"]])
    if work.local:
        raise OptionError("a domain of your own is stepped through on its own page")
    _, position, label = opened(Here.store, settings.job)
    if work.options is not None:
        options = work.options(work.settings.model_validate(row["settings"]))
    else:
        options = Options(c=settings.c, rollout=_rollout(position.domain))
    return _stepped(settings, report, position, options, label, [])


def _rollout(domain: Domain) -> Rollout:
    if domain.function("rollout") is not None:
        return Rollout("domain")
    return Rollout("weighted" if domain.function("weight") is not None else "uniform")


def _stepped(
    settings: Any, report: Report, root: Position, options: Options, label: Label, moves: list[int]
) -> Result:
    domain = root.domain
    if root.ended:
        raise OptionError("the game is over here; there is nothing to search")
    if domain.function("determinise") is not None:
        raise OptionError("a game that hides something has no one tree to step through")
    ear = _Ear(domain)
    ear.players = domain.players
    search = Search(domain, options, seed=settings.seed, engine="python", memory="16MiB")
    search.begin(root.state)
    nodes: list[dict[str, Any]] = [{"parent": -1, "label": "root"}]
    steps = []
    for number in range(settings.simulations):
        ear.begin()
        search.run(1)
        steps.append(_step(search, ear, root, nodes, label))
        report((number + 1) / settings.simulations, f"{number + 1} simulations")
    return Result({"nodes": nodes, "steps": steps, "players": domain.players, "moves": moves})


def _step(
    search: Search, ear: _Ear, root: Position, nodes: list[dict[str, Any]], label: Label
) -> dict[str, Any]:
    """One simulation: the way through the tree, what came after it, and what it has changed."""
    tree_nodes, edges = search.tree.nodes, search.tree.edges
    position, node, path = root.copy(), 0, [0]
    played = 0
    new = None
    for action in ear.actions:
        below = {child.action: child.node for child in children_of(tree_nodes, edges, node)}
        if action not in below:
            break
        words = label(position, action)
        node = below[action]
        if node >= len(nodes):
            nodes.append({"parent": path[-1], "label": words})
            new = node
        path.append(node)
        position.follow(action)
        played += 1
        if new is not None:
            break
    at_leaf = _text(position)
    rollout = []
    for action in ear.actions[played : played + SHOWN]:
        rollout.append(label(position, action))
        position.follow(action)
    return {
        "path": path,
        "new": new,
        "leaf": at_leaf,
        "rollout": rollout,
        "longer": max(0, len(ear.actions) - played - SHOWN),
        "end": _text(position),
        "rewards": ear.rewards,
        "after": [[int(tree_nodes[n]["visits"]), float(tree_nodes[n]["value"])] for n in path],
    }


def _text(position: Position) -> str:
    """The state for people, where the domain knows how; its bare fields explain nothing."""
    return "" if position.domain.function("render") is None else position.render()


STEPS = Work("A search step by step", StepPlace, run, {"json": EXPORTS["json"]})
STEPS_CODE = Work(
    "Your own domain's search step by step", StepCode, run, {"json": EXPORTS["json"]}, local=True
)
STEPS_OF = Work("A job's search step by step", StepJob, run_of, {"json": EXPORTS["json"]})
