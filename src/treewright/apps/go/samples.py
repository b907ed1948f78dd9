"""Empty boards of every size that has a name."""

from functools import partial

from treewright.apps.go.domain import Go
from treewright.apps.go.gtp.player import DEFAULT
from treewright.workshop.samples import Sample

MORE = ("uct", "priors", "head-start", "puct", "rave-first")  # what small games can't serve
SAMPLES = {
    "go-5x5": Sample(partial(Go, 5), DEFAULT, variants=MORE),
    "go-9x9": Sample(partial(Go, 9), DEFAULT),
    "go-13x13": Sample(partial(Go, 13), DEFAULT),
    "go-19x19": Sample(partial(Go, 19), DEFAULT),
}
