"""Our information-set search and OpenSpiel's: blackjack, and Kuhn poker."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import random
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

from numpy import int8

from treewright.apps.games.kuhn import CARDS, KuhnPoker
from treewright.errors import MissingExtra
from treewright.kernel.rng import stream_seed
from treewright.library.domain import CHANCE, Domain, record
from treewright.library.options import Options
from treewright.library.search import Search
from treewright.random import below
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.stats import compare_paired
from treewright.workshop.experiments.summary import estimate, where

C = 0.7  # on rewards from 0 to 1
OURS, THEIRS = "Treewright", "OpenSpiel"
BLACKJACK, KUHN, MATCH = "blackjack", "Kuhn poker, random opponent", "Kuhn poker, OpenSpiel"
HIT, STAND = range(2)
HANDS = 10  # of blackjack in a cell


class Blackjack(Domain):
    """Draw cards up to 21; the dealer's second card is hidden until the player stands.

    As OpenSpiel has it: one pack, no stakes to raise, the dealer draws below 17.  Cards are their
    values, 1 to 10; who draws one is chance.  ``cards`` are the player's two, the dealer's hidden
    one and the open one.
    """

    players = 1
    max_actions = 10
    max_length = 40
    state = record(left=(int8, 11), hand=(int8, 2), ace=(int8, 2), hidden=int8, step=int8)

    def start(s, cards=(10, 6, 10, 10)):
        for value in range(1, 11):
            s.left[value] = 4 if value < 10 else 16
        for at, value in enumerate(cards):
            s.left[value] -= 1
            if at != 2:
                take(s, at // 2, value)
        s.hidden = cards[2]

    def player(s):
        return 0 if s.step == 0 else CHANCE

    def legal(s, out):
        if s.step == 0:
            out[0] = HIT
            out[1] = STAND
            return 2
        n = 0
        for value in range(1, 11):
            if s.left[value] > 0:
                out[n] = value
                n += 1
        return n

    def sample_chance(s, rng):
        return drawn(s, rng)

    def play(s, action):
        if s.step == 0:
            s.step = 1 + action
            if action == STAND:
                take(s, 1, s.hidden)
        else:
            s.left[action] -= 1
            take(s, s.step - 1, action)
            if s.step == 1:
                s.step = 0

    def ended(s):
        return s.hand[0] > 21 or (s.step == 2 and best(s, 1) >= 17)

    def rewards(s, out):
        mine = best(s, 0)
        other = best(s, 1)
        if mine > 21 or mine < other <= 21:
            out[0] = 0.0
        else:
            out[0] = 0.5 if mine == other else 1.0

    def determinise(s, rng, player):
        if s.step < 2:
            s.left[s.hidden] += 1
            s.hidden = drawn(s, rng)
            s.left[s.hidden] -= 1


def take(s, who, value):
    """A card for the player (0) or the dealer (1)."""
    s.hand[who] += value
    if value == 1:
        s.ace[who] = 1


def best(s, who):
    """What a hand counts: one ace may be 11."""
    total = s.hand[who]
    return total + 10 if s.ace[who] and total <= 11 else total


def drawn(s, rng):
    """The value of the next card of the pack."""
    cards = 0
    for value in range(1, 11):
        cards += s.left[value]
    at = below(rng, cards)
    value = 1
    while at >= s.left[value]:
        at -= s.left[value]
        value += 1
    return value


def value_of(card: int) -> int:
    """The value of one of OpenSpiel's cards."""
    return min(card % 13 + 1, 10)


def bot(game: Any, width: float, simulations: int, seed: int) -> Any:
    """OpenSpiel's search, with our ``c`` on rewards of its scale."""
    import pyspiel

    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    most = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    return pyspiel.ISMCTSBot(seed, rollouts, width * C, simulations, -1, most, False, False)


def open_spiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise MissingExtra("the match against OpenSpiel", "bench") from None
    return pyspiel


def our_hand(pack: Sequence[int], simulations: int, seed: int) -> float:
    """A hand of blackjack with the cards of a pack, from its top."""
    values = [value_of(card) for card in pack]
    search = Search(Blackjack(cards=tuple(values[:4])), Options(c=C), seed=seed, memory="4MiB")
    at = 4
    while not search.position.ended:
        if search.position.is_chance:
            search.commit(values[at])
            at += 1
        else:
            search.begin()
            search.commit(search.run(simulations).best)
    return search.position.rewards()[0]


def their_hand(pack: Sequence[int], simulations: int, seed: int) -> float:
    """The same for OpenSpiel, whose rewards are -1, 0 and 1."""
    game = open_spiel().load_game("blackjack")
    player = bot(game, 2.0, simulations, seed)
    state = game.new_initial_state()
    at = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(pack[at])
            at += 1
        else:
            state.apply_action(player.step(state))
    return 0.5 + 0.5 * float(state.returns()[0])


def blackjack(name: str, simulations: int, seed: int) -> float:
    play = our_hand if name == OURS else their_hand
    total = 0.0
    for hand in range(HANDS):
        pack = list(range(52))
        random.Random(stream_seed(seed, hand)).shuffle(pack)
        total += play(pack, simulations, stream_seed(seed, 1000 + hand) % 2**31)
    return total / HANDS


