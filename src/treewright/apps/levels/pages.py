"""The studio's page for levels: sliders, the level with the checker's way, locks, a brush."""

from html import escape
from pathlib import Path
from typing import Any, ClassVar

from treewright.apps.levels.tiles import TILES
from treewright.errors import TreewrightError
from treewright.library.writing import json_text
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import (
    BUTTON,
    QUIET,
    Following,
    Studio,
    bring,
    facts,
    slider,
)

CHARACTERS = "".join(TILES)
BRUSHES = {
    "-": "air", "X": "ground", "S": "brick", "Q": "question block", "o": "coin", "E": "enemy",
    "<": "pipe, top left", ">": "pipe, top right", "[": "pipe, left", "]": "pipe, right",
    "M": "start", "F": "goal",
}  # fmt: skip
MODES = {"look": "Look", "lock": "Lock columns", "paint": "Paint"}
HINTS = {
    "look": "Scroll to see all of it. The line is the checker's way, key by key.",
    "lock": "Drag over columns to lock them, or free them; the rest is made anew.",
    "paint": "Choose a tile and drag. With the keyboard: arrows, then Enter.",
}
SHELF = 8
COMPARED = ("gaps", "enemies", "rewards", "leniency", "linearity", "density")


def build(studio: Studio) -> None:
    gui = nicegui()
    ui, app = gui.ui, gui.app
    app.add_static_files("/levels-static", Path(__file__).parent / "static", max_cache_age=0)

    @app.get("/levels-art.png")
    def art() -> Any:
        from fastapi import Response

        return Response(studio.manager.ask(f"{__name__}:sheet"), media_type="image/png")

    @ui.page("/levels")
    def levels() -> None:
        with studio.frame("Levels", "levels"):
            _LevelPage(studio)


def sheet() -> bytes:
    """Every tile twice: with air above it, and buried."""
    import io

    from treewright.apps.levels.drawing import pillow, tile
    from treewright.apps.levels.tiled import SIDE

    image_module, _ = pillow()
    page = image_module.new("RGBA", (len(CHARACTERS) * SIDE, 2 * SIDE), (0, 0, 0, 0))
    for i, character in enumerate(CHARACTERS):
        page.paste(tile(character), (i * SIDE, 0))
        page.paste(tile(character, False), (i * SIDE, SIDE))
    out = io.BytesIO()
    page.save(out, "PNG")
    return out.getvalue()


