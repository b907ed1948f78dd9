"""``treewright story generate | new | list | check | explain | describe | watch``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.library.writing import write_whole
from treewright.workshop.commands import (
    LARGEST,
    Json,
    Memory,
    OnCluster,
    Quiet,
    Seed,
    check_target,
    count_of,
    counted,
    emit,
    emit_measured,
    exit_if_interrupted,
)

if TYPE_CHECKING:
    from treewright.apps.stories.searches import StoryProgress
    from treewright.apps.stories.setup import Setup
    from treewright.apps.stories.story import Story

app = typer.Typer(
    no_args_is_help=True,
    help="Generate believable stories from a set-up and goals.\n\n"
    "Examples: treewright story list; treewright story generate sherlock --graph why.svg",
)

SetupName = Annotated[
    str,
    typer.Argument(
        metavar="SETUP",
        help="A set-up's name (see 'story list'), a .toml file, or a planning problem in .txt.",
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        min=1, max=LARGEST, help="Budget: nodes of the search (100,000; 1,000,000 for a problem)."
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        help="mcts (the default), breadth-first, depth-first or best-first; for a problem "
        "best-first (the default), mcts or explanation-first."
    ),
]


# a long function, because each option is declared here with its help
@app.command()
def generate(
    setup: SetupName,
    method: Method = None,
    nodes: Nodes = None,
    seed: Seed = 0,
    goal: Annotated[
        int, typer.Option(help="Of a planning problem: the author's utility to reach.")
    ] = 1,
    author: Annotated[int, typer.Option(help="Of a problem: the most actions of its plan.")] = 7,
    character: Annotated[
        int, typer.Option(help="Of a problem: the most actions of a character's reason.")
    ] = 5,
    layers: Annotated[int, typer.Option(help="Of a problem: layers of belief.")] = 2,
    variants: Annotated[int, typer.Option(min=1, help="How many stories; no two are alike.")] = 1,
    cluster: OnCluster = None,
    branches: Annotated[
        int, typer.Option(min=0, help="Choice points, each with another way to go on.")
    ] = 0,
    format_: Annotated[
        str | None, typer.Option("--format", help="text, markdown, json, ink, twee or yarn.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write here; the ending decides the format.")
    ] = None,
    graph: Annotated[Path | None, typer.Option(help="Draw what led to what, as SVG.")] = None,
    length: Annotated[int | None, typer.Option(help="The most actions of a story.")] = None,
    believe: Annotated[
        list[str] | None,
        typer.Option(metavar="ACTION=NUMBER", help="Set an action's believability."),
    ] = None,
    tune: Annotated[
        list[str] | None,
        typer.Option(metavar="ACTION=FACTOR", help="Multiply an action's believability."),
    ] = None,
    trait: Annotated[
        list[str] | None,
        typer.Option(metavar="WHO:ACTION=FACTOR", help="The same for one person's actions."),
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(metavar="ACTION", help="Such as 'Kill(Bob, _, _)'.")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option(metavar="ACTION", help="An action that shall happen.")
    ] = None,
    order: Annotated[
        list[str] | None, typer.Option(metavar="'FIRST < THEN'", help="One action before another.")
    ] = None,
    prefix: Annotated[
        list[str] | None, typer.Option(metavar="ACTION", help="Begin with this; repeat for more.")
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(help="plain, report, fairy_tale, diary, or one of the library's own."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="The survey's plain UCT.")] = False,
    prune: Annotated[
        int, typer.Option(min=0, help="Plan step by step: commit after this many nodes.")
    ] = 0,
    motives: Annotated[
        bool, typer.Option(help="What people want and believe, where the set-up has it.")
    ] = True,
    trim: Annotated[bool, typer.Option(help="Leave out actions that nothing rests on.")] = True,
    memory: Memory = "1GiB",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find a story for a set-up and tell it.

    The first story of a library compiles it (some ten seconds); Ctrl-C keeps the best so far.  With
    more than six people, each search of 10,000 nodes has a cast, drawn at random.

    Examples: treewright story generate sherlock --seed 3 --graph why.svg;
    treewright story generate sherlock --variants 5 --out stories.md;
    treewright story generate fairy_tale --branches 2 --out tale.ink;
    treewright story generate problem.txt --goal 2 --author 7 --character 5 --layers 2
    """
    from treewright.apps.stories.planning.shipped import problem_names

    if setup.endswith(".txt") or setup in problem_names():
        from treewright.apps.stories.planning.commands import generate as generate_plan
        from treewright.apps.stories.planning.planner import DEFAULT_METHOD

        form = format_ or ("json" if out and out.suffix == ".json" else "text")
        limits = (goal, author, character, layers)
        search = method or DEFAULT_METHOD
        generate_plan(setup, *limits, search, nodes, seed, form, out, as_json, quiet)
        return
    method = method or "mcts"
    nodes = 100_000 if nodes is None else nodes
    from treewright.apps.stories.exports import ENDINGS, FORMATS, as_data, export
    from treewright.apps.stories.searches import DEFAULT, METHODS, PLAIN
    from treewright.apps.stories.setup import load_setup
    from treewright.apps.stories.variants import branching, different

    form = format_ or (ENDINGS.get(out.suffix, "") if out else "text")
    if form not in FORMATS:
        raise OptionError(f"the format is {', '.join(FORMATS)}; not {form or out.suffix!r}")  # type: ignore[union-attr]
    if graph is not None:
        check_target("--graph", graph, (".svg",))
    if out is not None:
        check_target("--out", out)
    if method not in METHODS:
        from treewright.errors import nearest

        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if cluster is not None and variants == 1:
        raise OptionError("--cluster searches several stories side by side: add --variants")
    if variants > 1 and branches:
        raise OptionError("choose --variants or --branches, not both")
    if (variants > 1 or branches) and method != "mcts":
        raise OptionError(f"{method} search always finds the same story: use --method mcts")
    changes = _steering(believe, tune, trait, forbid, require, order, prefix)
    if length is not None:
        changes["length"] = length
    if style is not None:
        changes["style"] = style
    if not motives:
        changes["motives"] = None
    loaded = load_setup(setup, changes)
    how: dict[str, Any] = {
        "method": method,
        "nodes": nodes,
        "options": PLAIN if plain else DEFAULT,
        "restarts": not plain,
        "prune": prune,
        "shorten": trim,
        "memory": memory,
    }
    _check_reachable(loaded)
    with counted(setup, nodes * max(variants, branches + 1), quiet) as bar:

        def seen(now: "StoryProgress") -> None:
            bar(now.nodes, f"{now.nodes:,} nodes, best {now.score:.3f}")

        if branches:
            stories = branching(loaded, branches, seed=seed, progress=seen, **how)
        else:
            stories = different(loaded, variants, seed=seed, progress=seen, cluster=cluster, **how)
    stopped = any(story.found.get("stopped") == "interrupt" for story in stories)
    if graph is not None:
        from treewright.apps.stories.causes import causal_svg

        write_whole(graph, causal_svg(stories[0]))
    if out is not None:
        write_whole(out, export(stories, form))
    if as_json or (form == "json" and out is None):
        data = as_data(stories[0])
        if len(stories) > 1:
            data = {"stories": [as_data(s) for s in stories], "variety": _variety(stories)}
        emit(data, "", True)
        exit_if_interrupted(stopped)
        return
    if out is not None:
        typer.echo(f"{out}: {count_of(len(stories), 'story', 'stories')}, {form}")
    else:
        typer.echo(export(stories, form), nl=False)
    people = form == "text" or out is not None  # else stdout is a document
    if people:
        typer.echo(_summary(stories))
    if graph is not None:
        typer.echo(f"{graph} written", err=not people)
    exit_if_interrupted(stopped)


