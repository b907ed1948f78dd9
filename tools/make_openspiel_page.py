"""Write the page about OpenSpiel's catalogue, game by game.

``python tools/make_openspiel_page.py > docs/results/openspiel-games.md`` takes some minutes: each
game is searched in a process of its own, which is ended after two.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 120  # seconds
SIMULATIONS = 20

# games that stand for others, or are read from a file, with something to try them on
EFG = """EFG 2 R "Choice" { "A" "B" }
p "" 1 1 "" { "l" "r" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
"""
NFG = 'NFG 1 R "Choice" { "A" "B" } { 2 2 }\n\n1 1 0 2 0 2 1 1\n'
GIVEN = {
    "add_noise": "add_noise(epsilon=0.1,seed=1,game=kuhn_poker())",
    "cached_tree": "cached_tree(game=kuhn_poker())",
    "misere": "misere(game=tic_tac_toe())",
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game": "repeated_game(stage_game=matrix_pd(),num_repetitions=10)",
    "repeated_poker": "repeated_poker(max_num_hands=3,reset_stacks=True,"
    "universal_poker_game_string=universal_poker())",
    "restricted_nash_response": "restricted_nash_response(game=kuhn_poker())",
    "start_at": "start_at(history=4;3,game=tic_tac_toe())",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=goofspiel())",
    "zerosum": "zerosum(game=matrix_pd())",
}
FILES = {"efg_game": EFG, "nfg_game": NFG}

INTRODUCTION = """\
# OpenSpiel's catalogue, searched

Every game that OpenSpiel {version} registers, its games in Python among them, through
`tw.from_openspiel(game, see_all=True)`: {simulations} simulations to the end of the game with
`tw.Options(normalise=True)`, then one random game through `tw.check`. Each has two minutes. Games
that need parameters are tried with those shown, games that are read from a file with a small one.

**{loaded} of {all} load and search; {clean} of these have nothing that `tw.check` objects to.** The
sentences are those that a user gets. Seconds are those of our 2-core machine, and no measurement of
speed: they say which games are slow to play out at random.

This page is made by `tools/make_openspiel_page.py`.
"""


def one(text: str) -> dict[str, object]:
    """What happens to one game, in this process."""
    import open_spiel.python.games  # noqa: F401
    import pyspiel

    import treewright as tw

    try:
        domain = tw.from_openspiel(text, see_all=True)
        search = tw.Search(domain, tw.Options(normalise=True), seed=1)
        began = time.perf_counter()
        result = search.run(SIMULATIONS)
        row = {"seconds": time.perf_counter() - began, "nodes": result.nodes}
    except tw.TreewrightError as error:
        return {"said": str(error)}
    print(json.dumps(row), flush=True)  # should the check take too long
    kind = pyspiel.load_game(text).get_type()
    row["players"] = domain.players
    row["moves"] = (
        "at once" if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS else "in turn"
    )
    row["hidden"] = domain.game.get_type().information.name.partition("_")[0].lower()
    row["chance"] = kind.chance_mode.name.partition("_")[0].lower()
    row["problems"] = tw.check(domain, games=1).problems
    return row


def tried(text: str) -> dict[str, object]:
    """The same in a process of its own, ended when the time is over."""
    command = [sys.executable, __file__, text]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        out, why = done.stdout, f"the process ended with {done.returncode}"
    except subprocess.TimeoutExpired as error:
        out, why = (error.stdout or b"").decode(), f"it takes more than {LIMIT} seconds"
    rows = [line for line in out.splitlines() if line.startswith("{")]
    return json.loads(rows[-1]) if rows else {"said": why}


def games(folder: Path) -> dict[str, str]:
    """What each registered game is loaded with."""
    import open_spiel.python.games  # noqa: F401
    import pyspiel

    found = {name: GIVEN.get(name, name) for name in pyspiel.registered_names()}
    for name, content in FILES.items():
        path = folder / name
        path.write_text(content)
        found[name] = f"{name}(filename={path})"
    return found


def line(text: str, row: dict[str, object]) -> str:
    shown = text.partition("(filename")[0]
    if "said" in row:
        return f"| `{shown}` | | | | | | {row['said']} |"
    kind = [str(row.get(key, "")) for key in ("players", "moves", "hidden", "chance")]
    said = "; ".join(row.get("problems", ["not checked within the two minutes"]))
    return f"| `{shown}` | {' | '.join(kind)} | {row['seconds']:.1f} | {said} |"


def page() -> str:
    from importlib.metadata import version

    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in games(Path(folder)).items():
            rows[text] = tried(text)
            print(name, rows[text], file=sys.stderr)
    loaded = [row for row in rows.values() if "said" not in row]
    introduction = INTRODUCTION.format(
        version=version("open_spiel"),
        simulations=SIMULATIONS,
        loaded=len(loaded),
        all=len(rows),
        clean=sum(row.get("problems") == [] for row in loaded),
    )
    head = "| game | players | moves | information | chance | seconds | what is said |"
    lines = [line(text, row).replace(f"{folder}/", "") for text, row in rows.items()]
    return "\n".join([introduction, head, "| --- " * 7 + "|", *lines]) + "\n"


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1])) if sys.argv[1:] else page(), end="")
