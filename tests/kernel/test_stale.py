"""A kernel is of what its functions read when the search was made: never of anything else."""

import json
import textwrap

import numba
import numpy as np
import pytest
from test_cache import FILES, Project

import treewright as tw
from treewright.kernel import specialise
from treewright.kernel.fingerprint import Fingerprint

VALUE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import treewright as tw
import domain
search = tw.Search(domain.Small(), seed=1)
exec(sys.argv[1] if len(sys.argv) > 1 else "")
value = search.run(50).value
print(json.dumps([value, search.workers[0]._module.search.hits]))
"""

GAME = """
    import numpy as np
    import treewright as tw

    {globals}

    class Small(tw.Domain):
        players, max_actions = 1, 2
        state = tw.record(n=np.int8)
        def start(s): s.n = 0
        def legal(s, out):
            out[0] = 0
            out[1] = 1
            return 2
        def play(s, action): s.n += 1
        def ended(s): return s.n == 3
        def rewards(s, out): out[0] = {reward}
"""


def game(reward, *lines):
    return textwrap.dedent(GAME).format(globals="\n".join(lines), reward=reward)


@pytest.fixture
def project(tmp_path):
    found = Project(tmp_path)
    for name in FILES:
        (tmp_path / name).unlink()

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)

    def value(change=""):
        return json.loads(found.python(VALUE, change))

    found.write, found.value = write, value
    return found


def settings(fields):
    return game(
        "CFG.a",
        "from collections import namedtuple",
        f"Config = namedtuple('Config', '{fields}')",
        "CFG = Config(0.25, 0.75)",
    )


def test_reordered_fields_of_a_named_tuple(project):
    project.write(domain=settings("a b"))
    assert project.value() == [0.25, 0]
    project.write(domain=settings("b a"))
    assert project.value() == [0.75, 0]


def test_reordered_fields_in_one_process(domain_file, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    for fields, value in (("a b", 0.25), ("b a", 0.75)):
        module = domain_file(settings(fields))
        assert tw.Search(module.Small(), seed=1).run(50).value == value


ARRAYS = ("TABLE = np.array([0.25, 0.5])", "PAIR = (TABLE, 1)", "def deep(): return PAIR[0][0]")


def test_an_array_that_changes_before_the_search_runs(project):
    """The values when the search was made count, and the next process finds no others."""
    project.write(domain=game("(TABLE[0] + deep()) / 2", *ARRAYS))
    change = "domain.TABLE[0] = 0.75"
    assert project.value(change) == [0.25, 0]
    assert project.value() == [0.25, 1]


class OneFunction:
    """As much of a domain as a kernel of one line needs."""

    table_names = ()

    def __init__(self, function):
        self.functions = {"ended": function}

    def fingerprint_parts(self):
        return ()


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A kernel that calls one function, made as in a new process, and a cache of its own."""
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    text = tmp_path / "text.py"
    text.write_text("def entry(x):\n    return ended(x, ())\n")

    def make(function):
        return specialise.specialise(OneFunction(function), {}, (text,), "entry").entry

    def damage():
        specialise._loaded.clear()
        for path in (tmp_path / "cache").rglob("*.kernel"):
            path.write_bytes(b"")

    monkeypatch.setattr(specialise, "_loaded", {})
    make.damage = damage
    return make


@pytest.mark.filterwarnings("ignore:a kernel in .* is compiled again")
@pytest.mark.parametrize("allocates", [False, True])
def test_an_array_that_changes_before_a_damaged_kernel_is_compiled_again(made, allocates):
    """The damage is found when the kernel is called: the array then counts for no kernel."""
    table = np.array([0.25, 0.5])

    def plain(x):
        return x + table[0]

    def allocating(x):
        return x + np.array([x, table[0]])[1]

    function = allocating if allocates else plain
    assert made(function)(0.0) == 0.25
    made.damage()
    kernel = made(function)
    table[0] = 0.75
    assert kernel(0.0) == 0.25
    assert made(function)(0.0) == 0.75
    table[0] = 0.25
    assert made(function)(0.0) == 0.25


@pytest.mark.filterwarnings("ignore:a kernel in .* is compiled again")
def test_a_compiled_helper_and_an_array_that_changes(made):
    """What its author has compiled can't be copied in advance: there is a sentence, no number."""
    table = np.array([0.25, 0.5])

    @numba.njit
    def near():
        return table[0]

    def function(x):
        return x + near()

    assert made(function)(0.0) == 0.25
    made.damage()
    kernel = made(function)
    table[0] = 0.75
    with pytest.raises(tw.CompileError, match="changed after the search was made"):
        kernel(0.0)
    table[0] = 0.25
    assert made(function)(0.0) == 0.25


