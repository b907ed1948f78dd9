"""The same game with another switch of the search: only the search differs, not the rules."""

from pathlib import Path


def switched(folder: Path) -> tuple[str, str]:
    """Two commands, before and after the solver is switched on."""
    command = "search go --simulations 100"
    return command, f"{command} --solver"
