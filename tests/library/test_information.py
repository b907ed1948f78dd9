"""Information sets: the kernel beside a slow search from the paper, and everything around it."""

import math

import numpy as np
import pytest
from numpy import int8
from reference import by_path, same_tree

import treewright as tw
from treewright.apps.games.whist import KnockoutWhist, redeal
from treewright.library.baselines import DeterminisedUCT, FlatMonteCarlo
from treewright.random import below, stream


class Guess(tw.Domain):
    """A hidden number, a die that all see, and a guess: the seeker may pay for a hint first.

    The hider moves first and may raise the stakes.  Which guesses are legal depends on the die.
    """

    players = 2
    max_actions = 4
    max_length = 8
    keys = 12
    state = tw.record(number=int8, die=int8, stakes=int8, hint=int8, step=int8, right=int8)

    def start(s, number=1):
        s.number = number

    def player(s):
        return (0, tw.CHANCE, 1, 1, 1)[s.step]

    def legal(s, out):
        if s.step == 0 and s.number == 0:  # who hides a zero can't raise
            out[0] = 0
            return 1
        if s.step < 3:
            out[0] = 0
            out[1] = 1
            return 2
        n = 0
        for number in range(4):
            if number != s.die:
                out[n] = 8 + number
                n += 1
        return n

    def sample_chance(s, rng):
        return below(rng, 2)

    def play(s, action):
        if s.step == 0:
            s.stakes = action
        elif s.step == 1:
            s.die = action
        elif s.step == 2:
            s.hint = action
        else:
            s.right = action - 8 == s.number
        s.step += 1

    def ended(s):
        return s.step == 4

    def rewards(s, out):
        won = 0.25 * (1 + s.stakes) * (1 if s.right else -1) - 0.1 * s.hint
        out[1] = 0.5 + 0.5 * won
        out[0] = 0.5 - 0.5 * won

    def determinise(s, rng, player):
        if player == 1:
            s.number = below(rng, 4)
            while s.number == 0 and s.stakes == 1:
                s.number = below(rng, 4)

    def view(s, player):
        number = s.number if player == 0 or s.step == 4 else "?"
        return f"step {s.step}, die {s.die}, stakes {s.stakes}, hint {s.hint}, number {number}"


class Node:
    def __init__(self):
        self.visits = self.available = 0
        self.value = 0.0
        self.children = {}


class Slow:
    """SO-ISMCTS as the paper has it, with our own ways to break ties and to draw."""

    def __init__(self, position, seed, c, fpu):
        self.start, self.rng, self.c, self.fpu = position, stream(seed), c, fpu
        self.root = Node()

    def run(self, simulations):
        for _ in range(simulations):
            position = self.start.copy()
            position.determinise(self.rng, self.start.player)
            node, mover = self.root, position.player
            path = [(node, mover)]
            while node.visits and not position.ended:
                action = self.step(node, position)
                mover = position.player if position.player >= 0 else mover
                node = node.children[action]
                position.play(action)
                path.append((node, mover))
            while not position.ended:
                legal = position.legal()
                chance = position.is_chance
                at_random = position.chance(self.rng) if chance else None
                position.play(at_random if chance else legal[below(self.rng, len(legal))])
            rewards = position.rewards()
            for node, mover in path:
                node.visits += 1
                node.value += rewards[mover]
        return self

    def step(self, node, position):
        """Select among the children that are available, or add one; count who was available."""
        legal = [position.chance(self.rng)] if position.is_chance else position.legal()
        available = {a: child for a, child in node.children.items() if a in legal}
        untried = [a for a in legal if a not in node.children]
        rates = {a: self.rate(child) for a, child in available.items()}
        best = max(rates.values(), default=-math.inf)
        if untried and (self.fpu is None or self.fpu > best):
            alone = position.is_chance
            action = untried[0 if alone else below(self.rng, len(untried))]
            available[action] = node.children[action] = Node()
        else:
            ties = [a for a in rates if rates[a] == best]
            action = ties[below(self.rng, len(ties))] if len(ties) > 1 else ties[0]
        for child in available.values():
            child.available += 1
        return action

    def rate(self, child):
        """UCB, with the parent's visits replaced; rounded as the kernel does, for equal ties."""
        root = 1 / math.sqrt(child.visits)
        bonus = self.c * math.sqrt(math.log(child.available)) * root
        return child.value * root * root + bonus


