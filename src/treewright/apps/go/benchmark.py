"""Speed of the Go searches: simulations per CPU second from the empty board, one core."""

from functools import partial
from typing import Any

from treewright.apps.go.domain import Go
from treewright.apps.go.gtp.player import SEARCHES
from treewright.library.search import Search
from treewright.workshop.measuring import per_cpu_second

CASES = [(9, "light"), (19, "light"), (9, "uct"), (9, "default"), (19, "default")]
CHUNK = 10_000  # simulations: beside them the report of a run is nothing
BARS = {(9, "light"): 90_000, (19, "light"): 20_000, (9, "default"): 10_000, (19, "default"): 2_500}


def run(seconds: float) -> list[dict[str, Any]]:
    """One row for each board size and search."""
    rows = []
    for size, name in CASES:
        options, playout = SEARCHES[name]
        search = Search(Go(size, **playout), options, seed=1)
        search.run(200)  # compiles
        rows.append(
            {
                "size": size,
                "search": name,
                "simulations_per_cpu_second": round(
                    per_cpu_second(partial(_search, search), seconds)
                ),
                "wanted": BARS.get((size, name)),
            }
        )
    return rows


def _search(search: Search) -> int:
    search.begin()
    search.run(CHUNK)
    return CHUNK


def table(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'board':8}{'search':10}{'simulations per CPU second':>28}{'wanted':>10}"]
    for row in rows:
        rate, wanted = row["simulations_per_cpu_second"], row["wanted"]
        size = f"{row['size']}x{row['size']}"
        lines.append(f"{size:8}{row['search']:10}{rate:>28,}{wanted or '':>10}")
    return "\n".join(lines)
