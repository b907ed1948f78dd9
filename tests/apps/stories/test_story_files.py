"""Story files: the language, libraries, set-ups and every kind of mistake in them."""

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.apps.maps.spec import load_spec
from treewright.apps.stories import language
from treewright.apps.stories.asking import ask
from treewright.apps.stories.checker import Vocabulary, condition
from treewright.apps.stories.language import LanguageError
from treewright.apps.stories.library import Library, built_in_names, find_source, load_library
from treewright.apps.stories.lint import check_file, described
from treewright.apps.stories.reach import impossible
from treewright.apps.stories.setup import load_setup, read_setup
from treewright.apps.stories.source import Source, StoryError
from treewright.apps.stories.story import replay
from treewright.errors import TreewrightError

# ruff: noqa: E501 - a table of mistakes is read row by row

SHERLOCK = find_source("sherlock", "setups").text
CRIME = find_source("crime", "libraries").text

FIGURE_5 = """PickUp(Alice, vase); PickUp(Bob, rifle); Move(Bob, alice_house);
Steal(Bob, Alice, vase); Steal(Alice, Bob, vase); Kill(Bob, Alice, rifle); Flee(Bob, downtown);
Kill(Bob, Lestrade, rifle); PickUp(Charlie, bat); Move(Sherlock, alice_house); FindClues(Sherlock);
Flee(Bob, alice_house); Wrestle(Sherlock, Bob, rifle); CitizensArrest(Sherlock, Bob, rifle)"""
FIGURE_6 = "Move(Sherlock, alice_house); Earthquake(alice_house)"


def story(text, setup=None):
    setup = setup or load_setup("sherlock")
    return replay(setup, [setup.ground(a.strip(), "prefix") for a in text.split(";")])


def edited(text, old, new):
    assert old in text, old
    return text.replace(old, new, 1)


def refuse_setup(old, new, text=SHERLOCK):
    with pytest.raises(StoryError) as caught:
        setup = read_setup(Source(edited(text, old, new), "mine.toml"))
        raise StoryError(impossible(setup))
    return str(caught.value)


def refuse_library(old, new):
    with pytest.raises(StoryError) as caught:
        Library([Source(edited(CRIME, old, new), "lib.toml")])
    return str(caught.value)


# ------------------------------------------------------------------------------- known answers


def test_the_surveys_figures_have_the_scores_worked_out_by_hand():
    """0.97 · 0.99 · 0.99 · 0.9 (watched? no: alone) … replayed; figure 6 is 0.97 · 0.1 · 1/2."""
    assert story(FIGURE_6).score == pytest.approx(0.97 * 0.1 * 0.5)
    five = story(FIGURE_5)
    losses = [s.believability for s in five.steps if s.believability < 0.97]
    assert losses == pytest.approx([0.7, 0.8])  # the inspector without anger, back to the scene
    assert five.share == 1.0
    assert five.score == pytest.approx(0.97 * 0.99 * 1.0 * 0.7 * 0.8 * 0.98)


def test_a_step_that_is_not_possible_is_named():
    with pytest.raises(StoryError, match=r"step 1, Kill\(Bob, Alice, rifle\), is not possible"):
        story("Kill(Bob, Alice, rifle)")


def test_crime_has_the_surveys_actions():
    names = {a.name for a in load_library("crime").actions}
    assert len(names) >= 20
    assert names >= {
        "Move", "Kill", "Earthquake", "PickUp", "Steal", "Flee", "FindClues", "Wrestle",
        "CitizensArrest", "Arrest",
    }  # fmt: skip


def test_there_are_two_libraries_and_ten_setups_of_all_sizes():
    assert len(built_in_names("libraries")) >= 2
    sizes = [len(load_setup(n).people) for n in built_in_names("setups")]
    assert len(sizes) >= 10
    assert min(sizes) == 3
    assert max(sizes) == 40


def test_ten_lines_are_enough():
    text = """
goals = ["at least 1 murdered", "the murderer is arrested"]
[places]
house = {}
jail = { kind = "jail" }
[actors]
Ann = { place = "house", anger = { Ben = 3 } }
Ben = { place = "house", job = "officer" }
[items]
knife = { place = "house", weapon = 1.0 }
"""
    assert len([line for line in text.splitlines() if line]) <= 10
    assert len(read_setup(Source(text, "ten.toml")).goals) == 2


