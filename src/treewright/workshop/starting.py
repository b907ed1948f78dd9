"""How long a newcomer waits: first commands with an empty cache, and once more with a full one."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from treewright.errors import OptionError, TreewrightError, nearest
from treewright.kernel import cache
from treewright.library.applications import declared, load


def first_commands(only: Iterable[str] = ()) -> dict[str, str]:
    """What applications declare as the first command, or those that are named."""
    known: dict[str, str] = declared("first")
    for name in only:
        if name not in known:
            raise OptionError(f"there is no first command {name!r}{nearest(name, known)}")
    return {name: known[name] for name in only} or known


def measured(
    only: Iterable[str] = (), seen: Callable[[str], object] = print
) -> list[dict[str, float | str]]:
    """CPU seconds of each command as a process of its own: cold, then the least of three warm.

    Then those of an author's loop: something is changed, and the command is run again.
    """
    changes: dict[str, str] = declared("again")
    wanted = list(only)
    firsts = [name for name in wanted if name not in changes]
    commands = first_commands(firsts) if firsts or not wanted else {}
    rows: list[dict[str, float | str]] = []
    for name, command in commands.items():
        seen(name)
        with tempfile.TemporaryDirectory() as folder:
            cold = _cpu_seconds(command, Path(folder))
            warm = min(_cpu_seconds(command, Path(folder)) for _ in range(3))
        rows.append({"name": name, "command": command, "cold": cold, "warm": warm})
    for name in (n for n in changes if n in wanted or not wanted):
        seen(name)
        rows.append(_changed(name, changes[name]))
    return rows


def _changed(name: str, where: str) -> dict[str, float | str]:
    with tempfile.TemporaryDirectory() as folder:
        before, after = load(where)(Path(folder))
        _cpu_seconds(before, Path(folder))
        again = _cpu_seconds(after, Path(folder))
    return {"name": name, "command": after, "again": again}


def warmed(only: Iterable[str], workers: int, seen: Callable[[str], object]) -> int:
    """Compile what the first commands need, several at a time; how many there were."""
    commands = first_commands(only)
    if reason := cache.refusal():
        raise TreewrightError(f"compiled kernels can't be kept in {cache.directory()}: {reason}")

    running: list[subprocess.Popen[str]] = []
    stopped = threading.Event()

    def begun(process: subprocess.Popen[str]) -> None:
        running.append(process)
        if stopped.is_set():  # it came between Ctrl-C and our hearing of it
            process.send_signal(signal.SIGINT)

    def warm(name: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            _run(commands[name], Path(folder), dict(os.environ), begun)
        seen(name)

    with ThreadPoolExecutor(workers) as pool:
        try:
            list(pool.map(warm, commands))
        except KeyboardInterrupt:
            stopped.set()
            for process in running:
                process.send_signal(signal.SIGINT)
            raise
    return len(commands)


def _cpu_seconds(command: str, folder: Path) -> float:
    import resource  # not everywhere

    environment = {**os.environ, "TREEWRIGHT_CACHE": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a newcomer's Python keeps what it has parsed
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(command, folder, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(
    command: str,
    folder: Path,
    environment: dict[str, str],
    begun: Callable[[subprocess.Popen[str]], object] = lambda process: None,
) -> None:
    """Run a command of ours in a folder of its own; what it prints is of no interest."""
    arguments = [sys.executable, "-m", "treewright", *shlex.split(command)]
    with subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as ended:
        begun(ended)
        _, told = ended.communicate()
    if ended.returncode:
        said = told.strip().splitlines() or ["nothing was said"]
        raise TreewrightError(f"treewright {command} ended with {ended.returncode}: {said[-1]}")


def table(rows: list[dict[str, float | str]]) -> str:
    """CPU seconds of the whole process: with nothing compiled, compiled, and after a change."""
    kinds = ("cold", "warm", "again")
    head = " ".join(f"{kind:>7}" for kind in kinds)
    lines = [f"{'':14} {head}  CPU seconds of the whole process"]
    for row in rows:
        figures = " ".join(f"{row[k]:7.2f}" if k in row else " " * 7 for k in kinds)
        lines.append(f"{row['name']:14} {figures}  {row['command']}")
    return "\n".join(lines)
