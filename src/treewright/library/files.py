"""Searches on disk: one ``.npz`` file that holds every worker's tree, stream and tables."""

import hashlib
import json
import math
import sys
import types
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import CompileError, OptionError, TreeFileError
from treewright.kernel.evaluated import Evaluator
from treewright.kernel.fingerprint import Fingerprint, Unhashable
from treewright.kernel.worker import KEPT
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
from treewright.library.search import Search
from treewright.library.tree_check import check_tree
from treewright.library.writing import whole

FORMAT = 2
IN_A_WORKER = ("nodes", "edges", "run", "rng", *KEPT)


def save(search: Search, path: Path) -> None:
    """Write a search; the file appears whole or not at all."""
    if not search.domain.is_record:
        raise OptionError(f"{search.domain.name} keeps its states in Python objects: not savable")
    if search.began_elsewhere:
        raise OptionError("a search that began at a given state is not savable")
    if search.options.transpositions:
        raise OptionError("a search with transpositions is not savable")
    about = {
        "format": FORMAT,
        "domain": _identity(search.domain),
        "rules": _rules(search.domain),
        "options": asdict(replace(search.options, rules=None)),
        "own": _own(search.options.rules),
        "batch": None if search.evaluate is None else search.batch,
        "seed": search.seed,
        "workers": len(search.workers),
        "memory": search.memory,
        "when_full": search.when_full,
        "engine": search.engine,
        "history": search.history,
        "best": search._best,
    }
    arrays = {f"{i}/{k}": v for i, w in enumerate(search.workers) for k, v in w.saved.items()}
    with whole(path, TreeFileError) as part, part.open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]


def load(
    path: str | Path,
    domain: Domain,
    rules: Rules | None = None,
    evaluate: Evaluator | None = None,
) -> Search:
    """Read a search that :meth:`Search.save` wrote; running it goes on as if never stopped.

    ``rules`` and ``evaluate`` are those of the search, if it had any: functions are not in the
    file.

    The file is data: all of it is checked, and its position and its tree are played through with
    the domain's rules.  Whatever is wrong with it is a :class:`treewright.TreeFileError`.
    """
    try:
        about, arrays = _read(Path(path))
        _check_domain(about, domain)
        _check_own(about, rules)
        search = _search(about, arrays, domain, rules, evaluate)
        for i, worker in enumerate(search.workers):
            saved = {k: arrays[f"{i}/{k}"] for k in worker.saved}
            parents = check_tree(worker, saved)
            players = int(worker.run["root_player"]), int(worker.run["root_mover"])
            worker.restore(saved)
            worker.set_players(*players)
            if worker.verify(parents) >= 0:
                raise TreeFileError("its tree does not fit the rules of the domain")
    except FileNotFoundError:
        raise TreeFileError(f"{path} does not exist") from None
    except TreeFileError as error:
        raise TreeFileError(f"{path} can't be used: {error}") from None
    except CompileError:
        raise
    except Exception as error:  # NumPy, zipfile and JSON each stumble in many ways
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise TreeFileError(f"{path} is not a whole search file: {said}") from error
    return search


def _check_domain(about: dict[str, Any], domain: Domain) -> None:
    if about.get("format") != FORMAT:
        raise TreeFileError(f"it has format {about.get('format')!r}; this version reads {FORMAT}")
    ours, theirs = _identity(domain), about["domain"]
    for key in ours:
        if ours[key] != theirs.get(key):
            raise TreeFileError(
                f"it belongs to another domain: its {key} is {theirs.get(key)!r}, not {ours[key]!r}"
            )
    python, rules = about["rules"]
    now, known = _rules(domain)
    if python == now and rules != known:
        raise TreeFileError(f"the rules of {domain.name} were edited after it was saved")


def _check_own(about: dict[str, Any], rules: Rules | None) -> None:
    ours, theirs = _own(rules), about["own"]
    if (ours is None) != (theirs is None):
        says = "has none" if theirs is None else "was searched with such rules, which load needs"
        raise TreeFileError(f"load(rules=...) does not fit: it {says}")
    if ours is not None and ours[0] == theirs[0] and ours != theirs:
        raise TreeFileError("it was searched with other rules than those given to load")


