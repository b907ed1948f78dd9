"""Protocol and store: balanced orders, nothing lost, nothing kept of who leaves."""

import shutil
import sqlite3
import threading
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_worlds import holding

from treewright.apps.levels.level import Level
from treewright.apps.levels.physics import RIGHT
from treewright.apps.levels.world import World
from treewright.apps.study.errors import StudyError
from treewright.apps.study.export import export, public_id, tables
from treewright.apps.study.protocol import VARIANTS, assignment, difference, variant_controls
from treewright.apps.study.running import Running, Shelf
from treewright.apps.study.store import Step, Store

AIR = "-" * 16
EASY = Level((*[AIR] * 12, "-" * 15 + "F", "X" * 16))
PIT = Level((*[AIR] * 12, AIR, "XX" + "-" * 12 + "XX"))
TO_THE_GOAL = holding((RIGHT, 80))


@pytest.fixture
def store(tmp_path):
    return Store.create(
        tmp_path / "s.sqlite", {v: [EASY, EASY] for v in range(1, 9)}, title="t", seed=3
    )


def play_all(store, who, experience="beginner"):
    while (step := store.next_step(who)).kind != "done":
        if step.kind == "play":
            store.record(who, step.slot, 1, 0, TO_THE_GOAL)
        elif step.kind == "ask":
            store.answer(who, step.pair, "A", "B")
        else:
            store.describe_experience(who, experience)


@given(st.integers(0, 10**6))
def test_each_variant_is_first_and_second_equally_often(seed):
    for people in (2, 16):
        first, second = Counter(), Counter()
        for number in range(people):
            slots = assignment(number, seed)
            assert sorted(s.variant for s in slots) == list(range(1, 9))
            first.update(s.variant for s in slots if s.side == "A")
            second.update(s.variant for s in slots if s.side == "B")
        assert set(first.values()) == set(second.values()) == {people // 2}


def test_after_fourteen_every_ordered_pair_was_played_once():
    pairs = Counter()
    for number in range(14):
        slots = assignment(number, 1)
        pairs.update((a.variant, b.variant) for a, b in zip(slots[::2], slots[1::2], strict=True))
    assert len(pairs) == 56
    assert set(pairs.values()) == {1}


def test_differences_are_the_papers():
    assert difference(6, 1) == (1, 1, 1)
    assert difference(2, 3) == (-1, 0, 1)
    assert len(set(VARIANTS)) == 8


def test_a_whole_session_step_by_step(store):
    who = store.enrol()
    assert store.next_step(who) == Step("play", 1, "A", 1)
    play_all(store, who, "expert")
    pairs, plays = store.pair_rows(), store.play_rows()
    assert [row["pair"] for row in pairs] == [1, 2, 3, 4]
    assert {row["challenge"] for row in pairs} == {"A"}
    assert sorted(row["variant"] for row in plays) == list(range(1, 9))
    assert all(row["finished"] == 1 for row in plays)
    assert store.participants()[0]["finished"]


def test_batches_go_on_where_the_last_ended(store):
    who = store.enrol()
    store.record(who, 1, 1, 0, holding((RIGHT, 10)))
    assert store.record(who, 1, 1, 0, holding((RIGHT, 10)))["ticks"] == 10, "sent twice"
    store.record(who, 1, 1, 5, holding((RIGHT, 5), (0, 5)))
    assert store.attempts(who, 1) == [[[RIGHT, 10], [0, 5]]]
    with pytest.raises(StudyError, match="a batch began at 40"):
        store.record(who, 1, 1, 40, holding((0, 5)))
    again = Store(store.path)  # a crash of the server
    assert again.attempts(who, 1) == [[[RIGHT, 10], [0, 5]]]
    assert again.record(who, 1, 1, 15, TO_THE_GOAL)["finished"]
    assert again.next_step(who).slot == 2


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(0, 50))
def test_any_cut_of_the_keys_gives_the_same_game(tmp_path_factory, cuts, overlap):
    store = Store.create(
        tmp_path_factory.mktemp("cut") / "s.sqlite", {v: [EASY] for v in range(1, 9)}, seed=0
    )
    who, whole = store.enrol(), store.enrol()
    first = 0
    for ticks in [*cuts, 200]:
        begin = max(0, first - overlap)
        store.record(who, 1, 1, begin, holding((RIGHT, first - begin + ticks)))
        first = sum(n for _, n in store.attempts(who, 1)[0])
        if store.next_step(who).slot != 1:
            break
    store.record(whole, 1, 1, 0, holding((RIGHT, 300)))
    assert store.attempts(who, 1) == store.attempts(whole, 1)