def test_a_helper_that_was_compiled_before_its_globals_changed(project):
    project.write(
        domain=game(
            "helper()",
            "from numba import njit",
            "K = 0.25",
            "@njit",
            "def helper(): return K",
            "helper()",
            "K = 0.75",
        )
    )
    assert project.value() == [0.75, 0]


def test_a_helper_with_a_cache_of_its_own(project):
    """Numba's cache does not see an edit in another module; ours does."""
    far = "from numba import njit\n@njit(cache=True)\ndef far(): return {}\n"
    near = (
        "from numba import njit\nfrom far import far\n@njit(cache=True)\ndef near(): return far()"
    )
    project.write(
        far=far.format(0.25), near=near, domain=game("near()", "from near import near", "near()")
    )
    assert project.value() == [0.25, 0]
    project.write(far=far.format(0.75))
    assert project.value() == [0.75, 0]


def test_a_helper_keeps_the_options_and_signatures_of_its_author(project):
    project.write(
        domain=game(
            "half(3.9) / 4",
            "from numba import njit",
            "@njit('int64(float64)')",
            "def half(x): return x * 0.5",
        )
    )
    assert project.value() == [0.25, 0]
    assert project.value() == [0.25, 1]


CIRCLE = {
    "h1": "import h2\nK = 0.25\ndef mine(): return h2.h1.h2.h1.K\n",
    "h2": "import h1\nL = 0.5\n",
}


def test_modules_that_import_each_other(project):
    project.write(domain=game("h1.h2.h1.K + h1.mine()", "import h1"), **CIRCLE)
    assert project.value() == [0.5, 0]
    project.write(h1=CIRCLE["h1"].replace("0.25", "0.125"))
    assert project.value() == [0.25, 0]


def test_modules_that_import_each_other_with_a_constant(project):
    size = "SIZE = tw.constant()"
    domain = game("SIZE * h1.h2.h1.K + h1.mine()", "import h1", size)
    domain += "    def __init__(self): super().__init__(constants={SIZE: 3})\n"
    project.write(domain=domain, **CIRCLE)
    assert project.value() == [1.0, 0]


def mark(value):
    found = Fingerprint()
    found.value(value)
    return found.hexdigest()


def test_modules_read_by_different_names_differ():
    import types

    module = types.ModuleType("somewhere")
    module.a, module.b = 1, 2
    found = set()
    for names in ("a", "b"):
        marked = Fingerprint()
        marked.value(module, frozenset("a"))
        marked.value(module, frozenset(names))
        found.add(marked.hexdigest())
    assert len(found) == 2


EXTENSIONS = {
    "method": ("overload_method", "numba.types.Integer, 'over'", "x.over()"),
    "attribute": ("overload_attribute", "numba.types.Integer, 'over'", "x.over"),
    "builtin": ("overload", "abs", "abs('over')"),
    "of NumPy": ("overload", "np.block", "np.block('over')"),
    "deeper in NumPy": ("overload", "np.linalg.tensorinv", "np.linalg.tensorinv('over')"),
}
EXTENDED = """
import json, sys
import numba, numpy as np
from numba import extending
from treewright.kernel.fingerprint import Fingerprint, Unhashable
for decorator, what, read in json.loads(sys.argv[1]):
    scope = dict(np=np, __name__="authored")
    exec(f"def entry(x): return {read}", scope)
    Fingerprint().value(scope["entry"])
    def taught(x):
        return (lambda x: 1) if isinstance(x, numba.types.UnicodeType) else None
    taught.__module__ = "authored"
    getattr(extending, decorator)(*eval(f"({what},)"))(taught)
    try:
        Fingerprint().value(scope["entry"])
    except Unhashable as reason:
        print(reason)
    else:
        sys.exit(f"{what} is not seen")
"""


def test_what_numba_was_taught_is_not_cached(project):
    """An overload is found by Numba, not by a name that the function reads."""
    by_name = [case for name, case in EXTENSIONS.items() if name != "attribute"]
    assert project.python(EXTENDED, json.dumps(by_name)).endswith("has a Numba overload")
    project.python(EXTENDED, json.dumps([EXTENSIONS["attribute"]]))


def test_an_overload_that_is_edited(project):
    taught = "import numba\n@numba.extending.overload_attribute(numba.types.Integer, 'over')\n"
    for number in ("0.25", "0.75"):
        project.write(domain=game("s.n.over", "import taught"))
        project.write(taught=f"{taught}def over(x): return lambda x: {number}\n")
        assert project.value() == [float(number), 0]
