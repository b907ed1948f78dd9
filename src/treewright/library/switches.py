"""From options to what the kernel takes: structural switches and numbers."""

import math
import re

from treewright.errors import OptionError
from treewright.kernel import layout
from treewright.kernel.keys import can_be_hashed
from treewright.kernel.layout import Switches
from treewright.kernel.rules import wanted
from treewright.library.domain import Domain
from treewright.library.options import Options, Rollout

_POLICIES = {
    "uniform": layout.UNIFORM,
    "domain": layout.DOMAIN,
    "weighted": layout.WEIGHTED,
    "greedy": layout.GREEDY,
    "table": layout.TABLE,
}
CHOICES = {"visits": layout.VISITS, "value": layout.VALUE, "max": layout.MAX}
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_SMALLEST = 2**14
_LARGEST = 2**50


def switches_of(domain: Domain, options: Options, evaluated: bool = False) -> Switches:
    """The structure of the kernel for these options, after checking that the domain fits."""
    _check(domain, options, evaluated)
    rollout = options.rollout
    rules = options.rules.functions if options.rules is not None else {}
    selects = options.selection_bias is not None
    return Switches(
        PLAYERS=domain.players,
        MAX_ACTIONS=domain.max_actions,
        MAX_LENGTH=domain.max_length,
        KEYS=domain.keys,
        RAVE=options.rave is not None,
        MIN_MSE=options.rave is not None and options.rave.bias is not None,
        FIRST=options.rave is not None and options.rave.first,
        FADE=options.rave is not None and options.rave.fade,
        TABLE_SELECT=selects,
        TABLE=selects or rollout.policy == "table",
        PUCT=options.puct,
        PRIORS=options.priors,
        HEAD_START=options.head_start > 0,
        EXPAND_WEIGHTED=options.expand in ("weighted", "best") or "order" in rules,
        EXPAND_BEST=options.expand == "best" or "order" in rules,
        EXPAND_ROLLOUT=options.expand == "rollout",
        EXPAND_LISTED=options.expand == "listed",
        DENSE_BLOCKS=options.dense,
        WIDENING=options.widening is not None,
        POLICY=_POLICIES[rollout.policy],
        EPSILON=rollout.epsilon > 0,
        CUT=rollout.depth is not None,
        AT_LEAF=rollout.depth == 0,
        TURN=options.horizon == "turn",
        MAX_BACKUP=options.max_backup > 0,
        SOLVER=options.solver,
        BOUND=options.bound,
        CHANCE=domain.function("sample_chance") is not None,
        HAS_VALUE=domain.function("value") is not None,
        HAS_WEIGHT=domain.function("weight") is not None,
        KEEP_STATE=options.keep_state,
        LEGAL_WEIGHTS=domain.function("legal_weights") is not None,
        REWINDS=domain.function("rewind") is not None and not hides(domain, options),
        INFORMATION=hides(domain, options),
        NORMALISE=options.normalise,
        EVALUATED=evaluated,
        NOISE=options.noise is not None,
        GUMBEL=options.gumbel is not None,
        TRANSPOSE=options.transpositions,
        STATISTICS=options.rules.statistics if options.rules is not None else (),
        rules=rules,
    )


def hides(domain: Domain, options: Options) -> bool:
    """Whether the search is over information sets."""
    return domain.function("determinise") is not None and options.information != "cheating"


def params_of(options: Options, memory: int, when_full: str) -> dict[str, float]:
    """The numbers that are arguments of the kernel."""
    rave, widening, rollout = options.rave, options.widening, options.rollout
    noise, gumbel = options.noise, options.gumbel
    return {
        "c": options.c,
        "fpu": math.inf if options.fpu is None else options.fpu,
        "rave_k": rave.k if rave else 0.0,
        "rave_bias": rave.bias if rave and rave.bias is not None else 0.0,
        "head_start": options.head_start,
        "table_k": options.selection_bias.k if options.selection_bias else 0.0,
        "floor": rollout.floor,
        "max_weight": options.max_backup,
        "epsilon": rollout.epsilon,
        "depth": -1.0 if rollout.depth is None else rollout.depth,
        "widen_k": widening.k if widening else 0.0,
        "widen_alpha": widening.alpha if widening else 0.0,
        "noise_alpha": noise.alpha if noise else 1.0,
        "noise_share": noise.share if noise else 0.0,
        "gumbel_visits": gumbel.c_visit if gumbel else 0.0,
        "gumbel_scale": gumbel.c_scale if gumbel else 0.0,
        "memory": memory,
        "max_created": 2**62,
        "rollout_when_full": when_full == "rollout",
    }


