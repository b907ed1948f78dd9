"""Which function of a domain an exception came from."""

import traceback
from pathlib import Path

from treewright.library.domain import Domain

HERE = Path(__file__).parent.parent
OURS = tuple(str(HERE / part) for part in ("kernel", "library"))


def from_traceback(error: Exception, domain: Domain) -> str:
    """Name the domain's function and line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = [f for f in frames if not f.filename.startswith(OURS)]
    if not inner:
        return f"{domain.name}: {type(error).__name__}: {error}"
    first, last = inner[0], inner[-1]
    called = f", called from {first.name}, line {first.lineno}" if len(inner) > 1 else ""
    return (
        f"{Path(last.filename).name}, line {last.lineno}, in {last.name}{called}: "
        f"{type(error).__name__}: {error}"
    )
