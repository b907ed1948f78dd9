"""A whole session in a real browser, as a participant plays it.

Needs Debian's Chromium and Playwright; skipped with a message where one is missing.
"""

import csv
import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from serving import TREEWRIGHT, free_port, proxied, served

from treewright.apps.levels import game
from treewright.apps.levels.finish import play_live
from treewright.apps.levels.replay import Attempt, replay
from treewright.apps.study import bots
from treewright.apps.study.export import public_id
from treewright.apps.study.features import FEATURES, features
from treewright.apps.study.protocol import variant_domain, variant_level
from treewright.apps.study.store import Store

pytest.importorskip(
    "nicegui", reason="the studio is not installed: pip install 'treewright[studio]'"
)
FAST = 400  # steps a frame
DEVICES = ("touch", "gamepad", "keyboard")
BY_HAND = (Path(__file__).parent / "by_hand.js").read_text()
PICTURES = os.environ.get("TREEWRIGHT_PICTURES")  # a folder for screenshots, to look at


@pytest.fixture(scope="module")
def short_levels():
    from treewright.apps.levels.generate import own_chain

    return {v: [variant_level(variant_domain(v, 60, own_chain()), v)[0]] for v in range(1, 9)}


@pytest.fixture
def study(tmp_path, short_levels):
    return Store.create(tmp_path / "s.sqlite", short_levels, title="Test study", contact="ask@us")


class Participant:
    """Somebody at a browser."""

    def __init__(self, browser, address, **how):
        size = {"viewport": {"width": 900, "height": 760}}
        self.page = browser.new_context(**(size | how)).new_page()
        self.page.on("pageerror", lambda error: pytest.fail(f"the page raised {error}"))
        # the browser's own log of each attempt, to be held against the replay
        self.page.add_init_script(
            "document.addEventListener('attempt-over', (e) => {"
            "  const { url, attempt } = e.detail;"
            "  sessionStorage[`${url}/${attempt}`] = JSON.stringify(e.detail); });"
        )
        self.address = address

    def press(self, found):
        found.click()

    def look(self, name):
        if PICTURES:
            self.page.screenshot(path=f"{PICTURES}/{name}.png")

    def consent(self):
        page = self.page
        page.goto(self.address)
        begin = page.get_by_role("button", name="Begin")
        begin.wait_for()
        assert page.get_by_text("Taking part is voluntary").is_visible()
        assert begin.is_disabled(), "not before agreeing"
        self.look("consent")
        self.press(page.get_by_role("checkbox"))
        self.press(begin)
        page.wait_for_url("**/p/*")
        self.who = page.url.rsplit("/", 1)[1]

    def state(self):
        """Phase, attempt and tick of the game in the page."""
        return self.page.evaluate(
            "() => window.treewrightGame ? [treewrightGame.phase, treewrightGame.attempt, "
            "treewrightGame.game.status[0]] : ['loading', 0, 0]"
        )

    def until(self, *phases):
        self.page.wait_for_function(
            "(phases) => phases.includes(window.treewrightGame?.phase)", arg=list(phases)
        )
        return self.state()[0]

    def play(self, runs_of):
        """The level's attempts with recorded keys, through the normal input."""
        while self.until("waiting", "done") == "waiting":
            attempt = self.state()[1]
            runs = [[int(k), int(n)] for k, n in runs_of(attempt)]
            self.page.evaluate("([runs, fast]) => treewrightGame.drive(runs, fast)", [runs, FAST])
            self.page.wait_for_function(
                "(n) => treewrightGame.attempt > n || treewrightGame.phase === 'done'", arg=attempt
            )
        self.page.get_by_role("button", name="Continue").click()

    def answer(self, challenge, preference):
        page = self.page
        page.get_by_text("your opinion").wait_for()
        for question, choice in enumerate((challenge, preference)):
            self.press(page.get_by_role("radio", name=f"Level {choice}").nth(question))
        self.look("questions")
        self.press(page.get_by_role("button", name="Continue"))

    def logged(self):
        """The browser's own logs, by (slot, attempt)."""
        found = self.page.evaluate("() => Object.entries(sessionStorage)")
        logs = {}
        for name, text in found:
            if name.startswith("/api/p/"):
                slot, attempt = name.split("/")[-2:]
                logs[int(slot), int(attempt)] = json.loads(text)
        return logs


