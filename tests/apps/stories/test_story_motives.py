"""Motives and beliefs in our own language: the same rules twice, reasons, and mistakes."""

import pickle
import random

import pytest

from treewright.apps.stories.explaining import as_text, explain
from treewright.apps.stories.library import Library, find_source
from treewright.apps.stories.planning.mind import motivated_domain
from treewright.apps.stories.searches import generate
from treewright.apps.stories.setup import load_setup, read_setup
from treewright.apps.stories.source import Source, StoryError
from treewright.apps.stories.story import replay
from treewright.apps.stories.telling import prose
from treewright.apps.stories.world import World, scope_of
from treewright.library.position import Position

# ruff: noqa: E501 - tables of mistakes are read row by row

LIBRARY = """
[types]
actor = { plural = "actors", noun = "person" }
place = { plural = "places", noun = "place" }
item = { plural = "items", noun = "thing" }

[attributes.actor]
place = { is = "place", required = true }
hungry = { range = [0, 9] }

[attributes.item]
place = { is = "place" }
eaten = { is = "bool" }

[motives]
people = ["X: actor", "Y: actor"]
wants = "0 - X.hungry"
sees = "X.place == Y.place"

[[notices]]
for = "I: item"
if = "I.place == X.place"
what = ["place", "eaten"]

[[action]]
name = "Go"
params = ["A: actor", "P: place"]
needs = ["A.place != P"]
does = ["A.place = P"]
believe = 0.9
text = ["{A} went {P:to}"]

[[action]]
name = "Eat"
params = ["A: actor", "I: item"]
needs = ["A.place == I.place", "not I.eaten"]
does = ["I.eaten = true", "A.hungry -= 3"]
text = ["{A} ate {I}"]
aim = "eat {I:the}"

[[action]]
name = "Dine"
params = ["A: actor", "B: actor", "I: item"]
consents = ["A", "B"]
needs = ["A < B", "A.place == I.place", "B.place == I.place", "not I.eaten"]
does = ["I.eaten = true", "A.hungry = 0", "B.hungry += 1"]
text = ["{A} dined with {B}"]
"""

SETUP = """
goals = ["pie.eaten"]
length = 4
[motives]
[places]
hall = {}
kitchen = {}
attic = {}
[actors]
Ann = { place = "hall", hungry = 2, pronoun = "she" }
Ben = { place = "hall", pronoun = "he" }
[items]
pie = { place = "kitchen" }
"""


def setup_of(text=SETUP, library=LIBRARY, tmp_path=None):
    path = tmp_path / "lib.toml"
    path.write_text(library)
    made = read_setup(
        Source(text.replace("goals", 'library = "lib.toml"\ngoals', 1), "mine.toml"), tmp_path
    )
    made.engine = "python"
    return made


@pytest.fixture
def made(tmp_path):
    return lambda *edits: setup_of(_edited(SETUP, edits), _edited(LIBRARY, edits), tmp_path)


def _edited(text, edits):
    for old, new in edits:
        text = text.replace(old, new, 1)
    return text


def why(setup, action, *after):
    return explain(setup, action, list(after))


def test_whoever_gains_by_a_plan_has_a_reason(made):
    data = why(made(), "Go(Ann, kitchen)")
    assert data["reasons"] == {"Ann": ["Go(Ann, kitchen)", "Eat(Ann, pie)"]}
    assert data["believability"] == pytest.approx(0.9)
    assert "Ann has in mind: Go(Ann, kitchen), then Eat(Ann, pie)" in as_text(data)


def test_without_a_reason_an_action_is_less_believable(made):
    data = why(made(), "Go(Ann, attic)")
    assert data["reasons"] == {"Ann": None}
    assert data["believability"] == pytest.approx(0.09)
    assert "Ann has no reason for it" in as_text(data)


def test_with_hard_motives_it_does_not_happen(made):
    data = why(made(("[motives]\n[places]", "[motives]\nhard = true\n[places]")), "Go(Ann, attic)")
    assert data["believability"] == 0
    assert not data["possible"]


