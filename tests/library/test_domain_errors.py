"""A domain author's slips: one sentence each, with file and line."""

import pytest

import treewright as tw

BASE = """
import treewright as tw
from numpy import int8, int32

class Count(tw.Domain):
    players = 1
    max_actions = 3
    state = tw.record(cell=(int8, 5), n=int32)

    def start(s, limit=4):
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
"""


def edited(domain_file, old, new):
    assert old in BASE
    return domain_file(BASE.replace(old, new))


def test_the_base_is_fine(domain_file):
    assert tw.check(domain_file(BASE).Count()).ok


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "def play(s, action):",
            "def play(s, action, more):",
            r"authored.py, line 18: Count.play\(s, action, more\) should be play\(s, action\)",
        ),
        (
            "def legal(s, out):",
            "def legal(s):",
            r"authored.py, line 13: Count.legal\(s\) should be legal\(s, out\)",
        ),
        ("def ended(s):", "def ended(s, *more):", r"line 21: Count.ended.* should be ended\(s\)"),
        (
            "return s.n >= 4",
            "s.n >= 4",
            r"line 21: Count.ended returns nothing: ended\(s\) returns whether nothing is left",
        ),
        (
            "        return 3\n",
            "",
            r"line 13: Count.legal returns nothing: legal\(s, out\) writes the legal actions",
        ),
        (
            "def rewards(s, out):",
            "def reward(s, out):",
            r"line 24: Count.reward is not a domain function; did you mean 'rewards'",
        ),
        ("cell=(int8, 5)", "cell=(str, 5)", r"tw.record\(cell=...\) must be a NumPy number type"),
    ],
)
def test_class_body(domain_file, old, new, said):
    with pytest.raises(tw.DomainError, match=said):
        edited(domain_file, old, new)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "return s.n >= 4",
            "return s.nn >= 4",
            r"authored.py, line 22, in Count.ended: there is no state field 'nn'; did you mean 'n'",
        ),
        ("max_actions = 3", "max_actions = 0", r"Count.max_actions must be a whole number"),
        ("players = 1", "players = 2", r"needs a state field 'player' or a function player"),
        ("    def ended(s):\n        return s.n >= 4\n", "", r"has no function ended\(s\)"),
    ],
)
def test_instance(domain_file, old, new, said):
    with pytest.raises(tw.DomainError, match=said):
        tw.Search(edited(domain_file, old, new).Count())


def test_misspelt_setting(domain_file):
    with pytest.raises(tw.OptionError, match="no setting 'limt'; did you mean 'limit'"):
        domain_file(BASE).Count(limt=3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return 3", "return 4", r"legal\(\) returned 4 actions but max_actions is 3"),
        ("return 3", "return 0", r"legal\(\) listed no action in a state that has not ended"),
        ("out[i] = i", "out[i] = i - 1", r"-1 is not a usable action"),
        ("return s.n >= 4", "return False", r"longer than max_length=10000"),
    ],
)
@pytest.mark.parametrize("engine", ["python"])
def test_run(domain_file, old, new, said, engine):
    with pytest.raises(tw.DomainError, match=said):
        tw.Search(edited(domain_file, old, new).Count(), engine=engine, memory="1MiB").run(100)


def test_too_many_actions_compiled(domain_file):
    domain = edited(domain_file, "return 3", "return 4").Count()
    with pytest.raises(tw.DomainError, match="returned 4 actions but max_actions is 3"):
        tw.Search(domain).run(100)


def test_a_setting_that_its_field_can_not_hold(domain_file):
    """It was wrapped, as in C: a heap of 300 became one of 44."""
    text = """
class Heap(Domain):
    max_actions, players = 1, 1
    state = record(stones="i1", other="u1")

    def start(s, stones=100, other=-1):
        s.stones = stones
        s.other = 300 * 256 + stones  # what is no setting wraps

    def legal(s, out):
        return 1

    def play(s, action):
        s.stones -= 1

    def ended(s):
        return s.stones <= 0

    def rewards(s, out):
        out[0] = 1.0
"""
    heap = domain_file(f"from treewright.library.domain import Domain, record\n{text}").Heap
    assert heap(stones=127).new_state().other == 127
    for stones in (300, -129):
        with pytest.raises(tw.OptionError, match=f"stones={stones} does not fit .* int8 .* -128"):
            tw.Position(heap(stones=stones))


