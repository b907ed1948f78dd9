"""The problems that come with Treewright, by name."""

from importlib import resources


def problem_names() -> list[str]:
    files = resources.files("treewright.apps.stories") / "problems"
    return sorted(f.name.removesuffix(".txt") for f in files.iterdir() if f.name.endswith(".txt"))


def problem_text(name: str) -> str:
    file = resources.files("treewright.apps.stories") / "problems" / f"{name}.txt"
    return file.read_text(encoding="utf-8")
