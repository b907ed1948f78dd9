"""A game of Hero Academy between Evolutionary MCTS and greedy OEP."""

from typing import Any

from treewright.domains.tactics import HeroAcademy, drawing
from treewright.domains.tactics.agents import agent
from treewright.domains.tactics.match import play_game
from treewright.evolutionary import Budget
from treewright.gallery.piece import Piece, figure, png
from treewright.position import Position

AP, EVALUATIONS = 5, 2_000
PLAYERS = ("emcts", "oep-greedy")
SHOWN = 4


def piece(seed: int) -> Piece:
    domain = HeroAcademy(ap=AP, seed=seed)
    agents = (agent(PLAYERS[0], AP), agent(PLAYERS[1], AP))
    game = play_game(domain, agents, Budget(evaluations=EVALUATIONS), seed)
    states = _states(domain, game.turns)
    last = len(states) - 1
    drawn = figure(10.2, 6.7)
    for i, axes in enumerate(drawn.subplots(2, SHOWN // 2).flat):
        at = round((i + 1) * last / SHOWN)
        title = f"after turn {at} of {last}"
        drawing.draw(axes, states[at], domain.board, title, scale=0.55)
    winner = PLAYERS[game.winner - 1] if game.winner else "nobody"
    return Piece(
        "Hero Academy",
        f"treewright tactics watch --agents {','.join(PLAYERS)} --ap {AP} "
        f"--budget evals:{EVALUATIONS} --seed {seed}",
        f"A turn has {AP} actions. Evolutionary MCTS (blue) plays greedy Online Evolutionary "
        f"Planning (red), both with {EVALUATIONS:,} evaluated turns for each of theirs; "
        f"{winner} wins after {last} turns. Squares are for deploying, assault (A), defense (S) "
        "and power (P); diamonds are crystals, dashed circles fallen units.",
        [png(drawn, "Four positions of a game of Hero Academy")],
    )


def _states(domain: HeroAcademy, turns: list[list[int]]) -> list[Any]:
    """The state at the start and after each turn."""
    position = Position(domain)
    found = [position.copy().state]
    for turn in turns:
        for action in turn:
            position.play(action)
        found.append(position.copy().state)
    return found
