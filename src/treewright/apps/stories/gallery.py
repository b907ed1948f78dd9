"""A story with the graph of what led to what."""

from treewright.apps.stories.causes import causal_svg
from treewright.apps.stories.searches import generate
from treewright.apps.stories.setup import load_setup
from treewright.apps.stories.telling import prose
from treewright.workshop.gallery.piece import Picture, Piece, opened

NODES = 30_000


def piece(seed: int) -> Piece:
    story = generate(load_setup("sherlock"), nodes=NODES, seed=seed)
    return Piece(
        "A story",
        f"treewright story generate sherlock --nodes {NODES} --seed {seed} --graph why.svg",
        f"The survey's set-up: at least two dead, and the murderer arrested. This story scores "
        f"{story.score:.3f}, the product of the believabilities of its {len(story.steps)} actions "
        f"times the share of goals met. The graph shows which action made which possible (solid) "
        f"or believable (dashed).",
        [Picture(causal_svg(story).encode(), "What led to what in the story", "svg")],
        prose(story),
        page=opened("stories", setup="sherlock", nodes=NODES, seed=seed),
    )
