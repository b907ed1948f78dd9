"""The gallery: one of everything that the installed version can make, on one page.

A domain contributes a module of ``treewright.gallery.pieces`` with a function
``piece(seed) -> Piece``; a package of somebody else's names such a function in the entry point
group ``treewright.gallery``.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points

from treewright.gallery.piece import Picture, Piece, png

GROUP = "treewright.gallery"

__all__ = ["Picture", "Piece", "everything", "png"]


def everything() -> dict[str, Callable[[int], Piece]]:
    """What makes each piece, by name, in the order of the page."""
    from treewright.gallery import pieces as package

    own = {
        module.name.replace("_", "-"): import_module(f"{package.__name__}.{module.name}").piece
        for module in pkgutil.iter_modules(package.__path__)
    }
    others = {entry.name: entry.load() for entry in entry_points(group=GROUP)}
    ordered = [name for name in package.ORDER if name in own]
    return {name: own[name] for name in [*ordered, *sorted(own.keys() - set(ordered))]} | others
