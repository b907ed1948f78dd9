"""The command ``treewright``: one thin module per group, heavy imports inside the commands."""

import functools
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError


def main() -> None:
    """Run the command line; what is wrong with the input is one sentence and exit code 2."""
    _open_streams()
    # NumPy's BLAS starts threads, which would look for work for 40 ms before they go to sleep
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    warnings.formatwarning = functools.partial(_warned, warnings.formatwarning)
    try:
        try:
            from treewright.cli.app import app

            app(standalone_mode=True)
        except SystemExit as end:
            if end.code == 130:
                _interrupted()
            raise
        finally:
            sys.stdout.flush()  # a full device shall be told here, where it can be said
    except TreewrightError as error:
        print(f"treewright: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        _interrupted()
        sys.exit(130)
    except BrokenPipeError:
        _forget_output()
        sys.exit(0)
    except MemoryError:
        print("treewright: this needs more memory than there is", file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # a file or folder that can't be read or written
        if error.filename is None and error.errno is None:
            raise
        where = "the output" if error.filename is None else error.filename
        print(f"treewright: {where}: {error.strerror}", file=sys.stderr)
        if error.filename is None:
            _forget_output()
        sys.exit(2)


def _interrupted() -> None:
    """Say what Ctrl-C has cost."""
    from treewright.kernel.waiting import interrupted

    # where a text was being executed when the signal came, such as a new class, Python would end
    # with the signal instead of the exit code, unless it has executed another text since
    exec("")
    if what := interrupted():
        print(f"treewright: interrupted while compiling {what}", file=sys.stderr)


def _warned(usual: Any, message: Any, category: Any, filename: str, *more: Any) -> str:
    """A warning of ours in one line; one of somebody else's as Python prints it."""
    ours = Path(filename).is_relative_to(Path(__file__).parent.parent)
    if ours and category is RuntimeWarning:  # Numba names the file that had it compile
        return f"treewright: {message}\n"
    return str(usual(message, category, filename, *more))


def _open_streams() -> None:
    """A stream that was closed before we began is nothing, instead of a missing object.

    Names that are no valid text, which Python keeps as lone surrogates, are printed as escapes.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Drop what can't be written, or the interpreter would try once more when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None  # type: ignore[assignment]
