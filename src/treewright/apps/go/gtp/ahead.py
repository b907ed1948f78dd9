"""Compiling beside the conversation: clients give up on an engine that does not answer.

A new size of board needs new kernels, which takes some seconds the first time: that of the search,
and then that of the playouts behind ownership and score.  Whoever needs one waits for it.
"""

import contextlib
import queue
import threading

from treewright.apps.go.gtp import estimate
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.player import Player

PAUSE = 0.3  # seconds: clients set the size, the komi and the board one after the other


class Ahead:
    """A thread that compiles what the latest board needs; it is there once there is one."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._boards: queue.SimpleQueue[Game] = queue.SimpleQueue()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        return not self._idle.is_set()

    def want(self, game: Game) -> None:
        """Have the kernels of a board soon."""
        self._boards.put(game)
        self._idle.clear()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Until all kernels are there."""
        self._idle.wait()

    def _work(self) -> None:
        while True:
            game = self._latest(self._boards.get())
            with contextlib.suppress(Exception):  # said by the search that needs it
                self._player.compile(game)
            if self._boards.empty() and not estimate.is_ready(game):
                estimate.make_ready(game)
            if self._boards.empty():
                self._idle.set()
                if not self._boards.empty():  # one came just now
                    self._idle.clear()

    def _latest(self, game: Game) -> Game:
        """The last board before a pause: the others are not played on."""
        with contextlib.suppress(queue.Empty):
            while True:
                game = self._boards.get(timeout=PAUSE)
        return game
