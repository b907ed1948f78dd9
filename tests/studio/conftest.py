"""A studio of the command line's, and Debian's Chromium to look at it."""

import os
from pathlib import Path

import pytest
from serving import served

PATIENCE = int(
    os.environ.get("TREEWRIGHT_PATIENCE", 300_000)
)  # milliseconds: a kernel may have to be compiled on a busy machine


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """The command line's own server."""
    pytest.importorskip(
        "nicegui", reason="the studio is not installed: pip install 'treewright[studio]'"
    )
    folder = tmp_path_factory.mktemp("studio")
    with pytest.MonkeyPatch.context() as here:
        here.setenv("TREEWRIGHT_STORE", str(folder / "rows.sqlite"))  # not this person's own
        with served("studio", folder, "--no-show", "--no-gallery") as found:
            yield found


@pytest.fixture
def visit(browser, address):
    """Opens a page that fails the test where a script fails, or where another host is asked."""
    contexts = []

    def visit(width=1280, height=900, at=address, **settings):
        def only_ours(request):
            ours = request.url.startswith((at, "data:", "blob:", at.replace("http", "ws")))
            assert ours, f"{request.url} is not ours"

        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, **settings))
        found = contexts[-1].new_page()
        found.set_default_timeout(PATIENCE)
        found.on("pageerror", lambda error: pytest.fail(f"the page raised {error}"))
        found.on("request", only_ours)
        return found

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def page(visit):
    return visit()


@pytest.fixture
def axe(root):
    """axe-core, which looks for what people who can't see or use a mouse would stumble over."""
    path = Path(os.environ.get("TREEWRIGHT_AXE", root / "node_modules/axe-core/axe.min.js"))
    if not path.is_file():
        pytest.skip(f"axe-core is not here ({path}): npm install --no-save axe-core")
    script = path.read_text()

    def serious(page):
        page.wait_for_function("() => document.fonts.status === 'loaded'")
        page.evaluate(script)
        found = page.evaluate("() => axe.run()")["violations"]
        bad = [wrong for wrong in found if wrong["impact"] in ("serious", "critical")]
        return [f"{page.url} {w['id']}: {n['html'][:200]}" for w in bad for n in w["nodes"]]

    return serious
