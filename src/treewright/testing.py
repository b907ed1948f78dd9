"""Conformance tests for domain authors, to be run by pytest.

>>> class TestMyGame(treewright.testing.DomainConformance):
...     domain = MyGame(size=5)
"""

from treewright.library.checking import check
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.search import Search


class DomainConformance:
    """Subclass it, name it ``Test…`` and set ``domain``: pytest does the rest."""

    domain: Domain
    games = 20

    def test_contract(self) -> None:
        """Random games find no breach of the contract."""
        report = check(self.domain, games=self.games)
        assert report.ok, str(report)

    def test_same_seed_same_tree(self) -> None:
        runs = [Search(self.domain, seed=3, memory="16MiB") for _ in range(2)]
        for search in runs:
            search.run(simulations=200)
        assert runs[0].tree.nodes.tobytes() == runs[1].tree.nodes.tobytes()

    def test_resume_gives_the_same_tree(self) -> None:
        whole, parts = (Search(self.domain, seed=3, memory="16MiB") for _ in range(2))
        whole.run(simulations=200)
        parts.run(simulations=77)
        parts.run(simulations=123)
        assert whole.tree.nodes.tobytes() == parts.tree.nodes.tobytes()

    def test_visits_add_up(self) -> None:
        """A node's visits are its own simulation and those of its children."""
        search = Search(self.domain, Options(), seed=1, memory="16MiB")
        search.run(simulations=300)
        children = sum(c.visits for c in search.result().children)
        assert children == int(search.tree.nodes[0]["visits"]) - 1
