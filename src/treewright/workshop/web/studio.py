"""What the studio's pages share: the frame with its list of pages, and following a job."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.applications import Page, declared
from treewright.workshop.jobs import Job, Manager
from treewright.workshop.searching.drawing import growing_svg
from treewright.workshop.web import html, nicegui

TICK = 0.15  # seconds between looks at a job that is shown
BUTTON = "unelevated no-caps color=primary"
QUIET = "flat no-caps color=primary"
HEAD = (
    '<link rel="stylesheet" href="/studio/studio.css">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<script>document.documentElement.lang = "en"</script>'
)


class Studio:
    """What a page's builder is given."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.pages: dict[str, Page] = declared("pages")

    def frame(self, title: str, here: str = "") -> Any:
        """The head with links to all pages, and the room below it; use it with ``with``."""
        ui = nicegui().ui
        ui.page_title(f"{title} · Treewright")
        ui.add_head_html(HEAD)
        ui.colors(primary="#2f6d3a", secondary="#7a5a1a", accent="#2b6a96")
        ui.dark_mode(None)
        with ui.element("header").classes("studio-head"):
            links = {"": "Home", **{name: page.title for name, page in self.pages.items()}}
            shown = "".join(
                f'<a href="/{name}"{" aria-current=page" if name == here else ""}>{words}</a>'
                for name, words in [
                    *links.items(),
                    ("experiments", "Experiments"),
                    ("interface", "Interface"),
                ]
            )
            html(f'<nav aria-label="pages"><b>Treewright</b>{shown}</nav>')
        return ui.element("div").classes("studio-room")

    def owner(self) -> str:
        """Who asks, for the queue: each visitor's jobs get their turn."""
        client = nicegui().ui.context.client
        return f"page {client.ip or ''}"

    def settings(self, kind: str) -> Any:
        """The settings that the page's address names, as a gallery card's does; else the usual."""
        model = self.manager.work(kind).settings
        try:
            return settings_of(model, self.asked)
        except (ValueError, RecursionError):
            return model()

    @property
    def asked(self) -> dict[str, str]:
        """What the page's address names; a card of the gallery names what made its piece."""
        given = dict(nicegui().ui.context.client.request.query_params)
        return {name: value for name, value in given.items() if name != "job"}

    def job_of(self, *kinds: str) -> Job | None:
        """The job that the page's address names, if there is one of these kinds."""
        name = nicegui().ui.context.client.request.query_params.get("job", "")
        try:
            job = self.manager.look(name)
        except TreewrightError:
            return None
        return job if job.kind in kinds else None


class Following:
    """A job on a page: its progress, a button that cancels it, and what is done with the result.

    The address of the page names the job, so that a reload finds it again.
    """

    def __init__(
        self,
        studio: Studio,
        done: Callable[[Job, Any], object],
        preview: Callable[[Any], object] | None = None,
        address: str = "",
    ) -> None:
        ui = nicegui().ui
        self._studio = studio
        self._done = done
        self._preview = preview
        self._address = address
        self._seen = -1
        self._drawn = False  # something of a job that is not done yet
        self._shown: list[Any] = []  # what belongs to the result that is shown
        self.job: Job | None = None
        with ui.element("div").classes("job").props('role="status"') as self._row:
            self._bar = ui.linear_progress(0, show_value=False).props("aria-label=progress")
            self._words = ui.label("")
            self._cancel = ui.button("Cancel", on_click=self._stop).props(QUIET)
        self._row.set_visibility(False)
        with ui.expansion("The search, growing", value=False).classes("w-full") as self._growth:
            self._tree = html("").classes("scroll")
        self._growth.set_visibility(False)
        self._timer = ui.timer(TICK, self._tick, active=False)

    def start(self, kind: str, settings: Any) -> None:
        """Queue a job and follow it; the one that was followed before is cancelled."""
        with self._row:  # whatever was pressed for it may be gone from the page by now
            self._start(kind, settings)

    def _start(self, kind: str, settings: Any) -> None:
        ui = nicegui().ui
        try:
            if self.job is not None and self.job.open:
                self._studio.manager.cancel(self.job.id)
            job = self._studio.manager.start(kind, settings, self._studio.owner())
        except (TreewrightError, ValueError) as error:
            ui.notify(_said(error), type="negative")
            return
        if self._address:
            ui.navigate.history.replace(f"{self._address}?job={job.id}")
        self.follow(job)

    def open(self, kind: str, settings: Any) -> None:
        """Show what was made with these settings before, since it would be the same; else start."""
        manager = self._studio.manager
        try:
            model = manager.work(kind).settings.model_validate(settings)
        except ValueError:
            self.start(kind, settings)
            return
        wanted = model.model_dump(mode="json")
        made = (j for j in manager.jobs(kind) if j.state == "done" and j.settings == wanted)
        job = next(made, None)
        if job is None:
            self.start(kind, settings)
        else:
            self.follow(job)

    def follow(self, job: Job) -> None:
        """Show a job, from wherever it stands."""
        self.job = job
        self._seen = -1
        self._drawn = False
        self._lay_aside(job.state != "done")
        self._row.set_visibility(True)
        self._timer.activate()
        self._tick()

    def belongs(self, element: Any) -> None:
        """Part of the result that is shown: out of reach while another job is at work."""
        if element not in self._shown:
            self._shown.append(element)

    def downloads(self, job: Job) -> None:
        """A link for each format of a result, as long as that is the one that is shown."""
        links = " ".join(
            f'<a class="chip" href="/api/jobs/{job.id}/export/{form}" download>{form}</a>'
            for form in self._studio.manager.work(job.kind).exports
        )
        self.belongs(html(f'<div class="exports"><span class="quiet">Export:</span> {links}</div>'))

    def _lay_aside(self, away: bool) -> None:
        self._shown = [element for element in self._shown if not element.is_deleted]
        for element in self._shown:  # they keep their place, so that nothing jumps
            element.classes(add="aside" if away else "", remove="" if away else "aside")

    def _stop(self) -> None:
        if self.job is not None:
            self._studio.manager.cancel(self.job.id)
            self._tick()

    def _tick(self) -> None:
        if self.job is None:
            return
        try:
            job = self.job = self._studio.manager.look(self.job.id)
        except TreewrightError as error:
            self._timer.deactivate()
            self._words.set_text(str(error))
            return
        if job.open and job.version == self._seen:
            return
        self._seen = job.version
        self._cancel.set_visibility(job.open)
        self._bar.set_visibility(job.open)
        self._bar.set_value(job.share or 0.0)
        unknown = "indeterminate" if job.share is None else ""
        self._bar.props(unknown, remove="" if unknown else "indeterminate")
        self._words.set_text(words_of(job))
        self._grow(job)
        if job.open:
            if job.preview is not None and self._preview is not None:
                self._drawn = True
                self._preview(job.preview)
            return
        self._timer.deactivate()
        if job.state == "done" or not self._drawn:
            self._lay_aside(False)
        if job.state == "done":
            self._row.set_visibility(False)
            self._done(job, self._studio.manager.data(job.id))

    def _grow(self, job: Job) -> None:
        """The tree of the search that is running, if the job shows it."""
        now = job.preview.get("search") if job.open and isinstance(job.preview, dict) else None
        self._growth.set_visibility(now is not None)
        if now is not None:
            took = ", ".join(f"{count:,} {name}" for name, count in now["took"].items())
            self._tree.set_content(f"<p class=quiet>{took}</p>{growing_svg(now['tree'])}")


