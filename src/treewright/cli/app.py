"""The tree of commands: our own, and what the applications declare."""

import typer

from treewright.cli import bench, cache, experiment, gallery, match, play, search, studio, tune
from treewright.cli.lazy import lazy_group

app = typer.Typer(
    name="treewright",
    cls=lazy_group("commands"),
    help="Monte Carlo tree search that compiles together with your own domain.",
    epilog="Exit codes: 0 done, 1 the answer is no, 2 bad input, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(shown: bool) -> None:
    if shown:
        from treewright import __version__

        typer.echo(f"treewright {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Monte Carlo tree search that compiles together with your own domain."""


app.command("studio")(studio.studio)
app.command("play")(play.play)
app.command("watch")(play.watch)
app.command("match")(match.match)
app.command("search")(search.search)
app.command("tree")(search.tree)
app.command("check")(search.check)
app.command("domains")(search.domains)
app.command("tune")(tune.tune)
app.command("gallery")(gallery.gallery)
app.add_typer(bench.app, name="bench")
app.add_typer(cache.app, name="cache")
app.add_typer(experiment.app, name="experiment")
