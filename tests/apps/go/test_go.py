"""Go: the rules case by case, against a slow board and against sgfmill; counts; playouts."""

import random
import sys
from pathlib import Path

import pytest

import treewright as tw
from treewright.apps.go import board as rules
from treewright.apps.go.domain import Go
from treewright.apps.go.features import shapes
from treewright.apps.go.perft import perft
from treewright.apps.go.playout import Switches
from treewright.apps.go.prior import weights
from treewright.apps.go.setup import to_point, to_vertex
from treewright.library.position import Position
from treewright.random import stream
from treewright.testing import DomainConformance

sys.path.insert(0, str(Path(__file__).parent))
from slow_go import SlowGo


def board(diagram, to_play="black", **settings):
    """A position drawn in the test."""
    size = len(diagram.strip().splitlines()) if "\n" in diagram else len(diagram.split())
    return tw.Position(Go(size=size, diagram=diagram, to_play=to_play, **settings))


def vertices(position):
    return {position.describe(a) for a in position.legal()}


def play(position, *moves):
    """Play by the rules alone: filling an eye is allowed here."""
    domain = position.domain
    for vertex in moves:
        action = domain.point(vertex)
        assert domain.allows(position.state, action), f"{vertex} is not legal"
        domain.interpret(rules.move)(position.state, action)


def refused(position, vertex):
    return not position.domain.allows(position.state, position.domain.point(vertex))


def stones(position):
    """The board as rows of text, without the frame."""
    rows = position.render().splitlines()[1:-2]
    return [row[2:-1].strip("0123456789").replace("(", " ").replace(")", " ") for row in rows]


def rows(position):
    return " ".join("".join(row.split()) for row in stones(position))


class TestGo(DomainConformance):
    domain = Go(size=5, playout="light")
    games = 5


# ------------------------------------------------------------------------------- the rules


def test_ko_forbids_taking_back_at_once():
    position = board(
        """
        . . . . .
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        """,
        to_play="white",
    )
    play(position, "B3")  # White takes C3
    assert rows(position) == "..... .XO.. XO.O. .XO.. ....."
    assert to_vertex(position.state.ko, 5) == "C3"
    assert refused(position, "C3")
    assert "C3" not in vertices(position)
    play(position, "E5", "E1")  # a threat and its answer: the ko is open again
    assert not refused(position, "C3")
    play(position, "C3")
    assert to_vertex(position.state.ko, 5) == "B3"


def test_a_pass_lifts_the_ko():
    position = board("..... .XO.. X.XO. .XO.. .....", "white")
    play(position, "B3", "pass", "A1")
    assert not refused(position, "C3")
    play(position, "pass", "pass")
    assert position.ended, "two passes end the game"


def test_snapback_is_no_ko():
    position = board(
        """
        . . . . .
        . . . . .
        X X . . .
        O O X . .
        . . X . .
        """
    )
    play(position, "A1", "B1")  # thrown in and taken: White has one liberty left
    assert rows(position) == "..... ..... XX... OOX.. .OX.."
    assert position.state.ko == 0
    play(position, "A1")
    assert rows(position) == "..... ..... XX... ..X.. X.X.."


def test_capturing_two_stones_sets_no_ko():
    position = board(
        """
        . . . . .
        . O O . .
        O X X . .
        . O O . .
        . . . . .
        """,
        to_play="white",
    )
    play(position, "D3")
    assert rows(position) == "..... .OO.. O..O. .OO.. ....."
    assert position.state.ko == 0
    assert not refused(position, "B3")  # room for two: no suicide


def test_one_move_captures_several_chains():
    position = board(
        """
        . . O . .
        . O X O .
        O X . X O
        . O X O .
        . . O . .
        """,
        to_play="white",
    )
    play(position, "C3")
    assert rows(position) == "..O.. .O.O. O.O.O .O.O. ..O.."
    assert position.state.balance == -9
    assert position.state.ko == 0


def test_suicide():
    drawn = """
        . . . O .
        . . . O O
        . . . . .
        O O . . .
        X . O . .
        """
    position = board(drawn)
    assert refused(position, "E5"), "one stone"
    assert refused(position, "B1"), "two stones"
    free = board(drawn, suicide=True)
    assert refused(free, "E5"), "one stone would repeat the position"
    play(free, "B1")
    assert rows(free) == "...O. ...OO ..... OO... ..O.."
    assert free.state.balance == -6


