"""What the kernel asks of a domain: one table of hooks, and how a domain looks from below.

A hook is a function of the domain's author that something here calls.  The table says which there
are; the checker of signatures, the messages about what can't be compiled, the documentation
(``docs/hooks.md``) and :class:`treewright.Domain` all read it.
"""

import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np


class Hook(NamedTuple):
    """One function of a domain."""

    name: str
    parameters: Mapping[str, str]
    """Each parameter after the state, with the Numba type that compiled callers pass."""
    meaning: str
    """One sentence for its author."""
    caller: str
    """Who calls it, and when."""
    default: str = "what needs it is refused"
    """What stands for it where a domain has none."""
    required: bool = False
    compiled: bool = True

    @property
    def signature(self) -> str:
        """``play(s, action)``"""
        return f"{self.name}({', '.join(('s', *self.parameters))})"

    @property
    def returns(self) -> bool:
        """Whether it must give something back."""
        return "eturns " in self.meaning


def spoken(meaning: str) -> str:
    """A sentence of the table behind the name that it is about."""
    return meaning[0].lower() + meaning[1:].rstrip(".")


_ACTION = {"action": "int64"}
_ACTIONS = {"out": "int32[::1]"}
_NUMBERS = {"out": "float64[::1]"}
_STREAM = {"rng": "uint64[::1]"}

_TABLE = (
    Hook(
        "start",
        {},
        "Sets up the state a search or a game begins in; further parameters with defaults are "
        "the settings of the domain.",
        "`Domain.new_state`",
        required=True,
        compiled=False,
    ),
    Hook(
        "legal",
        _ACTIONS,
        "Writes the legal actions to `out` and returns how many there are.",
        "every step of the search",
        required=True,
    ),
    Hook("play", _ACTION, "Plays an action, in place.", "every step of the search", required=True),
    Hook(
        "ended",
        {},
        "Returns whether nothing is left to do.",
        "every step of the search",
        required=True,
    ),
    Hook(
        "rewards",
        _NUMBERS,
        "Writes the reward of each player to `out`, which comes filled with zeros; the convention "
        "is 0 for a loss and 1 for a win.",
        "the end of each simulation",
        required=True,
    ),
    Hook(
        "player",
        {},
        "Returns who decides, from 0, or `tw.CHANCE`.",
        "every step of the search",
        default="the field `player` of the state, or 0 with one player",
    ),
    Hook(
        "rollout",
        _STREAM | _ACTIONS,
        "Returns the next action of a simulation below the tree; `out` is free to list actions in.",
        'the simulation with `policy="domain"`, and the expansion with `expand="rollout"`',
    ),
    Hook(
        "weight",
        _ACTION,
        "Returns how likely or how good an action is, as any number from 0 up.",
        "weighted rollouts, weighted expansion, `puct` and `head_start`",
    ),
    Hook(
        "legal_weights",
        _ACTIONS | {"weights": "float64[::1]"},
        "Does the work of `legal` and `weight` for all actions at once, and returns how many there "
        "are.",
        "the same as `weight`",
        default="`legal`, then `weight` for each action",
    ),
    Hook(
        "beat",
        {"best": "float64"},
        "Is told the best reward so far, so that `legal` and `ended` can leave out what can't "
        "beat it.",
        "`bound=True`, before each simulation",
    ),
    Hook(
        "priority",
        {},
        "Returns how soon a state is looked at: the largest number comes first.",
        "best-first search",
        default="the reward of a state that has ended, and the `value` of any other",
    ),
    Hook(
        "prior",
        _ACTION,
        "Returns the value of an action before any simulation, and how many simulations that "
        "counts as.",
        "`priors=True`, when a node gets its children",
    ),
    Hook(
        "value",
        _NUMBERS,
        "Writes an estimate of each player's reward to `out`, for a state that need not have "
        "ended.",
        "rollouts cut by `depth`, `horizon` or `max_length`, and planners of turns",
    ),
    Hook(
        "amaf_key",
        _ACTION,
        "Returns the number, from 0 to `keys - 1`, that stands for the action wherever it is "
        "played.",
        "RAVE, selection bias and rollouts by the table",
        default="the action itself",
    ),
    Hook(
        "key",
        {},
        "Returns a whole number of 64 bits that is the same for states that are the same, whatever "
        "led there, and another for states that differ in what can follow or in who decides.",
        "`transpositions=True`, when an action is played for the first time from a node",
        default="the fields of the record are hashed",
    ),
    Hook(
        "sample_chance",
        _STREAM,
        "Returns one of the actions that `legal` lists, drawn as chance does.",
        "every step of the search where `player` returns `tw.CHANCE`",
        default="the domain has no chance",
    ),
    Hook(
        "determinise",
        _STREAM | {"player": "int64"},
        "Redraws in place all that is hidden from `player`, uniformly over what it may be as far "
        "as they know.",
        "the beginning of each simulation, for the player at the root (information sets)",
        default="the domain hides nothing",
    ),
    Hook(
        "allowed",
        _ACTION,
        "Returns whether an action is legal, without listing all of them.",
        "planners of whole turns",
        default="`legal`, and a look through its list",
    ),
    Hook(
        "greedy",
        _STREAM | _ACTIONS,
        "Returns the action that looks best at once.",
        "planners of whole turns",
        default="each action is tried, and the `value` after it decides",
    ),
    Hook(
        "rewind",
        {"root": "state"},
        "Makes `s`, which was played on from `root`, equal to it again, for large states of which "
        "an action changes little.",
        "the beginning of each simulation",
        default="the whole state is copied",
    ),
    Hook(
        "describe",
        _ACTION,
        "Returns an action in words, for people.",
        "results, pictures and the command line",
        default="the number",
        compiled=False,
    ),
    Hook(
        "render",
        {},
        "Returns the state as text, for people.",
        "`Position`, `treewright play`",
        default="the fields of the state",
        compiled=False,
    ),
    Hook(
        "picture",
        {},
        "Returns the state as a picture, which is SVG; a shape in it with `data-action` plays that "
        "action when it is clicked.",
        "the studio's pages for games and for a domain of your own",
        default="`render`, and a button for each action",
        compiled=False,
    ),
    Hook(
        "view",
        {"player": "int64"},
        "Returns the state as text, for one player: with nothing that is hidden from them.",
        "`treewright play`, and `tw.check` to see that `determinise` changes nothing of it",
        default="`render`, and for `tw.check` the actions of the player to move",
        compiled=False,
    ),
    Hook(
        "copy",
        {},
        "Returns a copy of a state that is a Python object of its own.",
        'the interpreted engine (`engine="python"`)',
        default="`copy.deepcopy`",
        compiled=False,
    ),
)

