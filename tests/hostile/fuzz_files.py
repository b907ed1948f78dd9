"""Damaged and strange files for every reader; each fuzzer takes how many, and counts."""

import base64
import contextlib
import gzip
import json
import random
import signal
import struct
import time
import zlib
from collections import Counter
from importlib import resources
from pathlib import Path

import fuzz_uploads

from treewright.errors import TreewrightError

LONGEST = 20.0  # seconds of the processor that one try may take
WAITING = 10  # times as long on the clock, for what waits and on machines that are busy
PIECES = [
    *(b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\r\n", b"\n", b" ", b'"', b"'", b"\\", b"\\ud800"),
    *(b"nan", b"inf", b"-1", b"0", b"1e999", b"9" * 25, b"9" * 5000, b"-9223372036854775809"),
    *(b"null", b"true", b"[]", b"{}", b"[[", b"]]", b"{", b"}", b"<", b">", b"&a;", b",", b"="),
    *(b"2.5", b"((((", b")", b";", b"[" * 3000, b"\xf0\x9f\x98\x80", "é".encode(), b"...", b"#"),
]


class TooLong(BaseException):
    """One try took longer than any may."""


@contextlib.contextmanager
def limited(seconds=LONGEST):
    """Raise in the main thread after some seconds of work, or of a long wait."""

    def late(number, frame):
        raise TooLong

    clocks = (signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, WAITING)
    before = [signal.signal(number, late) for number, _, _ in clocks]
    for _, clock, times in clocks:
        signal.setitimer(clock, times * seconds)
    try:
        yield
    finally:
        for (number, clock, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(number, handler)


def damaged(dice, data):
    """The same bytes with some of them changed, cut, repeated, or exchanged for others."""
    made = bytearray(data)
    for _ in range(dice.choice([1, 1, 1, 2, 5, 20])):
        at = dice.randrange(len(made) + 1)
        kind = dice.randrange(8)
        if kind == 0 and at < len(made):
            made[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del made[at:]
        elif kind == 2:
            del made[at : at + dice.randrange(1, 40)]
        elif kind == 3:
            other = dice.randrange(len(made) + 1)
            made[at:at] = made[other : other + dice.randrange(1, 60)]
        elif kind == 4:
            made[at:at] = dice.choice(PIECES)
        else:  # exchange a word or a number, which comes farther than noise
            _exchange(dice, made)
    return bytes(made)


def _exchange(dice, made):
    import re

    words = list(re.finditer(rb"[\w.+-]+|[\[\]{}(),;=:]", bytes(made[:200_000])))
    if words:
        word = dice.choice(words)
        new = dice.choice([*PIECES, dice.choice(words)[0], b"1", b"2", b"7"])
        made[word.start() : word.end()] = new


def attempt(read, path):
    """What became of one try: ``read``, ``refused``, or what is wrong with it."""
    try:
        with limited():
            read(path)
    except TreewrightError as error:
        said = str(error)
        if "\n" in said.strip() or len(said) > 3000:
            return f"no sentence: {said[:300]!r}"
        return "refused"
    except TooLong:
        return "too long"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return "read"


def fuzz_reader(name, count, folder, seed=0):
    """Try ``count`` damaged files on a reader: how often what, and what was wrong with which."""
    read, ending, seeds = READERS[name]()
    dice = random.Random(f"{name} {seed}")
    seen: Counter = Counter()
    wrong = []
    path = Path(folder) / f"{name}{ending}"
    began = time.monotonic()
    for number in range(count):
        data = damaged(dice, dice.choice(seeds))
        path.write_bytes(data)
        result = attempt(read, path)
        seen[result if result in ("read", "refused") else "wrong"] += 1
        if result not in ("read", "refused"):
            wrong.append((result, data[:400]))
            path.rename(path.with_name(f"{name}-{number}{ending}"))
    seen["seconds"] = round(time.monotonic() - began)
    return seen, wrong


# ------------------------------------------------------------------------------------- readers

ROWS = ["-" * 24] * 10 + ["--o---?--E---[]---S-----"] * 2 + ["M" + "-" * 22 + "F", "X" * 24]


def _level():
    from treewright.apps.levels.level import Level

    return Level(tuple(ROWS))


def levels_text():
    from treewright.apps.levels.formats import read_level

    return read_level, ".txt", [("\n".join(ROWS) + "\n").encode()]


def levels_json():
    from treewright.apps.levels.formats import read_level, to_json

    return read_level, ".json", [to_json(_level()).encode()]


def levels_tmx():
    from treewright.apps.levels import tiled
    from treewright.apps.levels.formats import read_level

    plain = tiled.to_tmx(_level())
    head, _, rest = plain.partition("<data")
    _, _, tail = rest.partition("</data>")
    raw = struct.pack(f"<{24 * 14}I", *[0] * 24 * 14)
    packed = [
        f'{head}<data encoding="base64" compression="{kind}">{base64.b64encode(data).decode()}'
        f"</data>{tail}".encode()
        for kind, data in (("zlib", zlib.compress(raw)), ("gzip", gzip.compress(raw)))
    ]
    return read_level, ".tmx", [plain.encode(), *packed]


def levels_tmj():
    from treewright.apps.levels import tiled
    from treewright.apps.levels.formats import read_level

    return read_level, ".tmj", [tiled.to_tmj(_level()).encode()]


def chains():
    from treewright.apps.levels.chain import Chain, learn
    from treewright.apps.levels.controls import Controls
    from treewright.apps.levels.domain import Levels

    corpus = resources.files("treewright.apps.levels").joinpath("corpus")
    files = sorted(f for f in corpus.iterdir() if f.name.endswith(".txt"))[:2]
    from treewright.apps.levels.formats import from_text

    chain = learn([from_text(f.read_text(), f.name) for f in files], 2, 2)
    saved = Path("chain-to-fuzz.json")
    chain.save(saved)
    data = saved.read_bytes()
    saved.unlink()

    def read(path):
        found = Chain.load(path)
        found.summary()
        Levels(found, Controls(length=60))

    return read, ".json", [data]


def models():
    from treewright.apps.levels.player_model import load_model

    data = {
        "format": "treewright-player-1",
        "kind": "challenge",
        "experience": "beginner",
        "terms": {"gaps": 1.5, "gaps:enemies": -0.5, "experience:gaps": 0.2},
        "ranges": {"gaps": [0.0, 0.1], "enemies": [0.0, 0.2]},
        "about": {"rows": 40},
    }
    from treewright.apps.levels import player_model as model

    data["format"] = model.FORMAT

    def read(path):
        load_model(path).score()

    return read, ".json", [json.dumps(data, indent=2).encode()]


def stories():
    from treewright.apps.stories.setup import load_setup

    folder = resources.files("treewright.apps.stories").joinpath("setups")
    seeds = [folder.joinpath(f"{n}.toml").read_bytes() for n in ("sherlock", "gentle", "dragon")]
    return (lambda path: load_setup(str(path))), ".toml", seeds


def libraries():
    from treewright.apps.stories.library import load_library

    folder = resources.files("treewright.apps.stories").joinpath("libraries")
    seeds = [folder.joinpath("fairy_tale.toml").read_bytes()]
    return (lambda path: load_library(str(path))), ".toml", seeds


def maps_toml():
    from treewright.apps.maps.spec import load_spec

    seeds = [
        b"width = 12\nheight = 9\ncheckpoints = [[0, 0], [5, 5], [11, 8]]\n"
        b"requirements = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]\nwalls = [[3, 3]]\nfloor = [[4, 4]]\n",
        b'sketch = """\nA..#\n..B_\nA...\n"""\n',
    ]
    return load_spec, ".toml", seeds


def maps_text():
    from treewright.apps.maps.spec import load_spec

    return load_spec, ".txt", [b"A..#\n..B_\nA...\n", b"A..\n..B\n\n0 1\n1 0\n"]


def maps_png():
    import numpy as np

    from treewright.apps.maps.draw import png
    from treewright.apps.maps.spec import load_spec

    pixels = np.full((9, 12, 3), 255, np.uint8)
    pixels[2, 3], pixels[5, 5], pixels[7, 8] = (0, 0, 0), (255, 0, 0), (0, 0, 255)
    return load_spec, ".png", [png(pixels)]


def saved_games():
    from treewright.apps.tactics import saves
    from treewright.apps.tactics.domain import HeroAcademy
    from treewright.apps.tactics.notation import action_text
    from treewright.library.position import Position

    position = Position(HeroAcademy(ap=5, seed=3))
    for i in range(30):
        legal = position.legal()
        position.play(legal[7 * i % len(legal)])
    data = {
        "format": saves.FORMAT,
        "players": ["a", "b"],
        "settings": {"ap": 5, "seed": 3},
        "actions": [action_text(a) for a in position.history],
    }
    return saves.load, ".json", [json.dumps(data, indent=1).encode()]


def ratings():
    from treewright.apps.study.taste import read_ratings

    return read_ratings, ".csv", [b'a,b,better\nx.txt,y.txt,a\n"z, 1.txt",y.txt,b\n']


def records():
    from treewright.apps.go.gtp.sgf import read

    seeds = [
        b"(;GM[1]FF[4]SZ[9]KM[7.5]HA[2]AB[cc][gg]PL[W];W[ee];B[ec]C[a \\] b];W[];B[tt])",
        b"(;SZ[5]AB[aa]AW[bb:cc]AE[aa];B[dd](;W[ee])(;W[de];B[]))",
    ]
    return read, ".sgf", seeds


def trees_of_settings():
    """``.json`` files of any kind in the folder of a corpus."""
    from treewright.apps.levels.formats import read_corpus

    seeds = [b'{"tiles": {"X": ["solid"], "-": ["passable", "empty"]}}', b'{"format": 1}']

    def read(path):
        folder = path.parent / "corpus"
        folder.mkdir(exist_ok=True)
        (folder / "level.txt").write_text("\n".join(["-" * 9] * 5 + ["X" * 9]) + "\n")
        (folder / "legend.json").write_bytes(path.read_bytes())
        read_corpus(folder)

    return read, ".json", seeds


READERS = {
    "level-text": levels_text,
    "level-json": levels_json,
    "level-tmx": levels_tmx,
    "level-tmj": levels_tmj,
    "legend": trees_of_settings,
    "chain": chains,
    "model": models,
    "story": stories,
    "library": libraries,
    "map-toml": maps_toml,
    "map-text": maps_text,
    "map-png": maps_png,
    "saved-game": saved_games,
    "ratings": ratings,
    "sgf": records,
    **fuzz_uploads.READERS,
}
