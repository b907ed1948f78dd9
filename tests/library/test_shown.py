"""What notebooks show: tables, pictures, positions, reports and progress."""

import io
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from numpy import int8
from reference import BY_PLAYERS, grow

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.library.checking import Report
from treewright.library.tree_picture import draw_tree

EVIL = "<script>alert('&')</script>-->"


class Odd(tw.Domain):
    """Its names would be markup, or mathematics, if somebody took them for that."""

    players = 2
    max_actions = 3
    state = tw.record(left=int8, player=int8)

    def start(s, left=4):
        s.left = left

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 3

    def play(s, action):
        s.left -= 1
        s.player = 1 - s.player

    def ended(s):
        return s.left == 0

    def rewards(s, out):
        out[s.player] = 1.0

    def describe(s, action):
        return [EVIL, r"$\wrong$", "plain"][action]

    def render(s):
        return EVIL * s.left


class Toss(tw.Domain):
    """Chance decides, and then it is over."""

    max_actions = 2
    state = tw.record(coin=int8, tossed=int8)

    def start(s):
        s.tossed = 0

    def player(s):
        return tw.CHANCE

    def legal(s, out):
        out[0], out[1] = 0, 1
        return 2

    def play(s, action):
        s.coin = action
        s.tossed = 1

    def ended(s):
        return s.tossed == 1

    def rewards(s, out):
        out[0] = s.coin

    def sample_chance(s, rng):
        return 1


class Page(HTMLParser):
    """The text and the tags of a piece of HTML in which every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    page = Page(html)
    assert "script" not in page.tags
    return page


def picture(svg):
    root = ElementTree.fromstring(svg)
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    return "".join(root.itertext())


def searched(domain, simulations=30, **more):
    search = tw.Search(domain, engine="python", memory="1MiB", seed=1, **more)
    return search, search.run(simulations)


@pytest.fixture
def bare(monkeypatch):
    """As if matplotlib were not installed."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_a_result_is_a_table_with_its_line_of_play():
    _, result = searched(TicTacToe(), options=tw.Options(solver=True))
    page = read(result._repr_html_())
    assert page.text.startswith(f"best: {result.label}, value {result.value:.4f}")
    assert page.tags.count("tr") == 1 + 9
    for child in result.children:
        assert child.label in page.text
    assert f"expected: {', '.join(result.principal_variation())}" in page.text
    assert read(result.children._repr_html_()).tags.count("td") == 9 * 4


def test_many_children_are_cut_short():
    _, result = searched(tw.make("go-5x5"), simulations=5)
    page = read(result._repr_html_())
    assert page.tags.count("tr") == 1 + 20
    assert "… and 6 more" in page.text


def test_what_a_domain_says_is_text_and_neither_markup_nor_mathematics():
    search, result = searched(Odd())
    for shown in (result, result.children, search.position):
        assert EVIL in read(shown._repr_html_()).text
    pytest.importorskip("matplotlib")
    text = picture(search.tree._repr_svg_())
    assert EVIL in text
    assert r"$\wrong$" in text


def test_a_tree_is_a_picture():
    pytest.importorskip("matplotlib")
    search, result = searched(TicTacToe())
    assert search.tree._repr_html_() is None
    assert f"{result.label}:  {result.visits}  (" in picture(search.tree._repr_svg_())
    assert repr(search.tree) == "<TreeView of tictactoe-v1: 30 nodes>"


def test_without_matplotlib_a_tree_is_a_table(bare):
    search, result = searched(Odd())
    assert search.tree._repr_svg_() is None
    page = read(search.tree._repr_html_())
    assert page.tags.count("tr") == 1 + len(list(search.tree.walk(3, 3)))
    assert EVIL in page.text
    with pytest.raises(tw.MissingExtra):
        draw_tree(search, Path("tree.svg"))
    assert read(result._repr_html_())


@pytest.mark.parametrize("players", [1, 2, 3])
def test_any_number_of_players(players):
    domain = BY_PLAYERS[players](tables=grow(1, players=players, depth=4))
    search, result = searched(domain)
    page = read(result._repr_html_())
    assert ("best sequence: score" in page.text) == (players == 1)
    assert read(search.position._repr_html_()).text.endswith("to move")
    phases = search.run_phases(2, simulations=10)
    page = read(phases._repr_html_())
    assert f"committed: {phases.actions[0]}, {phases.actions[1]}" in page.text
    see_tree(search)


def test_chance_at_the_root():
    search, result = searched(Toss())
    assert read(result._repr_html_()).text.startswith("chance decides, value 1.0000")
    assert "chance decides" in read(search.position._repr_html_()).text
    see_tree(search)


