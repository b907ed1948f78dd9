"""Things in pairs: which one is better, and why?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.levels.drawing import draw_level
from treewright.apps.levels.level import Level
from treewright.apps.study.artefacts import LONGEST, PICTURES
from treewright.apps.study.errors import StudyError
from treewright.apps.study.taste import add_rating, pairs_to_rate
from treewright.library.reading import text_of
from treewright.workshop.web import address, guard, html, nicegui, page_frame

TITLE = "Which one is better?"
LONGEST_REASON = 300


@dataclass(frozen=True)
class Shown:
    """One thing: its name in the ratings, and a picture or a text."""

    name: str
    picture: Callable[[], tuple[bytes, str]] | None = None  # and its kind
    text: str = ""


def of_level(level: Level) -> Shown:
    return Shown(level.where, lambda: (draw_level(level), "image/png"))


def of_file(path: Path) -> Shown:
    kind = PICTURES.get(path.suffix.lower())
    if kind is not None:
        return Shown(path.name, lambda: (path.read_bytes(), kind))
    return Shown(path.name, text=text_of(path, StudyError)[:LONGEST])


def build(things: Sequence[Shown], ratings: Path, wanted: int, seed: int = 0) -> None:
    """Register the page and the pictures; each answer is a line of the file at once."""
    gui = nicegui()
    ui, app = gui.ui, gui.app
    pictures: dict[int, tuple[bytes, str]] = {}
    guard(app)

    def rated() -> int:
        if not ratings.exists():
            return 0
        return max(0, len(ratings.read_text().splitlines()) - 1)

    @app.get("/api/thing/{number}")
    def picture(number: int) -> Any:
        from fastapi import HTTPException, Response

        if not 0 <= number < len(things) or (make := things[number].picture) is None:
            raise HTTPException(404, "there is no such picture")
        if number not in pictures:
            pictures[number] = make()
        data, kind = pictures[number]
        # a picture of somebody else's must not run as a page of ours
        quiet = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return Response(data, media_type=kind, headers=quiet)

    def show(letter: str, number: int) -> None:
        thing = things[number]
        html(f'<div class="question">{letter}</div>')
        if thing.picture is None:
            html(f'<div class="strip"><pre class="told">{escape(thing.text)}</pre></div>')
            return
        where = address(f"/api/thing/{number}")
        html(f'<div class="strip"><img alt="{letter}" src="{where}"></div>')

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
            a, b = pairs_to_rate(len(things), done, seed)
            where = f"Pair {done + 1} of {wanted}; scroll to see all."
            html(f'<h1>{TITLE}</h1><p class="quiet">{where}</p>')
            show("A", a)
            show("B", b)
            why = ui.input("Why? (if you like)").props(f"maxlength={LONGEST_REASON} dense")

            def choose(better: str) -> None:
                if rated() == done:  # a second click is no second rating
                    reason = str(why.value or "")[:LONGEST_REASON]
                    add_rating(ratings, things[a].name, things[b].name, better, reason)
                ui.navigate.reload()

            with ui.row():
                for letter in "ab":
                    ui.button(
                        f"{letter.upper()} is better", on_click=lambda x=letter: choose(x)
                    ).props("unelevated no-caps color=green-8")
