"""The chain, the score, the wishes, and levels made by MCMCTS."""

import difflib
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.apps.levels import metrics, score
from treewright.apps.levels.analysis import analyse
from treewright.apps.levels.balance import Balance
from treewright.apps.levels.chain import Chain, learn
from treewright.apps.levels.controls import (
    Controls,
    counts,
    kept_parts,
    per_column,
    target_tables,
)
from treewright.apps.levels.copies import Shelf, automaton, longest_run
from treewright.apps.levels.domain import OPTIONS, Levels
from treewright.apps.levels.ends import cuts, is_plain, plain_slice, what_is_cut
from treewright.apps.levels.formats import read_corpus
from treewright.apps.levels.generate import generate, generate_many, own_chain, own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import play, playable
from treewright.apps.levels.repair import distance, repaired
from treewright.apps.levels.tilechain import learn_tiles
from treewright.apps.levels.tiledomain import TileLevels
from treewright.apps.levels.tiles import LevelError


def flat(*heights, items=None):
    """A small level from ground heights; ``items`` puts tiles at (column, row)."""
    columns = [list("-" * (8 - h) + "X" * h) for h in heights]
    for (column, row), tile in (items or {}).items():
        columns[column][row] = tile
    return Level.of_columns(["".join(c) for c in columns])


def numbers(level):
    """A level as slice numbers of our own chain."""
    return [own_chain().slices.index(column) for column in level.unmarked().columns]


# ------------------------------------------------------------------------------------- chain


def test_a_chain_counts_patterns_after_pairs_of_slices():
    level = flat(1, 1, 1, 2, 1, 1, 1, 2, 1, 1)  # a a a b a a a b a a
    chain = learn([level], widest=3)
    a, b = 0, 1
    assert chain.slices[b] == "------XX"
    # the end, "b a" then "a", is followed by nothing; but "a a" was seen to go on
    assert chain.transitions[a, a] == {
        (a,): 2,
        (b,): 2,
        (a, b): 2,
        (b, a): 2,
        (a, b, a): 2,
        (b, a, a): 2,
    }
    assert chain.transitions[b, a] == {(a,): 2, (a, a): 1, (a, a, b): 1}
    assert set(chain.starts) == {(a, a), (a, a, a)}
    assert chain.summary()["dead_ends"] == 0


def test_transitions_into_unseen_states_are_left_out():
    level = flat(1, 1, 1, 2, 1, 1, 2, 1, 1, 3)  # "a c" is never followed by anything
    chain = learn([level], widest=2)
    assert chain.dead_ends == 1
    assert set(chain.transitions) == {(), (0, 0), (0, 1), (1, 0)}
    assert not any(2 in pattern for patterns in chain.transitions.values() for pattern in patterns)


def test_with_a_slice_less_of_history_the_chain_goes_on_in_known_states():
    chain = learn(own_corpus())
    assert all(
        (*before, *slices) in chain.transitions
        for before, patterns in chain.shorter.items()
        for slices in patterns
    )
    ways = {before: set(patterns) for before, patterns in chain.shorter.items()}
    for state, patterns in chain.transitions.items():
        if state:  # whatever could follow still can
            assert {p for p in patterns if len(p) == 1} <= ways[state[1:]]
    assert not learn(own_corpus(), history=1).shorter


def test_long_copies_are_left_by_looking_back_one_slice_less(stretch):
    position = tw.Search(stretch, OPTIONS, seed=1, engine="python", memory="1MiB").position
    state = position.state
    state.state = next(
        i
        for i, wider in enumerate(stretch.tables["shorter"])
        if stretch.tables["width_end"][wider, 1] - stretch.tables["action_first"][wider]
        > stretch.tables["width_end"][i, 1] - stretch.tables["action_first"][i]
    )
    state.n = 10
    own = len(position.legal())
    state.copy_run = stretch.tables["limits"][3]
    assert len(position.legal()) == own
    state.copy_run += 1
    widths = np.diff(stretch.tables["first"])
    assert {widths[a] for a in position.legal()} == {1}


