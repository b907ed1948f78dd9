"""One hash that identifies the search's behaviour (Stockfish's idea).

A commit that changes which nodes are visited, in any domain or variant, changes the
signature and has to say so.  Variants run interpreted, which is cheap; the default options
run compiled too and must agree.
"""

import hashlib

from treewright.errors import OptionError, TreewrightError
from treewright.library.options import Options, Rave, Rollout, SelectionBias, Widening
from treewright.library.registry import make
from treewright.library.search import Search

SIMULATIONS = {"samegame": 15}  # a large board, interpreted; 300 elsewhere
DOMAINS = {
    "nim": {"heap": 12},
    "tictactoe": {},
    "connect-four": {"moves": "4433"},
    "samegame": {"seed": 1, "width": 6, "height": 6},
}
VARIANTS = {
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


def signature() -> tuple[str, dict[str, str]]:
    """The hash over all variants, and the hash of each one."""
    parts: dict[str, str] = {}
    for domain in DOMAINS:
        for variant, options in VARIANTS.items():
            try:
                parts[f"{domain}/{variant}"] = _digest(domain, options, "python")
            except OptionError:  # the domain lacks what the variant needs
                continue
        if _digest(domain, Options(), "compiled") != parts[f"{domain}/uct"]:
            raise TreewrightError(f"{domain}: compiled and interpreted searches differ")
    whole = hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:16]
    return whole, parts


def _digest(domain: str, options: Options, engine: str) -> str:
    search = Search(
        make(domain, **DOMAINS[domain]),  # type: ignore[arg-type]
        options,
        seed=1,
        memory="8MiB",
        engine=engine,  # type: ignore[arg-type]
    )
    search.run(SIMULATIONS.get(domain, 300))
    nodes = search.tree.nodes
    seen = nodes["action"].tobytes() + nodes["visits"].tobytes()
    return hashlib.sha256(seen).hexdigest()[:16]
