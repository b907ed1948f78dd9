"""Parts of the unit box, learnt from samples (after LA-MCTS, Wang, Fonseca & Tian 2020)."""

import numpy as np

Part = list[tuple[np.ndarray, float, bool]]  # sides: a direction, a threshold, above it or not
DEEPEST = 2


def split(
    points: np.ndarray, values: np.ndarray, least: int, sides: Part | None = None
) -> list[Part]:
    """Split where good samples part from bad ones, the better side first; twice at the most.

    The direction is that of a linear fit to good (1) and bad (-1) samples, through their middle.
    """
    sides = sides or []
    if len(values) < least or len(sides) == DEEPEST:
        return [sides]
    good = np.where(values <= _median(values), 1.0, -1.0)
    direction, threshold = fitted(points, good)
    side = points @ direction > threshold
    if side.all() or not side.any():
        return [sides]
    found = []
    for better in (True, False):
        chosen = side == better
        next_sides = [*sides, (direction, threshold, better)]
        found += split(points[chosen], values[chosen], least, next_sides)
    return found


def _median(values: np.ndarray) -> float:
    """NumPy's own imports its masked arrays, which takes longer than a short search."""
    low, high = (len(values) - 1) // 2, len(values) // 2
    ordered = np.partition(values, [low, high])
    return float((ordered[low] + ordered[high]) / 2)


def fitted(points: np.ndarray, good: np.ndarray) -> tuple[np.ndarray, float]:
    """The direction in which samples become good, and where along it their middle is."""
    middle = points.mean(axis=0)
    offsets = points - middle
    system = offsets.T @ offsets + 1e-3 * len(good) * np.eye(points.shape[1])
    direction = np.linalg.solve(system, offsets.T @ good)
    return direction, float(direction @ middle)


def inside(part: Part, n: int, rng: np.random.Generator) -> np.ndarray:
    """A uniformly random point of a part, by rejection; anywhere if that takes too long."""
    for _ in range(100):
        points = rng.uniform(0.0, 1.0, (64, n))
        kept = np.ones(len(points), bool)
        for direction, threshold, better in part:
            kept &= (points @ direction > threshold) == better
        if kept.any():
            break
    found: np.ndarray = points[int(np.argmax(kept))]
    return found
