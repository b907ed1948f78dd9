"""The studio in a real browser, doing what a person does on each page.

Needs Debian's Chromium and Playwright; skipped with a message where one is missing.
"""

import csv
import http.client
import io
import urllib.request
import zipfile

import pytest
from studio_hands import busy, choose, made, open_tree, press, saved


def test_a_level_is_generated_painted_exported_and_played(page, address):
    from treewright.apps.levels.tiled import from_tmx
    from treewright.apps.levels.world import World
    from treewright.apps.study import bots

    page.goto(f"{address}/levels?length=60&difficulty=0.2&seed=3")
    page.get_by_text("✓ playable").wait_for()
    rows = page.evaluate("() => levelNow.rows")
    assert len(rows[0]) == 60
    # a slider by keyboard, and another level
    page.get_by_role("slider", name="Difficulty", exact=True).locator("[tabindex]").focus()
    for value in ("0.25", "0.3"):  # the number beside it comes from the server
        page.keyboard.press("ArrowRight")
        page.locator(".slider .number", has_text=value).wait_for()
    press(page, "Another")
    page.wait_for_function(
        "(before) => !levelNow.front && levelNow.rows.join() !== before.join()", arg=rows
    )
    rows = page.evaluate("() => levelNow.rows")
    page.get_by_text("✓ playable").wait_for()
    # the file, by the format's own reader
    with page.expect_download() as download:
        page.get_by_role("link", name="tmx", exact=True).click()
    assert from_tmx(download.value.path().read_text(), "here").rows == tuple(rows)
    job = page.url.rpartition("=")[2]
    with urllib.request.urlopen(f"{address}/api/jobs/{job}/export/tiled") as packed:
        names = zipfile.ZipFile(io.BytesIO(packed.read())).namelist()
    assert names == ["level.tmx", "treewright-tiles.png"]
    # a wall from the top to the bottom, and the checker says where it breaks
    press(page, "Paint")
    # the server answers with the brush, which pushes the level down, and with the editor's mode
    page.get_by_role("combobox", name="Tile", exact=True).wait_for()
    page.wait_for_function("() => levelEditor.mode === 'paint'")
    canvas = page.locator("#level-editor canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    column = box["x"] + 20.5 * box["width"] / 60
    page.mouse.move(column, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(column, box["y"] + box["height"] - 3, steps=60)
    page.mouse.up()
    page.wait_for_function("() => levelEditor.rows.every((row) => row[20] === 'X')")
    page.get_by_text("✗ not playable").wait_for()
    assert page.evaluate("() => levelNow.rows.every((row) => row[20] === 'X')")
    # played to its end, by keys that a player who knows the level would press
    world = World(from_tmx(download.value.path().read_text(), "here"))
    page.goto(f"{address}/play?job={job}")
    for attempt in range(1, 6):
        page.wait_for_function("() => ['waiting', 'done'].includes(window.treewrightGame?.phase)")
        if page.evaluate("() => treewrightGame.phase") == "done":
            break
        runs = [[int(k), int(n)] for k, n in bots.attempt(world, bots.EXPERIENCED, attempt)]
        page.evaluate("(runs) => treewrightGame.drive(runs, 400)", runs)
        page.wait_for_function(
            "(n) => treewrightGame.attempt > n || treewrightGame.phase === 'done'", arg=attempt
        )
    page.get_by_role("button", name="Again").wait_for()


def test_a_game_of_go_is_begun_taken_back_and_saved(page, address):
    sgf = pytest.importorskip("sgfmill.sgf")
    page.goto(f"{address}/go")
    page.locator("[data-vertex=E5]").click()
    page.locator("circle.white").wait_for()  # an answer that is known from the openings
    page.get_by_text("Move 2. Black to play.").wait_for()
    page.get_by_text("This move is known from the openings.").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="sgf").click()
    record = sgf.Sgf_game.from_bytes(download.value.path().read_bytes())
    assert [n.get_move()[0] for n in record.get_main_sequence()[1:]] == ["b", "w"]
    press(page, "Undo")
    page.get_by_text("Move 0. Black to play.").wait_for()
    assert page.locator("circle.white, circle.black").count() == 0
    # both sides by keyboard
    choose(page, "You play", "both, by hand")
    page.locator("[data-vertex=E5]").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_text("Move 1. White to play.").wait_for()
    page.locator("[data-vertex=C3]").click()
    page.get_by_text("Move 2. Black to play.").wait_for()
    with page.expect_download() as download:  # by hand, without the engine
        press(page, "Save the game (SGF)")
    record = sgf.Sgf_game.from_bytes(download.value.path().read_bytes())
    assert len(record.get_main_sequence()) == 3
    # a record that is brought along, and one that is none
    brought = {
        b"(;GM[1]FF[4]SZ[9]KM[6.5];B[ee];W[cc];B[gc])": "Move 3. White to play.",
        b"\x89PNG": "this is not SGF",
    }
    for data, said in brought.items():
        with page.expect_file_chooser() as chooser:
            press(page, "Load a game record (SGF)")
        chooser.value.set_files({"name": "x.sgf", "mimeType": "text/plain", "buffer": data})
        page.get_by_text(said).wait_for()


def test_a_search_is_watched_step_by_step_and_its_tree_opened(page, address):
    page.goto(f"{address}/games?domain=tictactoe")
    page.get_by_role("button", name="b2", exact=True).wait_for()
    page.get_by_role("button", name="Step by step").first.click()
    page.get_by_text("Simulation 1 of 40.").wait_for()
    for name in ("Expansion", "Simulation", "Back-up", "Selection"):
        press(page, "forward")
        page.locator(".stages .now", has_text=name).wait_for()
    page.get_by_text("Simulation 2 of 40.").wait_for()
    page.locator("svg.picture [data-action='4']").focus()  # a move on the picture, answered
    page.keyboard.press("Enter")
    page.locator("svg.picture circle").wait_for()
    press(page, "Search here")
    page.get_by_text("Best:").wait_for()  # what was found for the answer stands until then
    first = page.locator(".q-tree__node-header").first
    first.click()
    page.wait_for_function("() => document.querySelectorAll('.q-tree__node').length > 12")
    page.reload()
    page.get_by_text("What the search found").wait_for()


def test_a_job_is_found_again_after_a_reload_and_cancelled(page, address):
    page.goto(f"{address}/games?domain=samegame")
    page.get_by_role("slider", name="Exploration c").wait_for()
    press(page, "Step by step")
    page.get_by_role("button", name="Cancel").wait_for()
    page.wait_for_url("**job=*")
    page.reload()
    press(page, "Cancel")
    page.get_by_text("cancelled", exact=True).wait_for()


def test_a_domain_is_written_and_checked(page, address):
    page.goto(f"{address}/domain")
    page.get_by_text("A domain is code").wait_for()
    code = page.get_by_label("A Python file with one domain")
    code.fill(code.input_value().replace("heap=15", "heap=4"))
    press(page, "Use it")
    page.wait_for_function("() => document.querySelectorAll('svg.picture circle').length === 4")
    code.fill(code.input_value().replace("s.stones -= action", "s.stone -= action"))
    press(page, "Use it")
    page.get_by_text("there is no state field 'stone'; did you mean 'stones'?").wait_for()


def test_a_set_up_is_changed_in_forms_and_as_a_file(page, address):
    page.goto(f"{address}/stories")
    press(page, "People, places, things, goals")
    page.get_by_label("Title").fill("The lamp")
    press(page, "Use these")
    press(page, "People, places, things, goals")
    page.get_by_role("tab", name="File").click()
    file = page.get_by_label("TOML")
    file.wait_for()
    assert 'title = "The lamp"' in file.input_value()
    file.fill(file.input_value().replace("at least 2 dead", "at least 2 deaf"))
    press(page, "Use this file")
    page.locator(".verdict.bad", has_text="deaf").wait_for()


def test_a_turn_of_tactics_is_played_answered_and_replayed(page, address):
    from treewright.apps.tactics import job, saves, units

    page.goto(f"{address}/tactics?map=a-small&seed=3")
    page.get_by_text("Blue to move, 3 action points left").wait_for()
    choose(page, "The agent", "greedy-action")
    names = dict(zip(units.CARD_LETTERS, units.CARD_NAMES, strict=True))
    played: list[str] = []
    for left in ("2 action points", "1 action point", "5 action points"):  # then Blue's next turn
        legal = job.shown({"map": "a-small", "seed": 3, "actions": played})["legal"]
        drop = next(a for a in legal if a["text"].startswith("D"))
        page.get_by_role("button", name=names[drop["from"]], exact=True).first.click()
        page.locator("#tactics-board rect.target").first.wait_for()
        page.locator(f"[data-square='{drop['to']}']").click()
        page.get_by_text(f"Blue to move, {left} left").wait_for()
        played.append(drop["text"])
    page.get_by_text("What greedy-action has played").wait_for()
    page.get_by_text("greedy-action has no tree.").wait_for()
    assert page.locator("#tactics-board .plan circle").count() > 0, "its turn is drawn"
    page.get_by_text("action 8 of 8.").wait_for()
    press(page, "back")
    page.get_by_text("Red to move, 1 action point left").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="json", exact=True).click()
    assert len(saves.load(download.value.path()).actions) == 8
    with page.expect_download() as download:
        press(page, "Save the game")
    assert len(saves.load(download.value.path()).actions) == 8


