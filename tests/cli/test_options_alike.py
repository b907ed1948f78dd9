"""An option has one name, one help and one default, wherever it stands."""

from collections import defaultdict

import pytest
import typer

ALIKE = [
    *("--seed", "--json", "--quiet", "--set", "--debug", "--scale", "--store", "--keep-stale"),
    *("--c", "--rave", "--policy", "--all", "--komi", "--size", "--legend", "--map", "--theme"),
    *("--wrap", "--open-hands"),
]
# what an option means is the same there, and its default is not
OTHER_DEFAULT = {"--cluster", "--solver", "--memory"}
# the same word for another thing: a file of trials, of games; the look of a game, not of pictures
OTHER_HELP = {("--store", "tune"), ("--store", "tactics tournament"), ("--theme", "study new")}


@pytest.fixture(scope="module")
def declared():
    """For each option, its commands with default and help."""
    from treewright.cli.app import app

    found = defaultdict(dict)
    root = typer.main.get_command(app)
    context = root.make_context("treewright", ["domains"])
    for name, command in commands(root, context, ""):
        for option in command.params:
            for word in getattr(option, "opts", ()):
                if option.param_type_name == "option":
                    found[word][name] = (option.default, option.help)
    return found


def commands(command, context, name):
    if not hasattr(command, "list_commands"):
        yield name.strip(), command
        return
    for inner in command.list_commands(context):
        yield from commands(command.get_command(context, inner), context, f"{name} {inner}")


@pytest.mark.parametrize("option", ALIKE)
def test_the_same_option_is_declared_alike(declared, option):
    found = declared[option]
    kept = {said for name, said in found.items() if (option, name) not in OTHER_HELP}
    assert len(found) > 1
    assert len(kept) == 1, found


@pytest.mark.parametrize("option", sorted(OTHER_DEFAULT))
def test_the_same_option_means_the_same(declared, option):
    assert len({said for _, said in declared[option].values()}) == 1, declared[option]


def test_side_by_side_is_always_called_workers(declared):
    assert not set(declared) & {"--threads", "--jobs", "--processes", "--parallel", "--cores"}


def test_only_the_root_installs_completion():
    from treewright.cli.app import app

    root = typer.main.get_command(app)
    context = root.make_context("treewright", ["domains"])
    groups = [root.get_command(context, name) for name in root.list_commands(context)]
    shown = {option.name for group in groups for option in group.params}
    assert "install_completion" not in shown
    assert "install_completion" in {option.name for option in root.params}
