"""The engine that a Go client talks to: one method for each GTP command."""

import contextlib
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import treewright
from treewright.apps.go.board import BLACK, LARGEST, PASS, SMALLEST, WHITE
from treewright.apps.go.gtp import analysis, estimate
from treewright.apps.go.gtp.ahead import Ahead
from treewright.apps.go.gtp.clock import Clock
from treewright.apps.go.gtp.game import NAMES, Game, IllegalMove
from treewright.apps.go.gtp.player import Player, Style, Thought
from treewright.apps.go.gtp.protocol import Command, Refused, answer, parse
from treewright.apps.go.setup import COLOURS, handicap_points, to_point, to_vertex
from treewright.errors import TreewrightError
from treewright.kernel.waiting import told
from treewright.library.running import Progress
from treewright.library.writing import write_whole

ANALYZE = {"lz-analyze": "lz", "kata-analyze": "kata", "analyze": "plain"}
GENMOVE_ANALYZE = {
    "lz-genmove_analyze": "lz",
    "kata-genmove_analyze": "kata",
    "genmove_analyze": "plain",
}
GOGUI = """hboard/Ownership/treewright-ownership
varc/Thoughts on Black/reg_genmove b
varc/Thoughts on White/reg_genmove w
string/Explain last move/gomill-explain_last_move"""


@dataclass(frozen=True)
class MoveBudget:
    """What a move may cost when the client sets no clock; one of the two."""

    simulations: int | None = 10_000
    seconds: float | None = None


