"""The search inspector, for any page: the tree of the last search, and what it took."""

from html import escape
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.shown import count_of
from treewright.workshop.jobs import Job
from treewright.workshop.searching.stepping import Steps
from treewright.workshop.web import html, nicegui
from treewright.workshop.web.studio import QUIET, Following, Studio, facts

PLACE = "treewright.workshop.searching.inspector"


def inspector(studio: Studio, job: Job, open_: bool = False) -> bool:
    """A part of a page that shows the tree which a job has left; whether it has left one."""
    ui = nicegui().ui
    store = str(studio.manager.store.path)
    try:
        found = studio.manager.ask(f"{PLACE}:about", store, job.id)
    except TreewrightError:
        return False
    with ui.expansion("The search: its tree", value=open_).classes("w-full inspector"):
        line = escape(" · ".join(found["variation"])) or "none"
        html(f"<p>Principal variation: {line}</p>")
        facts(found["took"])
        if found["root"]:
            html(f"<p>The tree begins here:</p><pre>{escape(found['root'])}</pre>")
        html("<p class=quiet>Each node opens; values are for whoever chooses the move.</p>")
        Tree(studio, job)
        if not studio.manager.work(job.kind).local:
            _Stepping(studio, job)
    return True


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

    def __init__(self, studio: Studio, job: Job) -> None:
        ui = nicegui().ui
        self._studio, self._job = studio, job
        self._asked = {"root"}
        self._tree = ui.tree([], label_key="label", on_expand=self._open).props(
            "dense no-transition"
        )
        self._nodes = self._below([])
        self._tree.props["nodes"] = self._nodes
        self._tree.update()

    def _below(self, path: list[int]) -> list[dict[str, Any]]:
        store = str(self._studio.manager.store.path)
        try:
            found = self._studio.manager.ask(f"{PLACE}:children", store, self._job.id, path)
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

    def _open(self, event: Any) -> None:
        for name in set(event.value) - self._asked:
            self._asked.add(name)
            node = _found(self._nodes, name)
            if node is not None:
                node["children"] = self._below([int(part) for part in name.split("/")])
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