def test_a_whole_session(browser, study, tmp_path):
    with served("study", "serve", study.path) as address:
        one = Participant(browser, address)
        one.consent()
        page = one.page
        # the first seconds by real keys, then a reload in the middle of the level
        one.until("waiting")
        one.look("level-start")
        page.keyboard.down("ArrowLeft")  # against the edge, where nothing can happen so soon
        page.wait_for_function("() => treewrightGame.game.status[0] > 8")
        page.keyboard.down("Space")
        one.look("level")
        page.wait_for_function("() => treewrightGame.game.status[0] > 20")
        page.keyboard.up("Space")
        page.keyboard.up("ArrowLeft")
        before = one.state()[2]
        page.reload()
        one.until("waiting")
        _, attempt, tick = one.state()
        assert (attempt, tick >= before) == (1, True), "a reload goes on where it was"
        # somebody else at the same time, who leaves and takes the data along
        other = Participant(browser, address)
        other.consent()
        assert other.who != one.who
        other.play(lambda attempt: [[2, 6000]])
        other.page.get_by_role("heading", name="Pair 1 of 4: level B").wait_for()
        other.page.get_by_role("link", name="Delete my data").click()
        other.page.get_by_role("button", name="Delete everything").wait_for()
        other.look("delete")
        other.page.get_by_role("button", name="Delete everything").click()
        other.page.get_by_text("Nothing of your session is left").wait_for()
        # all eight levels, the questions after each pair, and the last one
        for slot in range(1, 9):
            title = f"Pair {(slot + 1) // 2} of 4: level {'AB'[(slot - 1) % 2]}"
            page.get_by_role("heading", name=title).wait_for()
            world = study.world(one.who, slot)
            one.play(
                lambda attempt, w=world, s=slot: bots.attempt(w, bots.EXPERIENCED, 10 * s + attempt)
            )
            if slot % 2 == 0:
                one.answer("A", "B")
        page.get_by_text("One last question").wait_for()
        page.get_by_text("Intermediate").click()
        one.look("experience")
        page.get_by_role("button", name="Finish").click()
        page.get_by_text("Thank you").wait_for()
        one.look("thanks")
        logs = one.logged()
    check_rows(study, one.who, logs, tmp_path / "rows")


def test_a_crash_of_the_server_loses_nothing(browser, study):
    """It is killed in the middle of a level; the player plays on, and it comes back."""
    port = free_port()
    with served("study", "serve", study.path, port=port) as address:
        one = Participant(browser, address)
        one.consent()
        one.until("waiting")
        one.page.keyboard.down("ArrowLeft")
        one.page.wait_for_function("() => treewrightGame.game.status[0] > 40")
    one.page.wait_for_function("() => treewrightGame.game.status[0] > 100")
    played = one.state()[2]
    assert sum(n for _, n in study.attempts(one.who, 1)[0]) < played, "this was not sent"
    with served("study", "serve", study.path, port=port):
        for _ in range(200):
            if sum(n for _, n in study.attempts(one.who, 1)[0]) >= played:
                break
            time.sleep(0.1)
        (runs,) = study.attempts(one.who, 1)
    assert runs[0][0] in (0, 1), "the first tick may come before the key"
    assert sum(n for k, n in runs if k == 1) >= played - 1


class Phone(Participant):
    """Somebody at a small screen who does everything, also on the pages, with one device."""

    def __init__(self, browser, address, device):
        small = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
        super().__init__(browser, address, **small)
        self.device = device

    def press(self, found):
        """Tap it, or go there and press a key; a gamepad has no pointer, so its owner clicks."""
        if self.device == "touch":
            found.tap()
        elif self.device == "keyboard":
            found.click(trial=True)  # only waits until it could be
            found.focus()
            self.page.keyboard.press("Space")
        else:
            found.click()

    def look(self, name):
        super().look(f"{self.device}-{name}")

    def level(self, runs):
        """One level, to its end, by the device's own events."""
        page = self.page
        self.until("waiting")
        assert page.get_by_role("button", name="jump").is_visible(), "touch controls"
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
        assert page.get_by_text("Turn your phone").is_visible()
        page.locator("[data-part=pad]").scroll_into_view_if_needed()
        self.look("level")
        assert page.evaluate(BY_HAND, [runs, self.device]) == "playing", f"{self.device} starts it"
        assert self.until("done") == "done"
        self.look("level-done")
        self.press(page.get_by_role("button", name="Continue"))