def test_three_attempts_and_no_more(tmp_path):
    store = Store.create(tmp_path / "s.sqlite", {v: [PIT] for v in range(1, 9)}, seed=0)
    who = store.enrol()
    fall = holding((RIGHT, 100))
    with pytest.raises(StudyError, match="attempt 2"):
        store.record(who, 1, 2, 0, fall)
    for attempt in (1, 2, 3):
        found = store.record(who, 1, attempt, 0, fall)
        assert (found["outcome"], found["finished"]) == ("died", attempt == 3)
    with pytest.raises(StudyError):
        store.record(who, 1, 4, 0, fall)
    (row,) = store.play_rows()
    assert (row["deaths_gap"], row["attempts"], row["finished"]) == (3, 3, 0)


def test_two_participants_at_once(store):
    """Sixteen threads through one file: everybody gets a place of their own and all rows arrive."""
    done, wrong = [], []

    def one():
        try:
            who = Store(store.path).enrol()
            play_all(Store(store.path), who)
            done.append(who)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=one) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(store.pair_rows()) == 64
    assert sorted(p["number"] for p in store.participants()) == list(range(16))
    played = Counter((row["side"], row["variant"]) for row in store.play_rows())
    assert set(played.values()) == {8}, "the paper's table: each variant eight times as A and as B"


def test_who_leaves_leaves_nothing(store):
    who, other = store.enrol(), store.enrol()
    play_all(store, who)
    store.record(other, 1, 1, 0, TO_THE_GOAL)
    store.forget(who)
    with sqlite3.connect(store.path) as db:
        for table, column in (
            ("participants", "id"),
            ("plays", "participant"),
            ("answers", "participant"),
        ):
            assert not db.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (who,)).fetchall()
        assert db.execute("SELECT count(*) FROM inputs").fetchone() == (1,)
    assert who.encode() not in store.path.read_bytes()
    with pytest.raises(StudyError, match="no such participant"):
        store.next_step(who)
    with pytest.raises(StudyError, match="no such participant"):
        store.forget(who)
    assert next(p for p in store.participants())["id"] == other
    store.enrol()
    assert sorted(p["number"] for p in store.participants()) == [0, 1], "the place is given again"


