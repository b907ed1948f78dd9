"""Hero Academy: known answers, recordings, symmetry, conservation, bad input."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.apps.tactics import evaluation, greedy
from treewright.apps.tactics.board import HEIGHT, load
from treewright.apps.tactics.domain import HeroAcademy, deck_counts, first_points
from treewright.apps.tactics.notation import action_text, read_action, read_state, to_json
from treewright.apps.tactics.saves import Record, save
from treewright.apps.tactics.saves import load as load_game
from treewright.apps.tactics.units import CARDS, DECKS, MAX_HP
from treewright.apps.tactics.verify import verify
from treewright.errors import OptionError, TreewrightError
from treewright.kernel.interpreted import RecordProxy
from treewright.library.position import Position
from treewright.random import stream


def state(units, *, player=1, ap=5, turn=3, h1="", h2="", d1="KKK", d2="KKK", **more):
    """A position; both sides have a crystal on its usual square unless there are others."""
    crystals = [[2, 1, 1, "X", 4500, 0], [6, 1, 2, "X", 4500, 0]]
    taken = {(u[0], u[1]) for u in units}
    return {
        "p": player,
        "t": turn,
        "ap": ap,
        "end": 0,
        "win": -1,
        "h1": h1,
        "d1": d1,
        "s1": 5,
        "h2": h2,
        "d2": d2,
        "s2": 7,
        "u": units + [c for c in crystals if (c[0], c[1]) not in taken],
    } | more


def at(units, **more):
    options = {"pruned": False} | more.pop("options", {})
    return Position(HeroAcademy(position=state(units, **more), **options))


def texts(position):
    return [action_text(a) for a in position.legal()]


def unit(position, x, y):
    s, q = position.state, x * HEIGHT + y
    return s.hp[q], s.gear[q]


def after(position, *actions):
    for action in actions:
        position.play(read_action(action))
    return position


# -------------------------------------------------------------------------- known answers


def test_opening_hands_have_three_units():
    for seed in range(0, 1000, 7):
        s = HeroAcademy(deck_seeds=(seed, 999 - seed)).new_state()
        for side in (0, 1):
            hand = [s.hand[side * CARDS + c] for c in range(CARDS)]
            deck = [s.deck[side * CARDS + c] for c in range(CARDS)]
            assert sum(hand) == 6
            assert sum(hand[:5]) == 3
            assert [h + d for h, d in zip(hand, deck, strict=True)] == list(DECKS["standard"])


def test_first_turn_conventions():
    assert [first_points(n) for n in (1, 5, 10, 15)] == [1, 3, 9, 14]
    assert HeroAcademy(ap=10, first_ap=3).new_state().ap == 3


def test_units_jump_but_never_onto_the_enemys_deploy_squares():
    position = at([[7, 0, 1, "K", 1000, 0]])
    moves = [t for t in texts(position) if t.startswith("M")]
    assert "M7080" not in moves
    assert "M7050" in moves


def test_a_knight_pushes_and_tramples():
    position = at([[4, 2, 1, "K", 1000, 0], [5, 2, 2, "A", 100, 0], [6, 2, 2, "N", 0, 0]])
    after(position, "A4252")  # falls, is pushed onto the other body, which disappears
    assert unit(position, 5, 2) == (0, 0)
    assert position.state.down[1] == 1 << (6 * HEIGHT + 2)
    assert position.state.unit[6 * HEIGHT + 2] == 1


def test_a_ninja_strikes_twice_as_hard_next_to_its_target():
    near = after(at([[4, 3, 1, "N", 800, 0], [5, 3, 2, "A", 800, 0]]), "A4353")
    far = after(at([[4, 3, 1, "N", 800, 0], [6, 3, 2, "A", 800, 0]]), "A4363")
    assert unit(near, 5, 3)[0] == 400
    assert unit(far, 6, 3)[0] == 600


def test_lightning_prefers_straight_on_and_loses_strength():
    position = at(
        [
            [2, 3, 1, "W", 800, 2],
            [3, 3, 2, "K", 1000, 0],
            [4, 3, 2, "K", 1000, 0],
            [5, 3, 2, "K", 1000, 8],
            [3, 2, 2, "K", 1000, 0],
        ]
    )
    after(position, "A2333")
    assert [unit(position, x, 3)[0] for x in (3, 4, 5)] == [400, 550, 1000 - 480 * 56 // 100]
    assert unit(position, 3, 2)[0] == 1000
    assert unit(position, 2, 3) == (800, 0)  # the Scroll is used up


def test_healing_reviving_and_potions():
    wounded = [[2, 3, 1, "C", 800, 0], [3, 3, 1, "K", 100, 0], [4, 3, 1, "A", 0, 1]]
    position = after(at(wounded, h1="P"), "H2333", "DP43")
    assert unit(position, 3, 3) == (700, 0)
    assert unit(position, 4, 3) == (100, 1)
    revived = after(at([[2, 3, 1, "C", 800, 0], [4, 3, 1, "A", 0, 1]]), "H2343")
    assert unit(revived, 4, 3) == (400, 1)


def test_crystals_fall_and_end_the_game_at_once():
    weak = [[5, 1, 1, "A", 800, 0], [4, 4, 1, "K", 1000, 0], [6, 1, 2, "X", 450, 0]]
    position = after(at(weak), "A5161")  # half of 300, and 300 for the assault square
    assert position.ended
    assert position.rewards() == [1.0, 0.0]


def test_the_last_turn():
    weak = [[5, 1, 1, "A", 800, 0], [4, 4, 1, "K", 1000, 0], [6, 1, 2, "X", 450, 0]]
    for late, rewards in ((True, [1.0, 0.0]), (False, [0.5, 0.5])):
        options = {"turn_limit": 9, "late_wins": late}
        assert after(at(weak, turn=9, options=options), "A5161").rewards() == rewards
    quiet = [[0, 0, 1, "K", 1000, 0], [8, 0, 2, "K", 1000, 0]]
    ended = after(at(quiet, turn=9, ap=1, options={"turn_limit": 9}), "M0001")
    assert ended.rewards() == [0.5, 0.5]


def test_pruning_keeps_one_inferno_per_largest_set_of_targets():
    units = [[4, 2, 2, "K", 1000, 0], [5, 2, 2, "K", 1000, 0], [0, 0, 1, "K", 1000, 0]]
    position = at(units, h1="IA", options={"pruned": True})
    infernos = [t for t in texts(position) if t.startswith("DI")]
    assert len(infernos) == 1  # both Knights and the crystal on (6, 1) at once
    assert not any(t.startswith("X") for t in texts(position))
    assert len([t for t in texts(at(units, h1="IA")) if t.startswith("DI")]) == 45


@pytest.mark.parametrize("name", ["a", "a-small", "a-tiny"])
def test_every_map_is_a_sound_domain(name):
    tw.check(HeroAcademy(map=name, turn_limit=12, seed=3), games=2)


def test_rendering(tmp_path):
    from treewright.apps.tactics.drawing import picture

    position = Position(HeroAcademy(map="a-small", seed=4))
    assert "player 1" in position.render()
    assert len(position.render().splitlines()[0].split()) == 7
    for suffix in ("png", "svg"):
        picture(position.state, "a-small", tmp_path / f"b.{suffix}")
        assert (tmp_path / f"b.{suffix}").stat().st_size > 2000
    with pytest.raises(OptionError, match="draw to one of"):
        picture(position.state, "a-small", tmp_path / "b.txt")


# ------------------------------------------------------------------------------- recordings


def test_our_own_recordings_replay_without_a_difference(data):
    """5, 10 and 15 points, a turn limit, hidden hands (tools/make_tactics_recordings.py)."""
    found = [verify(path) for path in sorted((data / "tactics").glob("*.gz"))]
    assert [v.games for v in found] == [4, 1, 1, 1, 2]
    for one in found:
        assert one.ok, one.first
        assert one.agreed == one.records > 100


def test_recordings_of_the_testbed_replay_without_a_difference(shared):
    for name in ("ap05_hidden_hand_endturn", "ap15_turnlimit9_random_greedy"):
        found = verify(shared / "tactics" / f"{name}.jsonl.gz")
        assert found.ok, found.first
        assert found.agreed == found.records > 1000


def recording(tmp_path, change):
    """A recording of one step made by ourselves, with something changed in it."""
    start = Position(HeroAcademy(testbed=True, deck_seeds=(12, 34), turn_limit=100))
    before = to_json(start.state._record[0])
    legal = texts(start)
    step = {
        "type": "step",
        "g": 0,
        "n": 0,
        "before": before,
        "legal": legal,
        "kept": 0,
        "keptSwap": [],
        "keptInferno": [],
        "action": legal[0],
    }
    head = {"type": "game", "g": 0, "ap": 5, "firstAp": 3, "limit": 100}
    head |= {"deckSeed1": 12, "deckSeed2": 34, "start": before}
    start.play(read_action(legal[0]))
    step["after"] = to_json(start.state._record[0])
    raw = 925 if "D" in legal[0] else 0
    step |= {"eval": [raw, -raw], "evalWin": [0.5 + raw / 120000, 0.5 - raw / 120000]}
    change(head, step)
    path = tmp_path / "r.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps(head) + "\n" + json.dumps(step) + "\n")
    return path


def test_a_difference_is_found_and_named(tmp_path):
    def worse(head, step):
        step["after"]["u"][0][4] -= 1
        step["legal"] = step["legal"][1:]

    found = verify(recording(tmp_path, worse))
    assert {"after", "legal"} <= set(found.differences)
    assert "line 2" in found.first["after"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda h, s: s.pop("legal"), "line 2: key 'legal' is missing"),
        (lambda h, s: s["before"].pop("u"), "line 2: key 'u' must be a list"),
        (lambda h, s: s.update(action="Z9"), "line 2: 'Z9' is not an action"),
        (lambda h, s: h.update(type="what"), "line 1: key 'type'"),
        (lambda h, s: s["before"].update(h1=[1, 2]), "line 2: key 'h1' must be 11 counts"),
    ],
)
def test_a_broken_recording_is_one_sentence(tmp_path, change, says):
    with pytest.raises(OptionError, match=says):
        verify(recording(tmp_path, change))


def test_what_is_no_recording(tmp_path):
    (tmp_path / "x.gz").write_text("no gzip")
    with pytest.raises(OptionError, match="can't be read as a gzip"):
        verify(tmp_path / "x.gz")
    with pytest.raises(OptionError, match="can't be read as a gzip"):
        verify(tmp_path / "missing.gz")


# ------------------------------------------------------------------------------- properties


def wander(seed, actions):
    """A position of a random game, and the game so far."""
    rng = np.random.default_rng(seed)
    position = Position(HeroAcademy(seed=seed, pruned=bool(seed % 2), ap=5))
    for _ in range(actions):
        if position.ended:
            break
        position.play(int(rng.choice(position.legal())))
    return position


def mirrored(data):
    """Left and right, and the two sides, exchanged."""
    swap = {"h1": "h2", "h2": "h1", "d1": "d2", "d2": "d1", "s1": "s2", "s2": "s1"}
    out = {swap.get(k, k): v for k, v in data.items()}
    out["p"] = 3 - data["p"]
    out["win"] = {1: 2, 2: 1}.get(data["win"], data["win"])
    out["u"] = sorted([8 - x, y, 3 - owner, *rest] for x, y, owner, *rest in data["u"])
    return out


def mirrored_action(text):
    flip = lambda place: f"{8 - int(place[0])}{place[1]}"  # noqa: E731
    if text[0] in "EX":
        return text
    if text[0] == "D":
        return text[:2] + flip(text[2:])
    return text[0] + flip(text[1:3]) + flip(text[3:])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 90))
def test_mirror_symmetry(seed, actions):
    position = wander(seed, actions)
    if position.ended:
        return
    data = to_json(position.state._record[0])
    other = Position(HeroAcademy(position=mirrored(data), pruned=False, ap=5))
    here = Position(HeroAcademy(position=data, pruned=False, ap=5))
    assert sorted(map(mirrored_action, texts(here))) == sorted(texts(other))
    assert here.value()[0] == pytest.approx(other.value()[1])
    assert sum(here.value()) == pytest.approx(1.0)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_conservation(seed):
    """Cards and units only ever leave the game; health stays between 0 and its maximum."""
    rng = np.random.default_rng(seed)
    position = Position(HeroAcademy(seed=seed, pruned=False, turn_limit=30))
    before = [28, 28]
    for _ in range(100):
        if position.ended:
            break
        position.play(int(rng.choice(position.legal())))
        s = position.state
        for side in (0, 1):
            cards = sum(s.hand[side * CARDS + c] + s.deck[side * CARDS + c] for c in range(CARDS))
            assert s.held[side] == sum(s.hand[side * CARDS + c] for c in range(CARDS))
            assert s.left[side] + s.held[side] == cards
            standing = bin(s.up[side] | s.down[side]).count("1")
            worn = sum(bin(s.gear[q]).count("1") for q in range(45) if (s.up[side] >> q) & 1)
            assert cards + standing <= before[side]
            assert cards + standing + worn <= 28
            before[side] = cards + standing
            assert s.up[side] & s.down[side] == 0
        for q in range(45):
            assert 0 <= s.hp[q] <= MAX_HP[s.unit[q] * 16 + s.gear[q]]
            taken = sum(
                (m >> q) & 1 for side in (0, 1) for m in (s.up[side], s.down[side], s.gem[side])
            )
            assert taken <= 1
            assert (s.hp[q] > 0) == bool((s.up[0] | s.up[1] | s.gem[0] | s.gem[1]) >> q & 1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 90))
def test_gain_is_what_playing_changes(seed, actions):
    """Greedy Action's shortcut against the long way."""
    position = wander(seed, actions)
    if position.ended:
        return
    domain = HeroAcademy(pruned=False, end_turn="listed")
    t = domain.interpreted_tables
    gain = tw.kernel.rebind.Rebinder(None).function(evaluation.gain)
    evaluate = tw.kernel.rebind.Rebinder(None).function(evaluation.evaluate)
    here = Position(domain, RecordProxy(position.state._record.copy()))
    now = evaluate(here.state, t, here.player)
    legal = here.legal()
    for action in legal[:: max(1, len(legal) // 12)]:
        then = here.copy()
        then.play(action)
        if action >> 12:
            assert evaluate(then.state, t, here.player) - now == gain(here.state, t, action)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 150))
