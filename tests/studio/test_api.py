"""The HTTP interface, without a browser."""

# ruff: noqa: E402
import asyncio
import socket
import sys
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip(
    "nicegui", reason="the studio is not installed: pip install 'treewright[studio]'"
)

from treewright.studio import api
from treewright.studio.fence import Fence
from treewright.workshop.jobs import Manager
from treewright.workshop.web import HERE, SmallBodies

KINDS = {"wait": "slow_jobs:WAIT", "local": "slow_jobs:LOCAL"}
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def manager(tmp_path_factory):
    before = list(sys.path)
    sys.path.insert(0, str(Path(__file__).parent.parent / "workshop"))
    found = Manager(tmp_path_factory.mktemp("studio"), 1, KINDS)
    yield found
    found.close()
    sys.path[:] = before


def served(manager, token="", hosts=HERE):
    """As the server puts it together."""
    app = api.build(manager)
    app.add_middleware(SmallBodies, most=2**16)
    app.add_middleware(Fence, hosts=hosts, token=token)
    return app


def talk(app, conversation, client="127.0.0.1", base="http://localhost:8080"):
    async def go():
        transport = httpx.ASGITransport(app=app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url=base) as to:
            return await conversation(to)

    return asyncio.run(go())


def test_a_job_from_start_to_result(manager):
    async def conversation(to):
        kinds = {kind["name"]: kind for kind in (await to.get("/kinds")).json()}
        assert kinds["wait"]["formats"] == {"text": "text/plain"}
        assert kinds["local"]["local"]
        assert kinds["wait"]["settings"]["properties"]["name"]["maxLength"] == 20
        begun = await to.post("/jobs/wait", json={"name": "x"})
        assert begun.status_code == 202
        job = begun.json()
        for _ in range(100):
            if job["state"] not in ("waiting", "running"):
                break
            seen = f"/jobs/{job['id']}?wait=30&after={job['version']}"
            job = (await to.get(seen, timeout=60)).json()
        assert job["state"] == "done"
        where = f"/jobs/{job['id']}"
        assert (await to.get(f"{where}/result")).json() == {"name": "x"}
        export = await to.get(f"{where}/export/text")
        assert (export.text, export.headers["content-type"][:10]) == ("x", "text/plain")
        assert "attachment" in export.headers["content-disposition"]
        assert (await to.get(f"{where}/files/a.txt")).text == "text"
        assert (await to.post(f"{where}/cancel")).json()["state"] == "done"
        assert (await to.post(f"{where}/rating?rating=2")).json()["rating"] == 2
        assert [j["id"] for j in (await to.get("/jobs?kind=wait")).json()][:1] == [job["id"]]
        assert (await to.delete(where)).status_code == 204
        assert (await to.get(where)).status_code == 404
        described = (await to.get("/openapi.json")).json()
        assert "/jobs/wait" in described["paths"]

    talk(served(manager), conversation)


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "/jobs/nobody", None, 404),
        ("GET", "/jobs/..%2F..%2Fetc%2Fpasswd", None, 404),
        ("GET", "/jobs/a%00b", None, 422),
        ("GET", "/jobs/nobody/files/..%2Fstudio.sqlite", None, 404),
        ("GET", "/jobs/nobody/files/studio.sqlite", None, 404),
        ("GET", "/jobs?most=0", None, 422),
        ("GET", "/jobs/nobody?wait=inf", None, 422),
        ("POST", "/jobs/wait", b"{", 422),
        ("POST", "/jobs/wait", b'{"name": "' + b"x" * 21 + b'"}', 422),
        ("POST", "/jobs/wait", b"[" * 10_000, 400),
        ("POST", "/jobs/wait", b"x" * 2**17, 413),
        ("POST", "/jobs/else", b"{}", 405),
        ("DELETE", "/jobs/nobody", None, 404),
    ],
)
def test_what_makes_no_sense_is_one_sentence(manager, method, path, body, code):
    async def conversation(to):
        got = await to.request(method, path, content=body, headers=JSON if body else {})
        assert got.status_code == code, got.text
        assert isinstance(got.json()["detail"], str)
        assert len(got.text) < 500

    talk(served(manager), conversation)


def test_code_runs_only_for_this_machine(manager):
    async def conversation(to):
        return (await to.post("/jobs/local", json={})).status_code

    async def through_a_proxy(to):
        headers = {"x-forwarded-for": "127.0.0.1"}
        return (await to.post("/jobs/local", json={}, headers=headers)).status_code

    app = served(manager, hosts=None)
    assert talk(app, conversation) == 202
    assert talk(app, conversation, client="10.0.0.7") == 403
    assert talk(app, through_a_proxy) == 403


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"origin": "http://localhost:8080"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),  # a link
        ({"host": "evil.example"}, 403),
        ({"host": "[::1]:8080"}, 200),
        ({"host": "["}, 403),
    ],
)
def test_other_sites_are_refused(manager, headers, code):
    async def conversation(to):
        got = await to.get("/kinds", headers=headers)
        assert got.status_code == code
        assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
        form = await to.post(
            "/jobs/wait", content=b"{}", headers=headers | {"sec-fetch-mode": "navigate"}
        )
        if headers.get("sec-fetch-site") == "cross-site":
            assert form.status_code == 403, "a form of another site is no link"

    talk(served(manager), conversation)


def test_a_token_is_demanded_where_others_are_let_in(manager):
    async def conversation(to):
        assert (await to.get("/kinds")).status_code == 401
        assert (await to.get("/kinds?token=wrong")).status_code == 401
        assert (await to.post("/jobs/wait?token=secret", json={})).status_code == 401
        bearer = {"authorization": "Bearer secret"}
        assert (await to.get("/kinds", headers=bearer)).status_code == 200
        assert (
            await to.get("/kinds", headers={"authorization": "Bearer \xe9".encode("latin-1")})
        ).status_code == 401
        let_in = await to.get("/kinds?token=secret&most=3")
        assert let_in.status_code == 303
        assert let_in.headers["location"] == "/kinds?most=3"
        assert "HttpOnly; SameSite=Strict" in let_in.headers["set-cookie"]
        assert (await to.get("/kinds")).status_code == 200, "the cookie is kept"
        sly = await to.get("//evil.example?token=secret", headers={"cookie": ""})
        assert not sly.headers.get("location", "").startswith("//")

    talk(served(manager, "secret", None), conversation, "10.0.0.7", "http://studio.lan:8080")


def test_sockets_of_other_sites_are_refused():
    sent = []

    async def app(scope, receive, send):
        sent.append("let in")

    async def send(message):
        sent.append(message["type"])

    for origin in (b"http://evil.example", b"http://localhost"):
        scope = {
            "type": "websocket",
            "headers": [(b"host", b"localhost"), (b"origin", origin)],
            "query_string": b"",
        }
        asyncio.run(Fence(app)(scope, None, send))
    assert sent == ["websocket.close", "let in"]


def test_only_this_machine_is_let_in_unless_asked():
    import inspect

    from treewright.cli.studio import studio
    from treewright.studio.server import address, token_for

    assert inspect.signature(studio).parameters["host"].default == "127.0.0.1"
    assert token_for("127.0.0.1") == token_for("localhost") == ""
    assert len(token_for("0.0.0.0")) > 20
    assert address("::1", 80, "") == "http://[::1]:80/"
    assert address("0.0.0.0", 80, "x") == f"http://{socket.gethostname()}:80/?token=x"
