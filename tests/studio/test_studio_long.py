"""The studio in a real browser, as far as that takes minutes: on request.

``TREEWRIGHT_PICTURES=folder python -m pytest tests/studio/test_studio_long.py`` runs this, and
leaves a screenshot of every page in the folder, light and dark, wide and narrow, to look at.
"""

import json
import os
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from serving import served
from studio_hands import ask, choose, made, open_tree, press, saved

PICTURES = os.environ.get("TREEWRIGHT_PICTURES")
pytestmark = pytest.mark.skipif(
    not PICTURES, reason="minutes of a browser; TREEWRIGHT_PICTURES=folder runs it"
)
PAGES = ("", "levels", "stories", "go", "maps", "functions", "games", "domain", "tactics",
         "experiments", "interface", "play")  # fmt: skip


def test_locked_columns_stay_and_what_is_kept_is_rated(page, address):
    page.goto(f"{address}/levels?length=60&seed=5")
    page.get_by_text("✓ playable").wait_for()
    before = page.evaluate("() => levelNow.rows")
    press(page, "Lock columns")
    box = page.locator("#level-editor canvas").bounding_box()
    wide = box["width"] / 60
    page.mouse.move(box["x"] + 2 * wide, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 13.5 * wide, box["y"] + 40, steps=30)
    page.mouse.up()
    page.wait_for_timeout(500)
    press(page, "Another")
    page.wait_for_function("(b) => levelNow.playable && levelNow.rows.join() !== b.join()",
                           arg=before)  # fmt: skip
    page.get_by_text("✓ playable").wait_for()
    after = page.evaluate("() => levelNow.rows")
    locked = page.evaluate("() => levelNow.locked")
    assert len(locked) >= 10
    assert [[row[c] for c in locked] for row in after] == [[r[c] for c in locked] for r in before]
    page.locator(".q-rating__icon-container").nth(3).click()
    page.locator(".shelf a", has_text="★★★★").first.wait_for()


def test_a_map_is_wished_grown_locked_and_exported(page, address):
    image = pytest.importorskip("PIL.Image")
    page.goto(f"{address}/maps")
    grid = page.locator("#map-grid")
    box = grid.bounding_box()
    cell = box["width"] / 20
    grid.click(position={"x": 10.5 * cell, "y": 10.5 * cell})
    page.get_by_label("4 and 5").wait_for()
    page.get_by_label("4 and 5").click()
    page.get_by_role("option", name="near").click()
    press(page, "Generate")
    page.get_by_text("Fitness, up to").wait_for()
    page.get_by_role("link", name="tmx", exact=True).wait_for()
    first = json.loads(saved(page, "json").read_text())["map"]
    press(page, "Lock")
    page.mouse.move(box["x"] + 0.5 * cell, box["y"] + 5.5 * cell)
    page.mouse.down()
    page.mouse.move(box["x"] + 8.5 * cell, box["y"] + 5.5 * cell, steps=30)
    page.mouse.up()
    page.locator("#map-grid rect.wall, #map-grid rect.floor").first.wait_for()
    url = page.url
    press(page, "Another")
    page.wait_for_function("(u) => location.href !== u", arg=url)
    page.locator(f"a[href*='{page.url.rpartition('=')[2]}']").first.wait_for()
    second = json.loads(saved(page, "json").read_text())["map"]
    assert first != second
    assert first[5][1:8] == second[5][1:8]
    assert image.open(saved(page, "png")).size[0] > 100
    tiles = ElementTree.parse(saved(page, "tmx")).getroot()
    assert (tiles.get("width"), tiles.get("height")) == ("20", "20")
    press(page, "A dungeon")
    page.locator("img.dungeon").wait_for()


def test_a_story_is_made_pinned_branched_and_read(page, address):
    page.goto(f"{address}/stories?setup=sherlock&nodes=5000&seed=2")
    page.locator(".steps-list li").first.wait_for()
    first = page.locator(".steps-list small").first.inner_text()
    page.locator(".steps-list .q-checkbox").first.click()
    url = page.url
    press(page, "A different one")
    page.wait_for_function("(u) => location.href !== u", arg=url)
    page.locator(".steps-list li").first.wait_for()
    page.get_by_role("button", name="Cancel").first.wait_for(state="hidden")
    assert page.locator(".steps-list small").first.inner_text() == first
    page.get_by_label("Choice points").fill("2")
    press(page, "Generate")
    choices = page.locator(".reader button.q-btn--outline")
    choices.first.wait_for()
    for _ in range(4):
        if not choices.count():
            break
        choices.first.click()
        page.wait_for_timeout(300)
    page.get_by_text("The end.").wait_for()
    passages = saved(page, "twee").read_text()
    assert passages.count("\n:: ") >= 2
    assert "[[" in passages
    assert page.locator(".graph").bounding_box()["width"] > 300
    graph = ElementTree.parse(saved(page, "graph")).getroot()
    assert graph.tag.endswith("svg")


