"""A key of a state where its author gives none: a hash of the fields of the record."""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import int64, uint64

from treewright.kernel.hooks import Playable
from treewright.kernel.rng import GOLDEN, MASK

FIRST = 0x2545F4914F6CDD1D
NOT_A_NUMBER = 0x7FF8000000000000


def mix(z: Any) -> Any:
    """Every bit of a 64-bit number reaches every bit of the result (SplitMix64's last step)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def hashed(h: Any, number: Any) -> Any:
    """The hash ``h``, of 64 bits, of what came before and one more whole number."""
    return mix(((uint64(h) + GOLDEN) & MASK) ^ uint64(number))


def with_number(h: Any, x: Any) -> Any:
    """A hash that has seen one more float; 0.0 and -0.0 are the same."""
    if x != x:
        return hashed(h, uint64(NOT_A_NUMBER))
    if x - x != 0.0:  # infinite
        return hashed(h, uint64(NOT_A_NUMBER + 1 if x > 0.0 else NOT_A_NUMBER + 2))
    part, power = math.frexp(x)
    h = hashed(h, uint64(int64(part * 9007199254740992.0)))  # 2**53: a whole number
    return hashed(h, uint64(int64(power)))


class Keyed:
    """A domain whose record is hashed."""

    def __init__(self, domain: Playable) -> None:
        self._domain = domain
        self.functions = {**domain.functions, "key": record_key(domain.state)}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._domain, name)


def keyed(domain: Any) -> Any:
    """The domain, with a key of its state if it has none."""
    return domain if "key" in domain.functions else Keyed(domain)


def can_be_hashed(state: Any) -> bool:
    """Whether a state is a record of numbers and arrays of them."""
    return isinstance(state, np.dtype) and all(
        state[name].base.kind in "iufb" for name in state.names or ()
    )


@functools.cache
def record_key(state: np.dtype) -> Any:
    """A function ``key(s)`` over all fields of a record; whole numbers are packed into words."""
    lines = [
        "def key(s):",
        f"    h = uint64({FIRST})",
        "    word = uint64(0)",
        "    used = 0",
    ]
    for name in state.names or ():
        lines += _field(name, state[name])
    lines.append("    return hashed(h, word)")
    scope: dict[str, Any] = {"__name__": __name__, **_HELPERS}
    exec("\n".join(lines), scope)
    return scope["key"]


_HELPERS: Mapping[str, Any] = {
    "uint64": uint64,
    "hashed": hashed,
    "with_number": with_number,
}


def _field(name: str, kind: np.dtype) -> list[str]:
    """The lines that take in one field, with a loop for each of its axes."""
    indent, lines, at = "    ", [], []
    for axis, length in enumerate(kind.shape):
        lines.append(f"{indent}for i{axis} in range({length}):")
        at.append(f"i{axis}")
        indent += "    "
    value = f"s.{name}[{', '.join(at)}]" if at else f"s.{name}"
    if kind.base.kind == "f":
        return [*lines, f"{indent}h = with_number(h, {value})"]
    bits = 8 * kind.base.itemsize
    if bits == 64:
        return [*lines, f"{indent}h = hashed(h, uint64({value}))"]
    return [
        *lines,
        f"{indent}if used + {bits} > 64:",
        f"{indent}    h = hashed(h, word)",
        f"{indent}    word = uint64(0)",
        f"{indent}    used = 0",
        f"{indent}word = (word << uint64({bits})) | (uint64({value}) & uint64({2**bits - 1}))",
        f"{indent}used += {bits}",
    ]
