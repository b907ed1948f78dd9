"""One hash that identifies the search's behaviour (Stockfish's idea).

A commit that changes which nodes are visited, in any domain or variant, changes the signature
and has to say so.  A part is a sample of an application with a variant of the options: on the small
games every variant that they can serve, on the others the plain search and the options of their
own application.  The part ``core`` is the signature of version 0.1: four domains, 16 variants.

Both engines build the same tree, so they have the same parts: a caller may choose the one
that is quicker, the interpreter for a single run or the compiled kernels from a full cache.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from treewright.errors import OptionError, TreewrightError, nearest
from treewright.library.domain import Domain
from treewright.library.options import (
    Gumbel,
    Noise,
    Options,
    Rave,
    Rollout,
    Rules,
    SelectionBias,
    Widening,
)
from treewright.library.registry import make, registered
from treewright.library.search import Search
from treewright.workshop.samples import Sample, samples

Engine = Literal["compiled", "python"]

CORE = "core"
CORE_SIMULATIONS = {"samegame": 15}  # a large board, interpreted; 300 elsewhere
CORE_DOMAINS = {
    "nim": {"heap": 12},
    "tictactoe": {},
    "connect-four": {"moves": "4433"},
    "samegame": {"seed": 1, "width": 6, "height": 6},
}
CORE_VARIANTS = {
    "uct": Options(),
    "fpu": Options(fpu=0.7),
    "greedy": Options(c=0.0),
    "rave": Options(rave=Rave(k=100)),
    "rave-mse": Options(rave=Rave(bias=0.1)),
    "selection-bias": Options(selection_bias=SelectionBias(k=20)),
    "table-rollout": Options(rollout=Rollout(policy="table")),
    "solver": Options(solver=True),
    "widening": Options(widening=Widening(k=2.0, alpha=0.5)),
    "max-backup": Options(max_backup=0.5),
    "puct": Options(puct=True),
    "weighted": Options(expand="weighted", rollout=Rollout(policy="weighted")),
    "epsilon-greedy": Options(rollout=Rollout(policy="greedy", epsilon=0.2)),
    "domain-rollout": Options(rollout=Rollout(policy="domain")),
    "leaf": Options(rollout=Rollout(depth=0)),
    "cut": Options(rollout=Rollout(depth=4)),
}


def _urgency(child: Any, q: float, root: float) -> float:
    return q + 0.5 * root + 1e-3 * child.squares  # type: ignore[no-any-return]


def _back_up(node: Any, reward: float) -> None:
    node.squares += reward * reward


VARIANTS = CORE_VARIANTS | {
    "selection-bias-5": Options(selection_bias=SelectionBias(k=5)),
    "rave-first": Options(rave=Rave(k=100, first=True)),
    "rave-fade": Options(rave=Rave(k=100, fade=True), fpu=1.0),
    "table-floor": Options(rollout=Rollout(policy="table", floor=0.5)),
    "priors": Options(priors=True),
    "head-start": Options(head_start=10.0),
    "best-first": Options(expand="best"),
    "drawn": Options(expand="rollout", widening=Widening(k=1.0, alpha=0.7)),
    "listed": Options(expand="listed"),
    "dense": Options(dense=True),
    "turn": Options(horizon="turn", choose="value"),
    "choose-value": Options(choose="value"),
    "choose-max": Options(max_backup=0.5, choose="max"),
    "keep-state": Options(keep_state=True),
    "bound": Options(bound=True),
    "information": Options(information="set"),
    "cheating": Options(information="cheating"),
    "normalise": Options(normalise=True),
    "rules": Options(rules=Rules(urgency=_urgency, back_up=_back_up, statistics=("squares",))),
    "noise": Options(puct=True, noise=Noise()),
    "gumbel": Options(puct=True, gumbel=Gumbel(considered=4)),
    "transpositions": Options(transpositions=True),
}
# what is not an option of the algorithm, but of the search around it
AROUND: dict[str, dict[str, Any]] = {
    "two-workers": {"workers": 2},
    "full-stop": {"memory": "16KiB"},
    "full-rollout": {"memory": "16KiB", "when_full": "rollout"},
    "recycle": {"memory": "16KiB", "when_full": "recycle"},
}
AROUND_ON = ("nim", "tictactoe")  # small trees, and quick to fill
FILLS = 10  # times as many simulations where the memory shall become full


def signature(
    only: Sequence[str] = (),
    engine: Engine = "compiled",
    seen: Callable[[str, str], object] | None = None,
) -> tuple[str, dict[str, str]]:
    """The hash over all parts, and the hash of each one.

    ``only`` names domains, or parts such as ``nim/uct`` or ``core``.  ``seen`` is told each part.
    """
    shipped = samples()
    known = [CORE, *shipped]
    for name in only:
        if name.partition("/")[0] not in known:
            raise OptionError(f"the signature has no part {name!r}{nearest(name, known)}")
    parts: dict[str, str] = {}

    def found(name: str, digest: str) -> None:
        parts[name] = digest
        if seen is not None:
            seen(name, digest)

    for domain, sample in shipped.items():
        for name, digest in _parts_of(domain, sample, only, engine):
            found(name, digest)
    has_core = {f"{name}-v1" for name in CORE_DOMAINS} <= registered().keys()
    if has_core and (not only or CORE in only):
        found(CORE, core()[0])
    if not parts:
        raise OptionError(f"the signature has no part {only[0]!r}")
    return _whole(parts), parts


def _whole(parts: dict[str, str]) -> str:
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:16]


def _parts_of(
    name: str, sample: Sample, only: Sequence[str], engine: Engine
) -> Iterator[tuple[str, str]]:
    """Each part of a domain that is wanted and that the domain can serve."""
    wanted = {
        variant: how
        for variant, how in _variants(name, sample).items()
        if not only or name in only or f"{name}/{variant}" in only
    }
    if not wanted:
        return
    domain = sample.domain()
    for variant, (options, around) in wanted.items():
        simulations = sample.simulations * (FILLS if "memory" in around else 1)
        try:
            yield f"{name}/{variant}", _digest(domain, options, around, simulations, engine)
        except OptionError:  # the domain lacks what the variant needs
            continue


def _variants(name: str, sample: Sample) -> dict[str, tuple[Options, dict[str, Any]]]:
    """Options, and what is around them, of each variant of a domain."""
    chosen = VARIANTS if sample.variants is None else {v: VARIANTS[v] for v in sample.variants}
    found: dict[str, tuple[Options, dict[str, Any]]] = {v: (o, {}) for v, o in chosen.items()}
    if sample.own is not None:
        found["own"] = sample.own, {}
    if name in AROUND_ON:
        found |= {v: (Options(), around) for v, around in AROUND.items()}
    return found


def _digest(
    domain: Domain, options: Options, around: dict[str, Any], simulations: int, engine: Engine
) -> str:
    """The tree, the answer and what is kept, of a search before and after a commit."""
    engine = engine if domain.is_record else "python"
    search = Search(domain, options, seed=1, engine=engine, **({"memory": "16MiB"} | around))
    found = hashlib.sha256()
    for _ in range(2):
        result = search.run(simulations)
        nodes = search.tree.nodes
        found.update(nodes["action"].tobytes() + nodes["visits"].tobytes())
        found.update(repr([(c.action, c.visits) for c in result.children]).encode())
        found.update(repr((result.best, result.best_sequence, result.simulations)).encode())
        if options.keep_state and domain.is_record:
            record = search.best_state._record
            found.update(b"".join(record[name].tobytes() for name in record.dtype.names))
        if search.position.ended or result.best is None:
            break
        search.commit(result.best)
        if search.position.ended:
            break
    return found.hexdigest()[:16]


def core() -> tuple[str, dict[str, str]]:
    """The signature of version 0.1: interpreted, and the default options compiled too."""
    parts: dict[str, str] = {}
    for domain in CORE_DOMAINS:
        for variant, options in CORE_VARIANTS.items():
            try:
                parts[f"{domain}/{variant}"] = _core_digest(domain, options, "python")
            except OptionError:  # the domain lacks what the variant needs
                continue
        if _core_digest(domain, Options(), "compiled") != parts[f"{domain}/uct"]:
            raise TreewrightError(f"{domain}: compiled and interpreted searches differ")
    return _whole(parts), parts


def _core_digest(domain: str, options: Options, engine: Engine) -> str:
    search = Search(
        make(domain, **CORE_DOMAINS[domain]),  # type: ignore[arg-type]
        options,
        seed=1,
        memory="8MiB",
        engine=engine,
    )
    search.run(CORE_SIMULATIONS.get(domain, 300))
    nodes = search.tree.nodes
    seen = nodes["action"].tobytes() + nodes["visits"].tobytes()
    return hashlib.sha256(seen).hexdigest()[:16]
