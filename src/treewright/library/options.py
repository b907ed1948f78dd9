"""Every switch of the search, with the equation it stands for.

``docs/options.md`` shows the same with examples.  Numbers (``c``, ``k`` …) are
arguments of the compiled kernel, so changing one never recompiles; a switch that adds
or removes a part of the algorithm is structural and gets a kernel of its own.
"""

import functools
import math
import types
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, dataclass_transform, get_args

from treewright.errors import OptionError, nearest
from treewright.kernel.hooks import spoken
from treewright.kernel.names import returns_nothing
from treewright.kernel.rules import RULES, Rule, wanted

Policy = Literal["uniform", "domain", "weighted", "greedy", "table"]
Choice = Literal["visits", "value", "max"]
Horizon = Literal["game", "turn"]
Order = Literal["uniform", "weighted", "best", "rollout", "listed"]
Information = Literal["set", "cheating"]


def _number(where: str, value: Any, low: float, high: float = math.inf) -> None:
    """Refuse what is no number, NaN, or outside [low, high]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OptionError(f"{where} must be a number, not {value!r}")
    if math.isnan(value) or not low <= value <= high:
        limit = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise OptionError(f"{where} must be {limit}, not {value!r}")


def _one_of(where: str, value: Any, literal: Any) -> None:
    if value not in get_args(literal):
        raise OptionError(f"{where}={value!r} is unknown{nearest(str(value), get_args(literal))}")


_Kind = TypeVar("_Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _options(cls: type[_Kind]) -> type[_Kind]:
    """A frozen dataclass that answers an unknown keyword with a sentence and the nearest names."""
    made: Any = dataclass(frozen=True)(cls)
    known = [f.name for f in fields(made)]
    plain = made.__init__

    @functools.wraps(plain)  # so that help and editors show the fields
    def checked(self: Any, *args: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in known:
                raise OptionError(f"{cls.__name__} has no option {name!r}{nearest(name, known)}")
        if len(args) > len(known):
            raise OptionError(f"{cls.__name__} takes {len(known)} options, not {len(args)}")
        plain(self, *args, **keywords)

    made.__init__ = checked
    return made  # type: ignore[no-any-return]


@_options
class Rave:
    """Rapid action value estimation, mixed into the node's value (Magnuson 3.2, 3.3).

    ``Q* = (1 - β) W/N + β W~/N~`` where ``W~/N~`` averages every simulation below the parent
    in which the same player made the move at any later time.  (The parent's own first
    simulation, from before its moves were listed, is not among them.)

    The hand-made schedule is ``β = sqrt(k / (3 N(parent) + k))``: after ``k`` simulations
    both values count the same.  ``k=math.inf`` is RAVE alone (β = 1).  With ``bias``, β
    minimises the mean squared error: ``β = N~ / (N + N~ + 4 N N~ bias²)``
    (Gelly & Silver 2011).

    ``first`` counts an action only for the player who made it first: where a key is a place
    that is taken, a later use by the other player says nothing about this one (Gelly & Silver
    2011, 4.3).

    ``fade`` counts an action the less the later it was made: with ``2 (1 - i/n)`` for the i-th of
    the n actions that are left, since late in the simulation the position is hardly the same
    (as Fuego does, Enzenberger et al. 2010).
    """

    k: float = 1000.0
    bias: float | None = None
    first: bool = False
    fade: bool = False

    def __post_init__(self) -> None:
        _number("Rave(k)", self.k, 0.0)
        if self.bias is not None:
            _number("Rave(bias)", self.bias, 0.0, 1e6)
        for name in ("first", "fade"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(
                    f"Rave({name}) must be true or false, not {getattr(self, name)!r}"
                )


@_options
class SelectionBias:
    """Kartal's selection biasing (Magnuson 4.4): one table of action values for the whole tree.

    ``Q* = (1 - β) W/N + β T[key]`` with ``β = k / (k + N)``: the table leads while the node
    is young.  ``T[key]`` is the mean reward over all uses of the action, anywhere in the tree
    or in a rollout.
    """

    k: float = 20.0

    def __post_init__(self) -> None:
        _number("SelectionBias(k)", self.k, 0.0, 1e12)


@_options
class Widening:
    """Progressive widening: a node with ``N`` visits may have ``ceil(k N**alpha)`` children."""

    k: float = 1.0
    alpha: float = 0.5

    def __post_init__(self) -> None:
        _number("Widening(k)", self.k, 1e-9, 1e9)
        _number("Widening(alpha)", self.alpha, 0.0, 1.0)


@_options
class Rollout:
    """How a simulation goes on below the tree (Magnuson 2.2).

    ``policy``: ``uniform`` (weak), ``domain`` (the domain's ``rollout``), ``weighted``
    (probability ∝ ``weight``), ``greedy`` (largest ``weight``), ``table`` (rollout biasing,
    Magnuson 4.4: probability ∝ ``weight · (floor + T[key] / max T)``).
    ``epsilon``: probability of a uniform action instead (ε-greedy).
    ``depth``: cut after this many actions and ask the domain's ``value``; 0 evaluates the leaf
    without any rollout.
    """

    policy: Policy = "uniform"
    epsilon: float = 0.0
    depth: int | None = None
    floor: float = 0.05

    def __post_init__(self) -> None:
        _one_of("Rollout(policy)", self.policy, Policy)
        _number("Rollout(epsilon)", self.epsilon, 0.0, 1.0)
        _number("Rollout(floor)", self.floor, 0.0, 1e9)
        if self.depth is not None:
            _number("Rollout(depth)", self.depth, 0)
            if not isinstance(self.depth, int):
                raise OptionError(f"Rollout(depth) must be a whole number, not {self.depth!r}")


@_options
class Noise:
    """Noise at the root (Silver et al. 2017): ``P = (1 - share) P + share Dirichlet(alpha)``.

    It keeps self-play from playing the same game again and again.
    """

    alpha: float = 0.3
    share: float = 0.25

    def __post_init__(self) -> None:
        _number("Noise(alpha)", self.alpha, 1e-3, 1e6)
        _number("Noise(share)", self.share, 0.0, 1.0)


@_options
class Gumbel:
    """Root selection by Gumbel numbers and sequential halving (Danihelka et al. 2022).

    Of the root's actions, ``considered`` are drawn without replacement by their weight; the
    budget is shared out over rounds, and after each the worse half drops out.  What is compared is
    ``g + ln P + (c_visit + max N) c_scale Q``.  It makes the most of few simulations, and needs
    to know how many there are.
    """

    considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0

    def __post_init__(self) -> None:
        count = self.considered
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1024:
            raise OptionError(f"Gumbel(considered) must be from 1 to 1024, not {count!r}")
        _number("Gumbel(c_visit)", self.c_visit, 0.0, 1e9)
        _number("Gumbel(c_scale)", self.c_scale, 0.0, 1e9)


@_options
class Rules:
    """Rules of your own, as plain Python functions that are compiled into the kernel.

    Three look at statistics, and take those of their parameters that they name.  ``node`` and
    ``child`` have ``visits``, ``value`` (the sum of the rewards of the player who moved there;
    ``best`` and the solver's ``low`` and ``high`` where these are switched on) and the
    ``statistics``: numbers of your own, 0.0 in a new node.

    urgency(node, child, q, prior, c, rng): in the place of UCT: the child with the highest gets
        the simulation.  ``q`` is the child's mean reward (mixed with RAVE and the like as the
        options say), ``prior`` its share of the domain's ``weight``; who asks for that is
        asked about untried children too (``child.visits == 0``).
    choose(node, child): how good a child of the root is, in the place of ``Options.choose``.
    back_up(node, child, reward): called from the leaf up to the root, after the simulation was
        counted; ``child`` is the node below on the path (one without visits at the leaf).  It
        may change ``value`` and the ``statistics``.

    Two look at a state, as the domain's ``weight`` does:

    order(s, action): how soon an untried action is added; the highest comes first.
    rollout_weight(s, action): in the place of ``weight`` in rollouts.
    """

    urgency: Callable[..., float] | None = None
    choose: Callable[..., float] | None = None
    back_up: Callable[..., None] | None = None
    order: Callable[..., float] | None = None
    rollout_weight: Callable[..., float] | None = None
    statistics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, rule in RULES.items():
            function = getattr(self, name)
            if function is None:
                continue
            function = getattr(function, "py_func", function)
            if not isinstance(function, types.FunctionType):
                raise OptionError(f"Rules({name}) must be a plain function, not {function!r}")
            _check_rule(name, rule, function)
        names = self.statistics
        if isinstance(names, str) or not all(isinstance(n, str) for n in names):
            raise OptionError(f"Rules(statistics) must be a list of names, not {names!r}")
        object.__setattr__(self, "statistics", tuple(names))
        for n in names:
            if not n.isidentifier() or n in _TAKEN or names.count(n) > 1:
                raise OptionError(f"Rules(statistics): {n!r} is taken, or is no name")

    @property
    def functions(self) -> dict[str, types.FunctionType]:
        """The rules that are given, by their kind."""
        given = {name: getattr(self, name) for name in RULES}
        return {n: getattr(f, "py_func", f) for n, f in given.items() if f is not None}


def _check_shared(options: "Options") -> None:
    """What counts simulations of a child in a way of its own does not know shared nodes."""
    for name in ("rave", "selection_bias", "rules", "noise", "gumbel"):
        if getattr(options, name) is not None:
            raise OptionError(f"transpositions and {name} don't go together: choose one")
    for name in ("priors", "head_start", "bound"):
        if getattr(options, name):
            raise OptionError(f"transpositions and {name} don't go together: choose one")


_TAKEN = (
    "value",
    "visits",
    "action",
    "first",
    "n",
    "tried",
    "best",
    "low",
    "high",
    "pending",
    "available",
    "key",
)


def _check_rule(name: str, rule: Rule, function: types.FunctionType) -> None:
    asked, known = wanted(function), tuple(rule.parameters)
    signature = f"{name}({', '.join(known)})"
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & 0x0C:  # *args and **keywords
        raise OptionError(f"{function.__name__} must take plain parameters: {signature}")
    if rule.returns and returns_nothing(code):
        raise OptionError(
            f"{function.__name__} returns nothing: {signature} {spoken(rule.meaning)}"
        )
    if rule.on_state:
        if asked not in (known, (known[0], "t", *known[1:])):
            raise OptionError(f"{function.__name__}({', '.join(asked)}) should be {signature}")
        return
    for parameter in asked:
        if parameter not in known:
            raise OptionError(
                f"{function.__name__} asks for {parameter!r}, which {signature} does not offer"
            )


@_options
class Options:
    """What the search does in each of its four steps.

    Selection is ``argmax Q + c sqrt(ln N(parent) / N)`` (UCT, Magnuson 2.3), ties broken at
    random, where ``Q`` is the mean reward ``W/N`` unless a switch says otherwise.

    c: the exploration constant; 0 exploits only.
    fpu: ``None`` is the naive expansion: every child is tried before any is traversed.
        A number is one-node expansion: an untried child competes with this urgency.
        An untried child about which RAVE, the table or a prior knows something competes with
        that estimate and the bonus of one visit, whatever ``fpu`` is.
    puct: ``Q + c P sqrt(N(parent)) / (1 + N)`` with ``P`` the normalised ``weight``; untried
        children have the mean of their tried siblings, or ``fpu``.
    rave, selection_bias: mix another estimate into ``Q``.
    priors: count the domain's ``prior`` (value, visits) as simulations of the child already
        seen; the parent's ``N`` counts real ones only.
    head_start: a child starts with ``head_start sqrt(P)`` won simulations, ``P`` the normalised
        ``weight``, beside those of its ``prior`` (Pachi's way to use move patterns, Baudiš 2011).
    expand: the order in which untried children are added: ``uniform``, ``weighted`` (drawn
        without replacement by ``weight``), ``best`` (the heaviest first; with ``puct`` that is the
        order in which they would be chosen anyway), ``rollout`` (drawn by the domain's
        ``rollout`` until one is new, as MCMCTS does: nothing is listed or sorted, so thousands of
        actions cost little), or ``listed`` (as ``legal`` lists them: a domain that sorts its
        actions decides what is tried first).
    dense: list the untried actions of a node once, when it is opened, instead of listing them
        again when one is needed: for domains with a costly ``legal``.  The tree takes more memory.
    widening: progressive widening.
    rollout: the simulation step.
    horizon: ``turn`` ends every simulation, and the tree, where the turn of the player at the
        root ends, and asks ``value`` there.
    max_backup: single player: ``Q = (1 - max_backup) mean + max_backup max``.
    solver: bounds on the true value are backed up; what is proven is not searched again.
    bound: single player: branch and bound.  Before each simulation the domain's ``beat`` is told
        the best reward so far, so that ``legal`` and ``ended`` can leave out what can't beat it.
    choose: the move that is played: most ``visits``, highest mean ``value``, or highest ``max``
        (single player, with ``max_backup``).
    normalise: rewards of any scale: ``Q`` is taken on a scale from the lowest reward that its
        player has seen, 0, to the highest, 1: ``c`` and ``fpu`` mean the same in every domain.
    transpositions: equal states share one node, so that the tree becomes a graph.  States are
        equal if the domain's ``key`` says so, or if all fields of their records are equal.  ``W``
        and the ``N`` under it in ``Q`` are the shared node's; the ``N`` of the bonus counts the
        simulations by way of this parent.
    rules: rules of your own (:class:`Rules`).
    noise, gumbel: at the root, for self-play and for few simulations; they act on ``weight``, or on
        the weights of an evaluator.
    information: for domains that hide something (``determinise``).  ``set``, the default there:
        a node is an information set, each simulation redraws what the player at the root does
        not know, and the bonus is ``c sqrt(ln A / N)``, where ``A`` counts how often the child
        was legal when its parent was visited (SO-ISMCTS, Cowling, Powley & Whitehouse 2012).
        ``cheating`` searches the true state.
    keep_state: single player: keep the state in which the best simulation ended, for answers
        that are a thing rather than a sequence (``Search.best_state``).
    """

    c: float = math.sqrt(2)
    fpu: float | None = None
    puct: bool = False
    rave: Rave | None = None
    selection_bias: SelectionBias | None = None
    priors: bool = False
    head_start: float = 0.0
    expand: Order = "uniform"
    dense: bool = False
    widening: Widening | None = None
    rollout: Rollout = field(default_factory=Rollout)
    horizon: Horizon = "game"
    max_backup: float = 0.0
    solver: bool = False
    bound: bool = False
    choose: Choice = "visits"
    keep_state: bool = False
    normalise: bool = False
    rules: Rules | None = None
    noise: Noise | None = None
    gumbel: Gumbel | None = None
    information: Information | None = None
    transpositions: bool = False

    def __post_init__(self) -> None:
        _number("c", self.c, 0.0, 1e12)
        if self.fpu is not None:
            _number("fpu", self.fpu, -math.inf)
        _number("head_start", self.head_start, 0.0, 1e9)
        _number("max_backup", self.max_backup, 0.0, 1.0)
        _one_of("expand", self.expand, Order)
        _one_of("horizon", self.horizon, Horizon)
        _one_of("choose", self.choose, Choice)
        if self.information is not None:
            _one_of("information", self.information, Information)
        for name, kind in (
            ("rave", Rave),
            ("selection_bias", SelectionBias),
            ("widening", Widening),
            ("rules", Rules),
            ("noise", Noise),
            ("gumbel", Gumbel),
        ):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise OptionError(f"{name} must be tw.{kind.__name__}(...), not {value!r}")
        if not isinstance(self.rollout, Rollout):
            raise OptionError(f"rollout must be tw.Rollout(...), not {self.rollout!r}")
        if self.rave is not None and self.selection_bias is not None:
            raise OptionError("rave and selection_bias both replace the node's value: choose one")
        if self.noise is not None and not (self.puct or self.gumbel or self.rules):
            raise OptionError("noise is in the weights of actions: it needs puct, gumbel or a rule")
        if self.gumbel is not None and self.solver:
            raise OptionError("gumbel and solver both decide at the root: choose one")
        if not isinstance(self.transpositions, bool):
            raise OptionError(f"transpositions must be true or false, not {self.transpositions!r}")
        if self.transpositions:
            _check_shared(self)
        rules = self.rules.functions if self.rules is not None else {}
        if "urgency" in rules and self.puct:
            raise OptionError(
                "puct and a rule for the urgency both decide the selection: choose one"
            )
        if "order" in rules and self.expand != "uniform":
            raise OptionError(
                "expand and a rule for the order both decide the expansion: choose one"
            )
        if "rollout_weight" in rules and self.rollout.policy in ("uniform", "domain"):
            raise OptionError(
                "a rule rollout_weight needs tw.Rollout('weighted'), 'greedy' or 'table'; "
                f"the policy is {self.rollout.policy!r}"
            )
        if self.choose == "max" and not self.max_backup:
            raise OptionError("choose='max' needs max_backup above 0")
        if self.widening is not None and self.fpu is not None:
            raise OptionError("widening and fpu both decide when a child is added: choose one")
