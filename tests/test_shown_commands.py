"""Every command that the documentation or a help text shows is one that the command line takes.

They are read, not run: names of commands and options, the kinds of their values, and that nothing
is missing.  tests/test_tutorials.py runs those of the tutorials.
"""

import re
import shlex

import pytest
import typer

# the command of examples/plugin, which is not installed here, and a word that stands for any
SKIPPED = ("squares", "COMMAND")
EXAMPLES = re.compile(r"Examples?: ")  # what follows it in a help text
ENDS = re.compile(r"\s(?:&&|\|\||\||>|2>|&)\s|\s#\s|;\s")  # the shell's, outside of our own options
INLINE = re.compile(r"`(treewright [^`\n]+)`")
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```", re.S | re.M)
LANGUAGES = ("", "sh", "console", "text")
LEFT_OUT = ("…", "...", "[", "{")  # a pattern of commands, not one of them


@pytest.fixture(scope="module")
def root_command():
    from treewright.cli.app import app

    return typer.main.get_command(app)


def shown_in(text):
    """Commands in blocks and, if they have arguments, between backticks."""
    text = text.replace("\\\n", " ")
    for _, block in (found for found in BLOCK.findall(text) if found[0] in LANGUAGES):
        yield from re.findall(r"(?<![\w/.-])treewright [a-z].*", block)
    yield from (found for found in INLINE.findall(text) if " " in found.strip())


def parse(command, words):
    """Let each group and then the command itself read its words."""
    context = command.make_context("treewright", list(words))
    while hasattr(command, "get_command"):
        left = context._protected_args + context.args
        if not left:  # a group with options of its own
            return
        name, *rest = left
        command = command.get_command(context, name)
        assert command is not None, f"there is no command {name!r}"
        if rest or not hasattr(command, "get_command"):
            context = command.make_context(name, rest, parent=context)
        else:
            return


def wrong_with(root_command, shown):
    """What the command line says against a command, or an empty text; None if it is no command."""
    if not shown.startswith("treewright "):
        return None
    words = shlex.split(ENDS.split(shown + " ")[0])[1:]
    if not words or words[0] in SKIPPED or words[0].startswith("-"):
        return None  # options of the root do what they say as soon as they are read
    if any(mark in shown for mark in LEFT_OUT):
        return None
    try:
        parse(root_command, words)
    except (typer.Exit, SystemExit):  # --help and --version
        return ""
    except Exception as error:
        said = error.format_message() if hasattr(error, "format_message") else str(error)
        if "Missing argument" in said and "--" not in shown:
            return ""  # in a sentence, the name of a command alone is enough
        return f"{shown!r}: {said}"
    return ""


def test_commands_in_the_docs(root, root_command):
    found = []
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    for path in pages:
        for shown in shown_in(path.read_text()):
            found.append((path.relative_to(root), wrong_with(root_command, shown)))
    assert [f"{where} shows {wrong}" for where, wrong in found if wrong] == []
    assert sum(wrong == "" for _, wrong in found) > 100


def test_commands_in_help_texts(root_command):
    def commands(command, context):
        if not hasattr(command, "list_commands"):
            yield command
            return
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), context)

    found = []
    context = root_command.make_context("treewright", ["domains"])
    for command in commands(root_command, context):
        text = " ".join((command.help or "").split())
        examples = EXAMPLES.split(text)
        assert len(examples) == 2, f"the help of {command.name} has no example"
        for shown in examples[1].split("; "):
            found.append((command.name, wrong_with(root_command, shown)))
    assert [f"the help of {name} shows {wrong}" for name, wrong in found if wrong] == []
    assert sum(wrong == "" for _, wrong in found) > 60
