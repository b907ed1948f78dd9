"""The studio's page for Hero Academy: play an agent, watch two, step through what was played."""

from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.tactics.agents import AGENTS
from treewright.apps.tactics.board import MAPS
from treewright.apps.tactics.drawing import legend
from treewright.apps.tactics.svg import board_svg
from treewright.apps.tactics.units import CARD_LETTERS, CARD_NAMES
from treewright.errors import TreewrightError
from treewright.library.shown import count_of
from treewright.workshop.jobs import Job
from treewright.workshop.searching.looking import inspector
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import (
    BUTTON,
    QUIET,
    Following,
    Studio,
    bring,
    facts,
    slider,
)

SIDES = ("Blue", "Red")
YOU = {0: "Blue, who begins", 1: "Red", 2: "both, by hand", 3: "nobody: watch"}
RESULTS = {-1: "", 0: "A draw.", 1: "Blue wins.", 2: "Red wins."}
BOTH, NOBODY = 2, 3
NO_TREE = "has no tree. <i>A tree from here</i> searches the position that is shown."
PACE = 0.6  # seconds between the actions of a game that runs


def build(studio: Studio) -> None:
    gui = nicegui()
    gui.app.add_static_files("/tactics-static", Path(__file__).parent / "static", max_cache_age=0)

    @gui.ui.page("/tactics")
    def tactics() -> None:
        with studio.frame("Tactics", "tactics"):
            _TacticsPage(studio)