def agents():
    from treewright.apps.tactics.agents import AGENTS

    return list(AGENTS)


@pytest.mark.parametrize("name", agents())
def test_every_agent_of_tactics_is_played_against(page, address, name):
    """It answers a turn, its own turn is drawn, and its tree opens if it has one."""
    page.goto(f"{address}/tactics?map=a-small&seed=3&evaluations=1000")
    page.get_by_text("Blue to move").wait_for()
    choose(page, "The agent", name)
    press(page, "Plan my turn")
    page.get_by_text(f"What {name} would play, Blue").wait_for()
    assert page.locator("#tactics-board .plan circle").count() > 0
    press(page, "Play this turn")
    page.get_by_text(f"What {name} has played, Red").wait_for()
    page.get_by_text("Blue to move, 5 action points left").wait_for()
    assert page.locator("#tactics-board .piece").count() > 4, "units beside the crystals"
    if not page.get_by_text(f"{name} has no tree.").count():
        open_tree(page).get_by_role("button", name="Step by step").click()
        page.get_by_text("Simulation 1 of 30.").wait_for()


POSITION = '["b E5", "w C3", "b G7"]'
GROWING = {  # an address, and what is pressed there
    "games": ("/games?domain=connect-four&simulations=200000", None),
    "levels": ("/levels?length=500&seed=77", None),
    "maps": ("/maps?method=paper&evaluations=500000", "Generate"),
    "functions": ("/functions?bbob=3&dimensions=5&budget=2000", None),
    "stories": ("/stories?setup=sherlock&nodes=400000&seed=3", None),
    "go": (f"/go?simulations=50000&moves={quote(POSITION)}", "Hint"),
    "tactics": ("/tactics?ap=15&evaluations=50000", "Plan my turn"),
}


@pytest.mark.parametrize("name", GROWING)
def test_a_search_is_seen_growing(page, address, name):
    where, button = GROWING[name]
    page.goto(address + where)
    if button is not None:
        if name == "tactics":
            choose(page, "The agent", "emcts-reply-oep")  # the slowest
        press(page, button)
    growing = page.get_by_text("The search, growing").locator("visible=true").first
    growing.wait_for()
    growing.click()
    page.wait_for_function("() => document.querySelectorAll('svg.steps-tree circle').length > 3")


STEPPED = {  # a small search, and what is pressed for it
    "levels": ("/levels?length=60&seed=5", None),
    "maps": ("/maps?method=paper", "Generate"),
    "functions": ("/functions?budget=200", None),
    "stories": ("/stories?setup=sherlock&nodes=5000&seed=2", None),
    "go": (f"/go?moves={quote(POSITION)}", "Hint"),
}


@pytest.mark.parametrize("name", STEPPED)
def test_a_search_is_stepped_through_and_everybody_can_read_it(page, address, axe, name):
    """The tree, the four steps, and axe-core on the page with all of that open."""
    where, button = STEPPED[name]
    page.goto(address + where)
    if button is not None:
        press(page, button)
    inspector = open_tree(page)
    inspector.get_by_role("button", name="Step by step").click()
    page.get_by_text("Simulation 1 of 30.").wait_for()
    for stage in ("Expansion", "Simulation", "Back-up", "Selection"):
        inspector.get_by_role("button", name="forward").click()
        page.locator(".stages .now", has_text=stage).wait_for()
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=str(Path(PICTURES) / f"{name}-made-{width}.png"), full_page=True)
        assert not axe(page)


