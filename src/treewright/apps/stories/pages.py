"""The studio's page for stories: a set-up in forms or as a file, sliders, the story, its causes."""

from html import escape
from typing import Any

from treewright.apps.stories.form import cell_text, cell_value, to_toml
from treewright.errors import TreewrightError
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import BUTTON, QUIET, Following, Studio, slider

OTHER = "a file of yours"
NEVER = ("title", "library", "length", "enough", "goals", "keep", "tuning", "believability",
         "forbid", "require", "order", "prefix", "traits")  # fmt: skip

HINT = (
    "Choose a set-up, change its people and goals if you like, and generate. The first story of a "
    "library compiles for about ten seconds; after that each takes seconds."
)


def build(studio: Studio) -> None:
    ui = nicegui().ui

    @ui.page("/stories")
    def stories() -> None:
        with studio.frame("Stories", "stories"):
            _StoryPage(studio)


class _StoryPage:
    """One visitor's page."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        self._pinned: set[int] = set()
        self._steps: list[dict[str, Any]] = []
        job = studio.job_of("story")
        self._usual = studio.settings("story")
        if job is not None:
            self._usual = type(self._usual).model_validate(job.settings)
        self._setup = _SetupForm(studio, self._usual.setup, self._usual.text)
        html("<h1>Stories</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="wishes"'):
                self._wishes()
            with ui.element("section").classes("panel").props('aria-label="the story"'):
                self._following = Following(studio, self._done, address="/stories")
                self._room = ui.element("div").classes("panel-room")
        if job is not None:
            self._following.follow(job)
        elif studio.asked:
            self._following.open("story", self._settings())
        else:
            with self._room:
                html(f"<p class=quiet>{HINT}</p>")

    def _wishes(self) -> None:
        ui = nicegui().ui
        self._setup.build(self._sliders)
        self._nodes = slider("Thousand nodes", 5, 500, 5, self._usual.nodes // 1000)
        with ui.element("div").classes("row"):
            self._seed = ui.number("Seed", value=self._usual.seed, min=0, precision=0)
            self._seed.classes("w-24")
            self._branches = ui.number("Choice points", value=self._usual.branches, min=0, max=5)
            self._branches.classes("w-28").props("step=1")
        with ui.expansion("Believability of each action").classes("w-full"):
            html('<p class="quiet">What the library says is multiplied by this.</p>')
            self._tuning_room = ui.element("div")
        self._sliders()
        with ui.element("div").classes("row"):
            ui.button("Generate", on_click=self._generate).props(BUTTON)
            ui.button("A different one", on_click=self._another).props(QUIET)

    def _sliders(self) -> None:
        self._tuning_room.clear()
        self._tuning: dict[str, Any] = {}
        with self._tuning_room:
            for name in self._setup.actions:
                value = min(2.0, self._usual.tuning.get(name, 1.0))
                self._tuning[name] = slider(name, 0, 2, 0.05, value)

    # --------------------------------------------------------------------------------- actions

    def _settings(self) -> dict[str, Any]:
        steps = [step["ground"] for step in self._steps]
        start = 0
        while start in self._pinned:
            start += 1
        later = [steps[i] for i in sorted(self._pinned) if start < i < len(steps)]
        tuned = {n: s.value for n, s in self._tuning.items() if abs(s.value - 1.0) > 1e-9}
        return {
            **self._setup.settings,
            "nodes": int(self._nodes.value) * 1000,
            "seed": int(self._seed.value or 0),
            "branches": int(self._branches.value or 0),
            "tuning": tuned,
            "prefix": steps[:start],
            "require": later,
        }

    def _generate(self) -> None:
        self._following.start("story", self._settings())

    def _another(self) -> None:
        self._seed.value = int(self._seed.value or 0) + 1
        self._generate()

    def _pin(self, step: int, pinned: bool) -> None:
        (self._pinned.add if pinned else self._pinned.discard)(step)

    # --------------------------------------------------------------------------------- showing

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        ui = nicegui().ui
        story = data["stories"][0]
        self._steps = story["steps"]
        kept = len(job.settings["prefix"])
        required = set(job.settings["require"])
        self._pinned = {i for i, s in enumerate(self._steps) if i < kept or s["ground"] in required}
        self._room.clear()
        with self._room:
            score = story["score"]
            html(
                f"<h2>{escape(story['title'])}</h2><p class='prose'>{escape(story['text'])}</p>"
                f"<p class=quiet>Score {score['total']:.3f}: believability "
                f"{score['believability']:.3f}, goals {score['goals']:.2f}.</p>"
            )
            self._following.downloads(job)
            html("<h3>Goals</h3>" + _goals(story["goals"]))
            html("<h3>Steps</h3><p class=quiet>Pin steps, then generate: the rest is new.</p>")
            self._step_rows()
            if len(data["stories"]) > 1:
                html("<h3>Read it yourself</h3>")
                _Reader(data["passages"])
            with ui.expansion("What led to what", value=True).classes("w-full"):
                html(data["graphs"][0]).classes("scroll graph").props("tabindex=0")
            inspector(self._studio, job)

    def _step_rows(self) -> None:
        ui = nicegui().ui
        with ui.element("ol").classes("steps-list"):
            for i, step in enumerate(self._steps):
                with ui.element("li"):
                    ui.checkbox(
                        value=i in self._pinned, on_change=lambda e, i=i: self._pin(i, e.value)
                    ).props(f'dense aria-label="pin step {i + 1}"')
                    html(
                        f"<div><span>{escape(step['text'])}</span><small>{escape(step['ground'])} "
                        f"· {escape(str(step['rule']) + _in_mind(step))}</small></div>"
                        f'<meter min=0 max=1 value="{step["believability"]:.3f}" title='
                        f'"believability" aria-label="believability"></meter>'
                        f"<b>{step['believability']:.2f}</b>"
                    ).classes("step")


def _in_mind(step: dict[str, Any]) -> str:
    """What those who consent to a step do it for, where people have motives."""
    return "".join(
        f" · {who} has {'in mind: ' + ', then '.join(plan) if plan else 'no reason for it'}"
        for who, plan in step.get("reasons", {}).items()
    )


def _goals(goals: list[dict[str, Any]]) -> str:
    def words(met: float) -> str:
        return "✓ met" if met >= 1 else "✗ not met" if met <= 0 else f"partly, {met:.0%}"

    rows = "".join(
        f"<tr><td>{escape(g['goal'])}</td><td>{words(g['met'])}</td></tr>" for g in goals
    )
    return f'<table class="facts">{rows}</table>'


class _Reader:
    """Branches as a story that one reads and chooses in."""

    def __init__(self, passages: dict[str, Any]) -> None:
        self._start = passages
        self._told: list[str] = []
        self._room = nicegui().ui.element("div").classes("reader")
        self._go(passages)

    def _go(self, passage: dict[str, Any], chosen: str = "") -> None:
        ui = nicegui().ui
        self._told += [*([chosen] if chosen else []), *passage["sentences"]]
        self._room.clear()
        with self._room:
            html(f"<p class='prose'>{escape(' '.join(self._told))}</p>")
            for choice in passage["choices"]:
                ui.button(
                    choice["words"], on_click=lambda c=choice: self._go(c["to"], c["words"])
                ).props("outline no-caps align=left color=primary")
            if not passage["choices"]:
                html("<p><b>The end.</b></p>")
                ui.button("From the start", on_click=self._again).props(QUIET)

    def _again(self) -> None:
        self._told = []
        self._go(self._start)


class _SetupForm:
    """A set-up: chosen by name, changed in tables or as a file."""

    def __init__(self, studio: Studio, name: str, text: str) -> None:
        self._studio = studio
        self._name = name
        self._own = text
        self._load(name, text)

    def _load(self, name: str, text: str) -> None:
        found = self._studio.manager.ask("treewright.apps.stories.job:described", name, text)
        self._text, self._data = found["text"], found["data"]
        self.actions, self._offers = found["actions"], found["offers"]

    @property
    def settings(self) -> dict[str, Any]:
        return {"setup": self._name, "text": self._own}

    def build(self, changed: Any) -> None:
        """The choice and the forms; ``changed`` is called when another set-up is there."""
        ui = nicegui().ui
        self._changed = changed
        names = self._studio.manager.ask("treewright.apps.stories.job:setups")
        options = [*names, OTHER]
        self._choice = ui.select(
            options,
            value=OTHER if self._own else self._name,
            label="Set-up",
            on_change=lambda e: self._choose(e.value),
        ).classes("w-full")
        with ui.dialog() as self._dialog, ui.card().classes("setup-card"):
            html("<h2>The set-up</h2>")
            with ui.tabs().props("no-caps") as tabs:
                forms, file = ui.tab("Forms"), ui.tab("File")
            with ui.tab_panels(tabs, value=forms).classes("w-full"):
                with ui.tab_panel(forms):
                    self._forms = ui.element("div").classes("forms")
                with ui.tab_panel(file):
                    self._area = ui.textarea("TOML", value=self._text).classes("w-full mono")
                    self._area.props("rows=22 outlined")
                    ui.button("Use this file", on_click=self._use_file).props(BUTTON)
            self._says = ui.label("").classes("verdict bad").props('role="alert"')
        ui.button("People, places, things, goals", on_click=self._dialog.open).props(QUIET)
        self._draw()

    def _choose(self, name: str) -> None:
        if name != OTHER:
            self._name, self._own = name, ""
            self._take(lambda: self._load(name, ""))

    def _use_file(self) -> None:
        text = str(self._area.value)
        if self._take(lambda: self._load("", text)):
            self._own = text
            self._choice.set_value(OTHER)

    def _take(self, load: Any) -> bool:
        try:
            load()
        except TreewrightError as error:
            self._says.set_text(str(error))
            return False
        self._says.set_text("")
        self._area.set_value(self._text)
        self._draw()
        self._changed()
        return True

    def _draw(self) -> None:
        ui = nicegui().ui
        self._forms.clear()
        self._cells: dict[str, list[tuple[Any, dict[str, Any]]]] = {}
        with self._forms:
            self._title = ui.input("Title", value=str(self._data.get("title", ""))).classes(
                "w-full"
            )
            goals = [
                g if isinstance(g, str) else to_toml({"g": g})[4:-1] for g in self._data["goals"]
            ]
            self._goals = ui.textarea("Goals, one a line", value="\n".join(goals)).classes("w-full")
            offered = "; ".join(self._offers["goals"])
            html(f'<p class="quiet">Goals can be: {escape(offered)}</p>')
            for plural in self._offers["attributes"]:
                self._section(plural)
            ui.button("Use these", on_click=self._use_forms).props(BUTTON)

    def _section(self, plural: str) -> None:
        """One table: a row for each person, place or thing."""
        ui = nicegui().ui
        listed = self._data.get(plural, {})
        columns = ["name", *dict.fromkeys(k for e in listed.values() for k in e if k != "name")]
        html(f"<h3>{escape(plural.capitalize())}</h3>")
        with ui.element("div").classes("scroll"):
            table = ui.element("table").classes("cells")
        with table:
            with ui.element("tr"):
                for column in ["", *columns]:
                    with ui.element("th"):
                        ui.label(column)
            rows = [self._row(name, entity, columns) for name, entity in listed.items()]
        self._cells[plural] = rows
        with ui.element("div").classes("row"):
            ui.button("Add", on_click=lambda: self._add(plural)).props(QUIET)
            known = [a for a in self._offers["attributes"][plural] if a not in columns]
            if known:
                ui.select(
                    known, label="Another fact", on_change=lambda e: self._column(plural, e.value)
                ).classes("w-40")

    def _row(self, name: str, entity: dict[str, Any], columns: list[str]) -> Any:
        ui = nicegui().ui
        cells = {}
        with ui.element("tr"):
            with ui.element("td"):
                key = ui.input(value=name).props('dense aria-label="short name"')
            for column in columns:
                with ui.element("td"):
                    shown = cell_text(entity[column]) if column in entity else ""
                    cells[column] = ui.input(value=shown).props(f'dense aria-label="{column}"')
        return key, cells

    def _read(self) -> dict[str, Any]:
        """The forms as data; what they do not show stays as it is."""
        data = {k: v for k, v in self._data.items() if k not in self._cells}
        data["title"] = self._title.value
        goals = [line.strip() for line in str(self._goals.value).splitlines() if line.strip()]
        data["goals"] = [cell_value(g) if g.startswith("{") else g for g in goals]
        for plural, rows in self._cells.items():
            data[plural] = {
                str(key.value).strip(): {
                    c: cell_value(i.value) if c != "name" else str(i.value)
                    for c, i in cells.items()
                    if str(i.value or "").strip()
                }
                for key, cells in rows
                if str(key.value or "").strip()
            }
        return data

    def _use_forms(self) -> None:
        text = to_toml(self._read())
        if self._take(lambda: self._load("", text)):
            self._own = text
            self._choice.set_value(OTHER)
            self._dialog.close()

    def _add(self, plural: str) -> None:
        self._data = self._read()
        section = self._data.setdefault(plural, {})
        number = len(section) + 1
        section[f"{plural[:-1]}_{number}"] = {"name": f"new {number}"}
        self._draw()

    def _column(self, plural: str, name: str) -> None:
        self._data = self._read()
        for entity in self._data[plural].values():
            entity.setdefault(name, "")
        self._draw()
