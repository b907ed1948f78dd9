"""An option has one name, one help and one default, wherever it stands."""

from collections import defaultdict

import pytest
import typer

# what an option means is the same everywhere, and its default is not
OTHER_DEFAULT = {"--cluster", "--solver", "--memory"}
# a word for what depends on the command: what is counted, written, spent or wished for there
OF_THE_COMMAND = {
    *("--agents", "--ap", "--budget", "--corpus", "--count", "--enemies", "--format", "--games"),
    *("--gaps", "--goal", "--height", "--host", "--length", "--method", "--nodes", "--only"),
    *("--out", "--participants", "--picture", "--player", "--port", "--rewards", "--search"),
    *("--second", "--seconds", "--sgf", "--simulations", "--style", "--tiles", "--tune"),
    *("--workers",),
}
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


def test_the_same_option_is_declared_alike(declared):
    """Every option of every command, but for those that are listed above."""
    wrong = {}
    for option in set(declared) - OTHER_DEFAULT - OF_THE_COMMAND:
        found = {n: said for n, said in declared[option].items() if (option, n) not in OTHER_HELP}
        if len(set(found.values())) > 1:
            wrong[option] = found
    assert wrong == {}


def test_no_option_is_excused_without_need(declared):
    for option in OF_THE_COMMAND:
        assert len(set(declared[option].values())) > 1, option


@pytest.mark.parametrize("option", sorted(OTHER_DEFAULT))
def test_the_same_option_means_the_same(declared, option):
    assert len({said for _, said in declared[option].values()}) == 1, declared[option]


def test_side_by_side_is_always_called_workers(declared):
    assert not set(declared) & {"--threads", "--jobs", "--processes", "--parallel", "--cores"}


def test_the_lines_of_a_paragraph_flow_and_each_example_begins_one():
    from treewright.cli.app import app

    root = typer.main.get_command(app)
    context = root.make_context("treewright", ["domains"])
    for name, command in commands(root, context, ""):
        for paragraph in (command.help or "").split("\n\n"):
            assert "\n" not in paragraph or paragraph.startswith("Example"), (name, paragraph)
    play = root.get_command(context, "play").help
    assert "Type a move, 'hint'" in play
    assert "hints;\ntreewright play go" in play


def test_only_the_root_installs_completion():
    from treewright.cli.app import app

    root = typer.main.get_command(app)
    context = root.make_context("treewright", ["domains"])
    groups = [root.get_command(context, name) for name in root.list_commands(context)]
    shown = {option.name for group in groups for option in group.params}
    assert "install_completion" not in shown
    assert "install_completion" in {option.name for option in root.params}
