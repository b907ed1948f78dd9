"""Write the page about hooks: ``python tools/make_hooks_page.py > docs/hooks.md``."""

import functools
import inspect
import textwrap
from pathlib import Path

from treewright.apps.functions.staged import Regions
from treewright.kernel.hooks import HOOKS, Hook
from treewright.library.domain import Domain
from treewright.library.evolutionary.mutations import Mutations
from treewright.library.others.domain import OthersDomain
from treewright.library.registry import load_file
from treewright.workshop.samples import samples

EXAMPLES = Path(__file__).parent.parent / "examples"
UNNAMED = (Regions, Mutations, OthersDomain)  # domains that no application has a sample of
NAMED = 3  # that many domains are named in a table, all of them below it

GROUPS = {
    "What every domain has": "start legal play ended rewards",
    "Who decides: several players, chance, hidden information": "player sample_chance determinise",
    "What guides the search": "rollout weight legal_weights prior value amaf_key key beat priority",
    "For planners of whole turns, and for large states": "allowed greedy rewind",
    "For people": "describe render picture view",
    "For states that are Python objects": "copy",
}
SHOWN = {  # a hook, and the domain whose source is shown
    "legal": "KuhnPoker",
    "rewards": "KnockoutWhist",
    "player": "Pig",
    "sample_chance": "Pig",
    "determinise": "KuhnPoker",
    "rollout": "Foundry",
    "weight": "SameGame",
    "amaf_key": "ConnectFour",
    "key": "SameGame",
    "allowed": "DotsAndBoxes",
    "describe": "Nim",
    "render": "Nim",
    "picture": "Nim",
    "view": "KuhnPoker",
}

INTRODUCTION = """\
# Hooks: the functions of a domain

A *domain* is what you search: a game, a puzzle, a generator. You write it as a class with a few
plain functions, called *hooks* on this page, and the search calls them. Five are required; every
other one has a default. This page has all of them: what each is given and gives back, who calls
it and when, what happens without it, and which domains have it.

```python
import treewright as tw
from numpy import int8, int32


class Nim(tw.Domain):
    \"\"\"Take one to three stones; whoever takes the last one wins.\"\"\"

    players = 2
    max_actions = 3
    state = tw.record(stones=int32, player=int8)

    def start(s, heap=21):              # heap is a setting: Nim(heap=30)
        s.stones = heap

    def legal(s, out):
        n = min(3, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


print(tw.check(Nim()))                  # does it keep the rules of this page?
print(tw.Search(Nim(heap=21), seed=1).run(simulations=10_000).children)
```

[The tutorial](tutorial.md) explains this step by step. The page is made from the table of hooks
(`src/treewright/kernel/hooks.py`) and from the domains themselves, by `tools/make_hooks_page.py`.

## What a domain declares

| attribute | default | meaning |
|---|---|---|
| `state` | *required* | what a state holds, such as `tw.record(cell=(int8, 9), player=int8)` |
| `max_actions` | *required* | the most actions that `legal` ever lists, at most 65,535 |
| `players` | 1 | how many players there are, at most 127; they are numbered from 0 |
| `max_length` | 10,000 | the most actions of a game; a longer simulation is cut and asks `value` |
| `keys` | 0 | how many different values `amaf_key` has; needed by `rave` and `selection_bias` |
| `id` | | a name with a version, such as `nim-v1`, under which an application registers it |

Arrays that belong to an instance (a map, a Markov chain) go to
`super().__init__(tables={"grid": grid})`, and sizes that the compiler should know are
[constants](tutorial.md#a-size-that-is-a-setting).

## What a function gets

- There is no `self`. `s` is the state, a record with the fields that you declared: read and write
  `s.stones` or `s.cell[3]`. A field is a NumPy number type, or a type and a shape. Every state
  begins as zeros.
- Any hook may take the tables of the instance as a second parameter named `t`, as in
  `play(s, t, action)`.
- `action` is a whole number from 0 to 2³⁰ that means what you like.
- `out` and `weights` are arrays to write to. `out` of `legal` has room for `max_actions` numbers,
  `out` of `rewards` and `value` for one number per player.
- `rng` is the search's stream of random numbers, for `treewright.random`: `below(rng, 6)`,
  `uniform(rng)`, `normal(rng)`, `gamma(rng, shape)` and `bits(rng)`. Use no other randomness.
- Functions that are marked *compiled* run inside the kernel. They may use numbers, arrays, loops,
  `math` and other plain functions, but nothing that Numba does not compile (such as dictionaries
  of mixed types, strings, files). If one does, the error names the line. The others are ordinary
  Python.

## What a domain promises

`tw.check(domain)` plays random games, and names every promise that is not kept:

- `legal` lists at least one action where nothing has ended, none twice, none below 0, at most
  `max_actions`, and the same ones when it is asked again.
- `play` alone changes the state, and depends on nothing but state and action. (`start`,
  `determinise` and `rewind` set states up.)
- Rewards are finite; between 0 and 1, or you search with `tw.Options(normalise=True)`.
- Every game ends after at most `max_length` actions.
- `weight` and the visits of `prior` are finite and not negative; `amaf_key` is from 0 to
  `keys - 1`.
- `describe` gives different labels to different legal actions.
- The compiled and the interpreted engine do the same.

## All hooks

`OthersDomain` stands for all [games of other libraries](other-games.md), `Mutations` for the
turns of [Evolutionary MCTS](tactics.md)."""

