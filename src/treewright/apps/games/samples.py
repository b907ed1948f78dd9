"""Small instances of the games: all variants of the signature run on them."""

from functools import partial

from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.dots import DotsAndBoxes
from treewright.apps.games.foundry import Foundry
from treewright.apps.games.kuhn import KuhnPoker
from treewright.apps.games.liars_dice import LiarsDice
from treewright.apps.games.nim import Nim
from treewright.apps.games.samegame import SameGame
from treewright.apps.games.tictactoe import TicTacToe
from treewright.apps.games.whist import KnockoutWhist
from treewright.library.options import Options, Rollout
from treewright.workshop.samples import Sample

TURN = Options(c=0.5, horizon="turn", rollout=Rollout("domain"), expand="listed", choose="value")
SAMPLES = {
    "nim": Sample(partial(Nim, heap=12), variants=None),
    "tictactoe": Sample(TicTacToe, variants=None),
    "connect-four": Sample(partial(ConnectFour, moves="4433"), variants=None, simulations=60),
    "samegame": Sample(partial(SameGame, seed=1, width=6, height=6), variants=None, simulations=12),
    "foundry": Sample(Foundry, TURN, variants=None, simulations=60),
    "dots-and-boxes": Sample(partial(DotsAndBoxes, width=2, height=2), TURN, simulations=60),
    "knockout-whist": Sample(
        partial(KnockoutWhist, hand=3, ranks=5, seed=1), variants=None, simulations=60
    ),
    "kuhn-poker": Sample(KuhnPoker),
    "liars-dice": Sample(partial(LiarsDice, dice=2, seed=1)),
}
