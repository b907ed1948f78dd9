"""Levels in pairs for a designer: which one is better?"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.levels.drawing import draw_level
from treewright.apps.levels.level import Level
from treewright.apps.study.taste import add_rating, pairs_to_rate
from treewright.workshop.web import guard, html, nicegui, page_frame

TITLE = "Which level is better?"


def build(levels: Sequence[Level], ratings: Path, wanted: int, seed: int = 0) -> None:
    """Register the page and the pictures; each answer is a line of the file at once."""
    gui = nicegui()
    ui, app = gui.ui, gui.app
    pictures: dict[int, bytes] = {}
    guard(app)

    def rated() -> int:
        if not ratings.exists():
            return 0
        return max(0, len(ratings.read_text().splitlines()) - 1)

    @app.get("/api/level/{number}.png")
    def picture(number: int) -> Any:
        from fastapi import HTTPException, Response

        if not 0 <= number < len(levels):
            raise HTTPException(404, "there is no such level")
        if number not in pictures:
            pictures[number] = draw_level(levels[number])
        return Response(pictures[number], media_type="image/png")

    @ui.page("/")
    def pair() -> None:
        done, name = rated(), escape(str(ratings))
        with page_frame(TITLE, wide=True):
            if done >= wanted:
                html(
                    f"<h1>Thank you</h1><p>{done} ratings are in <code>{name}</code>. "
                    f"Now: <code>treewright study taste {name}</code></p>"
                )
                return
            a, b = pairs_to_rate(len(levels), done, seed)
            where = f"Pair {done + 1} of {wanted}; scroll to see all."
            html(f'<h1>{TITLE}</h1><p class="quiet">{where}</p>')
            for letter, number in (("A", a), ("B", b)):
                html(
                    f'<div class="question">Level {letter}</div><div class="strip">'
                    f'<img alt="level {letter}" src="/api/level/{number}.png"></div>'
                )

            def choose(better: str) -> None:
                if rated() == done:  # a second click is no second rating
                    add_rating(ratings, levels[a].where, levels[b].where, better)
                ui.navigate.reload()

            with ui.row():
                for letter in "ab":
                    ui.button(
                        f"{letter.upper()} is better", on_click=lambda x=letter: choose(x)
                    ).props("unelevated no-caps color=green-8")
