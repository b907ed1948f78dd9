"""What a map should look like, drawn before it is searched: rooms in the rock, or corridors.

A style fixes most cells, and leaves to the search only where rooms or corridors meet.  So every
method, whatever it does, makes a map of this style, and the requirements decide among them.
"""

from dataclasses import replace

import numpy as np

from treewright.apps.maps.corridors import dig_corridors, labyrinth
from treewright.apps.maps.digging import Rock
from treewright.apps.maps.rooms import dig_rooms, without_dead_ends
from treewright.apps.maps.spec import FREE, MapSpec, SpecError

SMALLEST = 9  # cells across and down: three blocks of rooms


def planned(spec: MapSpec, seed: int) -> MapSpec:
    """The specification with its style drawn in; what the style leaves open is free."""
    if not spec.style:
        return spec
    if min(spec.width, spec.height) < SMALLEST:
        raise SpecError(
            f"{spec.name}: a map of {spec.style} has at least {SMALLEST} x {SMALLEST} cells, not "
            f"{spec.width} x {spec.height}"
        )
    rock = Rock(spec, seed)
    (dig_rooms if spec.style == "rooms" else dig_corridors)(rock)
    fixed = np.where(spec.fixed == FREE, rock.cells, spec.fixed).astype(np.int8)
    try:
        return replace(spec, fixed=fixed)
    except SpecError:
        raise SpecError(
            f"{spec.name}: with its fixed walls no {spec.style} connect the checkpoints"
        ) from None


def tidied(walls: np.ndarray, plan: MapSpec, spec: MapSpec, seed: int) -> np.ndarray:
    """The map in its style's best looks, with the same distances between the checkpoints.

    ``plan`` is the specification with its style drawn in, ``spec`` without it.
    """
    if plan.style == "rooms":
        return without_dead_ends(walls, spec)
    return labyrinth(walls, plan, spec, seed) if plan.style else walls
