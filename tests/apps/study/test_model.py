"""Models of players and of designers as scores for the generator; the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.apps.levels.controls import Controls, counts
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.formats import write_level
from treewright.apps.levels.generate import generate, own_chain
from treewright.apps.levels.player_model import PlayerModel, load_model
from treewright.apps.levels.tiles import LevelError
from treewright.apps.study import published, report, taste
from treewright.apps.study.errors import StudyError
from treewright.apps.study.protocol import variant_domain, variant_level
from treewright.apps.study.simulate import take_part
from treewright.apps.study.store import Store

RANGES = {"gaps": (0.017, 0.049), "enemies": (0.045, 0.125), "rewards": (0.07, 0.19)}
PREFERENCE = PlayerModel("preference", published.PREFERENCE.coefficients, RANGES, "intermediate")


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.floats(-3, 3), min_size=4, max_size=4),
    st.tuples(*[st.integers(0, 90)] * 3),
    st.sampled_from(["beginner", "intermediate", "expert"]),
)
def test_the_score_is_the_model_up_to_a_factor(weights, have, experience):
    names = ["gaps", "enemies:rewards", "experience:gaps", "experience"]
    model = PlayerModel("preference", dict(zip(names, weights, strict=True)), RANGES, experience)
    rates = [n / 320 for n in have]
    value = model.of_counts(dict(zip(RANGES, rates, strict=True)))
    value -= model.of_counts({k: (a + b) / 2 for k, (a, b) in RANGES.items()})  # the constant part
    score = model.score()(320, 320, *have, 1.0, 0.5)
    assert math.isclose(score, 0, abs_tol=1e-9) or score * value > 0 or abs(value) < 1e-9


def test_by_hand():
    model = PlayerModel("preference", {"gaps": 2.0, "experience:rewards": -1.0}, RANGES, "expert")
    high = {"gaps": 0.049, "enemies": 0.08, "rewards": 0.19}
    assert model.of_counts(high) == pytest.approx(2 * 0.5 - 1 * 2 * 0.5)
    assert model.of_counts({**high, "gaps": 1.0}) == model.of_counts(high), "held at the ends"


def test_levels_generated_to_a_model_are_worth_more_under_it():
    own = Levels(own_chain(), Controls(length=160, score=PREFERENCE.score()))
    default = Levels(own_chain(), Controls(length=160))
    ours, theirs = (
        np.array([PREFERENCE.value(generate(domain, seed).level) for seed in range(12)])
        for domain in (own, default)
    )
    error = math.sqrt(ours.var(ddof=1) / 12 + theirs.var(ddof=1) / 12)
    assert ours.mean() - theirs.mean() > 3 * error


def test_saved_and_read_again(tmp_path):
    PREFERENCE.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json") == PREFERENCE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "x"}, "'format'"),
        ({"terms": {"gaps": "much"}}, "'terms'"),
        ({"terms": {"gasp": 1.0}}, "did you mean 'gaps'"),
        ({"ranges": {"gaps": [1]}}, "'ranges'"),
        ({"ranges": {"gaps": [2, 1]}}, "empty"),
        ({"experience": "guru"}, "'experience'"),
    ],
)
def test_files_that_are_no_model(tmp_path, change, said):
    PREFERENCE.save(tmp_path / "m.json")
    data = json.loads((tmp_path / "m.json").read_text()) | change
    (tmp_path / "m.json").write_text(json.dumps(data))
    with pytest.raises(LevelError, match=said) as error:
        load_model(tmp_path / "m.json")
    assert "m.json" in str(error.value)


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(LevelError, match="can't be read"):
        load_model(tmp_path / "none.json")
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(LevelError, match="no JSON"):
        load_model(tmp_path / "m.json")


# ------------------------------------------------------------------------------------- taste


def rated(utility, pairs=40):
    chain = own_chain()
    levels = [chain.sample(100, seed) for seed in range(2 * pairs)]
    for a, b in zip(levels[::2], levels[1::2], strict=True):
        yield a, b, "a" if utility(a) > utility(b) else "b"


def test_a_taste_is_learnt():
    """Ratings by a rule that the model never sees; new levels are ordered as the rule would."""

    def rule(level):
        have = counts(level)
        return have["rewards"] - 2 * abs(have["gaps"] - 4)

    model = taste.learn_taste(list(rated(rule)))
    fresh = [own_chain().sample(100, seed) for seed in range(500, 560)]
    pairs = [(a, b) for a, b in zip(fresh[::2], fresh[1::2], strict=True) if rule(a) != rule(b)]
    right = np.mean([(model.value(a) > model.value(b)) == (rule(a) > rule(b)) for a, b in pairs])
    assert right > 0.75


def write_ratings(folder, better="a", lines=6):
    levels = [own_chain().sample(60, seed) for seed in range(2 * lines)]
    for number, level in enumerate(levels):
        write_level(level, folder / f"{number}.txt")
    for n in range(lines):
        taste.add_rating(
            folder / "r.csv", f"{2 * n}.txt", f"{2 * n + 1}.txt", better if n % 2 else "b"
        )
    return folder / "r.csv"


def test_ratings_from_a_file(tmp_path):
    found = taste.read_ratings(write_ratings(tmp_path))
    assert [r[2] for r in found] == ["b", "a"] * 3
    assert taste.learn_taste(found).about["ratings"] == 6


def test_ratings_that_are_none(tmp_path):
    path = write_ratings(tmp_path)
    good = path.read_text()
    for text, said in (
        (good.replace(",b,\n", ",both,\n", 1), "line 2: better is 'both'"),
        (good.replace("a,b,better", "x,y,z"), "header with a, b, better"),
        (good.replace("0.txt", "no.txt", 1), "no.txt"),
        ("", "header"),
    ):
        path.write_text(text)
        with pytest.raises(Exception, match=said):
            taste.read_ratings(path)
    with pytest.raises(StudyError, match="can't be read"):
        taste.read_ratings(tmp_path / "none.csv")
    with pytest.raises(StudyError, match="at least 4 ratings"):
        taste.learn_taste([])


def test_every_level_is_shown_equally_often():
    shown = [taste.pairs_to_rate(10, n) for n in range(20)]
    flat = [i for pair in shown for i in pair]
    assert {flat.count(i) for i in range(10)} == {4}
    assert all(a != b for a, b in shown)


# ---------------------------------------------------------------------------- the whole thing


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two automatic participants; 8 pairs are the fewest that a model takes."""
    path = tmp_path_factory.mktemp("study") / "s.sqlite"
    levels = {v: [variant_level(variant_domain(v, 60, own_chain()), v)[0]] for v in range(1, 9)}
    store = Store.create(path, levels, title="T", seed=1)
    take_part(store, 2, seed=5)
    return store


