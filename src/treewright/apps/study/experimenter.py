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

    everybody: list[Person]
    played: dict[tuple[int, str], int]  # finished levels by variant and side

    @property
    def counted(self) -> list[Person]:
        """Who counts: people; automatic participants only where nobody else took part."""
        return [p for p in self.everybody if not p.simulated] or self.everybody

    def count(self, state: str) -> int:
        return sum(person.state == state for person in self.counted)

    @property
    def reached(self) -> list[tuple[str, int, int]]:
        """For each stage: its name, who got there, and who left for good before the next."""
        stages = ["began", *(f"answered pair {n}" for n in range(1, PAIRS + 1)), "finished"]
        got = [PAIRS + 1 if p.state == "finished" else p.pairs for p in self.counted]
        left = Counter(p.pairs for p in self.counted if p.state == "left")
        return [(name, sum(g >= i for g in got), left[i]) for i, name in enumerate(stages)]

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
    automatic = all(person.simulated for person in people)
    return Overview(people, store.played_counts(automatic))


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
        title = str(store.about.get("title", "A study"))
        with page_frame(f"{title}: overview", wide=True):
            shown = html(page_text(overview(store), title))
            ui.timer(EVERY, lambda: shown.set_content(page_text(overview(store), title)))


def page_text(found: Overview, title: str) -> str:
    """The page's markup."""
    tiles = "".join(
        f"<li><b>{found.count(state)}</b> {state}</li>"
        for state in ("here now", "finished", "away", "left")
    )
    both = {p.simulated for p in found.everybody} == {True, False}
    said = "<p class=quiet>Automatic participants are only listed, not counted.</p>" if both else ""
    return (
        f'<h1>{escape(title)}</h1><ul class="tally">{tiles}</ul>{said}'
        f'<div class="beside"><section><h2>How far they came</h2>{_stages(found)}</section>'
        f"<section><h2>Balance of the design</h2>{_balance(found)}</section></div>"
        f"<h2>Who is where</h2>{_people(found)}"
    )


def _people(found: Overview) -> str:
    rows = "".join(
        f"<tr><td><code>{p.name}</code>{' (automatic)' if p.simulated else ''}</td>"
        f'<td>{p.place}</td><td class="{p.state.split()[0]}">{p.state}</td>'
        f"<td>{p.levels} of {len(VARIANTS)}</td>"
        f"<td>{p.pairs} of {PAIRS}</td><td>{escape(p.seen.replace('T', ' ')[:19])}</td></tr>"
        for p in found.everybody[-SHOWN:][::-1]
    )
    if not rows:
        return '<p class="quiet">Nobody yet.</p>'
    more = len(found.everybody) - SHOWN
    said = f'<p class="quiet">The latest {SHOWN}; {more} came before.</p>' if more > 0 else ""
    return (
        '<div class="strip"><table class="plain"><thead><tr><th>participant</th><th>place</th>'
        "<th>state</th><th>levels</th><th>pairs</th><th>last seen (UTC)</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{said}"
    )


def _stages(found: Overview) -> str:
    """Each stage with a bar; who left there is who has not finished within a day."""
    most = max(len(found.counted), 1)
    rows = "".join(
        f'<tr><td>{name}</td><td>{n}</td><td><meter value="{n}" max="{most}"></meter></td>'
        f"<td>{f'{left} left here' if left else ''}</td></tr>"
        for name, n, left in found.reached
    )
    return f'<div class="strip"><table class="plain"><tbody>{rows}</tbody></table></div>'


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