def test_a_set_takes_what_it_lacks():
    ground, wall = flat(1, 1, 1, 1), flat(3, 3, 3, 3)
    balance = Balance([ground, wall])
    assert balance.add_nearest([ground, ground]) == 0
    assert balance.add_nearest([ground, wall]) == 1
    assert balance.add_nearest([wall, ground, flat(1, 3, 1, 3)]) < 2


def test_a_corpus_of_one_short_level_is_refused():
    for short in ((1, 2, 3, 4), (1, 1, 1, 1, 1)):
        with pytest.raises(LevelError, match="the corpus is too small for a chain"):
            learn([flat(*short)])
    with pytest.raises(LevelError, match="the corpus is empty"):
        learn([])


def test_a_chain_knows_nothing_of_start_and_goal():
    """The marks belong to one level; a level in the middle of which one appears would end there."""
    heights = [1, 1, 2, 2] * 3 + [1, 2] * 4
    level, marked = flat(*heights), flat(*heights, items={(2, 5): "M", (12, 6): "F"})
    assert learn([marked]).transitions == learn([level]).transitions
    assert learn_tiles([marked]).tiles == "-X"


def test_a_saved_chain_is_the_same(tmp_path):
    chain = own_chain()
    chain.save(tmp_path / "chain.json")
    assert Chain.load(tmp_path / "chain.json") == chain
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(LevelError, match="this is no chain file"):
        Chain.load(tmp_path / "bad.json")


def test_plain_sampling_follows_the_counts():
    chain = learn([flat(*([1, 1, 1, 2] * 20))], widest=1)
    found = chain.sample(4000, seed=1)
    after = [
        b for a, b in zip(found.columns, found.columns[1:], strict=False) if a == found.columns[0]
    ]
    share = sum(c == found.columns[0] for c in after) / len(after)
    assert share == pytest.approx(2 / 3, abs=0.03)


# ------------------------------------------------------------------------------------ copies

lines = st.lists(st.integers(0, 3), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(corpus=st.lists(lines, min_size=1, max_size=4), line=lines)
def test_the_longest_copied_run_is_that_of_comparing_everything(corpus, line):
    longest = 0
    for other in corpus:
        match = difflib.SequenceMatcher(None, line, other, autojunk=False).find_longest_match()
        longest = max(longest, match.size)
    assert longest_run(automaton(corpus), line)[0] == longest


def slow_shared(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else best
    return table[-1][-1]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(a=st.lists(st.integers(0, 5), min_size=1, max_size=200), seed=st.integers(0, 999))
def test_shared_slices_are_the_longest_common_subsequence(a, seed):
    rng = random.Random(seed)
    b = [rng.randrange(6) for _ in range(rng.randrange(1, 200))]
    shelf = Shelf(200)
    shelf.add(b)
    assert shelf.nearest(a) == pytest.approx(slow_shared(a, b) / min(len(a), len(b)))


# ------------------------------------------------------------------------------------- score


def test_the_score_never_saturates():
    """The paper's logistic function is flat at its extremes; ours orders all of them."""
    values = [score.worth(s) for s in (-1e6, -1e5, -1e3, -100, -10, -1, 0, 1, 10, 100, 1e5)]
    assert values == sorted(set(values))
    assert score.FAILED < values[0] < values[-1] < 1
    assert 1 / (1 + math.exp(min(700, 100_000))) < 1e-300, "what the paper's -100,000 gives"


def test_an_expression_is_a_score():
    own = score.from_expression("2 - (gaps - 12)**2 / 20 - max(0, enemies - 30) * difficulty")
    assert own(320, 320, 12, 30, 0, 1.0, 0.5) == 2
    assert own(320, 320, 12, 34, 0, 1.0, 0.5) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 - gapz", "there is no 'gapz'; did you mean 'gaps'"),
        ("2 -", "invalid syntax"),
        ("__import__('os')", "there is no '__import__'"),
        ("gaps.real", "only numbers"),
        ("'a'", "only numbers"),
        ("1 / (gaps - 5)", "is no number for 5 gaps"),
    ],
)
def test_a_bad_expression_is_one_sentence(text, message):
    with pytest.raises(LevelError, match=message):
        score.from_expression(text)


