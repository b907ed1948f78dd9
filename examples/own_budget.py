"""A search in parts: progress, a stop condition of your own, saving and going on."""

from pathlib import Path
from tempfile import TemporaryDirectory

import treewright as tw

search = tw.Search(tw.make("connect-four", moves="44"), tw.Options(c=1.0), seed=1, workers=2)


def sure(now):
    """Stop when one move has nine tenths of the visits."""
    children = now.search.result().children
    return children[0].visits > 0.9 * sum(c.visits for c in children)


result = search.run(seconds=1, until=sure)
print(f"stopped by {result.stopped} after {result.simulations:,} simulations: {result.label}")

with TemporaryDirectory() as folder:
    file = Path(folder) / "search.npz"
    search.save(file)
    again = tw.load(file, search.domain)
    print(f"loaded and went on to {again.run(10_000).simulations:,} simulations")
