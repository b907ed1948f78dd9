"""The experimenter's page: who is where, who left, and whether the design is in balance.

It is behind the study's token, which ``study serve`` prints.  People are shown by the ids of the
export: with their own, anybody could act in their name.
"""

import hmac
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

from treewright.apps.study.export import public_id
from treewright.apps.study.limits import Limit
from treewright.apps.study.protocol import PAIRS, VARIANTS
from treewright.apps.study.store import ABANDONED, Store
from treewright.workshop.web import html, nicegui, page_frame

HERE_NOW = timedelta(minutes=2)
EVERY = 10.0  # seconds between two looks
SHOWN = 200  # participants in the table
WRONG_TOKENS = 1.0, 5  # a second and at once


@dataclass(frozen=True)
class Person:
    """One participant, as the experimenter sees it."""

    name: str
    place: int
    state: str  # finished, here now, away, left
    levels: int  # finished
    pairs: int  # answered
    seen: str
    simulated: bool


@dataclass(frozen=True)
class Overview:
    """The whole study at one moment."""

    people: list[Person]
    played: dict[tuple[int, str], int]  # finished levels by variant and side

    def count(self, state: str) -> int:
        return sum(person.state == state for person in self.people)

    @property
    def left_after(self) -> Counter[int]:
        """How many left for good, by how many pairs they had answered."""
        return Counter(person.pairs for person in self.people if person.state == "left")

    @property
    def uneven(self) -> int:
        """How much more often the most played variant and side was played than the least."""
        counts = [self.played.get((v, s), 0) for v in range(1, len(VARIANTS) + 1) for s in "AB"]
        return max(counts) - min(counts)


def overview(store: Store, at: datetime | None = None) -> Overview:
    """What is in the file now."""
    moment = at or datetime.now(UTC)
    people = [
        Person(
            public_id(row["id"]),
            row["number"] + 1,
            _state(row, moment),
            row["levels"],
            row["pairs"],
            row["seen"],
            bool(row["simulated"]),
        )
        for row in store.progress_rows()
    ]
    return Overview(people, store.played_counts())


def _state(row: dict[str, Any], moment: datetime) -> str:
    if row["finished"]:
        return "finished"
    if moment - datetime.fromisoformat(row["seen"]) < HERE_NOW:
        return "here now"
    left = moment - datetime.fromisoformat(row["consented"]) > ABANDONED
    return "left" if left else "away"


def build(store: Store) -> None:
    """Register the page; without the token there is no such page."""
    ui = nicegui().ui
    wrong = Limit(*WRONG_TOKENS)

    @ui.page("/experimenter")
    def experimenter(token: str = "") -> None:
        right = hmac.compare_digest(token.encode(), store.token().encode())
        if not right:
            said = "Not found" if wrong.allows("") else "Too many tries; wait a moment"
            with page_frame("Not found"):
                html(f"<h1>{said}</h1>")
            return
        with page_frame(f"{store.about.get('title', 'A study')}: overview", wide=True):
            shown = html(page_text(overview(store)))
            ui.timer(EVERY, lambda: shown.set_content(page_text(overview(store))))


def page_text(found: Overview) -> str:
    """The page's markup."""
    tiles = "".join(
        f"<li><b>{found.count(state)}</b> {state}</li>"
        for state in ("here now", "finished", "away", "left")
    )
    return (
        f'<h1>Who is where</h1><ul class="tally">{tiles}</ul>{_people(found)}'
        f"<h1>Drop-outs</h1>{_drop_outs(found)}<h1>Balance of the design</h1>{_balance(found)}"
    )


def _people(found: Overview) -> str:
    rows = "".join(
        f"<tr><td><code>{p.name}</code>{' (automatic)' if p.simulated else ''}</td>"
        f"<td>{p.place}</td><td>{p.state}</td><td>{p.levels} of {len(VARIANTS)}</td>"
        f"<td>{p.pairs} of {PAIRS}</td><td>{escape(p.seen.replace('T', ' ')[:19])}</td></tr>"
        for p in found.people[-SHOWN:][::-1]
    )
    if not rows:
        return '<p class="quiet">Nobody yet.</p>'
    more = len(found.people) - SHOWN
    said = f'<p class="quiet">The latest {SHOWN}; {more} came before.</p>' if more > 0 else ""
    return (
        '<div class="strip"><table class="plain"><thead><tr><th>participant</th><th>place</th>'
        "<th>state</th><th>levels</th><th>pairs</th><th>last seen (UTC)</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{said}"
    )


def _drop_outs(found: Overview) -> str:
    if not found.left_after:
        return '<p class="quiet">Nobody has left for good (a day without finishing).</p>'
    said = ", ".join(f"{n} after {pairs} pairs" for pairs, n in sorted(found.left_after.items()))
    return f"<p>{said}.</p>"


def _balance(found: Overview) -> str:
    """Finished levels by variant and side."""
    rows = ""
    for variant, (gaps, enemies, rewards) in enumerate(VARIANTS, 1):
        settings = "".join(f"<td>{'high' if x else 'low'}</td>" for x in (gaps, enemies, rewards))
        sides = "".join(f"<td>{found.played.get((variant, side), 0)}</td>" for side in "AB")
        rows += f"<tr><td>{variant}</td>{settings}{sides}</tr>"
    return (
        '<div class="strip"><table class="plain"><thead><tr><th>variant</th><th>gaps</th>'
        "<th>enemies</th><th>rewards</th><th>played as A</th><th>as B</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="quiet">The most and the least played differ by {found.uneven}; after every 16 '
        "who finish it is 0.</p>"
    )
