"""Hero Academy as jobs of the studio: a planned turn, and a game between two agents."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from treewright.apps.tactics.agents import AGENTS, agent
from treewright.apps.tactics.board import HEIGHT, load
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.drawing import MARKS, drawn, gear_letters, hand_text, owner
from treewright.apps.tactics.match import play_game, view
from treewright.apps.tactics.notation import action_text, place
from treewright.apps.tactics.saves import Record, play_text, read, text_of_game
from treewright.apps.tactics.telling import parts, told
from treewright.apps.tactics.units import MAX_HP, UNIT_LETTERS, UNIT_NAMES
from treewright.apps.tactics.watching import watched
from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.evolutionary import Budget
from treewright.library.evolutionary.burning import Burning
from treewright.library.options import Options
from treewright.workshop.jobs.work import Export, Report, Result, Work

MOST_ACTIONS = 6200  # of 200 turns with 30 points and an end each
LIMIT = 200  # turns
KNOWN = ("map", "ap", "seed")

Action = Annotated[str, Field(pattern=r"^(E|X[A-Z]|D[A-Z][0-8][0-4]|[MAHS]([0-8][0-4]){2})$")]
Name = Annotated[
    str, Field(pattern=f"^({'|'.join(AGENTS)})$", json_schema_extra={"enum": list(AGENTS)})
]


class Begun(BaseModel):
    """A deal, and what was played since."""

    map: Literal["a", "a-small", "a-tiny"] = "a"
    ap: int = Field(5, ge=1, le=30, description="action points a turn")
    seed: int = Field(1, ge=0, le=2**31, description="of the deal, and of the agents")
    actions: list[Action] = Field([], max_length=MOST_ACTIONS, description="as Mxyxy, Dcxy, Xc, E")


class Plan(Begun):
    """A turn of one agent, from where the game stands."""

    agent: Name = "local-search"
    evaluations: int = Field(2000, ge=1, le=50_000, description="evaluated turns")
    open_hands: bool = Field(False, description="the agent sees the opponent's hand")


class Watch(BaseModel):
    """A whole game between two agents, as ``treewright tactics watch`` plays it."""

    map: Literal["a", "a-small", "a-tiny"] = "a"
    ap: int = Field(5, ge=1, le=30)
    seed: int = Field(1, ge=0, le=2**31)
    first: Name = "local-search"
    second: Name = "oep-greedy"
    evaluations: int = Field(2000, ge=1, le=50_000, description="evaluated turns for each turn")
    open_hands: bool = False


def record_of(begun: Any, players: tuple[str, str] = ("player 1", "player 2")) -> Record:
    """The game, with every rule checked."""
    record = Record(HeroAcademy(**{k: getattr(begun, k) for k in KNOWN}), [], players)
    position = record.position()
    for number, text in enumerate(getattr(begun, "actions", ()), 1):
        play_text(position, text, f"action {number}")
    record.actions = position.history
    return record


def shown(given: dict[str, Any], hidden: int | None = None) -> dict[str, Any]:
    """A position for the page: the board, the hands, and what may be done.

    ``hidden`` is the player whose hand is not shown.
    """
    begun = Begun.model_validate({k: v for k, v in given.items() if k in Begun.model_fields})
    position = record_of(begun).position()
    s, board = position.state, load(begun.map)
    squares = [x * HEIGHT + y for y in range(board.height) for x in range(board.width)]
    sides = {q: side for q in squares if (side := owner(s, q)) is not None}
    return {
        "width": board.width,
        "height": board.height,
        "ground": {place(q): MARKS[board.terrain[q]] for q in squares},
        "pieces": {
            place(q): {
                "side": side,
                "letter": UNIT_LETTERS[s.unit[q]],
                "name": UNIT_NAMES[s.unit[q]],
                "hp": int(s.hp[q]),
                "full": int(MAX_HP[s.unit[q] * 16 + s.gear[q]]),
                "gear": gear_letters(s.gear[q]),
            }
            for q, side in sides.items()
        },
        "hands": [
            "?" * int(s.held[side]) if side == hidden else hand_text(s, side).strip("-")
            for side in (0, 1)
        ],
        "decks": [int(s.left[side]) for side in (0, 1)],
        "player": int(s.player),
        "ap": int(s.ap),
        "turn": int(s.turn),
        "over": position.ended,
        "winner": int(s.winner),
        "value": position.rewards()[0] if position.ended else position.value()[0],
        "legal": [] if position.ended else [parts(a) for a in position.legal()],
    }


def numbers(given: dict[str, Any]) -> list[int]:
    """A game's actions as the kernel knows them."""
    return record_of(Begun.model_validate(given)).actions


