"""The addresses that programs talk to: the game in the browser, and anybody's own pages.

``GET`` gives a level and what was played of it, ``POST`` stores keys, answers and experience.
Bodies are limited before they are parsed, numbers are bounded, nothing that was sent is repeated,
and everybody has a limit of requests: the game sends one a second.

All answers are given by the server's own loop, one after the other: each takes less than a
millisecond, and threads would spend more than that on waiting for each other.
"""

from collections.abc import Callable
from typing import Any

from treewright.apps.levels.themes import theme_of
from treewright.apps.study.errors import StudyError
from treewright.apps.study.limits import Limit
from treewright.apps.study.protocol import ATTEMPTS
from treewright.apps.study.store import Store
from treewright.workshop.web import guard

BY_PARTICIPANT = 10.0, 100  # requests a second for ever, and at once
ENROLMENTS = 20.0, 400  # of all together: a lecture hall may begin at the same minute
LONGEST_NAME = 40


class Desk:
    """Who may ask now, and errors as answers."""

    def __init__(self) -> None:
        self.participants = Limit(*BY_PARTICIPANT)
        self.enrolments = Limit(*ENROLMENTS)

    def answer(self, limit: Limit, who: str, work: Callable[[], Any]) -> Any:
        from fastapi import HTTPException

        if len(who) > LONGEST_NAME:
            raise HTTPException(409, "there is no such participant")
        if not limit.allows(who):
            raise HTTPException(429, "too many requests; wait a moment", {"Retry-After": "1"})
        try:
            return work()
        except StudyError as error:
            raise HTTPException(409, str(error)) from None


def add_addresses(app: Any, store: Store) -> None:
    """Register all of them."""
    from fastapi import Body

    guard(app)
    desk = Desk()
    theme = theme_of(str(store.about.get("theme", "meadow"))).to_dict()

    def of(who: str, work: Callable[[], Any]) -> Any:
        return desk.answer(desk.participants, who, work)

    @app.post("/api/enrol")
    async def enrol(
        agree: bool = Body(embed=True), simulated: bool = Body(False)
    ) -> dict[str, str]:
        def begin() -> dict[str, str]:
            if not agree:
                raise StudyError("nobody takes part without agreeing")
            return {"participant": store.enrol(simulated)}

        found: dict[str, str] = desk.answer(desk.enrolments, "", begin)
        return found

    @app.get("/api/p/{who}")
    async def step(who: str) -> dict[str, Any]:
        found: dict[str, Any] = of(who, lambda: vars(store.next_step(who)))
        return found

    @app.get("/api/p/{who}/{slot}")
    async def level(who: str, slot: int) -> dict[str, Any]:
        found: dict[str, Any] = of(
            who,
            lambda: {
                "world": store.world(who, slot).to_dict(),
                "attempts": store.attempts(who, slot),
                "most": ATTEMPTS,
                "theme": theme,
            },
        )
        return found

    @app.post("/api/p/{who}/{slot}/{attempt}")
    async def record(
        who: str,
        slot: int,
        attempt: int,
        first: int = Body(ge=0, le=2**31),
        runs: list[list[int]] = Body(max_length=6000),  # noqa: B008 - FastAPI's way
    ) -> dict[str, Any]:
        found: dict[str, Any] = of(who, lambda: store.record(who, slot, attempt, first, runs))
        return found

    @app.post("/api/answer/{who}/{pair}")
    async def answer(
        who: str, pair: int, challenge: str = Body(), preference: str = Body()
    ) -> dict[str, Any]:
        of(who, lambda: store.answer(who, pair, challenge, preference))
        return vars(store.next_step(who))

    @app.post("/api/experience/{who}")
    async def experience(who: str, experience: str = Body(embed=True)) -> dict[str, Any]:
        of(who, lambda: store.describe_experience(who, experience))
        return vars(store.next_step(who))
