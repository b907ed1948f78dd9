"""Hero Academy, simplified as in the papers: a tactics game with several actions a turn."""

from treewright.domains.tactics.domain import HeroAcademy

__all__ = ["HeroAcademy"]