@pytest.mark.parametrize("library", ["crime", "fairy_tale"])
def test_the_wizards_own_answers_make_a_setup(library):
    asked = []
    text = ask(library, lambda question, default: asked.append(question) or default, pytest.fail)
    assert impossible(read_setup(Source(text, "new.toml"))) == ""
    if library == "crime":
        assert 'jail = { kind = "jail" }' in text
        assert "weapon = 0.8" in text
        assert "at least N dead" in asked[-1]


def test_a_description_says_nothing_twice():
    crime = described(load_library("crime"))["attributes"]
    assert crime["actors"]["job"] == "civilian or detective or officer or doctor"
    assert crime["places"]["kind"] == "house or public or jail"
    tale = described(load_library("fairy_tale"))["attributes"]
    assert "(" not in tale["people"]["role"] + tale["places"]["realm"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_setup("sherlok"), "'sherlok' (a file ends in .toml); did you mean"),
        (lambda: load_spec("mcguines"), "(a file ends in .toml, .txt or .png); did you mean"),
    ],
)
def test_a_question_ends_its_sentence(call, message):
    with pytest.raises(TreewrightError, match=re.escape(message)) as found:
        call()
    assert str(found.value).endswith("?")


def test_a_library_on_top_adds_and_replaces(tmp_path):
    (tmp_path / "more.toml").write_text(
        """
[attributes.actor]
owes = { over = "actor", is = "bool" }
[[action]]
name = "Lend"
params = ["A: actor", "B: actor"]
needs = "together(A, B) and not B.owes[A]"
does = "B.owes[A] = true"
text = "{A} lent {B} some money"
[[action]]
name = "Earthquake"
params = ["P: place"]
needs = "false"
text = "Nothing shook {P}"
"""
    )
    (tmp_path / "mine.toml").write_text(
        edited(SHERLOCK, 'library = "crime"', 'library = ["crime", "more.toml"]')
    )
    setup = load_setup(str(tmp_path / "mine.toml"))
    assert len(setup.library.actions) == len(load_library("crime").actions) + 1
    with pytest.raises(StoryError, match="not possible"):
        story(FIGURE_6, setup)
    assert story("Move(Bob, alice_house); Lend(Bob, Alice)", setup).steps[-1].changes


# ----------------------------------------------------------------------------------- bad set-ups

