"""What the runs of ``make hostile`` found, kept as rows, and as the table in docs/hostile.md."""

import csv
import datetime
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
RUNS = HERE / "runs.csv"
PAGE = HERE.parent.parent / "docs" / "hostile.md"
COLUMNS = ("date", "commit", "seed", "what", "tries", "failures")
BEGIN, END = "<!-- the runs -->\n", "<!-- end of the runs -->\n"


def commit():
    """Which code was tried; ``-dirty`` if it was not quite that of a commit."""
    asked = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def keep(seed, what, tries, failures):
    """Add a row, at once: a run may be ended at any time."""
    new = not RUNS.exists()
    with RUNS.open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if new:
            rows.writerow(COLUMNS)
        rows.writerow([datetime.date.today(), commit(), seed, what, tries, failures])


def write():
    """Put the table of all kept runs into the page."""
    with RUNS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + table(rows) + END + after)


def table(rows):
    """One line for each kind of try, over all its runs."""
    lines = [
        "| what was tried | commits | first seeds | tries | failures |",
        "|---|---|---|---:|---:|",
    ]
    for what in sorted({row["what"] for row in rows}):
        of = [row for row in rows if row["what"] == what]
        commits, seeds = (", ".join(dict.fromkeys(r[k] for r in of)) for k in ("commit", "seed"))
        lines.append(f"| {what} | {commits} | {seeds} | {sums(of)} |")
    days = sorted({row["date"] for row in rows})
    lines.append(f"| **in all, {days[0]} to {days[-1]}** | | | {sums(rows)} |")
    return "\n".join(lines) + "\n"


def sums(rows):
    tries, failures = (sum(int(row[k]) for row in rows) for k in ("tries", "failures"))
    return f"{tries:,} | {failures:,}"