class _TacticsPage:
    """One visitor's game: its actions, and how many of them are shown."""

    def __init__(self, studio: Studio) -> None:
        ui = nicegui().ui
        self._studio = studio
        job = studio.job_of("tactics-turn", "tactics-game")
        watched = studio.settings("tactics-game").model_dump()
        self._given = watched | (dict(job.settings) if job is not None else {})
        self._begun = {k: self._given[k] for k in ("map", "ap", "seed")}
        self._actions: list[str] = list(self._given.get("actions", []))
        self._chosen = ""  # a square, or the letter of a card
        self._turn: list[dict[str, str]] = []  # that was planned
        self._hint = job is not None
        html("<h1>Tactics</h1>")
        with ui.element("div").classes("bench"):
            with ui.element("section").classes("panel").props('aria-label="game"'):
                self._wishes(job is not None and job.kind == "tactics-game")
            with ui.element("section").classes("panel go-room").props('aria-label="the board"'):
                self._following = Following(studio, self._done, self._growing, "/tactics")
                self._show_board()
        ui.add_body_html('<script type="module" src="/tactics-static/board.mjs"></script>')
        ui.on("tactics_click", lambda e: self._click(str(e.args)))
        self._to_end()
        if job is not None:
            self._following.follow(job)
        elif "first" in studio.asked:
            self._you.set_value(NOBODY)
            self._new()

    def _wishes(self, watching: bool) -> None:
        ui = nicegui().ui
        given = self._given
        self._you = ui.select(YOU, value=NOBODY if watching else 0, label="You play")
        self._you.on_value_change(self._go_on)
        other = given.get("agent", given["first"] if not watching else given["second"])
        self._agent = ui.select(list(AGENTS), value=other, label="The agent")
        with ui.element("div") as second:
            self._first = ui.select(list(AGENTS), value=given["first"], label="Blue's agent")
        second.bind_visibility_from(self._you, "value", lambda you: you == NOBODY)
        if watching or "first" in self._studio.asked:
            self._agent.set_value(given["second"])
        with ui.element("div").classes("row"):
            self._map = ui.select(list(MAPS), value=given["map"], label="Map").classes("w-24")
            self._ap = ui.number("Points a turn", value=given["ap"], min=1, max=30, precision=0)
            self._ap.classes("w-24")
            self._seed = ui.number("Deal", value=given["seed"], min=0, precision=0).classes("w-20")
        budget = min(50.0, max(0.5, given["evaluations"] / 1000))
        self._evaluations = slider("Thousand evaluated turns", 0.5, 50, 0.5, budget)
        self._open = ui.checkbox("Open hands", value=given["open_hands"], on_change=self._draw)
        ui.button("New game", on_click=self._new).props(BUTTON)
        with ui.element("div").classes("row"):
            ui.button("Undo", on_click=self._undo).props(QUIET)
            ui.button("Plan my turn", on_click=self._ask).props(QUIET)
            ui.button("A tree from here", on_click=self._search).props(QUIET)
        with ui.element("div").classes("row"):
            bring("Load a game", self._load, ".json", 2**20)
            ui.button("Save the game", on_click=self._save).props(QUIET)
        html(f"<p class=quiet>{escape(legend())}.</p>")

    def _show_board(self) -> None:
        ui = nicegui().ui
        red = ui.element("div").classes("row hand")
        self._board = html("").classes("board")
        self._hands = (ui.element("div").classes("row hand"), red)
        self._says = ui.label("").props('role="status"')
        with ui.element("div").classes("row"):
            ui.button("◀", on_click=lambda: self._move(-1)).props(f'{QUIET} aria-label="back"')
            self._at = ui.slider(min=0, max=1, value=0, on_change=self._draw).classes("replay")
            self._at.props('aria-label="actions played"')
            ui.button("▶", on_click=lambda: self._move(1)).props(f'{QUIET} aria-label="forward"')
            self._run = ui.switch("Run", on_change=self._begin_run)
        ui.timer(PACE, self._tick)
        self._plan = ui.element("div").classes("panel-room")
        self._searching = Following(self._studio, self._searched)
        self._tree = ui.element("div").classes("panel-room")

    # --------------------------------------------------------------------------------- actions

    @property
    def _thinking(self) -> bool:
        return self._following.job is not None and self._following.job.open

    def _new(self) -> None:
        self._begun = {"map": self._map.value, "ap": int(self._ap.value or 5),
                       "seed": int(self._seed.value or 0)}  # fmt: skip
        nicegui().ui.navigate.history.replace("/tactics")
        self._take([])
        if self._you.value == NOBODY:
            self._following.start("tactics-game", self._begun | self._how() | {
                "first": self._first.value, "second": self._agent.value})  # fmt: skip
        else:
            self._go_on()

    def _how(self) -> dict[str, Any]:
        evaluations = int(1000 * self._evaluations.value)
        return {"evaluations": evaluations, "open_hands": bool(self._open.value)}

    def _take(self, actions: list[str], turn: list[dict[str, str]] | None = None) -> None:
        """Another course of the game, with the turn that led here, shown to its end."""
        self._actions = actions
        self._turn = turn or []
        self._chosen = ""
        self._plan.clear()
        self._to_end()

    def _go_on(self) -> None:
        """Let the agent plan its turn, if it is its turn."""
        now = self._now
        if not now["over"] and self._you.value in (0, 1) and now["player"] != self._you.value:
            self._ask(hint=False)

    def _ask(self, hint: bool = True) -> None:
        self._hint = hint
        self._take(self._actions)
        asked = self._begun | {"actions": self._actions, "agent": self._agent.value}
        self._following.start("tactics-turn", asked | self._how())

    def _search(self) -> None:
        """Plain MCTS over single actions, also where the agent has no tree."""
        at = int(self._at.value)
        given = self._begun | {"actions": self._actions[:at]}
        moves = self._studio.manager.ask("treewright.apps.tactics.job:numbers", given)
        settings = self._begun | {"pruned": 0}
        count = int(1000 * self._evaluations.value)
        self._searching.start("search", {
            "domain": "hero-academy", "settings": settings, "moves": moves, "simulations": count,
        })  # fmt: skip

    def _searched(self, job: Job, data: dict[str, Any]) -> None:
        self._tree.clear()
        with self._tree:
            html(f"<h2>A search from here</h2><p>It likes {escape(data['label'])} best.</p>")
            inspector(self._studio, job, open_=True)

    def _click(self, square: str) -> None:
        if not self._may_act():
            return
        action = next(
            (a for a in self._now["legal"] if self._chosen and a["from"] == self._chosen
             and a["to"] == square), None,
        )  # fmt: skip
        if action is not None:
            self._play(action["text"])
        else:
            self._choose(square)

    def _may_act(self) -> bool:
        at_end = int(self._at.value) == len(self._actions)
        mine = self._you.value in (BOTH, self._now["player"])
        return at_end and mine and not self._thinking and not self._now["over"]

    def _choose(self, what: str) -> None:
        able = {a["from"] for a in self._now["legal"]}
        self._chosen = what if what in able and what != self._chosen else ""
        self._turn = []
        self._draw()

    def _play(self, text: str) -> None:
        self._take([*self._actions, text])
        self._go_on()

    def _undo(self) -> None:
        """Back to the decision before, over the agent's turn if need be."""
        if self._thinking and self._following.job is not None:
            self._studio.manager.cancel(self._following.job.id)
        actions = self._actions[:-1]
        while actions and self._you.value in (0, 1) and self._player(actions) != self._you.value:
            actions = actions[:-1]
        self._take(actions)
        self._go_on()

    def _player(self, actions: list[str]) -> int:
        given = self._begun | {"actions": actions}
        return int(self._studio.manager.ask("treewright.apps.tactics.job:shown", given)["player"])

    def _save(self) -> None:
        """The game as it stands, whoever has played it."""
        given = self._begun | {"actions": self._actions}
        record = self._studio.manager.ask("treewright.apps.tactics.job:saved", given)
        nicegui().ui.download.content(record, "game.json", "application/json")

    async def _load(self, event: Any) -> None:
        data = await event.file.read()
        try:
            found = self._studio.manager.ask("treewright.apps.tactics.job:from_file", data)
        except TreewrightError as error:
            nicegui().ui.notify(str(error)[:300], type="negative")
            return
        self._begun = {k: found[k] for k in self._begun}
        for field, name in ((self._map, "map"), (self._ap, "ap"), (self._seed, "seed")):
            field.set_value(found[name])
        self._you.set_value(BOTH)
        self._take(found["actions"])

    # --------------------------------------------------------------------------------- showing

    def _to_end(self) -> None:
        self._at.props(f"max={max(1, len(self._actions))}")
        self._at.set_value(len(self._actions))
        self._draw()

    def _move(self, by: int) -> None:
        self._chosen = ""
        self._at.set_value(min(len(self._actions), max(0, int(self._at.value) + by)))

    def _begin_run(self) -> None:
        if self._run.value and int(self._at.value) == len(self._actions):
            self._at.set_value(0)

    def _tick(self) -> None:
        if self._run.value:
            self._move(1)
            self._run.set_value(int(self._at.value) < len(self._actions))

    def _draw(self) -> None:
        at = min(int(self._at.value), len(self._actions))
        given = self._begun | {"actions": self._actions[:at]}
        hides = self._you.value in (0, 1) and not self._open.value
        hidden = 1 - self._you.value if hides else None
        try:
            now = self._studio.manager.ask("treewright.apps.tactics.job:shown", given, hidden)
        except TreewrightError as error:
            nicegui().ui.notify(str(error)[:300], type="negative")
            if self._actions:  # of a job that was no game
                self._take([])
            return
        self._now = now
        acting = self._may_act()
        legal = now["legal"] if acting else []
        targets = {a["to"] for a in legal if self._chosen and a["from"] == self._chosen}
        able = {a["from"] for a in legal}
        turn = self._turn if at == len(self._actions) else []
        self._board.set_content(board_svg(now, self._chosen, targets, able, turn))
        for side in (0, 1):
            self._draw_hand(side, able if side == now["player"] else set())
        whose = RESULTS[now["winner"]] if now["over"] else (
            f"{SIDES[now['player']]} to move, {count_of(now['ap'], 'action point')} left."
        )  # fmt: skip
        self._says.set_text(
            f"Turn {now['turn']}, action {at} of {len(self._actions)}. {whose} "
            f"Blue's share by the evaluation: {now['value']:.0%}."
        )

    def _draw_hand(self, side: int, able: set[str]) -> None:
        ui, now, room = nicegui().ui, self._now, self._hands[side]
        room.clear()
        with room:
            html(f'<b class="side-{side}">{SIDES[side]}</b>')
            for letter in now["hands"][side]:
                if letter == "?":
                    html('<span class="chip">?</span>')
                    continue
                name = CARD_NAMES[CARD_LETTERS.index(letter)]
                card = ui.button(name, on_click=lambda c=letter: self._choose(c))
                held = letter == self._chosen and bool(able)
                card.props(
                    f"no-caps dense {'unelevated' if held else 'outline'} color=primary "
                    f"{'' if letter in able else 'disable'} aria-pressed={str(held).lower()}"
                )
            html(f'<span class="quiet">deck {now["decks"][side]}</span>')
            for action in now["legal"] if able else []:
                if not action["to"] and action["from"] in ("", self._chosen):
                    words = "Put it back, draw another" if action["from"] else "End the turn"
                    ui.button(words, on_click=lambda a=action["text"]: self._play(a)).props(BUTTON)

    def _growing(self, preview: dict[str, Any]) -> None:
        if "turn" in preview:  # the best one so far
            self._turn = preview["turn"]
            self._draw()
        else:
            self._take(preview["actions"])

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        ui = nicegui().ui
        if job.kind == "tactics-game":
            self._take(data["actions"])
            with self._plan:
                html(f"<h2>{RESULTS[data['winner']]}</h2>")
                self._found(job, data)
            return
        texts = [one["text"] for one in data["turn"]]
        if not self._hint:
            self._take([*data["actions"], *texts], data["turn"])
        else:
            self._take(data["actions"], data["turn"])
        steps = "".join(f"<li>{escape(one['words'])}</li>" for one in data["turn"])
        head = f"What {escape(data['agent'])} {'would play' if self._hint else 'has played'}"
        with self._plan:
            html(f"<h2>{head}, {SIDES[data['player']]}</h2><ol>{steps}</ol>")
            if self._hint:
                whole = [*data["actions"], *texts]
                with ui.element("div").classes("row"):
                    play = ui.button("Play this turn", on_click=lambda: self._play_all(whole))
                    play.props(BUTTON)
            self._found(job, data)
            if not inspector(self._studio, job):
                html(f"<p class=quiet>{escape(data['agent'])} {NO_TREE}</p>")
        if not self._hint:
            self._go_on()

    def _play_all(self, actions: list[str]) -> None:
        self._take(actions)
        self._go_on()

    def _found(self, job: Job, data: dict[str, Any]) -> None:
        facts(data["took"])
        self._following.downloads(job)