@pytest.mark.parametrize("value", [None, "12", [12], {}])
def test_a_setting_that_is_no_number(value):
    with pytest.raises(tw.OptionError, match=r"heap=.* must be a number, such as 21"):
        tw.make("nim", heap=value)


def test_does_not_compile(domain_file):
    domain = edited(domain_file, "s.n += 1", "s.n += len(open('x').read())").Count()
    with pytest.raises(
        tw.CompileError, match=r"authored.py, line 19, in Count.play: .*Untyped global name 'open'"
    ):
        tw.Search(domain).run(10)


def test_even_an_error_inside_the_compiler_is_one_sentence(domain_file):
    """Numba stumbles over keyword-only parameters in more than one way.

    Older ones do not say where, so the line is the function's first.
    """
    text = BASE.replace("s.n += 1", "s.n += step(s)")
    text += "\n\ndef step(s, *, by=1):\n    return by\n"
    with pytest.raises(tw.CompileError, match=r"authored.py, line 1[89], in Count.play: Numba can"):
        tw.Search(domain_file(text).Count()).run(10)


def test_debug_names_function_and_line(domain_file):
    """The checked build finds the bad index; the interpreted twin knows its line."""
    text = BASE.replace("s.n += 1", "s.n += 1\n        s.cell[0] += peek(s, 2 * s.n)")
    text += "\n\ndef peek(s, i):\n    return s.cell[i]\n"
    domain = domain_file(text).Count()
    said = r"authored.py, line 30, in peek, called from play, line 20: IndexError: index 6 is out"
    with pytest.raises(tw.DomainError, match=said):
        tw.Search(domain, debug=True).run(100)


def test_exception_in_a_domain_function(domain_file):
    text = BASE.replace("s.n += 1", "s.n += 1\n        if s.n == 3:\n            raise ValueError")
    with pytest.raises(tw.DomainError, match=r"line 21, in play: ValueError"):
        tw.Search(domain_file(text).Count()).run(100)


def test_settings_refused_by_start():
    with pytest.raises(tw.OptionError, match=r"connect-four-v1: moves='8': move 1 \('8'\)"):
        tw.Search(tw.make("connect-four", moves="8"))


def test_check_reports(domain_file):
    """``tw.check`` finds what no single call shows."""
    cases = {
        "legal() listed an action twice": ("out[i] = i", "out[i] = i // 2"),
        "outside [0, 1]": ("s.n / 4", "s.n * 1.0"),
        "not finite": ("s.n / 4", "float('nan')"),
    }
    for said, (old, new) in cases.items():
        report = tw.check(edited(domain_file, old, new).Count(), games=3)
        assert any(said in p for p in report.problems), (said, report.problems)
    large = tw.check(edited(domain_file, "s.n / 4", "s.n * 1.5").Count(), games=3)
    assert len([p for p in large.problems if "Options(normalise=True)" in p]) == 1
    hidden = BASE.replace("s.n += 1", "LOG.append(1)\n        s.n += 1 + (len(LOG) > 5)")
    report = tw.check(domain_file(hidden + "\nLOG = []\n").Count(), games=3)
    assert any("not deterministic" in p or "other rewards" in p for p in report.problems)


def test_check_sees_a_copy_that_is_not_complete():
    class Box:
        def __init__(self):
            self.cells = [0]

    class Shallow(tw.Domain):
        players, max_actions, state = 1, 2, Box

        def start(s):
            pass

        def legal(s, out):
            out[0], out[1] = 2 * len(s.cells), 2 * len(s.cells) + 1
            return 2

        def play(s, action):
            s.cells.append(action)

        def ended(s):
            return len(s.cells) > 3

        def rewards(s, out):
            out[0] = sum(s.cells) / 100

        def copy(s):
            other = Box()
            other.cells = s.cells  # shared: the slip
            return other

    report = tw.check(Shallow(), games=2)
    assert any("copy() is not complete" in p for p in report.problems), report.problems
