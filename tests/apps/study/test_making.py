"""A new study's levels: kept as they come, gone on with, and never refused for a near miss."""

import json

import pytest

from treewright.apps.levels.ends import what_is_cut
from treewright.apps.levels.generate import own_chain
from treewright.apps.study import making
from treewright.apps.study.making import kept_beside, make_levels


def texts(made):
    return {variant: [kept.level.rows for kept in levels] for variant, levels in made.items()}


def test_levels_are_kept_and_gone_on_with(tmp_path, monkeypatch):
    study, chain = tmp_path / "study.sqlite", own_chain()
    told = []
    whole = make_levels(study, chain, 60, 1, 3, told.append)
    assert sorted(whole) == list(range(1, 9))
    assert told == list(range(1, 9))
    assert all(what_is_cut(kept.level) == [] for levels in whole.values() for kept in levels)
    path = kept_beside(study)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:4]) + "\n" + lines[4][:30])  # killed while it wrote
    made = []

    def counting(domain, seed, real=making.variant_level):
        made.append(seed)
        return real(domain, seed)

    monkeypatch.setattr(making, "variant_level", counting)
    assert texts(make_levels(study, chain, 60, 1, 3)) == texts(whole)
    assert len(made) == 5
    assert len(path.read_text().splitlines()) == 9


@pytest.mark.parametrize("text", ["", "{", "[]\n{}", "\x00"])
def test_what_lies_beside_the_study_and_is_no_such_file_is_replaced(tmp_path, monkeypatch, text):
    study = tmp_path / "study.sqlite"
    kept_beside(study).write_text(text)
    level = own_chain().corpus[0]
    monkeypatch.setattr(making, "variant_domain", lambda *_: None)
    monkeypatch.setattr(making, "variant_level", lambda *_: (level, "enemies 3"))
    made = make_levels(study, own_chain(), 60, 1, 0)
    assert {kept.missed for levels in made.values() for kept in levels} == {"enemies 3"}
    first = json.loads(kept_beside(study).read_text().splitlines()[0])
    assert (first["length"], first["seed"]) == (60, 0)
