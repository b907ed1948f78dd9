"""Edits of everything that a compiled function can read; each must be seen by the fingerprint.

Pairs of versions of a module that differ in one value are generated.  Their functions must have
two fingerprints, or be refused (then they are compiled without the cache), and each version must
have the same one when it is executed again, here and in other processes.
"""

import json
import os
import random
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

NUMBERS = ["0", "1", "-1", "2", "True", "False", "1.0", "0.0", "-0.0", "2.5", "float('inf')"]
NUMBERS += ["float('nan')", "1j", "complex(0.0, -0.0)", "2**40", "-(2**63)", "1e-300", "None"]
TEXTS = ["''", "'a'", "'b'", "'ab'", "'1'", "b''", "b'a'", "b'1'", "'\\u00e9'", "'None'", "'nan'"]
KINDS = ["int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64", "bool_"]
KINDS += ["complex64"]
RECORDS = [
    "np.dtype([('a', 'i4'), ('b', 'i4')])",
    "np.dtype([('b', 'i4'), ('a', 'i4')])",
    "np.dtype([('a', 'i4'), ('b', 'f4')])",
    "np.dtype([('a', 'i1'), ('b', 'i4')])",
    "np.dtype([('a', 'i1'), ('b', 'i4')], align=True)",
    "np.dtype([('a', 'i4', (2,)), ('b', 'i4')])",
    "np.dtype([('a', 'i4', (2, 1)), ('b', 'i4')])",
    "np.dtype([('a', [('c', 'i2'), ('d', 'i2')]), ('b', 'i4')])",
    "np.dtype({'names': ['a', 'b'], 'formats': ['i4', 'i4'], 'offsets': [0, 8]})",
    "np.dtype({'names': ['a', 'b'], 'formats': ['i4', 'i4'], 'offsets': [4, 0]})",
    "np.dtype({'names': ['a', 'b'], 'formats': ['i4', 'i4'], 'offsets': [0, 2]})",
    "np.dtype([('a', '>i4'), ('b', 'i4')])",
]


def scalar(dice):
    return dice.choice([*NUMBERS, *TEXTS, str(dice.randrange(-5, 300))])


def numpy_scalar(dice):
    return f"np.{dice.choice(KINDS)}({dice.choice(['0', '1', '2', '100'])})"


def dtype(dice):
    return dice.choice([f"np.dtype(np.{dice.choice(KINDS)})", *RECORDS])


def array(dice):
    shape = dice.choice(["(6,)", "(2, 3)", "(3, 2)", "(6, 1)", "(1, 6)", "(1, 2, 3)"])
    items = [dice.choice([0, 1, 1, 1, 2, 3]) for _ in range(6)]
    made = f"np.array({items}, np.{dice.choice(KINDS)}).reshape({shape})"
    made = dice.choice(
        [made, made, f"np.asfortranarray({made})", f"{made}[::-1]", f"-0.0 * {made}"]
    )
    return made if "bool" not in made else made.replace("-0.0 * ", "")


def record_array(dice):
    return f"np.ones(2, {dice.choice(RECORDS)})"


def nested(dice, depth=2):
    kinds = [scalar, numpy_scalar, array] + [nested] * (depth > 0)
    items = []
    for _ in range(dice.randrange(1, 4)):
        kind = dice.choice(kinds)
        items.append(kind(dice, depth - 1) if kind is nested else kind(dice))
    return f"({', '.join(items)},)"


def listed(dice):
    return f"[{scalar(dice)}, {scalar(dice)}]"


def named(dice):
    names = dice.choice(["a b", "b a", "a c"])
    kind = dice.choice(["Config", "Other"])
    return f"namedtuple('{kind}', '{names}')({dice.choice('12')}, {scalar(dice)})"


def member(dice):
    base = dice.choice(["Enum", "IntEnum", "IntFlag"])
    members = dice.choice(["{'A': 1, 'B': 2}", "{'B': 1, 'A': 2}", "{'A': 1, 'B': 2, 'C': 2}"])
    members = dice.choice([members, "{'A': 1, 'B': 2, 'C': 1}", "{'A': 1, 'B': 3}"])
    return f"enum.{base}('Cell', {members})" + dice.choice(["", ".A", ".B"])


def function(dice):
    body = dice.choice(["x", "x + 1", "x + 1.0", "x + True", "x - 1", "x in {1, 2}", "x in {1, 3}"])
    body = dice.choice([body, f"(x, {scalar(dice)})", "x in (1, 2)", "x in {'b', 'a', 'c'}"])
    head = dice.choice(
        ["x", "x=1", "x=1.0", "x, /", "*, x=1", "*, x=2", "x, y=(1, 2)", "x, y=(2, 1)"]
    )
    return f"lambda {head}: {body}"


def closure(dice):
    held = dice.choice([scalar, array, nested, named])(dice)
    return f"(lambda held: lambda: (held, held.K))({held})"


def compiled(dice):
    options = ["", "fastmath=True", "boundscheck=True", "error_model='numpy'", "inline='always'"]
    options += ["nogil=True", "locals={'y': numba.int8}", "locals={'y': numba.int16}"]
    return f"numba.njit({dice.choice(options)})({function(dice)})"


def signed(dice):
    kinds = ["int64(int64)", "float64(int64)", "int64(float64)", "int32(int64)"]
    return f"numba.njit('{dice.choice(kinds)}')(lambda x: x)"


