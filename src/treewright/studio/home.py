"""The first page: the gallery, live, and what was made before; and the page about ``/api``."""

from html import escape
from typing import Any

from treewright.library.applications import declared
from treewright.workshop.jobs import Job, Manager
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
                "<h1>Make, play and look</h1><p class=lead>Everything here comes from one search "
                "kernel. A card opens its page with the settings that made it.</p>"
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
        for name in self._shown:
            job = self._found.get(name)
            if job is None or not (job.open or job.state in ("done", "failed")):
                self._studio.manager.start("gallery", {"piece": name}, BACKGROUND)
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
                f"<tr><td>{MARKS[job.state]}</td><td>{link}</td><td>{escape(job.id[:6])}</td>"
                f"<td>{escape(job.state)}</td><td>{escape(_said(job))}</td></tr>"
            )
        empty = '<p class="quiet">Nothing yet.</p>'
        table.set_content(f'<table class="facts">{"".join(rows)}</table>' if rows else empty)

    draw()
    ui.timer(1.0, draw)


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
    rows = "".join(
        f"<tr><th scope=row><code>POST /api/jobs/{name}</code></th><td>{escape(work.title)}"
        f"{' (only from this machine)' if work.local else ''}</td>"
        f"<td>{', '.join(work.exports)}</td></tr>"
        for name, work in manager.works.items()
    )
    html(
        "<h1>HTTP interface</h1><p>Every job that a page starts can be started by a program. The "
        'whole description is <a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI).</p>'
        f'<table class="facts">{rows}</table><h2>Following a job</h2><pre>'
        "curl -X POST localhost:8080/api/jobs/level -H 'content-type: application/json' \\\n"
        '     -d \'{"length": 120, "seed": 7}\'        # the answer has an id\n'
        "curl 'localhost:8080/api/jobs/ID?wait=10&amp;after=3'   # as soon as it has changed\n"
        "curl -X POST localhost:8080/api/jobs/ID/cancel\n"
        "curl localhost:8080/api/jobs/ID/export/tmx -o level.tmx</pre>"
    )
