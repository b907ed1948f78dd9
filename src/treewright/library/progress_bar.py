"""How far a search is, for people who wait: in a terminal and in a notebook."""

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Self

from treewright.kernel.waiting import told
from treewright.library.shown import bar_html

if TYPE_CHECKING:
    from treewright.library.running import Progress


def terminal_bar(text: str = "{task.description}") -> Any:
    """A bar on stderr that is gone when the work is done."""
    from rich import progress
    from rich.console import Console

    columns = (progress.TextColumn(text), progress.BarColumn(), progress.TimeRemainingColumn())
    return progress.Progress(*columns, console=Console(stderr=True), transient=True)


class ProgressBar:
    """A progress that shows itself: ``search.run(seconds=30, progress=tw.ProgressBar())``.

    In a terminal it is a bar on stderr that is gone when the run has ended, in a notebook one
    that stays, and elsewhere nothing.  ``what`` stands before it.
    """

    def __init__(self, what: str = "search") -> None:
        self.what = what
        self.text = what
        self.share: float | None = None
        self._last: Progress | None = None
        self._place: _Terminal | _Notebook | None = None
        self._told = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """The run does this when it begins."""
        self.text, self.share, self._last = self.what, None, None
        if _in_notebook():
            self._place = _Notebook(self)
        elif sys.stderr.isatty():
            self._place = _Terminal(self)
        self._told.enter_context(told(self._say))
        return self

    def _say(self, words: str) -> None:
        self.text = f"{self.what}: {words}"
        if self._place is not None:
            self._place.show(self)

    def __call__(self, now: "Progress") -> None:
        self._last = now
        self.text, self.share = f"{self.what}: {now.simulations:,} simulations", now.share
        if self._place is not None:
            self._place.show(self)

    def __exit__(self, *error: object) -> None:
        """The run does this when it ends, well or not."""
        self._told.close()
        made = self._last.search.simulations if self._last else 0
        self.text = f"{self.what}: {made:,} simulations" if made else self.what
        self.share = 1.0 if error[0] is None else self.share or 0.0
        if self._place is not None:
            self._place.close(self)
        self._place = None

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return bar_html(self.text, self.share)


def _in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console().is_jupyter


class _Terminal:
    def __init__(self, shown: ProgressBar) -> None:
        self._bar = terminal_bar()
        self._task = self._bar.add_task(shown.text, total=None)
        self._bar.start()

    def show(self, shown: ProgressBar) -> None:
        total = None if shown.share is None else 1.0
        self._bar.update(
            self._task, description=shown.text, completed=shown.share or 0.0, total=total
        )

    def close(self, shown: ProgressBar) -> None:
        self._bar.stop()


class _Notebook:
    def __init__(self, shown: ProgressBar) -> None:
        from IPython.display import display

        self._handle: Any = display(shown, display_id=True)

    def show(self, shown: ProgressBar) -> None:
        self._handle.update(shown)

    close = show
