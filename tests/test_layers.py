"""Imports point downwards only, and the light parts stay light."""

import ast
import subprocess
import sys

LAYERS = [  # from the bottom up
    {"errors", "kernel"},
    {"domain", "random", "options"},
    {"position", "result", "setup", "tree", "search", "phases", "files", "checking", "testing"},
    {"drawing", "baselines", "multipass", "evolutionary", "parallel"},
    {"domains", "optimize"},
    {"gtp", "study"},
    {"benchmarks", "experiments", "tuning"},
    {"gallery"},
    {"cli", "studio"},
    {"__main__"},
]
# a domain stands on the interface and the random numbers; the kernel knows the interface only
ALLOWED = {("kernel", "domain"), ("random", "kernel")}


def rank(name):
    return next((i for i, layer in enumerate(LAYERS) if name in layer), None)


def imported(path):
    """Treewright modules that a file imports, by their first name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("treewright."):
            yield node.module.split(".")[1]


def test_imports_point_downwards(root):
    source = root / "src" / "treewright"
    wrong = []
    for path in source.rglob("*.py"):
        own = path.relative_to(source).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        assert rank(own) is not None, f"{own} is in no layer: add it to LAYERS"
        for other in imported(path):
            if rank(other) is not None and rank(other) > rank(own) and (own, other) not in ALLOWED:
                wrong.append(f"{path.relative_to(source)} imports {other}")
    assert not wrong, wrong


def test_domains_know_nothing_above_them(root):
    for path in (root / "src" / "treewright" / "domains").rglob("*.py"):
        above = set(imported(path)) & {
            "cli",
            "studio",
            "study",
            "experiments",
            "gallery",
            "benchmarks",
        }
        assert not above, f"{path.name} imports {above}"


def test_import_does_not_load_numba_or_numpy():
    code = "import sys, treewright, treewright.cli.app; print('numba' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
