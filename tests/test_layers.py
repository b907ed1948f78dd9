"""Imports point downwards only, applications stand alone, and the light parts stay light."""

import ast
import json
import shutil
import subprocess
import sys

import pytest

LAYERS = [  # from the bottom up
    {"errors"},
    {"kernel"},
    {"random"},
    {"library"},
    {"testing"},
    {"workshop"},
    {"apps"},
    {"cli", "studio"},
    {"__main__"},
]


def rank(name):
    return next((i for i, layer in enumerate(LAYERS) if name in layer), None)


def imported(path, source):
    """The Treewright modules that a file imports, in any form, and those its strings import."""
    package = ("treewright", *path.relative_to(source).parent.parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *filter(None, [node.module])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            yield from (a.value for a in node.args[:1] if isinstance(a, ast.Constant))


def _name(function):
    return getattr(function, "id", getattr(function, "attr", ""))


def ours(path, source):
    """The same, as names below ``treewright``: ``apps.go.domain``."""
    return {
        m.removeprefix("treewright.") for m in imported(path, source) if m.startswith("treewright.")
    }


def top(module):
    return module.partition(".")[0]


@pytest.fixture(scope="module")
def source(root):
    return root / "src" / "treewright"


def test_every_form_of_import_is_seen(tmp_path):
    path = tmp_path / "kernel" / "x.py"
    path.parent.mkdir()
    forms = """
import treewright.a
import treewright.b as c
from treewright import d
from treewright.e import f
from . import g
from .. import h
from ..i import j
import_module("treewright.k")
"""
    path.write_text(forms)
    found = {top(m) for m in ours(path, tmp_path)}
    assert found == {"a", "b", "d", "e", "kernel", "h", "i", "k"}


def test_imports_point_downwards(source):
    wrong = []
    for path in source.rglob("*.py"):
        own = path.relative_to(source).parts[0].removesuffix(".py")
        if own == "__init__":  # the public names
            continue
        assert rank(own) is not None, f"{own} is in no layer: add it to LAYERS"
        for module in ours(path, source):
            other = rank(top(module))
            if other is not None and other > rank(own):
                wrong.append(f"{path.relative_to(source)} imports {module}")
    assert not wrong, wrong


def test_shells_name_no_application(source):
    """They list what applications declare; a name in a shell would outlive a deleted folder."""
    for room in ("cli", "studio", "workshop"):
        for path in (source / room).rglob("*.py"):
            named = {m for m in ours(path, source) if m.startswith("apps.")}
            assert not named, f"{path.relative_to(source)} imports {named}"


def test_applications_stand_alone(source):
    """One imports another only if its declaration says so."""
    from treewright.library.applications import applications

    wrong = []
    for app in applications():
        name = app.package.rpartition(".")[2]
        allowed = {name, *(used.rpartition(".")[2] for used in app.uses)}
        for path in (source / "apps" / name).rglob("*.py"):
            others = {m.split(".")[1] for m in ours(path, source) if m.startswith("apps.")}
            wrong += [f"{path.relative_to(source)} imports {o}" for o in others - allowed]
    assert not wrong, wrong


WITHOUT = """
import json, sys
from treewright.library.applications import applications, declared
from treewright.library.registry import registered, make
from treewright.workshop.experiments.registry import experiments
from treewright.workshop.gallery import everything
from treewright.cli.app import app
import typer
group = typer.main.get_command(app)
import treewright as tw
names = list(group.list_commands(None))
for name in names:
    assert group.get_command(None, name) is not None
for name in declared("benchmarks"):
    from treewright.library.applications import load
    load(declared("benchmarks")[name].where)
print(json.dumps([len(applications()), sorted(names), len(experiments()), len(everything()),
                  tw.Search(make("NAME"), engine="python").run(10).simulations]))
"""


@pytest.mark.parametrize(
    "name", ["games", "go", "functions", "levels", "maps", "study", "tactics", "stories"]
)
def test_a_deleted_application_leaves_the_rest_working(source, tmp_path, name):
    """Whatever does not use it: the study stands on levels, so they go together."""
    shutil.copytree(source, tmp_path / "treewright")
    gone = [name, "study"] if name == "levels" else [name]
    for one in gone:
        shutil.rmtree(tmp_path / "treewright" / "apps" / one)
    domain = "nim" if name != "games" else "hero-academy"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.replace("NAME", domain)],
        env={"PYTHONPATH": str(tmp_path), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    count, commands, experiments, pieces, simulations = json.loads(done.stdout)
    assert count == 8 - len(gone)
    assert "search" in commands
    assert experiments > 10
    assert pieces > 5
    assert simulations == 10


def test_import_does_not_load_numba_or_numpy():
    """Neither does the list of commands, nor does it import any command of an application."""
    code = (
        "import sys, treewright.cli as cli\n"
        "sys.argv = ['treewright', '--help']\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'numpy', 'treewright.apps.go.commands') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Platformer" in out.stdout
    assert out.stdout.strip().splitlines()[-1] == "[]"


def test_only_compiled_functions_go_without_types(source):
    """A file with the mark may hold functions without annotations, but no methods of objects."""
    mark = "# mypy: allow-untyped-defs"
    wrong = []
    for path in source.rglob("*.py"):
        text = path.read_text()
        found = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
        untyped = [n for n in found if n.returns is None]
        if mark in text:
            assert untyped, f"{path.name} has the mark, but every function is annotated"
            plain = [n for n in untyped if n.args.args and n.args.args[0].arg in ("self", "cls")]
            wrong += [f"{path.name}: {n.name}" for n in plain]
    assert not wrong, wrong
