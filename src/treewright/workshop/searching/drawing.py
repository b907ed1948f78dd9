"""A growing tree as SVG, one step of one simulation at a time."""

from html import escape
from typing import Any

STAGES = ("Selection", "Expansion", "Simulation", "Back-up")
WIDE, HIGH, RADIUS = 46, 66, 17


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
    where, columns = places(data["nodes"], count)
    step = data["steps"][number]
    path = [n for n in step["path"] if n < count]
    lit = set(path if stage in (0, 3) else path[-1:])
    deepest = max(depth for _, depth in where.values())
    rollout = stage == 2
    width = columns * WIDE + 40
    height = (deepest + 1) * HIGH + (HIGH if rollout else 0) + 10

    def spot(node: int) -> tuple[float, float]:
        x, depth = where[node]
        return x * WIDE + 20 + WIDE / 2, depth * HIGH + RADIUS + 6

    lines, circles = [], []
    for node in range(count):
        x, y = spot(node)
        parent = data["nodes"][node]["parent"]
        if parent >= 0:
            px, py = spot(parent)
            shining = " lit" if stage in (0, 3) and node in lit and parent in lit else ""
            label = escape(str(data["nodes"][node]["label"]))
            lines.append(
                f'<path class="edge{shining}" d="M{px:.1f} {py:.1f} L{x:.1f} {y:.1f}"/>'
                f'<text class="move" x="{(px + 2 * x) / 3:.1f}" y="{(py + 2 * y) / 3:.1f}">'
                f"{label}</text>"
            )
        visits, value = numbers.get(node, (0, 0.0))
        mean = f"{value / visits:.2f}" if visits else ""
        circles.append(
            f'<circle class="node{" lit" if node in lit else ""}" cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{RADIUS}"/><text class="visits" x="{x:.1f}" y="{y - 1:.1f}">{int(visits)}</text>'
            f'<text class="value" x="{x:.1f}" y="{y + 10:.1f}">{mean}</text>'
        )
    if rollout:
        x, y = spot(path[-1])
        lines.append(f'<path class="rollout" d="M{x:.1f} {y:.1f} V{y + HIGH:.1f}"/>')
        circles.append(
            f'<rect class="end" x="{x - 9:.1f}" y="{y + HIGH - 9:.1f}" width="18" height="18"/>'
        )
    return (
        f'<svg class="steps-tree" width="{width}" height="{height}" role="img" '
        f'aria-label="the tree after {number} simulations">{"".join(lines)}{"".join(circles)}</svg>'
    )


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
