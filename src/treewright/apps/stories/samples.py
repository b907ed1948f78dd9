"""One set-up of each library."""

from functools import partial

from treewright.apps.stories.domain import story
from treewright.apps.stories.searches import DEFAULT
from treewright.workshop.samples import Sample

MORE = ("uct", "bound", "best-first", "table-floor")  # what small games can't serve
SAMPLES = {
    "story-crime": Sample(partial(story, "sherlock"), DEFAULT, variants=MORE, simulations=200),
    "story-fairy-tale": Sample(partial(story, "fairy_tale"), DEFAULT, simulations=200),
}
