"""The gallery: every piece, on one page that needs nothing else."""

import re
from urllib.parse import parse_qsl

import pytest

from treewright.library.applications import applications, load
from treewright.workshop.gallery import everything
from treewright.workshop.gallery.page import page
from treewright.workshop.gallery.piece import Piece
from treewright.workshop.jobs.work import places
from treewright.workshop.web.studio import settings_of

OF_NO_APPLICATION = {"games": ["search"], "experiments": ["experiment"]}


@pytest.fixture
def made(monkeypatch):
    """The pieces that a command makes."""
    kept = {}

    def keeping(name, make):
        def piece(seed):
            kept[name] = make(seed)
            return kept[name]

        return piece

    found = {name: keeping(name, make) for name, make in everything().items()}
    monkeypatch.setattr("treewright.workshop.gallery.everything", lambda: found)
    return kept


def test_the_whole_gallery(command, made, tmp_path):
    command("gallery", "--out", "g", "--quiet")
    text = (tmp_path / "g" / "index.html").read_text()
    assert text.count("<section") == len(everything()) >= 5
    assert text.count('class="command"') == len(everything())
    assert not re.search(r'(src|href)="(?!data:|#)', text)  # nothing from elsewhere
    assert "lost" not in text or "multiples of four are lost" in text
    assert made.keys() == everything().keys()
    for name, piece in made.items():
        _check_address(name, piece.page)


def _check_address(name, address):
    """A card of the studio opens a page with settings that its job takes."""
    pytest.importorskip("pydantic", reason="the studio is not installed")
    page, _, query = address.partition("?")
    jobs = OF_NO_APPLICATION.get(page) or next(
        app.jobs for app in applications() if page in app.pages
    )
    given = dict(parse_qsl(query))
    assert given, f"{name} does not say what made it"
    assert any(
        given.keys() <= settings.model_fields.keys() and settings_of(settings, given)
        for settings in (load(places()[job]).settings for job in jobs)
    ), f"{name}: no job of {page} takes {given}"


def test_one_piece(bench):
    found = bench.json("gallery", "--only", "nim", "--out", "g")
    assert list(found["pieces"]) == ["nim"]
    assert found["pieces"]["nim"].startswith("treewright gallery --only nim")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--only", "nimm"), "did you mean 'nim'?"), (("--only", "nim", "--out", "x"), "x")],
)
def test_bad_input(bench, arguments, said):
    (bench.folder / "x").write_text("a file, not a folder")
    _, err = bench.call("gallery", *arguments, "--quiet", code=2)
    assert err.count("\n") == 1
    assert said in err


def test_a_command_breaks_between_words_not_inside_an_option():
    shown = page({"x": Piece("t", "treewright a --out=<b> -1", "c")}, "treewright gallery --only x")
    assert "treewright a <span>--out=&lt;b&gt;</span> <span>-1</span>" in shown
    assert "treewright gallery <span>--only</span> x</code>" in shown


def test_text_is_escaped():
    assert "<b>" not in page({"x": Piece("<b>", "<b>", "<b>", text="<b>")}, "<b>")
