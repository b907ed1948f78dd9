"""Results, trees, positions and reports as HTML, for notebooks.

Colours are half transparent or those of the page, so that everything can be read in light and in
dark; every text of a domain is escaped.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.library.checking import Report
    from treewright.library.phases import Phases
    from treewright.library.position import Position
    from treewright.library.result import Children, Result
    from treewright.library.tree import Shown, TreeView

MOST = 20  # rows of a table, and words of a line
DEPTH, TOP = 3, 3  # of a tree
_LINE = "border-bottom: 1px solid rgba(128, 128, 128, 0.35)"
_BAR = "rgba(70, 140, 210, 0.35)"


def escape(text: str) -> str:
    from html import escape as escaped  # most commands show no page

    return escaped(text)


def count_of(number: int, noun: str, plural: str = "") -> str:
    """``1 gap``, ``2 gaps``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def result_html(result: "Result") -> str:
    """The answer in one line, the children, and the line of play that is expected."""
    said = "" if result.best < 0 else "best: "
    facts = [
        f"value {_number(result.value)}",
        f"{result.visits:,} of {result.simulations:,} simulations",
        f"{result.nodes:,} nodes",
        f"{result.seconds:.2f} s",
        f"stopped by {result.stopped}",
    ]
    parts = [_line(f"{said}<b>{escape(result.label)}</b>, {', '.join(facts)}")]
    parts.append(children_html(result.children))
    if result.variation:
        parts.append(_line(f"expected: {escape(_words(result.principal_variation(MOST)))}"))
    if result.best_score is not None:
        parts.append(_line(_best(result.best_score, result.best_sequence)))
    return _block(parts)


def children_html(children: "Children") -> str:
    """A row for each child, with a bar for its share of the visits."""
    names, rows = children.table()
    most = max((child.visits for child in children), default=0)
    bars = [100 * child.visits / most if most else 0.0 for child in children]
    return _table(names, rows, bars)


def tree_table(tree: "TreeView") -> str:
    """The top of a tree as a table; each node is below its parent."""
    shown = list(tree.walk(DEPTH, TOP))
    below: dict[int, list[Shown]] = {}
    for node in shown:
        below.setdefault(node.parent, []).append(node)
    rows: list[list[str]] = []

    def put(node: "Shown") -> None:
        indent = "\N{NO-BREAK SPACE}" * 4 * node.depth
        rows.append([indent + node.label, f"{node.visits:,}", _number(node.value)])
        for child in below.get(node.node, []):
            put(child)

    put(shown[0])
    return _block([_table(["label", "visits", "value"], rows, most=len(rows))])


def tree_svg(tree: "TreeView", name: str) -> str:
    """A picture of the top of a tree, whose words are text."""
    from treewright.library.tree_picture import drawn  # matplotlib takes its time

    return drawn(list(tree.walk(DEPTH, TOP)), name, "svg", "none").decode()


def can_draw() -> bool:
    """Whether matplotlib is there."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def position_html(position: "Position") -> str:
    """What the domain's ``render`` says, and who is to move."""
    return _block([_text(position.render()), _line(escape(position.standing))])


def report_html(report: "Report") -> str:
    """What was played and what was wrong."""
    count = len(report.problems)
    verdict = f"{count} problem{'s' if count > 1 else ''}" if count else "no problem found"
    head = f"<b>{escape(report.domain)}</b>: {verdict}"
    names = ["random games", "actions", "longest game", "most actions to choose from"]
    numbers = [report.games, report.actions, report.longest, report.widest]
    parts = [_line(head), _table(names, [[f"{n:,}" for n in numbers]])]
    if report.problems:
        parts.append("<ul>" + "".join(f"<li>{escape(p)}</li>" for p in report.problems) + "</ul>")
    return _block(parts)


def phases_html(phases: "Phases") -> str:
    """What was committed, and what it took."""
    names = ["phases", "simulations", "nodes added", "seconds", "stopped by"]
    row = [f"{len(phases.actions):,}", f"{phases.simulations:,}", f"{phases.created:,}"]
    parts = [_table(names, [[*row, f"{phases.seconds:.2f}", phases.stopped]])]
    parts.append(_line(f"committed: {_words(phases.actions) or 'nothing'}"))
    if phases.best_score is not None:
        parts.append(_line(_best(phases.best_score, phases.best_sequence)))
    return _block(parts)


def bar_html(text: str, share: float | None) -> str:
    """How far something is; without a share it is under way."""
    value = "" if share is None else f' value="{share:.3f}"'
    return _block([_line(f'<progress max="1"{value}></progress> {escape(text)}')])


def _best(score: float, sequence: Sequence[int]) -> str:
    return f"best sequence: score {_number(score)}, {len(sequence):,} actions: {_words(sequence)}"


def _words(words: Sequence[object]) -> str:
    more = f" … and {len(words) - MOST:,} more" if len(words) > MOST else ""
    return ", ".join(map(str, words[:MOST])) + more


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _block(parts: Iterable[str]) -> str:
    return '<div style="color: inherit; overflow-x: auto">' + "".join(parts) + "</div>"


def _line(html: str) -> str:
    return f'<div style="margin: 0.3em 0">{html}</div>'


def _text(text: str) -> str:
    return (
        '<pre style="color: inherit; background: transparent; line-height: 1.2; margin: 0">'
        f"{escape(text)}</pre>"
    )


def _table(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    bars: Sequence[float] = (),
    most: int = MOST,
) -> str:
    """Labels on the left, numbers on the right; ``bars`` are percents behind the visits."""

    def cell(tag: str, name: str, text: str, bar: float = 0.0) -> str:
        align = "left" if name == "label" else "right"
        style = f"text-align: {align}; padding: 0.15em 0.7em; {_LINE}"
        if bar:
            style += f"; background: linear-gradient(90deg, {_BAR} {bar:.1f}%, transparent 0)"
        return f'<{tag} style="{style}">{escape(text)}</{tag}>'

    lines = ["".join(cell("th", name, name) for name in names)]
    for i, row in enumerate(rows[:most]):
        share = bars[i] if bars else 0.0
        cells = zip(names, row, strict=True)
        lines.append("".join(cell("td", n, t, share if n == "visits" else 0.0) for n, t in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = f"… and {len(rows) - most:,} more" if len(rows) > most else ""
    return f'<table style="border-collapse: collapse; margin: 0.3em 0">{body}</table>' + (
        _line(more) if more else ""
    )
