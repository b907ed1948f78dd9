"""The jobs that applications bring, as far as nothing has to be compiled."""

import math
import tomllib

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)


def silent(share, words="", preview=None):
    """A report that nobody reads."""


def test_every_kind_of_job_has_bounds_and_a_description():
    """Whatever is a list, a text or a number in the settings has an end."""
    from treewright.library.applications import load
    from treewright.workshop.jobs.work import places

    def unbounded(schema, where):
        kind = schema.get("type")
        if kind == "string" and not {"maxLength", "enum", "const", "pattern"} & schema.keys():
            yield where
        if kind == "array" and "maxItems" not in schema:
            yield where
        for key in ("properties", "$defs"):
            for name, below in schema.get(key, {}).items():
                yield from unbounded(below, f"{where}.{name}")
        for below in (*schema.get("anyOf", ()), *schema.get("prefixItems", ())):
            yield from unbounded(below, where)
        if isinstance(schema.get("items"), dict):
            yield from unbounded(schema["items"], f"{where}[]")

    for name, where in places().items():
        work = load(where)
        schema = work.settings.model_json_schema()
        assert not list(unbounded(schema, name))
        assert schema["description"]
        assert work.local == name.endswith("-code"), "only code is for this machine alone"


@pytest.mark.parametrize(
    ("text", "point", "value"),
    [
        ("x**2 + y", (3, 1), 10.0),
        ("-sin(pi / 2) * abs(x)", (-2, 0), -2.0),
        ("1 / x", (0, 0), math.inf),
        ("log(x)", (-1, 0), math.inf),
        ("x ** 0.5", (-1, 0), math.inf),
        ("9e300 ** 9 ** 9", (0, 0), math.inf),
    ],
)
def test_formulas(text, point, value):
    from treewright.apps.functions.expression import function_of

    assert function_of(text)(point) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["", "x +", "z", "__import__('os')", "x.real", "x if y else 1", "sin(x, y)", "'a'", "True",
     "[x]", "lambda: 1", "open(x)", "(" * 200, "x" * 301, "1j", "x; y"],
)  # fmt: skip
def test_what_is_no_formula_is_one_sentence(text):
    from treewright.apps.functions.expression import function_of
    from treewright.errors import OptionError

    with pytest.raises(OptionError):
        function_of(text)


def test_forms_write_every_set_up_as_it_was():
    from treewright.apps.stories.form import cell_text, cell_value, to_toml
    from treewright.apps.stories.job import setups, source_of

    for name in setups():
        data = source_of(name, "").data
        assert tomllib.loads(to_toml(data)) == data, name
    for value in (1, 0.5, True, "a b", "it's", ["a", "b"], 'say "so"\n\t'):
        assert cell_value(cell_text(value)) == value


@pytest.mark.parametrize("library", ['"/etc/passwd.toml"', '["crime", "../x.toml"]', "3"])
def test_a_set_up_names_no_file(library):
    from treewright.apps.stories.job import source_of
    from treewright.apps.stories.source import StoryError

    with pytest.raises(StoryError, match="comes with us"):
        source_of("", f"library = {library}")
    with pytest.raises(StoryError, match="there is no set-up"):
        source_of("../sherlock.toml", "")


@pytest.mark.parametrize("name", ["x.py:Game", "os:path", "treewright.apps.games.nim:Nim", ""])
def test_a_search_names_no_code(name):
    from treewright.workshop.searching.job import Place

    with pytest.raises(ValueError, match="there is no domain"):
        Place(domain=name)


def test_steps_are_the_simulations_of_the_tree():
    from treewright.workshop.searching.drawing import stage_svg, stage_words, state_at
    from treewright.workshop.searching.steps import StepPlace, run

    data = run(StepPlace(domain="tictactoe", simulations=30, moves=[4], seed=2), silent).data
    assert len(data["steps"]) == 30
    assert len(data["nodes"]) == 30, "each simulation but the first adds a node"
    for number, step in enumerate(data["steps"]):
        assert step["path"][0] == 0
        assert step["after"][0][0] == number + 1, "the root counts every simulation"
        if step["new"] is not None:
            assert data["nodes"][step["new"]]["parent"] == step["path"][-2]
        assert sum(step["rewards"]) == 1
    count, numbers = state_at(data, 29, 3)
    assert count == 30
    assert numbers[0][0] == 30
    below = [n for n in range(1, 30) if data["nodes"][n]["parent"] == 0]
    assert sum(numbers[n][0] for n in below) == 29
    for stage in range(4):
        assert stage_svg(data, 29, stage).count("<circle") >= 29
        assert "Simulation 30 of 30" in stage_words(data, 29, stage)


def test_a_position_of_go_and_its_record():
    pytest.importorskip("sgfmill", reason="Go's extra is not installed")
    from treewright.apps.go.drawing import board_svg, rates_svg
    from treewright.apps.go.job import SCORE, Played, from_sgf, shown
    from treewright.errors import TreewrightError

    played = Played(moves=["b E5", "w E6", "b pass"]).model_dump()
    now = shown(played)
    assert (now["stones"], now["to_play"], now["over"]) == ({"E5": 1, "E6": 2}, 2, False)
    assert "E5" not in now["legal"]
    svg = board_svg(9, now)
    assert svg.count('class="point"') == 81
    assert svg.count('class="black"') == 1
    assert rates_svg([0.5, None, 0.6]).count("<circle") == 2
    record = SCORE.exports["sgf"].write(played)
    assert from_sgf(record)["moves"] == played["moves"]
    for data in (b"", b"(;", b"\x89PNG", b"(;SZ[5])", b"(" * 10_000):
        with pytest.raises(TreewrightError):
            from_sgf(data)
    with pytest.raises(TreewrightError, match="not legal"):
        shown(Played(moves=["b E5", "w E5"]).model_dump())


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": 5000},
        {"difficulty": [2]},
        {"gaps": [5, 1]},
        {"locked": [[0, 3]]},
        {"level": ["XX"] * 5, "length": 10},
        {"level": ["?" * 10], "length": 10},
        {"corpus": [["ab", "c"]]},
        {"seed": -1},
        {"rollouts": 10**9},
    ],
)
def test_wishes_for_a_level_that_make_no_sense(wrong):
    from treewright.apps.levels.job import Generate

    with pytest.raises(ValueError, match="validation error"):
        Generate.model_validate(wrong)


def test_a_piece_that_failed_with_an_earlier_studio_is_made_again():
    """A hard end kills the processes of the jobs first, which then stand as failed."""
    from treewright.studio.home import to_make
    from treewright.workshop.jobs import Job

    def job(state, ended=None):
        return Job("id", "gallery", "background", {"piece": "go"}, state, ended=ended)

    began = 1000.0
    assert to_make(None, began)
    assert to_make(job("cut", 900.0), began)
    assert to_make(job("cancelled", 1100.0), began)
    assert to_make(job("failed", 900.0), began)
    assert not to_make(job("failed", 1100.0), began)
    assert not any(to_make(job(state, 900.0), began) for state in ("done", "waiting", "running"))
