"""Where each table begins in the few arrays that compiled code is given.

Every array that a function takes is passed on as seven numbers, so a handful of arrays with fixed
places in them compiles several times faster than fifty arrays with names.
"""

import itertools

WIDE = 16  # numbers to a row that has one for each character


def _places(sizes: dict[str, int]) -> tuple[dict[str, int], int]:
    ends = list(itertools.accumulate(sizes.values()))
    return dict(zip(sizes, [0, *ends[:-1]], strict=True)), ends[-1]


MOST_EVENTS = 32_000
MOST_ACTIONS = 4096
MOST_WORLDS = 4096
MOST_FLUENTS = 2048
QUEUE = 4096  # changes that one action may make, over all worlds
PENDING = 32  # assignments of one trigger
FRAMES = 40
MEMO = 1 << 17
STACK = 256
_FLAT = {
    "dims": 64,
    "pre": MOST_EVENTS + 1,
    "effect_start": MOST_EVENTS + 2,
    "clause": 1 << 17,
    "clause_start": 1 << 16,
    "condition_start": 1 << 16,
    "utility": 64,
    "solo": MOST_ACTIONS,
    "watch_start": MOST_FLUENTS + 1,
    "rule_start": MOST_ACTIONS + 1,
    "shift": MOST_FLUENTS,
    "plain": MOST_EVENTS + 1,
    "parent": MOST_WORLDS,
    "owner": MOST_WORLDS,
    "size": MOST_WORLDS,
    "start": 1 << 15,
    "child": MOST_WORLDS * WIDE,
    "observing": MOST_ACTIONS * WIDE,
    "consents": MOST_ACTIONS * WIDE,
}
_FRAME: tuple[str, ...] = (
    "node",
    "who",
    "layer",
    "action",
    "waiting",
    "next",
    "raised",
    "rejected",
    "begun",
)
_FRAME += ("length", "longest", "bound", "base", "key", "since")
_OWN = {
    "notes": 64,
    "seen": MOST_WORLDS,
    "mask": MOST_FLUENTS,
    "next_mask": MOST_FLUENTS,
    "done": MOST_ACTIONS,
    "found": FRAMES,
    "queue": 3 * QUEUE,
    "pending": 3 * PENDING,
    **{f"frame_{name}": FRAMES for name in _FRAME},
    "memo": MEMO,
    "dead": MEMO,
}
_REAL = {"stack": STACK, "low": STACK, "high": STACK, "hoped": FRAMES, "weights": MOST_ACTIONS}
FLAT, FLAT_SIZE = _places(_FLAT)
OWN, OWN_SIZE = _places(_OWN)
REAL, REAL_SIZE = _places(_REAL)
ROOM = _FLAT

AT_PRE = FLAT["pre"]
AT_EFFECT_START = FLAT["effect_start"]
AT_CLAUSE = FLAT["clause"]
AT_CLAUSE_START = FLAT["clause_start"]
AT_CONDITION_START = FLAT["condition_start"]
AT_UTILITY = FLAT["utility"]
AT_SOLO = FLAT["solo"]
AT_WATCH_START = FLAT["watch_start"]
AT_RULE_START = FLAT["rule_start"]
AT_SHIFT = FLAT["shift"]
AT_PLAIN = FLAT["plain"]
AT_PARENT = FLAT["parent"]
AT_OWNER = FLAT["owner"]
AT_SIZE = FLAT["size"]
AT_START = FLAT["start"]
AT_CHILD = FLAT["child"]
AT_OBSERVING = FLAT["observing"]
AT_CONSENTS = FLAT["consents"]

AT_SEEN = OWN["seen"]
AT_MASK = OWN["mask"]
AT_NEXT_MASK = OWN["next_mask"]
AT_DONE = OWN["done"]
AT_FOUND_PLAN = OWN["found"]
AT_CHANGED = OWN["queue"]
AT_PENDING_AT = OWN["pending"]
AT_MEMORY = OWN["memo"]
AT_DEAD = OWN["dead"]
AT_FRAME_NODE = OWN["frame_node"]
AT_FRAME_WHO = OWN["frame_who"]
AT_FRAME_LAYER = OWN["frame_layer"]
AT_FRAME_ACTION = OWN["frame_action"]
AT_FRAME_WAITING = OWN["frame_waiting"]
AT_FRAME_NEXT = OWN["frame_next"]
AT_FRAME_RAISED = OWN["frame_raised"]
AT_FRAME_REJECTED = OWN["frame_rejected"]
AT_FRAME_BEGUN = OWN["frame_begun"]
AT_FRAME_LENGTH = OWN["frame_length"]
AT_FRAME_LONGEST = OWN["frame_longest"]
AT_FRAME_BOUND = OWN["frame_bound"]
AT_FRAME_BASE = OWN["frame_base"]
AT_FRAME_KEY = OWN["frame_key"]
AT_FRAME_SINCE = OWN["frame_since"]

AT_LOW = REAL["low"]
AT_HIGH = REAL["high"]
AT_HOPED = REAL["hoped"]
AT_WEIGHTS = REAL["weights"]
