"""The 24 functions of BBOB (Hansen, Finck, Ros & Auger 2009), of many points at once.

Each has any dimension from 2 up and any number of instances, which shift, rotate and add a
constant.  They are written from the public definition; inside the box [-5, 5] they agree with the C
code of COCO (the tests compare).  The penalty outside the box is left out where it is 0 inside.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.errors import OptionError

LOW, HIGH = -5.0, 5.0
FUNCTIONS = range(1, 25)
Points = np.ndarray  # [k, n]
Values = Any  # [k]; NumPy's sums of arrays have no better type
Function = Callable[[Points], np.ndarray]


# ------------------------------------------------------------- random numbers of the definition


def uniform(count: int, seed: int) -> np.ndarray:
    """Numbers of the generator that every implementation of BBOB has."""
    now = max(1, abs(seed))
    table = [0] * 32

    def step(now: int) -> int:
        high = now // 127773
        now = 16807 * (now - high * 127773) - 2836 * high
        return now + 2147483647 if now < 0 else now

    for i in range(39, -1, -1):
        now = step(now)
        if i < 32:
            table[i] = now
    last = table[0]
    found = np.empty(count)
    for i in range(count):
        now = step(now)
        at = last // 67108865
        last, table[at] = table[at], now
        found[i] = last / 2147483647 or 1e-99
    return found


def gauss(count: int, seed: int) -> np.ndarray:
    u = uniform(2 * count, seed)
    found = np.sqrt(-2 * np.log(u[:count])) * np.cos(2 * math.pi * u[count:])
    return np.where(found == 0, 1e-99, found)


def rotation(n: int, seed: int) -> np.ndarray:
    """Gram and Schmidt's columns of normal numbers."""
    columns = gauss(n * n, seed).reshape(n, n).T.copy()
    for i in range(n):
        for j in range(i):
            columns[:, i] -= (columns[:, i] @ columns[:, j]) * columns[:, j]
        columns[:, i] /= math.sqrt(columns[:, i] @ columns[:, i])
    return columns


def shift(n: int, seed: int) -> np.ndarray:
    found = 8 * np.floor(1e4 * uniform(n, seed)) / 1e4 - 4
    return np.where(found == 0, -1e-5, found)


def seed_of(function: int, instance: int) -> int:
    return {4: 3, 18: 17}.get(function, function) + 10000 * instance


def optimum(function: int, instance: int) -> float:
    """The value of the optimum."""
    seed = seed_of(function, instance)
    ratio = 100 * 100 * gauss(1, seed)[0] / gauss(1, seed + 1)[0]
    return float(min(1000.0, max(-1000.0, math.floor(ratio + 0.5) / 100)))


# ------------------------------------------------------------- transformations


def powers(base: float, n: int) -> np.ndarray:
    """base to the power of 0 to 1."""
    found: np.ndarray = base ** (np.arange(n) / max(1, n - 1))
    return found


def oscillate(x: np.ndarray) -> np.ndarray:
    """T_osz: small bumps."""
    log = np.log(np.abs(np.where(x == 0, 1.0, x)))
    first, second = np.where(x > 0, 10.0, 5.5), np.where(x > 0, 7.9, 3.1)
    bumps = np.exp(log + 0.049 * (np.sin(first * log) + np.sin(second * log)))
    found: np.ndarray = np.sign(x) * bumps
    return found


def skew(x: np.ndarray, beta: float) -> np.ndarray:
    """T_asy: the positive side is stretched."""
    n = x.shape[1]
    positive = np.maximum(x, 0.0)
    power = 1 + beta * np.arange(n) / max(1, n - 1) * np.sqrt(positive)
    found: np.ndarray = np.where(x > 0, positive**power, x)
    return found


