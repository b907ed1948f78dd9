"""``treewright level``: platformer levels from a Markov chain that MCTS keeps playable."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.apps.levels.asked import numbers_of, pieces_of, range_of, wishes_of
from treewright.errors import OptionError
from treewright.library.writing import make_folder, write_whole
from treewright.workshop.commands import (
    MOST_PROCESSES,
    Json,
    OnCluster,
    Quiet,
    Seed,
    check_target,
    check_workers,
    count_of,
    emit,
    exit_if_interrupted,
    working,
)

if TYPE_CHECKING:
    from treewright.apps.levels.chain import Chain
    from treewright.apps.levels.level import Level
    from treewright.apps.levels.tilechain import TileChain

app = typer.Typer(
    no_args_is_help=True,
    help="Platformer levels: learn a chain, generate, check, measure, convert.\n\n"
    "Examples: treewright level generate --difficulty 0.2,0.9 --out level.tmx; "
    "treewright level check level.tmx --picture path.png",
)

Corpus = Annotated[
    Path | None,
    typer.Option(help="A folder of levels, or a chain.json from learn; ours if not given."),
]
Legend = Annotated[
    Path | None, typer.Option(help="A legend in JSON for levels with other characters.")
]
LONG = 2000  # slices: a level that takes seconds, and shows how far it is
PlayerOption = Annotated[str, typer.Option("--player", help="small or large.")]


Theme = Annotated[str, typer.Option(help="How pictures look: meadow, castle, cave or ice.")]


# a long function, because each option is declared here with its help
@app.command()
def generate(
    out: Annotated[
        Path | None,
        typer.Option(
            help="A file (.txt .json .tmx .tmj .png), or a folder with --count; level.txt, or "
            "levels, if not given."
        ),
    ] = None,
    length: Annotated[
        int | None, typer.Option(help="Slices: 320, or those of --vary, if not given.")
    ] = None,
    difficulty: Annotated[
        str, typer.Option(help="0 to 1; several, as 0.2,0.8, are a curve along the level.")
    ] = "0.5",
    corpus: Corpus = None,
    seed: Seed = 0,
    count: Annotated[int, typer.Option(min=1, help="How many levels.")] = 1,
    workers: Annotated[int, typer.Option(help="Processes; the levels are the same.")] = 1,
    cluster: OnCluster = None,
    rollouts: Annotated[int, typer.Option(min=1, help="Rollouts per move.")] = 200,
    gaps: Annotated[str | None, typer.Option(help="How many, as 12 or 10..14.")] = None,
    enemies: Annotated[str | None, typer.Option(help="How many, as 30 or 25..35.")] = None,
    rewards: Annotated[str | None, typer.Option(help="How many, as 27 or 20..30.")] = None,
    height: Annotated[
        str | None, typer.Option(help="Mean height of the floor above the bottom, as 1..2.")
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN:FILE", help="A piece that must stand at this column."),
    ] = None,
    start: Annotated[Path | None, typer.Option(help="A piece to begin with.")] = None,
    goal: Annotated[Path | None, typer.Option(help="A piece to end with.")] = None,
    vary: Annotated[Path | None, typer.Option(help="Keep parts of this level.")] = None,
    keep: Annotated[
        float | None, typer.Option(help="The share that --vary keeps; half if not given.")
    ] = None,
    tiles: Annotated[
        bool, typer.Option("--tiles", help="Tile by tile: slices that the corpus never had.")
    ] = False,
    player: Annotated[
        str,
        typer.Option(help="Whose moves count, small or large; or whom to please: a model.json."),
    ] = "large",
    experience: Annotated[
        str | None, typer.Option(help="Of the model's player: beginner, intermediate or expert.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Another score, as '2 - (gaps - 12)**2 / 20'.")
    ] = None,
    copy_limit: Annotated[
        int, typer.Option(help="Longest run of slices copied from the corpus.")
    ] = 24,
    novelty: Annotated[
        float | None,
        typer.Option(help="Least share of eight-slice stretches that the corpus does not have."),
    ] = None,
    crowd: Annotated[
        int | None, typer.Option(help="At most this many enemies in any eight columns.")
    ] = None,
    grounded: Annotated[
        bool, typer.Option("--grounded", help="No floating enemies, though the corpus has some.")
    ] = False,
    enemies_safe: Annotated[
        bool,
        typer.Option("--enemies-safe", help="Only levels that are finished with enemies alive."),
    ] = False,
    ends: Annotated[
        bool, typer.Option("--ends/--no-ends", help="Start, flag and a safe first screen.")
    ] = True,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse, instead of the nearest level.")
    ] = False,
    shared: Annotated[
        float, typer.Option(help="Share of slices, in order, that two levels may have in common.")
    ] = 0.6,
    format_: Annotated[
        str | None, typer.Option("--format", help="vglc, mario-ai, json, tmx, tmj or png.")
    ] = None,
    theme: Theme = "meadow",
    shards: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|URL",
            help="Write zip files of 100 levels and an index here, such as s3://bucket/levels; "
            "a second run goes on.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Generate levels that can be finished.

    Examples: treewright level generate --length 320 --difficulty 0.5 --seed 7 --out level.txt;
    treewright level generate --count 20 --workers 2 --gaps 10..14 --out levels;
    treewright level generate --count 10000 --shards s3://bucket/levels --cluster auto;
    treewright level generate --player preference.json --experience beginner
    """
    from treewright.apps.levels.controls import Controls
    from treewright.apps.levels.formats import FORMATS, format_of, write_level
    from treewright.apps.levels.generate import compile_kernel, domain_of, generate_many
    from treewright.apps.levels.ground import grounded_chain
    from treewright.apps.levels.score import from_expression
    from treewright.apps.levels.themes import THEMES
    from treewright.apps.levels.tilechain import learn_tiles
    from treewright.apps.levels.tiles import one_of

    check_workers("--workers", workers, MOST_PROCESSES)
    if tiles and novelty is not None:
        raise OptionError("--novelty belongs to slices; what --tiles makes is new anyway")
    slice_chain = chain_of(corpus)
    chain: Chain | TileChain = grounded_chain(slice_chain) if grounded else slice_chain
    if tiles:
        chain = learn_tiles(chain.corpus)
    pieces, slices = pieces_of(fix, start, goal, vary, keep, length, seed)
    if player.endswith(".json"):
        score, player = wishes_of(Path(player), experience, score), "large"
    elif experience is not None:
        raise OptionError("--experience belongs to a model: --player model.json")
    controls = Controls(
        length=slices,
        difficulty=numbers_of("--difficulty", difficulty),
        gaps=range_of("--gaps", gaps),
        enemies=range_of("--enemies", enemies),
        rewards=range_of("--rewards", rewards),
        height=range_of("--height", height),
        fixed=pieces,
        player=one_of("player", player, ("small", "large")),  # type: ignore[arg-type]
        copy_limit=copy_limit,
        novelty=novelty,
        crowd=crowd,
        whole=ends,
        score=None if score is None else from_expression(score),
    )
    if not 0 < shared <= 1:
        raise OptionError(f"--shared {shared:g} must be above 0, at most 1")
    if out is None:
        out = Path("levels" if count > 1 else "level.txt")
    if count > 1 and out.suffix in FORMATS.values() and not out.is_dir():
        raise OptionError(f"--count {count} makes a folder; --out {out} is the name of a file")
    many = count > 1 or (out.suffix == "" and format_ is None) or out.is_dir()
    kind = format_ or "mario-ai" if many else format_of(out, format_)
    one_of("format", kind, FORMATS)
    one_of("theme", theme, THEMES)
    if shards is not None:
        from treewright.apps.levels.shards import write_sharded

        wishes = (chain, controls)
        with _bar("shards", count, quiet) as seen:
            write_sharded(
                wishes, count, seed, rollouts, shared, kind, shards, cluster, seen, as_json
            )
        return
    domain = domain_of(chain, controls)
    if many:
        make_folder(out)
    with working("compiling", quiet):
        compile_kernel(domain)
    rows: list[dict[str, Any]] = []
    stopped = False
    slow = count == 1 and slices >= LONG
    with _bar("slices" if slow else "levels", slices if slow else count, quiet) as seen:
        made_levels = generate_many(
            chain,
            controls,
            count,
            seed,
            rollouts=rollouts,
            workers=workers,
            cluster=cluster,
            shared=shared,
            strict=strict,
            enemies_safe=enemies_safe,
            progress=None if slow else seen,
            domain=domain,
            seen=(lambda search: seen(int(search.position.state.n), 0))
            if slow and seen is not None
            else None,
        )
        try:
            for made in made_levels:
                path = out / f"level-{len(rows) + 1:04d}{FORMATS[kind]}" if many else out
                write_level(made.level, path, kind, theme)
                rows.append({"out": str(path), **_facts(made)})
        except KeyboardInterrupt:
            stopped = True
    lines = [_line(row) for row in rows]
    if len(rows) > 1:
        total, spent = sum(r["rollouts"] for r in rows), sum(r["seconds"] for r in rows)
        lines.append(
            f"{len(rows)} levels, {total:,} rollouts in {spent:.1f} s of one core "
            f"({_rate(total, spent)})"
        )
    if stopped:
        lines.append(f"interrupted: {len(rows)} of {count} levels are done")
    emit(rows if many else rows[0] if rows else {}, "\n".join(lines), as_json)
    exit_if_interrupted(stopped)