def test_the_report_says_that_data_are_simulated(study, tmp_path):
    found = report.analyse(study)
    assert (found.participants, found.pairs, found.plays) == (2, 8, 16)
    names = {path.name for path in report.write(found, tmp_path / "r", "T")}
    assert {"report.md", "report.html", "challenge.png", "preference.png"} <= names
    text, page = ((tmp_path / "r" / f"report.{kind}").read_text() for kind in ("md", "html"))
    assert "simulated: automatic players, not people" in text
    assert "simulated: automatic players, not people" in page
    assert "7.91 +" in text, "the paper's own numbers are beside ours"
    assert page.count("data:image/png;base64,") == 4
    for name in ("challenge", "preference"):
        if name in found.models:
            assert load_model(tmp_path / "r" / f"{name}.json").about["simulated"] is True


def test_people_come_first_and_are_not_mixed_with_automatic_ones(study, tmp_path):
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(study.path.read_bytes())
    store = Store(copy)
    who = store.enrol()
    while (step := store.next_step(who)).kind == "play":
        for attempt in (1, 2, 3):
            if store.record(who, step.slot, attempt, 0, [[2, 6000]])["finished"]:
                break
    store.answer(who, 1, "A", "B")
    found = report.analyse(store)
    assert (found.simulated, found.pairs) == (False, 1)
    assert set(found.without) == {"challenge", "preference", "experience"}
    assert "No model" in report.markdown(found, "T")


def test_nobody_has_answered(tmp_path, levels):
    empty = Store.create(tmp_path / "e.sqlite", {v: [levels[0]] for v in range(1, 9)})
    with pytest.raises(StudyError, match="nobody has answered"):
        report.analyse(empty)


def test_the_command_line(study, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from treewright.cli.app import app
    from treewright.errors import TreewrightError

    monkeypatch.chdir(tmp_path)
    path = str(study.path)

    def call(*words):
        out = CliRunner().invoke(app, list(words), catch_exceptions=True)
        if isinstance(out.exception, TreewrightError):
            return str(out.exception)
        assert out.exit_code == 0, out.output
        return out.output

    assert json.loads(call("study", "export", path, "--json", "--out", "rows"))["pairs"] == 8
    assert "simulated data" in call("study", "analyse", path, "--out", "report")
    assert "exists already" in call("study", "new", path)
    assert "there is no study" in call("study", "analyse", "none.sqlite")
    assert "can't be read" in call("study", "new", "n.sqlite", "--consent", "none.txt")
    assert not Path("n.sqlite").exists()
    assert "there is no folder" in call("study", "new", "no/n.sqlite")
    Path("file").write_text("")
    assert "file can't be written" in call("study", "export", path, "--out", "file")
    assert "csv" in call("study", "export", path, "--format", "xml")
    write_ratings(tmp_path)
    drawn = ("--picture", "p.png", "--wrap", "10")
    played = json.loads(call("study", "play", "0.txt", *drawn, "--json"))
    assert played["features"]["attempts"] == len(played["keys"])
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert int.from_bytes(Path("p.png").read_bytes()[16:20]) == 10 * 16, "the width of a strip"
    assert "must end in .png" in call("study", "play", "0.txt", "--picture", "p.gif")
    assert "no skill" in call("study", "play", "0.txt", "--error", "3")
    assert "6 ratings" in call("study", "taste", "r.csv")
    assert Path("taste.json").exists()
    assert "leave out --score" in call(
        "level", "generate", "--player", "taste.json", "--score", "gaps"
    )
    assert "belongs to a model" in call("level", "generate", "--experience", "expert")
    assert "can't be read" in call("level", "generate", "--player", "no.json")
    assert not Path("level.txt").exists()