def test_positional_superko_at_the_root():
    """After B A1, W B1 and W A2 (which takes A1), W B2, Black's A1 would repeat move 1."""
    moves = "A1 B1 pass A2 pass B2"
    position = tw.Position(Go(size=2, moves=moves))
    assert rows(position) == "OO .O"
    assert vertices(position) == {"pass"}
    assert not refused(position, "A1"), "simple ko does not see it"
    domain = position.domain
    after = domain.hash_after(position.state, domain.point("A1"))
    assert after in domain.tables["history"]
    other = tw.Position(Go(size=2, moves="W A2 W B2 W B1 B"))
    assert vertices(other) == {"A1", "pass"}, "another history, another answer"


SEKI = """
    . X O . X O .
    X X O . X O O
    . X O O X O .
    X X X X O O O
    X X X X O O O
    X X X X O O O
    X X X X O O O
    """


def test_seki():
    """Nobody can play at D7 or D6, and nobody owns them."""
    position = board(SEKI, komi=0)
    # Black has 23 stones and two eyes, White 20 and two
    assert position.domain.score(position.state) == 3
    for colour in (1, 2):
        for vertex in ("D7", "D6"):
            point = position.domain.point(vertex)
            assert position.domain.interpret(rules.self_atari)(position.state, colour, point)
    assert set(hits(position)) == {"pass"}, "the heavy playouts leave it alone"
    assert vertices(position) == {"D7", "D6", "pass"}
    assert vertices(board(SEKI, "white")) == {"D7", "D6", "pass"}


@pytest.mark.parametrize(
    ("drawn", "area"),
    [
        ("... ... ...", 0),  # an empty board is nobody's
        ("... .X. ...", 9),  # one stone owns all
        ("... .O. ...", -9),
        ("X.. ... ..O", 0),  # a common region
        ("XX. XX. .OO", 2),  # C3, C2 and A1 are dame: 4 - 2
        (".XO XXO OO.", -1),  # A3 is Black's, C1 White's: 4 - 5
    ],
)
def test_area(drawn, area):
    position = board(drawn, komi=0)
    assert position.domain.score(position.state) == area
    assert position.domain.score(position.state) == area, "asking changes nothing"


def test_rewards_komi_and_draws():
    for komi, rewards in ((8.5, [1, 0]), (9, [0.5, 0.5]), (9.5, [0, 1])):
        position = board("... .X. ...", komi=komi)
        play(position, "pass", "pass")
        assert position.rewards() == rewards


def test_set_up_and_names():
    position = tw.Position(Go(size=9, handicap=4, moves="E5"))
    assert position.player == 0, "White began"
    assert position.render().splitlines()[5] == " 5 . . . .(O). . . . 5"
    assert rows(tw.Position(Go(size=2, moves="W A1 W B2"))) == ".O O."
    for size in (2, 9, 19):
        domain = Go(size=size)
        names = [to_vertex(to_point(n, size), size) for n in vertices(tw.Position(domain))]
        assert len(set(names)) == size * size + 1
    assert to_vertex(to_point("j9", 9), 9) == "J9"


@pytest.mark.parametrize(
    "settings",
    [
        {"size": 1},
        {"size": 20},
        {"size": "9"},
        {"komi": 0.3},
        {"moves": "A1 A1"},
        {"moves": "I5"},
        {"moves": "K1"},
        {"diagram": "XO"},
        {"size": 2, "diagram": "XX XX"},
        {"size": 2, "diagram": "XO O."},
        {"handicap": 10},
        {"size": 5, "handicap": 2},
        {"to_play": "red"},
        {"playout": "best"},
        {"margin": 2},
        {"colour": 1},
    ],
)
def test_bad_settings_are_refused_with_a_sentence(settings):
    with pytest.raises(tw.OptionError):
        tw.Position(Go(**settings))


