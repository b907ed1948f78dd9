"""Go on boards from 2x2 to 19x19, with light and heavy playouts."""

import functools

from treewright.domains.go.domain import Go
from treewright.domains.go.perft import perft
from treewright.domains.go.setup import to_point, to_vertex

go_5x5 = functools.partial(Go, size=5)
go_9x9 = functools.partial(Go, size=9)
go_13x13 = functools.partial(Go, size=13)
go_19x19 = functools.partial(Go, size=19)

__all__ = ["Go", "perft", "to_point", "to_vertex"]
