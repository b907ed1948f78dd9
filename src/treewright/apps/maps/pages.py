"""The studio's page for maps: checkpoints on a grid, near, far or don't care; and dungeons."""

from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

from treewright.apps.maps.job import WITH_TREES
from treewright.apps.maps.spec import STYLES, SYMMETRIES
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import (
    BUTTON,
    QUIET,
    Following,
    Studio,
    facts,
    slider,
)

TOOLS = {"point": "Checkpoint", "wall": "Wall", "floor": "Floor", "lock": "Lock", "free": "Free"}
HINTS = {
    "point": "Click a cell to set a checkpoint, or to take it away.",
    "wall": "Drag over cells that shall be walls.",
    "floor": "Drag over cells that shall be floor.",
    "lock": "Drag over a region to keep it as it is now.",
    "free": "Drag over cells that may be anything.",
}
TREES = ", ".join(WITH_TREES[:-1]) + f" and {WITH_TREES[-1]}"
METHODS = ["revisions", "revisions-tree", "paper", "growing", "evolution", "hill-climbing"]
SYMMETRY = {"": "none", **{name: name for name in SYMMETRIES}}
STYLE = {"": "none", **{name: name for name in STYLES}}
PAIR = {"": "don't care", "near": "near", "far": "far"}
Cell = tuple[int, int]


def build(studio: Studio) -> None:
    gui = nicegui()
    gui.app.add_static_files("/maps-static", Path(__file__).parent / "static", max_cache_age=0)

    @gui.ui.page("/maps")
    def maps() -> None:
        with studio.frame("Maps", "maps"):
            _MapPage(studio)


