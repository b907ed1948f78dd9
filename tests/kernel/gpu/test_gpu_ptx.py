"""Every shipped domain, and every set of switches, compiles for a GPU: that needs no GPU.

It needs the extra ``gpu``, half a gigabyte of NVIDIA's libraries, which CI does not install:
``make gpu-test`` does.
"""

import pytest

import treewright as tw
from treewright.workshop.samples import samples
from treewright.workshop.signature import VARIANTS

pytest.importorskip("numba_cuda", reason="NOT TESTED: the extra 'gpu' is not installed")

from treewright.kernel.gpu.program import Program, at_roots, committing, searching, valuing

CAPABILITY = 9, 0
SERVES = ("tictactoe", "samegame", "go-5x5", "foundry", "story-crime", "knockout-whist")


def cases():
    """Each domain with the options of its application, and each variant where it can be served."""
    known = samples()
    for name, sample in known.items():
        yield name, "own", sample.own or tw.Options()
    for variant, options in VARIANTS.items():
        yield (
            next((n for n in SERVES if serves(known[n].domain(), options)), None),
            variant,
            options,
        )


def serves(domain, options):
    try:
        tw.Search(domain, options, memory="1MiB")
    except tw.OptionError:
        return False
    return True


@pytest.mark.parametrize(("name", "variant", "options"), list(cases()))
def test_it_compiles_or_says_why_not(name, variant, options):
    domain = samples()[name].domain()
    like = tw.Search(domain, options, memory="1MiB").workers[0]
    if not domain.is_record or options.transpositions or like.switches.INFORMATION:
        with pytest.raises(tw.OptionError, match=r"records|transpositions|hides"):
            tw.Forest(domain, 2, options, engine="gpu")
        return
    program = searching(like, CAPABILITY)
    assert ".target sm_90" in program.ptx
    assert program.entry in program.ptx
    assert searching(like, CAPABILITY) == program  # from the cache


def test_sums_and_products_are_not_fused():
    like = tw.Search(samples()["connect-four"].domain(), memory="1MiB").workers[0]
    assert "fma.rn" not in searching(like, CAPABILITY).ptx


def test_the_roots_have_a_program_of_their_own():
    like = tw.Search(samples()["connect-four"].domain(), memory="1MiB").workers[0]
    assert "roots" in at_roots(like, CAPABILITY).entry


@pytest.mark.filterwarnings("ignore:a kernel in")
def test_a_commit_compiles():
    for name in ("nim", "samegame"):  # all actions listed, and some of them
        like = tw.Search(samples()[name].domain(), memory="1MiB").workers[0]
        assert "commits_there" in committing(like, CAPABILITY).entry


@pytest.mark.parametrize("kinds", [("float64", "float64"), ("float32", "float32")])
def test_leaves_for_an_evaluator_compile(kinds):
    for name, options in (("nim", tw.Options()), ("go-5x5", tw.Options(puct=True))):
        domain = samples()[name].domain()
        search = tw.Search(domain, options, memory="1MiB", evaluate=lambda states: None, batch=2)
        assert "searches" in valuing(search.workers[0], CAPABILITY, kinds).entry


def test_a_damaged_program_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    like = tw.Search(samples()["nim"].domain(), memory="1MiB").workers[0]
    whole = at_roots(like, CAPABILITY)
    assert at_roots(like, CAPABILITY) == whole
    (file,) = (tmp_path / "cache").glob("*/roots-gpu.kernel")
    file.write_bytes(file.read_bytes().replace(b"ret;", b"trap;"))
    assert "trap;" not in at_roots(like, CAPABILITY).ptx
    assert b"trap;" not in file.read_bytes()
    file.chmod(0o666)  # others could have written it
    assert at_roots(like, CAPABILITY).ptx != whole.ptx  # compiled again, under another name
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_entry_is_found_in_the_text():
    assert Program(".visible .entry _Z3one(\n").entry == "_Z3one"