class _LevelPage:
    """One visitor's page."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        self._rows: list[str] = []
        self._locked: list[int] = []
        job = studio.job_of("level", "painted-level")
        usual = studio.settings("level")
        if job is not None and job.kind == "level":
            usual = type(usual).model_validate(job.settings)
        html("<h1>Levels</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="wishes"'):
                self._wishes(usual)
            with ui.element("section").classes("panel").props('aria-label="the level"'):
                self._following = Following(studio, self._done, self._growing, "/levels")
                self._tools()
                self._stage()
        html("<h2>Variants, kept and recent</h2>")
        self._shelf = html("")
        self._draw_shelf()
        ui.on("level_painted", lambda e: self._painted(e.args["rows"]))
        ui.on("level_locked", lambda e: self._lock(e.args["columns"]))
        if job is not None:
            self._following.follow(job)
        else:
            self._following.open("level", self._runs(self._settings()))

    # -------------------------------------------------------------------------------- building

    def _wishes(self, usual: Any) -> None:
        ui = nicegui().ui
        self._length = slider("Length", 40, 500, 10, usual.length)
        self._difficulty = slider("Difficulty", 0, 1, 0.05, usual.difficulty[0])
        self._end = slider("Difficulty at the end", 0, 1, 0.05, usual.difficulty[-1])
        self._ranges = {name: _Range(name, getattr(usual, name)) for name in _Range.MOST}
        with ui.element("div").classes("row"):
            self._seed = ui.number("Seed", value=usual.seed, min=0, precision=0).classes("w-24")
            self._player = ui.select(["small", "large"], value=usual.player, label="Player")
            self._player.classes("w-24")
            self._tiles = ui.checkbox("Tile by tile", value=usual.tiles)
        self._corpus: list[list[str]] = list(usual.corpus)
        self._corpus_says = ui.label(self._corpus_words()).classes("quiet")
        bring("Learn from levels of your own", self._learn, ".txt", 2**18, 50)
        with ui.element("div").classes("row"):
            ui.button("Generate", on_click=self._generate).props(BUTTON)
            ui.button("Another", on_click=self._another).props(QUIET)

    def _tools(self) -> None:
        ui = nicegui().ui
        with ui.element("div").classes("row"):
            self._mode = ui.toggle(MODES, value="look", on_change=self._set_mode).props("no-caps")
            self._brush = ui.select(BRUSHES, value="X", label="Tile", on_change=self._set_mode)
            self._brush.set_visibility(False)
        self._hint = ui.label(HINTS["look"]).classes("quiet")

    def _stage(self) -> None:
        ui = nicegui().ui
        stops = "".join(c for c, t in TILES.items() if t.stops)
        html(
            f'<div id="level-editor" class="scroll" data-art="/levels-art.png" '
            f'data-characters="{escape(CHARACTERS)}" data-stops="{escape(stops)}">'
            '<canvas tabindex="0" role="img" aria-label="the level" height="448"></canvas></div>'
        )
        ui.add_body_html('<script type="module" src="/levels-static/level.mjs"></script>')
        self._verdict = ui.label("").classes("verdict").props('role="status"')
        with ui.element("div").classes("row") as self._actions:
            pass
        self._numbers = ui.element("div")

    # --------------------------------------------------------------------------------- actions

    def _settings(self) -> dict[str, Any]:
        length = int(self._length.value)
        locked = bool(self._locked) and bool(self._rows) and len(self._rows[0]) == length
        curve = [self._difficulty.value, self._end.value]
        return {
            "length": length,
            "difficulty": curve if curve[0] != curve[1] else curve[:1],
            **{name: wish.value for name, wish in self._ranges.items()},
            "seed": int(self._seed.value or 0),
            "player": self._player.value,
            "tiles": self._tiles.value,
            "corpus": self._corpus,
            "level": self._rows if locked else [],
            "locked": [[c, c] for c in self._locked] if locked else [],
        }

    def _generate(self) -> None:
        self._following.start("level", self._runs(self._settings()))

    def _runs(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Single columns that touch, as one part."""
        parts: list[list[int]] = []
        for first, last in settings["locked"]:
            if parts and first == parts[-1][1] + 1:
                parts[-1][1] = last
            else:
                parts.append([first, last])
        return settings | {"locked": parts}

    def _another(self) -> None:
        self._seed.value = int(self._seed.value or 0) + 1
        self._generate()

    async def _learn(self, event: Any) -> None:
        place, data = "treewright.apps.levels.job:from_file", await event.file.read()
        try:
            rows = self._studio.manager.ask(place, data, event.file.name[:80])
        except TreewrightError as error:
            nicegui().ui.notify(str(error)[:300], type="negative")
            return
        self._corpus.append(rows)
        self._corpus_says.set_text(self._corpus_words())

    def _corpus_words(self) -> str:
        return f"Corpus: {len(self._corpus)} of yours" if self._corpus else "Corpus: our 24 levels"

    def _set_mode(self) -> None:
        mode = self._mode.value
        self._brush.set_visibility(mode == "paint")
        self._hint.set_text(HINTS[mode])
        chosen = json_text({"mode": mode, "tile": self._brush.value})
        nicegui().ui.run_javascript(f"window.levelEditor && Object.assign(levelEditor, {chosen})")

    def _lock(self, columns: list[int]) -> None:
        self._locked = [int(c) for c in columns if 0 <= int(c) < len(self._rows[0])]

    async def _painted(self, rows: list[str]) -> None:
        """See at once whether it can still be finished, and where it breaks."""
        from starlette.concurrency import run_in_threadpool

        try:
            found = await run_in_threadpool(
                self._studio.manager.ask,
                "treewright.apps.levels.job:looked_at",
                [str(row) for row in rows],
                self._player.value,
            )
        except TreewrightError as error:
            self._verdict.set_text(str(error))
            return
        self._show(found)
        self._actions.clear()
        with self._actions:
            keep = {"rows": found["rows"], "player": self._player.value}
            ui = nicegui().ui
            ui.button(
                "Keep this one", on_click=lambda: self._following.start("painted-level", keep)
            ).props(BUTTON)

    # --------------------------------------------------------------------------------- showing

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._show(data)
        self._actions.clear()
        with self._actions:
            if "play" in self._studio.pages:
                html(f'<a class="chip" href="/play?job={job.id}">Play it</a>')
            ui = nicegui().ui
            ui.label("Keep it, with").classes("quiet")
            stars = ui.rating(job.rating, max=5, size="1.3rem", color="amber-9")
            stars.props('aria-label="rating"').on_value_change(lambda e: self._rate(job, e.value))
            self._following.downloads(job)
        self._following.belongs(self._actions)
        with self._numbers:
            inspector(self._studio, job)
        self._draw_shelf()

    def _growing(self, preview: dict[str, Any]) -> None:
        """The level as far as it goes, with air behind it."""
        columns = preview["columns"]
        if not columns:
            return
        length = int(self._length.value)
        padded = [*columns, *["-" * len(columns[0])] * (length - len(columns))]
        rows = ["".join(column[y] for column in padded) for y in range(len(columns[0]))]
        self._verdict.set_text("")
        self._draw_level({"rows": rows, "path": [], "playable": True, "front": len(columns)})

    def _draw_level(self, now: dict[str, Any]) -> None:
        nicegui().ui.run_javascript(f"window.levelNow = {json_text(now)}; window.levelShow?.()")

    def _show(self, data: dict[str, Any]) -> None:
        if self._rows and len(self._rows[0]) != len(data["rows"][0]):
            self._locked = []
        self._rows = data["rows"]
        now = {k: data[k] for k in ("rows", "path", "playable", "farthest")}
        now["locked"] = self._locked
        self._draw_level(now)
        self._verdict.set_text(("✓ " if data["playable"] else "✗ ") + data["says"])
        self._verdict.classes(
            add="good" if data["playable"] else "bad", remove="bad" if data["playable"] else "good"
        )
        self._numbers.clear()
        with self._numbers:
            facts(data["counts"] | data.get("metrics", {}) | data.get("took", {}))

    def _rate(self, job: Job, rating: Any) -> None:
        self._studio.manager.rate(job.id, int(rating or 0))
        self._draw_shelf()

    def _draw_shelf(self) -> None:
        """Variants one below the other, with the numbers in which they differ."""
        manager = self._studio.manager
        found = [
            j for k in ("level", "painted-level") for j in manager.jobs(k) if j.state == "done"
        ]
        found.sort(key=lambda job: (-job.rating, -job.asked))
        different = {json_text(dict(job.settings)): job for job in reversed(found)}
        rows = [(job, manager.data(job.id)) for job in list(different.values())[::-1][:SHELF]]
        head = "".join(f"<th>{escape(name)}</th>" for name in COMPARED)
        body = "".join(_variant(job, data) for job, data in rows)
        self._shelf.set_content(
            f'<div class="scroll"><table class="facts shelf"><tr><th>made with</th>{head}<th>the '
            f"level</th></tr>{body}</table></div>"
            if rows
            else '<p class="quiet">Nothing yet.</p>'
        )