def test_another_score_steers_the_domain():
    domain = Levels(own_chain(), Controls(length=40, score=score.from_expression("enemies - 3")))
    position = tw.Position(domain)
    rng = tw.random.stream(1)
    while not position.ended:
        position.play(int(position._hooks["rollout"](position.state, position._tables, rng, None)))
    if not position.state.dead:
        assert position.rewards() == [pytest.approx(score.worth(position.state.enemies - 3))]


# ------------------------------------------------------------------------------------ wishes


def test_difficulty_moves_the_targets_as_in_the_paper():
    low, high = (
        target_tables(Controls(difficulty=(d,)), own_corpus())["low"][:, -1] for d in (0.1, 0.9)
    )
    assert low[0] < high[0]
    assert low[1] < high[1]
    assert low[2] > high[2]
    rising = target_tables(Controls(difficulty=(0.0, 1.0)), own_corpus())["low"][1]
    assert rising[160] < rising[320] - rising[160]


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"length": 5}, "length 5 is too short"),
        ({"difficulty": (1.5,)}, "difficulty 1.5: each must be between 0 and 1"),
        ({"gaps": (14.0, 10.0)}, "gaps 14 to 10 can't hold"),
        ({"length": 60, "gaps": (40.0, 50.0)}, "at least 40 for gaps can't hold: 60 slices"),
        ({"length": 60, "height": (20.0, 30.0)}, "at least 20 for height can't hold"),
        ({"copy_limit": 0}, "allows no slice"),
    ],
)
def test_impossible_wishes_are_named(wishes, message):
    with pytest.raises(LevelError, match=message):
        Levels(own_chain(), Controls(**wishes))


def test_pieces_that_overlap_or_stick_out_are_refused():
    piece = Level.of_columns(own_corpus()[0].columns[:10], "piece")
    other = Level.of_columns(own_corpus()[1].columns[40:50], "other")
    with pytest.raises(LevelError, match="piece: 10 slices at column 96 do not fit"):
        Levels(own_chain(), Controls(length=100, fixed=((95, piece),)))
    with pytest.raises(LevelError, match="column 26 is already fixed to something else"):
        Levels(own_chain(), Controls(length=100, fixed=((20, piece), (25, other))))
    with pytest.raises(LevelError, match="leaves 1 free columns at the start"):
        Levels(own_chain(), Controls(length=100, fixed=((1, piece),)))


# ---------------------------------------------------------------------------------- the domain


@pytest.fixture(scope="module")
def domain():
    return Levels(own_chain(), Controls(length=90, difficulty=(0.5,)))


@pytest.fixture(scope="module")
def stretch():
    return Levels(own_chain(), Controls(length=90, whole=False))


def test_the_domain_keeps_its_contract(domain):
    from treewright.library.checking import check

    report = check(domain, games=3, seed=1)
    assert report.ok, str(report)


def test_both_engines_build_the_same_tree(domain):
    trees = []
    for engine in ("compiled", "python"):
        search = tw.Search(domain, OPTIONS, seed=4, engine=engine, memory="1MiB")
        search.run(40)
        trees.append(search.tree.nodes.copy())
    assert np.array_equal(trees[0]["action"], trees[1]["action"])
    assert np.allclose(trees[0]["value"], trees[1]["value"])


def test_rollouts_are_walks_of_the_chain(stretch):
    """The first steps have the chain's probabilities."""
    rng = tw.random.stream(9)
    position = tw.Position(stretch)
    drawn = [
        int(position._hooks["rollout"](position.state, position._tables, rng, None))
        for _ in range(3000)
    ]
    weights = stretch.tables["weight"][: stretch.tables["width_end"][0, 8]]
    expected = weights / weights.sum()
    found = np.bincount(drawn, minlength=len(weights)) / len(drawn)
    assert np.abs(found - expected).max() < 0.03


