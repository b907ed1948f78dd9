"""What a search of many trees says of itself."""

from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.search import Search


class Alike:
    """Trees that are all like one: it checks what is given, and knows what they share."""

    _like: Search

    @property
    def domain(self) -> Domain:
        return self._like.domain

    @property
    def options(self) -> Options:
        return self._like.options