def test_nothing_searched_yet():
    search = tw.Search(Toss(), engine="python")
    assert read(search.result()._repr_html_()).text.startswith("chance decides, value -")
    see_tree(search)
    search = tw.Search(TicTacToe(), engine="python")
    assert read(search.result()._repr_html_())
    see_tree(search)


def test_a_position_that_has_ended():
    search, _ = searched(Odd(left=1))
    search.commit(0)
    assert read(search.position._repr_html_()).text == "ended, rewards 0, 1"
    assert repr(search.position).startswith("<Position of Odd")
    see_tree(search)
    phases = search.run_phases(2, simulations=10)
    assert "committed: nothing" in read(phases._repr_html_()).text


def see_tree(search):
    if search.tree._repr_html_() is None:
        assert picture(search.tree._repr_svg_())
    else:
        assert read(search.tree._repr_html_())


def test_a_report_says_what_is_wrong():
    good = Report("tictactoe-v1", games=20, actions=150, longest=9, widest=9)
    page = read(good._repr_html_())
    assert page.text.startswith("tictactoe-v1: no problem found")
    assert "150" in page.text
    bad = Report("Odd", problems=[f"look at {EVIL}", "another"])
    page = read(bad._repr_html_())
    assert "Odd: 2 problems" in page.text
    assert EVIL in page.text
    assert page.tags.count("li") == 2


# --------------------------------------------------------------------------------- progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_knows_how_much_of_the_budget_is_spent():
    search = tw.Search(TicTacToe(), engine="python")
    search.run(100)  # what an earlier run has made does not count
    budgets = ({"seconds": 100}, {"simulations": 10**6}, {"nodes": 10**6}, {})
    for budget, name in zip(budgets, ("seconds", "simulations", "created", None), strict=True):
        begun = {"seconds": 0, "simulations": search.simulations, "created": search.tree.size}
        seen = []
        search.run(**budget, until=lambda now: True, progress=seen.append)
        assert len(seen) == 1
        if name is None:
            assert seen[0].share is None
        else:
            made = getattr(seen[0], name) - begun[name]
            assert seen[0].share == pytest.approx(made / (100 if name == "seconds" else 10**6))


def test_a_bar_in_a_terminal_is_there_for_the_run(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    search = tw.Search(TicTacToe(), engine="python")
    bar = tw.ProgressBar("<i>tic-tac-toe</i>")
    search.run(until=lambda now: True, progress=bar)
    assert "tic-tac-toe</i>" in screen.getvalue()
    assert "compiling" not in screen.getvalue()  # and nothing is
    said = f"<i>tic-tac-toe</i>: {search.simulations:,} simulations"
    assert str(bar) == said
    page = read(bar._repr_html_())
    assert page.text.strip() == said
    assert "progress" in page.tags
    before = screen.getvalue()
    search.run_phases(1, simulations=10, progress=bar)
    assert len(screen.getvalue()) > len(before)


def test_a_bar_is_nothing_elsewhere_and_ends_with_an_error(capsys):
    bar = tw.ProgressBar()
    tw.Search(TicTacToe(), engine="python").run(100, progress=bar)
    assert capsys.readouterr() == ("", "")
    assert bar.share == 1.0

    def evaluate(states):
        raise RuntimeError("gone")

    search = tw.Search(TicTacToe(), engine="python", evaluate=evaluate)
    with pytest.raises(tw.EvaluatorError, match="gone"):
        search.run(10, progress=bar)
    assert bar.share == 0.0


def test_a_domain_says_which_one_it_is():
    assert repr(tw.make("nim", heap=7)) == "<nim-v1(heap=7): 2 players>"
    assert repr(tw.make("samegame")) == "<samegame-v1: 1 player>"


def test_whatever_searches_says_how_far_it_is():
    forest = tw.Forest(TicTacToe(), 3, engine="python").run(2)
    assert repr(forest) == "<Forest of tictactoe-v1: 3 positions, 6 simulations>"
    rollouts = tw.BulkRollouts(TicTacToe(), each=2, batch=2, engine="python")
    assert repr(rollouts) == "<BulkRollouts of tictactoe-v1: 2 for each leaf>"


def test_no_public_class_shows_an_address():
    for name in tw.__all__:
        kind = getattr(tw, name)
        if isinstance(kind, type) and not issubclass(kind, Exception):
            assert kind.__repr__ is not object.__repr__, f"tw.{name} prints as an address"
