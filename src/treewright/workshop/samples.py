"""Small instances of the domains that applications bring, for the signature and the tests.

An application declares ``samples=".samples:SAMPLES"``, a dictionary from names to
:class:`Sample`; every domain that it ships should be there.
"""

from collections.abc import Callable
from dataclasses import dataclass

from treewright.library.applications import applications, load
from treewright.library.domain import Domain
from treewright.library.options import Options


@dataclass(frozen=True)
class Sample:
    """A domain that is quickly searched.

    own: the options that its application searches it with.
    variants: which variants of the signature are worth their time here; None is all of them.
    simulations: how many of them make a tree that tells one behaviour from another.
    """

    domain: Callable[[], Domain]
    own: Options | None = None
    variants: tuple[str, ...] | None = ("uct",)
    simulations: int = 100


def samples() -> dict[str, Sample]:
    """The samples of all applications, by name."""
    found: dict[str, Sample] = {}
    for app in applications():
        if app.samples:
            found |= load(app.samples)
    return found
