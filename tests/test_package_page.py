"""The README as a package index shows it."""

import importlib.util
import re

import pytest

pytest.importorskip("hatchling", reason="only whoever builds the package has it")


@pytest.fixture(scope="module")
def hook(root):
    spec = importlib.util.spec_from_file_location("hatch_build", root / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_with_an_address_every_link_is_whole(root, hook):
    text = (root / "README.md").read_text()
    shown = hook.readme(text, "https://example.org/treewright", "0.2.0")
    assert "![version 0.2.0](https://example.org/treewright/raw/v0.2.0/docs/images/" in shown
    assert "(https://example.org/treewright/blob/v0.2.0/docs/tutorial.md)" in shown
    assert re.findall(r"\]\((?!https?:|#)[^)\s]+\)", shown) == []


def test_without_an_address_nothing_points_nowhere(root, hook):
    shown = hook.readme((root / "README.md").read_text(), "", "0.2.0")
    assert re.findall(r"\]\((?!https?:|#)[^)\s]+\)", shown) == []
    assert "Write your own domain in 30 lines" in shown
