"""Constants that an instance of a domain sets: compiled in, never mixed up, never stale."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
from numpy import int8, int64

import treewright as tw
from treewright.kernel.constants import KEPT, binder

SIZE = tw.constant()
CELLS = tw.constant(lambda: SIZE * SIZE)
STEPS = tw.constant(lambda: (1, SIZE, twice(SIZE)))
BONUS = tw.constant()
TAKEN = 1


def twice(n):
    return 2 * n


def plain_bonus(s):
    return 0.0


def own_bonus(s):
    return 1.0 / SIZE


def full(s):
    return s.n == CELLS or again(s, 1)


def again(s, depth):
    return full_twice(s, depth) if depth < 1 else False


def full_twice(s, depth):
    """Calls back to ``again``: functions that reach a constant may be cyclic."""
    return s.n == CELLS and again(s, depth + 1)


class Fill(tw.Domain):
    """A line of cells, each filled with a step; a user's own domain with a size."""

    players = 1

    def __init__(self, size=3, bonus=plain_bonus):
        self.state = tw.record(cell=(int8, size * size), n=int64)
        self.max_actions = self.keys = 3
        super().__init__(constants={SIZE: size, BONUS: bonus}, size=size)

    def start(s, size=SIZE, most=CELLS):
        s.n = 0

    def legal(s, out):
        n = 0
        for step in STEPS:
            out[n] = step
            n += TAKEN
        return n

    def play(s, action):
        s.cell[s.n] = action
        s.n += 1

    def ended(s):
        return full(s)

    def rewards(s, out):
        total = 0.0
        for i in range(CELLS):
            total += s.cell[i] * (i % SIZE)
        out[0] = total / (3 * CELLS * SIZE) + BONUS(s)

    def amaf_key(s, action):
        return 0 if action == 1 else 1 if action == SIZE else 2

    def describe(s, action):
        return f"{action} of {CELLS}"

    def ends(self, s):
        return self.interpret(full)(s)


def tree(domain, engine):
    search = tw.Search(domain, tw.Options(rave=tw.Rave(k=50)), seed=1, engine=engine)
    search.run(60)
    nodes = search.tree.nodes
    return nodes["action"].tolist(), nodes["visits"].tolist(), nodes["value"].tolist()


def test_two_sizes_side_by_side_in_both_engines():
    found = {}
    for _ in range(2):
        for size in (2, 3):
            for engine in ("compiled", "python"):
                found.setdefault(size, []).append(tree(Fill(size), engine))
    assert all(other == trees[0] for trees in found.values() for other in trees)
    assert found[2][0] != found[3][0]
    assert tw.check(Fill(2)).ok


def test_equal_values_share_functions_and_kernels():
    one, two, other = Fill(3), Fill(3), Fill(2)
    assert one.functions == two.functions
    assert one.functions["legal"] is not other.functions["legal"]
    kernels = [tw.Search(d, seed=1).workers[0]._module for d in (one, two)]
    assert kernels[0] is kernels[1]


def test_numbers_that_are_equal_but_of_another_kind_are_told_apart():
    keys = [binder(Fill, {SIZE: value}) for value in (1, 1.0, True, (1,), (True,), 0.0, -0.0)]
    assert len(set(map(id, keys))) == len(keys)
    assert binder(Fill, {SIZE: (1,)}) is keys[3]


def test_a_function_may_be_a_constant():
    values = {}
    for bonus in (plain_bonus, own_bonus):
        for size in (2, 3):
            both = {tw.Search(Fill(size, bonus), seed=1, engine=e).run(40).best_score
                    for e in ("compiled", "python")}  # fmt: skip
            values[bonus, size] = both.pop()
            assert not both
    for size in (2, 3):
        assert values[own_bonus, size] == pytest.approx(values[plain_bonus, size] + 1 / size)


def test_python_functions_and_methods_see_the_values():
    domain = Fill(2)
    s = domain.new_state()
    assert domain.function("describe")(s, 2) == "2 of 4"
    assert not domain.ends(s)
    s.n = 4
    assert domain.ends(s)
    assert domain.function("start").__defaults__ == (2, 4)


def test_what_reads_no_constant_stays_as_it_is():
    assert Fill(2).functions["play"] is Fill.play
    assert Fill(2).functions["legal"].__globals__["TAKEN"] == TAKEN