def library(dice):
    names = "np math np.float32 np.int8 np.sum np.prod np.add np.multiply math.sin math.cos len sum"
    names += " abs int float numba.int8 numba.int16"
    kinds = [f"numba.types.UniTuple(numba.int8, {n})" for n in (2, 3)]
    return dice.choice([*names.split(), *kinds])


def module(dice):
    value = dice.choice([scalar, array, nested, function, named, member])(dice)
    return f"made_module('config', K={value}, own=None)"


def unusual(dice):
    """Values that no fingerprint stands for, or that compiled code can't read anyway."""
    return dice.choice(
        [
            f"functools.partial(max, {dice.choice('123')})",
            f"type('Constants', (), {{'K': {dice.choice('123')}}})",
            f"type('Number', (int,), {{'__repr__': lambda self: 'N'}})({dice.choice('123')})",
            f"{{'a': {dice.choice('123')}}}",
            f"{{{dice.choice('123')}}}",
            f"frozenset({{{dice.choice('123')}, 'a', 'b'}})",
            f"np.array([{dice.choice('123')}, None], object)",
            f"range({dice.choice('123')})",
            f"slice({dice.choice('123')})",
            f"types.SimpleNamespace(K={dice.choice('123')})",
            f"np.ma.array([{dice.choice('123')}])",
            f"np.datetime64({dice.choice('123')}, '{dice.choice('sD')}')",
            f"np.void(bytes([{dice.choice('123')}]))",
        ]
    )


MAKERS = {
    "scalar": scalar,
    "NumPy scalar": numpy_scalar,
    "dtype": dtype,
    "array": array,
    "array of records": record_array,
    "nested tuple": nested,
    "list": listed,
    "named tuple": named,
    "enum": member,
    "function": function,
    "closure": closure,
    "compiled function": compiled,
    "with a signature": signed,
    "of a library": library,
    "module": module,
    "unusual": unusual,
}

PLACES = {
    "global": "G = {value}\ndef entry(x):\n    return G.K, G.a, G\n",
    "default": "def entry(x, y={value}):\n    return y.K, y\n",
    "keyword": "def entry(x, *, y={value}):\n    return y.K, y\n",
    "deeper": "G = {value}\ndef deep(): return G.K, G\ndef entry(x):\n    return deep()\n",
    "attribute": "config = made_module('c', G={value})\ndef entry(x):\n    return config.G.K\n",
    "cell": "def maker(held):\n    return lambda x: (held.K, held)\nentry = maker({value})\n",
    "compiled": "G = {value}\n@numba.njit\ndef deep(): return G.K\ndef entry(x): return deep()\n",
}


def made_module(name, **values):
    found = types.ModuleType(name)
    vars(found).update(values, own=found)  # modules import each other
    return found


def execute(text):
    import enum
    import functools
    import math
    from collections import namedtuple

    import numba
    import numpy as np

    scope = {"__name__": "authored", "made_module": made_module, "types": types, "enum": enum}
    scope |= {"np": np, "numba": numba, "math": math, "namedtuple": namedtuple}  # noqa: PYI024
    scope["functools"] = functools
    exec(compile(text, "authored.py", "exec"), scope)
    return scope


def mark(text):
    """The fingerprint of a version, or ``refused``."""
    from treewright.kernel.fingerprint import Fingerprint, Unhashable

    found = Fingerprint()
    try:
        found.value(execute(text)["entry"])
    except Unhashable:
        return "refused"
    return found.hexdigest()


def fuzz_edits(count, seed=0, elsewhere=200):
    """Try ``count`` pairs of versions: how often what, and what was wrong with which.

    ``elsewhere`` of the versions are marked in another process too, with other hashes of words.
    """
    dice = random.Random(f"edits {seed}")
    seen: Counter = Counter()
    wrong = []
    marked = {}
    for _ in range(count):
        kind, place = dice.choice(list(MAKERS)), dice.choice(list(PLACES))
        values = [MAKERS[kind](dice) for _ in range(2)]
        texts = [PLACES[place].format(value=value) for value in values]
        try:
            marks = [mark(text) for text in texts]
            again = mark(texts[0])
        except Exception as error:
            seen["wrong"] += 1
            wrong.append((kind, place, values, f"{type(error).__name__}: {error}"[:300]))
            continue
        marked.update(zip(texts, marks, strict=True))
        differ = marks[0] != marks[1]
        if "refused" in marks:
            seen["refused"] += 1
        elif marks[0] != again or (not differ and not same(*values)):
            seen["wrong"] += 1
            wrong.append((kind, place, values, "stale" if marks[0] == again else "not repeatable"))
        else:
            seen["told apart" if differ else "equal"] += 1
    some = dict(list(marked.items())[:elsewhere])
    for text, other in zip(some, marks_elsewhere(list(some)), strict=True):
        seen["in another process"] += 1
        if other != some[text]:
            wrong.append((text, "another fingerprint in another process"))
    return seen, wrong


def same(one, other):
    """Whether two expressions are two ways to write a value: only of those may marks be equal."""
    return described(one) == described(other)


def described(expression):
    import numpy as np

    value = execute(f"G = {expression}")["G"]
    if isinstance(value, np.ndarray):
        flags = value.flags.c_contiguous, value.flags.f_contiguous
        return repr(value.dtype), value.shape, flags, value.tobytes()
    if isinstance(value, np.dtype):
        return repr(value), value.isalignedstruct
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return type(value).__name__, repr(value)
    return expression


def marks_elsewhere(texts):
    program = (
        "import json, sys, fuzz_edits\n"
        "print(json.dumps([fuzz_edits.mark(text) for text in json.load(sys.stdin)]))"
    )
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(texts),
        env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)
