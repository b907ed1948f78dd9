"""OpenSpiel's games as domains, and the search as its bot."""

import random
import sys

import pytest

import treewright as tw

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

NORMALISED = tw.Options(normalise=True)

# of different kinds: one to six players, chance at the beginning and in between, hidden things,
# moves at once, rewards of other scales, games that stand for others
KINDS = [
    "2048",
    "blackjack",
    "catch",
    "cliff_walking",
    "coop_box_pushing",
    "goofspiel",
    "hanabi",
    "hearts",
    "kuhn_poker",
    "leduc_poker",
    "matching_pennies_3p",
    "misere(game=tic_tac_toe())",
    "nim",
    "othello",
    "pig",
    "tarok",
    "yacht",
]


@pytest.mark.parametrize("name", KINDS)
def test_games_of_every_kind_keep_the_contract_and_are_searched(name):
    domain = tw.from_openspiel(name, see_all=True)
    options = tw.Options(normalise=True, rollout=tw.Rollout(depth=60))
    result = tw.Search(domain, options, seed=1).run(20)
    assert result.simulations == 20
    if name not in ("2048", "coop_box_pushing", "othello", "yacht"):  # long ones
        report = tw.check(domain, games=1)
        assert report.ok, report


def trees(domain, options, simulations=400):
    found = []
    for seed in (1, 2):
        search = tw.Search(domain, options, seed=seed, engine="python", memory="16MiB")
        search.run(simulations)
        found.append(search.tree.nodes.tobytes())
    return found


@pytest.mark.parametrize("options", [tw.Options(), tw.Options(solver=True)])
def test_tic_tac_toe_has_the_tree_of_our_own_domain(options):
    theirs = tw.from_openspiel("tic_tac_toe")
    assert trees(theirs, options) == trees(tw.make("tictactoe"), options)


def connect_four(moves):
    """OpenSpiel's game after some columns, from 0."""
    return f"start_at(history={';'.join(moves)},game=connect_four())"


def test_connect_four_agrees_with_our_solver():
    """Late positions, which the solver decides: proven values and the moves that keep them."""
    rng = random.Random(4)
    compared = 0
    while compared < 6:
        moves = []
        position = tw.Position(tw.make("connect-four"))
        while len(moves) < 34 and not position.ended:
            moves.append(rng.choice(position.legal()))
            position.play(moves[-1])
        if position.ended:
            continue
        ours = tw.make("connect-four", moves="".join(str(m + 1) for m in moves))
        theirs = tw.from_openspiel(connect_four(map(str, moves)))
        both = [
            tw.Search(domain, tw.Options(solver=True), seed=1, engine="python").run(20_000)
            for domain in (ours, theirs)
        ]
        assert [result.stopped for result in both] == ["solved", "solved"]
        proven = [{c.action: c.proven for c in result.children} for result in both]
        assert both[0].value == both[1].value
        assert both[0].best in proven[1]
        assert proven[1][both[0].best] == both[0].value
        compared += 1


def test_the_winning_move_is_found():
    domain = tw.from_openspiel(connect_four("304050"))  # 3 4 5 below, 0 0 0: 2 or 6 wins
    result = tw.Search(domain, tw.Options(solver=True), seed=1).run(300)
    assert result.best in (2, 6)
    assert result.value == 1.0


def test_same_seed_same_tree_and_another_with_another():
    domain = tw.from_openspiel("pig")
    one, other = (trees(domain, NORMALISED, 30) for _ in range(2))
    assert one == other
    assert one[0] != one[1]


def test_chance_is_drawn_with_its_probabilities():
    domain = tw.from_openspiel("2048")  # a 2 nine times out of ten, else a 4
    position = tw.Position(domain)
    expected = dict(position.state.state.chance_outcomes())
    rng = tw.random.stream(1)
    drawn = [position.chance(rng) for _ in range(4000)]
    fours = sum(expected[outcome] < 0.01 for outcome in drawn) / len(drawn)
    rare = sum(p for p in expected.values() if p < 0.01)
    assert abs(fours - rare) < 4 * (rare * (1 - rare) / 4000) ** 0.5


def test_rewards_are_on_the_games_own_range():
    domain = tw.from_openspiel("cliff_walking")
    position = tw.Position(domain)
    while not position.ended:
        position.play(position.legal()[0])
    low, high = domain.game.min_utility(), domain.game.max_utility()
    wanted = (position.state.state.returns()[0] - low) / (high - low)
    assert position.rewards() == [pytest.approx(wanted)]


def test_an_object_is_a_game_as_well_as_its_name():
    game = pyspiel.load_game("go(board_size=5)")
    assert tw.from_openspiel(game).max_actions == tw.from_openspiel("go(board_size=5)").max_actions
    assert tw.from_openspiel(game).name == "go(board_size=5)"


# ------------------------------------------------------------------------------ bots


def play(bots, name="tic_tac_toe", seed=0):
    state = pyspiel.load_game(name).new_initial_state()
    return pyspiel.evaluate_bots(state, bots, seed)


def test_the_bot_wins_more_than_it_loses_against_openspiels():
    game = pyspiel.load_game("tic_tac_toe")
    ours = tw.from_openspiel(game).bot(300, options=tw.Options(solver=True), seed=3)
    theirs = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 3), 2.0, 20, 1000, False, 3, False
    )
    results = [play([ours, theirs], seed=g)[0] for g in range(3)]
    results += [play([theirs, ours], seed=g)[1] for g in range(3)]
    assert sum(results) >= 2, results