Player = Callable[[tuple[int, int], list[int]], int]


def our_poker(simulations: int, seed: int) -> Player:
    """A player: from the deal and what was played to an action."""

    def choose(deal: tuple[int, int], line: list[int]) -> int:
        at = stream_seed(seed, 100 * len(line) + 3 * deal[0] + deal[1])
        search = Search(_dealt(deal), Options(c=C), seed=at, memory="1MiB")
        for action in line:
            search.commit(action)
        return search.run(simulations).best

    return choose


def their_poker(simulations: int, seed: int) -> Player:
    game = open_spiel().load_game("kuhn_poker")
    player = bot(game, 4.0, simulations, seed)

    def choose(deal: tuple[int, int], line: list[int]) -> int:
        state = game.new_initial_state()
        for action in (*deal, *line):
            state.apply_action(action)
        return int(player.step(state))

    return choose


def random_poker(simulations: int, seed: int) -> Player:
    dice = random.Random(seed)
    return lambda deal, line: dice.randrange(2)


def poker(player: Player, opponent: Player) -> float:
    """Every deal once from each seat."""
    total = 0.0
    deals = list(permutations(range(3), 2))
    for deal in deals:
        for seat in range(2):
            seats = (player, opponent) if seat == 0 else (opponent, player)
            table = Search(_dealt(deal), engine="python", memory="1MiB")
            while not table.position.ended:
                table.commit(seats[table.position.player](deal, list(table.history)))
            total += table.position.rewards()[seat]
    return total / (2 * len(deals))


def _dealt(deal: tuple[int, int]) -> KuhnPoker:
    return KuhnPoker(deal=CARDS[deal[0]] + CARDS[deal[1]])


def run(settings: Settings, seed: int) -> Row:
    game, name = str(settings["game"]), str(settings["player"])
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    if game == BLACKJACK:
        return {"score": blackjack(name, simulations, seed)}
    mine = (our_poker if name == OURS else their_poker)(simulations, seed)
    other = random_poker if game == KUHN else their_poker
    return {"score": poker(mine, other(simulations, seed + 10**6))}


def verdict(rows: Rows) -> Verdict:
    pairs = {
        (r["simulations"], r["seed"]): r["score"] for r in where(rows, game=BLACKJACK, player=OURS)
    }
    others = {
        (r["simulations"], r["seed"]): r["score"]
        for r in where(rows, game=BLACKJACK, player=THEIRS)
    }
    both = sorted(pairs.keys() & others.keys())
    kuhn = {name: where(rows, game=KUHN, player=name) for name in (OURS, THEIRS)}
    match = where(rows, game=MATCH)
    if not both or not match or not all(kuhn.values()):
        return Verdict(None, "Too little was run to tell.")
    gap = compare_paired([pairs[b] for b in both], [others[b] for b in both])
    mine, other, even = (estimate(MEASURE, part) for part in (*kuhn.values(), match))
    return judge(
        f"In blackjack the difference of the mean rewards, paired by pack, is "
        f"{gap.difference:+.4f} ({gap.low:+.4f} to {gap.high:+.4f}) over {len(both) * HANDS:,} "
        f"hands.  In Kuhn poker they differ, as the algorithms do: ours has {mine.value:.3f} "
        f"against random play where OpenSpiel's has {other.value:.3f}, and {even.value:.3f} "
        f"({even.low:.3f} to {even.high:.3f}) against OpenSpiel's, whose tree knows what the "
        f"opponent holds at the opponent's nodes",
        gap.low <= 0.0 <= gap.high,
        enough=len(both) * HANDS >= 1000,
    )


def draw(rows: Rows, axes: Any) -> None:
    shown = [{**r, "who": f"{r['player']}: {r['game']}"} for r in rows]
    curves(EXPERIMENT, shown, axes, x="simulations", by="who", even=0.5)
    axes.set_xlabel("simulations a move")


MEASURE = Measure("score", "mean reward, from 0 to 1")
GAMES = [BLACKJACK, KUHN]


def scale(seeds: int) -> list[Grid]:
    budgets = [100, 1000]
    return [
        Grid({"game": GAMES, "player": [OURS, THEIRS], "simulations": budgets}, seeds),
        Grid({"game": [MATCH], "player": [OURS], "simulations": budgets}, seeds),
    ]


EXPERIMENT = Experiment(
    name="openspiel-information",
    title="Blackjack and Kuhn poker: our information sets and OpenSpiel's",
    claim="Where both build the same tree, our information-set search is as strong as OpenSpiel's "
    "with the same simulations.",
    source="OpenSpiel (Lanctot et al. 2019), its ISMCTS bot; no published number for this setting",
    scales={
        "smoke": [Grid({"game": GAMES[:1], "player": [OURS], "simulations": [100]}, seeds=2)],
        "laptop": scale(100),
        "paper": scale(1000),
    },
    run=run,
    measure=MEASURE,
    groups=("game", "player", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[Reference({"game": MATCH}, 0.5, "even")],
)
