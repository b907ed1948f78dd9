"""The first page: the gallery, live, and what was made before; and the page about ``/api``."""

from html import escape
from typing import Any

from treewright.library.applications import declared
from treewright.workshop.jobs import Job, Manager, Work
from treewright.workshop.jobs.manager import BACKGROUND
from treewright.workshop.jobs.work import OWN
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import BUTTON, Studio, words_of

MOST_JOBS = 12  # of those that are listed
MARKS = {"done": "●", "failed": "✕", "cut": "✕", "cancelled": "○", "running": "▶", "waiting": "…"}


def build(studio: Studio, gallery: bool) -> None:
    """Register both pages; ``gallery``: pieces that are not there yet are made when one looks."""
    ui = nicegui().ui

    @ui.page("/")
    def home() -> None:
        with studio.frame("Studio"):
            html(
                "<h1>Make, play and look</h1><p class=lead>One of everything that Treewright "
                "makes. A card opens its page with the settings that made it.</p>"
            )
            _cut(studio)
            with ui.element("div").classes("cards"):
                for name, page in studio.pages.items():
                    html(
                        f'<a class="card-link" href="/{name}"><b>{escape(page.title)}</b>'
                        f"<span>{escape(page.summary)}</span></a>"
                    )
            html("<h2>Gallery</h2>")
            button = ui.button("Make the pieces").props(BUTTON)
            cards = _Gallery(studio)
            button.on_click(cards.make).set_visibility(not gallery)
            if gallery:
                cards.make()
            html("<h2>What was made</h2>")
            _jobs(studio)

    @ui.page("/interface")
    def interface() -> None:
        with studio.frame("Interface", "interface"):
            _interface(studio.manager)


def to_make(job: Job | None, began: float) -> bool:
    """Whether a piece is still to be made, given its newest job and when this studio began.

    What failed in this studio is not tried again at each look.  What failed before it began is:
    whoever ends a studio ends the processes of its jobs too, which reads as their failure.
    """
    if job is None or job.state in ("cancelled", "cut"):
        return True
    return job.state == "failed" and (job.ended or 0.0) < began


