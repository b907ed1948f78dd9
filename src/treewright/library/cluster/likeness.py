"""Whether another machine runs the code that this one runs."""

import functools
import hashlib
import importlib.util
import platform
import sys
from pathlib import Path

import treewright
from treewright.kernel.versions import version
from treewright.library.applications import applications

Likeness = dict[str, str]
PACKAGES = ("numpy", "numba", "llvmlite")


def likeness(packages: frozenset[str]) -> Likeness:
    """What must be the same on all machines for the same seed to give the same result.

    The code is that of Treewright, of every application, and of the ``packages`` in which the work
    is defined.
    """
    return dict(_installed()) | {"code": _code(packages)}


def difference(driver: Likeness, packages: frozenset[str]) -> str | None:
    """One sentence about how this machine differs from the driver's; None if it does not."""
    import socket

    here = likeness(packages)
    for name, wanted in driver.items():
        have = here.get(name, "none")
        if have != wanted:
            return (
                f"the machine {socket.gethostname()} has {name} {have}, and the driver has "
                f"{wanted}: install the same on every machine of the cluster"
            )
    return None


@functools.cache
def _installed() -> tuple[tuple[str, str], ...]:
    known = {"Treewright": treewright.__version__, "Python": platform.python_version()}
    return tuple((known | {name: version(name) for name in PACKAGES}).items())


@functools.cache
def _code(packages: frozenset[str]) -> str:
    """A fingerprint of every file of Treewright, of the applications and of some packages."""
    found = {app.package.partition(".")[0] for app in applications()} | {"treewright"} | packages
    digest = hashlib.sha256()
    for name in sorted(found):
        for path, place in _files(name):
            digest.update(place.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _files(package: str) -> list[tuple[Path, str]]:
    """The files of a package, with their places in it; what came with Python counts by version."""
    if package == "__main__" or package in sys.stdlib_module_names:
        return []
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return []
    origin = Path(spec.origin)
    if not spec.submodule_search_locations:
        return [(origin, origin.name)] if origin.is_file() else []
    files = (p for p in sorted(origin.parent.rglob("*")) if p.is_file())
    own = [p for p in files if "__pycache__" not in p.parts]
    return [(p, f"{package}/{p.relative_to(origin.parent)}") for p in own]
