"""The studio's page for Go: a board, the engine, and what it thinks."""

from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.go.drawing import board_svg, rates_svg
from treewright.errors import TreewrightError
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

SIDES = {1: "Black", 2: "White", 0: "both, by hand", 3: "nobody: watch"}
PLAYED = ("size", "komi", "handicap", "stones", "moves", "rates")
SEARCHES = ["default", "mc-rave", "rave", "uct", "light"]


def build(studio: Studio) -> None:
    gui = nicegui()
    gui.app.add_static_files("/go-static", Path(__file__).parent / "static", max_cache_age=0)

    @gui.ui.page("/go")
    def go() -> None:
        with studio.frame("Go", "go"):
            _GoPage(studio)


class _GoPage:
    """One visitor's game."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        job = studio.job_of("go-move", "go-score")
        given = studio.settings("go-move").model_dump() if job is None else dict(job.settings)
        self._played = {k: given[k] for k in PLAYED}
        self._thought: list[dict[str, Any]] = []
        self._hint = False
        html("<h1>Go</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="game"'):
                self._wishes(given)
            with ui.element("section").classes("panel go-room").props('aria-label="the board"'):
                self._following = Following(studio, self._done, address="/go")
                self._board = html("").classes("board")
                self._says = ui.label("").props('role="status"')
                self._graph = html("")
                self._after = ui.element("div").classes("panel-room")
        ui.add_body_html('<script type="module" src="/go-static/board.mjs"></script>')
        ui.on("go_click", lambda e: self._click(str(e.args)))
        if not self._draw():  # what the address says is no game
            self._played |= {"stones": [], "moves": [], "rates": []}
            self._draw()
        if job is not None:
            self._hint = bool(job.kind == "go-move" and job.state == "done")
            self._following.follow(job)

    def _wishes(self, given: dict[str, Any]) -> None:
        ui = nicegui().ui
        with ui.element("div").classes("row"):
            self._size = ui.select([9, 13, 19], value=self._played["size"], label="Board").classes(
                "w-20"
            )
            self._handicap = ui.select([0, 2, 3, 4, 5, 6, 7, 8, 9], value=0, label="Handicap")
            self._handicap.classes("w-28")
            self._komi = ui.number("Komi", value=self._played["komi"], step=0.5).classes("w-20")
        ui.button("New game", on_click=self._new).props(QUIET)
        human = 0 if "moves" in self._studio.asked else 1
        self._human = ui.select(SIDES, value=human, label="You play", on_change=self._draw)
        self._search = ui.select(SEARCHES, value=given.get("search", "default"), label="Search")
        self._shows = ui.checkbox("Show what it thinks", value=True, on_change=self._draw)
        self._clock = ui.checkbox("By the clock", value=bool(given.get("seconds")))
        with ui.element("div") as by_count:
            count = min(50, max(1, given.get("simulations", 3000) // 1000))
            self._simulations = slider("Thousand simulations a move", 1, 50, 1, count)
        with ui.element("div") as by_clock:
            self._seconds = slider("Seconds a move", 0.5, 20, 0.5, given.get("seconds") or 2)
        by_count.bind_visibility_from(self._clock, "value", lambda on: not on)
        by_clock.bind_visibility_from(self._clock, "value")
        with ui.element("div").classes("row"):
            ui.button("Pass", on_click=lambda: self._click("pass")).props(BUTTON)
            ui.button("Undo", on_click=self._undo).props(QUIET)
            ui.button("Hint", on_click=self._ask).props(QUIET)
            ui.button("Resign", on_click=self._resign).props(QUIET)
            ui.button("Score", on_click=self._score).props(QUIET)
        bring("Load a game record (SGF)", self._load, ".sgf", 2**20)
        ui.button("Save the game (SGF)", on_click=self._save).props(QUIET)

    # --------------------------------------------------------------------------------- actions

    def _new(self) -> None:
        size, handicap = int(self._size.value), int(self._handicap.value)
        komi = 0.5 if handicap else float(self._komi.value or 0)
        self._after.clear()
        self._take({"size": size, "komi": komi, "handicap": handicap, "stones": [], "moves": [],
                    "rates": []})  # fmt: skip
        nicegui().ui.navigate.history.replace("/go")
        self._engine_if_its_turn()

    def _take(self, played: dict[str, Any]) -> bool:
        """Another position, if the rules allow it."""
        before = self._played
        self._played = played
        self._thought = []
        if not self._draw():
            self._played = before
            self._draw()
            return False
        return True

    def _click(self, vertex: str) -> None:
        job = self._following.job
        if (job is not None and job.open) or self._now["over"]:
            return
        colour = self._now["to_play"]
        if self._human.value not in (0, colour) or (
            vertex != "pass" and vertex not in self._now["legal"]
        ):
            return
        if self._take(self._with(f"{'bw'[colour - 1]} {vertex}", None)):
            self._engine_if_its_turn()

    def _with(self, move: str, rate: float | None) -> dict[str, Any]:
        rates = [*self._played["rates"], rate]
        return self._played | {"moves": [*self._played["moves"], move], "rates": rates}

    def _engine_if_its_turn(self) -> None:
        human = self._human.value
        if not self._now["over"] and human != 0 and self._now["to_play"] != human:
            self._hint = False
            self._think()
        elif self._now["over"]:
            self._score()

    def _think(self) -> None:
        clock = {"seconds": float(self._seconds.value)} if self._clock.value else {}
        simulations = int(self._simulations.value) * 1000
        resign = 0.0 if self._hint else 0.05
        self._following.start(
            "go-move",
            self._played
            | {"simulations": simulations, "search": self._search.value, "resign": resign}
            | clock,
        )

    def _ask(self) -> None:
        self._hint = True
        self._think()

    def _undo(self) -> None:
        count = 1 if self._human.value in (0, 3) or self._thinking() else 2
        if self._thinking() and self._following.job is not None:
            self._studio.manager.cancel(self._following.job.id)
        keep = max(0, len(self._played["moves"]) - count)
        rates = self._played["rates"][:keep]
        self._after.clear()
        self._take(self._played | {"moves": self._played["moves"][:keep], "rates": rates})

    def _thinking(self) -> bool:
        return self._following.job is not None and self._following.job.open

    def _resign(self) -> None:
        loser = self._now["to_play"] if self._human.value in (0, 3) else self._human.value
        self._says.set_text(f"{SIDES[loser]} resigns: {SIDES[3 - loser]} wins.")

    def _score(self) -> None:
        self._following.start("go-score", self._played)

    def _save(self) -> None:
        """The game as it stands, whoever has played it."""
        record = self._studio.manager.ask("treewright.apps.go.job:to_sgf", self._played)
        nicegui().ui.download.content(record, "game.sgf", "application/x-go-sgf")

    async def _load(self, event: Any) -> None:
        data = await event.file.read()
        try:
            played = self._studio.manager.ask("treewright.apps.go.job:from_sgf", data)
        except TreewrightError as error:
            nicegui().ui.notify(str(error)[:300], type="negative")
            return
        played["rates"] = [None] * len(played["moves"])
        self._human.set_value(0)
        self._after.clear()
        self._take(played)

    # --------------------------------------------------------------------------------- showing

    def _draw(self) -> bool:
        try:
            self._now = self._studio.manager.ask("treewright.apps.go.job:shown", self._played)
        except TreewrightError as error:
            nicegui().ui.notify(str(error)[:300], type="negative")
            return False
        thought = self._thought if self._shows.value else []
        self._board.set_content(board_svg(self._played["size"], self._now, thought))
        number = len(self._played["moves"])
        whose = "two passes: the game is over" if self._now["over"] else (
            f"{SIDES[self._now['to_play']]} to play"
        )  # fmt: skip
        self._says.set_text(f"Move {number}. {whose}.")
        known = [rate for rate in self._played["rates"] if rate is not None]
        self._graph.set_content(
            f"<h3>Black's chances</h3>{rates_svg(self._played['rates'])}" if known else ""
        )
        return True

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._after.clear()
        if job.kind == "go-score":
            self._says.set_text(f"{data['says']}.")
            with self._after:
                self._following.downloads(job)
            return
        colour = data["colour"]
        self._thought = [c | {"colour": colour} for c in data["candidates"]]
        if self._hint:
            self._draw()
        elif data["move"] == "resign":
            self._says.set_text(f"{SIDES[colour]} resigns: {SIDES[3 - colour]} wins.")
        else:
            thought = self._thought
            self._take(self._with(f"{'bw'[colour - 1]} {data['move']}", data["rate"]))
            self._thought = thought
            self._draw()
        with self._after:
            self._following.downloads(job)
            html(f"<h3>What {SIDES[colour]} thought</h3>{_table(data)}")
            facts(data["took"])
            inspector(self._studio, job)
        if not self._hint and data["move"] != "resign":
            self._engine_if_its_turn()


def _table(data: dict[str, Any]) -> str:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.1%}"

    if not data["candidates"]:
        return "<p class=quiet>This move is known from the openings.</p>"
    rows = "".join(
        f"<tr><td>{escape(c['at'])}</td><td>{c['visits']:,}</td><td>{number(c['value'])}</td>"
        f"<td>{number(c['rave'])}</td><td>{escape(' '.join(c['line']))}</td></tr>"
        for c in data["candidates"][:8]
    )
    head = "<tr><th>move</th><th>visits</th><th>wins</th><th>RAVE</th><th>line</th></tr>"
    return f'<div class="scroll"><table class="facts">{head}{rows}</table></div>'
