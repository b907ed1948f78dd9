"""A short game of Hero Academy."""

from functools import partial

from treewright.apps.tactics.domain import HeroAcademy
from treewright.library.options import Options, Rollout
from treewright.workshop.samples import Sample

TURN = Options(c=0.5, horizon="turn", rollout=Rollout("domain"), expand="listed", choose="value")
SAMPLES = {"hero-academy": Sample(partial(HeroAcademy, map="a-tiny", turn_limit=12), TURN)}
