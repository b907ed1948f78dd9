"""A function in two dimensions, and where each method looked."""

from typing import Any

import numpy as np

from treewright.apps.functions.minimize import minimize
from treewright.workshop.gallery.piece import Piece, figure, opened, png

BUDGET, BOX = 400, [(-5.0, 5.0), (-5.0, 5.0)]
NAMES = {"iterated-splitting": "Iterated Splitting", "soo": "SOO", "runs": "local runs and a tree"}


def himmelblau(x: Any) -> float:
    """Four equal minima."""
    a, b = x[0] * x[0] + x[1] - 11, x[0] + x[1] * x[1] - 7
    return float(a * a + b * b)


def piece(seed: int) -> Piece:
    axis = np.linspace(-5, 5, 120)
    heights = [[np.log1p(himmelblau((x, y))) for x in axis] for y in axis]
    drawn = figure(10.5, 3.7)
    errors = []
    for axes, (method, name) in zip(drawn.subplots(1, 3), NAMES.items(), strict=True):
        seen: list[Any] = []

        def watched(x: Any, seen: list[Any] = seen) -> float:
            seen.append(np.array(x))
            return himmelblau(x)

        found = minimize(watched, BOX, budget=BUDGET, method=method, seed=seed)
        points = np.array(seen)
        axes.contourf(axis, axis, heights, 14, cmap="Greys_r", alpha=0.5)
        colours = np.linspace(0, 1, len(points))
        axes.scatter(points[:, 0], points[:, 1], c=colours, cmap="plasma", s=9, lw=0)
        axes.set_title(f"{name}: {found.fun:.1e}", fontsize=10)
        axes.set_aspect("equal")
        errors.append(f"{name} {found.fun:.1e}")
    return Piece(
        "A function",
        f"treewright gallery --only function --seed {seed}",
        f"Himmelblau's function has four minima of 0. Every point that was evaluated, from dark to "
        f"bright in time, with {BUDGET} evaluations: {', '.join(errors)}. The last "
        "one is the default of treewright optimize and tw.minimize.",
        [png(drawn, "Three plots of the points that three methods evaluated")],
        page=opened("functions", budget=BUDGET, seed=seed, low=-5, high=5, methods=list(NAMES)),
    )