BAD_SETUPS = [
    ('length = 20', 'length = 20\nstyle = "diaries"', r"line 5: there is no style 'diaries'; did you mean 'diary'"),
    ('place = "bob_house", pronoun', 'place = "bobs_house", pronoun',
     r"mine.toml, line 18: there is no place 'bobs_house'; did you mean 'bob_house'"),
    ('"at least 2 dead"', '"Alicia is dead"', r"line 5: .*no actor 'Alicia'; did you mean 'Alice'"),
    ('"at least 2 dead"', '"dead(Alicia)"', r"line 5, in 'dead\(Alicia\)' .*'Alicia' is unknown"),
    ('"at least 2 dead"', '"at least two dead"', r"line 5: .*neither an expression nor"),
    ('"at least 2 dead"', '"at least 9 dead"', r"line 5: .*'at least 9 dead' can't be reached"),
    ('"at least 2 dead"', '"alive(Bob) and bat.stuck and Bob.kills > 50"',
     r"line 5: .*can't be reached: Bob.kills > 50 can't come true"),
    ('length = 20', 'length = 1', r"line 5: the goal 'the murderer is arrested' can't be reached: the length of the story, 1, is too short"),
    ('Alice = { place', 'bat = { place', r"line 26: 'bat' is there already: the actor on line 17"),
    ('[items]', '[items]\nvase = { place = "court" }', r"a name is given twice .*line 25"),
    ('name = "baseball bat"', 'name = "Rifle"', r"line 26: rifle has the same name"),
    ('holder = "Lestrade", owner', 'holder = "Lestrade", place = "court", owner',
     r"line 28: handcuffs: an item is either at a place or held by somebody"),
    ('rifle = { place = "bob_house", ', 'rifle = { ', r"line 25: rifle: an item is either"),
    ('Alice = { place = "alice_house", ', 'Alice = { ', r"line 17: Alice needs place"),
    ('weapon = 1.0', 'weapon = "big"', r"line 25: item.weapon is a number, not 'big'"),
    ('job = "officer"', 'job = "police"', r"line 21: 'police' is no job"),
    ('pronoun = "she"', 'pronoun = "xe"', r"line 17: a pronoun is"),
    ('pronoun = "she"', 'gender = "she"', r"line 17: 'gender' is unknown"),
    ('length = 20', 'length = 0', r"line 4: length is a whole number from 1 to"),
    ('[items]', '[items]\nkeep = ["Alice is alive"]', r"line 24: keep must stand above the first"),
    ('length = 20', 'lenght = 20', r"line 4: 'lenght' is unknown here; did you mean 'length'"),
    ('length = 20', 'enough = 1.5', r"line 4: enough is above 0 and at most 1"),
    ('length = 20', 'forbid = ["Murder"]', r"line 4, .*there is no action 'Murder'"),
    ('length = 20', 'forbid = ["Kill(Bob)"]', r"line 4, .*Kill\(A, B, W\) takes 3 arguments"),
    ('length = 20', 'prefix = ["Kill(Bob, _, _)"]', r"line 4: .*must name every entity"),
    ('length = 20', 'tuning = { Kill = -1 }', r"line 4: Kill = -1: expected a number"),
    ('length = 20', 'believability = { Kill = 1.2 }', r"line 4: Kill = 1.2: expected a number from 0 to 1"),
    ('length = 20', 'require = ["Kill(Bob, Alice)"]', r"line 4, .*takes 3 arguments"),
    ('length = 20', 'goal = []', r"line 4: 'goal' is unknown here; did you mean 'goals'"),
    ('library = "crime"', 'library = "crim"', r"line 3: there is no library 'crim' .*; did you mean 'crime'"),
    ('goals = ["at least 2 dead", "the murderer is arrested"]', '', "a story needs goals"),
    ('"at least 2 dead"', '{ want = "Alice is dead", weight = 0 }', r"line 5: a weight is above 0"),
    ('"at least 2 dead"', '{ want = "Alice is dead", of = 2 }', r"line 5: the goal .* is a condition"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BAD_SETUPS)
def test_a_bad_setup_is_refused_with_its_line(old, new, message):
    said = refuse_setup(old, new)
    assert re.search(message, said), said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"forbid": ["Murder"]}, r"^the option forbid, in 'Murder' .*no action 'Murder'"),
        ({"tuning": {"Kil": 0.5}}, r"^the option tuning: there is no action 'Kil'; did you mean"),
        ({"length": 0}, r"^the option length: length is a whole number from 1 to"),
        ({"require": ["Release(_, _)"]}, r"^the option require: the goal .* can't be reached"),
    ],
)
def test_an_error_of_the_command_line_blames_no_line_of_the_file(changes, message):
    text = edited(SHERLOCK, "length = 20", 'forbid = ["Arrest", "CitizensArrest"]')
    text = edited(text, ', "the murderer is arrested"', "")
    with pytest.raises(StoryError, match=message):
        raise StoryError(impossible(read_setup(Source(text, "mine.toml"), changes=changes)))


def test_an_unknown_name_among_many_is_not_answered_with_all_of_them():
    with pytest.raises(StoryError) as caught:
        load_setup("city", {"forbid": ["Move(Nobody, _)"]})
    assert len(str(caught.value)) < 250


# --------------------------------------------------------------------------------- bad libraries

