"""The causal graph of a story as SVG: which action made which possible, or believable."""

import itertools
import textwrap
from collections.abc import Iterable
from xml.sax.saxutils import escape

from treewright.apps.stories.story import Link, Story, links
from treewright.apps.stories.telling import single_sentences

LANE, ROW, BOX, LINE = 236, 84, 188, 14
GAP = LANE - BOX  # between two columns: arrows go down there
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7A5195", "#666666")
_MOST_ORDERED = 7  # columns of which every order is tried
Place = tuple[float, float, float]  # x, top, bottom


def causal_svg(story: Story) -> str:
    """Time runs downwards; each person who acts has a column; the goals stand at the bottom."""
    setup = story.setup
    doers = [_doer(story, i) for i in range(len(story.steps))]
    shown = direct(links(story))
    lanes = _ordered(list(dict.fromkeys(doers)), doers, shown)
    count = len(story.steps)
    width = max(len(lanes), len(story.goals), 1) * LANE + 40
    height = (count + 2) * ROW + 40
    boxes: list[str] = []
    places: list[Place] = []
    for i, text in enumerate(single_sentences(story)):
        lane = lanes.index(doers[i])
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
    arrows = _arrows(shown, places)
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
        "solid: made it possible; dashed: made it believable; what follows from others is left "
        "out</text>\n</svg>\n"
    )


def direct(found: list[Link]) -> list[Link]:
    """Without those that follow from others: a → c, where there are a → b and b → c."""
    below: dict[int, set[int]] = {}  # what a step leads to, directly or not
    kept = []
    for source in sorted({link.source for link in found}, reverse=True):
        own = sorted((k for k in found if k.source == source), key=lambda k: k.target)
        reached: set[int] = set()
        for link in own:
            if link.target not in reached:
                kept.append(link)
                reached |= {link.target} | below.get(link.target, set())
        below[source] = reached
    return sorted(kept, key=lambda k: (k.source, k.target))


def _doer(story: Story, step: int) -> str:
    event = story.steps[step].event
    kind = story.setup.library.action(event.action).params[0][1]
    return story.setup.entity(kind, event.args[0]).name


def _ordered(names: list[str], doers: list[str], shown: list[Link]) -> list[str]:
    """The order of the columns in which arrows cross the fewest columns between."""
    pairs = [(doers[k.source], doers[k.target]) for k in shown if k.target < len(doers)]
    if len(names) > _MOST_ORDERED:
        return names

    def crossed(order: Iterable[str]) -> int:
        at = {name: i for i, name in enumerate(order)}
        return sum(max(0, abs(at[a] - at[b]) - 1) for a, b in pairs)

    return list(min(itertools.permutations(names), key=crossed))


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


def _arrows(shown: list[Link], places: list[Place]) -> list[str]:
    """Each leaves its box at the bottom and enters at the top, side by side with the others."""
    out: dict[int, list[Link]] = {}
    into: dict[int, list[Link]] = {}
    for link in shown:
        out.setdefault(link.source, []).append(link)
        into.setdefault(link.target, []).append(link)
    for source, group in out.items():
        group.sort(key=lambda k: (places[k.target][0] - places[source][0], -k.target))
    for target, group in into.items():
        group.sort(key=lambda k: (places[k.source][0] - places[target][0], k.source))
    used: dict[int, int] = {}  # how many go down between two columns
    return [
        _arrow(k, places, _spread(k, out[k.source]), _spread(k, into[k.target]), used)
        for k in shown
    ]


def _spread(link: Link, group: list[Link]) -> float:
    """Where an arrow stands among those of its box, from the middle."""
    step = min(22.0, (BOX - 30) / max(1, len(group)))
    return (group.index(link) - (len(group) - 1) / 2) * step


def _arrow(
    link: Link, places: list[Place], leave: float, enter: float, used: dict[int, int]
) -> str:
    x1, y1 = places[link.source][0] + leave, places[link.source][2]
    x2, y2 = places[link.target][0] + enter, places[link.target][1]
    if link.target - link.source == 1 or y2 - y1 < ROW:
        half = (y1 + y2) / 2
        path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{half:.0f} {x2:.0f},{half:.0f} {x2:.0f},{y2:.0f}"
    else:
        path = _beside(x1, y1, x2, y2, places[link.source][0], used)
    dash = ' stroke-dasharray="4 3"' if link.motive else ""
    return (
        f'<path d="{path}" fill="none" stroke="#777" stroke-width="1.1"{dash} '
        f'marker-end="url(#tip)"><title>{escape(link.what)}</title></path>'
    )


def _beside(x1: float, y1: float, x2: float, y2: float, middle: float, used: dict[int, int]) -> str:
    """Down between the columns, so that no box is crossed, and in from above."""
    side = 1 if x2 > middle - 1 else -1
    lane = round((middle + side * LANE / 2) / LANE * 2)
    used[lane] = used.get(lane, 0) + 1
    shift = (used[lane] % 6 - 2.5) * (GAP / 8)
    x = middle + side * LANE / 2 + shift
    out, back = y1 + 14, y2 - 14
    return (
        f"M{x1:.0f},{y1:.0f} C{x1:.0f},{out:.0f} {x:.0f},{y1:.0f} {x:.0f},{out + 14:.0f} "
        f"L{x:.0f},{back - 14:.0f} C{x:.0f},{y2:.0f} {x2:.0f},{back:.0f} {x2:.0f},{y2:.0f}"
    )