def _variant(job: Job, data: dict[str, Any]) -> str:
    numbers = data["counts"] | data.get("metrics", {})
    cells = "".join(f"<td>{_number(numbers.get(name))}</td>" for name in COMPARED)
    return (
        f'<tr><td><a href="/levels?job={job.id}">{"★" * job.rating} {escape(_wish(job))}</a></td>'
        f"{cells}<td><img loading=lazy height=84 "
        f'src="/api/jobs/{job.id}/export/path" alt="level {escape(job.id[:6])}"></td></tr>'
    )


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.3g}"


def _wish(job: Job) -> str:
    """The settings that made a level, in a few words."""
    if job.kind != "level":
        return "painted by hand"
    s = job.settings
    curve = " to ".join(f"{d:g}" for d in s["difficulty"])
    wished = [f"{n} {s[n][0]:g}–{s[n][1]:g}" for n in _Range.MOST if s[n]]
    return ", ".join([f"seed {s['seed']}", f"difficulty {curve}", *wished])


class _Range:
    """A wish with a least and a most, or none."""

    MOST: ClassVar = {"gaps": 40, "enemies": 80, "rewards": 120}

    def __init__(self, name: str, wish: tuple[float, float] | None) -> None:
        ui = nicegui().ui
        most = self.MOST[name]
        self._on = ui.checkbox(f"Wish for {name}", value=wish is not None)
        low, high = wish or (most // 8, most // 3)
        with ui.element("div").classes("slider") as room:
            said = ui.label(f"{low:g} to {high:g}").classes("number")
            self._range = ui.range(min=0, max=most, value={"min": low, "max": high})
            self._range.props(f'aria-label="{name}" color=primary')
            said.bind_text_from(self._range, "value", lambda v: f"{v['min']:g} to {v['max']:g}")
        room.bind_visibility_from(self._on, "value")

    @property
    def value(self) -> list[float] | None:
        now = self._range.value
        return [now["min"], now["max"]] if self._on.value else None