def outside(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = (np.maximum(0.0, np.abs(x) - 5) ** 2).sum(axis=1)
    return found


def rastrigin(z: np.ndarray) -> np.ndarray:
    n = z.shape[1]
    found: np.ndarray = 10 * (n - np.cos(2 * math.pi * z).sum(axis=1)) + (z * z).sum(axis=1)
    return found


def valleys(z: np.ndarray) -> np.ndarray:
    """The terms of Rosenbrock's function."""
    found: np.ndarray = 100 * (z[:, :-1] ** 2 - z[:, 1:]) ** 2 + (z[:, :-1] - 1) ** 2
    return found


# ------------------------------------------------------------- the functions, optimum 0


class _Instance:
    """What the functions of one number, dimension and instance share."""

    def __init__(self, function: int, n: int, instance: int) -> None:
        self.n, self.seed = n, seed_of(function, instance)
        self.at = shift(n, self.seed)

    @functools.cached_property
    def q(self) -> np.ndarray:
        return rotation(self.n, self.seed)

    @functools.cached_property
    def r(self) -> np.ndarray:
        return rotation(self.n, self.seed + 1000000)

    def between(self, base: float) -> np.ndarray:
        """R Lambda Q, where Lambda's elements are the powers of a base."""
        found: np.ndarray = self.r @ np.diag(powers(base, self.n)) @ self.q
        return found

    def f1(self, x: Points) -> Values:
        return ((x - self.at) ** 2).sum(axis=1)

    def f2(self, x: Points) -> Values:
        return oscillate(x - self.at) ** 2 @ powers(1e6, self.n)

    def f3(self, x: Points) -> Values:
        z = skew(oscillate(x - self.at), 0.2)
        return rastrigin(z * powers(math.sqrt(10), self.n))

    def f4(self, x: Points) -> Values:
        at = self.at.copy()
        at[::2] = np.abs(at[::2])
        z = oscillate(x - at)
        odd = np.arange(self.n) % 2 == 0
        z = z * powers(math.sqrt(10), self.n) * np.where((z > 0) & odd, 10.0, 1.0)
        return rastrigin(z)

    def f5(self, x: Points) -> Values:
        corner = np.where(self.at < 0, -5.0, 5.0)
        slope = np.sign(corner) * powers(10, self.n)
        return (5 * np.abs(slope) - slope * np.where(x * corner < 25, x, corner)).sum(axis=1)

    def f6(self, x: Points) -> Values:
        z = (x - self.at) @ self.between(math.sqrt(10)).T
        total = (np.where(z * self.at > 0, 100 * z, z) ** 2).sum(axis=1)
        return oscillate(total[:, None])[:, 0] ** 0.9

    def f7(self, x: Points) -> Values:
        z = (x - self.at) @ self.q.T * powers(math.sqrt(10), self.n)
        first = np.abs(z[:, 0])
        steps = np.where(np.abs(z) > 0.5, np.floor(z + 0.5), np.floor(10 * z + 0.5) / 10)
        total = (steps @ self.r.T) ** 2 @ powers(100, self.n)
        return 0.1 * np.maximum(first * 1e-4, total)

    def f8(self, x: Points) -> Values:
        scale = max(1.0, math.sqrt(self.n) / 8)
        return valleys(scale * (x - 0.75 * self.at) + 1).sum(axis=1)

    def f9(self, x: Points) -> Values:
        return valleys(max(1.0, math.sqrt(self.n) / 8) * x @ self.q.T + 0.5).sum(axis=1)

    def f10(self, x: Points) -> Values:
        return oscillate((x - self.at) @ self.r.T) ** 2 @ powers(1e6, self.n)

    def f11(self, x: Points) -> Values:
        z = oscillate((x - self.at) @ self.r.T) ** 2
        return 1e6 * z[:, 0] + z[:, 1:].sum(axis=1)

    def f12(self, x: Points) -> Values:
        at = shift(self.n, self.seed + 1000000)
        z = (skew((x - at) @ self.r.T, 0.5) @ self.r.T) ** 2
        return z[:, 0] + 1e6 * z[:, 1:].sum(axis=1)

    def f13(self, x: Points) -> Values:
        z = ((x - self.at) @ self.between(math.sqrt(10)).T) ** 2
        return z[:, 0] + 100 * np.sqrt(z[:, 1:].sum(axis=1))

    def f14(self, x: Points) -> Values:
        z = np.abs((x - self.at) @ self.r.T)
        power = 2 + 4 * np.arange(self.n) / max(1, self.n - 1)
        return np.sqrt((z**power).sum(axis=1))

    def f15(self, x: Points) -> Values:
        z = skew(oscillate((x - self.at) @ self.r.T), 0.2)
        return rastrigin(z @ self.between(math.sqrt(10)).T)

    def f16(self, x: Points) -> Values:
        z = oscillate((x - self.at) @ self.r.T) @ self.between(0.1).T
        total = np.zeros(len(x))
        least = 0.0
        for k in range(12):
            total += np.cos(2 * math.pi * 3**k * (z + 0.5)).sum(axis=1) / 2**k
            least += math.cos(math.pi * 3**k) / 2**k
        return 10 * (total / self.n - least) ** 3

    def f17(self, x: Points, condition: float = 10) -> Values:
        z = skew((x - self.at) @ self.r.T, 0.5) @ self.q.T * powers(math.sqrt(condition), self.n)
        s = np.sqrt(z[:, :-1] ** 2 + z[:, 1:] ** 2)
        return ((np.sqrt(s) * (1 + np.sin(50 * s**0.2) ** 2)).mean(axis=1)) ** 2

    def f18(self, x: Points) -> Values:
        return self.f17(x, 1000)

    def f19(self, x: Points) -> Values:
        s = valleys(max(1.0, math.sqrt(self.n) / 8) * x @ self.q.T + 0.5)
        return 10 * (s / 4000 - np.cos(s)).mean(axis=1) + 10

    def f20(self, x: Points) -> Values:
        sign = np.where(uniform(self.n, self.seed) < 0.5, -1.0, 1.0)
        twice = 4.2096874633
        z = 2 * sign * x
        z[:, 1:] += 0.25 * (2 * sign * x - twice)[:, :-1]
        z = 100 * (powers(math.sqrt(10), self.n) * (z - twice) + twice)
        total = (z * np.sin(np.sqrt(np.abs(z)))).mean(axis=1)
        return 4.189828872724339 - total / 100 + 100 * outside(z / 100)

    def f21(self, x: Points) -> Values:
        return self._peaks(x, *self._places(101, math.sqrt(1000), 10.0))

    def f22(self, x: Points) -> Values:
        return self._peaks(x, *self._places(21, 1000, 9.8))

    @functools.lru_cache(1)  # noqa: B019 - an instance has one set of peaks
    def _places(
        self, count: int, condition: float, width: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gallagher's peaks: heights, scales and where they are, rotated."""
        n = self.n
        order = np.argsort(uniform(count - 1, self.seed))
        conditions = np.concatenate([[condition], 1000 ** (order / (count - 2))])
        heights = np.concatenate([[10.0], 1.1 + 8 * np.arange(count - 1) / (count - 2)])
        scales = np.array(
            [
                conditions[i]
                ** (np.argsort(uniform(n, self.seed + 1000 * i)) / max(1, n - 1) - 0.5)
                for i in range(count)
            ]
        )
        places = width * uniform(n * count, self.seed).reshape(count, n) - width / 2
        places[0] *= 0.8
        return heights, scales, places @ self.q.T

    def _peaks(
        self, x: Points, heights: np.ndarray, scales: np.ndarray, places: np.ndarray
    ) -> Values:
        z = x @ self.q.T
        best = np.zeros(len(x))
        for height, scale, place in zip(heights, scales, places, strict=True):
            near = np.exp(-((z - place) ** 2 @ scale) / (2 * self.n))
            best = np.maximum(best, height * near)
        deep = 10 - best
        log = np.log(np.where(deep > 0, deep, 1.0)) / 0.1
        bumps = np.exp(log + 0.49 * (np.sin(log) + np.sin(0.79 * log))) ** 0.1
        return np.where(deep > 0, bumps, 0.0) ** 2

    def f23(self, x: Points) -> Values:
        z = (x - self.at) @ self.between(10).T
        rough = np.zeros_like(z)
        for j in range(1, 33):
            rough += np.abs(2.0**j * z - np.floor(2.0**j * z + 0.5)) / 2.0**j
        n = self.n
        product = ((1 + np.arange(1, n + 1) * rough) ** (10 / n**1.2)).prod(axis=1)
        return 10 / n**2 * (product - 1)

    def f24(self, x: Points) -> Values:
        n = self.n
        near = 2.5
        s = 1 - 1 / (2 * math.sqrt(n + 20) - 8.2)
        far = -math.sqrt((near**2 - 1) / s)
        turned = 2 * np.where(gauss(n, self.seed) < 0, -1.0, 1.0) * x
        z = (turned - near) @ self.between(10).T
        funnels = np.minimum(
            ((turned - near) ** 2).sum(axis=1), n + s * ((turned - far) ** 2).sum(axis=1)
        )
        return funnels + 10 * (n - np.cos(2 * math.pi * z).sum(axis=1))


def bbob(function: int, n: int, instance: int = 1) -> Function:
    """A function of an array [points, n], whose least value in the box is 0."""
    if function not in FUNCTIONS:
        raise OptionError(f"the functions of BBOB are 1 to 24, not {function}")
    if n < 2 or instance < 1:
        raise OptionError("BBOB has 2 dimensions or more, and instances from 1 on")
    found: Function = getattr(_Instance(function, n, instance), f"f{function}")
    return found
