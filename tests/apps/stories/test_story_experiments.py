"""The verdicts on the survey's claims: by intervals, for both rules."""

from treewright.apps.stories.experiments import biasing, pruning
from treewright.apps.stories.experiments.settings import BUDGETS, RUNS, gap


def biased(selection, rollout, seeds=RUNS):
    """Rows in which plain MCTS scores 0.1 or so, and the others so much."""
    scores = {"plain": 0.1, "selection bias": selection, "rollout bias": rollout}
    return [
        {
            "search": way + rule,
            "nodes": n,
            "seed": seed,
            "score": score + 0.001 * (seed % 3 * n % 7),
        }
        for rule in ("", ", score at the end")
        for way, score in scores.items()
        for n in (BUDGETS[0], BUDGETS[-1])
        for seed in range(1, seeds + 1)
    ]


def test_biasing_holds_does_not_hold_or_is_open():
    assert biasing.verdict(biased(0.2, 0.4)).held is True
    assert biasing.verdict(biased(0.2, 0.15)).held is False
    assert biasing.verdict(biased(0.2, 0.4, seeds=5)).held is None, "five runs are too few"
    assert biasing.verdict(biased(0.2, 0.4)[:1]).held is None


def test_a_budget_with_few_runs_does_not_hide_one_with_enough():
    few = [{**row, "nodes": 10 * BUDGETS[-1]} for row in biased(0.2, 0.15, seeds=2)]
    assert biasing.verdict(biased(0.2, 0.4) + few).held is True
    others = [row for row in few if not row["search"].startswith("plain")]
    assert biasing.verdict(others).held is None, "nothing to compare with"


def test_a_gap_is_open_if_zero_lies_within():
    zero = dict.fromkeys(range(RUNS), 0.0)
    mixed = {seed: (-1.0) ** seed for seed in range(RUNS)}
    assert gap(mixed, zero).held is None
    assert gap(zero, zero).held is False
    assert gap(dict.fromkeys(range(RUNS), 1.0), zero).held is True
    assert gap({}, zero).runs == 0


def pruned(with_pruning, seeds=RUNS):
    return [
        {
            "search": f"table{rule}",
            "nodes": 20_000,
            "prune": prune,
            "seed": seed,
            "score": score + 0.001 * seed,
            "explored": 20_000,
            "peak_mib": 100,
        }
        for rule in ("", ", score at the end")
        for prune, score in ((0, 0.5), (1_000, with_pruning))
        for seed in range(1, seeds + 1)
    ]


def test_pruning_holds_does_not_hold_or_is_open():
    assert pruning.verdict(pruned(0.6)).held is True
    assert pruning.verdict(pruned(0.4)).held is False
    assert pruning.verdict(pruned(0.6, seeds=4)).held is None


def test_the_paper_scale_is_what_the_claims_ask_for():
    for experiment in (biasing.EXPERIMENT, pruning.EXPERIMENT):
        grids = experiment.scales["paper"]
        assert {n for grid in grids for n in grid.values["nodes"]} >= set(BUDGETS)
        assert max(grid.seeds for grid in grids) == RUNS
