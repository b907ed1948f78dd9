"""A package of somebody else's brings an application: the one in ``examples/plugin``."""

import json
import os
import shutil
import subprocess
import sys
import tomllib

import pytest


@pytest.fixture(scope="module")
def installed(root, tmp_path_factory):
    """The example where Python looks for packages, with its metadata as pip writes it."""
    folder = tmp_path_factory.mktemp("site")
    example = root / "examples" / "plugin"
    declared = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    shutil.copytree(example / "subtract_square", folder / "subtract_square")
    place(folder, declared["name"], declared["entry-points"]["treewright.apps"])
    return folder


def place(folder, name, entries):
    meta = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{key} = {value}" for key, value in entries.items()]
    (meta / "entry_points.txt").write_text("\n".join(["[treewright.apps]", *lines, ""]))


def treewright(folder, *arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "treewright", *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    return done


def test_its_domain_plays(installed):
    found = treewright(installed, "search", "subtract-square", "--set", "heap=9", "--json").stdout
    assert json.loads(found)["best"] in (4, 9)
    assert "subtract-square-v1" in treewright(installed, "domains").stdout
    assert "no problem" in treewright(installed, "check", "subtract-square").stdout


def test_its_command_and_experiment_are_listed_and_run(installed, tmp_path):
    assert "squares" in treewright(installed, "--help").stdout
    assert treewright(installed, "squares", "--most", "13").stdout.split() == [
        "2",
        "5",
        "7",
        "10",
        "12",
    ]
    assert "subtract-square-move" in treewright(installed, "experiment", "list").stdout
    store = str(tmp_path / "store.sqlite")
    treewright(installed, "experiment", "run", "subtract-square-move", "--store", store)
    told = treewright(installed, "experiment", "show", "subtract-square-move", "--store", store)
    assert "moves were right" in told.stdout


def test_a_package_that_cannot_be_loaded_is_left_out(installed, tmp_path):
    place(tmp_path, "broken", {"broken": "no_such_package:APP", "wrong": "os:sep"})
    done = treewright(tmp_path, "domains")
    assert "nim-v1" in done.stdout
    assert "the application 'broken' (no_such_package:APP) is left out" in done.stderr
    assert "the application 'wrong' (os:sep) is left out" in done.stderr
    assert "Traceback" not in done.stderr
    assert all(line.startswith("treewright: ") for line in done.stderr.splitlines())


def test_a_declared_module_that_is_not_there_is_a_sentence(tmp_path):
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "__init__.py").write_text(
        "import treewright as tw\nAPP = tw.App(__name__, domains={'lost-v1': '.game:Lost'})\n"
    )
    place(tmp_path, "lost", {"lost": "lost:APP"})
    said = treewright(tmp_path, "search", "lost", code=2).stderr
    assert "lost.game, which an application names, can't be imported" in said
    assert "Traceback" not in said
    assert "lost-v1" in treewright(tmp_path, "domains").stdout
