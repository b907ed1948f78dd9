"""The paper's six categories of features, as pure functions of the event log.

After Pedersen, Togelius & Yannakakis (2009), whose features the paper uses.  Counts and times add
up over all attempts at a level unless said otherwise; times are in seconds of game time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.apps.levels import game
from treewright.apps.levels.physics import JUMP, SPEED
from treewright.apps.levels.replay import Attempt
from treewright.apps.levels.world import Totals

SECOND = 30  # ticks

KINDS = {
    "goomba": game.GOOMBA,
    "green_turtle": game.GREEN,
    "red_turtle": game.RED,
    "flower": game.FLOWER,
    "bullet": game.BULLET,
}
CAUSES = {
    "gap": game.BY_GAP,
    **KINDS,
    "shell": game.BY_SHELL,
    "time": game.BY_TIME,
    "restart": game.BY_RESTART,
}


@dataclass(frozen=True)
class Feature:
    """A name, the paper's category and what is counted."""

    name: str
    category: str
    definition: str


def _features() -> list[Feature]:
    found = [
        ("completion_time", "time", "length of the last attempt"),
        ("total_time", "time", "length of all attempts"),
        ("time_running", "time", "moving with the run key held"),
        ("time_left", "time", "moving to the left"),
        ("time_right", "time", "moving to the right"),
        ("time_still", "time", "neither"),
        ("time_ducking", "time", "ducking"),
        ("time_small", "time", "in small mode"),
        ("time_large", "time", "in large mode"),
        ("jumps", "jump", "jumps begun"),
        ("jump_presses", "jump", "times that the jump key was pressed"),
        ("aimless_jumps", "jump", "jumps without an enemy within 5 tiles or a gap within 5 ahead"),
        (
            "unused_jumps",
            "jump",
            "jumps less stomps and blocks hit (aimless in the recorder of 2009)",
        ),
        ("deaths", "death", "attempts that ended in death"),
    ]
    found += [(f"deaths_{c}", "death", f"of these, by {_words(c)}") for c in CAUSES]
    found += [
        ("total_coins", "item", "coins in the level, not counting those in blocks"),
        ("coins", "item", "coins collected, from blocks too"),
        ("coin_share", "item", "coins collected in an attempt, as a share of all there were"),
        ("total_coin_blocks", "item", "blocks that hold a coin"),
        ("total_power_blocks", "item", "blocks that hold a power-up"),
        ("total_empty_blocks", "item", "breakable blocks that hold nothing"),
        ("coin_blocks", "item", "coin blocks hit"),
        ("power_blocks", "item", "power-up blocks hit"),
        ("empty_blocks", "item", "empty blocks hit"),
        ("coin_block_share", "item", "coin blocks hit in an attempt, as a share of all"),
        ("power_block_share", "item", "power-up blocks hit in an attempt, as a share of all"),
        ("empty_block_share", "item", "hits of empty blocks in an attempt, per block"),
        ("blocks_broken", "item", "empty blocks destroyed"),
        ("power_ups", "item", "power-ups taken"),
        ("total_enemies", "kill", "enemies in the level, bullets not counted"),
        ("kills", "kill", "enemies killed"),
        ("kills_stomp", "kill", "of these, by jumping on them"),
        ("kills_shell", "kill", "of these, by a shell"),
        ("shells_kicked", "kill", "shells kicked"),
    ]
    found += [(f"kills_{k}", "kill", f"{_words(k)}s killed") for k in KINDS]
    found += [
        ("mode_switches", "miscellaneous", "changes from small to large mode or back"),
        ("duck_presses", "miscellaneous", "times that the duck key was pressed"),
        ("run_presses", "miscellaneous", "times that the run key was pressed"),
        ("attempts", "miscellaneous", "attempts at the level, three at most"),
        ("finished", "miscellaneous", "1 if the goal was reached"),
        ("progress", "miscellaneous", "the farthest point reached, as a share of the level"),
    ]
    return [Feature(*f) for f in found]


def _words(name: str) -> str:
    return name.replace("_", " ")


FEATURES = _features()


