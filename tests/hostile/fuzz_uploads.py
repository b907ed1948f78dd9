"""Readers that came later: planning problems, what people bring to the studio, notes of a run."""

import gzip
import json
from importlib import resources
from pathlib import Path


def problems():
    """Planning problems of stories, and a plan of a few nodes where one could be read."""
    from treewright.apps.stories.planning.problem import load_problem

    files = resources.files("treewright.apps.stories").joinpath("problems")
    seeds = [f.read_bytes() for f in files.iterdir() if f.name.endswith(".txt")]
    return load_problem, ".txt", seeds


def recordings():
    """Records of games for ``tactics verify``, packed and with bytes of the package changed."""
    from treewright.apps.tactics.verify import verify

    return verify, ".jsonl.gz", [gzip.compress(_lines(), mtime=0), gzip.compress(b"{}\n")]


def _lines():
    """A game and two steps of it."""
    path = min((Path(__file__).parent.parent / "data" / "tactics").glob("*.gz"))
    return b"".join(gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:3])


def recorded():
    """The same, with the lines in the package changed."""
    verify, _, _ = recordings()

    def read(path):
        packed = path.with_suffix(".gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        verify(packed)

    return read, ".jsonl", [_lines()]


def indices():
    """The list of shards in a folder that a run goes on with."""
    from treewright.workshop import shards

    asked = {"seed": 1}
    row = {"shard": 0, "file": "shard-00000.zip", "bytes": 10, "sha256": "00"}
    seeds = [json.dumps({"made_with": asked, "shards": [row, {**row, "shard": 1}]}).encode()]

    def read(path):
        folder = path.parent / "shards"
        folder.mkdir(exist_ok=True)
        (folder / shards.INDEX).write_bytes(path.read_bytes())
        list(shards.write_shards(shards.Target(str(folder)), asked, 3, lambda missing: iter(())))

    return read, ".json", seeds


def kept_levels():
    """What ``study new`` has made before it was stopped."""
    from treewright.apps.study import making

    asked = {"seed": 1}
    row = {"variant": 1, "rows": ["-" * 16] * 13 + ["X" * 16], "missed": ""}
    seed = "\n".join(json.dumps(line) for line in (asked, row, {**row, "variant": 2}))
    return (lambda path: making._kept(path, asked)), ".jsonl", [seed.encode()]


def uploads(read, seeds):
    """What a page of the studio makes of a file that somebody drops on it."""

    def made():
        reads = read()
        return (lambda path: reads(path.read_bytes())), ".bin", seeds

    return made


def _go():
    from treewright.apps.go.job import from_sgf

    return from_sgf


def _levels():
    from treewright.apps.levels.job import from_file

    return lambda data: from_file(data, "level.tmx" if data[:1] == b"<" else "level.txt")


def _tactics():
    from treewright.apps.tactics.job import from_file

    return from_file


def _stories():
    from treewright.apps.stories.job import described

    return lambda data: described("", data.decode("utf-8", "replace") or "x")


GAME = {"format": "treewright-hero-academy-1", "actions": []}
GAME |= {"settings": {"map": "a-tiny", "ap": 5, "seed": 1}}
SETUP = resources.files("treewright.apps.stories").joinpath("setups", "sherlock.toml")

READERS = {
    "problem": problems,
    "recording": recordings,
    "recording-lines": recorded,
    "shard-index": indices,
    "study-kept": kept_levels,
    "upload-go": uploads(_go, [b"(;GM[1]FF[4]SZ[9]KM[7.5]AB[aa];B[ee];W[cc](;B[tt])(;B[]))"]),
    "upload-level": uploads(_levels, [b"-----\n--o--\nM---F\nXXXXX\n"]),
    "upload-game": uploads(_tactics, [json.dumps(GAME).encode()]),
    "upload-story": uploads(_stories, [SETUP.read_bytes()]),
}
