"""Automatic participants take part: the same steps as people, through the same store."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.apps.study import bots, published, terms
from treewright.apps.study.protocol import assignment, difference
from treewright.apps.study.store import Store
from treewright.kernel.rng import stream_seed

TRUTH = {"challenge": published.CHALLENGE, "preference": published.PREFERENCE}


def take_part(
    store: Store, count: int, seed: int = 0, progress: Callable[[int], object] | None = None
) -> list[str]:
    """Enrol ``count`` automatic participants, who play everything and answer; their ids.

    Every other one is a beginner.  Skills vary a little from one to the next, and the answers come
    from the paper's odds ratios.
    """
    done = []
    for number in range(count):
        dice = random.Random(f"simulated {seed} {number}")
        experience = ("beginner", "intermediate")[number % 2]
        skill = skill_of(experience, dice)
        participant = store.enrol(simulated=True)
        while (step := store.next_step(participant)).kind != "done":
            if step.kind == "play":
                luck = stream_seed(seed, 1000 * number + step.slot)
                played = bots.play(store.world(participant, step.slot), skill, luck)
                for attempt, runs in enumerate(played, 1):
                    store.record(participant, step.slot, attempt, 0, runs)
            elif step.kind == "ask":
                answer_pair(store, participant, step.pair, experience, dice)
            else:
                store.describe_experience(participant, experience)
        done.append(participant)
        if progress is not None:
            progress(number + 1)
    return done


def skill_of(experience: str, dice: random.Random) -> bots.Skill:
    base = bots.BEGINNER if experience == "beginner" else bots.EXPERIENCED
    return replace(
        base,
        reaction=max(2, base.reaction + dice.randint(-1, 1)),
        error=base.error * dice.uniform(0.5, 1.5),
        caution=min(1.0, base.caution * dice.uniform(0.5, 1.5)),
    )


def answer_pair(
    store: Store, participant: str, pair: int, experience: str, dice: random.Random
) -> None:
    """Choose by the known utility."""
    first, second = store.variants(participant, pair)
    row = row_of(first, second, experience)
    answers = {
        question: "A" if dice.random() < probability(model.coefficients, row) else "B"
        for question, model in TRUTH.items()
    }
    store.answer(participant, pair, **answers)


def row_of(first: int, second: int, experience: str) -> dict[str, Any]:
    gaps, enemies, rewards = difference(first, second)
    return {"gaps": gaps, "enemies": enemies, "rewards": rewards, "experience": experience}


def probability(coefficients: dict[str, float], row: dict[str, Any]) -> float:
    return 1.0 / (1.0 + math.exp(-terms.utility(coefficients, row)))


def answers_only(pairs: int, seed: int) -> list[dict[str, Any]]:
    """Rows of a study in which nobody plays: the plan's pairs, answered from the known utility.

    For the recovery of known odds ratios, where only the answers count.
    """
    dice = np.random.default_rng(seed)
    rows = []
    for number in range(math.ceil(pairs / 4)):
        slots = assignment(number, seed)
        # beginners and others take turns in twos: each half of the plan gets both
        experience = ("beginner", "intermediate")[number // 2 % 2]
        for a, b in zip(slots[::2], slots[1::2], strict=True):
            row = row_of(a.variant, b.variant, experience)
            row |= {"variant_a": a.variant, "variant_b": b.variant, "simulated": True}
            for question, model in TRUTH.items():
                row[question] = "A" if dice.random() < probability(model.coefficients, row) else "B"
            rows.append(row)
    return rows[:pairs]
