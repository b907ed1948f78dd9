"""Where a row comes from: version, commit and machine."""

import functools
import os
import platform
import subprocess
from pathlib import Path

import treewright


@functools.cache
def commit() -> str:
    """The git commit of this copy of Treewright, ``-dirty`` if edited since; "" if installed."""
    here = Path(treewright.__file__).parent
    if not _git(here, "ls-files", "__init__.py"):
        return ""
    return _git(here, "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


@functools.cache
def machine() -> str:
    """Processor, cores, system and Python, in a line."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(x.split(":", 1)[1].strip() for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"
