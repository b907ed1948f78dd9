"""What the experiments on stories share: the survey's set-up and the searches by name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treewright.apps.stories.library import find_source
from treewright.apps.stories.searches import DEFAULT, PLAIN, ROLLOUT_BIAS, SELECTION_BIAS, generate
from treewright.apps.stories.setup import load_setup
from treewright.library.options import Options, Rollout
from treewright.library.shown import count_of
from treewright.workshop.experiments import Row, Rows, Settings, Verdict, judge, stats
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
    "selection bias, score at the end": Variant(SELECTION_BIAS, prefix=False),
    "rollout bias, score at the end": Variant(ROLLOUT_BIAS, prefix=False),
    "weighted rollouts": Variant(WEIGHTED),
    "maximum": Variant(replace(WEIGHTED, max_backup=0.5)),
    "priors": Variant(PRIORS),
    "table": Variant(replace(PRIORS, rollout=Rollout("table"))),
    "bound": Variant(DEFAULT),
}
VARIANTS["table, score at the end"] = replace(VARIANTS["table"], prefix=False)
RULES = {"": "with the best-prefix rule", ", score at the end": "without it"}  # ends of names
BUDGETS = [20_000, 100_000, 500_000, 5_000_000]  # nodes; the survey's largest tree has 5 million
RUNS = 20  # from so many on, an interval decides


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


def scores(rows: Rows, **settings: object) -> dict[int, float]:
    """The score of each seed, of the rows with these settings."""
    return {int(r["seed"]): float(r["score"]) for r in where(rows, **settings)}


@dataclass(frozen=True)
class Gap:
    """By how much one way scores more than another (times a factor), with its interval."""

    runs: int
    value: float
    low: float
    high: float

    @property
    def held(self) -> bool | None:
        """Whether it is more: yes, no, or open because the interval has zero in it."""
        if self.runs < RUNS:
            return None
        return True if self.low > 0 else False if self.high <= 0 else None

    def __str__(self) -> str:
        return (
            f"{self.value:+.3f} ({self.low:+.3f} to {self.high:+.3f}, {count_of(self.runs, 'run')})"
        )


def gap(more: dict[int, float], less: dict[int, float], factor: float = 1.0) -> Gap:
    """``more - factor * less``, over the seeds that both were run with."""
    both = sorted(more.keys() & less.keys())
    if not both:
        return Gap(0, float("nan"), float("-inf"), float("inf"))
    found = stats.mean([more[seed] - factor * less[seed] for seed in both])
    return Gap(len(both), found.value, found.low, found.high)


def decided(finding: str, parts: Sequence[bool | None]) -> Verdict:
    """Held if all parts did; did not hold if one did not; else open."""
    if parts and all(parts):
        return judge(finding, True, enough=True)
    return judge(finding, False, enough=any(part is False for part in parts))