def test_margin_adds_the_points_to_the_reward():
    """Black leads by 9 - 7.5 on 3x3 and by more than 0.4 of the board without komi."""
    diagram = "XX. XXX .XX"
    for komi, expected in ((7.5, 0.9 + 0.1 * (0.5 + 0.5 * 1.5 / 3.6)), (0.0, 1.0)):
        position = tw.Position(Go(3, diagram=diagram, komi=komi, margin=0.1, moves="pass pass"))
        assert list(position.rewards()) == pytest.approx([expected, 1 - expected])


# ----------------------------------------------------- against boards written by others


def snaps(slow, point):
    """Whether taking a lone stone leaves the takers, two or more, in atari where it stood."""
    colour = slow.stones[point]
    (liberty,) = slow.liberties(point)
    if slow.region(point)[0] != {point}:
        return False
    after = SlowGo(slow.size)
    after.stones, taken, _ = slow.after(liberty, 3 - colour)
    takers = after.region(liberty)[0] if liberty in after.stones else set()
    return taken == {point} and len(takers) > 1 and after.liberties(liberty) == {point}


def test_a_snapback_is_no_self_atari():
    """White H9 takes away the eye space: Black's capture at J9 is taken back as a whole."""
    diagram = "...OXXX.. X...OOXXX ......OXO .......OO " + "......... " * 5
    position = tw.Position(Go(9, diagram=diagram.strip(), to_play="white"))
    rule, point = position.domain.interpret(rules.self_atari), position.domain.point
    assert not rule(position.state, 2, point("H9"))
    assert rule(position.state, 2, point("A9"))


def compare_room(domain, s, slow, point, colour):
    """The liberties after a move that takes nothing, with each of them closed in turn."""
    other, width = SlowGo(slow.size), slow.size + 1
    other.stones = {**slow.stones, point: colour}
    free = other.liberties(point)
    for closed in [None, *free]:
        row, column = closed or (0, 0)
        found = domain.interpret(rules.liberties_after)(
            s, colour, point[0] * width + point[1], row * width + column
        )
        assert found == min(3, len(free - {closed}))


def compare(position, slow, colour):
    """Everything that the record says, against the slow board."""
    s, size = position.state, slow.size
    domain = position.domain
    empty = {s.empty[i] for i in range(s.empties)}
    assert s.ko == (slow.ko[0] * (size + 1) + slow.ko[1] if slow.ko else 0)
    for point in slow.points():
        v = point[0] * (size + 1) + point[1]
        stone = slow.stones.get(point, 0)
        assert s.colour[v] == stone
        assert (v in empty) == (stone == 0)
        if stone:
            liberties = slow.liberties(point)
            inside = slow.region(point)[0]
            head = s.chain[v]
            pairs = sum(n not in slow.stones for p in inside for n in slow.near(p))
            assert s.liberties[head] == pairs
            assert s.stones[head] == len(inside)
            only = domain.interpret(rules.only_liberty)(s, head)
            expected = 0
            if len(liberties) == 1:
                ((row, column),) = liberties
                expected = row * (size + 1) + column
            assert only == expected
            two = {r * (size + 1) + c for r, c in liberties} if len(liberties) == 2 else {0}
            assert set(domain.interpret(rules.two_liberties)(s, head)) == two
        else:
            assert s.place[v] < s.empties
            assert s.empty[s.place[v]] == v
            assert domain.allows(s, v) == slow.legal(point, colour)
            if slow.legal(point, colour):
                after, taken, _ = slow.after(point, colour)
                if not taken and point in after:
                    other = SlowGo(size)
                    other.stones = after
                    gives_away = len(other.liberties(point)) == 1 and not snaps(other, point)
                    assert domain.interpret(rules.self_atari)(s, colour, v) == gives_away
                if not taken:
                    compare_room(domain, s, slow, point, colour)
    assert s.balance == sum(1 if c == 1 else -1 for c in slow.stones.values())
    assert domain.interpret(rules.area)(s) == slow.score()


