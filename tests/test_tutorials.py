"""The tutorials do what they say: files are written, Python and commands run, in their order.

A block whose first line is ``# NAME`` is a file.  ``console`` has commands after a dollar sign, and
below each what it prints, or parts of it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parent.parent / "docs" / "tutorials").glob("[a-z]*.md"))
BLOCK = re.compile(r"^```(python|console|toml|text)\n(.*?)^```", re.S | re.M)
FILE = re.compile(r"# ([\w/-]+\.\w+)\n")
TREEWRIGHT = f"{sys.executable} -m treewright"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page, tmp_path):
    shown = []
    for language, text in BLOCK.findall(page.read_text()):
        named = FILE.match(text)
        if named:
            path = tmp_path / named[1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(text if path.suffix in (".py", ".toml") else text[named.end() :])
        if language == "console":
            for typed, printed in commands(text):
                run(typed, printed, tmp_path)
        elif language == "python":
            shown.append(text)
    if shown:
        (tmp_path / "shown.py").write_text("\n\n".join(shown))
        run(f"{sys.executable} shown.py", [], tmp_path)


def commands(text):
    """Each command of a block with the lines below it."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        typed, *printed = part.splitlines()
        yield re.sub(r"\btreewright(?= [a-z])", lambda _: TREEWRIGHT, typed), printed


def run(typed, printed, folder):
    done = subprocess.run(
        typed, shell=True, cwd=folder, env=os.environ, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{typed}\n{done.stdout}{done.stderr}"
    at = 0
    for line in printed:
        assert line in done.stdout[at:], f"{typed} prints no {line!r}:\n{done.stdout}"
        at = done.stdout.index(line, at)


def test_every_tutorial_is_in_the_list(root):
    listed = (root / "docs" / "tutorials" / "README.md").read_text()
    for page in PAGES:
        assert f"({page.name})" in listed