def _search(
    about: dict[str, Any],
    arrays: dict[str, np.ndarray],
    domain: Domain,
    rules: Rules | None,
    evaluate: Evaluator | None,
) -> Search:
    """An empty search, at the position that the file's history leads to."""
    workers, per_worker = about["workers"], len(IN_A_WORKER)
    if type(workers) is not int or len(arrays) != workers * per_worker:
        raise TreeFileError(f"it has not {per_worker} arrays for each of its workers")
    batch = about["batch"]
    if (batch is None) != (evaluate is None):
        says = "had none" if batch is None else "was searched with an evaluator, which load needs"
        raise TreeFileError(f"load(evaluate=...) does not fit: it {says}")
    search = Search(
        domain,
        replace(_options(about["options"]), rules=rules),
        seed=about["seed"],
        workers=workers,
        memory=about["memory"],
        when_full=about["when_full"],
        engine=about["engine"],
        evaluate=evaluate,
        batch=batch or 1,
    )
    score, sequence = about["best"]
    if type(score) is not float or math.isnan(score) or score == math.inf:
        raise TreeFileError("its best score is not a number")
    for action in [*about["history"], *sequence]:
        if type(action) is not int or not 0 <= action < 2**30:
            raise TreeFileError(f"{action!r} is not an action")
    for action in about["history"]:
        search.commit(action)
    search._best = (score, list(sequence))
    return search


class _Edits(Fingerprint):
    """The fingerprint of a domain's functions, in whichever module they are."""

    def add(self, *parts: Any) -> None:
        super().add(*(("function", *parts[2:]) if parts[:1] == ("function",) else parts))


def _rules(domain: Domain) -> list[str]:
    """What the domain's functions do."""
    return _written(domain.functions)


def _own(rules: Rules | None) -> list[Any] | None:
    """The same of a user's own rules, and their statistics."""
    return None if rules is None else [*_written(rules.functions), list(rules.statistics)]


def _written(functions: Mapping[str, types.FunctionType]) -> list[str]:
    """The version of Python, whose bytecode it is, and what functions do."""
    mark = _Edits()
    try:
        for name, function in sorted(functions.items()):
            mark.add(name)
            mark.value(function)
        found = mark.hexdigest()
    except Unhashable:
        found = ""
    return ["{}.{}".format(*sys.version_info), found]


def _identity(domain: Domain) -> dict[str, Any]:
    """What must agree for a tree to make sense in a domain."""
    tables = {k: hashlib.sha256(v.tobytes()).hexdigest() for k, v in domain.tables.items()}
    known = {
        "name": domain.name,
        "settings": domain.settings,
        "state": str(domain.state),
        "players": domain.players,
        "max_actions": domain.max_actions,
        "tables": tables,
    }
    if domain.constants:
        known["constants"] = [_shown(value) for value in domain.constants.values()]
    plain: dict[str, Any] = json.loads(json.dumps(known, default=str))
    return plain


def _shown(value: Any) -> Any:
    """A constant without the address of anything."""
    return _identity(value) if isinstance(value, Domain) else getattr(value, "__qualname__", value)


def _options(saved: dict[str, Any]) -> Options:
    kinds: dict[str, Any] = {
        "rave": Rave,
        "selection_bias": SelectionBias,
        "widening": Widening,
        "rollout": Rollout,
        "noise": Noise,
        "gumbel": Gumbel,
    }
    rollout = saved.get("rollout") or {}
    if rollout.get("until", 0) is None:  # an option that nobody used, in files of before
        del rollout["until"]
    ready = {k: kinds[k](**v) if k in kinds and v is not None else v for k, v in saved.items()}
    return Options(**ready)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if path.exists() and not path.is_file():
        raise TreeFileError("it is a folder or a device")
    with zipfile.ZipFile(path) as file:  # what is packed, or larger than the file, is not ours
        sizes = [member.file_size for member in file.infolist()]
        if any(m.compress_type != zipfile.ZIP_STORED for m in file.infolist()):
            raise TreeFileError("it is packed")
    if sum(sizes) > path.stat().st_size:
        raise TreeFileError("its parts are larger than the whole")
    with np.load(path, allow_pickle=False) as file:
        arrays = {k: file[k] for k in file.files}
    about = json.loads(str(arrays.pop("about")))  # scores may be infinite
    if not isinstance(about, dict):
        raise TreeFileError("it does not say what it is")
    return about, arrays