def _steering(
    believe: list[str] | None,
    tune: list[str] | None,
    trait: list[str] | None,
    forbid: list[str] | None,
    require: list[str] | None,
    order: list[str] | None,
    prefix: list[str] | None,
) -> dict[str, Any]:
    """The command line's steering, as a set-up file would say it."""
    changes: dict[str, Any] = {}
    for key, pairs in (("believability", believe), ("tuning", tune)):
        if pairs:
            changes[key] = dict(_number(p, p) for p in pairs)
    if trait:
        found: dict[str, dict[str, float]] = {}
        for text in trait:
            who, colon, rest = text.partition(":")
            if not colon:
                raise OptionError(f"--trait {text!r}: write it as Bob:Steal=0.2")
            name, value = _number(rest, text)
            found.setdefault(who.strip(), {})[name] = value
        changes["traits"] = found
    for key, listed in (("forbid", forbid), ("require", require), ("prefix", prefix)):
        if listed:
            changes[key] = listed
    if order:
        changes["order"] = [_in_order(text) for text in order]
    return changes


def _in_order(text: str) -> list[str]:
    """The actions of ``--order``, first to last."""
    actions = [part.strip() for part in text.split("<")]
    if len(actions) < 2 or not all(actions):
        raise OptionError(f"--order {text!r}: write it as 'Steal < Kill'")
    return actions


