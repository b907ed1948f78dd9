"""The gallery: one of everything that the applications can make, on one page.

An application declares its pieces, each a function ``piece(seed) -> Piece``.
"""

from collections.abc import Callable

from treewright.library.applications import declared, load
from treewright.workshop.gallery.piece import Picture, Piece, png

__all__ = ["Picture", "Piece", "everything", "png"]


def everything() -> dict[str, Callable[[int], Piece]]:
    """What makes each piece, by name, in the order of the page."""
    return {name: load(where) for name, where in declared("gallery").items()}
