"""The 30 functions of the CEC 2014 competition (Liang, Qu & Suganthan 2013).

Sixteen basic functions, shifted, scaled and rotated (F1 to F16); six hybrids that share the
rotated and shuffled variables out (F17 to F22); eight compositions that blend some of them by
distance to their optima (F23 to F30).  Everything is plain functions over arrays, so that they
compile into a kernel.  All of them return the *error*: the value without the bias 100 · number.

The shifts, rotations and shuffles are the organisers' files.  They come at run time from a
package that ships them unchanged (opfunu, extra ``cec``); its own functions are not used:
it computes F17 to F27, F29 and F30 differently from the organisers' C code.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
import importlib.util
import math
from pathlib import Path

import numpy as np

from treewright.errors import MissingExtra, OptionError

DIMENSIONS = (2, 10, 30, 50, 100)
COUNT = 30
LOW, HIGH = -100.0, 100.0

ELLIPTIC, BENT_CIGAR, DISCUS, ROSENBROCK, ACKLEY, WEIERSTRASS, GRIEWANK, RASTRIGIN = range(8)
SCHWEFEL, KATSUURA, HAPPYCAT, HGBAT, GRIE_ROSEN, SCAFFER, NOTHING = range(8, 15)
# how much each basic function stretches the box [-100, 100] onto its own domain
RATE = np.array(
    [1, 1, 1, 0.02048, 1, 0.005, 6, 0.0512, 10, 0.05, 0.05, 0.05, 0.05, 1, 1], np.float64
)
# F1 to F16: which basic function, and whether it is rotated
SIMPLE = np.array(
    (
        *(ELLIPTIC, BENT_CIGAR, DISCUS, ROSENBROCK, ACKLEY, WEIERSTRASS, GRIEWANK, RASTRIGIN),
        *(RASTRIGIN, SCHWEFEL, SCHWEFEL, KATSUURA, HAPPYCAT, HGBAT, GRIE_ROSEN, SCAFFER),
    )
)
UNROTATED = np.array([number in (8, 10) for number in range(31)])
# F17 to F22: the parts and their shares of the variables
PARTS = np.array(
    [
        [SCHWEFEL, RASTRIGIN, ELLIPTIC, NOTHING, NOTHING],
        [BENT_CIGAR, HGBAT, RASTRIGIN, NOTHING, NOTHING],
        [GRIEWANK, WEIERSTRASS, ROSENBROCK, SCAFFER, NOTHING],
        [HGBAT, DISCUS, GRIE_ROSEN, RASTRIGIN, NOTHING],
        [SCAFFER, HGBAT, ROSENBROCK, SCHWEFEL, ELLIPTIC],
        [KATSUURA, HAPPYCAT, GRIE_ROSEN, SCHWEFEL, ACKLEY],
    ]
)
SHARES = np.array(
    [
        [0.3, 0.3, 0.4, 0, 0],
        [0.3, 0.3, 0.4, 0, 0],
        [0.2, 0.2, 0.3, 0.3, 0],
        [0.2, 0.2, 0.3, 0.3, 0],
        [0.1, 0.2, 0.2, 0.2, 0.3],
        [0.1, 0.2, 0.2, 0.2, 0.3],
    ]
)
HOW_MANY = np.array([3, 3, 4, 4, 5, 5])
# F23 to F28: components, the widths of their niches, and what their values are multiplied by
BLENDED = np.array([5, 3, 3, 5, 5, 5, 3, 3])
COMPONENTS = np.array(
    [
        [ROSENBROCK, ELLIPTIC, BENT_CIGAR, DISCUS, ELLIPTIC],
        [SCHWEFEL, RASTRIGIN, HGBAT, NOTHING, NOTHING],
        [SCHWEFEL, RASTRIGIN, ELLIPTIC, NOTHING, NOTHING],
        [SCHWEFEL, HAPPYCAT, ELLIPTIC, WEIERSTRASS, GRIEWANK],
        [HGBAT, RASTRIGIN, SCHWEFEL, WEIERSTRASS, ELLIPTIC],
        [GRIE_ROSEN, HAPPYCAT, SCHWEFEL, SCAFFER, ELLIPTIC],
    ]
)
COMPONENT_UNROTATED = np.zeros((6, 5), np.bool_)
COMPONENT_UNROTATED[0, 4] = COMPONENT_UNROTATED[1, 0] = True
WIDTH = np.array(
    [
        [10.0, 20, 30, 40, 50],
        [20, 20, 20, 0, 0],
        [10, 30, 50, 0, 0],
        [10, 10, 10, 10, 10],
        [10, 10, 10, 20, 20],
        [10, 20, 30, 40, 50],
        [10, 30, 50, 0, 0],
        [10, 30, 50, 0, 0],
    ]
)
TIMES = np.array(
    [
        [1.0, 1e-6, 1e-26, 1e-6, 1e-6],
        [1, 1, 1, 0, 0],
        [0.25, 1, 1e-7, 0, 0],
        [0.25, 1, 1e-7, 2.5, 10],
        [10, 10, 2.5, 25, 1e-6],
        [2.5, 10, 2.5, 5e-4, 1e-6],
    ]
)


# ------------------------------------------------------------------- the basic functions


def elliptic(z, n):
    total = 0.0
    for i in range(n):
        weight = 1e6 ** (i / (n - 1.0)) if n > 1 else 1.0
        total += weight * z[i] * z[i]
    return total


def bent_cigar(z, n):
    total = 0.0
    for i in range(1, n):
        total += z[i] * z[i]
    return z[0] * z[0] + 1e6 * total


def discus(z, n):
    total = 1e6 * z[0] * z[0]
    for i in range(1, n):
        total += z[i] * z[i]
    return total


def rosenbrock(z, n):
    total = 0.0
    for i in range(n - 1):
        here = z[i] + 1.0
        a = here * here - (z[i + 1] + 1.0)
        total += 100.0 * a * a + z[i] * z[i]
    return total


def ackley(z, n):
    squares = 0.0
    waves = 0.0
    for i in range(n):
        squares += z[i] * z[i]
        waves += math.cos(2.0 * math.pi * z[i])
    return math.e - 20.0 * math.exp(-0.2 * math.sqrt(squares / n)) - math.exp(waves / n) + 20.0


def weierstrass(z, n, work):
    """The frequencies are powers of three, so each wave is the cube of the one before it.

    Cubing e^(i theta) multiplies its relative error by three, which 21 times is harmless; with
    the real recurrence for cos alone it would be nine.
    """
    total = 0.0
    for i in range(n):
        angle = 2.0 * math.pi * (z[i] + 0.5)
        work[i] = math.cos(angle)
        work[n + i] = math.sin(angle)
    share = 1.0
    for _ in range(21):
        part = 0.0
        for i in range(n):
            c = work[i]
            s = work[n + i]
            part += c
            work[i] = c * (c * c - 3.0 * s * s)
            work[n + i] = s * (3.0 * c * c - s * s)
        total += share * part
        share *= 0.5
    return total + n * (2.0 - 0.5**20)


def griewank(z, n):
    squares = 0.0
    product = 1.0
    for i in range(n):
        squares += z[i] * z[i]
        product *= math.cos(z[i] / math.sqrt(1.0 + i))
    return 1.0 + squares / 4000.0 - product


def rastrigin(z, n):
    total = 0.0
    for i in range(n):
        total += z[i] * z[i] - 10.0 * math.cos(2.0 * math.pi * z[i]) + 10.0
    return total


def schwefel(z, n):
    total = 0.0
    for i in range(n):
        x = z[i] + 420.9687462275036
        if x > 500.0:
            inside = 500.0 - x % 500.0
            over = (x - 500.0) / 100.0
            total += over * over / n - inside * math.sin(math.sqrt(inside))
        elif x < -500.0:
            inside = 500.0 - -x % 500.0
            over = (x + 500.0) / 100.0
            total += over * over / n + inside * math.sin(math.sqrt(inside))
        else:
            total -= x * math.sin(math.sqrt(abs(x)))
    return total + 418.9828872724338 * n


def katsuura(z, n):
    power = 10.0 / float(n) ** 1.2
    product = 1.0
    for i in range(n):
        rough = 0.0
        scale = 2.0
        for _ in range(32):
            x = scale * z[i]
            rough += abs(x - math.floor(x + 0.5)) / scale
            scale *= 2.0
        product *= (1.0 + (i + 1.0) * rough) ** power
    front = 10.0 / n / n
    return product * front - front


def happycat(z, n):
    squares = 0.0
    total = 0.0
    for i in range(n):
        x = z[i] - 1.0
        squares += x * x
        total += x
    return abs(squares - n) ** 0.25 + (0.5 * squares + total) / n + 0.5


def hgbat(z, n):
    squares = 0.0
    total = 0.0
    for i in range(n):
        x = z[i] - 1.0
        squares += x * x
        total += x
    return math.sqrt(abs(squares * squares - total * total)) + (0.5 * squares + total) / n + 0.5


def grie_rosen(z, n):
    total = 0.0
    for i in range(n):
        following = z[i + 1 if i + 1 < n else 0] + 1.0
        here = z[i] + 1.0
        a = here * here - following
        x = 100.0 * a * a + z[i] * z[i]
        total += x * x / 4000.0 - math.cos(x) + 1.0
    return total


def scaffer(z, n):
    total = 0.0
    for i in range(n):
        following = z[i + 1 if i + 1 < n else 0]
        squares = z[i] * z[i] + following * following
        wave = math.sin(math.sqrt(squares))
        damp = 1.0 + 0.001 * squares
        total += 0.5 + (wave * wave - 0.5) / (damp * damp)
    return total


def basic(kind, z, n, work):
    """One of the basic functions, at its own scale."""
    if kind == ELLIPTIC:
        return elliptic(z, n)
    if kind == BENT_CIGAR:
        return bent_cigar(z, n)
    if kind == DISCUS:
        return discus(z, n)
    if kind == ROSENBROCK:
        return rosenbrock(z, n)
    if kind == ACKLEY:
        return ackley(z, n)
    if kind == WEIERSTRASS:
        return weierstrass(z, n, work)
    if kind == GRIEWANK:
        return griewank(z, n)
    if kind == RASTRIGIN:
        return rastrigin(z, n)
    if kind == SCHWEFEL:
        return schwefel(z, n)
    if kind == KATSUURA:
        return katsuura(z, n)
    if kind == HAPPYCAT:
        return happycat(z, n)
    if kind == HGBAT:
        return hgbat(z, n)
    if kind == GRIE_ROSEN:
        return grie_rosen(z, n)
    return scaffer(z, n)


# ----------------------------------------------------- shifted, rotated, mixed and blended


def shift_rotate(x, n, shift, rotation, rate, rotated, work):
    """``work[:n] = rate · M (x - o)``; ``work[n:2n]`` is scratch."""
    for i in range(n):
        work[n + i] = (x[i] - shift[i]) * rate
    for i in range(n):
        if rotated:
            total = 0.0
            for j in range(n):
                total += rotation[i, j] * work[n + j]
            work[i] = total
        else:
            work[i] = work[n + i]


def simple(kind, x, n, shift, rotation, rotated, work):
    shift_rotate(x, n, shift, rotation, RATE[kind], rotated, work)
    return basic(kind, work, n, work[n:])


def hybrid(which, x, n, shift, rotation, shuffle, work):
    """Rotate, shuffle, then give each part its share of the variables, at its own scale."""
    shift_rotate(x, n, shift, rotation, 1.0, True, work)
    for i in range(n):
        work[2 * n + i] = work[shuffle[i] - 1]
    total = 0.0
    at = 0
    parts = HOW_MANY[which]
    for part in range(parts):
        size = n - at
        if part < parts - 1:
            size = math.ceil(SHARES[which, part] * n)
        kind = PARTS[which, part]
        for i in range(size):
            work[i] = work[2 * n + at + i] * RATE[kind]
        if size > 0:
            total += basic(kind, work, size, work[3 * n :])
        at += size
    return total


def composition(which, x, n, shift, rotation, shuffle, work):
    """Components weighted by how near their optima are; the i-th has a bias of 100 i."""
    total = 0.0
    weights = 0.0
    best = 0.0
    plain = 0.0
    count = BLENDED[which]
    for i in range(count):
        if which < 6:
            rotated = not COMPONENT_UNROTATED[which, i]
            kind = COMPONENTS[which, i]
            value = TIMES[which, i] * simple(kind, x, n, shift[i], rotation[i], rotated, work)
        else:
            part = 3 * (which - 6) + i
            value = hybrid(part, x, n, shift[i], rotation[i], shuffle[i], work)
        value += 100.0 * i
        away = 0.0
        for j in range(n):
            difference = x[j] - shift[i, j]
            away += difference * difference
        width = WIDTH[which, i]
        weight = 1e99
        if away > 0.0:
            weight = math.sqrt(1.0 / away) * math.exp(-away / (2.0 * n * width * width))
        total += weight * value
        weights += weight
        plain += value
        best = max(best, weight)
    return total / weights if best > 0.0 else plain / count


def error(number, x, n, shift, rotation, shuffle, work):
    """The value of F``number`` at ``x`` less its bias; ``work`` has room for ``6 n``."""
    if number <= 16:
        rotated = not UNROTATED[number]
        return simple(SIMPLE[number - 1], x, n, shift[0], rotation[0], rotated, work)
    if number <= 22:
        return hybrid(number - 17, x, n, shift[0], rotation[0], shuffle[0], work)
    return composition(number - 23, x, n, shift, rotation, shuffle, work)


def objective(x, t, work):
    """``error`` with the data as the tables of a domain."""
    return error(t.number[0], x, len(x), t.shift, t.rotation, t.shuffle, work)


# ------------------------------------------------------------------------------ the data


@functools.cache
def folder() -> Path:
    """Where the organisers' files are; opfunu is found, never imported."""
    found = importlib.util.find_spec("opfunu")
    places = list(found.submodule_search_locations or []) if found else []
    for place in places:
        path = Path(place) / "cec_based" / "data_2014"
        if path.is_dir():
            return path
    raise MissingExtra("the data of CEC 2014", "cec")