def flat(node, path=()):
    """path -> (visits, available, value) of a slow tree."""
    found = {path: (node.visits, node.available, node.value)}
    for action, child in node.children.items():
        found |= flat(child, (*path, action))
    return found


GAMES = {
    "whist": KnockoutWhist(seed=3),
    "three": KnockoutWhist(players=3, hand=3, ranks=4, seed=5),
    "guess": Guess(number=2),
}


@pytest.mark.parametrize("fpu", [None, 0.61])
@pytest.mark.parametrize(
    ("game", "engine"),
    [("whist", "compiled"), ("three", "python"), ("guess", "compiled"), ("guess", "python")],
)
def test_the_kernel_is_the_paper_s_algorithm(game, fpu, engine):
    """Node for node: visits, availability and value, from the same random numbers."""
    search = tw.Search(GAMES[game], tw.Options(c=0.7, fpu=fpu), seed=9, engine=engine)
    if game == "guess":  # the seeker's turn, where the number is hidden
        for action in (1, 0):
            search.commit(action)
    slow = Slow(search.position, 9, 0.7, fpu).run(400)
    search.run(400)
    ours = {
        path: (int(row["visits"]), int(row["available"]), float(row["value"]))
        for path, (row, _) in by_path(search).items()
    }
    theirs = flat(slow.root)
    assert ours.keys() == theirs.keys()
    for path, (visits, available, value) in ours.items():
        assert (visits, available) == theirs[path][:2], path
        if path:  # the root's is that of whoever moved there
            assert value == pytest.approx(theirs[path][2]), path
    assert any(row[1] > 1 and len(path) > 1 for path, row in ours.items())


def tuned(q, log, root, c):
    return q + c * math.sqrt(log) * root


def add_square(node, reward):
    node.squares += reward * reward


RULES = tw.Rules(urgency=tuned, back_up=add_square, statistics=("squares",))
EVERYTHING = tw.Options(normalise=True, rules=RULES, rollout=tw.Rollout("table"), fpu=0.9)


@pytest.mark.parametrize(
    ("domain", "options"),
    [(KnockoutWhist(seed=2, hand=4, ranks=8), tw.Options()), (Guess(number=1), EVERYTHING)],
)
def test_both_engines_build_the_same_tree(domain, options, tmp_path):
    trees = []
    for engine in ("compiled", "python"):
        search = tw.Search(domain, options, seed=1, engine=engine)
        for simulations in (200, 100, 50):
            best = search.run(simulations).best
            if simulations > 50:
                search.commit(search.draw() if best == tw.CHANCE else best)
        assert best in search.position.legal()
        trees.append(search)
    assert same_tree(*trees)
    trees[0].save(tmp_path / "tree.npz")
    again = tw.load(tmp_path / "tree.npz", domain, rules=options.rules)
    assert same_tree(again, trees[0])
    assert (again.run(70).children, again.tree.size) == (
        trees[0].run(70).children,
        trees[0].tree.size,
    )


def test_a_rule_that_is_uct_gives_the_tree_of_before():
    rules = tw.Rules(urgency=tuned)
    options = (tw.Options(), tw.Options(rules=rules))
    trees = [tw.Search(GAMES["whist"], o, seed=4, engine="python") for o in options]
    for search in trees:
        search.run(150)
    assert same_tree(*trees)


