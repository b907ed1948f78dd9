"""Go as a domain; board size, rules and playout policy are constants of its compiled code."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
import inspect
from typing import Any

import numpy as np
from numpy import int64

from treewright.apps.go import prior as priors
from treewright.apps.go import setup
from treewright.apps.go.board import (
    LARGEST,
    PASS,
    SIZE,
    SMALLEST,
    SUICIDE,
    allowed,
    area,
    clear,
    eye,
    hashed,
    hashed_after,
    layout,
    move,
    move_limit,
    over,
    repeats,
)
from treewright.apps.go.features import LARGE
from treewright.apps.go.playout import Switches, heavy, light
from treewright.errors import OptionError
from treewright.kernel.interpreted import RecordProxy
from treewright.library.domain import Domain, constant

FULL_MARGIN = 0.4  # winning by this part of the board, or more, is all of ``margin``
MARGIN = constant()
MOST = constant(lambda: FULL_MARGIN * 2 * SIZE * SIZE)
POLICY = constant()  # how playouts choose their moves


class Go(Domain):
    """Go with area scoring: ``Go(9)``, ``Go(size=19, komi=6.5, playout="light")``.

    ``moves="C3 G7 pass"`` plays from the empty board, from ``handicap`` stones or from a
    ``diagram`` (rows of X, O and points, the top row first) with ``to_play`` to move.
    ``suicide`` allows that of two or more stones.  ``playout`` is ``"heavy"`` or ``"light"``;
    ``atari``, ``nakade``, ``patterns``, ``capture``, ``local`` and ``self_atari`` switch the rules
    of the heavy one (playout.py), ``habit`` is how often they are followed.  Use it with
    ``Options(rollout=Rollout("domain"))``.  ``margin`` is the share of the reward that goes by the
    points won: with a little of it a search that wins or loses anyway still prefers more points.

    Simple ko holds everywhere.  Positional superko holds for the first move of a search:
    moves that repeat a position of ``moves`` are not listed.  An engine that keeps its tree
    asks :meth:`hash_after`.

    An action is a point (board.py) or 0, the pass; it is its own AMAF key.  Moves that fill
    an own eye are not listed, the pass always is; two passes end the game.
    """

    players = 2

    def start(
        s,
        size=9,
        komi=7.5,
        moves="",
        diagram="",
        to_play="",
        handicap=0,
        suicide=False,
        playout="heavy",
        atari=True,
        nakade=True,
        patterns=True,
        capture=True,
        local=False,
        self_atari=True,
        habit=0.9,
        margin=0.0,
    ):
        setup.set_up(
            s,
            clear,
            move,
            allowed,
            None,
            {
                "size": size,
                "komi": komi,
                "moves": moves,
                "diagram": diagram,
                "to_play": to_play,
                "handicap": handicap,
            },
        )

    def legal(s, t, out):
        colour = int64(s.player) + 1
        first = s.moves == 0 and len(t.history) > 0
        here = hashed(s, t.zobrist) if first else t.zobrist[0, 0]
        n = 0
        for i in range(s.empties):
            v = int64(s.empty[i])
            if (
                not eye(s, colour, v)
                and allowed(s, colour, v)
                and not (first and repeats(s, t, here, v))
            ):
                out[n] = v
                n += 1
        out[n] = PASS
        return n + 1

    def play(s, action):
        move(s, action)

    def ended(s):
        return over(s)

    def rewards(s, out):
        points = 2 * area(s) - s.komi  # twice Black's lead
        black = 1.0 if points > 0 else 0.0 if points < 0 else 0.5
        if MARGIN > 0.0:
            share = 0.5 + 0.5 * max(-1.0, min(1.0, points / MOST))
            black = (1.0 - MARGIN) * black + MARGIN * share
        out[0] = black
        out[1] = 1.0 - black

    def rollout(s, t, rng, out):
        return POLICY(s, t, rng, out)

    prior = priors.prior
    weight = priors.weight

    def describe(s, action):
        return setup.to_vertex(action, SIZE)

    def render(s):
        return setup.draw(s, SIZE)

    def __init__(self, size: int = 9, **settings: Any) -> None:
        constants = _constants(size, settings)
        self.state = layout(size)
        self.max_actions = size * size + 1
        self.max_length = move_limit(size)
        self.keys = (size + 1) * (size + 2) + 1
        self.id = f"go-{size}x{size}-v1" if size in (5, 9, 13, 19) else ""
        given = {"size": size, **settings}
        playout, prior = priors.weights(size >= LARGE)
        tables = {"zobrist": setup.zobrist(size), "worth": prior, "shapes": playout}
        history = np.zeros(0, np.uint64)
        super().__init__(tables={**tables, "history": history}, constants=constants, **given)
        if settings.get("moves"):
            self.tables["history"] = np.array(self._history(given), np.uint64)
            self.tables["history"].flags.writeable = False

    @property
    def name(self) -> str:
        size = self.settings["size"]
        return self.id or f"Go{size}x{size}"

    def point(self, vertex: str) -> int:
        """The action of a GTP vertex."""
        return setup.to_point(vertex, self.settings["size"])

    def hash(self, s: Any) -> int:
        """The Zobrist hash of a state's stones."""
        return int(self.interpret(hashed)(s, self.interpreted_tables.zobrist))

    def hash_after(self, s: Any, action: int) -> int:
        """The same after a legal move, for engines that enforce superko themselves."""
        if action == PASS:
            return self.hash(s)
        keys = self.interpreted_tables.zobrist
        return int(self.interpret(hashed_after)(s, keys, self.hash(s), action))

    def move(self, s: Any, action: int) -> None:
        """Play a move that the rules allow, for engines that keep a board of their own."""
        self.interpret(move)(s, action)

    def score(self, s: Any) -> float:
        """Black's area minus White's, minus komi."""
        return float(self.interpret(area)(s) - s.komi / 2)

    def allows(self, s: Any, action: int) -> bool:
        """Whether the rules allow a move, eyes or not (superko apart)."""
        if action == PASS:
            return True
        return bool(s.colour[action] == 0 and self.interpret(allowed)(s, s.player + 1, action))

    def _history(self, given: dict[str, Any]) -> list[int]:
        """The hashes of all positions of the game so far."""
        keys = setup.zobrist(given["size"])
        points = np.arange(keys.shape[1])
        found: list[int] = []

        def note(s: Any) -> None:
            found.append(int(np.bitwise_xor.reduce(keys[s.colour.array, points])))

        start = type(self).start  # type: ignore[attr-defined]
        defaults = {k: p.default for k, p in inspect.signature(start).parameters.items()}
        named = {**defaults, **given}
        s = RecordProxy(np.zeros(1, self.state))
        try:
            setup.set_up(
                s,
                self.interpret(clear),
                self.interpret(move),
                self.interpret(allowed),
                note,
                named,
            )
        except ValueError as error:
            raise OptionError(f"{self.name}: {error}") from error
        return found


