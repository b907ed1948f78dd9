"""Applications: what each declares, and how they are found.

An application is a folder with everything of one paper or problem: rules, formats, commands,
experiments, benchmarks, gallery pieces.  Its package holds one small declaration, ``APP``, that
names these things without importing them.  Ours are the folders of ``treewright.apps``; a package
of somebody else's names its declaration in the entry point group ``treewright.apps``.
"""

import functools
import pkgutil
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from treewright.errors import TreewrightError, said
from treewright.kernel.versions import declare

GROUP = "treewright.apps"


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands, and its line in the list of commands."""

    where: str
    summary: str


@dataclass(frozen=True)
class Page:
    """A page of the studio: the function that builds it, its name and its line in the list."""

    where: str
    title: str
    summary: str


@dataclass(frozen=True)
class App:
    """What an application brings.

    Places are written ``module:name``; a module that begins with a point is relative to
    ``package``.  Nothing is imported before it is used.

    domains: id with version → a Domain, or a function that makes one.
    commands: name → a function, or a ``typer.Typer`` with several.
    experiments: places of :class:`treewright.workshop.experiments.Experiment`.
    benchmarks: name → a command below ``treewright bench``.
    gallery: name → a function ``piece(seed)``.
    play: name → what ``treewright play`` calls for a game that has a way of its own to be played.
    first: name → the command that a newcomer runs first: ``treewright bench start`` measures how
        long it takes, and ``treewright cache warm`` compiles what it needs.
    again: name → a function of a folder that prepares an author's change there and returns the
        commands before and after it: ``treewright bench start`` measures the second.
    jobs: name → a :class:`treewright.workshop.jobs.Work`, which the studio's pages and its HTTP
        interface can start (docs/studio.md).
    pages: name → a page of the studio, at the address of that name.
    samples: a dictionary of small instances of its domains (``workshop/samples.py``).
    by_source: experiments tell versions of this application apart by the source of its modules,
        not function by function: for code that is generated or can't be followed.
    uses: packages of other applications that it stands on; it imports from no others.
    """

    package: str
    domains: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Command] = field(default_factory=dict)
    experiments: tuple[str, ...] = ()
    benchmarks: Mapping[str, Command] = field(default_factory=dict)
    gallery: Mapping[str, str] = field(default_factory=dict)
    play: Mapping[str, str] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, str] = field(default_factory=dict)
    jobs: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, Page] = field(default_factory=dict)
    samples: str = ""
    by_source: bool = False
    uses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Places become absolute, so that each can be used without its application."""
        for name in ("domains", "gallery", "play", "jobs", "again"):
            object.__setattr__(self, name, {k: self._at(v) for k, v in getattr(self, name).items()})
        for name in ("commands", "benchmarks", "pages"):
            placed = {
                k: replace(v, where=self._at(v.where)) for k, v in getattr(self, name).items()
            }
            object.__setattr__(self, name, placed)
        object.__setattr__(self, "experiments", tuple(self._at(e) for e in self.experiments))
        object.__setattr__(self, "samples", self._at(self.samples))

    def _at(self, where: str) -> str:
        return self.package + where if where.startswith(".") else where


@functools.cache
def applications() -> tuple[App, ...]:
    """Every application: ours, then those of other packages.

    One of somebody else's that can't be loaded is left out, with a warning.
    """
    package = import_module(GROUP)
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    order: tuple[str, ...] = package.ORDER
    names.sort(key=lambda n: (order.index(n) if n in order else len(order), n))
    found: list[App] = [import_module(f"{GROUP}.{name}").APP for name in names]
    for entry in _of_others():
        try:
            app = entry.load()
            if not isinstance(app, App):
                raise TypeError(f"it is a {type(app).__name__}, not a treewright.App")
        except Exception as error:
            warnings.warn(
                f"the application {entry.name!r} ({entry.value}) is left out: {said(error)}",
                RuntimeWarning,
                stacklevel=2,
            )
            continue
        found.append(app)
    return tuple(found)


def _of_others() -> Iterable[Any]:
    """The entry points of other packages."""
    if not declare(GROUP):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def declared(kind: str) -> dict[str, Any]:
    """All that applications declare of one kind (``domains``, ``commands`` …), by name.

    Where two use the same name, the one that comes first has it: ours before others'.
    """
    found: dict[str, Any] = {}
    for app in applications():
        found = {**found, **{k: v for k, v in getattr(app, kind).items() if k not in found}}
    return found


def application_of(module: str) -> App | None:
    """The application that a module belongs to."""
    for app in applications():
        if module == app.package or module.startswith(app.package + "."):
            return app
    return None


def load(where: str) -> Any:
    """What stands at ``module:name``."""
    module, _, name = where.partition(":")
    try:
        found = import_module(module)
    except TreewrightError:  # such as an extra that is missing: a sentence already
        raise
    except (ImportError, SyntaxError) as error:
        raise TreewrightError(
            f"{module}, which an application names, can't be imported: {error}"
        ) from error
    try:
        return getattr(found, name)
    except AttributeError:
        raise TreewrightError(f"{module} has no {name!r}, though its application says so") from None