def test_a_tree_is_one_player_s_view():
    """Statistics that depend on one player's cards are not handed to another."""
    search = tw.Search(KnockoutWhist(seed=1), seed=1)
    mine = search.run(500)
    search.commit(mine.best)
    carried = int(search.tree.nodes[0]["visits"])
    assert carried > 1
    for child in search.result().children:  # without what is legal in other draws only
        assert child.action in search.position.legal()
    search.run(10)
    assert int(search.tree.nodes[0]["visits"]) == 10

    kept = tw.Search(KnockoutWhist(seed=1), seed=1)
    kept.run(5000)
    kept.commit(kept.run(1).best)
    reply = max(kept.result().children, key=lambda c: c.visits)
    assert reply.visits > 100
    kept.commit(reply.action)
    if kept.position.player == 0:  # it is the same player's turn again
        before = int(kept.tree.nodes[0]["visits"])
        kept.run(10)
        assert int(kept.tree.nodes[0]["visits"]) == before + 10


@pytest.mark.parametrize("workers", [1, 2])
def test_phases_play_a_game_to_its_end(workers):
    search = tw.Search(KnockoutWhist(seed=8, hand=3), seed=2, workers=workers)
    done = search.run_phases(simulations=60)
    assert search.position.ended
    again = tw.Position(search.domain)
    for action in done.actions:
        again.play(action)  # each was legal in the true game
    with pytest.raises(tw.OptionError, match="each phase needs a simulation of its own"):
        tw.Search(KnockoutWhist()).run_phases(9, simulations=5, shared=True)


def test_memory_is_kept_to():
    search = tw.Search(KnockoutWhist(), seed=1, memory="32KiB", when_full="recycle")
    assert search.run(3000).simulations == 3000
    assert search.tree.nbytes <= 2**15
    rolls = tw.Search(KnockoutWhist(), seed=1, memory="16KiB", when_full="rollout")
    assert rolls.run(3000).full


def test_who_cheats_knows_and_who_does_not_guesses():
    """The seeker is worth what the rules say: 1 in 3 guesses right unless the number is seen."""
    honest, cheating = (
        tw.Search(Guess(number=2), tw.Options(information=how), seed=1)
        for how in (None, "cheating")
    )
    for search in (honest, cheating):
        search.commit(0)
        search.commit(1)
        search.run(20_000)
    won, lost = 0.625, 0.375
    assert cheating.result().value == pytest.approx(won, abs=0.01)
    # three guesses are left; the number is one of four
    assert honest.result().value == pytest.approx(0.25 * won + 0.75 * lost, abs=0.01)
    assert honest.result().best == cheating.result().best == 0  # the hint is worth nothing


def test_baselines_respect_what_is_hidden():
    for kind, engine in ((DeterminisedUCT, "compiled"), (FlatMonteCarlo, "python")):
        answers = []
        for number in (2, 3):
            search = kind(Guess(number=number), seed=1, engine=engine)
            for action in (1, 0, 0):
                search.commit(action)
            answers.append([(c.action, c.visits, c.value) for c in search.run(2000).children])
        assert answers[0] == answers[1], kind


def test_determinised_uct_in_both_engines():
    found = []
    for engine in ("compiled", "python"):
        search = DeterminisedUCT(Guess(number=1), seed=6, trees=5, engine=engine)
        search.commit(0)
        search.commit(0)
        found.append(search.run(200).children)
    assert found[0] == found[1]


def test_determinised_uct_adds_up_its_trees():
    search = DeterminisedUCT(KnockoutWhist(seed=3), seed=1, trees=7, engine="python")
    result = search.run(140)
    assert sum(c.visits for c in result.children) == 140 - 7  # each root has a visit of its own
    assert result.best == max(result.children, key=lambda c: c.visits).action
    search.commit(result.best)
    assert search.run(70).best in search.position.legal()
    for call, said in (
        (lambda: search.run(5), "5 simulations are too few for 7 trees"),
        (lambda: search.run(seconds=1.0), "counts simulations only, not seconds"),
        (lambda: search.run_phases(), "has no phases"),
        (lambda: DeterminisedUCT(KnockoutWhist(), trees=0), "trees must be a whole number"),
        (lambda: DeterminisedUCT(tw.make("nim")), "needs nim-v1 to define the function determin"),
    ):
        with pytest.raises(tw.OptionError, match=said):
            call()


