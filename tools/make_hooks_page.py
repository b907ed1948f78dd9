"""Write the page about hooks: ``python tools/make_hooks_page.py > docs/hooks.md``."""

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

INTRODUCTION = """\
# Hooks: the functions of a domain

Each is a plain function of a `tw.Domain`, without `self`; only the required ones must be there. Any
of them may take the tables of the instance as a second parameter named `t`. Compiled functions run
inside the kernel, with the argument types below after the state; the others are called by Python.

The table says who defines a hook: the domains that are shipped, and those of `examples/`.
`OthersDomain` stands for all [games of other libraries](other-games.md), `Mutations` for the turns
of [Evolutionary MCTS](tactics.md).

This page is made from `src/treewright/kernel/hooks.py`, and from the domains themselves, by
`tools/make_hooks_page.py`."""

LAST = """\
A state of the interpreted engine, such as `domain.new_state()` or `search.position.state`, is an
object with the fields of the record; `numpy.asarray(state)` is the same memory as an array of one
record, to copy from or write to."""


def shipped() -> list[type[Domain]]:
    """Every kind of domain that comes with Treewright, in the order of the applications."""
    kinds = [type(sample.domain()) for sample in samples().values()]
    by_name = {kind.__name__: kind for kind in (*kinds, *UNNAMED)}  # each story is a class
    return list(by_name.values())


def exemplary() -> list[type[Domain]]:
    """The domains of the examples."""
    modules = [
        load_file(p) for p in sorted(EXAMPLES.glob("*.py")) if "(tw.Domain)" in p.read_text()
    ]
    found = [kind for module in modules for kind in vars(module).values()]
    return [k for k in found if isinstance(k, type) and issubclass(k, Domain)]


def users(hook: Hook, ours: list[type[Domain]], others: list[type[Domain]]) -> str:
    """Who defines a hook."""
    having = [kind for kind in ours if hasattr(kind, hook.name)]
    if len(having) == len(ours):
        return "all"
    shown = [f"`{kind.__name__}`" for kind in having]
    shown += [f"`{kind.__name__}` (example)" for kind in others if hasattr(kind, hook.name)]
    return ", ".join(shown) or "none of ours"


def table() -> str:
    """One row for each hook."""
    ours, others = shipped(), exemplary()
    lines = ["| hook | called by | without it | who has it |", "|---|---|---|---|"]
    for hook in HOOKS.values():
        default = "*required*" if hook.required else hook.default
        lines.append(
            f"| `{hook.signature}` | {hook.caller} | {default} | {users(hook, ours, others)} |"
        )
    return "\n".join(lines)


def section(hook: Hook) -> str:
    """What the table says of one hook."""
    types = ", ".join(f"`{name}`: `{kind}`" for name, kind in hook.parameters.items())
    facts = [
        "Required." if hook.required else f"Without it: {hook.default}.",
        "Compiled." if hook.compiled else "Never compiled.",
        f"Called by: {hook.caller}.",
        *([f"Argument types: {types}."] if types and hook.compiled else []),
    ]
    return f"## `{hook.signature}`\n\n{hook.meaning}\n\n" + "\n".join(f"- {fact}" for fact in facts)


def page() -> str:
    return "\n\n".join([INTRODUCTION, table(), *map(section, HOOKS.values()), LAST]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
