"""The top of a search tree."""

import tempfile
from pathlib import Path

from treewright.apps.games.tictactoe import TicTacToe
from treewright.library.search import Search
from treewright.library.tree_picture import draw_tree
from treewright.workshop.gallery.piece import Picture, Piece, opened

SIMULATIONS, DEPTH, TOP = 2_000, 2, 4


def piece(seed: int) -> Piece:
    search = Search(TicTacToe(), seed=seed)
    result = search.run(SIMULATIONS)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "tree.svg"
        draw_tree(search, out, depth=DEPTH, top=TOP)
        drawing = out.read_bytes()
    return Piece(
        "A search tree",
        f"treewright tree tictactoe --out tree.svg --simulations {SIMULATIONS} --depth {DEPTH} "
        f"--top {TOP} --seed {seed}",
        f"Tic-tac-toe from the empty board. Each box holds a move, its visits and its mean reward "
        f"for whoever made it; thick lines were searched most. UCT likes {result.label} best.",
        [Picture(drawing, "The top of a tic-tac-toe search tree", "svg")],
        page=opened("games", domain="tictactoe", simulations=SIMULATIONS, seed=seed),
    )