REFUSED = {
    "puct": {"puct": True},
    "rave": {"rave": tw.Rave()},
    "selection_bias": {"selection_bias": tw.SelectionBias()},
    "dense": {"dense": True},
    "widening": {"widening": tw.Widening()},
    "solver": {"solver": True},
    "expand='listed'": {"expand": "listed"},
    "a rule for the order": {"rules": tw.Rules(order=lambda s, action: 1.0)},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_go_together_is_refused(what):
    # Whist has no weights, which puct would miss first
    domain = type("Weighed", (KnockoutWhist,), {"weight": lambda s, action: 1.0})()
    said = f"^{what} does not go with information sets"
    with pytest.raises(tw.OptionError, match=said):
        tw.Search(domain, tw.Options(**REFUSED[what]))
    tw.Search(domain, tw.Options(information="cheating", **REFUSED[what]), engine="python")


def test_options_are_checked():
    with pytest.raises(tw.OptionError, match="information='sets' is unknown; did you mean 'set'"):
        tw.Options(information="sets")
    for how in ("set", "cheating"):
        said = f"information='{how}' needs nim-v1 to define the function determinise"
        with pytest.raises(tw.OptionError, match=said):
            tw.Search(tw.make("nim"), tw.Options(information=how))
    with pytest.raises(tw.OptionError, match="'available' is taken"):
        tw.Rules(statistics=("available",))


def test_a_wrong_signature_is_named():
    with pytest.raises(
        tw.DomainError, match=r"determinise\(s, player\) should be determinise\(s, "
    ):

        class Wrong(Guess):
            def determinise(s, player):
                pass

    with pytest.raises(tw.DomainError, match="did you mean 'determinise'"):

        class Odd(Guess):
            def determinize(s, rng, player):
                pass


class Swaps(KnockoutWhist):
    def determinise(s, rng, player):
        redeal(s, rng, 1 - player)


class Mover(Guess):
    def determinise(s, rng, player):
        s.step = 0


class Nothing(Guess):
    def determinise(s, rng, player):
        s.number = s.number


class Forgets(Guess):  # who hides a zero can't have raised
    def determinise(s, rng, player):
        if player == 1:
            s.number = below(rng, 4)


def test_a_draw_that_changes_what_a_player_can_do_ends_the_search():
    with pytest.raises(
        tw.DomainError, match="determinise\\(\\) for player 0 changed who is to mov"
    ):
        tw.Search(Swaps(seed=1, hand=3, ranks=2), engine="python").run(50)


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        (Swaps(seed=1, hand=3, ranks=2), "changed what player 1 can see: 'your hand: AC KH AS' ha"),
        (Mover(number=2), "changed what player 0 can see: 'player -1 is to move' has become"),
        (Nothing(number=2), "never changed anything that a player can see"),
        (Forgets(number=2), "drew a state that contradicts what player 1 has seen before"),
    ],
)
def test_the_checker_finds_a_bad_draw(domain, said):
    report = tw.check(domain)
    assert len(report.problems) == 1
    assert f"determinise() {said}" in str(report)


def test_the_checker_is_content_with_a_good_one():
    report = tw.check(Guess(number=2))
    assert report.ok, report


def test_damaged_files_are_refused(tmp_path):
    search = tw.Search(KnockoutWhist(hand=3, ranks=4), seed=1)
    search.run(100)
    search.save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as file:
        arrays = dict(file)
    for column, value, said in (
        ("available", 0, "more often than it was available"),
        ("n", 9, "more actions than the domain"),
        ("tried", 20_000, "too many children"),
    ):
        nodes = arrays["0/nodes"].copy()
        row = 0 if column != "available" else 1
        nodes[column][row] = value
        np.savez(tmp_path / "bad.npz", **(arrays | {"0/nodes": nodes}))
        with pytest.raises(tw.TreeFileError, match=said):
            tw.load(tmp_path / "bad.npz", search.domain)