def _constants(size: Any, settings: dict[str, Any]) -> dict[Any, Any]:
    """What is compiled in, checked."""
    if not isinstance(size, int) or not SMALLEST <= size <= LARGEST:
        raise OptionError(f"Go: size={size!r} must be {SMALLEST} to {LARGEST}")
    playout = settings.get("playout", "heavy")
    if playout not in ("heavy", "light"):
        raise OptionError(f"Go: playout={playout!r} must be 'heavy' or 'light'")
    chosen = {k: settings[k] for k in Switches.__annotations__ if k in settings}
    for name, value in chosen.items():
        if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
            raise OptionError(f"Go: {name}={value!r} must be true or false (habit: 0 to 1)")
    margin = settings.get("margin", 0.0)
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 <= margin <= 1:
        raise OptionError(f"Go: margin={margin!r} must be a number from 0 to 1")
    return {
        SIZE: size,
        SUICIDE: bool(settings.get("suicide", False)),
        MARGIN: float(margin),
        POLICY: heavy if playout == "heavy" else light,
        **Switches(**chosen).constants(),
    }


go_5x5 = functools.partial(Go, size=5)
go_9x9 = functools.partial(Go, size=9)
go_13x13 = functools.partial(Go, size=13)
go_19x19 = functools.partial(Go, size=19)
