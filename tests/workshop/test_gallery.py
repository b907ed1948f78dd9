"""The gallery: every piece, on one page that needs nothing else."""

import re

import pytest

from treewright.workshop.gallery import everything
from treewright.workshop.gallery.page import page
from treewright.workshop.gallery.piece import Piece


def test_the_whole_gallery(bench):
    bench.call("gallery", "--out", "g", "--quiet")
    text = (bench.folder / "g" / "index.html").read_text()
    assert text.count("<section") == len(everything()) >= 5
    assert text.count('class="command"') == len(everything())
    assert not re.search(r'(src|href)="(?!data:|#)', text)  # nothing from elsewhere
    assert "lost" not in text or "multiples of four are lost" in text


def test_one_piece(bench):
    found = bench.json("gallery", "--only", "nim", "--out", "g")
    assert list(found["pieces"]) == ["nim"]
    assert found["pieces"]["nim"].startswith("treewright search nim")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--only", "nimm"), "did you mean 'nim'?"), (("--only", "nim", "--out", "x"), "x")],
)
def test_bad_input(bench, arguments, said):
    (bench.folder / "x").write_text("a file, not a folder")
    _, err = bench.call("gallery", *arguments, "--quiet", code=2)
    assert err.count("\n") == 1
    assert said in err


def test_text_is_escaped():
    assert "<b>" not in page({"x": Piece("<b>", "<b>", "<b>", text="<b>")}, "<b>")