class _MapPage:
    """One visitor's map."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        job = studio.job_of("map", "dungeon")
        given = studio.settings("map")
        if job is not None and job.kind == "map":
            given = type(given).model_validate(job.settings)
        self._points: list[Cell] = [tuple(c) for c in given.checkpoints]
        self._pairs: dict[Cell, str] = {(min(i, j), max(i, j)): k for i, j, k in given.requirements}
        self._fixed: dict[Cell, str] = dict.fromkeys(map(tuple, given.walls), "wall")
        self._fixed |= dict.fromkeys(map(tuple, given.floor), "floor")
        self._rows: list[str] = []
        html("<h1>Maps</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="wishes"'):
                self._wishes(given)
            with ui.element("section").classes("panel").props('aria-label="the map"'):
                self._following = Following(studio, self._done, self._growing, "/maps")
                self._tool = ui.toggle(TOOLS, value="point", on_change=self._hinted)
                self._tool.props("no-caps")
                self._hint = ui.label(HINTS["point"]).classes("quiet")
                self._grid = html("").classes("scroll")
                self._curve = html("")
                self._after = ui.element("div").classes("panel-room")
        ui.add_body_html('<script type="module" src="/maps-static/map.mjs"></script>')
        ui.on("map_cells", lambda e: self._brush(e.args["cells"]))
        self._draw()
        if job is not None:
            self._following.follow(job)
        elif studio.asked:
            self._following.open("map", self._settings())

    def _wishes(self, given: Any) -> None:
        ui = nicegui().ui
        self._width = slider("Width", 8, 60, 1, given.width)
        self._height = slider("Height", 8, 60, 1, given.height)
        for side in (self._width, self._height):
            side.on_value_change(self._resized)
        ui.label("Pairs of checkpoints")
        self._pairs_room = ui.element("div").classes("pairs")
        self._draw_pairs()
        self._symmetry = ui.select(SYMMETRY, value=given.symmetry, label="Symmetry")
        self._style = ui.select(STYLE, value=given.style, label="Style")
        self._method = ui.select(METHODS, value=given.method, label="Method")
        budget = given.evaluations // 1000
        self._evaluations = slider("Thousand evaluations", 5, 500, 5, budget)
        self._seed = ui.number("Seed", value=given.seed, min=0, precision=0)
        with ui.element("div").classes("row"):
            ui.button("Generate", on_click=self._generate).props(BUTTON)
            ui.button("Another", on_click=self._another).props(QUIET)
        ui.separator()
        self._rooms = slider("Rooms of a dungeon", 3, 20, 1, 9)
        ui.button("A dungeon", on_click=self._dungeon).props(QUIET)

    # --------------------------------------------------------------------------------- actions

    def _settings(self) -> dict[str, Any]:
        return {
            "width": int(self._width.value),
            "height": int(self._height.value),
            "checkpoints": self._points,
            "requirements": [[i, j, kind] for (i, j), kind in self._pairs.items() if kind],
            "walls": [cell for cell, what in self._fixed.items() if what == "wall"],
            "floor": [cell for cell, what in self._fixed.items() if what == "floor"],
            "symmetry": self._symmetry.value,
            "style": self._style.value,
            "method": self._method.value,
            "evaluations": int(self._evaluations.value) * 1000,
            "seed": int(self._seed.value or 0),
        }

    def _generate(self) -> None:
        self._following.start("map", self._settings())

    def _another(self) -> None:
        self._seed.value = int(self._seed.value or 0) + 1
        self._generate()

    def _dungeon(self) -> None:
        seed = int(self._seed.value or 0)
        self._following.start("dungeon", {"rooms": int(self._rooms.value), "seed": seed})

    def _hinted(self) -> None:
        self._hint.set_text(HINTS[self._tool.value])

    def _resized(self) -> None:
        size = int(self._width.value), int(self._height.value)
        self._points = [(x, y) for x, y in self._points if x < size[0] and y < size[1]]
        self._fixed = {c: w for c, w in self._fixed.items() if c[0] < size[0] and c[1] < size[1]}
        self._rows = []
        self._draw_pairs()
        self._draw()

    def _brush(self, cells: list[list[int]]) -> None:
        size = int(self._width.value), int(self._height.value)
        touched = [(int(x), int(y)) for x, y in cells if 0 <= x < size[0] and 0 <= y < size[1]]
        tool = self._tool.value
        if tool == "point" and touched:
            self._toggle(touched[0])
        for cell in touched:
            if tool == "free":
                self._fixed.pop(cell, None)
            elif tool == "lock" and self._rows:
                self._fixed[cell] = "wall" if self._rows[cell[1]][cell[0]] == "#" else "floor"
            elif tool in ("wall", "floor") and cell not in self._points:
                self._fixed[cell] = tool
        self._draw()

    def _toggle(self, cell: Cell) -> None:
        if cell in self._points:
            gone = self._points.index(cell)
            self._points.remove(cell)
            kept = {p: k for p, k in self._pairs.items() if gone not in p}
            self._pairs = {(i - (i > gone), j - (j > gone)): k for (i, j), k in kept.items()}
        elif len(self._points) < 20:
            self._fixed.pop(cell, None)
            self._points.append(cell)
        self._draw_pairs()

    # --------------------------------------------------------------------------------- showing

    def _draw_pairs(self) -> None:
        ui = nicegui().ui
        self._pairs_room.clear()
        with self._pairs_room:
            for i, j in combinations(range(len(self._points)), 2):
                ui.select(
                    PAIR,
                    value=self._pairs.get((i, j), ""),
                    label=f"{i + 1} and {j + 1}",
                    on_change=lambda e, pair=(i, j): self._pairs.__setitem__(pair, e.value),
                ).props("dense options-dense")

    def _draw(self) -> None:
        size = int(self._width.value), int(self._height.value)
        self._grid.set_content(_grid(size, self._rows, self._points, self._fixed))

    def _growing(self, preview: dict[str, Any]) -> None:
        self._rows = preview["map"]
        self._draw()
        self._curve.set_content(curve_svg(preview["curve"]))

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._after.clear()
        picture = f"/api/jobs/{escape(job.id)}/files/map.png"
        shown = f'<img src="{picture}" alt="a {data["kind"]}" class="dungeon">'
        if data["kind"] == "map":
            self._rows = data["map"]
            self._draw()
            shown += curve_svg([[e, f] for e, _, f in data["curve"]])
        self._curve.set_content(shown)
        with self._after:
            self._following.downloads(job)
            names = ("fitness", "far", "near", "fill", "evaluations", "seconds", "scores")
            facts({name: data[name] for name in names if name in data})
            if data["kind"] == "map" and data.get("method") not in WITH_TREES:
                html(f"<p class=quiet>This method has no tree; {TREES} have one.</p>")
            inspector(self._studio, job)


def _grid(size: Cell, rows: list[str], points: list[Cell], fixed: dict[Cell, str]) -> str:
    """The map as SVG: walls, what is fixed, and the checkpoints with their numbers."""
    width, height = size
    walls = [
        (x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == "#"
    ] if rows else []  # fmt: skip
    solid = {*walls, *(c for c, what in fixed.items() if what == "wall")}
    shown = "".join(f'<rect class="w" x="{x}" y="{y}" width="1" height="1"/>' for x, y in solid)
    locks = "".join(
        f'<rect class="{what}" x="{x}" y="{y}" width="1" height="1"/>'
        for (x, y), what in fixed.items()
    )
    discs = "".join(
        f'<circle cx="{x + 0.5}" cy="{y + 0.5}" r=".62"/><text x="{x + 0.5}" y="{y + 0.78}">{i}'
        "</text>"
        for i, (x, y) in enumerate(points, 1)
    )
    return (
        f'<svg id="map-grid" tabindex="0" role="application" aria-label="map: arrows, Enter" '
        f'viewBox="0 0 {width} {height}" data-width="{width}" data-height="{height}">'
        f'<rect class="f" width="{width}" height="{height}"/>{shown}{locks}{discs}'
        '<rect class="cursor" x="0" y="0" width="1" height="1"/></svg>'
    )


def curve_svg(curve: list[list[float]]) -> str:
    """The best fitness along the run."""
    if len(curve) < 2:
        return ""
    most = max(f for _, f in curve) or 1
    last = curve[-1][0] or 1
    step = max(1, len(curve) // 300)
    kept = [*curve[::step], curve[-1]]
    points = " ".join(f"{100 * e / last:.2f},{40 - 38 * f / most:.2f}" for e, f in kept)
    return (
        f"<h3>Fitness, up to {most:.2f}</h3><svg class='rates' viewBox='0 0 100 41' role='img' "
        f"aria-label='fitness along the run'><polyline points='{points}'/></svg>"
    )
