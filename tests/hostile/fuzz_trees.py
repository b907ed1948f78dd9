"""Saved searches with flipped bits, strange numbers and cut arrays, all with a valid checksum."""

import json
import math
import random
import warnings
from collections import Counter

import numpy as np
from fuzz_files import TooLong, limited
from numpy import int8, int64

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe

STRANGE = (0, 1, -1, 2, 3, 7, 255, 65535, 2**15, 2**31 - 1, -(2**31), 2**40, 2**62, -(2**63))
FLOATS = (*map(float, STRANGE), float("nan"), float("inf"), -float("inf"), 0.5, 1e300, -0.0)
WORDS = (*FLOATS, *STRANGE, None, True, "", "x", "compiled", "stop", [], {}, [1], [[]], "\ud800")


class Wide(tw.Domain):
    """Three of forty numbers, for one player: its blocks of edges are sparse."""

    max_actions = keys = 40
    state = tw.record(taken=(int8, 40), count=int8, sum=int64)

    def start(s):
        s.sum = 0

    def legal(s, out):
        n = 0
        for i in range(40):
            if not s.taken[i]:
                out[n] = i
                n += 1
        return n

    def play(s, action):
        s.taken[action] = 1
        s.count += 1
        s.sum += action * action % 41

    def ended(s):
        return s.count == 3

    def rewards(s, out):
        out[0] = s.sum / 120


def judge(states):
    """An evaluator: every leaf is even, and each action as good as its number."""
    return np.full(len(states), 0.5), np.tile(np.arange(1.0, 10.0), (len(states), 1))


def squared(child, q, log):
    return q + math.sqrt(log / child.visits * min(0.25, child.squares / child.visits))


def add_square(node, reward):
    node.squares += reward * reward


def samples(all_of_them=False):
    """(domain, options, how many simulations, what was played, what else ``load`` is given)."""
    rave = tw.Options(rave=tw.Rave(k=30), solver=True)
    yield TicTacToe(), rave, 60, [4], {}
    yield Wide(), tw.Options(), 300, [], {}
    if not all_of_them:
        return
    evaluated = tw.Options(puct=True, noise=tw.Noise(), normalise=True)
    yield TicTacToe(), evaluated, 60, [4], {"evaluate": judge}
    yield TicTacToe(), tw.Options(gumbel=tw.Gumbel()), 60, [], {"evaluate": judge}
    own = tw.Rules(urgency=squared, back_up=add_square, statistics=("squares",))
    yield TicTacToe(), tw.Options(rules=own), 60, [4], {"rules": own}
    table = tw.Options(selection_bias=tw.SelectionBias(), max_backup=0.5, choose="max")
    yield Wide(), table, 100, [3], {}
    yield tw.make("kuhn-poker"), tw.Options(), 60, [], {}


def changed(dice, about, arrays):
    """The parts of a file with one to three things about them changed."""
    arrays = {k: v.copy() for k, v in arrays.items()}
    about = json.loads(json.dumps(about))
    for _ in range(dice.choice([1, 1, 2, 3])):
        name = dice.choice([*arrays, "0/nodes", "0/edges", "0/run", "about"])
        kind = dice.randrange(6)
        if name == "about":
            _change_text(dice, about)
        elif name not in arrays or not arrays[name].size:
            continue
        elif kind == 0:
            del arrays[name]
        elif kind == 1:
            size = dice.choice([0, 1, len(arrays[name]) - 1, len(arrays[name]) + 1])
            arrays[name] = np.resize(arrays[name], max(0, size))
        elif kind == 2:
            flat = arrays[name].view(np.uint8)
            flat[dice.randrange(len(flat))] ^= 1 << dice.randrange(8)
        else:
            _change_number(dice, arrays[name])
    return about, arrays


def _change_text(dice, about):
    at = about
    while isinstance(at, dict) and at:
        key = dice.choice(sorted(at))
        if not isinstance(at[key], dict) or dice.random() < 0.3:
            if key in ("options", "engine") or at is about["options"]:
                return  # every set of options is a kernel of its own to compile
            if dice.random() < 0.2:
                del at[key]
            else:
                at[key] = dice.choice(WORDS)
            return
        at = at[key]


def _change_number(dice, array):
    column = array[dice.choice(array.dtype.names)] if array.dtype.names else array
    at = tuple(dice.randrange(n) for n in column.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = dice.choice(FLOATS if column.dtype.kind == "f" else STRANGE)
        near = column[at].item() + dice.choice([-2, -1, 1, 2, 16])
        if column.dtype.kind != "f":
            near = (near + 2**63) % 2**64 - 2**63  # the largest number has one above it, too
        column[at] = np.asarray(dice.choice([value, near])).astype(column.dtype)


def attempt(path, domain, given):
    """What became of one file: ``read``, ``refused``, or what is wrong with it."""
    try:
        with limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = tw.load(path, domain, **given)
            if not search.position.ended:
                search.run(100)
                search.commit(search.result().best)
    except (tw.TreeFileError, tw.DomainError) as error:  # a user's rule may dislike its numbers
        return "refused" if "\n" not in str(error) else f"no sentence: {error}"
    except TooLong:
        return "too long"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return "read"


def fuzz_trees(count, folder, seed=0, all_of_them=False):
    """Try ``count`` changed files: how often what, and what was wrong with which."""
    path = folder / "tree.npz"
    known = []
    for domain, options, simulations, played, given in samples(all_of_them):
        evaluate = given.get("evaluate")
        search = tw.Search(domain, options, seed=1, memory="1MiB", evaluate=evaluate, batch=4)
        for action in played:
            search.commit(action)
        search.run(simulations)
        search.save(path)
        with np.load(path) as file:
            arrays = {k: file[k] for k in file.files}
        known.append((domain, given, json.loads(str(arrays.pop("about"))), arrays))
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []
    for number in range(count):
        domain, given, about, arrays = dice.choice(known)
        about, arrays = changed(dice, about, arrays)
        np.savez(path, about=np.array(json.dumps(about)), **arrays)
        if number % 10 == 0:  # and bytes of the file itself
            data = bytearray(path.read_bytes())
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            path.write_bytes(data)
        result = attempt(path, domain, given)
        seen[result if result in ("read", "refused") else "wrong"] += 1
        if result not in ("read", "refused"):
            wrong.append((result, number))
    return seen, wrong