BAD_LIBRARIES = [
    ('[macros]', '[styles.report]\nspeach = true\n[macros]', r"line \d+: 'speach' is unknown here; did you mean 'speech'"),
    ('[macros]', '[styles.report]\nclosing = "The end."\n[macros]', r"line \d+: closing is a list of texts, not 'The end.'"),
    ('[macros]', '[styles]\nreport = 3\n[macros]', r"line \d+: write \[styles.report\]"),
    ('told = { report = ["{A} took', 'told = { reprot = ["{A} took', r"line \d+: there is no style 'reprot'; did you mean 'report'"),
    ('noun = "the beating"', 'noun = "the beating of {C}"', r"line \d+, in 'the beating of \{C\}' .*'C' is unknown"),
    ('noun = "the beating"', 'noun = 3', r"line \d+: expected a text or a list of texts, not 3"),
    ('noun = "the beating"', 'instead = [{ if = "A.health > 1" }]', r"line \d+: instead is a list of \{ if = "),
    ('noun = "the beating"', 'instead = [{ if = "A.helth > 1", text = "{A} hit {B}" }]', r"line \d+.*no attribute 'helth'"),
    ('noun = "the beating"', 'instead = [{ if = "A.health > 1", text = "{A} hit {B}", sez = "x" }]', r"line \d+: 'sez' is unknown"),
    ('towards = "any(X.kills > 0 and', 'toward = "any(X.kills > 0 and', r"'toward' is unknown here; did you mean 'towards'"),
    ('"free(A: actor)" = "A.health > 0 and not A.jailed"', '"free(A: actor)" = "police(A) and loop(A)"\n"loop(A: actor)" = "free(A)"',
     r"the macro 'free' is cyclic: free → loop → free"),
    ('["otherwise", 0.97],', '["otherwise", 1.97],', r"line 118: a believability lies between 0 and 1, not 1.97"),
    ('["otherwise", 0.97],', '', r"line 110: the last rule of Move must be"),
    ('["P == A.home", 1.0],', '["otherwise", 1.0],', r"line \d+: the rules after 'otherwise' are never reached"),
    ('"A.came_from = A.place"', '"A.home = A.place"', r"actor.home is fixed: no effect may change it"),
    ('"A.came_from = A.place"', '"A.came_from = A"', r"actor.came_from is a place, it can't become an actor"),
    ('"A.came_from = A.place"', '"A.came_from == A.place"', r"expected '=', '\+=' or '-=', found '=='"),
    ('"A.came_from = A.place"', '"A.came_form = A.place"', r"no attribute 'came_form'; did you mean 'came_from'"),
    ('"A.guilt < 2"', '"A.guilt < 2 <"', r"expected a name, a number or '\('|can't be chained"),
    ('"A.guilt < 2"', '"0 < A.guilt < 2"', r"comparisons can't be chained"),
    ('"A.guilt < 2"', '"A.guilt"', r"expected a condition \(true or false\), this is a whole number"),
    ('"A.guilt < 2"', '"A.anger < 2"', r"actor.anger needs \[actor\]"),
    ('"A.guilt < 2"', '"A.anger[P] < 2"', r"is indexed by an actor, this is a place"),
    ('"A.guilt < 2"', '"A.job == painter"', r"'painter' is unknown"),
    ('"A.guilt < 2"', '"A.job == house"', r"'house' is no job"),
    ('"A.guilt < 2"', '"__import__(A)"', r"there is no macro '__import__'"),
    ('"A.guilt < 2"', '"any(X.jailed for X in ghosts)"', r"'ghosts' is no kind of entity"),
    ('"A.guilt < 2"', '"armed(P)"', r"armed expects an actor as A, this is a place"),
    ('{A} went {P:to}', '{A} went {P:into}', r"a place has no form 'into'"),
    ('{A} went {P:to}', '{A} went {Q:to}', r"'Q' is unknown"),
    ('{A} went {P:to}', '{A} went {P:to', r"a curly bracket has no partner"),
    ('name = "Flee"', 'name = "Move"', r"the action 'Move' is there already, on line"),
    ('name = "Flee"', 'name = "Flee"\npre = "true"', r"'pre' is unknown here"),
    ('health = { range = [0, 2], start = 2', 'health = { range = [0, 2], start = 3', r"actor.health lies between 0 and 2, not 3"),
    ('came_from = { is = "place"', 'came_from = { is = "plaice"', r"'plaice' is no type .*; did you mean 'place'"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), BAD_LIBRARIES)
def test_a_bad_library_is_refused_with_its_line(old, new, message):
    said = refuse_library(old, new)
    assert re.search(message, said), said
    assert re.match(r"lib\.toml, line \d+", said), said
    line = int(re.match(r"lib\.toml, line (\d+)", said)[1])
    wrong = new.splitlines()[0] if new else ""
    lines = edited(CRIME, old, new).splitlines()
    nearby = "\n".join(lines[max(0, line - 12) : line + 2])
    assert not wrong or wrong in nearby or "macros" in said or "on line" in said, said


# ---------------------------------------------------------------------------------------- fuzzing

PIECES = (
    "A B P X Z and or not any all count first for in if true false none health place anger actors "
    "items free together 1 2.5 == != < <= > >= = += - + * ( ) [ ] . , ; : ' \" # { } \\ \x00 é 𝔘"
)
WORDS = st.sampled_from(PIECES.split())


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=25), st.sampled_from(["", " "]))
def test_the_parser_never_fails_otherwise_than_by_a_sentence(words, between):
    text = between.join(words)
    for parse in (language.expression, language.effects):
        with contextlib.suppress(LanguageError):
            parse(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text):
    for parse in (language.expression, language.effects):
        where = 0
        try:
            parse(text)
        except LanguageError as error:
            where = error.at
        assert 0 <= where <= len(text)