@pytest.mark.parametrize("difficulty", [0.1, 0.9])
def test_levels_can_be_finished_and_are_what_was_wished(difficulty):
    domain = Levels(own_chain(), Controls(length=160, difficulty=(difficulty,)))
    wished = target_tables(domain.controls, own_corpus())["low"][:, -1]
    runs = automaton(own_chain().levels)
    for seed in range(3):
        made = generate(domain, seed)
        assert made.level.length == 160
        assert play(made.level, "large").playable
        assert play(made.level, "small").playable
        have = counts(made.level)
        for i, name in enumerate(("gaps", "enemies", "rewards")):
            assert abs(have[name] - wished[i]) <= 2 + 0.25 * wished[i], name
        assert longest_run(runs, numbers(made.level))[0] <= 24


# ---------------------------------------------------------------------------------- whole levels


def test_a_generated_level_is_whole(domain):
    """Whoever walks the chain, not only the search: at the end it is led to flat ground."""
    rng = tw.random.stream(3)
    whole = 0
    for _ in range(12):
        position, actions = tw.Position(domain), []
        while not position.ended:
            hooks = position._hooks
            actions.append(int(hooks["rollout"](position.state, position._tables, rng, None)))
            assert actions[-1] in position.legal()
            hooks["play"](position.state, position._tables, actions[-1])
        if not position.state.dead:
            level = domain.level(actions)
            assert what_is_cut(level) == []
            assert level.start == (1, 12)
            assert level.goal_column == 90 - 4
            whole += 1
    assert whole >= 3


def test_what_is_not_whole_is_named():
    def faults(text):
        rows = text.split()
        air = ("-" * len(rows[0]),) * (8 - len(rows))
        return what_is_cut(Level((*air, *rows)))

    good = "-M------<>---------F-- -E------[]------------ XXXXXXXXXXXXXXXXXXXXXX"
    assert faults(good.replace("E", "-")) == []
    assert faults(good) == ["no safe start: something that hurts in column 2"]
    bare = good.replace("E", "-").replace("M", "-").replace("F", "-")
    assert faults(bare) == ["neither start nor flag"]
    assert "no ground in the last column" in faults(good[:-1] + "-")
    assert faults(good.replace("E", "-").replace(">", "-")) == ["half a pipe at column 9"]


def test_pipes_are_cut_between_their_halves():
    assert cuts("-<[X", "---X")
    assert cuts("---X", "->]X")
    assert not cuts("-<[X", "->]X")
    assert not cuts("->]X", "-<[X")


def test_the_plain_slice_is_the_flattest_ground_of_a_corpus():
    assert plain_slice([["--X", "--X", "-XX", "-XX", "-XX", "oXX"]]) == "-XX"
    assert plain_slice([["o-X", "?-X"]]) == "--X", "none: a row of ground"
    assert not is_plain("---")
    assert not is_plain("-SX")


def test_given_ends_replace_ours():
    columns = own_corpus()[0].unmarked().columns
    pieces = ((0, Level.of_columns(columns[:6], "begin")), (54, Level.of_columns(columns[:6], "x")))
    fixed = Levels(own_chain(), Controls(length=60, fixed=pieces)).fixed
    assert sorted(fixed) == [*range(6), *range(54, 60)]
    assert not any("M" in column or "F" in column for column in fixed.values())


def test_the_same_seed_gives_the_same_level(domain):
    assert generate(domain, 5).level.rows == generate(domain, 5).level.rows
    assert generate(domain, 5).level.rows != generate(domain, 6).level.rows


def test_ranges_hold():
    wishes = {"gaps": (2.0, 3.0), "enemies": (9.0, 12.0), "rewards": (10.0, 14.0)}
    made = generate(Levels(own_chain(), Controls(length=120, **wishes)), 1)
    for name, (low, high) in wishes.items():
        assert low <= made.counts[name] <= high
    high = Controls(length=120, height=(2.5, 4.0))
    assert 2.5 <= generate(Levels(own_chain(), high), 1).counts["height"] <= 4.0