def random_game(size, seed, suicide=False, every=1):
    """One game of uniform legal moves on both boards; returns its length and its captures."""
    choose = random.Random(f"{size} {seed}")
    position = tw.Position(Go(size=size, suicide=suicide, playout="light"))
    slow = SlowGo(size, suicide)
    domain, s = position.domain, position.state
    captured = 0
    for n in range(3 * size * size):
        colour = s.player + 1
        legal = [p for p in slow.points() if slow.legal(p, colour)]
        move = choose.choice(legal) if legal and choose.random() < 0.97 else None
        v = move[0] * (size + 1) + move[1] if move else 0
        hashed = domain.hash_after(s, v)
        before = s.empties
        domain.interpret(rules.move)(s, v)
        taken = slow.play(move, colour)
        captured += taken
        if not suicide:
            assert s.empties == before + taken - (move is not None)
        assert domain.hash(s) == hashed
        if n % every == 0:
            compare(position, slow, s.player + 1)
        if s.passes >= 2:
            break
    compare(position, slow, s.player + 1)
    return n, captured


@pytest.mark.parametrize(
    ("size", "games", "every"),
    [(2, 60, 1), (3, 60, 2), (4, 40, 4), (5, 30, 6), (7, 6, 20), (9, 3, 40)],
)
def test_random_games_on_the_slow_board(size, games, every):
    results = [random_game(size, seed, every=every) for seed in range(games)]
    assert sum(captured for _, captured in results) > games
    for seed in range(games // 3):
        random_game(size, seed, suicide=True, every=every)


def test_superko_at_the_root_against_the_slow_board():
    """In random games on tiny boards, legal() leaves out exactly what repeats a position."""
    found = 0
    for seed in range(20):
        choose = random.Random(seed)
        slow, moves, colour = SlowGo(2 + seed % 2), [], 1
        for _ in range(14):
            legal = [p for p in slow.points() if slow.legal(p, colour)]
            fresh = [p for p in legal if not slow.repeats(p, colour)]
            found += len(legal) - len(fresh)
            compare_superko(slow, moves, colour, legal, fresh)
            move = choose.choice(fresh) if fresh and choose.random() < 0.9 else None
            slow.play(move, colour)
            moves.append(to_vertex(point_of(move, slow.size), slow.size))
            colour = 3 - colour
    assert found >= 10


def compare_superko(slow, moves, colour, legal, fresh):
    position = tw.Position(Go(size=slow.size, moves=" ".join(moves)))
    domain, s = position.domain, position.state
    listed = set(position.legal()) - {0}
    eyes = {
        v
        for v in (point_of(p, slow.size) for p in legal)
        if domain.interpret(rules.eye)(s, colour, v)
    }
    allowed = fresh if moves else legal
    assert listed == {point_of(p, slow.size) for p in allowed} - eyes


def point_of(place, size):
    return place[0] * (size + 1) + place[1] if place else 0


def test_random_games_on_sgfmill():
    boards = pytest.importorskip("sgfmill.boards", reason="sgfmill is not installed")
    for size, games in ((5, 20), (9, 6), (13, 2)):
        for seed in range(games):
            choose = random.Random(seed)
            position = tw.Position(Go(size=size, playout="light"))
            other = boards.Board(size)
            domain, s = position.domain, position.state
            for _ in range(2 * size * size):
                legal = [s.empty[i] for i in range(s.empties)]
                legal = [v for v in legal if domain.allows(s, v)]
                if not legal:
                    domain.interpret(rules.move)(s, 0)
                    continue
                v = choose.choice(legal)
                row, column = divmod(v, size + 1)
                ko = other.play(row - 1, column - 1, "bw"[s.player])
                domain.interpret(rules.move)(s, v)
                assert s.ko == ((ko[0] + 1) * (size + 1) + ko[1] + 1 if ko else 0)
            for row in range(size):
                for column in range(size):
                    mark = {None: 0, "b": 1, "w": 2}[other.get(row, column)]
                    assert s.colour[(row + 1) * (size + 1) + column + 1] == mark
            assert domain.interpret(rules.area)(s) == other.area_score()


# ------------------------------------------------------------------------------ counting


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        (2, [5, 21, 68, 156, 316, 604, 1168, 2592]),
        (3, [10, 91, 738, 5281, 33384, 179712]),
        (9, [82, 6643, 531522]),
    ],
)
def test_perft(size, counts):
    """Figures of the project's fact sheet, from another implementation."""
    assert [perft(size, depth) for depth in range(1, len(counts) + 1)] == counts
    assert perft(size, 0) == 1


