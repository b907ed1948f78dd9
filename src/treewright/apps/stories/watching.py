"""An author's loop: each time a file is saved it is checked again, and a story is told."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from treewright.apps.stories.exports import export
from treewright.apps.stories.lint import check_file
from treewright.apps.stories.searches import generate
from treewright.apps.stories.setup import load_setup
from treewright.errors import OptionError, TreewrightError

PAUSE = 0.3  # seconds between looks at the file


def saved(path: Path, pause: Callable[[float], object] = time.sleep) -> Iterator[int]:
    """Once now, and again whenever the file has changed."""
    last = -1
    while True:
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = last  # an editor may take the old file away before it puts the new one there
        if stamp != last:
            last = stamp
            yield stamp
        pause(PAUSE)


def report(path: Path, setup: str | None, nodes: int, seed: int) -> str:
    """What a check says, a story of the set-up, its score and the goals that it does not meet."""
    found = check_file(str(path))
    lines = [f"{path}: {found['what']}", *(f"  note: {note}" for note in found["notes"])]
    told = setup or (str(path) if found["what"].startswith("a set-up") else None)
    if told is not None:
        story = generate(load_setup(told), nodes=nodes, seed=seed)
        lines += ["", export([story], "text").rstrip(), "", f"score {story.score:.3f}"]
        goals = zip(story.setup.goals, story.goals, strict=True)
        lines += [f"  not met: {goal.text}" for goal, met in goals if met < 1.0]
    return "\n".join(lines)


def report_or_mistake(path: Path, setup: str | None, nodes: int, seed: int) -> str:
    """The same, or what is wrong: an author goes on to mend it."""
    try:
        return report(path, setup, nodes, seed)
    except TreewrightError as error:
        return f"{error}"


def check_watched(path: Path) -> None:
    if path.suffix != ".toml" or not path.is_file():
        raise OptionError(f"{path}: there must be a .toml file to watch")
