"""A kernel's text for given switches: what they decide is gone, all else is as it was."""

import dis
import textwrap

import pytest

from treewright.kernel.pruned import pruned

SWITCHES = {"ON": True, "OFF": False, "PLAYERS": 2, "RATE": 0.5}


def names(text, **constants):
    """What the function ``f`` of a text reads, once the switches are decided."""
    space = {}
    exec(pruned(textwrap.dedent(text), "text.py", SWITCHES | constants), space)
    return {i.argval for i in dis.get_instructions(space["f"]) if i.opname.startswith("LOAD")}


def in_condition(condition, then="kept", otherwise="other"):
    return names(f"def f(x):\n    return {then} if {condition} else {otherwise}\n")


@pytest.mark.parametrize(
    "condition",
    [
        "ON",
        "not OFF",
        "ON and PLAYERS == 2",
        "OFF or PLAYERS != 1",
        "PLAYERS >= 2",
        "ON or x()",
        "not (OFF and x())",
        "1 < PLAYERS",
    ],
)
def test_what_holds_needs_no_condition(condition):
    assert in_condition(condition) == {"kept"}


@pytest.mark.parametrize("condition", ["OFF", "not ON", "OFF and x()", "PLAYERS < 2", "ON and OFF"])
def test_what_does_not_hold_is_left_out(condition):
    assert in_condition(condition) == {"other"}


def test_the_rest_of_a_condition_stays():
    assert in_condition("ON and x") == {"x", "kept", "other"}
    assert in_condition("OFF or x") == {"x", "kept", "other"}


@pytest.mark.parametrize("condition", ["x() and OFF", "x() or ON", "RATE", "x == 2", "0 < x < 2"])
def test_what_must_be_computed_is_computed(condition):
    assert {"kept", "other"} <= in_condition(condition)


def test_statements():
    text = """
        def f(x):
            for i in x:
                if OFF:
                    gone
                elif ON:
                    if OFF:
                        gone
                else:
                    gone
            while x:
                if OFF:
                    gone
            return kept
    """
    assert names(text) == {"x", "kept"}


def test_numbers_of_the_layout_are_known_by_the_texts_imports_only():
    test = "def f(): return kept if POLICY == GREEDY else gone"
    text = f"from treewright.kernel.layout import GREEDY\n{test}"
    from treewright.kernel.layout import GREEDY

    assert names(text, POLICY=GREEDY) == {"kept"}
    assert {"kept", "gone"} <= names(f"GREEDY = 7\n{test}", POLICY=GREEDY)
    assert {"kept", "gone"} <= names(test, POLICY=GREEDY)


def test_a_name_that_hides_a_switch_is_no_switch():
    assert {"kept", "gone"} <= names("def f(ON): return kept if ON else gone")
    assert {"kept", "gone"} <= names("def f(x):\n    OFF = x\n    return gone if OFF else kept")


def test_lines_keep_their_numbers():
    text = "def f():\n    if OFF:\n        return 1\n    raise ValueError\n"
    space = {}
    exec(pruned(text, "text.py", SWITCHES), space)
    with pytest.raises(ValueError) as raised:
        space["f"]()
    assert raised.traceback[-1].lineno == 3  # from 0
