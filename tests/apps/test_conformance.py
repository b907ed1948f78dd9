"""Every built-in domain through the tests that domain authors use."""

import pytest

import treewright as tw
from treewright.library import checking
from treewright.testing import DomainConformance
from treewright.workshop.samples import samples

# their reward is the fitness of a map, which has no upper limit; their searches set c to suit it
UNBOUNDED = {"walls", "grow", "revise", "dungeon"}


def shipped(name):
    """The domain; on large Go boards nearly all is decided, or a game would take minutes."""
    if name not in ("go-13x13", "go-19x19"):
        return samples()[name].domain()
    size = int(name.rpartition("x")[2])
    left, right = "X" * (size // 2), "O" * (size // 2)
    plain, eyes = f"{left}.{right}", f"X.{left[2:]}.{right[2:]}.O"
    return tw.make(name, diagram="\n".join(eyes if y % 4 == 1 else plain for y in range(size)))


@pytest.mark.parametrize("name", samples())
def test_every_shipped_domain_keeps_the_contract(name, monkeypatch):
    if name == "go-13x13":  # compiled there are a smaller and a larger board
        monkeypatch.setattr(checking, "_engines", lambda *_: None)
    domain = shipped(name)
    report = tw.check(domain, games=2)
    assert report.games == 2, str(report)
    assert report.actions >= report.longest > 0
    assert 1 < report.widest <= domain.max_actions
    assert report.longest <= domain.max_length
    if name not in UNBOUNDED:
        assert report.ok, str(report)
        return
    assert all("outside [0, 1]" in problem for problem in report.problems), str(report)
    if domain.is_record:  # the check ends at the first problem; this is its last question
        trees = [
            tw.Search(domain, seed=1, memory="16MiB", engine=e) for e in ("compiled", "python")
        ]
        for tree in trees:
            tree.run(simulations=20)
        assert trees[0].tree.nodes.tobytes() == trees[1].tree.nodes.tobytes()


class TestNim(DomainConformance):
    domain = tw.make("nim")


class TestTicTacToe(DomainConformance):
    domain = tw.make("tictactoe")


class TestConnectFour(DomainConformance):
    domain = tw.make("connect-four")


class TestSameGame(DomainConformance):
    domain = tw.make("samegame", width=5, height=5)
    games = 3


def test_tic_tac_toe_has_255168_games_and_5478_positions():
    """Counts known from exhaustive enumeration."""
    memory = {}
    assert _count(tw.Position(tw.make("tictactoe")), memory) == 255168
    assert len(memory) == 5478


def _count(position, memory):
    """Games from a position; positions reached twice are counted from memory."""
    s = position.state
    key = (s.mine, s.theirs, s.player)
    if key not in memory:
        if position.ended:
            memory[key] = 1
        else:
            memory[key] = 0
            for action in position.legal():
                after = position.copy()
                after.play(action)
                memory[key] += _count(after, memory)
    return memory[key]


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("1212121", 0),  # four in a column
        ("1122334", 0),  # four in a row
        ("1223433446", None),  # not yet
        ("12234334464", 0),  # a rising diagonal
        ("7172636", None),
        ("71726364", 1),  # wins for the second player too
    ],
)
def test_connect_four_wins(moves, winner):
    position = tw.Position(tw.make("connect-four", moves=moves))
    assert position.ended == (winner is not None)
    if winner is not None:
        assert position.rewards()[winner] == 1.0


def test_connect_four_takes_moves_that_look_like_a_number():
    """As ``treewright search connect-four --set moves=4433`` gives them."""
    told = tw.Position(tw.make("connect-four", moves=4433))
    assert told.render() == tw.Position(tw.make("connect-four", moves="4433")).render()


def test_connect_four_counts_its_opening():
    """Positions after n plies: 1, 7, 49, 238, 1120, 4263 (Tromp)."""
    states = [tw.Position(tw.make("connect-four"))]
    for expected in (7, 49, 238, 1120):
        following = {}
        for position in states:
            for action in position.legal():
                after = position.copy()
                after.play(action)
                following[tuple(after.state.stones)] = after
        states = list(following.values())
        assert len(states) == expected


def test_samegame_scores_a_worked_board():
    """Two columns of two: 11/22.  Taking both pairs empties the board: 0 + 0 + 1000."""
    position = tw.Position(tw.make("samegame", board="12 12"))
    assert position.legal() == [0, 15]
    position.play(0)
    assert position.legal() == [0], "the second column has closed up"
    position.play(0)
    assert position.ended
    assert position.state.score == 0
    assert position.rewards() == [1.0]  # 1000 points on four cells


def test_samegame_penalises_what_is_left():
    position = tw.Position(tw.make("samegame", board="123 111"))
    group = position.legal()
    assert group == [0]
    position.play(0)  # four stones: (4 - 2)^2
    assert position.state.score == 4
    assert position.ended
    assert position.rewards() == [pytest.approx((4 - 1 - 1) / (5000 / 225 * 6))]
