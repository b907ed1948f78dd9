"""What a person does on the studio's pages, and what a program asks of its interface."""

import contextlib
import json
import time
import urllib.request


def press(page, name):
    page.get_by_role("button", name=name, exact=True).first.click()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def open_tree(page):
    """The search inspector, when it has slid open and nothing moves any more."""
    page.get_by_text("The search: its tree").first.click()
    found = page.locator(".inspector")
    found.locator(".q-tree__node").first.wait_for()
    page.wait_for_timeout(600)
    return found


def saved(page, name):
    """The file behind a link."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    return download.value.path()


def ask(address, path, data=None):
    body = None if data is None else json.dumps(data).encode()
    headers = {} if data is None else {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address + path, body, headers)) as answer:
        return json.load(answer)


def made(address, kind, data):
    """A job of the interface, done."""
    job = ask(address, f"/api/jobs/{kind}", data)["id"]
    while (now := ask(address, f"/api/jobs/{job}?wait=20"))["state"] in ("waiting", "running"):
        time.sleep(0.1)
    assert now["state"] == "done", now["words"]
    return job


@contextlib.contextmanager
def busy(address):
    """Both processes of the studio are at work on long jobs, so that whatever is asked waits."""
    long = {"domain": "samegame", "simulations": 500_000}
    jobs = [ask(address, "/api/jobs/search", long | {"seed": seed})["id"] for seed in (1, 2)]
    while any(ask(address, f"/api/jobs/{job}")["state"] == "waiting" for job in jobs):
        time.sleep(0.1)
    try:
        yield
    finally:
        for job in jobs:
            ask(address, f"/api/jobs/{job}/cancel", {})