@pytest.mark.skipif(not PICTURES, reason="a minute of a browser; TREEWRIGHT_PICTURES runs it")
@pytest.mark.parametrize("device", DEVICES)
def test_a_whole_session_on_a_phone_by_one_device(browser, study, device):
    with served("study", "serve", study.path) as address:
        one = Phone(browser, address, device)
        one.consent()
        page = one.page
        for slot in range(1, 9):
            runs = play_live(study.world(one.who, slot), slot).runs
            one.level(runs)
            if slot % 2 == 0:
                one.answer("A", "B")
            (stored,) = study.attempts(one.who, slot)
            assert stored == runs
            assert replay(study.world(one.who, slot), stored).outcome == game.WON
        page.get_by_text("One last question").wait_for()
        one.press(page.get_by_role("radio").nth(1))
        one.look("experience")
        one.press(page.get_by_role("button", name="Finish"))
        page.get_by_text("Thank you").wait_for()
        one.look("thanks")
    assert study.next_step(one.who).kind == "done"
    assert [row["preference"] for row in study.pair_rows()] == ["B"] * 4


@pytest.mark.skipif(not PICTURES, reason="a minute of a browser; TREEWRIGHT_PICTURES runs it")
def test_two_real_fingers_hold_two_buttons(browser, study):
    """Touch events of the browser itself, not of a script in the page."""
    with served("study", "serve", study.path) as address:
        one = Phone(browser, address, "touch")
        one.consent()
        one.until("waiting")
        page = one.page
        page.locator("[data-part=pad]").scroll_into_view_if_needed()
        fingers = page.context.new_cdp_session(page)

        def touch(kind, *names):
            boxes = [
                page.get_by_role("button", name=name, exact=True).bounding_box() for name in names
            ]
            points = [
                {"x": b["x"] + b["width"] / 2, "y": b["y"] + b["height"] / 2, "id": i}
                for i, b in enumerate(boxes)
            ]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        page.locator("[data-part=message]").tap()
        assert one.until("playing") == "playing"
        touch("touchStart", "right", "jump")
        page.wait_for_function("() => treewrightGame.inputs.held === 10")
        page.wait_for_function("() => treewrightGame.game.body[1] < 190")  # it has jumped
        one.look("two-fingers")
        touch("touchEnd")
        page.wait_for_function("() => treewrightGame.inputs.held === 0")


@pytest.mark.skipif(not PICTURES, reason="a minute of a browser; TREEWRIGHT_PICTURES runs it")
def test_escape_pauses_and_a_tap_goes_on(browser, study):
    with served("study", "serve", study.path) as address:
        one = Participant(browser, address, has_touch=True, viewport={"width": 740, "height": 360})
        one.consent()
        one.until("waiting")
        one.page.locator("[data-part=message]").tap()
        assert one.until("playing") == "playing"
        one.page.keyboard.press("Escape")
        assert one.until("waiting") == "waiting"
        one.look("paused")
        assert one.page.get_by_text("Sound: off").is_visible()
        one.page.keyboard.press("Escape")
        assert one.until("playing") == "playing"
        # starting again ends the attempt, by the button and by the key
        for attempt in (1, 2):
            one.page.wait_for_function("() => treewrightGame.game.status[0] > 5")
            one.page.keyboard.press("Escape")
            one.until("waiting")
            if attempt == 1:
                one.page.get_by_role("button", name="Start again").tap()
            else:
                one.page.keyboard.press("r")
            one.page.wait_for_function(
                "(n) => treewrightGame.attempt > n && treewrightGame.phase === 'waiting'",
                arg=attempt,
            )
            one.page.keyboard.press("Enter")
            world = study.world(one.who, 1)
            ended = replay(world, study.attempts(one.who, 1)[attempt - 1])
            assert (ended.outcome, ended.cause) == (game.DIED, game.BY_RESTART)