@functools.cache
def tables(number: int, dim: int) -> dict[str, np.ndarray]:
    """Shift, rotation and shuffle of one function in one dimension."""
    if number not in range(1, COUNT + 1):
        raise OptionError(f"cec2014:{number}: the functions are 1 to {COUNT}")
    if dim not in DIMENSIONS:
        known = ", ".join(map(str, DIMENSIONS))
        raise OptionError(f"cec2014 has data for {known} dimensions, not {dim}")
    if dim == 2 and (17 <= number <= 22 or number > 28):
        raise OptionError(f"cec2014:{number} is not defined in 2 dimensions, by its authors")
    parts = int(BLENDED[number - 23]) if number >= 23 else 1
    shift = np.atleast_2d(_read(f"shift_data_{number}.txt"))[:parts, :dim]
    rotation = _read(f"M_{number}_D{dim}.txt").reshape(-1, dim, dim)[:parts]
    shuffle = np.ones((1, dim), np.int64)
    if 17 <= number <= 22 or number >= 29:
        shuffle = _read(f"shuffle_data_{number}_D{dim}.txt").reshape(-1, dim)[:parts]
    return {
        "number": np.array([number], np.int64),
        "shift": np.ascontiguousarray(shift),
        "rotation": np.ascontiguousarray(rotation),
        "shuffle": np.ascontiguousarray(shuffle).astype(np.int64),
    }


def _read(name: str) -> np.ndarray:
    try:
        return np.loadtxt(folder() / name)
    except (OSError, ValueError) as problem:
        raise OptionError(f"the file {folder() / name} can't be read: {problem}") from problem
