"""Can it be finished, and how: the player's report in words, data and a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.apps.levels import extract, physics
from treewright.apps.levels.drawing import draw_level
from treewright.apps.levels.finish import Played, play_live
from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import Player
from treewright.apps.levels.physics import LARGE, SMALL, TILE, X, Y
from treewright.apps.levels.player import Report, Step, play


@dataclass(frozen=True)
class Checked:
    """A level with what the player found in it."""

    level: Level
    player: Player
    report: Report
    played: Played | None = None  # with its enemies alive

    @property
    def passes(self) -> bool:
        return self.report.playable and (self.played is None or self.played.finished)

    @property
    def text(self) -> str:
        """For people, with columns and rows counted from 1."""
        report, where = self.report, self.level.where
        if report.playable:
            jumps = sum(step.move.jumps for step in report.path)
            alive = "" if self.played is None else f"; {self.played.text}"
            return f"{where}: playable, {len(report.path)} moves, {jumps} of them jumps{alive}"
        column, row = report.farthest
        return (
            f"{where}: not playable; the {self.player} player gets to column {column + 1} of "
            f"{self.level.length}, row {row + 1}: {report.obstacle}"
        )

    def to_dict(self) -> dict[str, Any]:
        report = self.report
        return {
            "level": self.level.where,
            "player": self.player,
            "playable": report.playable,
            "start": list(report.start),
            "goal_column": report.goal,
            "farthest": list(report.farthest),
            "obstacle": report.obstacle,
            "path": [{"move": s.move.name, "column": s.column, "row": s.row} for s in report.path],
            **({} if self.played is None else {"enemies_alive": self.played.to_dict()}),
        }

    def picture(self, wrap: int | None = None) -> bytes:
        """The level with the path, or with the way to the farthest point, as a PNG."""
        if self.played is not None:
            return draw_level(self.level, [self.played.attempt.way], [], wrap)
        marks = [] if self.report.playable else [self.report.farthest]
        return draw_level(self.level, flights(self.level, self.report, self.player), marks, wrap)


def check(level: Level, player: Player = "small", seed: int | None = None) -> Checked:
    """What the player finds; with a ``seed``, the search plays it too, enemies and all."""
    report = play(level, player)
    alive = seed is not None and report.playable
    return Checked(level, player, report, play_live(level, seed or 0) if alive else None)


def flights(level: Level, report: Report, player: Player) -> list[list[tuple[float, float]]]:
    """The path in pixels: every move flown by its own keys, in the level itself."""
    height = LARGE if player == "large" else SMALL
    cells = np.asarray(level.stops, np.uint8)
    seen = np.zeros_like(cells)
    found: list[list[tuple[float, float]]] = []
    here = report.start
    for step in report.path:
        line, _ = fly(step, here, height, cells, seen)
        found.append(line)
        here = (step.column, step.row)
    return found


def fly(
    step: Step,
    here: tuple[int, int],
    height: float,
    cells: np.ndarray,
    seen: np.ndarray,
    slack: float = 0.0,
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Simulate one move from its stance; the places of the body's middle, and where it rests."""
    if step.move.keys:
        return _leap(step, here, height, cells, seen, slack)
    stance, delay, hold, speed, push, _ = step.move.recipe
    forward = 1 if step.move.dx > 0 else -1
    x = TILE * here[0] + TILE / 2 + forward * extract.STANCES[stance] + slack
    body = physics.at_rest(x, physics.stand_on(here[1]))
    line = [(x, body[Y] - height / 2)]
    busy = max(max(delay, 0) + push, max(-delay, 0) + hold)
    for time in range(extract.LIMIT):
        keys = extract.keys_at(time, forward, delay, hold, speed, push, body)
        physics.tick(body, keys, height, cells, seen)
        line.append((float(body[X]), float(body[Y] - height / 2)))
        if time >= busy and body[physics.GROUNDED] and body[physics.VX] == 0.0:
            break
    return line, (float(body[X]), float(body[Y]))


def _leap(
    step: Step,
    here: tuple[int, int],
    height: float,
    cells: np.ndarray,
    seen: np.ndarray,
    slack: float,
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """The same for a leap, which has its keys written out."""
    body = physics.at_rest(TILE * here[0] + TILE / 2 + slack, physics.stand_on(here[1]))
    line = [(float(body[X]), float(body[Y] - height / 2))]
    for keys in step.move.keys:
        physics.tick(body, keys, height, cells, seen)
        line.append((float(body[X]), float(body[Y] - height / 2)))
    return line, (float(body[X]), float(body[Y]))