LAST = """\
## States in Python

A state of the interpreted engine, such as `domain.new_state()` or `search.position.state`, is an
object with the fields of the record; `numpy.asarray(state)` is the same memory as an array of one
record, to copy from or write to.

Instead of a record, `state` may be a Python class of your own. Such a domain is searched with
`engine="python"`, where hooks may use anything that Python has
([an example](../examples/any_object.py))."""


@functools.cache
def shipped() -> list[type[Domain]]:
    """Every kind of domain that comes with Treewright, in the order of the applications."""
    kinds = [type(sample.domain()) for sample in samples().values()]
    by_name = {kind.__name__: kind for kind in (*kinds, *UNNAMED)}  # each story is a class
    return list(by_name.values())


@functools.cache
def exemplary() -> list[type[Domain]]:
    """The domains of the examples."""
    modules = [
        load_file(p) for p in sorted(EXAMPLES.glob("*.py")) if "(tw.Domain)" in p.read_text()
    ]
    found = [kind for module in modules for kind in vars(module).values()]
    return [k for k in found if isinstance(k, type) and issubclass(k, Domain)]


def users(hook: Hook, most: int = 0) -> str:
    """Who defines a hook: the domains that are shipped, then those of the examples."""
    ours = shipped()
    having = [kind for kind in ours if hasattr(kind, hook.name)]
    if len(having) == len(ours):
        return "all"
    named = [f"`{kind.__name__}`" for kind in having]
    named += [f"`{kind.__name__}` (example)" for kind in exemplary() if hasattr(kind, hook.name)]
    if most and len(named) > most:
        return f"{', '.join(named[:most])} and {len(named) - most} more"
    return ", ".join(named) or "none of ours"


def table(names: list[str]) -> str:
    """One row for each hook."""
    lines = ["| hook | called by | without it | who has it |", "|---|---|---|---|"]
    for hook in map(HOOKS.__getitem__, names):
        default = "*required*" if hook.required else hook.default
        link = f"[`{hook.signature}`](#{anchor(hook)})"
        lines.append(f"| {link} | {hook.caller} | {default} | {users(hook, NAMED)} |")
    return "\n".join(lines)


def anchor(hook: Hook) -> str:
    """Where the section of a hook is."""
    return "".join(c for c in hook.signature.lower() if c.isalnum() or c in " _-").replace(" ", "-")


def shown(hook: Hook) -> list[str]:
    """A hook as one of our domains has it."""
    name = SHOWN.get(hook.name)
    kinds = {kind.__name__: kind for kind in (*shipped(), *exemplary())}
    if name is None:
        return []
    source = textwrap.dedent(inspect.getsource(getattr(kinds[name], hook.name)))
    return [f"`{name}` has:\n\n```py\n{source}```"]


def section(hook: Hook) -> str:
    """All about one hook."""
    types = ", ".join(f"`{name}`: `{kind}`" for name, kind in hook.parameters.items())
    facts = [
        "Required." if hook.required else f"Without it: {hook.default}.",
        "Compiled." if hook.compiled else "Never compiled.",
        f"Called by: {hook.caller}.",
        *([f"Argument types: {types}."] if types and hook.compiled else []),
        f"Who has it: {users(hook)}.",
    ]
    words = [f"### `{hook.signature}`", hook.meaning, "\n".join(f"- {fact}" for fact in facts)]
    return "\n\n".join([*words, *shown(hook)])


def page() -> str:
    groups = {title: names.split() for title, names in GROUPS.items()}
    named = [name for names in groups.values() for name in names]
    assert sorted(named) == sorted(HOOKS), "a hook is in no group, or in two"
    tables = [f"**{title}**\n\n{table(names)}" for title, names in groups.items()]
    parts = [INTRODUCTION, *tables]
    for title, names in groups.items():
        parts += [f"## {title}", *(section(HOOKS[name]) for name in names)]
    return "\n\n".join([*parts, LAST]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
