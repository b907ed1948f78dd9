"""Groups of commands that import a command's module only when it runs."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from treewright.errors import OptionError
from treewright.library.applications import Command, declared, load

OF_THE_ROOT = ("install_completion", "show_completion")  # Typer gives them to every Typer


def lazy_group(kind: str) -> type[TyperGroup]:
    """A group with its own commands and those that applications declare as ``kind``.

    Contexts and commands are Click's, which Typer brings along under one name or another.
    """

    class Lazy(TyperGroup):
        listing = False  # while the list of commands is shown, their lines are enough

        def list_commands(self, ctx: Any) -> list[str]:
            own = super().list_commands(ctx)
            return [*own, *(name for name in declared(kind) if name not in own)]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            own = super().get_command(ctx, cmd_name)
            known = declared(kind)
            if own is not None or cmd_name not in known:
                return _tidy(own)
            if self.listing:
                return TyperCommand(cmd_name, help=known[cmd_name].summary)
            return _loaded(cmd_name, known[cmd_name])

        def get_params(self, ctx: Any) -> Any:
            return [_without_type(option) for option in super().get_params(ctx)]

        def format_help(self, ctx: Any, formatter: Any) -> None:
            self.listing = True
            try:
                super().format_help(ctx, formatter)
            finally:
                self.listing = False

    return Lazy


def _loaded(name: str, command: Command) -> Any:
    """The command of an application: a function, or a Typer with several."""
    found: Any = load(command.where)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    ready = typer.main.get_command(found)
    ready.name = name
    ready.params = [option for option in ready.params if option.name not in OF_THE_ROOT]
    return _tidy(ready)


def _tidy(command: Any) -> Any:
    """A flag is on or off: its help names no type.  What takes one value is given one.

    The lines of a paragraph flow, however its docstring breaks them; an example begins a line.
    """
    if command is None:
        return None
    command.help = _flowing(command.help)
    plain, parse = command.get_params, command.parse_args
    command.get_params = lambda ctx: [_without_type(option) for option in plain(ctx)]
    command.parse_args = lambda ctx, words: parse(ctx, _given_once(command, ctx, words))
    for inner in getattr(command, "commands", {}).values():
        _tidy(inner)
    return command


def _flowing(text: str | None) -> str | None:
    """Each paragraph on one line, and each example on one of its own."""
    if text is None:
        return None
    paragraphs = [" ".join(p.split()) for p in text.split("\n\n")]
    return "\n\n".join(
        p.replace("; treewright", ";\ntreewright") if p.startswith("Example") else p
        for p in paragraphs
    )


def _given_once(command: Any, ctx: Any, words: list[str]) -> list[str]:
    """The words, unless an option stands there twice of which only the last would count."""
    given = [] if ctx.resilient_parsing else command.make_parser(ctx).parse_args(list(words))[2]
    for option in given:
        single = not (getattr(option, "is_flag", True) or option.multiple)
        if single and given.count(option) > 1:
            raise OptionError(f"{option.opts[0]} takes one value, and is given more than once")
    return words


def _without_type(option: Any) -> Any:
    if getattr(option, "is_flag", False):
        option.metavar = ""
    return option