def test_a_domain_is_brought_checked_played_and_searched(page, address):
    page.goto(f"{address}/domain")
    code = page.get_by_label("A Python file with one domain")
    text = code.input_value().replace("heap=15", "heap=7")
    with page.expect_file_chooser() as chooser:
        press(page, "Or bring a file")
    chooser.value.set_files({"name": "x.py", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait_for_function("() => document.querySelector('textarea').value.includes('heap=7')")
    press(page, "Use it")
    page.wait_for_function("() => document.querySelectorAll('svg.picture circle').length === 7")
    press(page, "Check it")
    page.locator("pre", has_text="no problem found").wait_for()
    page.locator("svg.picture [data-action='2']").click()
    page.get_by_text("What the search found").wait_for()
    page.wait_for_function("() => document.querySelectorAll('svg.picture circle').length === 4")
    press(page, "Step by step")
    page.get_by_text("Simulation 1 of 40.").wait_for()


def test_the_line_of_the_engine_of_go_is_under_the_mouse(page, address):
    page.goto(f"{address}/go?moves={quote(POSITION)}")
    press(page, "Hint")
    page.get_by_text("What White thought").wait_for()
    best = page.locator("#go-board [data-line]").first
    best.hover()
    line = best.get_attribute("data-line").split()
    assert page.locator("#go-board .ghosts circle").count() == len(line) > 1
    page.goto(f"{address}/go")
    for vertex, number in (("E5", 2), ("A1", 4)):  # the second answer is in no opening
        page.locator(f"[data-vertex={vertex}]").click()
        page.get_by_text(f"Move {number}. Black to play.").wait_for()
    page.get_by_text("Black's chances").wait_for()


def test_a_studio_that_is_killed_says_what_was_cut(visit, tmp_path):
    """-9 in the middle of a job: what was finished is there, and the first page says the rest."""
    with served("studio", tmp_path, "--no-show", "--no-gallery") as address:
        job = made(address, "minimise", {"budget": 150})
        cut = ask(address, "/api/jobs/steps", {"domain": "samegame", "simulations": 200})["id"]
        while ask(address, f"/api/jobs/{cut}?wait=1")["state"] != "running":
            pass
    with served("studio", tmp_path, "--no-show", "--no-gallery") as address:
        assert ask(address, f"/api/jobs/{cut}")["state"] == "cut"
        assert len(ask(address, f"/api/jobs/{job}/result")["runs"]) == 4
        page = visit(at=address)
        page.goto(address)
        page.get_by_role("alert").get_by_text(f"a search step by step ({cut[:6]})").wait_for()
        page.goto(f"{address}/functions?job={job}")
        page.get_by_text("Export:").wait_for()


def test_a_card_of_the_gallery_opens_its_page(page, address):
    made(address, "gallery", {"piece": "nim"})
    page.goto(address)
    page.get_by_role("link", name="Nim, solved").click()
    page.wait_for_url("**/games?domain=nim*")
    page.get_by_text("What the search found").wait_for()


def test_fifty_visitors_look_on(browser, address):
    """All of them see a job that one of them has started, and that it was cancelled."""
    settings = {"domain": "samegame", "simulations": 200}
    job = ask(address, "/api/jobs/steps", settings)["id"]
    context = browser.new_context()
    visitors = [context.new_page() for _ in range(50)]
    for visitor in visitors:
        visitor.goto(f"{address}/games?domain=samegame&job={job}", wait_until="commit")
    for visitor in visitors:
        visitor.get_by_role("button", name="Cancel").wait_for(timeout=120_000)
    visitors[0].get_by_role("button", name="Cancel").click()
    for visitor in visitors:
        visitor.get_by_text("cancelled", exact=True).wait_for(timeout=120_000)
    context.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360], ids=["desktop", "phone"])
def test_every_page_is_whole_at_every_width(visit, address, axe, dark, width):
    folder = Path(PICTURES)
    folder.mkdir(parents=True, exist_ok=True)
    page = visit(width, 800, color_scheme="dark" if dark else "light")
    found = []
    for name in PAGES:
        page.goto(f"{address}/{name}")
        page.locator(".studio-room h1").first.wait_for()
        page.get_by_role("button", name="Cancel").first.wait_for(state="hidden")
        page.wait_for_timeout(800)
        shown = f"{name or 'home'}-{width}-{'dark' if dark else 'light'}.png"
        page.screenshot(path=str(folder / shown), full_page=True)
        if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
            found.append(f"/{name} is wider than the window")
        found += axe(page)
    assert not found, "\n".join(found)
