"""A game of Hero Academy between Evolutionary MCTS and Online Evolutionary Planning."""

from typing import Any

from treewright.apps.tactics import drawing
from treewright.apps.tactics.agents import agent
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.match import play_game
from treewright.library.evolutionary import Budget
from treewright.library.position import Position
from treewright.workshop.gallery.piece import Piece, figure, opened, png

AP, EVALUATIONS = 5, 2_000
PLAYERS = ("emcts", "oep")
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
    winner = ("blue", "red")[game.winner - 1] if game.winner else "nobody"
    return Piece(
        "Hero Academy",
        f"treewright tactics watch --agents {','.join(PLAYERS)} --ap {AP} "
        f"--budget evals:{EVALUATIONS} --seed {seed}",
        f"A turn has {AP} actions. Evolutionary MCTS (blue) plays Online Evolutionary "
        f"Planning (red), both with {EVALUATIONS:,} evaluated turns for each of theirs; "
        f"{winner} wins after {last} turns. (The same program without its tree plays as well: the "
        "docs say how that was measured.) Squares are for deploying, assault (A), defense (S) "
        "and power (P); diamonds are crystals, dashed circles fallen units.",
        [png(drawn, "Four positions of a game of Hero Academy")],
        page=opened(
            "tactics",
            first=PLAYERS[0],
            second=PLAYERS[1],
            ap=AP,
            evaluations=EVALUATIONS,
            seed=seed,
        ),
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