def test_perft_by_brute_force():
    def count(slow, colour, passes, depth):
        if depth == 0:
            return 1
        if passes == 2:
            return 0
        total = 0
        for move in [None, *(p for p in slow.points() if slow.legal(p, colour))]:
            other = SlowGo(slow.size)
            other.stones, other.ko = dict(slow.stones), slow.ko
            other.play(move, colour)
            total += count(other, 3 - colour, passes + 1 if move is None else 0, depth - 1)
        return total

    assert count(SlowGo(2), 1, 0, 6) == perft(2, 6)
    assert count(SlowGo(3), 1, 0, 3) == perft(3, 3)


# ------------------------------------------------------------------ playouts and search


def test_shapes():
    """All eight turns of a neighbourhood have one weight; a hane is worth more than nothing."""
    least, (table, _) = shapes(), weights(large=False)

    def code(text):
        cells = text.replace("|", "")
        return sum(".XO-".index(m) << (2 * i) for i, m in enumerate(cells[:4] + cells[5:]))

    turns = ["XO.|...|...", ".OX|...|...", "...|...|XO.", "X..|O..|..."]
    assert len({least[code(t)] for t in turns}) == 1
    assert len({float(table[code(t)]) for t in turns}) == 1
    assert least[code("XO.|...|...")] != least[code("OX.|...|...")], "colours differ"
    assert table[code("XO.|...|...")] > table[code("...|...|...")]
    assert table[code("XXX|X.X|XXX")] < table[code("OX.|X.O|---")]


def test_white_sees_black_as_black_sees_white():
    """A position and its opposite have the same weights."""
    drawn = "..... .XO.. .OXX. .OO.. ....."
    swapped = drawn.translate(str.maketrans("XO", "OX"))
    one = board(drawn, "black", komi=0.5)
    two = board(swapped, "white", komi=0.5)
    for action in one.legal():
        pair = [p._hooks["weight"](p.state, p._tables, action) for p in (one, two)]
        assert pair[0] == pytest.approx(pair[1])


def hits(position, games=40):
    """How often each move is chosen by the playout policy."""
    rng = stream(1)
    found = {}
    out = [0] * position.domain.max_actions
    for _ in range(games):
        other = position.copy()
        action = other._hooks["rollout"](other.state, other._tables, rng, out)
        found[other.describe(action)] = found.get(other.describe(action), 0) + 1
    return found


def only(**on):
    """Switches: these, and nothing else."""
    return {k: on.get(k, False) for k in Switches.__annotations__ if k != "habit"}


@pytest.mark.parametrize(
    ("rule", "drawn", "to_play", "moves", "answer"),
    [
        ("atari", "...O. ..OX. ..... ..... .....", "white", "E4", "D3"),  # extend
        ("capture", "...XO ..... ..... ..... .....", "black", "A1 A2", "E4"),
        ("nakade", "..... ..... ..... OOO.. .....", "white", "D1", "B1"),  # three in a row
        ("patterns", "..... ..... .XO.. ..... .....", "black", "A1 C2", "B2"),  # hane
    ],
)
def test_a_rule_of_the_heavy_playouts(rule, drawn, to_play, moves, answer):
    """With one rule on, its move comes often, and more often than without."""
    size = len(drawn.split())
    settings = {"diagram": drawn, "to_play": to_play, "moves": moves}
    found = hits(tw.Position(Go(size=size, **settings, **only(**{rule: True}))))
    assert found.get(answer, 0) >= 8
    without = hits(tw.Position(Go(size=size, **settings, **only())))
    assert without.get(answer, 0) < found[answer]


def test_self_atari_is_refused():
    """A3 and C3 would have one liberty: they are played, but seldom."""
    start = {"size": 3, "diagram": ".O. ... ..."}
    refusing = hits(tw.Position(Go(**start, **only(self_atari=True))), games=400)
    not_at_all = hits(tw.Position(Go(**start, **only())), games=400)
    rare, often = (sum(f.get(v, 0) for v in ("A3", "C3")) for f in (refusing, not_at_all))
    assert 0 < rare < 0.6 * often