def test_a_move_by_a_button_is_answered(page, address):
    page.goto(f"{address}/games?domain=nim")
    page.get_by_role("button", name="take 1", exact=True).click()
    page.get_by_text("What the search found").wait_for()
    page.get_by_text("your move").wait_for()


def test_the_first_page_lists_everything(page, address):
    page.goto(address)
    page.get_by_role("heading", name="Gallery").wait_for()
    for name in ("Levels", "Stories", "Go", "Games"):
        assert page.get_by_role("link", name=name).first.is_visible()
    page.goto(f"{address}/interface")
    page.get_by_text("POST /api/jobs/level", exact=True).wait_for()


PAGES = ("", "levels", "stories", "go", "maps", "functions", "games", "domain", "tactics",
         "experiments", "interface", "play")  # fmt: skip


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everybody_can_use_every_page(visit, address, axe, dark):
    """axe-core finds nothing serious: labels, contrast, order, keyboard."""
    page = visit(color_scheme="dark" if dark else "light")
    found = []
    for name in PAGES:
        page.goto(f"{address}/{name}")
        page.locator(".studio-room h1").first.wait_for()
        found += axe(page)
    assert not found, "\n".join(found)


def test_a_function_is_minimised_and_its_regions_close_in(page, address):
    """No kernel is compiled for a formula, so that this is quick."""
    image = pytest.importorskip("PIL.Image")
    page.goto(f"{address}/functions?budget=200")
    page.locator("figure", has_text="SOO").locator("polygon").first.wait_for()
    first = page.locator("figure", has_text="Iterated Splitting")
    first.get_by_text("the box is now").wait_for()
    page.locator('[aria-label="what was found"] .number', has_text="200").wait_for()
    assert first.locator("polygon").count() == 10, "one for each pass"
    page.get_by_role("slider", name="Evaluations shown").locator("[tabindex]").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(  # the last pass ends with the last evaluation
        "() => document.querySelector('figure').querySelectorAll('polygon').length === 9"
    )
    with page.expect_download() as download:
        page.get_by_role("link", name="csv", exact=True).click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert len(rows) == 4 * 200
    assert min(float(r["value"]) for r in rows if r["method"] == "runs") < 1e-9
    with page.expect_download() as download:
        page.get_by_role("link", name="png", exact=True).click()
    assert image.open(download.value.path()).size == (480, 480)
    # a function of several dimensions, by its name
    page.get_by_role("combobox", name="Function").click()
    page.get_by_role("option", name="BBOB 3: Rastrigin").click()
    page.get_by_role("slider", name="Dimensions").locator("[tabindex]").focus()
    page.keyboard.press("ArrowRight")
    press(page, "Minimise")
    page.get_by_text("A slice of 3 dimensions").wait_for()
    # the tree of the search, and its four steps
    assert open_tree(page).get_by_text("x1, part 1 of 3").count() > 0
    press(page, "Step by step")
    page.get_by_text("Simulation 1 of 30.").wait_for()