def features(totals: Totals, goal_column: int, attempts: Sequence[Attempt]) -> dict[str, float]:
    """All features of one play of a level."""
    found = dict.fromkeys((f.name for f in FEATURES), 0.0)
    for attempt in attempts:
        for name, value in attempt_counts(attempt).items():
            found[name] += value
    lives = max(len(attempts), 1)
    found["attempts"] = len(attempts)
    if attempts:
        found["completion_time"] = attempts[-1].ticks / SECOND
        found["finished"] = float(attempts[-1].outcome == game.WON)
        farthest = max(float(a.trace[:, 0].max(initial=0.0)) for a in attempts)
        found["progress"] = min(1.0, farthest / (16 * goal_column))
    for kind in ("coins", "coin_blocks", "power_blocks", "empty_blocks", "enemies"):
        found[f"total_{kind}"] = getattr(totals, kind)
    found["coin_share"] = _share(found["coins"], totals.coins + totals.coin_blocks, lives)
    for kind in ("coin_block", "power_block", "empty_block"):
        found[f"{kind}_share"] = _share(found[f"{kind}s"], getattr(totals, f"{kind}s"), lives)
    hits = found["coin_blocks"] + found["power_blocks"] + found["empty_blocks"]
    found["unused_jumps"] = found["jumps"] - found["kills_stomp"] - hits
    return found


def _share(count: float, total: int, lives: int) -> float:
    return count / (total * lives) if total else 0.0


def attempt_counts(attempt: Attempt) -> dict[str, float]:
    """What adds up over attempts."""
    log, ticks = attempt.events, attempt.ticks
    values = {event: log[log[:, 1] == event, 2] for event in range(1, 17)}
    modes = _spans(log, game.E_POWER, ticks)
    going = _spans(log, game.E_GO, ticks)
    keys = _spans(log, game.E_KEYS, ticks)
    large = sum(n for v, n in modes if v == 1)
    left, right = (sum(n for v, n in going if v == side) for side in (-1, 1))
    jumps, stomps, shells = values[game.E_JUMP], values[game.E_STOMP], values[game.E_SHELL]
    bumps, deaths = values[game.E_BUMP], values[game.E_DIE]
    return {
        "total_time": ticks / SECOND,
        "time_running": _running(log, ticks) / SECOND,
        "time_left": left / SECOND,
        "time_right": right / SECOND,
        "time_still": (ticks - left - right) / SECOND,
        "time_ducking": sum(n for v, n in _spans(log, game.E_DUCK, ticks) if v) / SECOND,
        "time_small": (ticks - large) / SECOND,
        "time_large": large / SECOND,
        "jumps": len(jumps),
        "jump_presses": _presses(keys, JUMP),
        "aimless_jumps": int((jumps == 0).sum()),
        "deaths": len(deaths),
        **{f"deaths_{name}": int((deaths == code).sum()) for name, code in CAUSES.items()},
        "coins": len(values[game.E_COIN]),
        "coin_blocks": int((bumps == game.COIN_BLOCK).sum()),
        "power_blocks": int((bumps == game.POWER_BLOCK).sum()),
        "empty_blocks": int((bumps == game.BRICK).sum()),
        "blocks_broken": len(values[game.E_BREAK]),
        "power_ups": len(values[game.E_ITEM]),
        "kills": len(stomps) + len(shells),
        "kills_stomp": len(stomps),
        "kills_shell": len(shells),
        "shells_kicked": len(values[game.E_KICK]),
        **{
            f"kills_{name}": int((stomps == code).sum() + (shells == code).sum())
            for name, code in KINDS.items()
        },
        "mode_switches": len(values[game.E_POWER]),
        "duck_presses": _presses(keys, game.DUCK),
        "run_presses": _presses(keys, SPEED),
    }


def _spans(log: np.ndarray, event: int, ticks: int) -> list[tuple[int, int]]:
    """(value, ticks that it held) of an event that says how something is from now on."""
    rows = log[log[:, 1] == event]
    ends = np.append(rows[1:, 0], ticks + 1)
    return [(int(r[2]), int(end - r[0])) for r, end in zip(rows, ends, strict=False)]


def _presses(keys: Sequence[tuple[int, int]], key: int) -> int:
    """How often a key went down."""
    down = [bool(held & key) for held, _ in keys]
    return sum(now and not before for before, now in zip([False, *down], down, strict=False))


def _running(log: np.ndarray, ticks: int) -> int:
    """Ticks with the run key held while moving."""
    held = _by_tick(log, game.E_KEYS, ticks) & SPEED
    return int(((held != 0) & (_by_tick(log, game.E_GO, ticks) != 0)).sum())


def _by_tick(log: np.ndarray, event: int, ticks: int) -> np.ndarray:
    """The value that an event set, for each tick."""
    found = np.zeros(ticks + 1, np.int64)
    for tick, _, value, _ in log[log[:, 1] == event]:
        found[tick:] = value
    return found[1:]