def test_partly_explained_is_for_some_but_not_all(made):
    setup = made(('pie = { place = "kitchen" }', 'pie = { place = "hall" }'))
    data = why(setup, "Dine(Ann, Ben, pie)")
    assert data["reasons"] == {"Ann": ["Dine(Ann, Ben, pie)"], "Ben": None}
    assert data["believability"] == pytest.approx(0.5)


def test_people_act_in_the_world_that_they_believe_in(made):
    belief = (
        "[motives]\n[places]",
        '[motives]\nbeliefs = { Ann = ["pie.place = attic"] }\n[places]',
    )
    setup = made(belief)
    assert why(setup, "Go(Ann, attic)")["reasons"]["Ann"] == ["Go(Ann, attic)", "Eat(Ann, pie)"]
    assert why(setup, "Go(Ann, kitchen)")["reasons"]["Ann"] is None
    # there she sees that it is not there, and no longer knows where it is
    after = why(setup, "Go(Ann, hall)", "Go(Ann, attic)")
    assert after["reasons"]["Ann"] is None
    # in the kitchen she sees it
    assert why(setup, "Eat(Ann, pie)", "Go(Ann, kitchen)")["reasons"]["Ann"] == ["Eat(Ann, pie)"]


def test_what_somebody_does_not_see_they_do_not_know(made):
    setup = made(('Ben = { place = "hall"', 'Ben = { place = "kitchen", hungry = 1'))
    eaten = why(setup, "Go(Ann, kitchen)", "Eat(Ben, pie)")
    assert eaten["reasons"]["Ann"] == ["Go(Ann, kitchen)", "Eat(Ann, pie)"]
    # had she been there, she would know better
    there = made(
        ('Ann = { place = "hall"', 'Ann = { place = "kitchen"'),
        ('Ben = { place = "hall"', 'Ben = { place = "kitchen", hungry = 1'),
    )
    assert why(there, "Go(Ann, hall)", "Eat(Ben, pie)")["reasons"]["Ann"] is None


def test_a_want_of_ones_own_replaces_the_librarys(made):
    own = ("[motives]\n[places]", '[motives]\nwants = { Ben = "Ben.place == attic" }\n[places]')
    assert why(made(own), "Go(Ben, attic)")["reasons"]["Ben"] == ["Go(Ben, attic)"]
    assert why(made(), "Go(Ben, attic)")["reasons"]["Ben"] is None


def test_a_story_is_found_in_which_everybody_has_a_reason(made):
    story = generate(made(), nodes=400, seed=1, engine="python")
    assert story.actions == ["Go(Ann, kitchen)", "Eat(Ann, pie)"]
    assert [s.reasons.word for s in story.steps] == ["explained", "explained"]
    assert story.score == pytest.approx(0.9)


def test_a_set_up_travels_without_what_was_compiled(made):
    setup = made()
    assert why(setup, "Go(Ann, kitchen)")["reasons"]
    again = pickle.loads(pickle.dumps(setup))
    assert why(again, "Go(Ann, kitchen)") == why(setup, "Go(Ann, kitchen)")


def test_the_telling_says_what_for(made):
    setup = made()
    story = replay(
        setup, [setup.ground(a) for a in ("Go(Ann, kitchen)", "Go(Ben, kitchen)", "Eat(Ann, pie)")]
    )
    assert "Ann went to the kitchen, meaning to eat the pie." in prose(
        story
    ) or "hoping to eat the pie" in prose(story)


def test_the_planning_form_plays_as_the_language_does():
    """Random stories of the crime library, in both: every value and every believability."""
    setup = load_setup("motives", {"motives": {"ahead": 1}})
    setup.engine = "python"
    problem = setup.mind.problem
    where = {(str(c[0]), c[1:]): c for c in problem.write.fluent}
    number = {event: i for i, event in enumerate(problem.events)}
    draw, position, world = random.Random(1), Position(motivated_domain(setup)), World.start(setup)
    for _ in range(8):
        event = draw.choice([e for e in problem.events if happens(world, e)])
        world.play(event)
        position.play(number[event])
        assert position.state.believability == pytest.approx(world.believability, rel=1e-6)
        for i, name in enumerate(problem.fluents):
            told = world.values[where[name]]
            assert int(position.state.worlds[i]) == (-20_000 if told < 0 else told)