HOOKS: Mapping[str, Hook] = {hook.name: hook for hook in _TABLE}


class Searchable(Protocol):
    """What the specialiser needs of a domain."""

    @property
    def functions(self) -> Mapping[str, types.FunctionType]: ...
    @property
    def table_names(self) -> tuple[str, ...]: ...
    def fingerprint_parts(self) -> tuple[Any, ...]: ...


class Playable(Searchable, Protocol):
    """What a worker needs of a domain: its states and tables too."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> Any: ...
    @property
    def is_record(self) -> bool: ...
    @property
    def tables(self) -> Mapping[str, np.ndarray]: ...
    @property
    def interpreted_tables(self) -> types.SimpleNamespace: ...
    def copy_state(self, s: Any) -> Any: ...


def takes_tables(function: types.FunctionType) -> bool:
    """Whether a domain function wants the tables: its second parameter is named ``t``."""
    return function.__code__.co_varnames[1:2] == ("t",) and function.__code__.co_argcount > 1


def with_tables(function: Any, own: types.FunctionType | None = None) -> Callable[..., Any]:
    """The function with the kernel's uniform signature ``(s, t, …)``, tables wanted or not.

    ``own`` is what its author wrote, if ``function`` is a compiled copy of that.
    """
    own = own or function
    arguments = own.__code__.co_argcount
    if takes_tables(own):
        return function  # type: ignore[no-any-return]
    if arguments == 1:

        def call(s, t):  # type: ignore[no-untyped-def]
            return function(s)

    elif arguments == 2:

        def call(s, t, a):  # type: ignore[no-untyped-def,misc]
            return function(s, a)

    else:

        def call(s, t, a, b):  # type: ignore[no-untyped-def,misc]
            return function(s, a, b)

    return call


def inlined(function: Any) -> Any:
    """A decorator for small helpers of a domain that are called in inner loops.

    Compiled, their code is put where they are called; LLVM does that by itself only up to a size.
    """
    function.__treewright_inlined__ = True
    return function


def apart(function: Any) -> Any:
    """A decorator for large helpers that are called from several places.

    Helpers of a domain are put where they are called; of these each stays a function, unless LLVM
    thinks better of it.  A program of a thousand lines would take minutes to compile otherwise.
    """
    function.__treewright_apart__ = True
    return function


def is_apart(function: Any) -> bool:
    return getattr(function, "__treewright_apart__", False)


def is_inlined(function: Any) -> bool:
    return getattr(function, "__treewright_inlined__", False)
