"""The studio's page for functions: a formula, where each method looked, and how fast it fell."""

import math
from html import escape
from typing import Any

from treewright.apps.functions.job import BBOB, KNOWN
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import BUTTON, QUIET, Following, Studio, slider

NAMES = {
    "iterated-splitting": "Iterated Splitting",
    "soo": "SOO",
    "runs": "Local runs and a tree",
    "random": "Points at random",
}
COLOURS = {
    "iterated-splitting": "#d55e00",
    "soo": "#0072b2",
    "runs": "#007a5a",
    "random": "#8f4a8b",
}
OWN = "your formula"
CHOICES = {0: OWN} | {i: f"BBOB {i}: {name}" for i, name in enumerate(BBOB, 1)}
LEAST = 1e-12  # below it, a curve is as good as at the bottom


def build(studio: Studio) -> None:
    @nicegui().ui.page("/functions")
    def functions() -> None:
        with studio.frame("Functions", "functions"):
            _FunctionPage(studio)


class _FunctionPage:
    """One visitor's function."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        self._data: dict[str, Any] = {}
        self._job: Job | None = None
        job = studio.job_of("minimise")
        given = studio.settings("minimise")
        if job is not None:
            given = type(given).model_validate(job.settings)
        html("<h1>Functions</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="wishes"'):
                self._wishes(given)
            with ui.element("section").classes("panel").props('aria-label="what was found"'):
                self._following = Following(studio, self._done, address="/functions")
                self._time = slider("Evaluations shown", 1, 5000, 1, given.budget)
                self._time.on_value_change(self._draw)
                self._pictures = html("")
                self._curves = html("")
                self._after = ui.element("div")
        if job is not None:
            self._following.follow(job)
        else:
            self._following.open("minimise", self._settings())

    def _wishes(self, given: Any) -> None:
        ui = nicegui().ui
        self._bbob = ui.select(CHOICES, value=given.bbob, label="Function").classes("w-full")
        with ui.element("div") as own:
            self._formula = ui.textarea("A formula in x and y", value=given.formula)
            self._formula.classes("w-full mono").props("outlined rows=3")
            ui.select(
                list(KNOWN),
                label="Known formulas",
                on_change=lambda e: self._formula.set_value(KNOWN[e.value]),
            )
        with ui.element("div") as known:
            self._dimensions = slider("Dimensions", 2, 10, 1, given.dimensions)
        own.bind_visibility_from(self._bbob, "value", lambda number: number == 0)
        known.bind_visibility_from(self._bbob, "value", lambda number: number != 0)
        with ui.element("div").classes("row"):
            self._low = ui.number("From", value=given.low).classes("w-24")
            self._high = ui.number("To", value=given.high).classes("w-24")
        self._budget = slider("Evaluations", 50, 2000, 50, min(2000, given.budget))
        self._seed = ui.number("Seed", value=given.seed, min=0, precision=0)
        with ui.element("div").classes("row"):
            ui.button("Minimise", on_click=self._minimise).props(BUTTON)
            ui.button("From the start", on_click=self._replay).props(QUIET)
        ui.timer(0.1, self._tick)
        self._running = False

    def _minimise(self) -> None:
        self._following.start("minimise", self._settings())

    def _settings(self) -> dict[str, Any]:
        return {
            "formula": self._formula.value,
            "bbob": self._bbob.value,
            "dimensions": int(self._dimensions.value),
            "low": self._low.value,
            "high": self._high.value,
            "budget": int(self._budget.value),
            "seed": int(self._seed.value or 0),
        }

    def _replay(self) -> None:
        self._running = bool(self._data)
        self._time.set_value(1)

    def _tick(self) -> None:
        """The points come one after another."""
        if not self._running:
            return
        most = max(len(one["points"]) for one in self._data["runs"])
        now = min(most, int(self._time.value) + max(1, most // 80))
        self._time.set_value(now)
        self._running = now < most

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._data, self._job = data, job
        most = max(len(one["points"]) for one in data["runs"])
        self._time.props(f"max={most}")
        self._replay()
        self._after.clear()
        with self._after:
            rows = "".join(
                f"<tr><td>{NAMES[one['method']]}</td><td>{one['value']:.3g}</td>"
                f"<td>({', '.join(f'{v:.4f}' for v in one['x'])})</td></tr>"
                for one in data["runs"]
            )
            html(
                '<div class="scroll"><table class="facts"><tr><th>method</th><th>least value</th>'
                f"<th>where</th></tr>{rows}</table></div>"
            )
            self._following.downloads(job)
            inspector(self._studio, job)

    def _draw(self) -> None:
        if not self._data or self._job is None:
            return
        shown = int(self._time.value)
        more = (
            f"<p class=quiet>A slice of {self._data['dimensions']} dimensions: the first two, "
            "through the best point that was found.</p>"
            if self._data["dimensions"] > 2
            else ""
        )
        self._pictures.set_content(
            f'{more}<div class="slices">'
            + "".join(_slice(self._job, self._data, one, shown) for one in self._data["runs"])
            + "</div>"
        )
        self._curves.set_content(_curves(self._data, shown))


def _slice(job: Job, data: dict[str, Any], one: dict[str, Any], shown: int) -> str:
    low, wide = data["low"], data["high"] - data["low"]
    dots = "".join(
        f'<circle cx="{100 * (x - low) / wide:.2f}" cy="{100 - 100 * (y - low) / wide:.2f}" '
        f'r="1.1" style="opacity:{0.35 + 0.65 * i / max(1, shown):.2f}"/>'
        for i, (x, y, _) in enumerate(one["points"][:shown])
    )
    name = NAMES[one["method"]]
    regions, size = _regions(one, shown)
    return (
        f'<figure><svg viewBox="0 0 100 100" role="img" aria-label="points of {escape(name)}">'
        f'<image href="/api/jobs/{escape(job.id)}/files/slice.png" width="100" height="100"/>'
        f'<g style="stroke:{COLOURS[one["method"]]}" class="regions">{regions}</g>'
        f'<g style="fill:{COLOURS[one["method"]]}">{dots}</g></svg><figcaption>{escape(name)}'
        f"<small>{size}</small></figcaption></figure>"
    )


def _regions(one: dict[str, Any], shown: int) -> tuple[str, str]:
    """The regions that are there after so many evaluations, and a word on them."""
    there = [polygons for count, polygons in one["regions"] if count <= shown]
    if not there:
        return "", ""
    if one["method"] == "runs":  # each list of parts takes the place of the one before
        there = there[-1:]
        size = f"{len(there[0])} parts"
    elif one["method"] == "soo":
        size = f"{len(there)} cells were cut"
    else:
        (left, _), (right, _), *_ = there[-1][0]
        size = f"the box is now {right - left:.1g} of the first wide"
    drawn = "".join(
        f'<polygon points="{" ".join(f"{100 * x:.2f},{100 - 100 * y:.2f}" for x, y in polygon)}"/>'
        for polygons in there
        for polygon in polygons
    )
    return drawn, size


def _curves(data: dict[str, Any], shown: int) -> str:
    """The best value so far of each method, on a logarithmic scale."""
    least = min(value for one in data["runs"] for _, _, value in one["points"])
    lines = []
    most = max(len(one["points"]) for one in data["runs"])
    tops = [one["points"][0][2] - least for one in data["runs"]]
    top = math.log10(max([t for t in tops if math.isfinite(t)] + [1e-9]) + LEAST)
    bottom = math.log10(LEAST)
    for one in data["runs"]:
        best, points = math.inf, []
        for i, (_, _, value) in enumerate(one["points"][:shown]):
            best = min(best, value)
            if math.isfinite(best):
                height = (math.log10(best - least + LEAST) - bottom) / max(top - bottom, 1e-9)
                points.append(f"{100 * i / most:.2f},{40 - 38 * min(1, height):.2f}")
        colour = COLOURS[one["method"]]
        lines.append(f"<polyline style='stroke:{colour}' points='{' '.join(points)}'/>")
    keys = " ".join(
        f"<span style='--key:{COLOURS[one['method']]}'>{NAMES[one['method']]}</span>"
        for one in data["runs"]
    )
    return (
        f"<h3>Above the least value found, over {most:,} evaluations (logarithmic, from "
        f"{10**top:.1g} to {LEAST:g})</h3><svg class='rates' "
        f"viewBox='0 0 100 41' role='img' aria-label='curves'>{''.join(lines)}</svg>"
        f"<div class='key'>{keys}</div>"
    )