@dataclass
class Engine:
    """Answers GTP commands from ``source`` on ``out``.

    Lines are read by a thread of their own, because clients send while the engine thinks: any
    line ends an analysis, and pondering goes on until one comes.
    """

    out: TextIO
    style: Style = field(default_factory=Style)
    budget: MoveBudget = field(default_factory=MoveBudget)
    ponder: bool = False
    size: int = 9
    komi: float = 7.5
    log: TextIO | None = None

    def __post_init__(self) -> None:
        self.game = Game(self.size, self.komi)
        self.player = Player(self.style)
        self.clocks = {BLACK: Clock(), WHITE: Clock()}
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.thought: Thought | None = None
        self.running = True
        self._pondering: threading.Thread | None = None
        self._ahead: Ahead | None = None
        self.commands: dict[str, Callable[..., str | None]] = {
            name.removeprefix("do_").replace("__", "-"): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }
        for name, dialect in ANALYZE.items():
            self.commands[name] = lambda c, d=dialect: self._analyze(c, d)
        for name, dialect in GENMOVE_ANALYZE.items():
            self.commands[name] = lambda c, d=dialect: self._genmove_analyze(c, d)

    # --------------------------------------------------------------------- lines in and out

    def serve(self, source: TextIO) -> None:
        """Answer until ``quit`` or the end of the input; Ctrl-C ends it too."""
        self._ahead = Ahead(self.player)
        threading.Thread(target=self._read, args=(source,), daemon=True).start()
        try:
            with told(_announce):
                while self.running:
                    line = self.lines.get()
                    if line is None:
                        break
                    self.handle(line)
        finally:
            self._stop_pondering()

    def leave(self, code: int = 0) -> None:
        """End the process if something is still being compiled, which nobody waits for now."""
        if self._ahead is not None and self._ahead.busy:
            self.out.flush()
            os._exit(code)

    def handle(self, line: str) -> None:
        """Answer one line."""
        command = parse(line)
        if command is None:
            return
        self._say("<", line.rstrip())
        self._stop_pondering()
        run = self.commands.get(command.name)
        try:
            text = "unknown command" if run is None else run(command)
            ok = run is not None
        except (Refused, TreewrightError) as error:
            text, ok = str(error), False
        except (OSError, MemoryError, OverflowError, RecursionError) as error:
            text, ok = f"{type(error).__name__}: {error}", False
        if text is not None:  # an analysis has written its own answer
            self._write(answer(command, text, ok))
        if ok and self.ponder and self.running and command.name in ("genmove", *GENMOVE_ANALYZE):
            self._start_pondering()

    def _read(self, source: TextIO) -> None:
        with contextlib.suppress(ValueError, OSError):  # closed while reading
            for line in source:
                self.lines.put(line)
        self.lines.put(None)

    def _write(self, text: str) -> None:
        self._say(">", text.rstrip())
        self.out.write(text)
        self.out.flush()

    def _say(self, mark: str, text: str) -> None:
        if self.log is not None:
            print(f"{time.strftime('%H:%M:%S')} {mark} {text}", file=self.log, flush=True)

    # ---------------------------------------------------------------------- administration

    def do_protocol_version(self, command: Command) -> str:
        return "2"

    def do_name(self, command: Command) -> str:
        return "Treewright"

    def do_version(self, command: Command) -> str:
        return treewright.__version__

    def do_known_command(self, command: Command) -> str:
        return (
            "true" if command.arguments[:1] and command.arguments[0] in self.commands else "false"
        )

    def do_list_commands(self, command: Command) -> str:
        return "\n".join(sorted(self.commands))

    def do_quit(self, command: Command) -> str:
        self.running = False
        return ""

    def do_stop(self, command: Command) -> str:
        """Ends an analysis, as any line does."""
        return ""

    def do_gogui__interrupt(self, command: Command) -> str:
        return ""

    def do_cputime(self, command: Command) -> str:
        return f"{time.process_time():.3f}"

    do_gomill__cpu_time = do_cputime

    def do_gogui__analyze_commands(self, command: Command) -> str:
        return GOGUI

    # ------------------------------------------------------------------------- the position

    def do_boardsize(self, command: Command) -> str:
        size = self._whole(command, 0, "a board size")
        if not SMALLEST <= size <= LARGEST:
            raise Refused("unacceptable size")
        self._new(Game(size, self.game.komi))
        return ""

    def do_query_boardsize(self, command: Command) -> str:
        return str(self.game.size)

    def do_clear_board(self, command: Command) -> str:
        self._new(Game(self.game.size, self.game.komi))
        return ""

    def do_komi(self, command: Command) -> str:
        text = self._argument(command, 0, "komi")
        if not re.fullmatch(r"[-+]?[0-9]{1,6}(\.[0-9]{0,9})?", text, re.ASCII):
            raise Refused(f"komi must be a number such as 7.5, not {text}")
        komi = round(2 * float(text)) / 2  # area scores are whole: nothing finer can matter
        if abs(komi) > 2 * self.game.size**2:
            raise Refused(f"komi {text} is larger than the board")
        self.game.set_komi(komi)
        self.player.forget()
        return ""

    def do_get_komi(self, command: Command) -> str:
        return f"{self.game.komi:g}"

    def do_play(self, command: Command) -> str:
        colour = self._colour(command)
        point = self._vertex(command, 1)
        try:
            why = self.game.play(colour, point, repeats=True)
        except IllegalMove:
            raise Refused("illegal move") from None
        if why is not None:  # the controller's word is law, and its rules may be others
            vertex = to_vertex(point, self.game.size)
            print(f"{NAMES[colour]} {vertex} is taken although {why}", file=self.log or sys.stderr)
        return ""

    def do_undo(self, command: Command) -> str:
        try:
            self.game.undo()
        except IllegalMove:
            raise Refused("cannot undo") from None
        return ""

    def do_is_legal(self, command: Command) -> str:
        colour = self._colour(command)
        return "0" if self.game.forbidden(colour, self._vertex(command, 1)) else "1"

    def do_all_legal(self, command: Command) -> str:
        colour = self._colour(command)
        free = [p for p in self.game.points() if self.game.forbidden(colour, p) is None]
        return " ".join(to_vertex(p, self.game.size) for p in free)

    def do_list_stones(self, command: Command) -> str:
        colour = self._colour(command)
        stones = [p for p in self.game.points() if self.game.at(p) == colour]
        return " ".join(to_vertex(p, self.game.size) for p in stones)

    def do_showboard(self, command: Command) -> str:
        return self.game.render()

    # ----------------------------------------------------------------------------- handicap

    def do_fixed_handicap(self, command: Command) -> str:
        count = self._whole(command, 0, "a number of stones")
        self._need_empty()
        try:
            points = self.game.fixed_handicap(count)
        except IllegalMove:
            raise Refused("invalid number of stones") from None
        return " ".join(to_vertex(p, self.game.size) for p in points)

    def do_place_free_handicap(self, command: Command) -> str:
        """As many as there are fixed places for; GTP allows fewer than asked."""
        count = min(self._whole(command, 0, "a number of stones"), self.game.size**2)
        self._need_empty()
        while count >= 2:
            try:
                handicap_points(self.game.size, count)
                break
            except ValueError:
                count -= 1
        if count < 2:
            raise Refused("invalid number of stones")
        points = self.game.fixed_handicap(count)
        return " ".join(to_vertex(p, self.game.size) for p in points)

    def do_set_free_handicap(self, command: Command) -> str:
        self._need_empty()
        points = [self._vertex(command, i) for i in range(len(command.arguments))]
        if len(points) < 2 or len(set(points)) < len(points) or PASS in points:
            raise Refused("bad vertex list")
        try:
            self.game.place([(BLACK, p) for p in points], WHITE)
        except IllegalMove:
            raise Refused("bad vertex list") from None
        return ""

    # -------------------------------------------------------------------------------- moves

    def do_genmove(self, command: Command) -> str:
        colour = self._colour(command)
        return self._play_thought(colour, self._think(colour))

    def do_reg_genmove(self, command: Command) -> str:
        colour = self._colour(command)
        return self._vertex_of(self._think(colour))

    def do_time_settings(self, command: Command) -> str:
        main, period, stones = (int(self._number(command, i, "seconds")) for i in range(3))
        if min(main, period, stones) < 0:
            raise Refused("times and stones can't be negative")
        self.clocks = {c: Clock(main, period, stones) for c in (BLACK, WHITE)}
        return ""

    def do_time_left(self, command: Command) -> str:
        colour = self._colour(command)
        seconds = int(self._number(command, 1, "seconds"))
        self.clocks[colour].set_left(seconds, self._whole(command, 2, "stones"))
        return ""

    def do_final_score(self, command: Command) -> str:
        """Area; dead stones are taken off only where playouts agree about them."""
        score = estimate.score_without(self.game, self._dead())
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):.1f}"

    def do_final_status_list(self, command: Command) -> str:
        status = self._argument(command, 0, "alive, dead or seki")
        if status not in ("alive", "dead", "seki"):
            raise Refused(f"{status} is not alive, dead or seki")
        dead = self._dead()
        rows = []
        for chain in estimate.chains(self.game):
            if ("dead" if chain[0] in dead else "alive") == status:
                rows.append(" ".join(to_vertex(p, self.game.size) for p in chain))
        return "\n".join(rows)

    def do_gomill__explain_last_move(self, command: Command) -> str:
        if self.thought is None or self.thought.result is None:
            return ""
        best = self.thought.result.children[0]
        line = " ".join(self.thought.result.principal_variation(8))
        return f"{best.label}: {best.value or 0:.1%} of {best.visits} simulations; {line}"

    def do_treewright__ownership(self, command: Command) -> str:
        """For GoGui: one number a point, row by row from the top."""
        self._wait()
        owners = estimate.estimate(self.game, self.game.to_play).ownership
        texts = [f"{owners[p]:.2f}" for p in self.game.points()]
        n = self.game.size
        return "\n".join(" ".join(texts[i : i + n]) for i in range(0, n * n, n))

    # ---------------------------------------------------------------------------------- SGF

    def do_loadsgf(self, command: Command) -> str:
        from treewright.apps.go.gtp import sgf

        self._argument(command, 0, "a file")
        path, before = _file_and_number(command.rest)
        try:
            game = sgf.read(path)
        except (sgf.SgfError, IllegalMove) as error:
            raise Refused(f"cannot load file: {error}") from None
        if before is not None:
            game = game.before(before)
        self._new(game)
        return NAMES[self.game.to_play]

    def do_printsgf(self, command: Command) -> str:
        from treewright.apps.go.gtp import sgf

        text = sgf.write(self.game)
        if command.arguments:
            write_whole(_unquoted(command.rest), text)
            return ""
        return text

    # ----------------------------------------------------------------------------- thinking

    def _think(self, colour: int, watch: Callable[[Progress], None] | None = None) -> Thought:
        clock = self.clocks[colour]
        simulations, seconds = self.budget.simulations, self.budget.seconds
        if clock.limited:
            simulations, seconds = None, clock.budget(len(self.game.moves), self.game.size)
        begun = time.perf_counter()

        def enough(now: Progress) -> bool:
            if watch is not None:
                watch(now)
            return clock.limited and seconds is not None and settled(now, seconds)

        self.thought = self.player.choose(self.game, colour, simulations, seconds, enough)
        clock.spend(time.perf_counter() - begun)
        return self.thought

    def _play_thought(self, colour: int, thought: Thought) -> str:
        if thought.point is not None:
            self.game.play(colour, thought.point)
        return self._vertex_of(thought)

    def _vertex_of(self, thought: Thought) -> str:
        return "resign" if thought.point is None else to_vertex(thought.point, self.game.size)

    def _analyze(self, command: Command, dialect: Any) -> str | None:
        asked = self._request(command, dialect)
        colour = asked.colour or self.game.to_play
        self._write(f"={command.id}\n")
        search = self.player.prepare(self.game, colour)
        show = self._shower(search, colour, asked, dialect)

        def watch(now: Progress) -> bool:
            show(now)
            return now.simulations > 1 and not self.lines.empty()  # the first is of no move

        if not search.position.ended:
            search.run(until=watch)
            self._write_info(colour, search, asked, dialect)
        self._write("\n")
        return None

    def _genmove_analyze(self, command: Command, dialect: Any) -> str | None:
        asked = self._request(command, dialect)
        colour = asked.colour or self.game.to_play
        self._write(f"={command.id}\n")
        search = self.player.prepare(self.game, colour)
        thought = self._think(colour, self._shower(search, colour, asked, dialect))
        if thought.result is not None:
            self._write_info(colour, search, asked, dialect)
        self._write(f"play {self._play_thought(colour, thought)}\n\n")
        return None

    def _write_info(self, colour: int, search: Any, asked: analysis.Request, dialect: Any) -> None:
        """A line about the moves, if there is one to show: an empty line would end the answer."""
        line = analysis.info(self.game, colour, search, asked, dialect)
        if line:
            self._write(line + "\n")

    def _request(self, command: Command, dialect: Any) -> analysis.Request:
        asked = analysis.request(command.arguments, COLOURS)
        for words in (*asked.avoid.values(), *asked.allow.values()):
            for word in words:
                try:
                    to_point(word, self.game.size)
                except ValueError:
                    raise Refused("invalid coordinate") from None
        if dialect == "kata":
            self._wait()
        return asked

    def _shower(
        self, search: Any, colour: int, asked: analysis.Request, dialect: Any
    ) -> Callable[[Progress], None]:
        """Writes a line whenever the interval is over."""
        due = [time.perf_counter() + asked.interval]

        def show(now: Progress) -> None:
            if time.perf_counter() >= due[0]:
                self._write_info(colour, search, asked, dialect)
                due[0] = time.perf_counter() + asked.interval

        return show

    # ---------------------------------------------------------------------------- pondering

    def _start_pondering(self) -> None:
        if self.game.over or not self.lines.empty():
            return
        search = self.player.prepare(self.game, self.game.to_play)
        if search.position.ended:
            return
        self._pondering = threading.Thread(
            target=lambda: search.run(until=lambda now: not self.lines.empty()), daemon=True
        )
        self._pondering.start()

    def _stop_pondering(self) -> None:
        if self._pondering is not None:
            assert self.player.search is not None
            self.player.search.stop()
            self._pondering.join()
            self._pondering = None

    # -------------------------------------------------------------------------------- parts

    def _new(self, game: Game) -> None:
        self.game = game
        self.player.forget()
        self.thought = None
        self.clocks = {c: Clock(k.main, k.period, k.stones) for c, k in self.clocks.items()}
        if self._ahead is not None:
            self._ahead.want(game.before(0))

    def _wait(self) -> None:
        """Until the playouts of this board are compiled."""
        if self._ahead is not None:
            self._ahead.wait()

    def _need_empty(self) -> None:
        if self.game.moves or self.game.stones:
            raise Refused("board not empty")

    def _dead(self) -> set[int]:
        self._wait()
        return estimate.dead_stones(self.game)

    def _argument(self, command: Command, i: int, what: str) -> str:
        if len(command.arguments) <= i:
            raise Refused(f"{command.name} needs {what}")
        return command.arguments[i]

    def _number(self, command: Command, i: int, what: str) -> float:
        text = self._argument(command, i, what)
        if not re.fullmatch(r"[-+]?[0-9]{1,9}(\.[0-9]{0,9})?", text, re.ASCII):
            raise Refused(f"{command.name} needs {what}, not {text}")
        return float(text)

    def _whole(self, command: Command, i: int, what: str) -> int:
        number = self._number(command, i, what)
        if number != int(number):
            raise Refused(f"{command.name} needs {what}: a whole number, not {number:g}")
        return int(number)

    def _colour(self, command: Command) -> int:
        text = self._argument(command, 0, "a colour").lower()
        if text not in COLOURS:
            raise Refused(f"{command.arguments[0]} is not a colour; write b or w")
        return COLOURS[text]

    def _vertex(self, command: Command, i: int) -> int:
        try:
            return to_point(self._argument(command, i, "a vertex"), self.game.size)
        except ValueError:
            raise Refused("invalid coordinate") from None


def _announce(words: str) -> None:
    """On stderr, which clients show; stdout is the protocol's."""
    print(f"treewright: {words}", file=sys.stderr, flush=True)


def _unquoted(text: str) -> Path:
    """A path as it was written, or between quotation marks."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return Path(text[1:-1] if quoted else text)


def _file_and_number(text: str) -> tuple[Path, int | None]:
    """``my game.sgf 12``: the name of a file, which may hold spaces, and a move's number."""
    found = re.fullmatch(r"(.*\S)\s+([0-9]{1,9})", text, re.ASCII)
    if found is None or _unquoted(text).exists():
        return _unquoted(text), None
    return _unquoted(found[1]), int(found[2])


def settled(now: Progress, seconds: float) -> bool:
    """Whether the rest of the time can't change the most visited move any more."""
    if now.seconds < 0.1 * seconds:
        return False
    root = [c.visits for c in now.search.result().children[:2]]
    rate = now.simulations / max(now.seconds, 1e-6)
    return len(root) < 2 or root[0] - root[1] > rate * (seconds - now.seconds)
