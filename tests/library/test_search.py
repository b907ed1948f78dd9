"""Running a search: budgets, stopping, resuming, threads, commit, phases."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.nim import Nim
from treewright.apps.games.tictactoe import TicTacToe


def same_tree(a, b):
    return np.array_equal(a.tree.nodes, b.tree.nodes) and np.array_equal(a.tree.edges, b.tree.edges)


def test_nim_is_won_by_leaving_a_multiple_of_four():
    for heap in range(1, 17):
        result = tw.Search(Nim(heap=heap), tw.Options(solver=True), seed=heap).run(200_000)
        if heap % 4:
            assert result.best == heap % 4, heap
            assert result.value == 1.0
        else:
            assert result.value == 0.0
        assert result.stopped == "solved"


def test_both_engines_and_resuming_give_one_tree():
    compiled = tw.Search(TicTacToe(), seed=7)
    compiled.run(1_000)
    interpreted = tw.Search(TicTacToe(), seed=7, engine="python")
    interpreted.run(400)
    interpreted.run(600)
    assert same_tree(compiled, interpreted)
    debug = tw.Search(TicTacToe(), seed=7, debug=True)
    debug.run(1_000)
    assert same_tree(compiled, debug)


def test_another_process_gives_the_same_tree():
    code = (
        "import treewright as tw, hashlib;"
        "s = tw.Search(tw.make('tictactoe'), seed=3); s.run(5000);"
        "print(hashlib.sha256(s.tree.nodes.tobytes()).hexdigest())"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    assert len(outputs.pop().strip()) == 64


def test_seeds_differ():
    a, b = (tw.Search(TicTacToe(), seed=seed) for seed in (1, 2))
    a.run(500)
    b.run(500)
    assert not same_tree(a, b)


def test_ctrl_c_keeps_what_was_found():
    """SIGINT in the middle of a compiled search: it ends within 50 ms, with a result."""
    search = tw.Search(ConnectFour(), seed=1, memory="1GiB", when_full="rollout")
    search.run(1_000)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    latencies = [1.0]
    while min(latencies) >= 0.05 and len(latencies) < 20:  # the machine may be busy
        timer = threading.Timer(0.2, interrupt)
        timer.start()
        result = search.run(seconds=20)
        latencies.append(time.perf_counter() - sent[-1])
        assert result.stopped == "interrupt"
        assert result.simulations > 1_000
    assert min(latencies) < 0.05
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_compiling_counts_against_no_budget(domain_file):
    """A new domain compiles for seconds; a search of 0.2 s still searches for 0.2 s."""
    text = """
    import treewright as tw
    from numpy import int8

    class New(tw.Domain):
        max_actions, state = 2, tw.record(n=int8)
        def start(s): s.n = 0
        def legal(s, out):
            out[0], out[1] = 0, 1
            return 2
        def play(s, action): s.n += 1
        def ended(s): return s.n == 7
        def rewards(s, out): out[0] = 0.123
    """
    began = time.perf_counter()
    result = tw.Search(domain_file(text).New(), seed=1).run(seconds=0.2)
    took = time.perf_counter() - began
    assert result.seconds < max(1.0, took / 2)  # most is compiling, on a busy machine too
    assert result.simulations > 1_000


def test_stop_until_and_progress():
    search = tw.Search(ConnectFour(), seed=1)
    seen = []

    def progress(now):
        seen.append(now.simulations)
        if now.simulations > 20_000:
            search.stop()

    assert search.run(seconds=30, progress=progress).stopped == "stop"
    assert seen == sorted(seen)
    assert search.run(seconds=30, until=lambda now: now.simulations > 60_000).stopped == "until"
    assert search.run(seconds=0.05).stopped == "seconds"
    assert search.run(nodes=500).stopped == "nodes"


def test_nodes_budget_counts_what_is_added():
    search = tw.Search(ConnectFour(), seed=1)
    before = search.run(100).created
    assert search.run(nodes=500).created == before + 500


def test_an_exhausted_tree_ends_a_budget_of_nodes():
    assert tw.Search(Nim(heap=3), seed=1).run(nodes=10_000).stopped == "exhausted"


def test_one_simulation_is_a_result():
    result = tw.Search(TicTacToe(), seed=1).run(1)
    assert result.simulations == 1
    assert len(result.children) == 9


def test_workers_are_repeatable_and_merged():
    runs = [tw.Search(TicTacToe(), seed=5, workers=2) for _ in range(3)]
    results = [r.run(2_000) for r in runs[:2]]
    runs[2].run(500)
    results.append(runs[2].run(1_500))
    assert results[0].children == results[1].children == results[2].children
    assert results[0].simulations == 2_000
    assert sum(c.visits for c in results[0].children) == 2_000 - 2  # each root's own simulation


def test_workers_add_just_what_is_asked_for():
    """After a run by time the workers are not level; the next run still adds 1,001."""
    search = tw.Search(TicTacToe(), seed=5, workers=2)
    before = search.run(seconds=0.05).simulations
    assert search.run(1_001).simulations == before + 1_001


def test_a_callback_sees_whole_trees_of_all_workers():
    """Workers are held between two slices while a callback looks."""
    search = tw.Search(ConnectFour(), seed=5, workers=2)
    seen = []

    def look(now):
        result = now.search.result()
        seen.append(result.simulations)
        assert sum(c.visits for c in result.children) == result.simulations - 2
        return len(seen) == 5

    assert search.run(seconds=20, until=look).stopped == "until"
    assert seen == sorted(seen)


def test_commit_keeps_the_subtree_and_the_perspective():
    search = tw.Search(TicTacToe(), seed=5)
    result = search.run(5_000)
    visits, value = result.visits, result.value
    search.commit(result.best)
    root = search.tree.nodes[0]
    assert root["visits"] == visits
    assert root["value"] / root["visits"] == pytest.approx(value)
    assert search.tree.size < 5_000
    after = search.run(1_000)
    assert sum(c.visits for c in after.children) == visits + 1_000 - 1


def test_commit_of_an_untried_action():
    search = tw.Search(TicTacToe(), seed=5)
    search.commit(4)
    assert search.tree.size == 1
    assert search.position.render().count("X") == 1
    assert search.run(100).simulations == 100


def test_save_and_load_go_on_as_if_never_stopped(tmp_path):
    options = tw.Options(rave=tw.Rave(k=50))
    straight, broken = (tw.Search(TicTacToe(), options, seed=2, workers=2) for _ in range(2))
    straight.run(1_000)
    straight.commit(4)
    straight.run(600)
    broken.run(1_000)
    broken.commit(4)
    broken.save(tmp_path / "tree.npz")
    loaded = tw.load(tmp_path / "tree.npz", TicTacToe())
    assert loaded.history == [4]
    loaded.run(600)
    assert same_tree(straight, loaded)
    assert loaded.result().children == straight.result().children


def test_a_file_with_an_option_that_was_dropped_is_read(tmp_path):
    path = tmp_path / "tree.npz"
    tw.Search(TicTacToe(), seed=2).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    for until, error in ((None, None), (0.5, tw.TreeFileError)):
        about["options"]["rollout"]["until"] = until
        np.savez(path, **arrays | {"about": np.array(json.dumps(about))})
        if error is None:
            assert tw.load(path, TicTacToe()).options == tw.Options()
        else:
            with pytest.raises(error, match="no option 'until'"):
                tw.load(path, TicTacToe())


def test_children_print_as_a_table():
    result = tw.Search(Nim(heap=10), tw.Options(solver=True), seed=1).run(2_000)
    lines = str(result.children).splitlines()
    assert lines[0].split() == ["action", "label", "visits", "value", "proven"]
    assert len(lines) == 4
    assert "take 2" in lines[1]
    assert result.principal_variation(2)[0] == "take 2"


def test_looking_at_the_tree():
    networkx = pytest.importorskip("networkx")
    search = tw.Search(TicTacToe(), seed=1)
    search.run(500)
    graph = search.tree.to_networkx(depth=2, top=3)
    assert networkx.is_arborescence(graph)
    assert graph.number_of_nodes() == 1 + 3 + 9
    assert graph.nodes[0]["visits"] == 500
    dot = search.tree.to_dot(depth=1, top=2)
    assert dot.startswith("digraph tree {")
    assert dot.count("->") == 2


def test_memory_per_node():
    """At most 40 bytes a node, edges included, at a branching factor of 7 and of 48."""
    from treewright.apps.games.benchmarks.yarn import Yarn

    for domain, c in ((ConnectFour(), 1.4), (Yarn(), 0.5)):
        search = tw.Search(domain, tw.Options(c=c), seed=1)
        search.run(50_000)
        assert search.tree.nbytes / search.tree.size <= 40


def test_memory_budget_and_when_full():
    from treewright.apps.games.benchmarks.yarn import Yarn

    ran = {}
    for when_full in ("stop", "rollout", "recycle"):
        search = tw.Search(Yarn(), tw.Options(c=0.5), seed=1, memory="256KiB", when_full=when_full)
        ran[when_full] = search.run(30_000)
        assert search.tree.nbytes <= 256 * 1024
        assert ran[when_full].full
    assert ran["stop"].stopped == "memory"
    assert ran["stop"].simulations < 30_000
    assert ran["rollout"].simulations == ran["recycle"].simulations == 30_000
    assert ran["rollout"].created < 12_000
    assert ran["recycle"].created > 25_000


def test_many_nodes_with_commit_in_little_memory():
    """The pruning experiment in small: far more nodes than fit, resident memory watched."""
    from treewright.apps.games.benchmarks.memory import run

    found = run(nodes=600_000, budget="8MiB")
    assert found["with_commit"]["nodes"] > 450_000
    assert found["with_commit"]["resident_mib"] < 8 + 6
    assert found["without_commit"]["stopped"] == "memory"
    assert found["without_commit"]["nodes"] < 350_000