def _facts(made: Any) -> dict[str, Any]:
    return {
        "seed": made.seed,
        "length": made.level.length,
        **{k: round(v, 3) for k, v in made.counts.items()},
        "score": round(made.score, 4),
        "moves": made.moves,
        "rollouts": made.rollouts,
        "attempts": made.attempts,
        "seconds": round(made.seconds, 3),
        **({"missed": made.missed} if made.missed else {}),
        **({"enemies_alive": made.played.to_dict()} if made.played is not None else {}),
    }


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['out']}: {row['length']} slices, {count_of(row['gaps'], 'gap')}, "
        f"{count_of(row['enemies'], 'enemy', 'enemies')}, {count_of(row['rewards'], 'reward')}; "
        f"{row['rollouts']:,} rollouts in {row['seconds']:.2f} s of one "
        f"core ({_rate(row['rollouts'], row['seconds'])})"
        + (f"\n  the nearest to: {row['missed']}" if "missed" in row else "")
        + ("; finished with its enemies alive" if "enemies_alive" in row else "")
    )


def _rate(rollouts: int, seconds: float) -> str:
    return f"{rollouts / max(seconds, 0.001):,.0f} a second"


@app.command()
def learn(
    corpus: Annotated[Path, typer.Argument(help="A folder of levels.")],
    out: Annotated[Path, typer.Option(help="Where the chain goes.")] = Path("chain.json"),
    history: Annotated[int, typer.Option(min=1, max=8, help="Slices of history.")] = 2,
    widest: Annotated[int, typer.Option(min=1, max=32, help="Widest pattern, in slices.")] = 8,
    legend: Legend = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a Markov chain of vertical slices from a corpus.

    Examples: treewright level learn my-levels --out chain.json;
    treewright level learn my-levels --history 3 --widest 1 --json
    """
    from treewright.apps.levels import chain as chains
    from treewright.apps.levels.formats import read_corpus

    check_target("--out", out, (".json",))
    found = chains.learn(read_corpus(corpus, legend), history, widest)
    found.save(out)
    facts = found.summary()
    text = (
        f"{out}: {facts['levels']} levels, {facts['slices']:,} slices, "
        f"{facts['distinct_slices']} of them distinct\n"
        f"{facts['states']} states of {history} slices, {facts['transitions']:,} transitions to "
        f"patterns of 1 to {widest} slices\n"
        f"{facts['branching']:.2f} next slices a state on average, {facts['states_that_branch']} "
        f"states with a choice, {facts['dead_ends']} dead ends left out"
    )
    emit(facts | {"out": str(out)}, text, as_json)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Levels.")],
    player: PlayerOption = "small",
    legend: Legend = None,
    picture: Annotated[
        Path | None, typer.Option(help="A PNG with the path; a folder if there are several levels.")
    ] = None,
    wrap: Annotated[
        int | None, typer.Option(min=1, help="Columns of a strip, if the picture is cut into some.")
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="Print every move.")] = False,
    enemies: Annotated[
        bool, typer.Option("--enemies", help="Play it too, by search, with its enemies alive.")
    ] = False,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say whether levels can be finished, and how, or what stops the player; exit 1 if any can't.

    Examples: treewright level check level.txt --picture path.png;
    treewright level check levels/*.txt --player large --json;
    treewright level check level.txt --enemies --picture played.png
    """
    from treewright.apps.levels.check import check as run_check
    from treewright.apps.levels.formats import read_corpus
    from treewright.apps.levels.tiles import one_of

    size: Any = one_of("player", player, ("small", "large"))
    levels = [level for file in files for level in read_corpus(file, legend)]
    found = []
    with _bar("levels", len(levels), quiet) as seen:
        for level in levels:
            found.append(run_check(level, size, seed if enemies else None))
            if seen is not None:
                seen(len(found), 0)
    if picture is not None:
        folder = len(found) > 1 or picture.is_dir()
        if not folder:
            check_target("--picture", picture, (".png",))
        if folder:
            make_folder(picture)
        for one, name in zip(found, _names([one.level for one in found]), strict=True):
            write_whole(picture / f"{name}.png" if folder else picture, one.picture(wrap))
    lines = []
    for one in found:
        lines.append(one.text)
        if path:
            lines += [
                f"  column {s.column + 1}, row {s.row + 1}: {s.move.name}" for s in one.report.path
            ]
    good = sum(one.passes for one in found)
    if len(found) > 1:
        alive = " and finished with their enemies alive" if enemies else ""
        lines.append(f"{good} of {len(found)} playable{alive}")
    emit([one.to_dict() for one in found], "\n".join(lines), as_json)
    if good < len(found):
        raise typer.Exit(1)


def _names(levels: "list[Level]") -> list[str]:
    """The levels' names without folder and ending, numbered where they come again."""
    stems = [Path(level.where).stem for level in levels]
    before = [stems[:i].count(stem) for i, stem in enumerate(stems)]
    return [f"{s}-{n + 1}" if n else s for s, n in zip(stems, before, strict=True)]


@app.command()
def analyse(
    files: Annotated[list[Path], typer.Argument(help="Levels, or folders of them.")],
    corpus: Corpus = None,
    plot: Annotated[
        Path | None, typer.Option(help="The expressive range, linearity by leniency, as a PNG.")
    ] = None,
    legend: Legend = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure levels against a corpus: linearity, leniency, density, KL divergence, copied runs.

    Examples: treewright level analyse level.txt;
    treewright level analyse levels --plot range.png --json
    """
    from treewright.apps.levels import analysis
    from treewright.apps.levels.formats import read_corpus

    if plot is not None:
        check_target("--plot", plot, (".png",))
    chain = chain_of(corpus)
    levels = [level for file in files for level in read_corpus(file, legend)]
    with working(f"measuring {len(levels)} levels", quiet):
        found = analysis.analyse(levels, chain)
    if plot is not None:
        analysis.plot_range(found, chain, plot)
    emit(found, analysis.table(found), as_json)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(help="A level.")],
    target: Annotated[Path, typer.Argument(help="Where it goes: .txt .json .tmx .tmj .png")],
    format_: Annotated[
        str | None, typer.Option("--format", help="vglc, mario-ai, json, tmx, tmj or png.")
    ] = None,
    legend: Legend = None,
    theme: Theme = "meadow",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a level in another format.

    Examples: treewright level convert level.txt level.tmx;
    treewright level convert level.tmj level.png --theme ice
    """
    from treewright.apps.levels.formats import format_of, read_corpus, write_level

    (level,) = read_corpus(_single(source), legend)
    write_level(level, target, format_, theme)
    facts = {
        "out": str(target),
        "format": format_of(target, format_),
        "length": level.length,
        "rows": level.height,
    }
    emit(facts, f"{target}: {level.length} x {level.height} tiles", as_json)


def _single(path: Path) -> Path:
    if path.is_dir():
        raise OptionError(f"{path} is a folder; one level is wanted here")
    return path


@app.command("import-image")
def import_image(
    image: Annotated[Path, typer.Argument(help="A picture of a whole level.")],
    tiles: Annotated[Path, typer.Option(help="A folder with a picture of each tile.")],
    out: Annotated[Path, typer.Option(help="Where the level goes.")] = Path("level.txt"),
    format_: Annotated[
        str | None, typer.Option("--format", help="vglc, mario-ai, json, tmx, tmj or png.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the tiles in a picture of a level, by template matching.

    Examples: treewright level import-image level.png --tiles tiles --out level.txt;
    treewright level tiles --out tiles
    """
    from treewright.apps.levels.formats import write_level
    from treewright.apps.levels.images import import_image as read
    from treewright.apps.levels.images import read_tiles
    from treewright.apps.levels.tiles import KINDS

    with working("matching", quiet):
        level = read(image, read_tiles(tiles))
    write_level(level, out, format_)
    counts = {kind: level.count(kind) for kind in KINDS}
    shown = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
    facts: dict[str, Any] = {"out": str(out), "length": level.length, "rows": level.height}
    emit(facts | counts, f"{out}: {level.length} x {level.height} tiles: {shown}", as_json)


@app.command()
def tiles(
    out: Annotated[Path, typer.Option(help="A folder.")] = Path("tiles"),
    theme: Theme = "meadow",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write our tile art as a folder of pictures, one for each tile, for import-image.

    Examples: treewright level tiles --out tiles; treewright level tiles --out tiles --theme castle
    """
    from treewright.apps.levels.images import write_tiles

    count = write_tiles(out, theme)
    emit({"out": str(out), "pictures": count}, f"{out}: {count} pictures", as_json)


@app.command()
def chunks(
    out: Annotated[Path, typer.Option(help="A folder.")] = Path("chunks"),
    corpus: Annotated[
        Path | None, typer.Option(help="A level or a folder of levels; ours if not given.")
    ] = None,
    legend: Legend = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cut levels into chunks, one text file each, to be edited and used as a corpus.

    Examples: treewright level chunks --out chunks;
    treewright level chunks --corpus my-levels --out chunks --json
    """
    from treewright.apps.levels.chunks import write_chunks
    from treewright.apps.levels.formats import read_corpus
    from treewright.apps.levels.generate import own_corpus

    levels = own_corpus() if corpus is None else read_corpus(corpus, legend)
    found = write_chunks(levels, out)
    shown = ", ".join(f"{count} {name}" for name, count in sorted(found.items()))
    text = f"{out}: {shown}; edit them, then: treewright level generate --corpus {out}"
    emit({"out": str(out), "chunks": found}, text, as_json)


# ------------------------------------------------------------------------------ from words


def chain_of(corpus: Path | None) -> "Chain":
    """Our own chain, one that was learnt before, or one from a folder."""
    from treewright.apps.levels.chain import Chain, learn
    from treewright.apps.levels.formats import read_corpus
    from treewright.apps.levels.generate import own_chain

    if corpus is None:
        return own_chain()
    if corpus.suffix == ".json" and corpus.is_file():
        return Chain.load(corpus)
    return learn(read_corpus(corpus))


@contextlib.contextmanager
def _bar(what: str, total: int, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr that counts finished things; None when not wanted."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def seen(done: int, dropped: int) -> None:
            more = f", {dropped} near duplicates dropped" if dropped else ""
            bar.update(task, completed=done, description=f"{what}{more}")

        yield seen
