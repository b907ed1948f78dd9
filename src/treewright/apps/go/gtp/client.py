"""Another GTP engine, run as a process: GNU Go, or any other."""

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from treewright.errors import TreewrightError


class EngineError(TreewrightError):
    """An engine that does not start, ends, or refuses a command."""


def find(program: str) -> str | None:
    """Where a program is: on PATH, or where Debian puts games, GNU Go among them."""
    return shutil.which(program, path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")


class Client:
    """Sends commands and waits for the answers; also a context manager."""

    def __init__(self, command: Sequence[str], log: Path | None = None) -> None:
        self.command = list(command)
        try:
            self.process = subprocess.Popen(
                [find(self.command[0]) or self.command[0], *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if log is None else log.open("a"),
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise EngineError(f"{self.command[0]} does not start: {error.strerror}") from error

    def send(self, line: str) -> str:
        """The answer to a command, or an error with what the engine said."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise EngineError(f"{self.command[0]} has ended before {line!r}") from error
        answer: list[str] = []
        while True:
            got = self.process.stdout.readline()
            if not got:
                command = shlex.join(self.command)
                raise EngineError(f"{command} has ended at {line!r}: does it speak GTP?")
            got = got.rstrip("\r\n")
            if got and not answer and got[0] not in "=?":  # no GTP: an end may never come
                raise EngineError(f"{self.command[0]} answered {line!r} with {got!r}")
            if got:
                answer.append(got)
            elif answer:
                break
        text = "\n".join(answer)
        if text[0] == "?":
            raise EngineError(f"{self.command[0]} refused {line!r}: {text[1:].strip()}")
        return text[1:].strip()

    def close(self) -> None:
        with contextlib.suppress(EngineError):
            self.send("quit")
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