def test_wishes_that_cannot_all_hold_are_named_or_come_near():
    controls = Controls(length=60, gaps=(14.0, 15.0), enemies=(30.0, 40.0))
    domain = Levels(own_chain(), controls)
    with pytest.raises(LevelError, match=r"can't all hold.*gaps 14 to 15 \(the nearest level has"):
        generate(domain, 1, rollouts=20, strict=True)
    made = generate(domain, 1, rollouts=20)
    assert "gaps 14 to 15 (the nearest level has" in made.missed
    assert playable(made.level, "large")


def test_a_near_miss_is_repaired_without_touching_the_ground():
    level = generate(Levels(own_chain(), Controls(length=120)), 1).level
    have = counts(level)
    wishes = {n: (have[n] + k, have[n] + k) for n, k in (("enemies", -3), ("rewards", 4))}
    controls = Controls(length=120, **wishes)
    assert distance(controls, level) == 7
    better = repaired(level, own_chain(), controls, range(10))
    assert distance(controls, better) == 0
    assert np.array_equal(better.stops, level.stops)
    assert better.columns[:10] == level.columns[:10]
    assert set(better.unmarked().columns) <= set(own_chain().slices)
    assert what_is_cut(better) == []


def test_a_repair_makes_no_crowd():
    level = flat(*([1] * 12), items={(3, 6): "E", (4, 5): "o"})
    chain = learn([level, flat(*([1, 1, 2, 2] * 5))])
    asked = Controls(length=40, enemies=(9.0, 9.0), crowd=2, whole=False)
    better = repaired(Level.of_columns(level.columns * 4), chain, asked, ())
    enemies = [column.count("E") for column in better.columns]
    assert max(sum(enemies[i : i + 8]) for i in range(len(enemies) - 7)) <= 2
    assert sum(enemies) > 4


def test_fixed_pieces_stay_and_the_rest_joins_them():
    corpus = own_corpus()
    pieces = (
        (0, Level.of_columns(corpus[0].columns[:12], "start")),
        (60, Level.of_columns(corpus[8].columns[30:50], "middle")),
        (108, Level.of_columns(corpus[2].columns[-12:], "goal")),
    )
    made = generate(Levels(own_chain(), Controls(length=120, fixed=pieces)), 3)
    for column, piece in pieces:
        assert made.level.columns[column : column + piece.length] == piece.columns
    assert play(made.level, "large").playable


def test_a_level_can_be_varied():
    level = own_corpus()[4]
    kept = kept_parts(level, 0.5, seed=2)
    assert 0.4 < sum(p.length for _, p in kept) / level.length < 0.6
    made = generate(Levels(own_chain(), Controls(length=level.length, fixed=tuple(kept))), 2)
    same = sum(a == b for a, b in zip(made.level.columns, level.columns, strict=True))
    assert 0.4 <= same / level.length < 0.95
    assert play(made.level, "large").playable


def test_a_marked_start_is_where_the_level_begins():
    """The search goes from the first column to the last; the player begins at the mark."""
    ground = "-" * 12 + "XX"
    shut = Level.of_columns([ground, "-" * 11 + "MXX", "X" * 14, ground], "shut.txt")
    with pytest.raises(LevelError, match=r"shut.txt at column 1\) leave no way through"):
        generate(Levels(own_chain(), Controls(length=40, fixed=((0, shut),))))
    begun = Level.of_columns([ground, "-" * 11 + "MXX", ground], "begun.txt")
    made = generate(Levels(own_chain(), Controls(length=40, fixed=((0, begun),))))
    assert made.level.start == (1, 11)
    assert playable(made.level, "large")


def test_a_start_without_room_for_the_large_player_is_no_start():
    """The player begins on the lowest floor; that there is room on a higher one does not help."""
    low = Level.of_columns(["-" * 10 + "X-XX"] + ["-" * 12 + "XX"] * 2, "low.txt")
    for player, room in (("small", True), ("large", False)):
        domain = Levels(own_chain(), Controls(length=30, fixed=((0, low),), player=player))
        if room:
            assert playable(generate(domain).level, player)
        else:
            with pytest.raises(LevelError, match="leave no way through"):
                generate(domain)
    with pytest.raises(LevelError, match="no level of the corpus begins"):
        TileLevels(learn_tiles([low]), Controls(length=30, whole=False))


