"""What the game says to the server, without a browser."""

import asyncio

import pytest

from treewright.apps.levels.level import Level
from treewright.apps.study.store import Store

pytest.importorskip(
    "nicegui", reason="the studio is not installed: pip install 'treewright[studio]'"
)

EASY = Level((*["-" * 16] * 12, "-" * 15 + "F", "X" * 16))


def test_addresses_refuse_what_makes_no_sense(tmp_path):
    """Wrong ids, batches and bodies; what is refused leaves nothing behind."""
    import httpx
    from fastapi import FastAPI

    from treewright.apps.study.addresses import add_addresses

    study = Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)}, theme="cave")
    app = FastAPI()
    add_addresses(app, study)
    who = study.enrol()
    url = f"/api/p/{who}/1/1"

    async def talk():
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            data = (await client.get(f"/api/p/{who}/1")).json()
            assert (data["most"], data["attempts"], data["world"]["columns"]) == (3, [], 16)
            assert data["theme"]["colours"]["skyTop"] == "#181826"
            assert (await client.get("/api/p/nobody/1")).status_code == 409
            assert (await client.get(f"/api/p/{who}/99")).status_code == 409
            for body, code in (
                ({"first": 0, "runs": [[2, 5]]}, 200),
                ({"first": 50, "runs": [[2, 5]]}, 409),
                ({"first": 0, "runs": [[99, 5]]}, 409),
                ({"first": -1, "runs": []}, 422),
                ({"first": 0, "runs": [["x", 1]]}, 422),
                ({"runs": []}, 422),
                ({"first": 0, "runs": [[1, 1]] * 6001}, 422),
            ):
                assert (await client.post(url, json=body)).status_code == code, body

    asyncio.run(talk())
    assert study.attempts(who, 1) == [[[2, 5]]]


def test_only_this_machine_is_let_in_and_a_taken_port_is_said():
    import inspect
    import socket

    from treewright.apps.study.commands import rate, serve
    from treewright.errors import OptionError
    from treewright.workshop.web import free

    for command in (serve, rate):
        assert inspect.signature(command).parameters["host"].default == "127.0.0.1"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OptionError, match="can't listen on"):
            free("127.0.0.1", taken.getsockname()[1])


def test_a_consent_text_of_ones_own_is_shown_as_text(tmp_path):
    from treewright.apps.study.pages import CONSENT, _consent

    levels = {v: [EASY] for v in range(1, 9)}
    own = Store.create(tmp_path / "a.sqlite", levels, consent="One <b>rule</b>.\n\nAnother.")
    assert _consent(own) == "<p>One &lt;b&gt;rule&lt;/b&gt;.</p><p>Another.</p>"
    assert _consent(Store.create(tmp_path / "b.sqlite", levels)) == CONSENT


def test_what_is_not_installed_is_named(monkeypatch):
    import sys

    from treewright.apps.study import analysis
    from treewright.errors import MissingExtra
    from treewright.workshop import web as frame

    monkeypatch.setitem(sys.modules, "nicegui", None)
    monkeypatch.setitem(sys.modules, "statsmodels.api", None)
    with pytest.raises(MissingExtra, match=r"pip install 'treewright\[studio\]'"):
        frame.nicegui()
    with pytest.raises(MissingExtra, match=r"pip install 'treewright\[study\]'"):
        analysis.load("statsmodels.api")


