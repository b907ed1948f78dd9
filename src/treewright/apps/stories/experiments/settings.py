"""What the experiments on stories share: the survey's set-up and the searches by name."""

from dataclasses import dataclass, replace

from treewright.apps.stories.library import find_source
from treewright.apps.stories.searches import DEFAULT, PLAIN, ROLLOUT_BIAS, SELECTION_BIAS, generate
from treewright.apps.stories.setup import load_setup
from treewright.library.options import Options, Rollout
from treewright.workshop.experiments import Row, Rows, Settings
from treewright.workshop.experiments.summary import where

SETUP = "sherlock"
WORTH_COMPILING = 100  # nodes; both engines give the same story
SOURCE = "Magnuson 2015, section 4.6, on Kartal, Koenig & Guy 2014"


@dataclass(frozen=True)
class Variant:
    """A way to search."""

    options: Options = DEFAULT
    method: str = "mcts"
    restarts: bool = False
    prefix: bool = True
    prune: int = 0


WEIGHTED = Options(c=0.5, rollout=Rollout("weighted"), solver=True)
PRIORS = Options(
    c=3.0, puct=True, expand="best", max_backup=0.5, solver=True, rollout=Rollout("weighted")
)
VARIANTS = {
    "default": Variant(restarts=True),
    "breadth-first": Variant(method="breadth-first"),
    "best-first": Variant(method="best-first"),
    "depth-first": Variant(method="depth-first"),
    "plain, score at the end": Variant(PLAIN, prefix=False),
    "plain": Variant(PLAIN),
    "selection bias": Variant(SELECTION_BIAS),
    "rollout bias": Variant(ROLLOUT_BIAS),
    "weighted rollouts": Variant(WEIGHTED),
    "maximum": Variant(replace(WEIGHTED, max_backup=0.5)),
    "priors": Variant(PRIORS),
    "table": Variant(replace(PRIORS, rollout=Rollout("table"))),
    "bound": Variant(DEFAULT),
}


def run(settings: Settings, seed: int) -> Row:
    """The score of the story found, before idle actions are left out."""
    chosen = VARIANTS[str(settings["search"])]
    setup = load_setup(SETUP)
    nodes = int(settings["nodes"])  # type: ignore[arg-type]
    story = generate(
        setup,
        method=chosen.method,  # type: ignore[arg-type]
        nodes=nodes,
        seed=seed,
        options=chosen.options,
        restarts=chosen.restarts,
        prefix_reward=chosen.prefix,
        prune=int(settings.get("prune") or 0),
        shorten=False,
        memory=str(settings.get("memory") or "2GiB"),
        engine="compiled" if nodes > WORTH_COMPILING else "python",
    )
    return {
        "score": story.score,
        "believability": story.believability,
        "goals": story.share,
        "actions": len(story.steps),
        "explored": int(story.found["nodes"]),
        "stopped": str(story.found["stopped"]),
    }


def uses(settings: Settings) -> list[str]:
    """The library and the set-up are part of what is measured."""
    return [find_source("crime", "libraries").text, find_source(SETUP, "setups").text]


def mean(rows: Rows, **settings: object) -> float:
    """The mean score of the rows with these settings; NaN if there are none."""
    found = [float(r["score"]) for r in where(rows, **settings)]  # type: ignore[arg-type]
    return sum(found) / len(found) if found else float("nan")
