"""Minimising a function as a job of the studio: where each method looked, and in what regions."""

import io
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from treewright.apps.functions.regions import Watched
from treewright.workshop.jobs.work import Export, Report, Result, Work

KNOWN = {
    "Himmelblau": "(x**2 + y - 11)**2 + (x + y**2 - 7)**2",
    "Rastrigin": "20 + x**2 - 10*cos(2*pi*x) + y**2 - 10*cos(2*pi*y)",
    "Rosenbrock": "(1 - x)**2 + 100*(y - x**2)**2",
    "Ackley": "20 + e - 20*exp(-0.2*sqrt((x**2 + y**2)/2)) - exp((cos(2*pi*x) + cos(2*pi*y))/2)",
    "Schwefel": "837.97 - 100*x*sin(sqrt(abs(100*x))) - 100*y*sin(sqrt(abs(100*y)))",
}
BBOB = (
    "Sphere", "Ellipsoid", "Rastrigin", "Büche-Rastrigin", "linear slope", "attractive sector",
    "step ellipsoid", "Rosenbrock", "Rosenbrock, rotated", "ellipsoid, rotated", "discus",
    "bent cigar", "sharp ridge", "different powers", "Rastrigin, rotated", "Weierstrass",
    "Schaffer F7", "Schaffer F7, ill-conditioned", "Griewank-Rosenbrock", "Schwefel",
    "Gallagher, 101 peaks", "Gallagher, 21 peaks", "Katsuura", "Lunacek bi-Rastrigin",
)  # fmt: skip
Method = Literal["runs", "iterated-splitting", "soo", "random"]
METHODS: tuple[Method, ...] = ("iterated-splitting", "soo", "runs", "random")
GRID = 160  # points of the picture, across
Function = Callable[[Any], float]


class Minimise(BaseModel):
    """What ``tw.minimize`` takes, for a formula or a function of BBOB."""

    formula: str = Field(KNOWN["Himmelblau"], max_length=300, description="in x and y")
    bbob: int = Field(0, ge=0, le=24, description="a function of BBOB instead, by its number")
    dimensions: int = Field(2, ge=2, le=10, description="of a function of BBOB")
    low: float = Field(-5, ge=-1000, le=1000)
    high: float = Field(5, ge=-1000, le=1000)
    budget: int = Field(400, ge=10, le=5000)
    methods: Annotated[list[Method], Field(min_length=1, max_length=4)] = list(METHODS)
    seed: int = Field(1, ge=0, le=2**31)

    @property
    def box(self) -> list[tuple[float, float]]:
        return [(self.low, self.high)] * (self.dimensions if self.bbob else 2)


def function_for(settings: Minimise) -> Function:
    """The function of one point."""
    if not settings.bbob:
        from treewright.apps.functions.expression import function_of

        return function_of(settings.formula)
    import numpy as np

    from treewright.apps.functions.bbob import bbob

    many = bbob(settings.bbob, settings.dimensions)
    return lambda x: float(many(np.asarray(x, float)[None])[0])


def run(settings: Minimise, report: Report) -> Result:
    """Each method in turn, with every point that it evaluates and the regions it keeps."""
    from treewright.errors import OptionError
    from treewright.workshop.searching.inspector import Kept, growing

    if settings.low >= settings.high:
        raise OptionError("the low bound must be below the high one")
    f = function_for(settings)
    kept = Kept()
    found = []
    for number, method in enumerate(settings.methods):

        def told(done: int, search: Any, number: int = number, method: str = method) -> None:
            share = (number + done / settings.budget) / len(settings.methods)
            look = None if search is None else lambda: {"search": growing(search)}
            if search is not None and method == "iterated-splitting":
                kept.look(search)
            report(min(share, 1.0), f"{method}, {done} evaluations", look)

        watched = Watched(f, settings, method, told)
        watched.run()
        found.append(watched)
    best = min(found, key=lambda one: one.value)
    data = {
        "low": settings.low,
        "high": settings.high,
        "dimensions": len(settings.box),
        "through": best.x,
        "runs": [one.to_dict(best.x) for one in found],
    }
    return Result(data, {"slice.png": _picture(f, settings, best.x)} | kept.files)


def searched(settings: Minimise) -> Any:
    """The domain whose tree is kept: Iterated Splitting's."""
    from treewright.apps.functions.regions import splitting_of

    return splitting_of(function_for(settings), settings.box)


def _picture(f: Function, settings: Minimise, through: list[float]) -> bytes:
    """The function's heights where the slice cuts it, dark where they are low."""
    import numpy as np
    from PIL import Image

    axis = np.linspace(settings.low, settings.high, GRID)
    rest = tuple(through[2:])
    heights = np.array([[f((x, y, *rest)) for x in axis] for y in axis[::-1]])
    finite = np.isfinite(heights)
    least = heights[finite].min() if finite.any() else 0.0
    shown = np.log1p(np.where(finite, heights, np.nan) - least)
    most = np.nanmax(shown) if finite.any() else 1.0
    grey = np.where(finite, 60 + 180 * np.nan_to_num(shown) / (most or 1.0), 255)
    out = io.BytesIO()
    Image.fromarray(grey.astype(np.uint8)).resize((480, 480)).save(out, "PNG")
    return out.getvalue()


def _csv(data: dict[str, Any]) -> bytes:
    """The points with their first two numbers, as the slice shows them."""
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
MINIMISE = Work("The minimum of a function", Minimise, run, EXPORTS, domain=searched)
