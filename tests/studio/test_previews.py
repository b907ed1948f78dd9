"""What can be seen of a level and of a map while they are made."""

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)
pytest.importorskip("PIL", reason="pictures need Pillow: pip install 'treewright[maps]'")


@pytest.fixture
def looks():
    """A report that keeps every look, and the looks."""
    kept = []

    def report(share, words="", preview=None):
        if preview is not None:
            kept.append(preview() if callable(preview) else preview)

    report.kept = kept
    return report


def test_a_level_grows(looks):
    from treewright.apps.levels.job import Generate, generate

    rows = generate(Generate(length=60, rollouts=50, seed=3), looks).data["rows"]
    lengths = [len(look["columns"]) for look in looks.kept]
    assert lengths
    assert lengths == sorted(lengths) or max(lengths) == 60, "a second attempt begins anew"
    assert all(len(column) == len(rows) for look in looks.kept for column in look["columns"])


def test_a_map_grows_with_its_curve(looks):
    from treewright.apps.maps.job import Generate, generate

    data = generate(Generate(evaluations=5000, seed=1), looks).data
    last = looks.kept[-1]
    assert last["curve"][-1] == [data["curve"][-1][0], data["curve"][-1][2]]
    assert [row.count("#") for row in last["map"]] == [row.count("#") for row in data["map"]]
    assert len(looks.kept) == len(data["curve"]) > 1