def _number(pair: str, shown: str) -> tuple[str, float]:
    name, _, value = pair.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise OptionError(f"{shown!r}: write it as Kill=0.5") from None


def _check_reachable(setup: "Setup") -> None:
    from treewright.apps.stories.reach import impossible
    from treewright.apps.stories.source import StoryError

    found = impossible(setup)
    if found:
        raise StoryError(found)


def _variety(stories: list["Story"]) -> dict[str, Any]:
    from dataclasses import asdict

    from treewright.apps.stories.distances import variety

    return asdict(variety(stories))


def _summary(stories: list["Story"]) -> str:
    best = max(stories, key=lambda s: s.score)
    tension = "" if best.setup.wish is None else f" x tension {best.fit:.2f}"
    lines = [
        f"\nscore {best.score:.3f} = believability {best.believability:.3f} x goals "
        f"{best.share:.2f}{tension}; {count_of(len(best.steps), 'action')}"
    ]
    for goal, met in zip(best.setup.goals, best.goals, strict=True):
        lines.append(
            f"  {'met    ' if met >= 1 else 'not met' if met <= 0 else 'partly '} {goal.text}"
        )
    if len(stories) > 1:
        seen = _variety(stories)
        scores = ", ".join(f"{s.score:.3f}" for s in stories)
        lines.append(
            f"{len(stories)} stories ({seen['different']} different), scores {scores}; mean "
            f"distance {seen['jaccard']:.2f} (sets of actions), {seen['edits']:.2f} (edits); the "
            f"others score {seen['score_lost']:.3f} less than the first"
        )
    return "\n".join(lines)


@app.command("list")
def list_(as_json: Json = False, quiet: Quiet = False) -> None:
    """The set-ups and libraries that come with Treewright.

    Examples: treewright story list; treewright story list --json
    """
    from treewright.apps.stories.library import built_in_names
    from treewright.apps.stories.setup import load_setup

    rows = []
    for name in built_in_names("setups"):
        setup = load_setup(name)
        types = setup.library.known.types
        sizes = {k if len(e) == 1 else types[k].plural: len(e) for k, e in setup.entities.items()}
        rows.append(
            {
                "setup": name,
                "title": setup.title,
                "library": setup.library.name,
                "sizes": sizes,
                "goals": [g.text for g in setup.goals],
            }
        )
    libraries = built_in_names("libraries")
    width = max(len(str(r["setup"])) for r in rows)
    lines = [
        f"{str(r['setup']).ljust(width)}  {r['title']} ({r['library']}; "
        + ", ".join(f"{n} {k}" for k, n in r["sizes"].items())  # type: ignore[attr-defined]
        + ")"
        for r in rows
    ]
    text = "\n".join([*lines, "", f"libraries: {', '.join(libraries)}"])
    emit({"setups": rows, "libraries": libraries}, text, as_json)