def test_links_of_a_result_are_out_of_reach_while_another_is_made(page, address):
    page.goto(f"{address}/functions?budget=150&seed=5")
    links = page.locator(".exports")
    links.wait_for()
    choose(page, "Function", "BBOB 3: Rastrigin")
    with busy(address):  # so that the next one certainly has to wait
        press(page, "Minimise")
        page.get_by_role("button", name="Cancel").wait_for()
        links.wait_for(state="hidden")
        press(page, "Cancel")
        links.wait_for()  # what is shown is still the first


def test_a_level_is_played_by_touch_on_a_phone(visit, address):
    wide = 26
    wall = "-" * 12 + "X" + "-" * 13
    rows = ["-" * wide] * 9 + [wall, f"-M{wall[2:-2]}F-"] + ["X" * wide] * 2
    job = made(address, "painted-level", {"rows": rows})
    page = visit(390, 780, has_touch=True, is_mobile=True)
    page.goto(f"{address}/play?job={job}")
    page.wait_for_function("() => window.treewrightGame?.phase === 'waiting'")
    page.locator("[data-part=message]").tap()
    page.wait_for_function("() => treewrightGame.phase === 'playing'")
    finger = page.context.new_cdp_session(page)

    def touch(kind, *names):
        boxes = [page.get_by_role("button", name=n, exact=True).bounding_box() for n in names]
        at = [{"x": b["x"] + b["width"] / 2, "y": b["y"] + b["height"] / 2} for b in boxes]
        points = [
            spot | {"id": ["right", "jump"].index(n)} for n, spot in zip(names, at, strict=True)
        ]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", "right")
    for _ in range(60):
        if page.evaluate("() => treewrightGame.phase") != "playing":
            break
        touch("touchStart", "right", "jump")
        page.wait_for_timeout(350)
        touch("touchEnd", "jump")
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Again").wait_for()
    assert page.evaluate("() => treewrightGame.attempt") == 1, "over the wall, to the flag"


