"""``treewright bench evaluate``."""

from treewright.apps.games.benchmarks.evaluate import SIZES, run, table


def test_ours_is_measured_whether_or_not_others_are_installed():
    rows = run(0.05)
    assert [row["ratio"] for row in rows if row["name"] == "tw.Forest"] == [1.0] * len(SIZES)
    assert len(table(rows).splitlines()) == 1 + 2 * len(SIZES)
