"""What the documentation shows is run as printed."""

import copy
import re
import subprocess
import sys

import pytest

import treewright as tw


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def run_python(code, folder):
    path = folder / "shown.py"
    path.write_text(code)
    out = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=folder)
    assert out.returncode == 0, out.stderr
    return out.stdout


def test_tutorial_runs_as_printed(root, tmp_path):
    shown = blocks((root / "docs" / "tutorial.md").read_text(), "python")
    out = run_python("\n\n".join(shown), tmp_path)
    assert "no problem found" in out
    assert "proven" in out
    domain = shown[0]
    body = domain[domain.index("class Kayles") :].strip().splitlines()
    assert len([line for line in body if line.strip()]) <= 30, "30 lines are promised"


def test_readme_python_runs_as_printed(root, tmp_path):
    shown = blocks((root / "README.md").read_text(), "python")
    assert shown
    run_python("\n\n".join(shown), tmp_path)


def test_other_peoples_games_run_as_printed(root, tmp_path):
    for needed in ("pyspiel", "gymnasium", "pettingzoo", "pygame"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    shown = blocks((root / "docs" / "other-games.md").read_text(), "python")
    run_python("\n\n".join(shown), tmp_path)


@pytest.mark.parametrize(
    "page",
    [
        "hooks.md",
        "options.md",
        "rules.md",
        "evaluators.md",
        "gpu.md",
        "hidden-information.md",
        "transpositions.md",
        "maps.md",
        "functions.md",
        "levels.md",
        "stories.md",
        "study.md",
    ],
)
def test_guides_run_as_printed(root, tmp_path, page):
    shown = blocks((root / "docs" / page).read_text(), "python")
    assert shown
    run_python("\n\n".join(shown), tmp_path)


def test_examples_run(root, tmp_path):
    for path in sorted((root / "examples").glob("*.py")):
        if path.stem == "train_connect_four":
            continue  # it takes minutes, and JAX: tests/library/test_training.py
        out = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path
        )
        assert out.returncode == 0, f"{path.name}: {out.stderr}"
        assert out.stdout.strip(), f"{path.name} prints nothing"


def test_examples_are_short(root):
    for path in sorted((root / "examples").rglob("*.py")):
        most = 200 if path.stem == "train_connect_four" else 100
        assert len(path.read_text().splitlines()) <= most, f"{path.name} is long for an example"


def test_the_notebook_runs_and_shows_what_is_stored(root, tmp_path):
    for needed in ("nbclient", "ipykernel", "matplotlib"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    import nbformat
    from nbclient import NotebookClient

    stored = nbformat.read(root / "examples" / "notebook.ipynb", as_version=4)
    made = copy.deepcopy(stored)
    client = NotebookClient(made, timeout=300, resources={"metadata": {"path": tmp_path}})
    client.execute()
    kinds = ("text/html", "image/svg+xml")
    for old, new in zip(stored.cells, made.cells, strict=True):
        if old.cell_type != "code":
            continue
        shown = [[kind for kind in kinds if kind in out.data] for out in new.outputs]
        assert shown == [[kind for kind in kinds if kind in out.data] for out in old.outputs]
        assert [reading(out) for out in new.outputs] == [reading(out) for out in old.outputs]


def reading(out):
    """What an output says, without the time that it took."""
    return re.sub(r"\bseconds=[\d.e-]+|[\d.]+ s\b", "", out.data["text/plain"])


def test_every_option_is_documented(root):
    from dataclasses import fields

    text = (root / "docs" / "options.md").read_text()
    kinds = (tw.Options, tw.Rave, tw.Rollout, tw.SelectionBias, tw.Widening, tw.Noise, tw.Gumbel)
    for kind in kinds:
        for field in fields(kind):
            assert f"{field.name}" in text, f"{kind.__name__}.{field.name} is not in options.md"


def test_links_lead_somewhere(root):
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#\s]+?)(?:#[^)]*)?\)", path.read_text()):
            there = "://" in target or (path.parent / target).exists()
            assert there, f"{path.relative_to(root)} links to {target}"


VERDICT = re.compile(r"\*\*Result \(([a-z ]+)\)\.\*\*")


def test_the_verdict_beside_a_link_is_that_of_the_report(root):
    """In the list of results and in the page about the papers."""
    results = root / "docs" / "results"
    said = dict(
        re.findall(
            r"^\|.*\]\((\S+\.md)\) \|.*\| ([a-z ]+) \|$", (results / "README.md").read_text(), re.M
        )
    )
    assert len(said) > 30
    papers = (root / "docs" / "papers.md").read_text()
    linked = re.findall(r"\[(held|did not hold|open)\]\(results/(\S+)\)", papers)
    assert len(linked) > 10
    wrong = [
        f"{page}: {word}"
        for page, word in [*said.items(), *((page, word) for word, page in linked)]
        if VERDICT.search((results / page).read_text())[1] != word
    ]
    assert wrong == []


def test_files_that_the_docs_name_are_there(root):
    named = re.compile(r"`((?:docs|examples|tools|tests|src|apps)/[\w/.-]+)`")
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    for path in pages:
        for name in named.findall(path.read_text()):
            there = (root / name).exists() or (root / "src" / "treewright" / name).exists()
            assert there, f"{path.relative_to(root)} names {name}"
    for path in sorted((root / "src").rglob("*.py")):
        for name in re.findall(r"(?:docs|examples)/[\w/-]+\.\w+", path.read_text()):
            assert (root / name).exists(), f"{path.relative_to(root)} names {name}"


def test_every_place_names_the_same_version(root):
    for name in ("CITATION.cff", "CHANGELOG.md", "README.md", "docs/images/badge-version.svg"):
        assert tw.__version__ in (root / name).read_text(), f"{name} names another version"
