"""Where each attribute lies: the state is one vector of small whole numbers.

Sizes are rounded up, so that set-ups of about the same size share one compiled kernel; how many
entities there really are is in the tables.  Each attribute has a row (and a column) for ``none``,
number -1, which holds the empty value: so reading through ``none`` needs no test.

Most relations are empty in most rows (who is angry at anybody?), and most quantifiers ask about a
row.  A flag for each row, set with the first value that is written there, saves looking.
"""

import itertools
from dataclasses import dataclass

from treewright.apps.stories.library import Library
from treewright.apps.stories.model import NUMBER, Attribute

SIZES = (8, 16, 32, 64)
EVENTS = 16  # kinds of events that goals and steering may mention
LONGEST = 60  # actions of a story
STACK = 24  # of the goals' stack machine
MOST_ACTIONS = 65535


@dataclass(frozen=True)
class Slot:
    """The values of an attribute are at ``base + i`` or ``base + i * stride + j``."""

    table: str  # v: state, c: fixed whole numbers, k: fixed numbers
    base: int
    stride: int


class Layout:
    """Offsets of every attribute for rounded numbers of entities."""

    def __init__(self, library: Library, counts: dict[str, int]) -> None:
        self.types = list(library.known.types)
        self.caps = {t: next(s for s in SIZES if s >= counts[t]) for t in self.types}
        self.slots: dict[Attribute, Slot] = {}
        self.sizes = {"v": 0, "c": 0, "k": 0}
        for attribute in library.known.attributes.values():
            table = "v"
            if attribute.fixed:
                table = "k" if attribute.type == NUMBER else "c"
            stride = self.caps[attribute.over] + 1 if attribute.over else 1
            base = self.sizes[table] + stride + (1 if attribute.over else 0)
            self.slots[attribute] = Slot(table, base, stride)
            self.sizes[table] += (self.caps[attribute.owner] + 1) * stride
        self.rows: dict[Attribute, int] = {}  # flags of relations: is anything in this row?
        for attribute in self.slots:
            if attribute.over and not attribute.fixed:
                self.rows[attribute] = self.sizes["v"] + 1
                self.sizes["v"] += self.caps[attribute.owner] + 1
        ends = list(itertools.accumulate(self.caps.values()))
        self.seats = dict(zip(self.types, [0, *ends[:-1]], strict=True))  # of the cast
        self.sizes["cast"] = ends[-1]

    @property
    def key(self) -> tuple[int, ...]:
        return tuple(self.caps.values())

    def address(self, attribute: Attribute, owner: int, index: int = 0) -> int:
        slot = self.slots[attribute]
        return slot.base + owner * slot.stride + (index if attribute.over else 0)

    def whole(self, attribute: Attribute) -> slice:
        """All of an attribute's values, those of ``none`` included."""
        begin = self.address(attribute, -1, -1)
        return slice(begin, begin + (self.caps[attribute.owner] + 1) * self.slots[attribute].stride)
