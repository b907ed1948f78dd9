"""Tic-tac-toe as the PyPI package ``mcts`` wants it: a class with a copy per move."""

from treewright.apps.games.tictactoe import LINES


class PlainTicTacToe:
    """A board of nine cells, 1 and -1 for the players."""

    def __init__(self) -> None:
        self.board = [0] * 9
        self.player = 1

    def getCurrentPlayer(self) -> int:
        return self.player

    def getPossibleActions(self) -> list[int]:
        return [i for i in range(9) if self.board[i] == 0]

    def takeAction(self, action: int) -> "PlainTicTacToe":
        after = PlainTicTacToe()
        after.board = list(self.board)
        after.board[action] = self.player
        after.player = -self.player
        return after

    def isTerminal(self) -> bool:
        return self._winner() != 0 or all(self.board)

    def getReward(self) -> int:
        return self._winner()

    def _winner(self) -> int:
        for a, b, c in LINES:
            if self.board[a] and self.board[a] == self.board[b] == self.board[c]:
                return self.board[a]
        return 0
