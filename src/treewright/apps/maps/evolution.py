"""The evolutionary algorithm that the paper compares with, at equal evaluations."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from treewright.apps.maps.spec import MapSpec
from treewright.apps.maps.walls import Walls
from treewright.kernel.rng import stream_seed
from treewright.kernel.specialise import specialise

MEMBERS = 120
DENSITY = 0.05  # sparse initialisation (section I-B4)
MUTATION = 0.001  # per cell
AT_ONCE = 2000  # tournaments between two looks at the clock


def evolve(
    spec: MapSpec,
    evaluations: int,
    seed: int,
    seen: Callable[[int, np.ndarray, float], bool],
    begin: Callable[[], object],
) -> np.ndarray:
    """The best map of ``evaluations``.

    ``begin()`` is called when everything is compiled; ``seen(done, map, fitness)`` may end the
    run with False.
    """
    domain = Walls(spec, target=spec.cells + 1)
    text = Path(__file__).parent / "evolution_kernel.py"
    module = specialise(domain, {}, (text,), "run")
    tables = module.Tables(*domain.tables.values())
    states = np.zeros(2, domain.state)
    states[0] = domain.new_state()._record[0]
    cells = np.flatnonzero(spec.changeable().reshape(-1)).astype(np.int64)
    rng = np.array([stream_seed(seed)], np.uint64)
    members = max(7, min(MEMBERS, evaluations))
    genomes = np.zeros((members, len(cells)), np.uint8)
    scores = np.zeros(members)
    rest = (
        np.zeros((2, len(cells)), np.uint8),
        np.zeros(7, np.int64),
        np.zeros(1),
        np.array([DENSITY, MUTATION]),
    )
    arguments = (states, tables, rng, cells, genomes, scores, *rest)
    module.run(*arguments, 0)  # compiles, and makes the population
    begin()
    done = members
    while True:
        best = int(np.argmax(scores))
        walls = spec.start().reshape(-1)
        walls[cells] = genomes[best]
        found = walls.reshape(spec.height, spec.width)
        matings = min(AT_ONCE, (evaluations - done) // 2)
        if not seen(done, found, float(scores[best])) or matings < 1:
            return found
        module.run(*arguments, matings)
        done += 2 * matings
