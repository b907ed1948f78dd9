"""What the documentation shows is run as printed."""

import re
import subprocess
import sys

import pytest


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
        "rules.md",
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
        out = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path
        )
        assert out.returncode == 0, f"{path.name}: {out.stderr}"
        assert out.stdout.strip(), f"{path.name} prints nothing"


def test_every_option_is_documented(root):
    from dataclasses import fields

    from treewright.library.options import Options, Rave, Rollout, SelectionBias, Widening

    text = (root / "docs" / "options.md").read_text()
    for kind in (Options, Rave, Rollout, SelectionBias, Widening):
        for field in fields(kind):
            assert f"{field.name}" in text, f"{kind.__name__}.{field.name} is not in options.md"


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/tutorial.md",
        "docs/options.md",
        "docs/rules.md",
        "docs/other-games.md",
        "docs/levels.md",
        "docs/go.md",
        "docs/maps.md",
        "docs/functions.md",
        "docs/stories.md",
        "docs/study.md",
    ],
)
def test_links_lead_somewhere(root, page):
    path = root / page
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
        assert "://" in target or (path.parent / target).exists(), f"{page} links to {target}"
