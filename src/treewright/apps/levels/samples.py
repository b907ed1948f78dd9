"""Short levels, slice by slice and tile by tile."""

from functools import partial

from treewright.apps.levels.domain import OPTIONS
from treewright.apps.levels.generate import own_levels, own_tile_levels
from treewright.workshop.samples import Sample

SAMPLES = {
    "levels": Sample(partial(own_levels, length=60), OPTIONS),
    "tile-levels": Sample(partial(own_tile_levels, length=40), OPTIONS),
}