def test_an_experiment_is_run_and_followed(page, address):
    page.goto(f"{address}/experiments")
    page.get_by_text("The report that comes with Treewright").wait_for()
    press(page, "Run")
    page.get_by_text("of 12 cells").wait_for()
    page.get_by_text("Export:").wait_for()
    page.wait_for_function("() => document.querySelector('.report img')?.naturalWidth > 0")
    rows = list(csv.DictReader(saved(page, "csv").read_text().splitlines()))
    assert len(rows) == 12


@pytest.mark.parametrize(
    "path",
    ["../../../../../../etc/passwd", "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
     "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "..%5c..%5cetc%5cpasswd",
     "..%00/etc/passwd", "../studio.sqlite", "studio.sqlite", "../pages.py"],
)  # fmt: skip
def test_no_file_is_served_but_ours(address, path):
    """As a program asks that does not tidy addresses up, as browsers do."""
    host = address.removeprefix("http://")
    folders = ("", "studio/", "study/", "results/", "go-static/", "maps-static/", "tactics-static/",
               "api/jobs/x/files/", "play-world/", "_nicegui/")  # fmt: skip
    for folder in folders:
        connection = http.client.HTTPConnection(host)
        connection.request("GET", f"/{folder}{path}")
        answer = connection.getresponse()
        assert 400 <= answer.status < 500, folder
        assert b"root:" not in answer.read()
        connection.close()


def test_reports_are_beside_the_papers(page, address):
    page.goto(f"{address}/experiments")
    page.get_by_text("The report that comes with Treewright").wait_for()
    page.get_by_role("combobox", name="Experiment").click()
    page.get_by_role("option", name="Maps: fitness by method").click()
    page.get_by_role("heading", name="Maps: fitness by method").wait_for()
    page.wait_for_function(
        "() => document.querySelector('.report img[src$=\"map-methods.png\"]')?.naturalWidth > 0"
    )
