"""A search step by step on a page: the four steps of each simulation, one after another."""

from html import escape
from typing import Any

from treewright.workshop.searching.drawing import STAGES, stage_svg, stage_words
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import BUTTON, QUIET


class Steps:
    """Selection, expansion, simulation and back-up, lit one after another."""

    def __init__(self, data: dict[str, Any]) -> None:
        ui = nicegui().ui
        self._data = data
        last = len(data["steps"]) * len(STAGES) - 1
        with ui.element("div").classes("row"):
            ui.button("◀", on_click=lambda: self._move(-1)).props(f'{QUIET} aria-label="back"')
            ui.button("▶", on_click=lambda: self._move(1)).props(f'{BUTTON} aria-label="forward"')
            self._run = ui.switch("Run")
        self._at = ui.slider(min=0, max=last, value=0, on_change=self._show)
        self._at.props('aria-label="step"')
        self._words = html("").classes("stage-words").props('role="status"')
        self._picture = html("").classes("scroll")
        self._texts = html("")
        ui.timer(0.7, self._tick)
        self._show()

    def _tick(self) -> None:
        if self._run.value:
            self._move(1)

    def _move(self, by: int) -> None:
        last = len(self._data["steps"]) * len(STAGES) - 1
        self._at.set_value(min(last, max(0, int(self._at.value) + by)))
        if self._at.value == last:
            self._run.set_value(False)

    def _show(self) -> None:
        number, stage = divmod(int(self._at.value), len(STAGES))
        self._words.set_content(stage_words(self._data, number, stage))
        self._picture.set_content(stage_svg(self._data, number, stage))
        step = self._data["steps"][number]
        shown = step["leaf"] if stage < 2 else step["end"]
        self._texts.set_content(f"<pre>{escape(shown)}</pre>" if shown else "")
