"""``treewright study``: people play generated levels, answer, and become a model."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.library.reading import text_of
from treewright.library.writing import json_text, write_whole
from treewright.workshop.commands import (
    Json,
    Quiet,
    Seed,
    check_target,
    emit,
    exit_if_interrupted,
    progress_bar,
    working,
)

app = typer.Typer(
    no_args_is_help=True,
    help="Player studies: play generated levels in the browser, ask, model, generate to the "
    "model.\n\nExamples: treewright study new study.sqlite; treewright study serve study.sqlite",
)

File = Annotated[Path, typer.Argument(help="The study's file.")]


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """What can't be written is one sentence."""
    try:
        yield
    except OSError as error:
        raise OptionError(f"{path} can't be written: {error.strerror or error}") from None


@app.command()
def new(
    file: File = Path("study.sqlite"),
    length: Annotated[int, typer.Option(min=60, max=1000, help="Slices of a level.")] = 320,
    copies: Annotated[int, typer.Option(min=1, max=100, help="Levels of each variant.")] = 4,
    corpus: Annotated[
        Path | None,
        typer.Option(
            help="A folder of levels, or a chain.json from level learn; ours if not given."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="What participants read first.")] = "A study of levels",
    contact: Annotated[str, typer.Option(help="Whom they may ask; shown with the consent.")] = "",
    consent: Annotated[
        Path | None, typer.Option(help="Your own consent text, instead of ours; a text file.")
    ] = None,
    theme: Annotated[
        str, typer.Option(help="How the game looks: meadow, castle, cave or ice.")
    ] = "meadow",
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a study: generate levels of all eight variants (gaps, enemies, rewards: high or low).

    If it is stopped, the same command goes on where it was.

    Examples: treewright study new study.sqlite --seed 1;
    treewright study new short.sqlite --length 100 --copies 1 --theme ice
    """
    from treewright.apps.levels.commands import chain_of
    from treewright.apps.levels.themes import theme_of
    from treewright.apps.study.making import kept_beside, make_levels
    from treewright.apps.study.protocol import VARIANTS
    from treewright.apps.study.store import Store

    if file.exists():
        raise OptionError(f"{file} exists already; a study is never overwritten")
    check_target("study", file)
    theme_of(theme)  # refuses one that there is not
    about: dict[str, Any] = {"title": title, "contact": contact, "seed": seed, "length": length}
    about["theme"] = theme
    if consent is not None:
        about["consent"] = _text_of(consent)
    chain = chain_of(corpus)
    total = copies * len(VARIANTS)
    stopped = False
    with progress_bar("levels", total, quiet) as seen, _writing(kept_beside(file)):
        try:
            made = make_levels(file, chain, length, copies, seed, seen)
        except KeyboardInterrupt:
            stopped = True
    if stopped:
        said = f"interrupted: what is done is in {kept_beside(file)}; the same command goes on"
        emit({"file": str(file), "done": False}, said, as_json)
    exit_if_interrupted(stopped)
    missed = [
        f"variant {variant}, level {number}: {kept.missed}"
        for variant, levels in made.items()
        for number, kept in enumerate(levels, 1)
        if kept.missed
    ]
    Store.create(file, {v: [k.level for k in kept] for v, kept in made.items()}, **about)
    kept_beside(file).unlink(missing_ok=True)
    facts = {"file": str(file), "levels": total, "length": length, "missed": missed}
    lines = [f"{file}: {total} levels of {length} slices; now: treewright study serve {file}"]
    lines += [f"  the nearest that was found, {line}" for line in missed]
    emit(facts, "\n".join(lines), as_json)


@app.command()
def plan(
    gaps: Annotated[float, typer.Option(help="Odds ratio of many gaps; 1 is no effect.")] = 1.0,
    enemies: Annotated[float, typer.Option(help="The same of many enemies.")] = 1.0,
    rewards: Annotated[float, typer.Option(help="The same of many rewards.")] = 1.0,
    power: Annotated[
        float, typer.Option(min=0.1, max=0.999, help="How surely an effect shall be seen.")
    ] = 0.8,
    participants: Annotated[
        int | None, typer.Option(min=2, max=20_000, help="How many you have, if that is fixed.")
    ] = None,
    studies: Annotated[int, typer.Option(min=20, max=10_000, help="Studies to try it out.")] = 400,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Before a study: how many participants an effect needs, and how surely it would be seen.

    Examples: treewright study plan --gaps 2 --enemies 1.8;
    treewright study plan --rewards 1.35 --participants 16 --json
    """
    from treewright.apps.study.planning import plan as planned

    odds = {"gaps": gaps, "enemies": enemies, "rewards": rewards}
    with working("trying it out", quiet):
        people, needs = planned(odds, power, participants, studies, seed)
    lines = [f"{people} participants, {4 * people} pairs, tried out in simulated studies:"]
    lines += [
        f"{need.name}, odds ratio {need.odds:g}: seen in {need.power:.0%} of them; "
        f"{need.participants} participants for {power:.0%}"
        for need in needs
    ]
    emit(
        {"participants": people, "power": power, "effects": [vars(n) for n in needs]},
        "\n".join(lines),
        as_json,
    )


def _text_of(path: Path) -> str:
    text = text_of(path, OptionError).strip()
    if not text:
        raise OptionError(f"{path} is empty; participants must be told what they agree to")
    return text


@app.command()
def simulate(
    file: File = Path("study.sqlite"),
    participants: Annotated[int, typer.Option(min=1, help="How many.")] = 16,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let automatic players take part, to try a study without people; their data are marked.

    Examples: treewright study simulate study.sqlite --participants 16;
    treewright study simulate study.sqlite --participants 2 --seed 3 --json
    """
    from treewright.apps.study.simulate import take_part
    from treewright.apps.study.store import Store

    store = Store(file)
    with progress_bar("participants", participants, quiet) as seen:
        done = take_part(store, participants, seed, seen)
    facts = {"file": str(file), "participants": done, "simulated": True}
    emit(facts, f"{file}: {len(done)} automatic participants have played and answered", as_json)


@app.command()
def play(
    level: Annotated[Path, typer.Argument(help="A level.")],
    reaction: Annotated[int, typer.Option(help="Ticks (1/30 s) between decisions.")] = 4,
    error: Annotated[float, typer.Option(help="Share of decisions that are random.")] = 0.02,
    caution: Annotated[float, typer.Option(help="0 to 1: weight of being a little late.")] = 0.5,
    search: Annotated[
        bool, typer.Option("--search", help="The strongest player: tree search, without slips.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="The way as a PNG.")] = None,
    wrap: Annotated[
        int | None, typer.Option(min=1, help="Columns of a strip, if the picture is cut into some.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let an automatic player play a level, with enemies, three times at most; its features.

    Examples: treewright study play level.txt --picture played.png --wrap 80;
    treewright study play level.txt --reaction 9 --error 0.1 --json;
    treewright study play level.txt --search
    """
    from treewright.apps.levels.drawing import draw_level
    from treewright.apps.levels.finish import play_live
    from treewright.apps.levels.formats import read_level
    from treewright.apps.levels.replay import replay
    from treewright.apps.levels.world import World
    from treewright.apps.study import bots
    from treewright.apps.study.features import features

    if picture is not None:
        check_target("--picture", picture, (".png",))
    world = World(read_level(level))
    skill = bots.Skill(reaction, error, caution)
    with working("playing", quiet):
        alive = [play_live(world.level, seed).runs] if search else None
        runs = alive or bots.play(world, skill, seed)
    played = [replay(world, one) for one in runs]
    if picture is not None:
        write_whole(picture, draw_level(world.level, [one.way for one in played], wrap=wrap))
    found = features(world.totals, world.level.goal_column, played)
    end = "finished" if found["finished"] else f"stopped at {found['progress']:.0%}"
    text = (
        f"{level}: {end} in attempt {found['attempts']:.0f}, {found['total_time']:.0f} s in all; "
        f"{found['jumps']:.0f} jumps, {found['kills']:.0f} kills, {found['coins']:.0f} coins"
    )
    emit({"level": str(level), "features": found, "keys": runs}, text, as_json)


@app.command()
def export(
    file: File = Path("study.sqlite"),
    out: Annotated[Path, typer.Option(help="A folder.")] = Path("study-export"),
    format_: Annotated[str, typer.Option("--format", help="csv or json.")] = "csv",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the rows: participants, levels played with all features, answered pairs, keys.

    Examples: treewright study export study.sqlite --out rows;
    treewright study export study.sqlite --format json --out rows
    """
    from treewright.apps.levels.tiles import one_of
    from treewright.apps.study import export as exports
    from treewright.apps.study.store import Store

    one_of("format", format_, exports.FORMATS)
    store = Store(file)
    with working("replaying", quiet), _writing(out):
        rows = exports.export(store, out, format_)
    shown = ", ".join(f"{n} {name}" for name, n in rows.items())
    emit({"out": str(out), **rows}, f"{out}: {shown}", as_json)


@app.command()
def analyse(
    file: File = Path("study.sqlite"),
    out: Annotated[Path, typer.Option(help="A folder for report and models.")] = Path(
        "study-report"
    ),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Test and model: order effects, challenge, preference, experience; report and models.

    Examples: treewright study analyse study.sqlite --out report;
    treewright study analyse study.sqlite --json
    """
    from treewright.apps.study import report
    from treewright.apps.study.store import Store

    store = Store(file)
    with working("fitting", quiet), _writing(out):
        found = report.analyse(store)
        written = report.write(found, out, str(store.about["title"]))
    lines = ["simulated data: automatic players, not people"] if found.simulated else []
    lines.append(f"{found.participants} participants, {found.pairs} pairs, {found.plays} levels")
    for name, model in found.models.items():
        terms = ", ".join(
            f"{report.label(t.name)} {t.odds:.2f}{t.direction}"
            + (f" (unstable; Firth's {t.firth_odds:.2f})" if t.unstable else "")
            for t in model.fit.terms
        )
        lines.append(
            f"{name}: {model.validation.accuracy:.1%} right, kappa {model.validation.kappa:.2f}; "
            f"{terms or 'no term helps'}"
        )
    lines += [f"{name}: no model: {why}" for name, why in found.without.items()]
    lines.append(f"{out}: " + ", ".join(path.name for path in written))
    emit(found.to_dict() | {"out": str(out)}, "\n".join(lines), as_json)


@app.command()
def serve(
    file: File = Path("study.sqlite"),
    host: Annotated[str, typer.Option(help="Who is let in: 0.0.0.0 is everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = 8080,
    quiet: Quiet = False,
) -> None:
    """Serve a study to browsers until Ctrl-C; only on this machine unless --host says otherwise.

    Examples: treewright study serve study.sqlite;
    treewright study serve study.sqlite --host 0.0.0.0 --port 80
    """
    from treewright.apps.study import pages
    from treewright.apps.study.store import Store
    from treewright.workshop import web

    store = Store(file)
    web.nicegui()
    web.free(host, port)
    with working("compiling", quiet):
        store.warm_up()
    pages.build(store)
    if not quiet:
        here = f"http://{host}:{port}"
        typer.echo(f"{here}  (Ctrl-C ends)", err=True)
        typer.echo(f"{here}/experimenter?token={store.token()}  (only for you)", err=True)
    with store.kept_open():
        web.run(host, port, str(store.about.get("title", "A study of levels")))


@app.command()
def rate(
    things: Annotated[Path, typer.Argument(help="A folder of levels, or of pictures and texts.")],
    out: Annotated[Path, typer.Option(help="The ratings; more are added to it.")] = Path(
        "ratings.csv"
    ),
    pairs: Annotated[int, typer.Option(min=1, help="How many pairs to show.")] = 30,
    host: Annotated[str, typer.Option(help="Who is let in: 0.0.0.0 is everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = 8080,
    files: Annotated[
        bool, typer.Option("--files", help="Show the files themselves: maps, stories, anything.")
    ] = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Show things in pairs, in the browser, and write down which one is better, and why.

    Examples: treewright study rate levels --out ratings.csv;
    treewright study rate stories --files --pairs 50 --port 8090
    """
    from dataclasses import replace

    from treewright.apps.levels.formats import read_corpus
    from treewright.apps.study import rating_pages
    from treewright.apps.study.artefacts import things_in
    from treewright.workshop import web

    if files:
        found = [rating_pages.of_file(path) for path in things_in(things)]
    else:
        found = [
            rating_pages.of_level(replace(one, where=str(Path(one.where).resolve())))
            for one in read_corpus(things)
        ]
    if len(found) < 2:
        raise OptionError(f"{things} holds {len(found)} level; a pair needs two")
    web.nicegui()
    web.free(host, port)
    rating_pages.build(found, out, pairs, seed)
    if not quiet:
        typer.echo(f"http://{host}:{port}  (Ctrl-C ends)", err=True)
    web.run(host, port, rating_pages.TITLE)


@app.command()
def taste(
    ratings: Annotated[Path, typer.Argument(help="CSV with the columns a, b, better.")],
    out: Annotated[Path, typer.Option(help="Where the model goes.")] = Path("taste.json"),
    table: Annotated[
        Path | None,
        typer.Option(help="Of other things than levels: a CSV with file and columns of numbers."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn a taste from ratings: for level generate --player, or of anything for study rank.

    Examples: treewright study taste ratings.csv --out taste.json;
    treewright study taste ratings.csv --table maps.csv --json
    """
    from treewright.apps.study import artefacts
    from treewright.apps.study.taste import learn_taste, read_ratings

    if table is not None:
        numbers = artefacts.read_table(table)
        found = artefacts.learn(artefacts.read_choices(ratings, numbers), numbers)
        write_whole(out, json_text(found.to_dict(), indent=1) + "\n")
        said = ", ".join(f"{name} {weight:+.2f}" for name, weight in found.weights.items())
        text = (
            f"{out}: {found.ratings} ratings, {found.agreement:.0%} of them agree with the model; "
            f"{said}; now: treewright study rank {out} {table}"
        )
        emit({"out": str(out), **found.to_dict()}, text, as_json)
        return

    model = learn_taste(read_ratings(ratings))
    model.save(out)
    text = (
        f"{out}: {model.about['ratings']} ratings, {model.about['agreement']:.0%} of them agree "
        f"with the model; now: treewright level generate --player {out}"
    )
    emit({"out": str(out), "terms": model.terms, **model.about}, text, as_json)


@app.command()
def rank(
    taste: Annotated[Path, typer.Argument(help="From study taste --table.")],
    table: Annotated[Path, typer.Argument(help="A CSV with file and the same columns.")],
    as_json: Json = False,
) -> None:
    """Put things in the order of a taste, the best first.

    Examples: treewright study rank taste.json maps.csv;
    treewright study rank taste.json new-maps.csv --json
    """
    from treewright.apps.study import artefacts

    found = artefacts.load_taste(taste)
    worth = {name: found.worth(row) for name, row in artefacts.read_table(table).items()}
    best = sorted(worth, key=lambda name: (-worth[name], name))
    rows = [{"file": name, "worth": round(worth[name], 4)} for name in best]
    emit(rows, "\n".join(f"{row['worth']:+.2f}  {row['file']}" for row in rows), as_json)
