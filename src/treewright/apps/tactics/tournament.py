"""Tournaments of Hero Academy agents: paired deals, alternating sides, resumable."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from treewright.apps.tactics.agents import AGENTS
from treewright.apps.tactics.match import play_named
from treewright.errors import OptionError, nearest
from treewright.library.evolutionary import Budget
from treewright.library.reading import json_of, text_of
from treewright.library.writing import write_whole
from treewright.random import below, stream
from treewright.workshop.experiments.stats import Interval, better_than_even, rate, stars


@dataclass(frozen=True)
class Fixture:
    """One game to be played: who against whom, with what, and which of the paired deals."""

    first: str  # of the pair, whose score is counted
    second: str
    ap: int
    budget: str
    number: int

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def parse_budget(text: str) -> Budget:
    """``evals:20000``, ``200ms`` or ``1s``."""
    found = re.fullmatch(r"evals:(\d+)", text)
    if found:
        return Budget(evaluations=int(found[1]))
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", text)
    if found:
        return Budget(seconds=float(found[1]) / (1000 if found[2] == "ms" else 1))
    raise OptionError(f"budget {text!r}: write it like 200ms, 1s or evals:20000")


def fixtures(agents: list[str], aps: list[int], budget: str, games: int) -> list[Fixture]:
    """Every pair of agents at every number of action points."""
    if len(agents) < 2:
        raise OptionError("a tournament needs at least two agents, such as emcts,oep-greedy")
    for name in agents:
        if name not in AGENTS:
            raise OptionError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    if games < 1:
        raise OptionError(f"games must be at least 1, not {games}")
    parse_budget(budget)
    return [
        Fixture(a, b, ap, budget, number)
        for ap in aps
        for a, b in combinations(agents, 2)
        for number in range(games)
    ]


def play(fixture: Fixture, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Play one game; games 2k and 2k + 1 have the same two decks and swapped sides.

    The decks belong to the seats, so that each agent has each of them once.
    """
    deal = stream(seed * 1_000_003 + fixture.number // 2)
    decks = (int(below(deal, 1000)), int(below(deal, 1000)))
    swapped = fixture.number % 2 == 1
    names = (fixture.second, fixture.first) if swapped else (fixture.first, fixture.second)
    game = play_named(
        names,
        fixture.ap,
        parse_budget(fixture.budget),
        seed * 7919 + fixture.number,
        decks,
        **settings,
    )
    score = 0.5
    if game.winner:
        score = 1.0 if (game.winner == 1) != swapped else 0.0
    return {"score": score, "turns": len(game.turns), "swapped": swapped}


@dataclass(frozen=True)
class Standing:
    """The score of the first of two agents so far."""

    first: str
    second: str
    ap: int
    games: int
    score: float  # draws count half
    draws: int
    interval: Interval
    stars: str


class Tournament:
    """Plays fixtures and keeps each result as soon as it is there."""

    def __init__(
        self,
        games: list[Fixture],
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        store: Path | None = None,
    ) -> None:
        self.games = games
        self.seed = seed
        self.settings = dict(settings or {})
        self.store = store
        self.results: dict[str, dict[str, Any]] = {}
        self._head = {"seed": seed, "settings": self.settings}
        if store is not None:
            try:
                self._read(store)
                self._append("" if store.exists() else json.dumps(self._head) + "\n")
            except OSError as error:
                raise OptionError(f"{store} can't be used: {error.strerror}") from error

    @property
    def missing(self) -> list[Fixture]:
        return [g for g in self.games if g.key not in self.results]

    def run(self, workers: int = 1, progress: Callable[[int], object] | None = None) -> None:
        """Play what is missing; Ctrl-C keeps what was played."""
        todo = iter(self.missing)
        for game, result in self._played(todo, workers):
            self._keep(game, result)
            if progress is not None:
                progress(len(self.games) - len(self.missing))

    def _played(
        self, todo: Iterator[Fixture], workers: int
    ) -> Iterator[tuple[Fixture, dict[str, Any]]]:
        if workers == 1:
            for game in todo:
                yield game, play(game, self.seed, self.settings)
            return
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            running: dict[Future[dict[str, Any]], Fixture] = {}
            try:
                while True:
                    for game in todo:
                        running[pool.submit(play, game, self.seed, self.settings)] = game
                        if len(running) >= 2 * workers:
                            break
                    if not running:
                        return
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(done), done.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def standings(self) -> list[Standing]:
        """One row for each pair and number of action points."""
        rows: dict[tuple[str, str, int], list[float]] = {}
        for game in self.games:
            if game.key in self.results:
                rows.setdefault((game.first, game.second, game.ap), []).append(
                    self.results[game.key]["score"]
                )
        return [
            Standing(
                *pair,
                games=len(scores),
                score=sum(scores) / len(scores),
                draws=sum(s == 0.5 for s in scores),
                interval=rate(sum(scores), len(scores)),
                stars=stars(better_than_even(sum(scores), len(scores))),
            )
            for pair, scores in rows.items()
        ]

    def _keep(self, game: Fixture, result: dict[str, Any]) -> None:
        self.results[game.key] = result
        self._append(json.dumps(asdict(game) | result) + "\n")

    def _append(self, text: str) -> None:
        if self.store is not None:
            with self.store.open("a", encoding="utf-8") as file:
                file.write(text)

    def _read(self, path: Path) -> None:
        if not path.exists():
            return
        text = text_of(path, OptionError)
        if text and not text.endswith("\n"):  # it was killed while it wrote the last line
            text = text[: text.rfind("\n") + 1]
            write_whole(path, text, OptionError)
        lines = text.splitlines()
        names = list(Fixture.__annotations__)
        for number, text in enumerate(lines, 1):
            try:
                line = json_of(text, f"{path}, line {number}", OptionError)
                if number == 1:
                    other = line != self._head
                else:
                    other = False
                    key = Fixture(**{n: line[n] for n in names}).key
                    self.results[key] = {k: v for k, v in line.items() if k not in names}
            except (KeyError, TypeError, AttributeError) as error:
                raise OptionError(
                    f"{path}, line {number} is not a tournament's result: {error}"
                ) from error
            if other:
                raise OptionError(
                    f"{path} holds a tournament with other settings ({text}): use another file"
                )