def test_greedy_action_takes_the_largest_gain(seed, actions):
    """It passes over whole kinds of actions; none of them may hold a better one."""
    position = wander(seed, actions)
    if position.ended:
        return
    domain = HeroAcademy(ap=5)
    t = domain.interpreted_tables
    here = Position(domain, RecordProxy(position.state._record.copy()))
    gain = tw.kernel.rebind.Rebinder(None).function(evaluation.gain)
    choose = tw.kernel.rebind.Rebinder(None).function(greedy.greedy_action)
    found = choose(here.state, t, stream(seed))
    assert found in here.legal()
    assert gain(here.state, t, found) == max(gain(here.state, t, a) for a in here.legal())


# -------------------------------------------------------------------------- files, bad input


def test_games_are_saved_and_loaded(tmp_path):
    position = wander(3, 40)
    record = Record(position.domain, position.history, ("me", "you"))
    save(record, tmp_path / "g.json")
    again = load_game(tmp_path / "g.json")
    assert again.actions == position.history
    assert again.players == ("me", "you")
    assert to_json(again.position().state._record[0]) == to_json(position.state._record[0])
    assert [p.name for p in tmp_path.iterdir()] == ["g.json"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["actions"].insert(2, "M0080"), "action 3: M0080 is not legal in turn 1"),
        (lambda d: d["actions"].insert(0, "Q"), "action 1: 'Q' is not an action"),
        (lambda d: d.update(format="x"), "key 'format'"),
        (lambda d: d.update(actions="E"), "a list 'actions'"),
        (lambda d: d["settings"].update(map="b"), "there is no map 'b'"),
        (lambda d: d["settings"].update(deck=[2] + [0] * 5 + [9] + [0] * 4), "deck has 2 units"),
        (lambda d: d["settings"].update(position=state([], h1="KAZ")), "'Z' is no card"),
        (lambda d: d["settings"].update(colour=1), "has no setting 'colour'"),
    ],
)
def test_a_broken_game_names_the_place(tmp_path, change, says):
    position = wander(4, 10)
    path = tmp_path / "g.json"
    save(Record(position.domain, position.history), path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(TreewrightError, match=says) as caught:
        load_game(path)
    assert "g.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"ap": 0}, "ap must be 1 to 30"),
        ({"turn_limit": "x"}, "turn_limit must be"),
        ({"evaluation": "mirored"}, "did you mean 'mirrored'"),
        ({"greed": 2}, "greed must be between 0 and 1"),
        ({"deck": [0] * 11}, "deck has 0 units"),
        ({"deck": "standart"}, "did you mean 'standard'"),
        ({"deck_seeds": (1, 1000)}, "two numbers 0 to 999"),
        ({"position": state([[0, 0, 1, "Q", 1, 0]])}, "unit 1: .* should be"),
        ({"position": state([[0, 0, 3, "K", 1, 0]])}, "unit 1: .* should be"),
        ({"map": "a-tiny", "position": state([])}, "not on this map"),
    ],
)
def test_bad_settings_are_one_sentence(settings_, says):
    with pytest.raises(OptionError, match=says):
        HeroAcademy(**settings_).new_state()


def test_text_and_back():
    position = wander(11, 30)
    for action in position.legal():
        assert read_action(action_text(action)) == action
    data = to_json(position.state._record[0])
    assert to_json(read_state(data)[0]) == data
    assert deck_counts("tiny") == [1] * 11
    assert load("a").crystals == ((8, 11), (31, 38))
