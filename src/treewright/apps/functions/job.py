"""Minimising a function of two numbers as a job of the studio: where each method looked."""

import io
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from treewright.workshop.jobs.work import Export, Report, Result, Work

KNOWN = {
    "Himmelblau": "(x**2 + y - 11)**2 + (x + y**2 - 7)**2",
    "Rastrigin": "20 + x**2 - 10*cos(2*pi*x) + y**2 - 10*cos(2*pi*y)",
    "Rosenbrock": "(1 - x)**2 + 100*(y - x**2)**2",
    "Ackley": "20 + e - 20*exp(-0.2*sqrt((x**2 + y**2)/2)) - exp((cos(2*pi*x) + cos(2*pi*y))/2)",
    "Schwefel": "837.97 - 100*x*sin(sqrt(abs(100*x))) - 100*y*sin(sqrt(abs(100*y)))",
}
Method = Literal["runs", "iterated-splitting", "soo"]
GRID = 160  # points of the picture, across


class Minimise(BaseModel):
    """What ``tw.minimize`` takes, for a formula."""

    formula: str = Field(KNOWN["Himmelblau"], max_length=300, description="in x and y")
    low: float = Field(-5, ge=-1000, le=1000)
    high: float = Field(5, ge=-1000, le=1000)
    budget: int = Field(400, ge=10, le=5000)
    methods: Annotated[list[Method], Field(min_length=1, max_length=3)] = [
        "iterated-splitting",
        "soo",
        "runs",
    ]
    seed: int = Field(1, ge=0, le=2**31)


def run(settings: Minimise, report: Report) -> Result:
    """Each method in turn, with every point that it evaluates."""
    from treewright.apps.functions.expression import function_of
    from treewright.apps.functions.minimize import minimize
    from treewright.errors import OptionError

    if settings.low >= settings.high:
        raise OptionError("the low bound must be below the high one")
    f = function_of(settings.formula)
    found = []
    for number, method in enumerate(settings.methods):
        seen: list[list[float]] = []

        def watched(x: Any, seen: list[list[float]] = seen, number: int = number) -> float:
            value = f(x)
            seen.append([float(x[0]), float(x[1]), value])
            share = (number + len(seen) / settings.budget) / len(settings.methods)
            report(min(share, 1.0), f"{settings.methods[number]}, {len(seen)} evaluations")
            return value

        box = [(settings.low, settings.high)] * 2
        made = minimize(watched, box, budget=settings.budget, method=method, seed=settings.seed)
        point = [float(v) for v in made.x]
        found.append({"method": method, "value": float(made.fun), "x": point, "points": seen})
    data = {"low": settings.low, "high": settings.high, "runs": found}
    return Result(data, {"slice.png": _picture(f, settings.low, settings.high)})


def _picture(f: Any, low: float, high: float) -> bytes:
    """The function's heights, dark where they are low."""
    import numpy as np
    from PIL import Image

    axis = np.linspace(low, high, GRID)
    heights = np.array([[f((x, y)) for x in axis] for y in axis[::-1]])
    finite = np.isfinite(heights)
    least = heights[finite].min() if finite.any() else 0.0
    shown = np.log1p(np.where(finite, heights, np.nan) - least)
    most = np.nanmax(shown) if finite.any() else 1.0
    grey = np.where(finite, 60 + 180 * np.nan_to_num(shown) / (most or 1.0), 255)
    out = io.BytesIO()
    Image.fromarray(grey.astype(np.uint8)).resize((480, 480)).save(out, "PNG")
    return out.getvalue()


def _csv(data: dict[str, Any]) -> bytes:
    lines = ["method,number,x,y,value"]
    for one in data["runs"]:
        for i, (x, y, value) in enumerate(one["points"], 1):
            lines.append(f"{one['method']},{i},{x!r},{y!r},{value!r}")
    return ("\n".join(lines) + "\n").encode()


def _json(data: dict[str, Any]) -> bytes:
    from treewright.library.writing import json_text

    return json_text(data).encode()


EXPORTS = {
    "csv": Export(".csv", "text/csv", _csv),
    "json": Export(".json", "application/json", _json),
    "png": Export(".png", "image/png", "slice.png"),
}
MINIMISE = Work("The minimum of a function", Minimise, run, EXPORTS)
