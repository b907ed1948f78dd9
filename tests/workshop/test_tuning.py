"""Tuning: declared numbers, resumed trials, a check on seeds it never saw."""

import json

import pytest

from treewright.errors import OptionError
from treewright.library.options import Options, Rave
from treewright.workshop.tuning import HELD_OUT, RANGES, Task, build, default_of, parse, tune


def task(**more) -> Task:
    settings = {"width": 4, "height": 4, "colours": 3}
    given = {"domain": "samegame", "settings": settings, "base": Options(), "ranges": parse(["c"])}
    return Task(**given | {"simulations": 20, "runs": 3} | more)


def test_every_declared_number_fits_the_options():
    for name, r in RANGES.items():
        for value in (r.low, r.high):
            number = int(value) if r.whole else value
            if name == "fpu":
                assert build(Options(), {name: number}).fpu == number
            else:
                assert build(Options(), {name: number}) is not None
        default = default_of(Options(), name)
        assert default is None or isinstance(default, float)


def test_build():
    base = Options(rave=Rave(k=5.0), c=0.3)
    assert build(base, {"rave.k": 7.0}) == Options(rave=Rave(k=7.0), c=0.3)
    assert build(Options(), {"rave.k": 7.0, "c": 1.0}).rave == Rave(k=7.0)
    assert build(base, {}) == base


@pytest.mark.parametrize("text", ["d", "c=1", "c=2:1", "c=0:1", "c=a:b", "set.heap"])
def test_bad_ranges(text):
    with pytest.raises(OptionError):
        parse([text])


def test_resumed_and_checked(tmp_path):
    seen = []
    store = tmp_path / "deep" / "trials.sqlite"
    first = tune(task(), trials=3, check_runs=4, store=store, watch=lambda *a: seen.append(a))
    assert (first.trials, first.resumed, len(seen)) == (3, 0, 3)
    more = tune(task(), trials=5, check_runs=4, store=store, watch=lambda *a: seen.append(a))
    assert (more.trials, more.resumed, len(seen)) == (5, 3, 5)
    again = tune(task(), trials=5, check_runs=4, store=store)
    assert (again.values, again.check) == (more.values, more.check)
    other = tune(task(simulations=21), trials=2, check_runs=4, store=store)
    assert other.resumed == 0


def test_the_check_uses_seeds_that_tuning_never_saw(tmp_path, monkeypatch):
    used = []
    scores = Task.scores

    def spy(self, values, seeds, mapped=map):
        used.append(set(seeds))
        return scores(self, values, seeds)

    monkeypatch.setattr(Task, "scores", spy)
    tune(task(), trials=2, check_runs=4, store=tmp_path / "s")
    tuned, checked = set().union(*used[:2]), set().union(*used[2:])
    assert not tuned & checked
    assert min(checked) == HELD_OUT


def test_two_players(tmp_path):
    game = Task("nim", {"heap": 7}, Options(), parse(["c=0.1:2"]), simulations=10, runs=4)
    found = tune(game, trials=2, check_runs=4, store=tmp_path / "s")
    assert "tuned player scored" in found.sentence
    with pytest.raises(OptionError, match="for one player"):
        Task("nim", {}, Options(), parse(["max_backup"]), 10, 4)
    with pytest.raises(OptionError, match="same for both"):
        Task("nim", {}, Options(), parse(["set.heap=3:9"]), 10, 4)


def test_command(bench):
    small = [x for n, v in (("width", 4), ("height", 4)) for x in ("--set", f"{n}={v}")]
    run = ("tune", "samegame", *small, "--trials", "2", "--runs", "2", "--check", "3")
    out, err = bench.call(*run, "--simulations", "20", "--store", "t.sqlite", "--json", "--quiet")
    found = json.loads(out)
    assert err == ""
    assert 0.01 <= found["values"]["c"] <= 3.0
    _, err = bench.call(*run, "--tune", "rave.kk", code=2)
    assert "did you mean 'rave.k'" in err
    (bench.folder / "bad").write_text("no database, but text that is long enough" * 9)
    _, err = bench.call(*run, "--store", "bad", code=2)
    assert err.count("\n") == 1
