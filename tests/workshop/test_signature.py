"""The behaviour of every domain and every switch, pinned in ``data/signature.json``.

If this fails and you meant to change what the search does, say so in the commit and write the new
values: ``treewright bench --signature --write tests/data/signature.json``.  The interpreter
computes the light domains here, and the compiled kernel the others, of which the plain search
and the application's own options are checked; the command computes all parts compiled.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import treewright as tw
from treewright.errors import OptionError
from treewright.library import options as o
from treewright.library.registry import registered
from treewright.library.search import WhenFull
from treewright.workshop.samples import samples
from treewright.workshop.signature import AROUND, VARIANTS, core, signature

PINNED = json.loads((Path(__file__).parents[1] / "data" / "signature.json").read_text())["parts"]
# parts whose kernels other tests need too, so that CI compiles little more than before
LIGHT = [name for name, sample in samples().items() if sample.variants is None]
COMPILED = [
    "hero-academy/uct",
    "go-5x5/uct",
    "go-9x9/own",
    "levels/own",
    "story-crime/own",
    "splitting/own",
    "revise/own",
]


def test_the_core_has_not_changed_since_version_0_1():
    value, parts = core()
    assert len(parts) == 43
    assert value == "ab38d311442bfa89", parts
    assert value == PINNED["core"]


@pytest.mark.parametrize("domain", [*LIGHT, "dungeon"])
def test_every_variant_of_a_light_domain(domain):
    _, parts = signature([domain], engine="python")
    assert parts == {k: v for k, v in PINNED.items() if k.partition("/")[0] == domain}


@pytest.mark.parametrize("part", COMPILED)
def test_compiled_domains(part):
    _, parts = signature([part])
    assert parts == {part: PINNED[part]}


def test_every_shipped_domain_is_pinned():
    assert {k.partition("/")[0] for k in PINNED} == {*samples(), "core"}
    kinds = {_kind(tw.make(name)) for name in registered()}
    assert kinds == {_kind(sample.domain()) for sample in samples().values()}


def _kind(domain):
    """The name of the class: a story's is made anew for each library."""
    return type(domain).__module__, type(domain).__qualname__


def test_every_switch_is_pinned():
    """Each field has another value than its default in a pinned variant, each literal all."""
    pinned = {k.partition("/")[2] for k in PINNED}
    assert pinned >= {*VARIANTS, *AROUND}
    for kind in (o.Options, o.Rave, o.SelectionBias, o.Widening, o.Rollout):
        used = _of(kind, VARIANTS.values())
        hints = get_type_hints(kind)
        for field in fields(kind):
            values = {getattr(one, field.name) for one in used}
            assert values - {field.default, None}, f"{kind.__name__}({field.name})"
            named = {v for v in get_args(hints[field.name]) if isinstance(v, str)}
            assert named <= values, f"{kind.__name__}({field.name})"
    assert {a.get("when_full", "stop") for a in AROUND.values()} == set(get_args(WhenFull))


def _of(kind, variants):
    """The objects of a class among the variants and inside them."""
    if kind is o.Options:
        return list(variants)
    inside = [getattr(v, f.name) for v in variants for f in fields(o.Options)]
    return [one for one in inside if isinstance(one, kind)]


def test_a_part_that_does_not_exist_is_refused():
    with pytest.raises(OptionError, match="no part 'nimm'"):
        signature(["nimm"])
    with pytest.raises(OptionError, match="no part 'nim/what'"):
        signature(["nim/what"])
