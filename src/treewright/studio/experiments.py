"""The page for experiments: what each asks, a run with its progress, ours beside the papers'."""

from html import escape
from typing import Any

from treewright.workshop.experiments.published import folder, published
from treewright.workshop.jobs import Job
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import BUTTON, Following, Studio

PICTURES = "/results"


def build(studio: Studio) -> None:
    place = folder()
    if place is not None:
        nicegui().app.add_static_files(PICTURES, place)

    @nicegui().ui.page("/experiments")
    def experiments() -> None:
        with studio.frame("Experiments", "experiments"):
            _ExperimentPage(studio)


class _ExperimentPage:
    """One visitor's experiment."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        found = studio.manager.ask("treewright.workshop.experiments.job:listed")
        self._known: dict[str, dict[str, Any]] = {one["name"]: one for one in found}
        job = studio.job_of("experiment")
        given = dict(studio.settings("experiment") if job is None else job.settings)
        name = given["experiment"]
        html("<h1>Experiments</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="choice"'):
                self._name = ui.select(
                    {name: one["title"] for name, one in self._known.items()},
                    value=name if name in self._known else next(iter(self._known)),
                    label="Experiment",
                    on_change=self._chosen,
                ).classes("w-full")
                self._scale = ui.toggle(
                    {"smoke": "Smoke: seconds", "laptop": "Laptop: minutes"},
                    value=given["scale"],
                ).props("no-caps")
                self._scale.classes("start")
                self._about = html("")
                ui.button("Run", on_click=self._run).props(BUTTON)
            with ui.element("section").classes("panel").props('aria-label="report"'):
                self._following = Following(studio, self._done, address="/experiments")
                self._report = ui.element("div").classes("panel-room report").props("tabindex=0")
        self._describe()
        if job is not None:
            self._following.follow(job)
        elif studio.asked:
            self._run()
        else:
            self._published()

    def _chosen(self) -> None:
        self._describe()
        self._published()

    def _published(self) -> None:
        """The report that comes with us, until one is made here."""
        text = published(self._name.value, PICTURES)
        self._report.clear()
        with self._report:
            if text:
                html("<p class=quiet>The report that comes with Treewright:</p>")
                nicegui().ui.markdown(text, extras=["tables", "fenced-code-blocks"])
            else:
                html("<p class=quiet>No report of this one comes with us: run it.</p>")

    def _describe(self) -> None:
        one = self._known[self._name.value]
        self._about.set_content(
            f"<p>{escape(one['claim'])}</p><p class=quiet>{escape(one['source'])}. Cells: "
            f"{one['smoke']} smoke, {one['laptop']} laptop. What was computed before is not "
            "computed again.</p>"
        )

    def _run(self) -> None:
        settings = {"experiment": self._name.value, "scale": self._scale.value}
        self._following.start("experiment", settings)

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        text = data["text"].replace("](figure.png)", f"](/api/jobs/{job.id}/files/figure.png)")
        self._report.clear()
        with self._report:
            nicegui().ui.markdown(text, extras=["tables"])
            self._following.downloads(job)
            with nicegui().ui.expansion("How it was made").classes("w-full"):
                nicegui().ui.markdown(data["made"], extras=["tables"])
