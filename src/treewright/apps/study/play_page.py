"""The studio's page for playing a level: the study's game, with nothing recorded."""

from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.levels.themes import THEMES, theme_of
from treewright.apps.study.pages import STAGE, mount_game
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import Studio

LIVES = 5


def build(studio: Studio) -> None:
    gui = nicegui()
    ui, app = gui.ui, gui.app
    app.add_static_files("/study", Path(__file__).parent / "static", max_cache_age=0)

    @app.get("/play-world/{job}")
    def world(job: str, theme: str = "meadow") -> dict[str, Any]:
        from fastapi import HTTPException

        from treewright.errors import TreewrightError

        try:
            look = theme_of(theme).to_dict()
            rows = studio.manager.data(job)["rows"]
            found = studio.manager.ask(f"{__name__}:world_of", rows)
        except (TreewrightError, KeyError, TypeError) as error:
            raise HTTPException(404, f"this is no level: {error}") from None
        return {"world": found, "attempts": [], "most": LIVES, "free": True, "theme": look}

    @ui.page("/play")
    def play() -> None:
        with studio.frame("Play", "play"):
            job = studio.job_of("level", "painted-level")
            if job is None:
                done = [j for j in studio.manager.jobs("level", 20) if j.state == "done"]
                job = done[0] if done else None
            if job is None or job.state != "done":
                html('<h1>Play</h1><p><a href="/levels">Make a level</a> first.</p>')
                return
            theme = studio.asked.get("theme", "")
            theme = theme if theme in THEMES else "meadow"
            url = f"/play-world/{escape(job.id)}?theme={theme}"
            looks = "".join(
                f'<a class="chip" href="/play?job={escape(job.id)}&theme={name}">{name}</a>'
                for name in THEMES
                if name != theme
            )
            html(
                f'<div id="level" class="panel" data-url="{url}"><h1>Play</h1><p class="quiet">You '
                f"have {LIVES} attempts. The flag at the right end is the goal.</p>"
                f'{STAGE.format(url=url)}<div class="row">'
                '<button class="go" data-part="continue" hidden>Again</button>'
                f'<a class="chip" href="/levels?job={escape(job.id)}">Back to the level</a>{looks}'
                "</div></div>"
            )
            mount_game()


def world_of(rows: list[str]) -> dict[str, Any]:
    """A level as the game begins with it."""
    from treewright.apps.levels.level import Level
    from treewright.apps.levels.world import World

    return World(Level(tuple(rows))).to_dict()