def test_a_server_keeps_the_file_open_and_leaves_one_file(store):
    """Others read meanwhile; what is deleted is in no log; at the end the log is gone."""
    with store.kept_open():
        who, other = store.enrol(), store.enrol()
        play_all(store, who)
        assert len(Store(store.path).pair_rows()) == 4, "somebody else reads"
        store.forget(who)
        beside = list(store.path.parent.glob("s.sqlite*"))
        assert len(beside) > 1, "there is a log"
        assert not any(who.encode() in path.read_bytes() for path in beside)
        threads = [
            threading.Thread(target=lambda i=i: store.record(other, 1, 1, 0, holding((RIGHT, i))))
            for i in range(1, 9)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert list(store.path.parent.glob("s.sqlite*")) == [store.path]
    assert store.attempts(other, 1) == [[[RIGHT, 8]]]


def test_a_server_that_is_killed_leaves_what_it_has_acknowledged(store, tmp_path):
    """The files as they are in the middle, as after kill -9, hold every batch."""
    who = store.enrol()
    with store.kept_open():
        for first in range(0, 30, 5):
            store.record(who, 1, 1, first, holding((RIGHT, 5)))
        (tmp_path / "crash").mkdir()
        for path in store.path.parent.glob("s.sqlite*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, tmp_path / "crash")
    assert Store(tmp_path / "crash" / "s.sqlite").attempts(who, 1) == [[[RIGHT, 30]]]


def test_an_attempt_that_somebody_else_went_on_with_is_read_again(tmp_path):
    """A game that is kept in memory is used only if it is what the file holds."""
    store = Store.create(tmp_path / "s.sqlite", {v: [PIT] for v in range(1, 9)}, seed=0)
    other, who = Store(store.path), store.enrol()
    fall = holding((RIGHT, 100))
    store.record(who, 1, 1, 0, holding((0, 10)))
    other.record(who, 1, 1, 10, holding((0, 10)))
    assert store.record(who, 1, 1, 20, holding((0, 10)))["ticks"] == 30
    died = other.record(who, 1, 1, 30, fall)
    assert died["outcome"] == "died"
    assert store.record(who, 1, 1, 30, fall) == died, "sent again, to the other one"
    with pytest.raises(StudyError, match="attempt 3 can't begin"):
        store.record(who, 1, 3, 0, fall)
    assert store.record(who, 1, 2, 0, holding((0, 5)))["outcome"] == "playing"
    assert other.record(who, 1, 1, 30, fall) == died, "and once more, when the next has begun"
    with pytest.raises(StudyError, match="attempt 3 can't begin"):
        other.record(who, 1, 3, 0, fall)
    assert other.record(who, 1, 2, 5, fall)["outcome"] == "died"
    assert store.record(who, 1, 3, 0, fall)["finished"]


def test_games_that_were_not_used_for_longest_go_first():
    world = World(PIT)
    shelf = Shelf(most=2)
    for play in (1, 2, 1, 3):
        shelf.put(play, Running(world, 1))
    assert [shelf.find(play, 1, 0) is not None for play in (1, 2, 3)] == [True, False, True]
    assert shelf.find(1, 2, 0) is None
    assert shelf.find(1, 1, 30) is None


def test_answers_out_of_turn_or_out_of_range_are_refused(store):
    who = store.enrol()
    with pytest.raises(StudyError, match="can't be answered now"):
        store.answer(who, 1, "A", "B")
    with pytest.raises(StudyError, match="A or B"):
        store.answer(who, 1, "C", "B")
    with pytest.raises(StudyError, match="at the end"):
        store.describe_experience(who, "expert")
    with pytest.raises(StudyError, match="one of beginner"):
        store.describe_experience(who, "guru")
    with pytest.raises(StudyError, match="no level 9"):
        store.record(who, 9, 1, 0, TO_THE_GOAL)


def test_files_that_are_no_study(tmp_path):
    with pytest.raises(StudyError, match="there is no study"):
        Store(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("hello, this is no database at all, sorry" * 30)
    with pytest.raises(StudyError, match="is no study"):
        Store(tmp_path / "text.sqlite")
    sqlite3.connect(tmp_path / "other.sqlite").close()
    with pytest.raises(StudyError, match="is no study"):
        Store(tmp_path / "other.sqlite")
    with pytest.raises(StudyError, match="all eight"):
        Store.create(tmp_path / "few.sqlite", {1: [EASY]})
    assert not list(tmp_path.glob(".few*"))
    assert not (tmp_path / "few.sqlite").exists()


def test_keys_of_another_version_of_the_game_are_not_replayed(tmp_path):
    levels = {v: [EASY] for v in range(1, 9)}
    with pytest.raises(StudyError, match="version 0 of the game"):
        Store.create(tmp_path / "s.sqlite", levels, engine=0)


def test_export_writes_every_table(store, tmp_path):
    who = store.enrol()
    play_all(store, who)
    assert export(store, tmp_path / "rows") == {
        "participants": 1,
        "plays": 8,
        "pairs": 4,
        "inputs": 8,
    }
    text = (tmp_path / "rows" / "plays.csv").read_text()
    assert text.count("\n") == 9
    assert "aimless_jumps" in text.splitlines()[0]
    export(store, tmp_path / "rows", "json")
    assert tables(store)["inputs"][0]["runs"]
    for path in (tmp_path / "rows").iterdir():
        assert who not in path.read_text(), "the address that can delete the data stays here"
        assert public_id(who) in path.read_text()


def test_variants_wish_for_what_they_say():
    from treewright.apps.levels.generate import own_chain

    low, high = (variant_controls(v, 320, own_chain()).ranges() for v in (1, 6))
    for name in ("gaps", "enemies", "rewards"):
        assert low[name][1] < high[name][0]
    with pytest.raises(StudyError):
        variant_controls(9, 320, own_chain())
