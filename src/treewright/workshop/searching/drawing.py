"""A growing tree as SVG, one step of one simulation at a time."""

from html import escape
from typing import Any

STAGES = ("Selection", "Expansion", "Simulation", "Back-up")
WIDE, HIGH, RADIUS = 46, 66, 17
LETTER, LONGEST = 6.4, 16  # of the words on an edge: how wide, and how many


def state_at(data: dict[str, Any], number: int, stage: int) -> tuple[int, dict[int, list[float]]]:
    """How many nodes there are, and visits and value of each, at a step of a simulation."""
    numbers: dict[int, list[float]] = {}
    count = 1
    for i, step in enumerate(data["steps"][: number + 1]):
        now = i == number
        if step["new"] is not None and (not now or stage >= 1):
            count = step["new"] + 1
        if not now or stage == 3:
            numbers |= dict(zip(step["path"], step["after"], strict=True))
    return count, numbers


def places(nodes: list[dict[str, Any]], count: int) -> tuple[dict[int, tuple[float, int]], int]:
    """Where each node stands: leaves side by side, parents above the middle of their children."""
    below: dict[int, list[int]] = {n: [] for n in range(count)}
    for n in range(1, count):
        below[nodes[n]["parent"]].append(n)
    found: dict[int, tuple[float, int]] = {}
    column = 0
    stack: list[tuple[int, int, bool]] = [(0, 0, False)]
    while stack:
        node, depth, open_ = stack.pop()
        if open_:
            xs = [found[child][0] for child in below[node]]
            found[node] = (sum(xs) / len(xs), depth)
        elif below[node]:
            stack.append((node, depth, True))
            stack += [(child, depth + 1, False) for child in reversed(below[node])]
        else:
            found[node] = (column, depth)
            column += 1
    return found, column


def stage_svg(data: dict[str, Any], number: int, stage: int) -> str:
    """The tree with what this step lights up."""
    count, numbers = state_at(data, number, stage)
    path = [n for n in data["steps"][number]["path"] if n < count]
    lit = path if stage in (0, 3) else path[-1:]
    drawn = _Drawn(data["nodes"], count, numbers, lit)
    if stage == 2:
        drawn.rollout(path[-1])
    return drawn.svg(f"the tree after {number} simulations")


def growing_svg(nodes: list[dict[str, Any]]) -> str:
    """The part of a tree that was visited most, while it grows."""
    numbers = {n: [one["visits"], one["value"] * one["visits"]] for n, one in enumerate(nodes)}
    best = [0]
    while below := [n for n, one in enumerate(nodes) if one["parent"] == best[-1]]:
        best.append(max(below, key=lambda n: nodes[n]["visits"]))
    return _Drawn(nodes, len(nodes), numbers, best).svg("the tree so far")


class _Drawn:
    """A tree as circles and lines; ``lit`` are the nodes of a way through it."""

    def __init__(
        self,
        nodes: list[dict[str, Any]],
        count: int,
        numbers: dict[int, list[float]],
        lit: list[int],
    ) -> None:
        self._nodes, self._numbers, self._lit = nodes, numbers, set(lit)
        self._where, self._columns = places(nodes, count)
        self._rows = 1 + max(depth for _, depth in self._where.values())
        longest = max((len(_short(nodes[n]["label"])) for n in range(1, count)), default=0)
        self._wide = max(WIDE, 12 + LETTER * longest)
        self._lines, self._circles = [], []
        for node in range(count):
            if nodes[node]["parent"] >= 0:
                self._lines.append(self._edge(node, nodes[node]["parent"]))
            self._circles.append(self._circle(node))

    def _spot(self, node: int) -> tuple[float, float]:
        x, depth = self._where[node]
        return x * self._wide + 20 + self._wide / 2, depth * HIGH + RADIUS + 6

    def _edge(self, node: int, parent: int) -> str:
        (x, y), (px, py) = self._spot(node), self._spot(parent)
        shining = " lit" if {node, parent} <= self._lit else ""
        words = str(self._nodes[node]["label"])
        return (
            f'<path class="edge{shining}" d="M{px:.1f} {py:.1f} L{x:.1f} {y:.1f}"/>'
            f'<text class="move" x="{x:.1f}" y="{y - RADIUS - 4:.1f}">'
            f"{escape(_short(words))}<title>{escape(words)}</title></text>"
        )

    def _circle(self, node: int) -> str:
        x, y = self._spot(node)
        visits, value = self._numbers.get(node, (0, 0.0))
        mean = f"{value / visits:.2f}" if visits else ""
        return (
            f'<circle class="node{" lit" if node in self._lit else ""}" cx="{x:.1f}" '
            f'cy="{y:.1f}" r="{RADIUS}"/>'
            f'<text class="visits" x="{x:.1f}" y="{y - 1:.1f}">{_count(int(visits))}</text>'
            f'<text class="value" x="{x:.1f}" y="{y + 10:.1f}">{mean}</text>'
        )

    def rollout(self, node: int) -> None:
        """The random moves below a node, to their end."""
        x, y = self._spot(node)
        self._rows = max(self._rows, self._where[node][1] + 2)
        self._lines.append(f'<path class="rollout" d="M{x:.1f} {y:.1f} V{y + HIGH:.1f}"/>')
        self._circles.append(
            f'<rect class="end" x="{x - 9:.1f}" y="{y + HIGH - 9:.1f}" width="18" height="18"/>'
        )

    def svg(self, name: str) -> str:
        width, height = self._columns * self._wide + 40, self._rows * HIGH + 10
        return (
            f'<svg class="steps-tree" width="{width:.0f}" height="{height}" role="img" '
            f'aria-label="{name}">{"".join(self._lines)}{"".join(self._circles)}</svg>'
        )


def _short(words: Any) -> str:
    text = str(words)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _count(visits: int) -> str:
    """No more than four letters, which fit into a circle."""
    return str(visits) if visits < 10_000 else f"{visits // 1000}k"


def stage_words(data: dict[str, Any], number: int, stage: int) -> str:
    """What happens in this step, in a sentence."""
    step = data["steps"][number]
    nodes = data["nodes"]
    way = " ".join(str(nodes[n]["label"]) for n in step["path"][1:] if n != step["new"])
    rewards = ", ".join(f"{r:g}" for r in step["rewards"] or [])
    said = (
        f"from the root, the most urgent move is followed: {way or 'there is none yet'}",
        "nothing is added: the game ends here"
        if step["new"] is None and number
        else "the root is the first node"
        if step["new"] is None
        else f"one node is added: {nodes[step['new']]['label']}",
        f"random moves to the end: {' '.join(map(str, step['rollout'])) or 'none are left'}"
        + (f" … and {step['longer']} more" if step["longer"] else "")
        + f"; rewards {rewards}",
        f"{len(step['path'])} nodes on the way count one visit more, and the reward",
    )[stage]
    steps = "".join(
        f'<span class="{"now" if i == stage else ""}">{name}</span>'
        for i, name in enumerate(STAGES)
    )
    return (
        f"<div class=stages>{steps}</div><p><b>Simulation {number + 1} of "
        f"{len(data['steps'])}.</b> {STAGES[stage]}: {escape(said)}.</p>"
    )
