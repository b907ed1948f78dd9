"""The paper's map by each method, and a small dungeon."""

from functools import partial

from treewright.apps.maps.dungeon import STAGES, dungeon
from treewright.apps.maps.grow import Grow
from treewright.apps.maps.revise import Revise
from treewright.apps.maps.walls import Walls
from treewright.library.options import Options, Rave, Rollout
from treewright.workshop.samples import Sample

FILLING = Options(c=2.0, rollout=Rollout("domain"), keep_state=True)
GROWING = Options(c=0.1, rave=Rave(k=200), rollout=Rollout("domain"), keep_state=True)
PASSES = Options(c=0.3, rave=Rave(k=100), keep_state=True)
SAMPLES = {
    "walls": Sample(partial(Walls, target=5), FILLING, simulations=30),
    "grow": Sample(partial(Grow, target=3), GROWING),
    "revise": Sample(partial(Revise, proposals=20), PASSES),
    "dungeon": Sample(
        partial(dungeon, 32, 20, 1, **dict.fromkeys(STAGES, 3)), PASSES, simulations=20
    ),
}