def test_playouts_fill_no_eyes_and_end():
    for playout in ("light", "heavy"):
        position = tw.Position(Go(size=4, playout=playout))
        rng = stream(3)
        out = [0] * 17
        eye, move = (position.domain.interpret(f) for f in (rules.eye, rules.move))
        hook = position._hooks["rollout"]
        for _ in range(5):
            game = position.copy()
            s = game.state
            while not game.ended:
                v = hook(s, game._tables, rng, out)
                if v:
                    assert position.domain.allows(s, v)
                    assert not eye(s, s.player + 1, v)
                move(s, v)
            assert s.moves < game.domain.max_length


def test_compiled_and_interpreted_trees_are_the_same():
    """Heavy playouts, MC-RAVE and priors: every function of the domain is in it."""
    options = tw.Options(c=0.1, rave=tw.Rave(bias=0.01), priors=True, rollout=tw.Rollout("domain"))
    trees = []
    for engine in ("compiled", "python"):
        search = tw.Search(
            Go(size=5, local=True, moves="C3 C4 D4 pass"), options, seed=5, engine=engine
        )
        search.run(60)
        trees.append(search.tree.nodes.tobytes())
    assert trees[0] == trees[1]


SOLVING = tw.Options(solver=True, rollout=tw.Rollout("domain"))


def test_the_solver_proves_that_black_owns_3x3():
    """Known: on 3x3 Black takes all nine points by starting in the centre."""
    domain = Go(size=3, komi=8.5, playout="light")
    result = tw.Search(domain, SOLVING, seed=1).run(400_000)
    assert result.stopped == "solved"
    assert result.value == 1.0
    assert result.best == domain.point("B2")


def test_kernels_are_told_apart():
    """Size, rule and switches are constants of compiled code; komi and position are not."""
    from treewright.kernel.specialise import _key

    def key(**settings):
        return _key(Go(**settings), {}, "", False)

    different = [{"size": 5}, {"size": 6}, {"size": 5, "suicide": True}]
    different += [{"size": 5, "playout": "light"}, {"size": 5, "local": True}]
    different += [
        {"size": 5, k: False} for k in Switches.__annotations__ if k not in ("local", "habit")
    ]
    found = [key(**settings) for settings in different]
    assert all(kept for _, kept in found)
    assert len({k for k, _ in found}) == len(different)
    assert key(size=5, komi=0.5, moves="A1 B2") == key(size=5)


def test_two_sizes_in_one_process_do_not_mix():
    def tree(size, engine):
        domain = Go(size, komi=8.5, playout="light")  # as above, so that 3x3 is compiled once
        search = tw.Search(domain, SOLVING, seed=2, engine=engine)
        search.run(40)
        return search.tree.nodes.tobytes()

    expected = {size: tree(size, "python") for size in (3, 5)}
    for size in (5, 3, 5):
        assert tree(size, "compiled") == expected[size]
    small, large = Go(3), Go(5)
    states = [(domain, domain.new_state()) for domain in (small, large)]
    for vertex in ("B2", "pass", "C3", "pass"):  # in turns, on both boards
        for domain, s in states:
            domain.move(s, domain.point(vertex))
    assert [domain.score(s) for domain, s in states] == [9 - 7.5, 25 - 7.5]
    assert small.point("B2") != large.point("B2")
    assert small.functions["legal"] is Go(3).functions["legal"]
    assert small.functions["legal"] is not large.functions["legal"]


def test_registered_ids():
    for size in (5, 9, 13, 19):
        domain = tw.make(f"go-{size}x{size}", komi=5.5, playout="light")
        assert domain.name == f"go-{size}x{size}-v1"
        assert domain.settings["komi"] == 5.5
        assert tw.make(domain.name, **domain.settings).settings == domain.settings
    assert tw.make("go-9x9").state.itemsize < 1024


def test_large_boards_begin_near_the_corners():
    """What was learned on 9x9 sent the first moves of a large board to its centre."""
    start = Position(Go(19))
    weight = {start.describe(a): start.weight(a) for a in start.legal()}
    best = sorted(weight, key=weight.get, reverse=True)[:24]
    lines = [sorted(min(p, 20 - p) for p in divmod(to_point(v, 19), 20)) for v in best]
    assert all(3 <= near <= 4 and far <= 6 for near, far in lines), best
    assert weight["K10"] < weight["D4"] / 3