def test_a_score_without_a_number_is_a_bad_level():
    def nothing(columns, length, gaps, enemies, rewards, height, difficulty):
        return math.nan if gaps == 0 else 1.0

    domain = Levels(own_chain(), Controls(length=40, score=nothing))
    state, out = domain.new_state(), np.zeros(1)
    domain.interpreted["value"](state, domain.interpreted_tables, out)
    assert out[0] == score.FAILED


def test_a_wall_in_the_middle_is_reported():
    wall = Level.of_columns(["X" * 14] * 3, "wall")
    with pytest.raises(LevelError, match=r"the fixed pieces \(wall at column 31\) leave no way"):
        generate(Levels(own_chain(), Controls(length=60, fixed=((30, wall),))), 1, rollouts=5)


def test_enemies_can_be_kept_apart():
    made = generate(Levels(own_chain(), Controls(length=100, difficulty=(1.0,), crowd=2)), 1)
    enemies = [column.count("E") for column in made.level.columns]
    assert max(sum(enemies[i : i + 8]) for i in range(len(enemies) - 7)) <= 2


def test_many_levels_differ_whatever_the_workers():
    chain, controls = own_chain(), Controls(length=60)
    one = list(generate_many(chain, controls, 4, seed=1, shared=0.75))
    two = list(generate_many(chain, controls, 4, seed=1, workers=2, shared=0.75))
    assert [m.level.rows for m in one] == [m.level.rows for m in two]
    lines = [m.level.columns for m in one]
    for i, a in enumerate(lines):
        for b in lines[:i]:
            assert slow_shared(a, b) <= 0.75 * 60


def test_too_similar_a_set_is_refused():
    chain = learn([flat(*([1] * 40), items={(20, 5): "o"})])
    with pytest.raises(LevelError, match="only 1 of 3 levels differ enough"):
        list(generate_many(chain, Controls(length=20, copy_limit=99), 3, rollouts=2))


def test_plain_sampling_often_fails_and_mcmcts_does_not(data):
    """A small corpus with wide gaps: after one gap the chain may draw another one."""
    chain = learn([level for level in read_corpus(data / "levels/corpus") if finishes(level)])
    assert sum(playable(chain.sample(60, seed)) for seed in range(12)) < 9
    domain = Levels(chain, Controls(length=60, copy_limit=60))
    assert all(play(generate(domain, seed).level, "large").playable for seed in range(4))


def finishes(level):
    return not Path(level.where).name.startswith("stuck")


def test_plain_sampling_of_the_public_corpus_often_fails_and_mcmcts_does_not(shared):
    chain = learn(read_corpus(shared / "levels/corpus"))
    plain = sum(playable(chain.sample(160, seed)) for seed in range(12))
    assert plain < 12
    domain = Levels(chain, Controls(length=160))
    assert all(play(generate(domain, seed).level, "large").playable for seed in range(4))


# ---------------------------------------------------------------------------------- tile by tile


def test_a_tile_chain_knows_what_is_beside_and_below():
    chain = learn_tiles([flat(*([1] * 20)), flat(*([1, 1, 2, 2] * 5))])
    assert chain.tiles == "-X"
    ground = chain.tiles.index("X")
    # the bottom row is always ground, whatever the draw
    assert {chain.column("-------X", [u] * 8)[7] for u in (0.0, 0.5, 0.999)} == {"X"}
    # above ground, beside ground: ground in half of the cases (row 6 of the second level)
    beside = chain.summed[chain.draws[6, ground, ground, ground]]
    assert beside[0] == pytest.approx(0.5, abs=0.1)


def test_tile_levels_are_new_and_can_be_finished():
    """Interpreted, so that no second kernel is compiled for one test."""
    chain = learn_tiles(own_corpus())
    domain = TileLevels(chain, Controls(length=24))
    search = tw.Search(domain, OPTIONS, seed=3, engine="python", memory="1MiB")
    search.run_phases(simulations=12)
    assert search.position.ended
    level = domain.level(search.history)
    assert level.length == 24
    state = search.position.state
    if not state.dead:
        assert play(level, "large").playable
    have = counts(level)
    assert (state.gaps, state.enemies) == (have["gaps"], have["enemies"])
    assert state.heights / state.floors == pytest.approx(have["height"], abs=0.3)


