"""Arguments of any kind for what a program calls: a sentence each, and no half-made thing."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.tictactoe import TicTacToe


@pytest.fixture(scope="module")
def forest():
    return tw.Forest(Nim(), 2, engine="python", memory="1MiB").run(10)


@pytest.mark.parametrize("state", [5, "x", 1.5, np.zeros(3), object(), b"", []])
def test_what_is_no_state(state):
    with pytest.raises(tw.OptionError, match="no state of nim-v1"):
        tw.Forest(Nim(), [tw.Position(Nim()), state], engine="python")
    with pytest.raises(tw.OptionError, match="no state of nim-v1"):
        tw.Position(Nim(), state)
    with pytest.raises(tw.OptionError, match="no state of nim-v1"):
        tw.Search(Nim(), engine="python").begin(state)


def test_states_of_another_domain():
    other = tw.Position(TicTacToe())
    search = tw.Search(Nim(), engine="python")
    for make in (
        lambda: tw.Forest(Nim(), [other], engine="python"),
        lambda: tw.Forest(Nim(), [other.state], engine="python"),
        lambda: tw.Position(Nim(), other.state),
        lambda: search.begin(other.state),
    ):
        with pytest.raises(tw.OptionError, match="no state of nim-v1"):
            make()
    assert not search.began_elsewhere
    assert search.run(5).simulations == 5


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("liars-dice", {"seed": 2.5}),
        ("liars-dice", {"tables": 3}),
        ("kuhn-poker", {"deal": 5}),
        ("kuhn-poker", {"constants": "x"}),
        ("functions", {"splits": 10**30}),
        ("go", {"diagram": 5}),
        ("go", {"handicap": 2.5}),
        ("levels", {"chain": 5}),
        ("maps-grow", {"spacing": 0}),
        ("maps-grow", {"gap": "x"}),
        ("hero-academy", {"seed": 2.5}),
    ],
)
def test_settings_of_any_kind(name, settings):
    with pytest.raises(tw.OptionError, match=next(iter(settings))) as raised:
        tw.Position(tw.make(name, **settings))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("count", [1.5, None, {}, 5j])
def test_how_many_positions(count):
    with pytest.raises(tw.OptionError, match="a forest needs"):
        tw.Forest(Nim(), count, engine="python")


@pytest.mark.parametrize("temperature", ["x", -1, None, np.nan, np.inf, 1e-300, True])
def test_temperatures(forest, temperature):
    for ask in (forest.sample, lambda t: forest.policy(4, t), forest.search(0).policy):
        with pytest.raises(tw.OptionError, match="temperature must be"):
            ask(temperature)


@pytest.mark.parametrize("actions", ["x", -1, 0, 10**12, 1.5, None, True])
def test_how_many_actions(forest, actions):
    with pytest.raises(tw.OptionError, match="actions must be a whole number"):
        forest.policy(actions)


@pytest.mark.parametrize("i", [2, -1, "x", 1.5, None, True])
def test_which_position(forest, i):
    for ask in (forest.result, forest.search):
        with pytest.raises(tw.OptionError, match="from 0 to 1"):
            ask(i)


def test_a_batch_that_no_memory_holds():
    def judge(states):
        return np.full(len(states), 0.5)

    class Endless(Nim):
        max_length = 2**24

    with pytest.raises(tw.OptionError, match=r"batch=1048576 .* more memory than there is"):
        tw.Forest(Endless(), 16, engine="python", evaluate=judge, batch=2**20)


def test_a_budget_that_is_too_large_to_share_out():
    options = tw.Options(gumbel=tw.Gumbel(considered=1024))
    more = {"engine": "python", "evaluate": lambda states: np.full(len(states), 0.5)}
    with pytest.raises(tw.OptionError, match="gumbel shares out at most"):
        tw.Search(TicTacToe(), options, **more).run(10**6)
    with pytest.raises(tw.OptionError, match="gumbel shares out at most"):
        tw.Forest(TicTacToe(), 2, options, **more).run(10**9)


def test_an_evaluator_with_complex_numbers():
    def judge(states):
        return np.full(len(states), 0.5 + 1j)

    with pytest.raises(tw.EvaluatorError, match="no numbers"):
        tw.Search(Nim(), engine="python", evaluate=judge, batch=1).run(5)


def test_a_compiler_that_is_switched_off(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(tw.CompileError, match="NUMBA_DISABLE_JIT is set"):
        tw.Search(Nim()).run(5)
    assert tw.Search(Nim(), engine="python").run(5).simulations == 5


def test_settings_of_numba_in_a_file(tmp_path, monkeypatch):
    """Numba reads them where a program starts, so they are a part of the fingerprint."""
    from treewright.kernel.fingerprint import environment

    monkeypatch.chdir(tmp_path)
    before = environment()
    (tmp_path / ".numba_config.yaml").write_text("boundscheck: 1\n")
    assert environment() != before