def test_a_redefined_helper_is_noticed(monkeypatch):
    before = tree(Fill(2), "python")
    monkeypatch.setattr(sys.modules[__name__], "twice", lambda n: 3 * n)
    assert tree(Fill(2), "python") != before
    monkeypatch.undo()
    assert tree(Fill(2), "python") == before


def test_a_process_keeps_only_so_many_sets_of_functions():
    first = binder(Fill, {SIZE: 1})
    for size in range(2, KEPT + 2):
        binder(Fill, {SIZE: size})
    assert binder(Fill, {SIZE: 1}) is not first


class Unset(Fill):
    def __init__(self):
        self.state = tw.record(cell=(int8, 4), n=int64)
        self.max_actions = 3
        tw.Domain.__init__(self, constants={BONUS: plain_bonus})


class ByName(Fill):
    def __init__(self):
        tw.Domain.__init__(self, constants={"SIZE": 3})


class Listed(Fill):
    def __init__(self):
        tw.Domain.__init__(self, constants={SIZE: [3]})


CIRCLE = tw.constant(lambda: ROUND + 1)
ROUND = tw.constant(lambda: CIRCLE - 1)


class Circular(Fill):
    def play(s, action):
        s.n += CIRCLE


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Unset, r"in start: Unset does not set the constant SIZE; its constructor should call"),
        (ByName, r"ByName: constants=\{'SIZE': \.\.\.\} must name a constant that a module"),
        (Listed, r"Listed: a constant is a number, a tuple or a function, and can't be of type"),
        (Circular, r"in <lambda>: the constant CIRCLE of Circular depends on itself"),
    ],
)
def test_mistakes_are_one_sentence(make, says):
    for _ in range(2):  # and the same one again
        with pytest.raises(tw.DomainError, match=says):
            make()


def test_a_compiled_helper_cannot_read_a_constant():
    from numba import njit

    ready = njit(own_bonus)

    class Compiled(Fill):
        def rewards(s, out):
            out[0] = ready(s)

    with pytest.raises(tw.DomainError, match=r"own_bonus\(\) reads a constant that Compiled sets"):
        Compiled()


def test_a_constant_has_no_value_outside():
    with pytest.raises(TypeError, match="only in the functions of a domain that sets it"):
        bool(SIZE)


FILES = {
    "board.py": "import treewright as tw\nSIZE = tw.constant()\nLAST = tw.constant(lambda: SIZE)\n",
    "rules.py": "import board\ndef over(s):\n    return s.n == board.LAST\n",
    "domain.py": textwrap.dedent(
        """
        import json, sys
        import treewright as tw
        from numpy import int8
        from board import SIZE
        from rules import over

        class Count(tw.Domain):
            players, max_actions = 1, 1
            def __init__(self, size):
                self.state = tw.record(n=int8)
                super().__init__(constants={SIZE: size})
            def start(s): s.n = 0
            def legal(s, out):
                out[0] = 0
                return 1
            def play(s, action): s.n += 1
            def ended(s): return over(s)
            def rewards(s, out): out[0] = s.n / 100

        found = []
        for size in map(int, sys.argv[1:]):
            search = tw.Search(Count(size))
            value = search.run(3).value
            kernel = search.workers[0]._module.search
            found.append([value, kernel.hits])
        print(json.dumps(found))
        """
    ),
}


def test_the_cache_knows_the_values_and_notices_an_edit(tmp_path):
    """Fresh processes: constants of one module, read through a second, set by a third."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def run(*sizes):
        out = subprocess.run(
            [sys.executable, "-B", "domain.py", *map(str, sizes)],
            cwd=tmp_path,
            env=os.environ | {"TREEWRIGHT_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
        )
        assert out.returncode == 0, out.stderr
        return json.loads(out.stdout)

    assert run(3, 4) == [[0.03, 0], [0.04, 0]]
    assert run(4, 3, 5) == [[0.04, 1], [0.03, 1], [0.05, 0]]
    (tmp_path / "board.py").write_text(
        FILES["board.py"].replace("lambda: SIZE", "lambda: SIZE + 9")
    )
    assert run(3) == [[0.12, 0]], "an edited formula is compiled anew"
