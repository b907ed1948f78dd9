"""Does a domain keep its side of the contract?  ``tw.check`` plays random games to see."""

import math
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import TreewrightError
from treewright.library import shown
from treewright.library.blame import from_traceback
from treewright.library.checking_hidden import HiddenCheck
from treewright.library.domain import CHANCE, Domain
from treewright.library.position import Position
from treewright.random import below, stream

UNBOUNDED = (  # said once: it holds for every game
    "outside [0, 1], where c and the solver expect them; scale them, or search with "
    "Options(normalise=True), which is --normalise on the command line"
)


@dataclass
class Report:
    """What was played, and what was wrong; ``ok`` if nothing was."""

    domain: str
    games: int = 0
    actions: int = 0
    longest: int = 0
    widest: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems

    def add(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def __str__(self) -> str:
        played = (
            f"{self.domain}: {self.games} random games, {self.actions} actions, "
            f"longest {self.longest}, at most {self.widest} actions to choose from"
        )
        return "\n".join([played, *(f"- {p}" for p in self.problems or ["no problem found"])])

    def _repr_html_(self) -> str:
        return shown.report_html(self)


def check(domain: Domain, games: int = 20, seed: int = 0) -> Report:
    """Play random games through a domain and report every breach of the contract.

    Among them: ``legal`` over ``max_actions``, twice the same action, a state that is not copied
    fully, a function that changes what it should only read, results that are not repeatable,
    rewards that are not finite or outside [0, 1], keys out of range, different states with the
    same ``key``, a ``determinise`` that changes what a player can see, and compiled and interpreted
    engines that disagree.
    """
    report = Report(domain.name)
    rng = stream(seed)
    hides = domain.function("determinise") is not None
    hidden = HiddenCheck(domain, report, seed) if hides else None
    met: dict[int, Position] = {}
    try:
        for _ in range(games):
            _play(domain, report, rng, hidden, met)
        if hidden is not None:
            hidden.end()
        if domain.is_record and not report.problems:
            _engines(domain, report, seed)
    except TreewrightError as error:
        report.add(str(error).removeprefix(f"{domain.name}: "))
    except Exception as error:
        report.add(from_traceback(error, domain).removeprefix(f"{domain.name}: "))
    return report


def _play(
    domain: Domain,
    report: Report,
    rng: Any,
    hidden: HiddenCheck | None,
    met: dict[int, Position],
) -> None:
    """One random game, checked at every step, then repeated from its start."""
    position = Position(domain)
    seen: list[Any] = []
    trail: list[Position] = []
    while not position.ended:
        if len(position.history) >= domain.max_length:
            report.add(f"a game went on after max_length={domain.max_length} actions")
            return
        legal = _look(position, report)
        if not legal:
            return
        _meet(position, met, report)
        seen.append((legal, position.player))
        twin = position.copy()
        if hidden is not None:
            hidden.look(position)
            trail.append(twin)
        before = _snapshot(twin)
        position.play(legal[below(rng, len(legal))])
        if _snapshot(twin) != before:
            report.add("playing an action changed a copy of the state: copy() is not complete")
        report.actions += 1
        report.widest = max(report.widest, len(legal))
    if hidden is not None:
        hidden.look_back(trail)
    rewards = _rewards(position, report)
    _meet(position, met, report)
    report.games += 1
    report.longest = max(report.longest, len(position.history))
    found = _repeat(Position(domain), position.history, seen, rewards)
    if found and not report.problems:  # else it has another name already
        report.add(f"the same actions led to {found}: play() is not deterministic")
    if domain.function("rewind"):
        again = position.copy()
        again.rewind(Position(domain))
        found = _repeat(again, position.history, seen, rewards)
        if found:
            report.add(f"after rewind() the same actions led to {found}")


def _look(position: Position, report: Report) -> list[int]:
    """Everything that can be asked of a position without playing."""
    domain = position.domain
    player = position.player
    before = _state(position)
    if _legal_changes(position.copy()):
        report.add("legal() changed the state; it may only look at it")
        return []
    legal = position.legal()
    if not CHANCE <= player < domain.players:
        report.add(f"player() returned {player}; there are {domain.players} players")
    if player == CHANCE and domain.function("sample_chance") is None:
        report.add("chance decides somewhere, but there is no sample_chance(s, rng)")
    if not legal:
        report.add("legal() listed no action in a state that has not ended")
    if len(set(legal)) < len(legal):
        report.add("legal() listed an action twice")
    if any(not 0 <= a < 2**30 for a in legal):
        report.add("legal() listed an action below 0 or above 2**30")
    if position.legal() != legal:
        report.add("legal() asked twice gave two answers")
    if player != CHANCE:
        _look_at_actions(position, legal, report)
    if domain.function("value") and not all(map(math.isfinite, position.value())):
        report.add("value() gave a number that is not finite")
    if not report.problems and _answers(before) != _answers(_state(position)):
        report.add("a function that only looks changed the position")
    return legal


def _legal_changes(position: Position) -> bool:
    """Whether ``legal`` does more than note down, once, what it has found out."""
    before = position.player, position.ended
    position.legal()
    if (position.player, position.ended) != before:
        return True
    noted = _snapshot(position)
    position.legal()
    return bool(_snapshot(position) != noted)


def _look_at_actions(position: Position, legal: list[int], report: Report) -> None:
    domain = position.domain
    for action in legal:
        if domain.keys and not 0 <= position.key(action) < domain.keys:
            report.add(f"amaf_key() returned {position.key(action)}; keys is {domain.keys}")
        if domain.function("weight"):
            weight = position.weight(action)
            if not (math.isfinite(weight) and weight >= 0):
                report.add(f"weight() returned {weight}; it must be finite and not negative")
        if domain.function("prior"):
            value, visits = position.prior(action)
            if not (math.isfinite(value) and math.isfinite(visits) and visits >= 0):
                report.add("prior() must return a finite value and visits that are not negative")
    if domain.function("describe"):
        labels = [position.describe(a) for a in legal]
        if len(set(labels)) < len(labels):
            report.add("describe() gave two legal actions the same label")


def _meet(position: Position, met: dict[int, Position], report: Report) -> None:
    """States with the same key must be the same, as far as anything can follow from them."""
    if position.domain.function("key") is None or any("key()" in p for p in report.problems):
        return
    key = position.state_key()
    other = met.setdefault(key, position.copy())
    if position.domain.is_record and _snapshot(other) == _snapshot(position):
        return
    for continuation in range(3):
        found = _difference(position.copy(), other.copy(), stream(continuation))
        if found:
            report.add(
                f"key() returned {key} after the actions {other.history} and after "
                f"{position.history}, but these states differ: {found}"
            )
            return


def _difference(one: Position, other: Position, rng: Any) -> str:
    """What tells two states apart when they are played on alike; nothing if they seem equal."""
    begun = len(one.history)
    while True:
        after = one.history[begun:]
        when = f" after {after} more" if after else ""
        if one.ended != other.ended:
            return f"only one of them has ended{when}"
        if one.ended:
            return "" if one.rewards() == other.rewards() else f"in their rewards{when}"
        if len(after) >= one.domain.max_length:
            return ""
        if one.player != other.player:
            return f"in who decides{when}"
        legal = one.legal()
        if sorted(legal) != sorted(other.legal()):
            return f"in what is legal{when}"
        action = legal[below(rng, len(legal))]
        one.follow(action)
        other.follow(action)


def _state(position: Position) -> Position:
    return position.copy()


def _answers(position: Position) -> Any:
    return (position.legal(), position.player, position.ended)


def _snapshot(position: Position) -> Any:
    """What can be seen of a position; for records, every field."""
    if position.domain.is_record:
        record = position.state._record
        return [record[name].tobytes() for name in record.dtype.names]  # without padding
    return _answers(position)


def _rewards(position: Position, report: Report) -> list[float]:
    rewards = position.rewards()
    if not all(map(math.isfinite, rewards)):
        report.add(f"rewards() gave {rewards}: not finite")
    elif not all(0 <= r <= 1 for r in rewards) and not any(UNBOUNDED in p for p in report.problems):
        report.add(f"rewards() gave {rewards}: {UNBOUNDED}")
    if position.rewards() != rewards:
        report.add("rewards() asked twice gave two answers")
    return rewards


def _repeat(again: Position, history: list[int], seen: list[Any], rewards: list[float]) -> str:
    """What is different when a game is played again; nothing if all is well."""
    for action, before in zip(history, seen, strict=True):
        if again.ended or (again.legal(), again.player) != before:
            return "another position"
        again.follow(action)
    return "" if again.rewards() == rewards else "other rewards"


def _engines(domain: Domain, report: Report, seed: int) -> None:
    """The compiled and the interpreted engine must build the same tree."""
    from treewright.library.options import Options
    from treewright.library.search import Search

    if Position(domain).ended:
        return
    trees = []
    options = Options(transpositions=domain.function("key") is not None)
    for engine in ("compiled", "python"):
        search = Search(domain, options, seed=seed, memory="16MiB", engine=engine)  # type: ignore[arg-type]
        search.run(simulations=50)
        trees.append(search.tree.nodes)
    if trees[0].tobytes() != trees[1].tobytes():
        report.add(
            "compiled and interpreted searches differ: look for integer overflow, float32 "
            "fields, or arrays shared between states"
        )
