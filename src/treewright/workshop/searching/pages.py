"""Pages for any domain: play it, search it, look into the tree, watch the search step by step."""

from html import escape
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.registry import registered
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.searching.stepping import Steps
from treewright.workshop.web import html, is_local, nicegui
from treewright.workshop.web.studio import (
    BUTTON,
    QUIET,
    Following,
    Studio,
    bring,
    slider,
)

EXAMPLE = '''import treewright as tw
from numpy import int8, int32


class Nim(tw.Domain):
    """Take one to three stones; whoever takes the last one wins."""

    players = 2
    max_actions = 3
    state = tw.record(stones=int32, player=int8)

    def start(s, heap=15):
        s.stones = heap

    def legal(s, out):
        n = min(3, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0

    def describe(s, action):
        return f"take {action}"

    def render(s):
        return "|" * s.stones

    def picture(s):  # SVG; a shape with data-action can be clicked
        stones = ""
        for i in range(s.stones):
            take = s.stones - i
            colour = "#2f6d3a" if take <= 3 else "#8a9a90"
            place = f'cx="{25 + 32 * i}" cy="25" r="13"'
            stones += f'<circle {place} fill="{colour}" data-action="{take}"/>'
        return f'<svg viewBox="0 0 {32 * s.stones + 18} 50" height="50">{stones}</svg>'
'''
MOST_BUTTONS = 100
_PICK = "const at = e.target.closest('[data-action]'); if (at) emit(at.dataset.action);"
PICKED = {  # what a click and a key on a picture's shape do in the browser
    "click": f"(e) => {{ {_PICK} }}",
    "keydown": f"(e) => {{ if (e.key === 'Enter') {{ {_PICK} }} }}",
}
SHOWN = 12  # rows of the table
LOCAL = (
    "A domain is code, and runs with your rights on this machine. That is why this page works only "
    "in a browser on the machine itself: open nobody's file that you have not read."
)


def build_games(studio: Studio) -> None:
    """The page for domains that come with us, or with packages that are installed."""

    @nicegui().ui.page("/games")
    def games() -> None:
        with studio.frame("Games", "games"):
            _GamePage(studio, "search", "steps", "/games")


def build_domain(studio: Studio) -> None:
    """The page for a domain of one's own."""

    @nicegui().ui.page("/domain")
    def domain() -> None:
        with studio.frame("Your own domain", "domain"):
            html(f"<h1>Your own domain</h1><p class='warning'>{LOCAL}</p>")
            if is_local(nicegui().ui.context.client.request.scope):
                _DomainPage(studio)


