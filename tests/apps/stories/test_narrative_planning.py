"""Narrative planning: the format, its mistakes, and plans that an independent checker accepts."""

import sys
from functools import partial
from pathlib import Path

import pytest
from narrative_checker import Refused, Story

from treewright.apps.stories.planning import asking_kernel as asking
from treewright.apps.stories.planning import commands
from treewright.apps.stories.planning import problem as limits
from treewright.apps.stories.planning.planner import Planner, as_data, tree
from treewright.apps.stories.planning.problem import Problem, load_problem
from treewright.apps.stories.planning.prose import told
from treewright.apps.stories.planning.syntax import parse
from treewright.apps.stories.planning.tables import MADE
from treewright.apps.stories.source import StoryError
from treewright.errors import OptionError

# ruff: noqa: E501 - a table of mistakes is read row by row

SHARED = Path(__file__).parents[3].parent / "shared/data/stories/narrative-planning"
VASE = Path(sys.modules[Problem.__module__].__file__).parents[1] / "problems/vase.txt"
# interpreted: a kernel of these thousand lines takes longer to compile than all the tests here
LIMITS = {"goal": 1, "author": 6, "character": 3, "layers": 1, "engine": "python"}


def nested(steps):
    """A plan as the checker wants it."""
    return [(s["action"], {who: nested(r) for who, r in s["because"].items()}) for s in steps]


@pytest.fixture(scope="module")
def planner():
    return Planner(load_problem("vase"), **LIMITS)


@pytest.fixture(scope="module", params=["mcts", "best-first", "explanation-first"])
def plan(planner, request):
    return planner.solve(request.param, 100_000)


def test_a_plan_is_found_and_the_independent_checker_accepts_it(plan):
    assert plan.solved
    assert plan.utility == 1
    found = nested(as_data(plan)["plan"])
    Story(VASE.read_text()).check(found, 1, 6, 3, 1)
    assert "has in mind" in tree(plan)
    assert told(plan).count("so that") >= 2


def test_the_checker_refuses_what_is_no_solution(planner):
    plan = planner.solve("explanation-first", 100_000)
    found = nested(as_data(plan)["plan"])
    story = Story(VASE.read_text())
    with pytest.raises(Refused, match="utility"):
        story.check(found[:-1], 1, 6, 3, 1)
    with pytest.raises(Refused, match="no explanation"):
        story.check([(found[0][0], {}), *found[1:]], 1, 6, 3, 1)
    with pytest.raises(Refused, match="can't happen"):
        story.check(found[1:], 1, 6, 3, 1)


def test_one_seed_gives_one_plan(planner):
    first, again = (planner.solve("mcts", 100_000, seed=3) for _ in range(2))
    assert first.steps == again.steps
    assert first.nodes == again.nodes


def test_an_answer_is_remembered(planner):
    walk = [str(g) for g in planner.problem.actions].index("walk(Alice, Downtown, Home)")
    planner._own[:] = 0
    spent = []
    for _ in range(2):
        planner._put(planner.begin)
        assert planner._ask(asking.CONSENTED, a=walk)
        spent.append(int(planner._own[MADE]))
    assert 0 < spent[0] == spent[1]


