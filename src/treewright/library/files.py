"""Searches on disk: one ``.npz`` file that holds every worker's tree, stream and tables."""

import hashlib
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import OptionError, TreeFileError
from treewright.library.domain import Domain
from treewright.library.options import Options, Rave, Rollout, SelectionBias, Widening
from treewright.library.search import Search
from treewright.library.writing import whole

FORMAT = 1


def save(search: Search, path: Path) -> None:
    """Write a search; the file appears whole or not at all."""
    if not search.domain.is_record:
        raise OptionError(f"{search.domain.name} keeps its states in Python objects: not savable")
    about = {
        "format": FORMAT,
        "domain": _identity(search.domain),
        "options": asdict(search.options),
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


def load(path: str | Path, domain: Domain) -> Search:
    """Read a search that :meth:`Search.save` wrote; running it goes on as if never stopped."""
    about, arrays = _read(Path(path))
    if about.get("format") != FORMAT:
        raise TreeFileError(f"{path} has format {about.get('format')!r}; this version reads 1")
    ours, theirs = _identity(domain), about["domain"]
    for key in ours:
        if ours[key] != theirs.get(key):
            raise TreeFileError(
                f"{path} belongs to another domain: its {key} is {theirs.get(key)!r}, "
                f"not {ours[key]!r}"
            )
    search = Search(
        domain,
        _options(about["options"]),
        seed=about["seed"],
        workers=about["workers"],
        memory=about["memory"],
        when_full=about["when_full"],
        engine=about["engine"],
    )
    search.history = list(about["history"])
    search._best = (about["best"][0], list(about["best"][1]))
    try:
        for i, worker in enumerate(search.workers):
            names = worker.saved
            worker.restore({k: arrays[f"{i}/{k}"] for k in names})
    except (KeyError, ValueError, TypeError) as error:
        raise TreeFileError(f"{path} does not hold a whole search: {error}") from error
    return search


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
    kinds = {"rave": Rave, "selection_bias": SelectionBias, "widening": Widening}
    kinds["rollout"] = Rollout  # type: ignore[assignment]
    ready = {k: kinds[k](**v) if k in kinds and v is not None else v for k, v in saved.items()}
    return Options(**ready)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {k: file[k] for k in file.files}
        return json.loads(str(arrays.pop("about"))), arrays
    except FileNotFoundError:
        raise TreeFileError(f"{path} does not exist") from None
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise TreeFileError(f"{path} is not a whole search file: {error}") from error