def happens(world, event):
    action = world.setup.library.action(event.action)
    return world.value(action.precondition, scope_of(event))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[motives]\n[places]", '[motives]\nwants = { Zed = "1" }\n[places]', "a want of nobody: there is no actor 'Zed'"),
        ("[motives]\n[places]", '[motives]\nwants = { Ann = "kitchen" }\n[places]', "a want is a whole number or a condition"),
        ("[motives]\n[places]", '[motives]\nwants = { Ann = "times(Eat)" }\n[places]', "a want can't ask which actions happened"),
        ("[motives]\n[places]", '[motives]\nbeliefs = { Zed = ["pie.eaten = true"] }\n[places]', "a belief of nobody"),
        ("[motives]\n[places]", '[motives]\nbeliefs = { Ann = ["cake.eaten = true"] }\n[places]', "'cake' is unknown"),
        ("[motives]\n[places]", '[motives]\nbeliefs = { Ann = ["pie.cold = true"] }\n[places]', "no attribute 'cold'"),
        ("[motives]\n[places]", '[motives]\nbeliefs = { "Ann, Ann" = ["pie.eaten = true"] }\n[places]', "their own beliefs"),
        ("[motives]\n[places]", "[motives]\nlayers = 9\n[places]", "layers is from 1 to 3"),
        ("[motives]\n[places]", "[motives]\nlayer = 1\n[places]", "'layer' is unknown here"),
        ("[motives]\n[places]", '[motives]\nhard = "very"\n[places]', "hard is true or false"),
        ('people = ["X: actor", "Y: actor"]', 'people = ["X: item", "Y: item"]', "item is no person"),
        ('wants = "0 - X.hungry"', 'wants = "X.thirsty"', "no attribute 'thirsty'"),
        ('wants = "0 - X.hungry"', "unexplained = 2\nwants = \"0\"", "unexplained lies between 0 and 1"),
        ('what = ["place", "eaten"]', 'what = ["plaice"]', "no attribute 'plaice'"),
        ('consents = ["A", "B"]', 'consents = ["I"]', "none of the people in params"),
        ("[motives]\npeople", "[motivs]\npeople", "'motivs' is unknown"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_line(made, old, new, said):
    with pytest.raises(StoryError, match=said) as caught:
        made((old, new))
    assert ", line " in str(caught.value)


def test_a_set_up_needs_a_library_with_motives():
    text = find_source("lunch", "setups").text + "\n[motives]\nlayers = 1\n"
    with pytest.raises(StoryError, match="nobody wants anything"):
        read_setup(Source(text, "mine.toml"))


def test_a_set_up_that_is_too_large_is_refused_at_once():
    with pytest.raises(StoryError, match="at most 12 people, not 20"):
        load_setup("town", {"motives": {"layers": 1}})
    people = "\n".join(f"p{i} = {{ place = 'a' }}" for i in range(12))
    things = "\n".join(f"t{i} = {{ place = 'a' }}" for i in range(60))
    text = f'goals = ["p1 is dead"]\n[motives]\n[places]\na = {{}}\n[actors]\n{people}\n[items]\n{things}\n'
    with pytest.raises(StoryError, match="at most 20,000 ground actions, not"):
        _ = read_setup(Source(text, "mine.toml")).mind


def test_order_can_not_be_asked_for():
    setup = load_setup("motives", {"order": [["Steal", "Kill"]]})
    with pytest.raises(StoryError, match="can't ask which actions happened"):
        _ = setup.mind


def test_without_the_section_nothing_changes():
    plain = load_setup("motives", {"motives": None})
    assert plain.minds is None
    assert World.start(plain).believed(plain.ground("Move(Lestrade, bob_house)"))[0] == 0.97
    assert load_setup("sherlock").minds is None
    assert Library([find_source("crime", "libraries")]).motives is not None