class _Gallery:
    """Every piece as a card; those at work fill in as they are done."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        self._shown: dict[str, Job | None] = dict.fromkeys(declared("gallery"))
        self._found: dict[str, Job] = {}
        with ui.element("div").classes("gallery"):
            self._cards = {name: ui.element("article") for name in self._shown}
        self._look()
        for name in self._shown:
            if name not in self._found:
                self._draw(name, None)
        ui.timer(0.5, self._look)

    def make(self) -> None:
        """Queue what is missing, behind whatever people ask for."""
        manager = self._studio.manager
        for name in self._shown:
            if to_make(self._found.get(name), manager.began):
                manager.start("gallery", {"piece": name}, BACKGROUND)
        self._look()

    def _look(self) -> None:
        """The newest job of each piece; the last one that is done before any other."""
        found: dict[str, Job] = {}
        for job in self._studio.manager.jobs("gallery", 200):
            name = job.settings["piece"]
            if name not in found or (job.state == "done" and found[name].state != "done"):
                found[name] = job
        self._found = found
        for name, job in found.items():
            before = self._shown.get(name)
            if name in self._cards and (
                before is None or (before.id, before.state) != (job.id, job.state)
            ):
                self._shown[name] = job
                self._draw(name, job)

    def _draw(self, name: str, job: Job | None) -> None:
        card = self._cards[name]
        card.clear()
        with card:
            if job is None or job.state != "done":
                words = "not made yet" if job is None else words_of(job)
                html(f'<div class="empty"><b>{escape(name)}</b><span>{escape(words)}</span></div>')
                return
            html(_piece(job, self._studio.manager.data(job.id)))


def _piece(job: Job, data: dict[str, Any]) -> str:
    pictures = "".join(
        f'<img loading=lazy src="/api/jobs/{job.id}/files/{escape(p["name"])}" '
        f'alt="{escape(p["alt"])}">'
        for p in data["pictures"][:2]
    )
    text = f"<pre>{escape(data['text'][:1200])}</pre>" if data["text"] and not pictures else ""
    title = escape(data["title"])
    if data["page"]:  # of a package of somebody else's there may be none
        title = f'<a href="/{escape(data["page"])}">{title}</a>'
    return (
        f'<h3>{title}</h3><div class="shot" tabindex="0">{pictures}{text}</div>'
        f"<p>{escape(data['caption'])}</p><details><summary>The command</summary>"
        f"<pre>{escape(data['command'])}</pre></details>"
    )


def _cut(studio: Studio) -> None:
    """Say what a server that was ended has left undone."""
    cut = [job for job in studio.manager.jobs(most=MOST_JOBS) if job.state == "cut"]
    if cut:
        listed = ", ".join(f"{_title(studio, job).lower()} ({job.id[:6]})" for job in cut)
        html(
            f'<p class="warning" role="alert">The studio was ended while these were at work, and '
            f"they were cut: {escape(listed)}. Nothing that was finished is lost.</p>"
        )


def _jobs(studio: Studio) -> None:
    """The newest jobs, with a way to each."""
    ui = nicegui().ui
    table = html("")
    by_kind = {kind: name for name in studio.pages for kind in _kinds_of(name)} | {
        kind: "domain" if kind.endswith("-code") else "games" for kind in OWN
    }
    by_kind["experiment"] = "experiments"

    def draw() -> None:
        rows = []
        found = [job for job in studio.manager.jobs(most=60) if job.kind != "gallery"]
        for job in found[:MOST_JOBS]:
            title = _title(studio, job)
            page = by_kind.get(job.kind)
            link = f'<a href="/{page}?job={job.id}">{escape(title)}</a>' if page else escape(title)
            rows.append(
                f"<tr><td>{link}</td><td>{escape(_wished(studio, job))}</td><td>{MARKS[job.state]} "
                f"{escape(job.state)}</td><td>{escape(_said(job))}</td></tr>"
            )
        empty = '<p class="quiet">Nothing yet.</p>'
        made = f'<div class="scroll"><table class="facts">{"".join(rows)}</table></div>'
        table.set_content(made if rows else empty)

    draw()
    ui.timer(1.0, draw)


def _wished(studio: Studio, job: Job) -> str:
    """The settings that are not the usual ones, in a line."""
    known = studio.manager.works
    fields = known[job.kind].settings.model_fields if job.kind in known else {}
    own = {n: v for n, v in job.settings.items() if n in fields and v != fields[n].default}
    shown = (f"{name} {value}" for name, value in own.items() if len(str(value)) < 30)
    return ", ".join(shown)[:100]


def _said(job: Job) -> str:
    """What there is to say of a job beside its state."""
    words = words_of(job)[:120]
    return "" if words == job.state else words


def _title(studio: Studio, job: Job) -> str:
    known = studio.manager.works  # not those of an application that is not installed any more
    return known[job.kind].title if job.kind in known else job.kind


def _kinds_of(page: str) -> list[str]:
    """The kinds of job that belong to a page: those of the application that declares it."""
    from treewright.library.applications import applications

    return [kind for app in applications() if page in app.pages for kind in app.jobs]


def _interface(manager: Manager) -> None:
    address = nicegui().ui.context.client.request.headers.get("host", "localhost:8080")
    html(
        "<h1>HTTP interface</h1><p>Every job that a page starts can be started by a program. The "
        'whole description is <a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI).</p>'
        f"<h2>Following a job</h2><pre tabindex=0>"
        f"curl -X POST {escape(address)}/api/jobs/level -H 'content-type: application/json' \\\n"
        '     -d \'{"length": 120, "seed": 7}\'        # the answer has an id\n'
        f"curl '{escape(address)}/api/jobs/ID?wait=10&amp;after=3'   # as soon as it has changed\n"
        f"curl -X POST {escape(address)}/api/jobs/ID/cancel\n"
        f"curl {escape(address)}/api/jobs/ID/result                # as data\n"
        f"curl {escape(address)}/api/jobs/ID/export/tmx -o level.tmx</pre><h2>Kinds of job</h2>"
    )
    for name, work in manager.works.items():
        html(_described(name, work))


def _described(name: str, work: Work) -> str:
    """What a kind of job takes and gives."""
    schema = work.settings.model_json_schema()
    rows = "".join(
        f"<tr><th scope=row><code>{escape(field)}</code></th><td>{escape(_kind(given))}</td>"
        f"<td>{escape(str(given.get('description', '')))}</td></tr>"
        for field, given in schema["properties"].items()
    )
    where = " (only from this machine)" if work.local else ""
    formats = ", ".join(work.exports) or "none"
    return (
        f"<details class=kind><summary><code>POST /api/jobs/{escape(name)}</code> "
        f"{escape(work.title)}{where}</summary><p>Formats: {escape(formats)}.</p>"
        f'<div class="scroll"><table class="facts">{rows}</table></div></details>'
    )


def _kind(given: dict[str, Any]) -> str:
    """What a setting may be: its type, its bounds, and what it is if it is not given."""
    parts = [str(given.get("type", "one of several" if "anyOf" in given else ""))]
    if "enum" in given:
        parts = ["one of " + ", ".join(map(str, given["enum"]))]
    ends = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "maxLength": "at most",
            "maxItems": "at most"}  # fmt: skip
    parts += [f"{words} {given[key]:g}" for key, words in ends.items() if key in given]
    default = str(given.get("default", ""))
    if default and len(default) < 40:
        parts.append(f"usually {default}")
    return " ".join(part for part in parts if part)
