"""The search inspector, for any page: the tree of the last search, and what it took."""

from html import escape
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.shown import count_of
from treewright.workshop.jobs import Job
from treewright.workshop.searching.inspector import TREE
from treewright.workshop.searching.stepping import Steps
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import QUIET, Following, Studio, facts

PLACE = "treewright.workshop.searching.inspector"


def inspector(studio: Studio, job: Job, open_: bool = False) -> bool:
    """A part of a page that shows the tree which a job has left; whether it has left one."""
    if not studio.manager.store.has(job.id, TREE):
        return False
    _Inspector(studio, job, open_)
    return True


class _Inspector:
    """What is shown when it is opened: not before, since a large tree takes a moment to read."""

    def __init__(self, studio: Studio, job: Job, open_: bool) -> None:
        ui = nicegui().ui
        self._studio, self._job = studio, job
        self._filled = False
        self._part = ui.expansion("The search: its tree", value=open_, on_value_change=self._fill)
        self._part.classes("w-full inspector")
        if open_:
            ui.timer(0.01, self._fill, once=True)

    async def _fill(self) -> None:
        if self._filled:
            return
        self._filled = True
        try:
            found = await _asked(self._studio, "about", self._job)
            below = await _asked(self._studio, "children", self._job, [])
        except TreewrightError as error:
            found, below = str(error), []
        if self._part.is_deleted:  # another result is shown by now
            return
        with self._part:
            if isinstance(found, str):
                html(f'<p class="warning" role="alert">{escape(found)}</p>')
            else:
                self._show(found, below)

    def _show(self, found: dict[str, Any], below: list[dict[str, Any]]) -> None:
        line = escape(" · ".join(found["variation"])) or "none"
        html(f"<p>Principal variation: {line}</p>")
        facts(found["took"])
        if found["root"]:
            html(f"<p>The tree begins here:</p><pre>{escape(found['root'])}</pre>")
        html("<p class=quiet>Each node opens; values are for whoever chooses the move.</p>")
        Tree(self._studio, self._job, below)
        if not self._studio.manager.work(self._job.kind).local:
            _Stepping(self._studio, self._job)


async def _asked(studio: Studio, what: str, job: Job, *more: Any) -> Any:
    """A question about a job's tree, in a thread: other visitors don't wait for it."""
    from starlette.concurrency import run_in_threadpool

    manager = studio.manager
    place, store = f"{PLACE}:{what}", str(manager.store.path)
    return await run_in_threadpool(manager.ask, place, store, job.id, *more, slow=True)


class _Stepping:
    """A few simulations from the tree's root, each with its four steps."""

    def __init__(self, studio: Studio, job: Job) -> None:
        ui = nicegui().ui
        ui.button("Step by step", on_click=self._begin).props(QUIET)
        self._job = job
        self._own = studio.manager.work(job.kind).options is not None
        self._following = Following(studio, self._done)
        self._room = ui.element("div").classes("panel-room")

    def _begin(self) -> None:
        self._following.start("steps-of", {"job": self._job.id})

    def _done(self, job: Job, data: dict[str, Any]) -> None:
        self._room.clear()
        rules = "Its own rules" if self._own else "Plain UCT, with the domain's own rollouts"
        with self._room:
            html(f"<p class=quiet>{rules}, from the same root.</p>")
            Steps(data)


class Tree:
    """A search's tree: every node opens when it is asked for, and is loaded only then."""

    def __init__(self, studio: Studio, job: Job, first: list[dict[str, Any]]) -> None:
        ui = nicegui().ui
        self._studio, self._job = studio, job
        self._asked = {"root"}
        self._tree = ui.tree([], label_key="label", on_expand=self._open).props(
            "dense no-transition"
        )
        self._nodes = [self._node(child, []) for child in first]
        self._tree.props["nodes"] = self._nodes
        self._tree.update()

    async def _below(self, path: list[int]) -> list[dict[str, Any]]:
        try:
            found = await _asked(self._studio, "children", self._job, path)
        except TreewrightError as error:
            return [{"id": f"{path} wrong", "label": str(error)}]
        return [self._node(child, path) for child in found]

    def _node(self, child: dict[str, Any], path: list[int]) -> dict[str, Any]:
        own = [*path, child["action"]]
        more = "".join(
            f", {name} {child[name]:.3f}" for name in ("rave", "prior", "proven") if name in child
        )
        visits = count_of(child["visits"], "visit")
        words = f"{child['label']}: {visits}, {_short(child['value'])}{more}"
        node: dict[str, Any] = {"id": "/".join(map(str, own)), "label": words}
        if child["more"]:
            node["children"] = [{"id": f"{node['id']}/…", "label": "…"}]
        return node

    async def _open(self, event: Any) -> None:
        for name in set(event.value) - self._asked:
            self._asked.add(name)
            node = _found(self._nodes, name)
            if node is not None:
                node["children"] = await self._below([int(part) for part in name.split("/")])
        self._tree.props["nodes"] = self._nodes
        self._tree.update()


def _short(value: float) -> str:
    """Three digits after the point, or three of a value that is hardly above nothing."""
    return f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.3g}"


def _found(nodes: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    for node in nodes:
        if node["id"] == name:
            return node
        if name.startswith(node["id"] + "/"):
            return _found(node.get("children", []), name)
    return None
