"""Files that people bring along, broken in every way: refused in one sentence."""

import contextlib
import gzip
import io
import json
import random
import zipfile
import zlib

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)

from treewright.errors import TreewrightError

MUTANTS = 120  # of each good file


def bomb(megabytes=200):
    """A small zip file that unpacks to very much."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("../../etc/passwd", "w", force_zip64=True) as file,
    ):
        for _ in range(megabytes):
            file.write(bytes(2**20))
    return out.getvalue()


def broken_png():
    """The right beginning, a picture of 2**31 pixels across, and nothing behind it."""
    head = (2**31 - 1).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    chunk = b"IHDR" + head
    crc = zlib.crc32(chunk).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + len(head).to_bytes(4, "big") + chunk + crc


HOSTILE = {
    "nothing": b"",
    "zeros": bytes(1000),
    "a broken PNG": broken_png(),
    "a zip bomb": bomb(),
    "a gzip bomb": gzip.compress(bytes(2**24)),
    "ten megabytes of TOML": b"a = 1\n" * (10 * 2**20 // 6),
    "one long line": b"X" * (4 * 2**20),
    "deep brackets": b"[" * 200_000,
    "deep tables": b"a." * 100_000 + b"a = 1",
    "deep parentheses": b"(;" * 100_000,
    "another place": b"../../../../etc/passwd",
    "UTF-16": "library = 'crime'".encode("utf-16"),
    "entities": b"<!DOCTYPE a [<!ENTITY b '" + b"b" * 1000 + b"'>]><a>" + b"&b;" * 1000 + b"</a>",
    "surrogates": json.dumps({"format": "\ud800"}).encode(),
    "numbers": b'{"format": "treewright-hero-academy-1", "settings": {"ap": 1e999}, "actions": []}',
}


def _go(data):
    pytest.importorskip("sgfmill", reason="Go's extra is not installed")
    from treewright.apps.go.job import from_sgf

    return from_sgf(data)


def _level(data):
    from treewright.apps.levels.job import from_file

    return from_file(data, "../../../etc/passwd")


def _tactics(data):
    from treewright.apps.tactics.job import from_file

    return from_file(data)


def _story(data):
    from treewright.apps.stories.job import described

    return described("", data.decode("utf-8", "replace") or "x")


def _story_file():
    from treewright.apps.stories.library import find_source

    return find_source("sherlock", "setups").text.encode()


GOOD = {
    "go": (_go, lambda: b"(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[tt])"),
    "levels": (_level, lambda: b"-----\n--o--\nM---F\nXXXXX\n"),
    "tactics": (
        _tactics,
        lambda: (
            b'{"format": "treewright-hero-academy-1", "settings": {"map": "a-tiny", "ap": 5,'
            b' "seed": 1}, "actions": []}'
        ),
    ),
    "stories": (_story, _story_file),
}


@pytest.mark.parametrize("page", GOOD)
@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_such_file_is_refused(page, what):
    read, _ = GOOD[page]
    with pytest.raises(TreewrightError) as refused:
        read(HOSTILE[what])
    said = str(refused.value)
    assert 0 < len(said) < 2000, "a sentence does not repeat the file"


@pytest.mark.parametrize("page", GOOD)
def test_a_file_with_a_few_bytes_changed_is_read_or_refused(page):
    read, good = GOOD[page]
    whole = good()
    read(whole)
    dice = random.Random(1)
    for _ in range(MUTANTS):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(data))
            data[at : at + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        with contextlib.suppress(TreewrightError):
            read(bytes(data))


@pytest.mark.parametrize(
    "name", ["../../.ssh/id", "/etc/passwd", "C:\\x", "a\0b", "x" * 10_000, "<script>"]
)
def test_names_of_files_are_only_said(name, tmp_path, monkeypatch):
    from treewright.apps.levels.job import from_file

    monkeypatch.chdir(tmp_path)
    assert from_file(GOOD["levels"][1](), name)
    with pytest.raises(TreewrightError):
        from_file(b"?", name)
    assert list(tmp_path.iterdir()) == []