@pytest.mark.parametrize(
    "text", ["(" * 5000, "not " * 5000, "-" * 5000, "A" + ".x" * 3000, "1+" * 9000]
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(LanguageError):
        language.expression(text)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_is_refused_with_a_sentence(data):
    """Cut or overwrite a piece of a good file: it loads, or one sentence says why not."""
    text = SHERLOCK
    at = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.integers(1, 12))
    piece = data.draw(st.text("abAB01\"'[]{}=.,# \n", max_size=6))
    with contextlib.suppress(TreewrightError):
        read_setup(Source(text[:at] + piece + text[at + size :], "mine.toml"))


def test_every_value_knows_its_line():
    text = 'a = 1\n[b]\nc = [\n  "x", # "y"\n  """p\nq""",\n  { d = 2 },\n]\n[[e]]\nf = \'#\'\n[[e]]\n"g.h" = 3\n'
    source = Source(text, "t.toml")
    assert source.line("a") == 1
    assert source.line("b", "c") == 3
    assert source.line("b", "c", 0) == 4
    assert source.line("b", "c", 1) == 5
    assert source.line("b", "c", 2, "d") == 7
    assert source.line("e", 0, "f") == 10
    assert source.line("e", 1, "g.h") == 12


def test_names_mean_nothing_to_python():
    with pytest.raises(LanguageError):
        condition("__builtins__", Vocabulary(), {})
    with pytest.raises(LanguageError):
        condition("().__class__", Vocabulary(), {})


def test_the_guides_examples_load(root, tmp_path):
    """The TOML blocks of docs/stories.md: a set-up, a list of goals, a library, motives twice."""
    blocks = re.findall(
        r"^```toml\n(.*?)^```", (root / "docs" / "stories.md").read_text(), re.S | re.M
    )
    ten, goals, library, minds, motives = blocks
    assert len([line for line in ten.splitlines() if line.strip()]) <= 10
    assert impossible(read_setup(Source(ten, "ten.toml"))) == ""
    body = SHERLOCK.replace('goals = ["at least 2 dead", "the murderer is arrested"]', goals)
    assert len(read_setup(Source(body, "goals.toml")).goals) == 6
    assert [a.name for a in Library([Source(library, "tiny.toml")]).actions] == ["Steal"]
    (tmp_path / "motives.toml").write_text(motives)
    sherlock = SHERLOCK.replace('"crime"', '["crime", "motives.toml"]') + minds
    assert read_setup(Source(sherlock, "mine.toml"), tmp_path).minds.ahead == 3


def test_every_shipped_phrase_is_in_the_guide(root):
    text = " ".join((root / "docs" / "stories.md").read_text().split())
    for phrase in load_library("crime").phrases:
        assert re.sub(r"\{(\w)\w*:.*?\}", r"\1", phrase.text) in text, phrase.text


def test_what_is_wrong_is_said_at_once_and_asked_again():
    answers = iter(["My story", "house, house", "house, jail", "hut", "house", "jail", "all"])
    wrong = []
    text = ask("crime", lambda question, default: next(answers, default), wrong.append)
    assert [sentence.split(";")[0] for sentence in wrong] == [
        "'house' is there already",
        "'hut' is none of house, public, jail",
        "'all' can't be a name: it is a word of the language",
    ]
    assert 'jail = { kind = "jail" }' in text


def test_a_goal_is_checked_as_soon_as_it_is_given():
    def prompt(question, default):
        if not question.startswith("A goal"):
            return default
        return next(goals)

    goals, wrong = iter(["Zed is dead", "Bob is dead", ""]), []
    text = ask("crime", prompt, wrong.append)
    assert len(wrong) == 1
    assert "no actor 'Zed'" in wrong[0]
    assert 'goals = ["Bob is dead"]' in text


def test_a_planning_problem_is_checked_too(tmp_path):
    report = check_file("vase")
    assert report["what"] == "a planning problem"
    assert report["facts"]["characters"] == "Alice, Bob, Sherlock"
    assert report["notes"] == []
    with pytest.raises(StoryError, match="no set-up, library or problem"):
        check_file("vaze")