def settings_of(model: Any, asked: Mapping[str, str]) -> Any:
    """The settings that an address names; whatever is no text is JSON there."""
    known = {name: value for name, value in asked.items() if name in model.model_fields}
    texts = {name for name in known if model.model_fields[name].annotation is str}
    return model.model_validate({n: v if n in texts else _read(v) for n, v in known.items()})


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def words_of(job: Job) -> str:
    """Where a job is, for people."""
    plain = {"waiting": "waiting for its turn", "running": "at work", "cancelled": "cancelled"}
    said = job.words or plain.get(job.state, job.state)
    return f"{job.state}: {said}" if job.state in ("failed", "cut") else said


def _said(error: Exception) -> str:
    """What is wrong, from us or from Pydantic."""
    listed = getattr(error, "errors", None)
    if listed is None:
        return str(error)
    first = listed()[0]
    where = ".".join(str(part) for part in first["loc"])
    said = str(first["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def facts(rows: Mapping[str, Any]) -> None:
    """Names and numbers, in columns."""
    from html import escape

    cells = "".join(
        f"<div><dt>{escape(str(name).replace('_', ' '))}</dt><dd>{escape(_shown(value))}</dd></div>"
        for name, value in rows.items()
    )
    html(f'<dl class="numbers">{cells}</dl>')


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def slider(label: str, low: float, high: float, step: float, value: float) -> Any:
    """A slider with its label and its number beside it."""
    ui = nicegui().ui
    with ui.element("div").classes("slider"):
        with ui.element("div").classes("slider-head"):
            ui.label(label)
            number = ui.label(f"{value:g}").classes("number")
        found = ui.slider(min=low, max=high, step=step, value=value)
        found.props(f'aria-label="{label}" color=primary')
        number.bind_text_from(found, "value", lambda v: f"{v:g}")
    return found


def bring(
    label: str, taken: Callable[[Any], object], accept: str, most: int, files: int = 1
) -> None:
    """A button that asks for files, of ``most`` bytes at most."""
    ui = nicegui().ui
    said = f"at most {most // 1024:,} kB" + (f", and {files} files" if files > 1 else "")
    hidden = ui.upload(
        multiple=files > 1,
        auto_upload=True,
        max_file_size=most,
        max_files=files if files > 1 else None,
        on_upload=taken,
        on_rejected=lambda: ui.notify(f"this can't be taken: {said}", type="negative"),
    )
    hidden.props(f'accept="{accept}"').classes("hidden")
    button = ui.button(label).props(QUIET)
    pick = (
        f"const one = getElement({hidden.id}); (one.pickFiles ? one : one.$refs.qRef).pickFiles()"
    )
    button.on("click", js_handler=f"() => {{ {pick} }}")  # Quasar's own element, however deep it is
