"""What a job is: its settings, the function that does it, and the formats of its result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from treewright.library.applications import declared

if TYPE_CHECKING:
    from pydantic import BaseModel

    from treewright.library.domain import Domain
    from treewright.library.options import Options


class Report(Protocol):
    """How a job says where it is: a share from 0 to 1, a few words, and a look at what is there.

    The look may be a function, which is called only if the report is sent: there are not more than
    a dozen a second.
    """

    def __call__(self, share: float | None, words: str = "", preview: Any = None) -> None: ...


@dataclass(frozen=True)
class Result:
    """What a job leaves: data as JSON knows it, and files by name."""

    data: Any
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """A format of a result: the ending of its file, its media type, and what writes it.

    What writes it takes the result's data; or ``write`` is the name of a file that the job leaves.
    """

    ending: str
    media: str
    write: Callable[[Any], bytes] | str


@dataclass(frozen=True)
class Work:
    """A kind of job.

    settings: a model of Pydantic, with a bound on everything that costs time or memory.
    run: takes the settings and a :class:`Report`, in a process of its own.
    exports: formats of the result by name; each takes the result's data.
    local: it runs code that the settings name, so only this machine may ask for it.
    domain: of the search whose tree it leaves (``workshop/searching/inspector.py``), if it does.
    label: an action of that domain in words, where the domain itself does not describe it.
    options: of that search, by which its steps are shown; those of plain UCT if not given.
    """

    title: str
    settings: "type[BaseModel]"
    run: Callable[[Any, Report], Result]
    exports: Mapping[str, Export] = field(default_factory=dict)
    local: bool = False
    domain: "Callable[[Any], Domain] | None" = None
    label: "Callable[[Any, int], str] | None" = None
    options: "Callable[[Any], Options] | None" = None


class Here:
    """What a process that works for a studio knows of it."""

    store: str = ""  # the file that all jobs are in


OWN = {  # which belong to no application
    "gallery": "treewright.workshop.gallery.job:WORK",
    "experiment": "treewright.workshop.experiments.job:WORK",
    "search": "treewright.workshop.searching.job:SEARCH",
    "search-code": "treewright.workshop.searching.job:SEARCH_CODE",
    "check-code": "treewright.workshop.searching.job:CHECK_CODE",
    "steps": "treewright.workshop.searching.steps:STEPS",
    "steps-code": "treewright.workshop.searching.steps:STEPS_CODE",
    "steps-of": "treewright.workshop.searching.steps:STEPS_OF",
}


def places() -> dict[str, str]:
    """Where every kind of job is: ours, and those that applications declare."""
    return OWN | declared("jobs")