def check_rows(study, who, logs, folder):
    """The export has the session, and replaying its keys gives what the browser saw."""
    out = subprocess.run(
        [*TREEWRIGHT, "study", "export", str(study.path), "--out", str(folder), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(out.stdout)["plays"] == 8
    people, plays, pairs = (
        list(csv.DictReader((folder / f"{name}.csv").open()))
        for name in ("participants", "plays", "pairs")
    )
    assert [p["participant"] for p in people] == [public_id(who)], "who left is not in it"
    assert people[0]["experience"] == "intermediate"
    assert [(p["challenge"], p["preference"]) for p in pairs] == [("A", "B")] * 4
    for row in plays:
        slot = int(row["slot"])
        world = study.world(who, slot)
        seen = [logs[slot, n] for n in range(1, int(float(row["attempts"])) + 1)]
        replayed = [replay(world, runs) for runs in study.attempts(who, slot)]
        assert [log["ticks"] for log in seen] == [a.ticks for a in replayed]
        lives = [
            Attempt(1 if log["won"] else 2, 0, log["ticks"], 0, np.array(log["events"]), a.trace)
            for log, a in zip(seen, replayed, strict=True)
        ]
        browsers = features(world.totals, world.level.goal_column, lives)
        for feature in FEATURES:
            assert float(row[feature.name]) == pytest.approx(browsers[feature.name]), feature.name


def test_behind_a_proxy_with_a_path_prefix(browser, study):
    """Pages, their files, the game's messages and the websocket all go through the prefix."""
    with (
        served("study", "serve", study.path) as direct,
        proxied(direct, "/levels") as address,
    ):
        one = Participant(browser, address + "/")
        asked, sockets = [], []
        one.page.on("request", lambda request: asked.append(request.url))
        one.page.on("requestfailed", lambda request: asked.append(f"failed {request.url}"))
        one.page.on("websocket", lambda socket: sockets.append(socket.url))
        one.consent()
        assert one.page.url == f"{address}/p/{one.who}"
        for slot in (1, 2):
            one.play(lambda attempt: [[2, 6000]])
            assert len(study.attempts(one.who, slot)) > 0
            one.page.get_by_text(("level B", "your opinion")[slot - 1]).wait_for()
        one.answer("B", "A")
        one.page.get_by_role("heading", name="Pair 2 of 4: level A").wait_for()
        one.page.goto(f"{address}/experimenter?token={study.token()}")
        one.page.get_by_text("Balance of the design").wait_for()
        one.page.goto(f"{address}/p/{one.who}")
        one.page.get_by_role("link", name="Delete my data").click()
        one.page.get_by_role("button", name="Delete everything").click()
        one.page.get_by_text("Nothing of your session is left").wait_for()
        assert one.page.url == f"{address}/deleted"
    outside = {url for url in asked if not url.startswith((address + "/", "data:", "blob:"))}
    assert not outside
    assert sockets
    assert all("/levels/" in url for url in sockets)
    assert not study.participants()


def test_a_designer_rates_pairs(browser, tmp_path):
    """Levels in pairs, a click for each, and a taste from the file."""
    from treewright.apps.levels.formats import write_level
    from treewright.apps.levels.generate import own_chain
    from treewright.apps.study.taste import learn_taste, read_ratings

    (tmp_path / "levels").mkdir()
    for seed in range(8):
        write_level(own_chain().sample(60, seed), tmp_path / "levels" / f"{seed}.txt")
    ratings = tmp_path / "ratings.csv"
    words = ("study", "rate", tmp_path / "levels", "--out", ratings, "--pairs", "6")
    with served(*words) as address:
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        page.goto(address)
        for number in range(1, 7):
            page.get_by_text(f"Pair {number} of 6").wait_for()
            page.wait_for_function("() => [...document.images].every((i) => i.naturalWidth > 500)")
            if PICTURES and number == 1:
                page.screenshot(path=f"{PICTURES}/rate.png")
            page.get_by_role("button", name=f"{'AB'[number % 2]} is better").click()
        page.get_by_text("6 ratings are in").wait_for()
        page.close()
    found = read_ratings(ratings)
    assert [better for _, _, better in found] == ["b", "a"] * 3
    assert learn_taste(found).about["ratings"] == 6
