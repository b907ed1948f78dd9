"""Pictures of domains, regions of methods, steps of a job's search: what the pages draw."""

import re

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)
from treewright.workshop.web.picture import PictureError, picture


@pytest.mark.parametrize("name", ["nim", "tictactoe", "connect-four", "samegame"])
def test_every_legal_action_can_be_clicked(name):
    from treewright.workshop.searching.job import look

    now = look("search", {"domain": name})
    shown = [int(a) for a in re.findall(r'data-action="(\d+)"', now["picture"])]
    assert sorted(shown) == sorted(move["action"] for move in now["legal"])


def test_a_picture_does_nothing_but_show():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()" width="9"><script>x()</script>'
        '<a href="javascript:x()"><rect/></a><image href="http://elsewhere/x.png"/>'
        "<style>rect { fill: url(x) }</style><foreignObject><p>x</p></foreignObject>"
        '<rect fill="url(http://elsewhere)" style="x" data-action="1" onclick="x()"/>'
        '<g data-action="2"><circle r="3"/></g><text data-action="../x">&lt;b&gt;</text></svg>'
    )
    found = picture(svg, {1: 'take "one"'})
    for bad in (
        "script",
        "href",
        "elsewhere",
        "style",
        "onload",
        "onclick",
        "foreign",
        "<b>",
        "ns0",
    ):
        assert bad not in found, bad
    assert found.count("data-action") == 1
    assert 'aria-label="take &quot;one&quot;"' in found
    assert '<circle r="3"' in found


@pytest.mark.parametrize(
    "text",
    ["", "no svg", "<svg>", "<p></p>", "<svg/>" + " " * 400_000,
     '<!DOCTYPE x [<!ENTITY a "b">]><svg>&a;</svg>'],
)  # fmt: skip
def test_what_is_no_picture_is_one_sentence(text):
    with pytest.raises(PictureError, match="picture must return SVG"):
        picture(text, {})


def test_regions_close_in_on_the_best_point():
    pytest.importorskip("PIL", reason="the studio is not installed")
    from treewright.apps.functions.job import Minimise, run

    made = run(Minimise(formula="(x - 1)**2 + (y + 2)**2", budget=200), lambda *a: None)
    runs = {one["method"]: one for one in made.data["runs"]}
    boxes = [polygons[0] for _, polygons in runs["iterated-splitting"]["regions"]]
    assert len(boxes) == 10
    for number, box in enumerate(boxes, 1):
        (left, bottom), (right, _), (_, top), _ = box
        assert right - left == pytest.approx(3.0**-number)
        assert top - bottom == pytest.approx(3.0**-number)
    cells = [polygons[0] for _, polygons in runs["soo"]["regions"]]
    assert len(cells) == 3 * ((200 - 1) // 2), "every cut makes three"
    assert all(-1e-9 < number < 1 + 1e-9 for cell in cells for at in cell for number in at)
    for polygons in (p for _, p in runs["runs"]["regions"]):
        assert sum(_area(p) for p in polygons) == pytest.approx(1.0), "the parts fill the box"
    assert not runs["random"]["regions"]
    assert runs["runs"]["value"] < runs["random"]["value"]
    assert "tree.npz" in made.files


def _area(polygon):
    """By the shoelace formula."""
    pairs = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2


def test_a_slice_of_several_dimensions_goes_through_the_best_point():
    pytest.importorskip("PIL", reason="the studio is not installed")
    from treewright.apps.functions.job import Minimise, run

    data = run(Minimise(bbob=1, dimensions=4, budget=120), lambda *a: None).data
    assert data["dimensions"] == len(data["through"]) == 4
    assert data["through"] == min(data["runs"], key=lambda one: one["value"])["x"]


def test_reports_that_come_with_us_are_for_a_page_of_their_own(root):
    from treewright.workshop.experiments.published import folder, published

    assert folder() == root / "docs" / "results"
    text = published("map-methods", "/results")
    assert "](/results/map-methods.png)" in text
    assert ".md" not in text, "links to other pages are words only"
    assert published("../../README", "/results") == published("no-such", "/results") == ""
