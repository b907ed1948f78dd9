"""Random numbers for the kernel, for rollout policies and for chance.

One SplitMix64 stream per worker: a counter that walks by the golden ratio and is
hashed on the way out.  It is tiny, passes the usual test batteries and, written
with explicit 64-bit masks, gives the same numbers compiled and interpreted.
A stream is an array of one ``uint64``; every function advances it in place.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

import numpy as np
from numpy import int64, uint64

MASK = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15


def bits(rng):
    """The next 64 random bits."""
    z = (rng[0] + GOLDEN) & MASK
    rng[0] = z
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def below(rng, n):
    """A whole number in ``range(n)``, for ``n`` up to 2**32 (multiply-shift, no division)."""
    return int64(((bits(rng) >> 32) * uint64(n)) >> 32)


def uniform(rng):
    """A float in [0, 1)."""
    return (bits(rng) >> 11) * (1.0 / 9007199254740992.0)


def normal(rng):
    """A number from the normal distribution with mean 0 and variance 1 (Marsaglia's polar way)."""
    while True:
        x = 2.0 * uniform(rng) - 1.0
        y = 2.0 * uniform(rng) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * math.sqrt(-2.0 * math.log(square) / square)


def gamma(rng, shape):
    """A number from the gamma distribution of this shape (Marsaglia & Tsang 2000)."""
    if shape < 1.0:
        u = 1.0 - uniform(rng)
        return gamma_from_one(rng, shape + 1.0) * math.exp(math.log(u) / shape)
    return gamma_from_one(rng, shape)


def gamma_from_one(rng, shape):
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = 1.0 - uniform(rng)
            if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v


def stream_seed(seed: int, worker: int = 0) -> int:
    """The start of one worker's stream: the seed and the worker number, hashed apart."""
    state = [(seed * 0xD1342543DE82EF95 + worker * 0xAF251AF3B0F025B5 + 1) & MASK]
    return int(bits(state))


def stream_seeds(seed: int, count: int) -> np.ndarray:
    """The starts of the streams of ``seed``, ``seed + 1`` and so on: see ``stream_seed``."""
    numbers = np.arange(count, dtype=np.uint64) + np.uint64(seed & MASK)
    found: np.ndarray = bits([numbers * np.uint64(0xD1342543DE82EF95) + np.uint64(1)])
    return found
