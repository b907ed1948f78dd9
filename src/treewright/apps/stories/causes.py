"""The causal graph of a story as SVG: which action made which possible, or believable."""

import textwrap
from xml.sax.saxutils import escape

from treewright.apps.stories.story import Link, Story, links
from treewright.apps.stories.telling import single_sentences

LANE, ROW, BOX, LINE = 214, 92, 188, 14
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7A5195", "#666666")


def causal_svg(story: Story) -> str:
    """Time runs downwards; each person who acts has a lane; the goals stand at the bottom."""
    setup = story.setup
    told = single_sentences(story)
    lanes: list[str] = []
    rows = []
    for step in story.steps:
        kind = setup.library.action(step.event.action).params[0][1]
        name = setup.entity(kind, step.event.args[0]).name
        if name not in lanes:
            lanes.append(name)
        rows.append(lanes.index(name))
    count = len(story.steps)
    width = max(len(lanes), len(story.goals), 1) * LANE + 40
    height = (count + 2) * ROW + 40
    boxes: list[str] = []
    places: list[tuple[float, float, float]] = []  # x, top, bottom
    for i, (lane, text) in enumerate(zip(rows, told, strict=True)):
        x, y = 20 + LANE * lane + LANE / 2, 64 + ROW * i
        box, bottom = _box(x, y, text, COLOURS[lane % len(COLOURS)], 4)
        note = f"{story.actions[i]}: {story.steps[i].believability:.2f} ({story.steps[i].rule})"
        boxes.append(f"<g><title>{escape(note)}</title>{box}</g>")
        places.append((x, y, bottom))
    for i, goal in enumerate(setup.goals):
        x = 20 + (width - 40) * (2 * i + 1) / (2 * len(setup.goals))
        met = story.goals[i]
        box, bottom = _box(x, 64 + ROW * (count + 0.4), goal.text, "#222" if met else "#aaa", 16)
        boxes.append(f"<g><title>goal, met {met:.0%}</title>{box}</g>")
        places.append((x, 64 + ROW * (count + 0.4), bottom))
    arrows = [_arrow(link, places, rows) for link in links(story)]
    heads = [
        f'<text x="{20 + LANE * i + LANE / 2}" y="40" text-anchor="middle" font-weight="bold" '
        f'fill="{COLOURS[i % len(COLOURS)]}">{escape(name)}</text>'
        for i, name in enumerate(lanes)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="12">\n'
        f"<title>{escape(setup.title)}: what led to what</title>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="white"/>\n'
        + "\n".join([*heads, *arrows, *boxes])
        + f'\n<text x="20" y="{height - 12}" fill="#777" font-size="11">'
        "solid: made it possible; dashed: made it believable</text>\n</svg>\n"
    )


def _box(x: float, y: float, text: str, colour: str, round_: int) -> tuple[str, float]:
    lines = textwrap.wrap(text, 30)[:4]
    height = LINE * len(lines) + 12
    rows = "".join(
        f'<text x="{x:.0f}" y="{y + 18 + LINE * i:.0f}" text-anchor="middle">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    frame = (
        f'<rect x="{x - BOX / 2:.0f}" y="{y:.0f}" width="{BOX}" height="{height}" rx="{round_}" '
        f'fill="white" stroke="{colour}" stroke-width="1.6"/>'
    )
    return frame + rows, y + height


def _arrow(link: Link, places: list[tuple[float, float, float]], rows: list[int]) -> str:
    x1, _, y1 = places[link.source]
    x2, y2, _ = places[link.target]
    bend = 0.0
    if abs(x1 - x2) < 1 and link.target - link.source > 1:  # pass beside the boxes between
        bend = BOX / 2 + 14
    shift = 6 * ((link.source * 7 + link.target * 3) % 5 - 2)
    x1, x2 = x1 + shift, x2 + shift
    half = (y2 - y1) / 2
    curve = f"{x1 + bend:.0f},{y1 + half:.0f} {x2 + bend:.0f},{y2 - half:.0f} {x2:.0f},{y2:.0f}"
    path = f"M{x1:.0f},{y1:.0f} C{curve}"
    dash = ' stroke-dasharray="4 3"' if link.motive else ""
    return (
        f'<path d="{path}" fill="none" stroke="#777" stroke-width="1.1"{dash} '
        f'marker-end="url(#tip)"><title>{escape(link.what)}</title></path>'
    )
