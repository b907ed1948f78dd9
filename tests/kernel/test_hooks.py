"""One table of hooks: what it says holds in the checker, the compiler and the documentation."""

import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

import treewright as tw
from treewright.kernel.explain import explain
from treewright.kernel.hooks import HOOKS

COMPILED = [name for name, hook in HOOKS.items() if hook.compiled]

BASE = """
import treewright as tw
from numpy import int8, int32

class Broken(tw.Domain):
    players = 1
    max_actions = 3
    keys = 3
    max_length = 9
    state = tw.record(player=int8, n=int32)

    def start(s):
        s.n = 0

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 3

    def play(s, action):
        s.n += 1

    def ended(s):
        return s.n >= 4

    def rewards(s, out):
        out[0] = s.n / 4

    def weight(s, action):
        return 1.0

    def value(s, out):
        out[0] = s.n / 4
"""
# where a search calls a hook only with a switch
SWITCHES = {
    "rollout": {"rollout": tw.Rollout("domain")},
    "weight": {"puct": True},
    "legal_weights": {"expand": "weighted"},
    "beat": {"bound": True},
    "prior": {"priors": True},
    "value": {"rollout": tw.Rollout(depth=1)},
    "amaf_key": {"rave": tw.Rave()},
    "key": {"transpositions": True},
}


def broken(domain_file, name):
    """A domain with one hook that only Python can run, and what should be said of it."""
    text = re.sub(rf"\n    def {name}\(.*?(?=\n\n|\Z)", "", BASE, flags=re.S)
    text += f"\n    def {HOOKS[name].signature}:\n        return 0 * hash(open)\n"
    line = text.rstrip("\n").count("\n") + 1
    return domain_file(text).Broken(), f"authored.py, line {line}, in Broken.{name}: Numba can't"


@pytest.mark.parametrize("name", COMPILED)
def test_a_hook_that_does_not_compile_is_named(domain_file, name):
    domain, said = broken(domain_file, name)
    assert explain(domain, ValueError("?")).startswith(said)


def call(domain, name):
    """Make something call a hook."""
    if name == "priority":
        tw.baselines.best_first(domain, nodes=10)
    elif name in ("allowed", "greedy"):
        from treewright.library.evolutionary import Budget, OnlineEvolution

        state = np.asarray(domain.new_state())
        OnlineEvolution(domain, 4).plan(state, Budget(evaluations=10))
    else:
        tw.Search(domain, tw.Options(**SWITCHES.get(name, {}))).run(10)


@pytest.mark.parametrize("name", COMPILED)
def test_whoever_calls_the_hook_says_so(domain_file, name):
    domain, said = broken(domain_file, name)
    with pytest.raises(tw.CompileError, match=re.escape(said)):
        call(domain, name)


# the further parameters of ``start`` are the settings of the domain
@pytest.mark.parametrize("name", [name for name in HOOKS if name != "start"])
def test_the_checker_knows_its_parameters(domain_file, name):
    said = re.escape(f"Broken.{name}(s, a, b, c) should be {HOOKS[name].signature}")
    with pytest.raises(tw.DomainError, match=said):
        domain_file(f"{BASE}\n    def {name}(s, a, b, c):\n        pass\n")


def test_the_documentation_is_up_to_date(root):
    script = root / "tools" / "make_hooks_page.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (root / "docs" / "hooks.md").read_text() == made.stdout, f"run {script.name} again"
    for hook in HOOKS.values():
        assert hook.signature in inspect.getdoc(tw.Domain)
