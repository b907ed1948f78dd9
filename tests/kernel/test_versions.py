"""What is installed, found by the names of folders as ``importlib.metadata`` finds it."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

from treewright.kernel import versions


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    versions.version.cache_clear()
    monkeypatch.syspath_prepend(tmp_path)


def _installed(folder: Path, name: str, number: str, said: str = "", entry: str = "") -> None:
    meta = folder / f"{name}-{number}.dist-info"
    meta.mkdir(parents=True)
    (meta / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {said or number}\n"
    )
    if entry:
        (meta / "entry_points.txt").write_text(entry)


@pytest.mark.parametrize("package", ["numba", "llvmlite", "numpy", "typer"])
def test_versions_are_those_of_the_metadata(package: str) -> None:
    assert versions.version(package) == metadata.version(package)


def test_a_name_is_found_however_it_is_written(tmp_path: Path) -> None:
    _installed(tmp_path, "some_thing", "1.2.3")
    assert versions.version("Some.Thing") == "1.2.3"


def test_where_the_folder_says_too_little_the_metadata_is_asked(tmp_path: Path) -> None:
    _installed(tmp_path, "odd", "1.0.dev0_abc", "1.0.dev0+abc")
    _installed(tmp_path / "first", "twice", "1.0")
    _installed(tmp_path / "second", "twice", "2.0")
    sys.path[:0] = [str(tmp_path / "first"), str(tmp_path / "second")]
    assert versions.version("odd") == "1.0.dev0+abc"
    assert versions.version("twice") == "1.0"
    with pytest.raises(metadata.PackageNotFoundError):
        versions.version("nobody-has-this")


def test_groups_of_entry_points(tmp_path: Path) -> None:
    assert not versions.declare("treewright.tests")
    _installed(tmp_path / "more", "has-some", "1.0", entry="[treewright.tests]\na = b:C\n")
    sys.path.insert(0, str(tmp_path / "more"))
    assert versions.declare("treewright.tests")


@pytest.mark.parametrize("place", ["archive.zip", "old.egg"])
def test_what_may_hide_in_an_archive_is_not_ruled_out(tmp_path: Path, place: str) -> None:
    (tmp_path / place).touch()
    sys.path.insert(0, str(tmp_path / place))
    assert versions.declare("treewright.tests")


def test_finders_of_their_own_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        def find_spec(self, *arguments: object) -> None: ...
        def find_distributions(self, *arguments: object) -> list[metadata.Distribution]:
            return []

    versions._folders.cache_clear()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert versions.declare("treewright.tests")
    versions._folders.cache_clear()