def test_the_bot_plays_games_with_chance_and_hidden_things():
    for name in ("pig(winscore=10)", "kuhn_poker", "leduc_poker"):
        domain = tw.from_openspiel(name, see_all=True)
        bot = domain.bot(20, seed=1)
        returns = play([bot, pyspiel.make_uniform_random_bot(1, 7)], name)
        assert len(returns) == 2


def test_what_the_bot_says_it_plays_is_what_it_plays():
    bot = tw.from_openspiel("tic_tac_toe").bot(30, seed=1)
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    policy, action = bot.step_with_policy(state)
    assert dict(policy)[action] == 1.0
    assert sum(p for _, p in policy) == 1.0
    assert [a for a, _ in policy] == state.legal_actions()


def test_a_bot_of_the_same_seed_plays_the_same():
    state = pyspiel.load_game("connect_four").new_initial_state()
    played = []
    for _ in range(2):
        bot = tw.from_openspiel("connect_four").bot(20, seed=5)
        played.append([bot.step(state) for _ in range(4)])
    assert played[0] == played[1]


# ------------------------------------------------------------------ hidden information


def dealt(mine, theirs):
    """Kuhn poker after the deal, the first player to decide."""
    state = pyspiel.load_game("kuhn_poker").new_initial_state()
    state.apply_action(mine)
    state.apply_action(theirs)
    return state


def test_what_a_game_hides_is_hidden_from_the_search():
    domain = tw.from_openspiel("kuhn_poker")
    assert tw.check(domain, games=10).ok
    trees = []
    for theirs in (1, 2):  # whatever the other holds, who has the lowest card sees the same
        search = tw.Search(domain, tw.Options(c=0.7), seed=1)
        search.begin(domain._first.at(dealt(0, theirs)))
        search.run(200)
        trees.append(search.tree.nodes.tobytes())
        assert "available" in search.tree.nodes.dtype.names
    assert trees[0] == trees[1]
    cheat = tw.Search(tw.from_openspiel("kuhn_poker", see_all=True), tw.Options(c=0.7), seed=1)
    assert "available" not in cheat.tree.nodes.dtype.names


def test_redraws_are_as_likely_as_they_should_be():
    domain = tw.from_openspiel("kuhn_poker")
    rng = tw.random.stream(3)
    drawn = []
    for _ in range(400):
        game = domain._first.at(dealt(1, 2))
        game.redraw(rng, 0)
        drawn.append(game.state.history()[:2])
    assert all(mine == 1 for mine, _ in drawn)
    assert 150 < sum(theirs == 0 for _, theirs in drawn) < 250


@pytest.mark.parametrize("name", ["blackjack", "leduc_poker", "hearts", "gin_rummy"])
def test_games_that_hide_something_are_searched_and_checked(name):
    domain = tw.from_openspiel(name)
    assert tw.check(domain, games=1).ok
    assert tw.Position(domain).view(0) == domain.new_state().view(0)


def test_a_bot_plays_without_seeing():
    bot = tw.from_openspiel("leduc_poker").bot(20, seed=1)
    assert len(play([bot, pyspiel.make_uniform_random_bot(1, 7)], "leduc_poker")) == 2


# ------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("tic_tac_to", "OpenSpiel has no game 'tic_tac_to'; did you mean 'tic_tac_toe'"),
        ("go(bord_size=9)", r"OpenSpiel can't load 'go\(bord_size=9\)': Unknown parameter"),
        ("go(board_size=99)", r"OpenSpiel can't begin go\(board_size=99\): .* up to 19"),
        ("misere", "OpenSpiel can't load 'misere': Missing parameter game"),
        (3, "from_openspiel needs a pyspiel.Game or the name of one, not 3"),
        ("crossword", "crossword has 0 actions by number"),
        ("mfg_garnet", "mfg_garnet is a mean field game"),
        ("liars_dice", "liars_dice hides something .* can't redraw, .*pass see_all=True"),
        ("goofspiel", "goofspiel lets its players move at once.*pass see_all=True"),
    ],
)
def test_what_can_not_be_searched_is_one_sentence(game, said):
    with pytest.raises(tw.OptionError, match=said) as caught:
        tw.from_openspiel(game)
    assert "\n" not in str(caught.value)


def test_chance_that_can_not_be_repeated_is_refused():
    domain = tw.from_openspiel("stones_and_gems")
    with pytest.raises(tw.DomainError, match="draws chance in the middle of a game from a generat"):
        tw.Search(domain).run(20)


def test_a_bot_refuses_what_it_does_not_play():
    bot = tw.from_openspiel("tic_tac_toe").bot(20)
    with pytest.raises(tw.OptionError, match=r"this bot plays tic_tac_toe\(\), not nim\(\)"):
        bot.step(pyspiel.load_game("nim").new_initial_state())
    with pytest.raises(tw.OptionError, match="a bot needs a game with turns"):
        tw.from_openspiel("goofspiel", see_all=True).bot(20)


def test_the_solver_says_which_rewards_it_needs():
    domain = tw.from_openspiel("bargaining", see_all=True)
    with pytest.raises(tw.DomainError, match="the solver needs rewards between 0 and 1"):
        tw.Search(domain, tw.Options(solver=True), seed=1).run(50)


def test_it_can_not_be_compiled():
    with pytest.raises(tw.OptionError, match="tic_tac_toe keeps its states in Python objects"):
        tw.Search(tw.from_openspiel("tic_tac_toe"), engine="compiled")


def test_without_openspiel_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(tw.MissingExtra, match=r"pip install 'treewright\[openspiel\]'"):
        tw.from_openspiel("tic_tac_toe")