def parse_memory(memory: str | int) -> int:
    """``"512MiB"``, ``"1GB"`` or a number of bytes."""
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmg]i?)?b?\s*", memory.lower())
        if not found:
            raise OptionError(f"memory={memory!r}: write it like '512MiB' or '1GiB'")
        size = int(min(float(found[1]) * _UNITS[found[2] or ""], 2.0 * _LARGEST))
    elif isinstance(memory, bool) or not isinstance(memory, int):
        raise OptionError(f"memory={memory!r}: write it like '512MiB' or as a number of bytes")
    else:
        size = memory
    if size < _SMALLEST:
        raise OptionError(f"memory={memory!r} is too little: at least 16KiB")
    if size > _LARGEST:
        raise OptionError(f"memory={memory!r} is more than any machine has: at most 1 PiB")
    return size


def _check(domain: Domain, options: Options, evaluated: bool) -> None:
    """Refuse switches that this domain can't serve, saying what it lacks."""
    name, rollout, rules = domain.name, options.rollout, options.rules
    if evaluated:
        if hides(domain, options):
            raise OptionError(
                f"an evaluator values open states, and {name} hides something: search the true "
                f"state with information='cheating'"
            )
        _check_evaluated(name, options)
    weighs = rules is not None and rules.rollout_weight is not None
    needs = [
        (options.puct and not evaluated, "puct", "weight"),
        (options.gumbel is not None and not evaluated, "gumbel", "weight"),
        (options.expand in ("weighted", "best"), f"expand={options.expand!r}", "weight"),
        (options.expand == "rollout", "expand='rollout'", "rollout"),
        (options.bound, "bound", "beat"),
        (
            rollout.policy in ("weighted", "greedy") and not weighs,
            f"rollout policy {rollout.policy!r}",
            "weight",
        ),
        (rollout.policy == "domain", "rollout policy 'domain'", "rollout"),
        (options.priors, "priors", "prior"),
        (options.head_start > 0, "head_start", "weight"),
        (rollout.depth is not None, "Rollout(depth)", "value"),
        (options.horizon == "turn", "horizon='turn'", "value"),
        (options.information is not None, f"information={options.information!r}", "determinise"),
    ]
    if rules is not None and (function := rules.functions.get("urgency")) is not None:
        needs.append(
            (
                "prior" in wanted(function) and not evaluated,
                "a rule that asks for the prior",
                "weight",
            )
        )
    for needed, what, hook in needs:
        if needed and domain.function(hook) is None:
            raise OptionError(f"{what} needs {name} to define the function {hook}")
    own_key = domain.function("key") is not None
    if options.transpositions and not (own_key or can_be_hashed(domain.state)):
        raise OptionError(
            f"transpositions need {name} to define the function key: only a record of numbers and "
            f"arrays of numbers is hashed without it"
        )
    keyed = options.rave or options.selection_bias or rollout.policy == "table"
    if keyed and domain.keys < 1:
        raise OptionError(
            f"RAVE and action-value tables need {name}.keys: how many different actions "
            f"(or amaf_key values) there are"
        )
    single = options.max_backup > 0 or options.keep_state or options.bound
    if domain.players > 1 and single:
        raise OptionError(f"max_backup, bound and keep_state are for one player; {name} has more")
    if domain.players > 2 and options.solver:
        raise OptionError(f"the solver is for one or two players; {name} has {domain.players}")
    if hides(domain, options):
        _check_information(name, options)


def _check_evaluated(name: str, options: Options) -> None:
    """An evaluator takes the place of rollouts, and of the domain's weights."""
    unfit = {
        "rave": options.rave is not None,
        "selection_bias": options.selection_bias is not None,
        "bound": options.bound,
        "horizon='turn'": options.horizon == "turn",
        "keep_state": options.keep_state,
        "transpositions": options.transpositions,
        "rollout": options.rollout != Rollout(),
        f"expand={options.expand!r}": options.expand not in ("uniform", "listed"),
    }
    for what, given in unfit.items():
        if given:
            raise OptionError(f"{what} has no meaning with an evaluator; {name} was given one")


def _check_information(name: str, options: Options) -> None:
    """Refuse what needs the actions of a node in advance, or one state for each node."""
    rules = options.rules.functions if options.rules is not None else {}
    asks = "urgency" in rules and "prior" in wanted(rules["urgency"])
    refused = {
        "puct": options.puct,
        "rave": options.rave is not None,
        "selection_bias": options.selection_bias is not None,
        "priors": options.priors,
        "head_start": options.head_start > 0,
        f"expand={options.expand!r}": options.expand != "uniform",
        "a rule for the order": "order" in rules,
        "a rule that asks for the prior": asks,
        "dense": options.dense,
        "widening": options.widening is not None,
        "max_backup": options.max_backup > 0,
        "solver": options.solver,
        "bound": options.bound,
        "keep_state": options.keep_state,
        "transpositions": options.transpositions,
    }
    for what, asked in refused.items():
        if asked:
            raise OptionError(
                f"{what} does not go with information sets, which {name} is searched by: leave it "
                f"out, or search the true state with information='cheating'"
            )