class _GamePage:
    """One visitor at one domain."""

    title = "<h1>Games</h1>"
    room = "go-room"  # on a phone the position comes first

    def __init__(self, studio: Studio, kind: str, steps: str, address: str) -> None:
        ui = nicegui().ui
        self._studio, self._kind, self._steps = studio, kind, steps
        self._moves: list[int] = []
        self._answer = False  # the search plays what it finds
        job = studio.job_of(kind, steps)
        self._given = dict(job.settings) if job is not None else self._usual()
        self._moves = list(self._given.get("moves", []))
        html(self.title)
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="game"'):
                self._choose()
                self._wishes()
            room = f"panel {self.room}"
            with ui.element("section").classes(room).props('aria-label="the position"'):
                self._following = Following(studio, self._done, self._growing, address)
                self._place = ui.element("div").classes("panel-room")
                self._found = ui.element("div").classes("panel-room")
        self._draw()
        if job is not None:
            self._following.follow(job)
        elif "simulations" in studio.asked:
            self._search()

    # the domain, which differs on the two pages

    def _usual(self) -> dict[str, Any]:
        return dict(self._studio.settings("search").model_dump())

    def _choose(self) -> None:
        names = [name.rpartition("-v")[0] for name in registered()]
        self._domain = nicegui().ui.select(
            names, value=self._given["domain"], label="Domain", on_change=self._new
        )

    def _what(self) -> dict[str, Any]:
        same = self._domain.value == self._given["domain"]
        return {"domain": self._domain.value, "settings": self._given["settings"] if same else {}}

    # what both pages share

    def _wishes(self) -> None:
        ui = nicegui().ui
        self._side = ui.select(
            {0: "the first player", 1: "the second player", 9: "everybody"},
            value=0,
            label="You play",
            on_change=self._go_on,
        )
        budget = min(200, int(self._given.get("simulations", 10_000)) // 1000) or 10
        self._simulations = slider("Thousand simulations", 1, 200, 1, budget)
        self._c = slider("Exploration c", 0, 3, 0.05, min(3.0, self._given.get("c", 1.4)))
        self._rave = ui.checkbox("RAVE", value=self._given.get("rave") is not None)
        self._solver = ui.checkbox("Solver", value=bool(self._given.get("solver", False)))
        own = self._given.get("policy") == "domain"
        self._policy = ui.checkbox("The domain's own rollouts", value=own)
        self._seed = ui.number("Seed", value=self._given.get("seed", 0), min=0, precision=0)
        with ui.element("div").classes("row"):
            ui.button("Search here", on_click=self._search).props(BUTTON)
            ui.button("Step by step", on_click=self._watch).props(QUIET)
        with ui.element("div").classes("row"):
            ui.button("Undo", on_click=self._undo).props(QUIET)
            ui.button("New game", on_click=self._new).props(QUIET)

    def _settings(self) -> dict[str, Any]:
        base = {"moves": self._moves, "seed": int(self._seed.value or 0)}
        return self._what() | base

    def _search(self, answer: bool = False) -> None:
        self._answer = answer
        how = {
            "simulations": int(self._simulations.value) * 1000,
            "c": float(self._c.value),
            "rave": 300.0 if self._rave.value else None,
            "solver": bool(self._solver.value),
            "policy": "domain" if self._policy.value else "uniform",
        }
        self._following.start(self._kind, self._settings() | how)

    def _watch(self) -> None:
        self._following.start(self._steps, self._settings() | {"c": float(self._c.value)})

    def _new(self) -> None:
        self._moves = []
        self._found.clear()
        self._go_on()

    def _undo(self) -> None:
        one = self._side.value == 9 or self._now["players"] == 1
        self._moves = self._moves[: max(0, len(self._moves) - (1 if one else 2))]
        self._draw()

    def _play(self, action: int) -> None:
        self._moves = [*self._moves, action]
        self._go_on()

    def _go_on(self) -> None:
        """Show the position, and let the search move if it is its turn."""
        if not self._draw():
            return
        now = self._now
        alone = now["players"] == 1 or self._side.value == 9
        if not now["ended"] and not alone and now["player"] != self._side.value:
            self._search(answer=True)

    def _draw(self) -> bool:
        ui = nicegui().ui
        self._place.clear()
        given = self._settings()
        side = self._side.value if self._side.value != 9 else None
        try:
            place = "treewright.workshop.searching.job:look"
            self._now = self._studio.manager.ask(place, self._kind, given, side)
        except TreewrightError as error:
            with self._place:
                html(f'<p class="warning" role="alert">{escape(str(error))}</p>')
            return False
        self._moves = self._now["moves"]
        with self._place:
            html(f"<p class=quiet>{escape(self._now['about'])}</p>")
            text = f"<pre class='position' aria-label='position'>{escape(self._now['text'])}</pre>"
            drawn = html(self._now["picture"] or text)
            for event, handler in PICKED.items():
                drawn.on(event, lambda e: self._picked(int(e.args)), js_handler=handler)
            html(f"<p role='status'>{escape(self._standing())}</p>")
            if "data-action" in (self._now["picture"] or ""):
                return True
            with ui.element("div").classes("row moves"):
                for move in self._now["legal"][:MOST_BUTTONS]:
                    ui.button(move["label"], on_click=lambda a=move["action"]: self._play(a)).props(
                        "outline no-caps dense color=primary"
                    )
        return True

    def _standing(self) -> str:
        """Whose move it is for the visitor, or what the position itself says."""
        now = self._now
        if now["ended"] or now["players"] == 1 or self._side.value == 9 or now["player"] < 0:
            return str(now["standing"])
        return "your move" if now["player"] == self._side.value else "the search is to move"

    def _picked(self, action: int) -> None:
        """An action of the picture; what is clicked while the search thinks is too early."""
        job = self._following.job
        if not (job is not None and job.open) and any(
            action == move["action"] for move in self._now["legal"]
        ):
            self._play(action)

    # ------------------------------------------------------------------------------ what was found

    def _growing(self, preview: dict[str, Any]) -> None:
        self._found.clear()
        with self._found:
            html(_table(preview["children"]))

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._found.clear()
        with self._found:
            if job.kind == self._steps:
                html("<h2>Step by step</h2>")
                Steps(data)
                return
            what = "It plays" if self._answer else "Best:"
            html(
                f"<h2>What the search found</h2><p>{what} <b>{escape(data['label'])}</b>, value "
                f"{data['value']:.3f}</p>{_table(data['children'])}"
            )
            self._following.downloads(job)
            inspector(self._studio, job, open_=True)
        if self._answer and job.kind == self._kind:
            self._answer = False
            self._moves = [*data["moves"], data["best"]]
            self._go_on()


class _DomainPage(_GamePage):
    """A domain of one's own: written or brought along, checked, played and searched."""

    title = ""
    room = ""

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio, "search-code", "steps-code", "/domain")

    def _usual(self) -> dict[str, Any]:
        return {"code": EXAMPLE}

    def _choose(self) -> None:
        ui = nicegui().ui
        self._code = ui.textarea("A Python file with one domain", value=self._given["code"])
        self._code.classes("w-full mono code").props("outlined rows=18")
        bring("Or bring a file", self._bring, ".py", 100_000)
        with ui.element("div").classes("row"):
            ui.button("Use it", on_click=self._new).props(BUTTON)
            ui.button("Check it", on_click=self._check).props(QUIET)
        self._checking = Following(self._studio, self._checked)
        self._verdict = html("")

    async def _bring(self, event: Any) -> None:
        try:
            self._code.set_value((await event.file.read()).decode("utf-8"))
        except UnicodeDecodeError:
            nicegui().ui.notify("this file is not UTF-8 text", type="negative")

    def _check(self) -> None:
        self._checking.start("check-code", {"code": self._code.value})

    def _checked(self, job: Job, data: dict[str, Any]) -> None:
        self._verdict.set_content(f"<pre>{escape(data['text'])}</pre>")

    def _what(self) -> dict[str, Any]:
        return {"code": self._code.value}


def _table(children: list[dict[str, Any]]) -> str:
    names = ["label", "visits", "value"]
    names += [n for n in ("rave", "prior", "proven") if any(c.get(n) is not None for c in children)]

    def cell(value: Any) -> str:
        if value is None:
            return ""
        return f"{value:.3f}" if isinstance(value, float) else escape(str(value))

    most = max((c["visits"] for c in children), default=1) or 1
    head = "".join(f"<th>{n}</th>" for n in names)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{cell(c.get(n))}</td>" for n in names)
        + f'<td class="bar"><span style="width:{100 * c["visits"] / most:.0f}%"></span></td></tr>'
        for c in children[:SHOWN]
    )
    return f'<div class="scroll"><table class="facts">{_row(head)}{rows}</table></div>'


def _row(head: str) -> str:
    return f"<tr>{head}<th></th></tr>"
