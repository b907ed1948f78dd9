"""Recordings of Hero Academy for the tests, played by our own engine: tests/data/tactics.

    python tools/make_tactics_recordings.py [FOLDER]

The games cover the numbers of action points of the papers, a game that ends by its turn limit,
and ends of turn from a player's view, with the opponent's hand put back into the deck.  The lines
have the format that ``treewright tactics verify`` reads: a ``game`` line with rules and deal, then
one ``step`` line for each action with everything that the rules say about it.  The same verifier
passes recordings of the original testbed; ours keep what it confirmed.  The games follow from the
seeds below, so the files only change with the rules.
"""

import gzip
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.tactics import evaluation
from treewright.apps.tactics import verify as verifier
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.notation import action_text, to_json
from treewright.apps.tactics.state import DISCARD, END, STATE
from treewright.apps.tactics.units import CARDS
from treewright.kernel.specialise import specialise
from treewright.random import below, stream, uniform

FOLDER = Path(__file__).parents[1] / "tests/data/tactics"
VALUED = 5  # ordering values are written with every fifth step
MOST = 2000  # legal actions that fit


@dataclass(frozen=True)
class Setting:
    """One file: its rules, and how often each player takes the best action."""

    name: str
    games: int
    ap: int
    first_ap: int
    limit: int
    greed: tuple[float, float]
    hidden: bool = False


SETTINGS = (
    Setting("ap05_random_greedy", 1, 5, 3, 100, (0.0, 1.0)),
    Setting("ap05_mixed", 1, 5, 4, 200, (0.5, 0.5)),
    Setting("ap10_greedy", 1, 10, 9, 200, (1.0, 1.0)),
    Setting("ap15_turn_limit", 2, 15, 14, 5, (0.0, 0.5)),
    Setting("ap05_hidden_hand", 4, 5, 3, 100, (0.5, 1.0), hidden=True),
)


class Rules:
    """The rules of the testbed, compiled; what they say about a state and an action."""

    def __init__(self, setting: Setting) -> None:
        self.domain = HeroAcademy(
            testbed=True, ap=setting.ap, first_ap=setting.first_ap, turn_limit=setting.limit
        )
        text = Path(verifier.__file__).with_name("verify_kernel.py")
        module = specialise(verifier.Rules(self.domain), {}, (text,), "examine")
        self._examine = module.examine
        self._tables = module.Tables(*self.domain.tables.values())
        self._replay = verifier._Replay(verifier.Verdict(""))
        self._replay.domain = self.domain

    def after(self, state: Any, actions: list[int]) -> tuple[Any, ...]:
        """Next states, legal and kept lists with ordering values, evaluations: a row an action."""
        n = len(actions)
        before = np.repeat(np.array([state], STATE), n)
        after = np.zeros(n, STATE)
        room = np.zeros((n, 3, MOST), np.int32)
        counts, evaluations = np.zeros((n, 2), np.int64), np.zeros((n, 2), np.int64)
        self._examine(before, after, self._tables, np.array(actions), room, counts, evaluations)
        return after, room, counts, evaluations

    def legal(self, state: Any) -> list[int]:
        _, room, counts, _ = self.after(state, [END])
        return [int(a) for a in room[0, 0, : counts[0, 0]]]

    def step(self, state: Any, action: int, game: int, number: int) -> tuple[dict[str, Any], Any]:
        """The line of a step, and the state after it."""
        after, room, counts, evaluations = self.after(state, [action])
        n, kept = (int(c) for c in counts[0])
        pruned = room[0, 2, :kept]
        raw = [int(v) for v in evaluations[0]]
        line = {
            "type": "step",
            "g": game,
            "n": number,
            "before": to_json(state),
            "legal": [action_text(int(a)) for a in room[0, 0, :n]],
            "kept": kept,
            "keptSwap": sorted(action_text(int(a)) for a in pruned if a >> 12 == DISCARD),
            "keptInferno": self._replay._targets(state, pruned),
            "action": action_text(action),
            "after": to_json(after[0]),
            "eval": raw,
            "evalWin": [(v + evaluation.WIN) / (2 * evaluation.WIN) for v in raw],
        }
        if number % VALUED == 0:
            line["value"] = [int(v) for v in room[0, 1, :n]]
        return line, after[0].copy()


def chosen(rules: Rules, state: Any, greed: float, rng: Any) -> int:
    """The action with the best evaluation, ties at random, or any; the end of a turn if none."""
    legal = rules.legal(state) if state["ap"] > 0 else []
    if not legal:
        return int(END)
    if uniform(rng) >= greed:
        return legal[below(rng, len(legal))]
    worth = rules.after(state, legal)[3][:, int(state["player"])]
    best = [a for a, w in zip(legal, worth, strict=True) if w == worth.max()]
    return best[below(rng, len(best))]


def with_hidden_hand(state: Any) -> Any:
    """The state as its player sees it: the opponent's hand is back in the deck."""
    seen = state.copy()
    side = 1 - int(state["player"])
    cards = slice(side * CARDS, (side + 1) * CARDS)
    seen["deck"][cards] += seen["hand"][cards]
    seen["hand"][cards] = 0
    seen["left"][side] += seen["held"][side]
    seen["held"][side] = 0
    return seen


def lines(setting: Setting) -> list[dict[str, Any]]:
    """All lines of a file."""
    rules = Rules(setting)
    found = []
    for game in range(setting.games):
        rng = stream(1000 * setting.ap + 10 * setting.limit + game)
        seeds = (int(below(rng, 1000)), int(below(rng, 1000)))
        dealt = HeroAcademy(ap=setting.ap, first_ap=setting.first_ap, deck_seeds=seeds)
        state = dealt.new_state()._record[0]
        found.append(
            {
                "type": "game",
                "g": game,
                "ap": setting.ap,
                "firstAp": setting.first_ap,
                "limit": setting.limit,
                "deckSeed1": seeds[0],
                "deckSeed2": seeds[1],
                "start": to_json(state),
            }
        )
        number = 0
        while not state["over"]:
            action = chosen(rules, state, setting.greed[int(state["player"])], rng)
            if setting.hidden and number % 4 == 0:
                found.append(rules.step(with_hidden_hand(state), int(END), game, -1)[0])
            line, state = rules.step(state, action, game, number)
            if not setting.hidden:
                found.append(line)
            number += 1
    return found


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for setting in SETTINGS:
        made = lines(setting)
        path = folder / f"{setting.name}.jsonl.gz"
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in made)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
        steps = sum(line["type"] == "step" for line in made)
        print(f"{path.name}: {steps} steps, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
