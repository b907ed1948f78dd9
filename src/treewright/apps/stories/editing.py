"""What the author of a library does all day: change one action and tell the story again."""

from pathlib import Path

ACTION = '["otherwise", 0.6]'


def edited(folder: Path) -> tuple[str, str]:
    """Two commands, before and after an edit to how believable one action is."""
    here = Path(__file__).parent
    library = (here / "libraries" / "crime.toml").read_text(encoding="utf-8")
    setup = (here / "setups" / "sherlock.toml").read_text(encoding="utf-8")
    for name, text in (
        ("before", library),
        ("after", library.replace(ACTION, '["otherwise", 0.61]', 1)),
    ):
        (folder / f"{name}_library.toml").write_text(text, encoding="utf-8")
        told = setup.replace('library = "crime"', f'library = "{name}_library.toml"')
        (folder / f"{name}.toml").write_text(told, encoding="utf-8")
    command = "story generate {}.toml --nodes 5000"
    return command.format("before"), command.format("after")