@app.command()
def check(
    path: Annotated[
        str,
        typer.Argument(
            help="A set-up, a library (a name or a .toml file) or a planning problem (.txt)."
        ),
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a file without searching: what is in it, and what looks wrong.

    Examples: treewright story check sherlock; treewright story check my_library.toml;
    treewright story check vase
    """
    from treewright.apps.stories.lint import check_file

    report = check_file(path)
    lines = [f"{path}: {report['what']}", *(f"  {k}: {v}" for k, v in report["facts"].items())]
    lines += [f"  note: {note}" for note in report["notes"]] or ["  no problem found"]
    emit(report, "\n".join(lines), as_json)


@app.command()
def explain(
    setup: Annotated[
        str, typer.Argument(metavar="SETUP", help="A set-up's name, or a .toml file.")
    ],
    action: Annotated[str, typer.Argument(help="Such as 'Kill(Bob, Alice, rifle)'.")],
    after: Annotated[
        list[str] | None, typer.Option(metavar="ACTION", help="What happened; repeat for more.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Why an action can't happen at a point of a story, or how believable it is there.

    Examples: treewright story explain sherlock "Kill(Bob, Alice, rifle)";
    treewright story explain sherlock "Steal(Bob, Alice, vase)" --after "Move(Bob, alice_house)"
    """
    from treewright.apps.stories.explaining import as_text, explain
    from treewright.apps.stories.planning.shipped import problem_names
    from treewright.apps.stories.setup import load_setup

    if setup.endswith(".txt") or setup in problem_names():
        raise OptionError(
            f"{setup} is a planning problem: its reasons are told by 'story generate {setup}'"
        )
    data = explain(load_setup(setup), action, after or [])
    emit(data, as_text(data), as_json)


@app.command()
def describe(
    library: Annotated[str, typer.Argument(help="A library's name or file.")] = "crime",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a library knows: attributes, actions, phrases for goals.

    Examples: treewright story describe crime; treewright story describe my_library.toml --json
    """
    from treewright.apps.stories.library import load_library
    from treewright.apps.stories.lint import described

    data = described(load_library(library))
    lines = [f"{library}: what a set-up can say"]
    for kind, attributes in data["attributes"].items():
        lines.append(f"\n[{kind}]")
        lines += [f"  {name}: {text}" for name, text in attributes.items()]
    lines += ["\ngoals", *(f"  {text}" for text in data["goals"])]
    lines += ["\nactions", *(f"  {text}" for text in data["actions"])]
    emit(data, "\n".join(lines), as_json)


@app.command()
def watch(
    path: Annotated[Path, typer.Argument(help="A library or a set-up, a .toml file.")],
    setup: Annotated[
        str | None, typer.Option(help="The set-up to tell, where the file is a library.")
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, help="Budget: nodes of each story.")] = 20_000,
    seed: Seed = 0,
    once: Annotated[bool, typer.Option("--once", help="Look once, and stop.")] = False,
    quiet: Quiet = False,
) -> None:
    """Check a file and tell a story each time it is saved; Ctrl-C stops.

    Examples: treewright story watch mine.toml; treewright story watch lib.toml --setup mine.toml
    """
    from treewright.apps.stories.watching import check_watched, report, report_or_mistake, saved

    check_watched(path)
    if once:
        typer.echo(report(path, setup, nodes, seed))
        return
    try:
        for _ in saved(path):
            typer.echo(report_or_mistake(path, setup, nodes, seed))
            typer.echo(f"\n(waiting until {path} is saved again; Ctrl-C stops)")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@app.command()
def new(
    path: Annotated[Path, typer.Argument(help="The .toml file to write.")],
    library: Annotated[str, typer.Option(help="The library.")] = "crime",
    quiet: Quiet = False,
) -> None:
    """Ask for people, places, things and goals, and write a set-up.

    Examples: treewright story new mine.toml; treewright story new tale.toml --library fairy_tale
    """
    from treewright.apps.stories.asking import ask

    if path.exists():
        raise OptionError(f"{path} exists already; choose another name")
    if path.suffix != ".toml":
        raise OptionError(f"{path}: a set-up's name ends in .toml")
    try:
        text = ask(
            library,
            lambda question, default: str(typer.prompt(question, default=default)),
            lambda sentence: typer.echo(f"  {sentence}"),
        )
    except typer.Abort as end:  # the end of the input, or Ctrl-C
        if isinstance(end.__context__, KeyboardInterrupt):
            raise typer.Exit(130) from None
        raise OptionError(f"the answers ended too early; {path} is not written") from None
    write_whole(path, text)
    typer.echo(f"{path} written; try: treewright story generate {path}")


def bench(
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for each set-up.")] = 100_000,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """CPU seconds of the default story search, for 5, 12 and 40 people.

    Examples: treewright bench stories; treewright bench stories --nodes 3000000
    """
    from treewright.apps.stories.benchmark import run, table

    emit_measured("searching for stories", lambda: run(nodes), table, as_json, quiet)