def test_a_session_by_the_addresses_alone(tmp_path):
    import httpx
    from fastapi import FastAPI

    from treewright.apps.study.addresses import add_addresses

    study = Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)})
    app = FastAPI()
    add_addresses(app, study)

    async def talk():
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            assert (await client.post("/api/enrol", json={"agree": False})).status_code == 409
            found = await client.post("/api/enrol", json={"agree": True, "simulated": True})
            who = found.json()["participant"]
            while (step := (await client.get(f"/api/p/{who}")).json())["kind"] != "done":
                if step["kind"] == "play":
                    body = {"first": 0, "runs": [[6, 200]]}
                    found = await client.post(f"/api/p/{who}/{step['slot']}/1", json=body)
                    assert found.json()["outcome"] == "won"
                elif step["kind"] == "ask":
                    body = {"challenge": "A", "preference": "B"}
                    await client.post(f"/api/answer/{who}/{step['pair']}", json=body)
                else:
                    body = {"experience": "expert"}
                    await client.post(f"/api/experience/{who}", json=body)
            body = {"challenge": "<b>odd", "preference": "A"}
            odd = await client.post(f"/api/answer/{who}/1", json=body)
            assert (odd.status_code, "odd" in odd.text) == (409, False), "nothing is repeated"
            late = await client.post(f"/api/answer/{who}/1", json={"challenge": 1})
            assert late.status_code == 422
            codes = [(await client.get(f"/api/p/{who}")).status_code for _ in range(150)]
            assert codes[-1] == 429, "nobody may ask for ever without a pause"
            assert (await client.get("/api/p/somebody-else")).status_code == 409

    asyncio.run(talk())
    (person,) = study.participants()
    assert person["finished"]
    assert len(study.pair_rows()) == 4


def test_a_limit_fills_again_and_forgets_the_oldest(monkeypatch):
    from treewright.apps.study import limits

    monkeypatch.setattr(limits, "MOST_KEPT", 2)
    now = [0.0]
    limit = limits.Limit(2.0, 3, lambda: now[0])
    assert [limit.allows("a") for _ in range(5)] == [True, True, True, False, False]
    now[0] = 0.5
    assert [limit.allows("a") for _ in range(2)] == [True, False]
    limit.allows("b")
    limit.allows("c")
    assert limit.allows("a"), "it was forgotten, and begins anew"


def test_the_game_wears_the_themes(root):
    """Every colour that a theme changes is one of the game's, and every shape one that it draws."""
    import re

    from treewright.apps.levels.themes import THEMES

    text = (root / "src/treewright/apps/study/static/art.mjs").read_text()
    colours = set(re.findall(r'(\w+): "#[0-9a-f]{6}"', text))
    for theme in THEMES.values():
        look = theme.to_dict()
        assert set(look["colours"]) <= colours
        shapes = {kind for kind, _, _ in [*look["ground"], *look["exposed"]]}
        assert shapes <= {"rect", "polygon", "dots", "line"}
    assert THEMES["ice"].to_dict()["colours"]["skyTop"] == "#92b0d6"


def test_the_experimenter_sees_who_is_where(tmp_path):
    from datetime import UTC, datetime, timedelta

    from treewright.apps.study.experimenter import overview, page_text
    from treewright.apps.study.export import public_id

    study = Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)})
    assert study.token() == study.token() != ""
    first, second = study.enrol(), study.enrol()
    study.record(first, 1, 1, 0, [[6, 200]])
    found = overview(study)
    assert [p.state for p in found.counted] == ["here now", "here now"]
    assert sorted(p.levels for p in found.counted) == [0, 1]
    assert (sum(found.played.values()), found.uneven) == (1, 1)
    text = page_text(found, "A <study>")
    assert public_id(first) in text
    assert "A &lt;study&gt;" in text
    for own in (first, second):
        assert own not in text, "with it anybody could act in that name"
    later = overview(study, datetime.now(UTC) + timedelta(hours=1))
    assert later.count("away") == 2
    gone = overview(study, datetime.now(UTC) + timedelta(days=2))
    assert gone.reached[0] == ("began", 2, 2)
    assert [n for _, n, _ in gone.reached] == [2, 0, 0, 0, 0, 0]
    assert "2 left here" in page_text(gone, "")


def test_automatic_participants_are_not_counted_among_people(tmp_path):
    from treewright.apps.study.experimenter import overview, page_text

    study = Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)})
    study.record(study.enrol(simulated=True), 1, 1, 0, [[6, 200]])
    alone = overview(study)
    assert (alone.count("here now"), sum(alone.played.values())) == (1, 1), "nobody else is there"
    study.enrol()
    found = overview(study)
    assert (found.count("here now"), sum(found.played.values())) == (1, 0)
    assert len(found.everybody) == 2
    assert "not counted" in page_text(found, "")
