"""The opening moves that the engine knows."""

import pytest

from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.openings import answers, known, turned
from treewright.apps.go.gtp.player import Player, style
from treewright.apps.go.setup import to_point, to_vertex


def game(moves, **settings):
    begun = Game(9, **settings)
    for i, vertex in enumerate(moves.split()):
        begun.play(i % 2 + 1, to_point(vertex, 9))
    return begun


def test_black_begins_in_the_centre():
    assert known(game(""), 1) == to_point("E5", 9)


def test_every_answer_is_a_free_point():
    assert len(answers()) > 500
    for (mover, stones), point in answers().items():
        taken = {at for _, at in stones}
        assert to_vertex(point, 9) not in ("pass", *(to_vertex(at, 9) for at in taken))
        assert len(stones) % 2 == mover - 1


def test_a_turned_position_has_the_turned_answer():
    answer = known(game("D3"), 2)
    for how in range(8):
        here = Game(9)
        here.play(1, turned(to_point("D3", 9), how))
        assert known(here, 2) == turned(answer, how)


def test_another_order_of_moves_is_the_same_position():
    (mover, stones), answer = max(answers().items(), key=lambda known: len(known[0][1]))
    black, white = ([p for c, p in sorted(stones, reverse=True) if c == k] for k in (1, 2))
    begun = Game(9)
    for i in range(len(stones)):
        begun.play(i % 2 + 1, (black, white)[i % 2][i // 2])
    assert known(begun, mover) == answer


@pytest.mark.parametrize("settings", [{"komi": 0.5}, {"suicide": True}])
def test_other_rules_are_searched(settings):
    assert known(game("", **settings), 1) is None


def test_boards_of_other_sizes_are_searched():
    assert known(Game(11), 1) is None


def test_on_large_boards_the_empty_corners_come_first():
    begun = Game(19)
    for vertex in ("Q16", "D4", "Q4", "C16"):  # an own choice, one that differs, and so on
        point = known(begun, begun.to_play)
        assert to_vertex(point, 19) in ("Q16", "Q4", "D16", "D4")
        assert all(begun.at(at) == 0 for at in around(begun, point))
        begun.play(begun.to_play, to_point(vertex, 19))
    assert known(begun, 1) is None
    assert to_vertex(known(Game(13), 1), 13) == "K10"


def test_corners_are_for_the_first_moves_only():
    """Later, or where a position was set up, an empty corner may matter less than a fight."""
    problem = Game(19)
    problem.place([(1, to_point("C3", 19)), (2, to_point("D3", 19))], 1)
    assert known(problem, 1) is None
    handicap = Game(19)
    handicap.fixed_handicap(4)
    assert known(handicap, 2) is None
    begun = Game(19)
    for vertex in ("K10", "K11", "L10", "L11", "J10", "J11", "H10"):
        begun.play(begun.to_play, to_point(vertex, 19))
    assert known(begun, 2) is not None
    begun.play(2, to_point("H11", 19))
    assert known(begun, 1) is None


def around(game, point):
    """A point and the eight next to it."""
    width = game.size + 1
    return [point + r * width + c for r in (-1, 0, 1) for c in (-1, 0, 1)]


def test_only_the_default_uses_them():
    assert Player(style()).choose(game(""), 1, 10).result is None
    assert Player(style(openings=False)).choose(game(""), 1, 10).result is not None
    assert not style("mc-rave").openings