def test_the_reachable_tiles_of_drawn_columns_are_right():
    chain = learn_tiles(own_corpus())
    domain = TileLevels(chain, Controls(length=30))
    rng = tw.random.stream(2)
    for _ in range(6):
        position, actions = tw.Position(domain), []
        while not position.ended:
            hooks = position._hooks
            actions.append(int(hooks["rollout"](position.state, position._tables, rng, None)))
            hooks["play"](position.state, position._tables, actions[-1])
        level = domain.level(actions)
        if position.state.dead == 0:
            assert playable(level, "large")


# ------------------------------------------------------------------------------------ metrics


def test_metrics_of_known_levels():
    straight = flat(*([2] * 20))
    assert metrics.linearity(straight) == 0
    assert metrics.density(straight) == 1
    assert metrics.leniency(straight) == 0
    steps = flat(1, 3, 1, 3)
    # h = 0 2 0 2 (above the bottom row): mean 1, slope 0.4
    assert metrics.linearity(steps) == pytest.approx((0.4 + 1.2 + 1.2 + 0.4) / 4)
    hard = flat(1, 0, 1, 1, items={(2, 6): "E", (3, 3): "?", (0, 6): "B"})
    assert metrics.leniency(hard) == pytest.approx((-0.5 - 1 + 1 - 0.5) / 4)


def test_divergence_is_zero_for_the_same_and_grows_with_novelty():
    a, b = flat(*([1] * 30)), flat(*([1, 2] * 15))
    same = metrics.divergence(metrics.windows(a, 2, 2), metrics.windows(a, 2, 2))
    assert same == pytest.approx(0, abs=1e-9)
    assert metrics.divergence(metrics.windows(b, 2, 2), metrics.windows(a, 2, 2)) > 1


def test_levels_of_other_heights_can_be_compared():
    copy = own_corpus()[0]
    taller = Level(("X" * copy.length, "-" * copy.length, *copy.rows), "taller")
    assert analyse([copy.with_rows(16)], own_chain())["levels"][0]["copied_run"] == copy.length
    assert analyse([taller], own_chain())["levels"][0]["copied_run"] == 0


def test_a_copy_is_found_out():
    level = own_corpus()[3]
    found = analyse([level, level], own_chain())
    assert found["levels"][0]["copied_run"] == level.length
    assert found["all"]["nearest"] == 1.0


def test_the_nearest_level_is_any_other_one_in_whatever_order():
    a, c = own_corpus()[3], own_corpus()[7]
    b = Level(tuple(x[:40] + y[-40:] for x, y in zip(a.rows, c.rows, strict=True)), "half of each")
    one = [row["nearest"] for row in analyse([a, b, a], own_chain())["levels"]]
    other = [row["nearest"] for row in analyse([b, a, a], own_chain())["levels"]]
    assert one == [1.0, other[0], 1.0]
    assert 0 < other[0] < 1
    assert analyse([a], own_chain())["levels"][0]["nearest"] == 0.0


def test_the_kernel_of_an_expression_can_be_loaded_from_the_cache():
    """Numba asks for the module by name when it reads a cached kernel in another process."""
    import importlib

    assert importlib.import_module(score.from_expression("2 - gaps").__module__)


def test_a_falling_curve_begins_with_what_its_first_quarter_asks_for():
    """The safe first screen holds no enemies: the rest of its quarter is asked for them."""
    domain = Levels(own_chain(), Controls(length=160, difficulty=(1.0, 0.0)))
    low = domain.tables["low"]
    assert (low[1, :17] == low[1, 0]).all(), "nothing is asked for where nothing can be"
    found = np.zeros((3, 4))
    for seed in range(6):
        found += per_column(generate(domain, seed).level).reshape(3, 4, 40).sum(axis=2)
    assert found[1, 0] > 1.5 * found[1, 3]
    assert found[2, 0] < found[2, 3] / 1.5
