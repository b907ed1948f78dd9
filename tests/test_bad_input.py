"""Every kind of bad input to the Python interface: one clear error each."""

import math

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.tictactoe import TicTacToe


def search(**keywords):
    return tw.Search(Nim(heap=9), engine="python", memory="1MiB", **keywords)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"simulations": 0}, "simulations must be a whole number, at least 1; not 0"),
        ({"simulations": -5}, "at least 1; not -5"),
        ({"simulations": 1.5}, "whole number"),
        ({"simulations": True}, "whole number"),
        ({"seconds": 0}, "seconds must be above 0, not 0"),
        ({"seconds": -1.0}, "above 0"),
        ({"seconds": math.nan}, "above 0, not nan"),
        ({"nodes": 0}, "nodes must be"),
    ],
)
def test_budgets(budget, said):
    with pytest.raises(tw.OptionError, match=said):
        search().run(**budget)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"c": math.nan}, "c must be between 0 and 1e.12, not nan"),
        ({"c": -1}, "c must be"),
        ({"c": "high"}, "c must be a number, not 'high'"),
        ({"fpu": math.nan}, "fpu must be"),
        ({"max_backup": 2}, "max_backup must be between 0 and 1"),
        ({"horizon": "game over"}, "horizon='game over' is unknown"),
        ({"expand": "weigthed"}, "did you mean 'weighted'"),
        ({"choose": "vist"}, "did you mean 'visits'"),
        ({"rave": 100}, r"rave must be tw.Rave\(...\), not 100"),
        ({"rollout": "uniform"}, r"rollout must be tw.Rollout"),
        ({"explore": 1}, "Options has no option 'explore'"),
        ({"choose": "max"}, "choose='max' needs max_backup"),
        ({"rave": tw.Rave(), "selection_bias": tw.SelectionBias()}, "choose one"),
        ({"fpu": 1.0, "widening": tw.Widening()}, "choose one"),
    ],
)
def test_options(options, said):
    with pytest.raises(tw.OptionError, match=said):
        tw.Options(**options)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: tw.Rave(k=-1), r"Rave\(k\) must be at least 0"),
        (lambda: tw.Rave(kk=1), "Rave has no option 'kk'; did you mean 'k'"),
        (lambda: tw.Rollout(policy="unifrom"), "did you mean 'uniform'"),
        (lambda: tw.Rollout(epsilon=1.5), "epsilon"),
        (lambda: tw.Rollout(depth=-1), "depth"),
        (lambda: tw.Rollout(depth=1.5), "whole number"),
        (lambda: tw.Widening(k=0), "Widening"),
        (lambda: tw.Search(Nim, engine="python"), "needs an instance of a tw.Domain"),
        (lambda: tw.Search(Nim(), tw.Position(Nim())), r"must be a tw.Options, .* call begin"),
        (lambda: search(workers=0), "workers must be"),
        (lambda: search(when_full="explode"), "when_full='explode' is unknown"),
        (lambda: search(seed="one"), "seed must be a whole number"),
        (lambda: tw.Search(Nim(), engine="fast"), "engine='fast' is unknown"),
        (lambda: tw.Search(Nim(), memory="much"), "write it like '512MiB'"),
        (lambda: tw.Search(Nim(), memory=100), "too little"),
        (lambda: tw.make("tic-tac-to"), "did you mean 'tictactoe'"),
        (lambda: search(options=tw.Options(puct=True)), "puct needs nim-v1 to define the function"),
        (lambda: search(options=tw.Options(priors=True)), "function prior"),
        (lambda: search(options=tw.Options(head_start=9)), "function weight"),
        (lambda: tw.Options(head_start=-1), "head_start must be between 0"),
        (lambda: search(options=tw.Options(rollout=tw.Rollout(depth=3))), "function value"),
        (lambda: search(options=tw.Options(rollout=tw.Rollout("domain"))), "function rollout"),
        (lambda: search(options=tw.Options(max_backup=0.5)), "for one player"),
        (lambda: TicTacToe(moves="b2 b2"), None),
    ],
)
def test_arguments(make, said):
    if said is None:
        with pytest.raises(tw.OptionError, match=r"move 2 \('b2'\) is not legal"):
            make().new_state()
    else:
        with pytest.raises(tw.OptionError, match=said):
            make()


@pytest.mark.parametrize("heap", [-1, 1.5, 99_999_999_999])
def test_a_setting_that_makes_no_sense_is_named(heap):
    with pytest.raises(tw.OptionError, match=f"heap must be .* not {heap}"):
        Nim(heap=heap).new_state()


def test_terminal_root():
    ended = tw.Search(Nim(heap=0), engine="python", memory="1MiB")
    with pytest.raises(tw.OptionError, match="has ended: there is nothing to search"):
        ended.run(10)


def test_illegal_commit():
    with pytest.raises(tw.OptionError, match="action 7 is not legal"):
        search().commit(7)


def test_solver_refuses_rewards_it_cannot_bound(domain_file):
    text = """
    import treewright as tw
    from numpy import int8

    class Rich(tw.Domain):
        max_actions, players = 1, 1
        state = tw.record(n=int8)
        def start(s): s.n = 0
        def legal(s, out):
            out[0] = 0
            return 1
        def play(s, action): s.n += 1
        def ended(s): return s.n == 2
        def rewards(s, out): out[0] = 7.0
    """
    rich = tw.Search(
        domain_file(text).Rich(), tw.Options(solver=True), engine="python", memory="1MiB"
    )
    with pytest.raises(tw.DomainError, match="solver needs rewards between 0 and 1"):
        rich.run(10)


def test_tree_files(tmp_path):
    path = tmp_path / "tree.npz"
    done = search()
    done.run(50)
    done.save(path)
    assert tw.load(path, Nim(heap=9)).result().visits == done.result().visits
    with pytest.raises(tw.TreeFileError, match=r"another domain: its settings is \{'heap': 9\}"):
        tw.load(path, Nim(heap=10))
    with pytest.raises(tw.TreeFileError, match="another domain: its name is 'nim-v1'"):
        tw.load(path, TicTacToe())
    whole = path.read_bytes()
    for cut in (0, 1, 100, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:cut])
        with pytest.raises(tw.TreeFileError, match="not a whole search file"):
            tw.load(path, Nim(heap=9))
    path.write_bytes(b"PK\x03\x04 this is not a zip file")
    with pytest.raises(tw.TreeFileError):
        tw.load(path, Nim(heap=9))
    np.savez(path, about=np.array('{"format": 99}'))
    with pytest.raises(tw.TreeFileError, match="format 99"):
        tw.load(path, Nim(heap=9))
    with pytest.raises(tw.TreeFileError, match="does not exist"):
        tw.load(tmp_path / "none.npz", Nim(heap=9))
    with pytest.raises(tw.TreeFileError, match="can't be written"):
        done.save(tmp_path / "no" / "folder.npz")


def test_object_states_need_the_interpreter():
    class Held:
        pass

    class InPython(tw.Domain):
        max_actions, state = 1, Held

        def start(s):
            s.n = 0

        def legal(s, out):
            out[0] = 0
            return 1

        def play(s, action):
            s.n += 1

        def ended(s):
            return s.n == 3

        def rewards(s, out):
            out[0] = 1.0

    with pytest.raises(tw.OptionError, match="use engine='python'"):
        tw.Search(InPython(), engine="compiled")
    result = tw.Search(InPython()).run(20)
    assert result.best_sequence == [0, 0, 0]
    with pytest.raises(tw.OptionError, match="not savable"):
        tw.Search(InPython()).save("x.npz")