def edited(old, new):
    text = VASE.read_text()
    assert old in text, old
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "down", "said"),
    [
        ("type thing;", "type thing", 1, "';' is missing"),
        ("type thing;", "type thing : thong;", 0, "'thing'"),
        ("at(Alice) = Downtown;", "at(Alicia) = Downtown;", 0, "no 'Alicia'"),
        ("at(Alice) = Downtown;", "at(Alice) = Vase;", 0, "that is no place"),
        ("at(Alice) = Downtown;", "believes(Vase, at(Alice)) = Home;", 0, "not a character"),
        ("at(Alice) = Downtown;", "believes(Alice, tall(Bob));", 0, "no property 'tall'"),
        ("utility(Alice):", "utility(Carol):", 0, "no 'Carol'"),
        ("consenting: thief;", "consenting: place;", 0, "not a character"),
        ("effect: at(character) = to;", "effect: at(character) > to;", 0, "can't be '>'"),
        ("effect: arrested(citizen);", "effects: arrested(citizen);", 0, "an action has"),
        ("solved(victim) &", "solved(victim) & 5 &", 0, "assigns a value"),
        ("at(Alice) = Downtown;", "property n() : number; n() = 0.5;", 0, "a number whole"),
        ("at(Alice) = Downtown;", "property n() : number; n() = 12345;", 0, "too many digits"),
        ("entity Bob : citizen;", "entity Bob : citizn;", 0, "'citizen'"),
        ("has(Vase) = Bob;", "has(Vase) = Bob; /* open", 0, "not closed"),
        ("utility(Bob): if(", "utility(Bob): iff(", 0, "',' is missing"),
        ("at(Alice) = Downtown;", "at(Alice) = 3;", 0, "must be a place, and this is no entity"),
        ("at(Alice) = Downtown;", "at(Alice) = True;", 0, "must be a place, and this is no entity"),
        ("at(Alice) = Downtown;", "at(Alice);", 0, "must be a place, and this is no entity"),
        ("at(Alice) = Downtown;", "alive(Bob) = Home;", 0, "must be true or false, and this is an entity"),
        ("at(Alice) = Downtown;", "alive(Bob) = 5;", 0, "must be true or false, and this is 5"),
        ("at(character) == from", "at(character) == 1", 0, "an entity is compared with what is none"),
        ("at(character) == from", "at(character) > from", 0, "entities have no order"),
        ("entity Vase : thing;", "entity Vase : number;", 0, "an entity can't be a number"),
        ("observing(c : character): at(c) == from", "observing(c : thing): at(c) == from", 0, "no thing is a character"),
        ("utility(Alice): if(alive(Alice) & has(Vase) == Alice) 1 else 0;", "utility(Alice): at(Alice);", 0, "must be a number"),
        ("utility(Alice): if(", "utility(Alice): (3 / 0) + if(", 0, "divided by zero"),
        ("solved(victim) &", "believes(Bob, believes(Alice, believes(Bob, solved(victim)))) &", 0, "at most 2 beliefs deep"),
        ("at(Alice) = Downtown;", "at(Alice) = " + "(" * 10_000, 0, "nested more than 100 deep"),
        ("utility(Alice): if(", "utility(Alice): " + "1+" * 10_000 + "if(", 0, "more than 100 terms in a row"),
        ("entity Vase : thing;", "entity Vase : thing;" + "".join(f"entity e{i};" for i in range(99)), 0, "more than 60 entities"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_line(old, new, down, said):
    with pytest.raises(StoryError, match=said.replace("(", r"\(")) as caught:
        Problem(parse(edited(old, new), "mine.txt"))
    text = VASE.read_text()
    line = text[: text.index(old)].count("\n") + 1 + down
    assert str(caught.value).startswith(f"mine.txt, line {line}: ")


def test_a_sum_of_sums_is_given_up(monkeypatch):
    assert limits.MOST_PARTS == 1_000_000
    monkeypatch.setattr(limits, "MOST_PARTS", 10_000)
    text = edited("utility(Alice): if(", "utility(Alice): " + "sum(x : entity) " * 30 + "if(")
    line = text[: text.index("utility(Alice)")].count("\n") + 1
    with pytest.raises(StoryError, match=f"mine.txt, line {line}: more than 10,000 parts"):
        Problem(parse(text, "mine.txt"))


def test_what_is_believed_at_the_start_may_be_deep():
    deep = "believes(Bob, believes(Alice, believes(Bob, has(Vase)))) = Alice;"
    problem = Problem(parse(edited("has(Bat) = Bob;", "has(Bat) = Bob; " + deep), "mine.txt"))
    vase = problem.fluents.index(("has", (problem.entities.index("Vase"),)))
    assert problem.start((1, 0, 1), vase) == problem.entities.index("Alice")
    assert problem.start((1, 0), vase) == problem.entities.index("Bob")


def test_a_file_that_is_too_large_is_refused_at_once(tmp_path):
    path = tmp_path / "large.txt"
    path.write_text("entity Alice : character;\n" * 100_000)
    with pytest.raises(StoryError, match="is larger than 1,048,576 bytes"):
        load_problem(path)


def test_triggers_without_end_are_named():
    more = """
    property lit(place : place) : boolean;
    trigger on(place : place) { precondition: !lit(place); effect: lit(place); };
    trigger off(place : place) { precondition: lit(place); effect: !lit(place); };
    """
    line = VASE.read_text().count("\n") + 3
    with pytest.raises(StoryError, match=f"mine.txt, line {line}: .* without end: off, on"):
        Planner(Problem(parse(VASE.read_text() + more, "mine.txt")), **LIMITS)


@pytest.mark.parametrize("method", ["mcts", "best-first", "explanation-first"])
def test_triggers_without_end_are_named_where_only_an_action_sets_them_off(method):
    more = """
    property wired(place : place) : boolean;
    property lit(place : place) : boolean;
    action wire(citizen : citizen) { precondition: !wired(Home); effect: wired(Home); };
    trigger on(place : place) { precondition: wired(place) & !lit(place); effect: lit(place); };
    trigger off(place : place) { precondition: wired(place) & lit(place); effect: !lit(place); };
    """
    planner = Planner(Problem(parse(VASE.read_text() + more, "mine.txt")), **LIMITS)
    with pytest.raises(StoryError, match="without end: off, on"):
        planner.solve(method, 100_000)


def test_an_action_that_only_a_trigger_makes_possible_is_kept():
    more = """
    property lit(place : place) : boolean;
    trigger dawn(place : place) { precondition: !lit(place); effect: lit(place); };
    action read(character : character) {
        precondition: lit(Home); effect: !alive(character); consenting: character;
    };
    """
    names = {g.name for g in Problem(parse(VASE.read_text() + more, "mine.txt")).actions}
    assert "read" in names


def test_fractions_are_for_utilities_and_conditions_only():
    half = "utility(): (if(exists(c : citizen) arrested(c)) 0.5 + (1/4) else 0) + 0.25;"
    text = VASE.read_text()
    begin = text.index("utility():")
    text = text[:begin] + half + text[text.index(";", begin) + 1 :]
    plan = Planner(Problem(parse(text, "mine.txt")), **LIMITS).solve("best-first", 100_000)
    assert plan.utility == 1
    more = """
    property weight(thing : thing) : number;
    weight(Vase) = 3;
    action halve(citizen : citizen) { effect: weight(Vase) = weight(Vase) / 2; };
    """
    planner = Planner(Problem(parse(VASE.read_text() + more, "mine.txt")), **LIMITS)
    with pytest.raises(StoryError, match="a property was given a fraction"):
        planner.solve("best-first", 100_000)


MARKET = """
// numbers, arithmetic, a constant parameter, product, comparison of two properties
type good; type seller : character; type buyer : character; type trader : seller, buyer;
entity Mia : buyer; entity Tom : trader; entity Oz : seller;
entity Silk : good; entity Salt : good; entity Stall : entity;
property gold(character : character) : number;
property price(good : good) : number;
property owner(good : good) : character;
property worth(good : good, character : character) : number;
property open(Stall) : boolean;
forall(c : character) gold(c) = 2;
gold(Mia) = 6; price(Silk) = 3; price(Salt) = 1;
owner(Silk) = Oz; owner(Salt) = Tom;
worth(Silk, Mia) = 5; worth(Salt, Mia) = 1; worth(Silk, Tom) = 4; worth(Salt, Oz) = 2;
action open(seller : seller, Stall) { precondition: !open(Stall); effect: open(Stall); consenting: seller; observing(c : character): True; };
action sell(seller : seller, buyer : buyer, good : good) {
  precondition: seller != buyer & open(Stall) & owner(good) == seller & gold(buyer) >= price(good);
  effect: owner(good) = buyer & gold(buyer) = gold(buyer) - price(good) & gold(seller) = gold(seller) + price(good) & if(price(good) < 3) price(good) = price(good) + 1 else price(good) = price(good) * 2;
  consenting: seller, buyer;
};
action haggle(buyer : buyer, good : good) { precondition: price(good) > 1; effect: price(good) = price(good) - 1; consenting: buyer; };
utility(): (if(owner(Silk) == Mia) 1 else 0) + (if(gold(Oz) > gold(Tom)) 1 else 0);
utility(Mia): gold(Mia) + sum(g : good) if(owner(g) == Mia) worth(g, Mia) else 0;
utility(Tom): gold(Tom) + sum(g : good) (if(owner(g) == Tom) worth(g, Tom) else 0);
utility(Oz): gold(Oz) + (product(g : good) (if(owner(g) == Oz) 1 else 0)) + (1/2);
"""


def test_the_rest_of_the_format_is_understood_as_the_checker_does():
    """Several parents, constant parameters, products, fractions, effects with else, no observers."""
    limits = (2, 4, 3, 1)
    planner = Planner(Problem(parse(MARKET, "market.txt")), *limits, "python")
    plan = planner.solve("best-first", 2_000)
    assert plan.utility == 2
    Story(MARKET).check(nested(as_data(plan)["plan"]), *limits)


WAVE = """
entity Kim : character; entity Lou : character;
property rich(character : character) : boolean; property waved() : boolean;
action wave() { effect: waved(); consenting: Lou; };
action dig() { precondition: !rich(Kim); effect: rich(Kim); consenting: Kim; };
utility(): if(waved()) 1 else 0;
utility(Kim): if(rich(Kim)) 1 else 0;
utility(Lou): if(rich(Kim)) 1 else 0;
"""


@pytest.mark.parametrize("method", ["mcts", "best-first", "explanation-first"])
def test_what_others_do_anyway_is_no_reason(method):
    with pytest.raises(Refused, match="would do"):
        story = Story(WAVE)
        story.check(
            [("wave()", {"Lou": [("wave()", {}), ("dig()", {"Kim": [("dig()", {})]})]})], 1, 2, 2, 1
        )
    planner = Planner(Problem(parse(WAVE, "wave.txt")), 1, 2, 2, 1, "python")
    assert not planner.solve(method, 2_000).solved


def test_limits_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match="--layers must be from 0 to 5"):
        Planner(load_problem("vase"), 1, 6, 3, 9)
    with pytest.raises(StoryError, match="nothing is left to tell"):
        Planner(load_problem("vase"), 0, 6, 3, 1)


def test_a_goal_out_of_reach_is_said_to_be(planner):
    short = Planner(load_problem("vase"), 1, 5, 3, 1, "python")
    assert short.solve("explanation-first", 100_000).stopped == "exhausted"


@pytest.mark.parametrize("method", ["mcts", "best-first", "explanation-first"])
@pytest.mark.parametrize("limits", [(99, 6, 3, 1), (1, 5, 3, 1), (1, 6, 1, 1), (1, 6, 3, 0)])
def test_limits_within_which_there_is_no_plan_are_refused(limits, method, monkeypatch):
    monkeypatch.setattr(commands, "Planner", partial(Planner, engine="python"))
    line = VASE.read_text()[: VASE.read_text().index("utility():")].count("\n") + 1
    goal, author, _, layers = limits
    said = f"vase.txt, line {line}: no plan raises the author's utility to {goal} within --author"
    with pytest.raises(StoryError, match=rf"{said} {author}, .* --layers {layers}$"):
        commands.generate("vase", *limits, method, 4_000, 1, "text", None, False, True)


@pytest.mark.parametrize("precedence", ["a & b | c", "if(a) b & c"])
def test_precedence_is_that_of_the_format(precedence):
    text = f"type t; entity A : character; property x(character : character) : boolean; utility(): {precedence};"
    for letter in "abc":
        text = text.replace(letter + " ", "x(A) ").replace(f"({letter})", "(x(A))")
    node = parse(text.replace(" c;", " x(A);"), "p").utilities[0][1]
    assert node.kind == "and"


def test_every_problem_of_the_benchmark_is_read():
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is absent")
    files = [f for f in sorted(SHARED.glob("*.txt")) if f.name != "LICENSE.txt"]
    sizes = {f.stem: len(load_problem(f).characters) for f in files}
    assert sizes["basketball"] == 4
    assert sizes["treasure"] == 2
    assert len(sizes) == 10
