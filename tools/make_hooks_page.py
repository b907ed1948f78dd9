"""Write the page about hooks: ``python tools/make_hooks_page.py > docs/hooks.md``."""

from treewright.kernel.hooks import HOOKS, Hook

INTRODUCTION = """\
# Hooks: the functions of a domain

Each is a plain function of a `tw.Domain`, without `self`; only the required ones must be there. Any
of them may take the tables of the instance as a second parameter named `t`. Compiled functions run
inside the kernel, with the argument types below after the state; the others are called by Python.

This page is made from `src/treewright/kernel/hooks.py` by `tools/make_hooks_page.py`."""

LAST = """\
A state of the interpreted engine, such as `domain.new_state()` or `search.position.state`, is an
object with the fields of the record; `numpy.asarray(state)` is the same memory as an array of one
record, to copy from or write to."""


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
    return "\n\n".join([INTRODUCTION, *map(section, HOOKS.values()), LAST]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