def plan(settings: Plan, report: Report) -> Result:
    """The turn that an agent would play; its own search, by the command's functions."""
    record = record_of(settings)
    position = record.position()
    if position.ended:
        raise OptionError("the game is over here; there is nothing to plan")
    report(None, "compiling, if this agent is new")
    planner = agent(settings.agent, settings.ap, map=settings.map)
    state = view(position.state._record, settings.open_hands)
    before = position.value()[position.player]
    with watched(planner, position, settings.evaluations, report) as kept:
        found = planner.plan(
            state, Budget(evaluations=settings.evaluations), settings.seed + len(record.actions)
        )
    return Result(
        settings.model_dump(mode="json")
        | {
            "player": position.player,
            "turn": told(position, found.actions),
            "took": {
                "evaluated turns": found.evaluations,
                "worth before": before,
                "worth after": found.value,
            },
        },
        kept.files,
    )


def searched(settings: Plan) -> Domain:
    """What the agent's tree is a search of: single actions, or whole turns and their mutations."""
    return _burning(settings).domain


def options(settings: Plan) -> Options:
    """The agent's own."""
    return _burning(settings).options


def _burning(settings: Plan) -> Burning:
    found = agent(settings.agent, settings.ap, map=settings.map).burning
    if found is None:
        raise OptionError(f"{settings.agent} has no tree")
    return found


def watch(settings: Watch, report: Report) -> Result:
    """A game; every turn is shown as it is played."""
    record = record_of(settings, (settings.first, settings.second))
    report(None, "compiling, if these agents are new")
    players = tuple(
        agent(name, settings.ap, map=settings.map) for name in (settings.first, settings.second)
    )

    def seen(turns: list[list[int]]) -> None:
        actions = [action_text(a) for turn in turns for a in turn]
        report(len(turns) / LIMIT, f"turn {len(turns)}", {"actions": actions})

    found = play_game(
        record.domain,
        (players[0], players[1]),
        Budget(evaluations=settings.evaluations),
        settings.seed,
        settings.open_hands,
        seen,
    )
    record.actions = [a for turn in found.turns for a in turn]
    return Result(
        settings.model_dump(mode="json")
        | {
            "actions": [action_text(a) for a in record.actions],
            "winner": found.winner,
            "took": {"turns": len(found.turns), "evaluated turns": sum(found.evaluations)},
        }
    )


def from_file(data: bytes) -> dict[str, Any]:
    """A saved game as the settings of one."""
    try:
        record = read(data.decode("utf-8-sig"), "the file")
    except UnicodeDecodeError:
        raise OptionError("the file is not UTF-8 text") from None
    other = [name for name in record.domain.settings if name not in KNOWN]
    if other:
        raise OptionError(f"this page knows games by {', '.join(KNOWN)} only, not by {other[0]!r}")
    actions = [action_text(a) for a in record.actions]
    try:
        return Begun(actions=actions, **record.domain.settings).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise OptionError(f"the file, {where}: {first['msg']}") from None


def saved(data: dict[str, Any]) -> bytes:
    """The game as ``treewright tactics watch`` reads it, with the planned turn at its end."""
    return text_of_game(_played(data)).encode()


def _played(data: dict[str, Any]) -> Record:
    actions = [*data["actions"], *(one["text"] for one in data.get("turn", ()))]
    names = (data.get("first", "player 1"), data.get("second", "player 2"))
    return record_of(Begun(actions=actions, **{k: data[k] for k in KNOWN}), names)


def _picture(kind: str) -> Callable[[dict[str, Any]], bytes]:
    """What draws the position at the end, as ``treewright tactics render`` does."""
    return lambda data: drawn(_played(data).position().state, data["map"], kind)


EXPORTS = {
    "json": Export(".json", "application/json", saved),
    "svg": Export(".svg", "image/svg+xml", _picture("svg")),
    "png": Export(".png", "image/png", _picture("png")),
    "pdf": Export(".pdf", "application/pdf", _picture("pdf")),
}
PLAN = Work("A turn of Hero Academy", Plan, plan, EXPORTS, domain=searched, options=options)
WATCH = Work("A game of Hero Academy", Watch, watch, EXPORTS)
