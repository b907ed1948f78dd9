"""Rules of your own: five from the literature, each a few lines, compiled into the kernel.

Run it: every rule plays Connect Four against plain UCT at equal simulations.
"""

import math

import treewright as tw
from treewright.random import gamma


def tuned(child, q, log):
    """UCB1-Tuned (Auer et al. 2002): the bonus follows the variance of the child's rewards."""
    n = child.visits
    variance = child.squares / n - q * q + math.sqrt(2.0 * log / n)
    return q + math.sqrt(log / n * min(0.25, variance))


def add_square(node, reward):
    node.squares += reward * reward


UCB1_TUNED = tw.Rules(urgency=tuned, back_up=add_square, statistics=("squares",))


def kl_ucb(child, q, log):
    """KL-UCB (Garivier & Cappé 2011): the highest mean that the rewards don't rule out."""
    low = min(max(q, 0.0), 1.0)
    high = 1.0
    mean = low
    for _ in range(20):
        middle = 0.5 * (low + high)
        if child.visits * divergence(mean, middle) <= log:
            low = middle
        else:
            high = middle
    return low


def divergence(p, q):
    """Kullback and Leibler's, of two coins."""
    heads = p * math.log(p / q) if p > 0.0 else 0.0
    return heads + ((1.0 - p) * math.log((1.0 - p) / max(1.0 - q, 1e-300)) if p < 1.0 else 0.0)


KL_UCB = tw.Rules(urgency=kl_ucb)


def thompson(child, rng):
    """Thompson sampling (1933): a draw from what is known, Beta(1 + won, 1 + lost)."""
    won = min(max(child.value, 0.0), float(child.visits))
    x = gamma(rng, 1.0 + won)
    return x / (x + gamma(rng, 1.0 + child.visits - won))


THOMPSON = tw.Rules(urgency=thompson)
POWER = 4.0


def power_mean(node, child, reward):
    """Power-UCT (Dam et al. 2019), for one player: between the mean and the maximum."""
    if child.visits > 0:
        term = child.visits * (child.value / child.visits) ** POWER
        node.powers += term - child.term
        child.term = term
    else:
        node.powers += reward**POWER
    node.value = node.visits * (node.powers / node.visits) ** (1.0 / POWER)


POWER_UCT = tw.Rules(back_up=power_mean, statistics=("powers", "term"))


def alphazero(node, child, q, prior):
    """PUCT as AlphaZero has it (Silver et al. 2018)."""
    c = 1.25 + math.log((1.0 + node.visits + 19652.0) / 19652.0)
    return q + c * prior * math.sqrt(node.visits) / (1.0 + child.visits)


ALPHAZERO = tw.Rules(urgency=alphazero)


def match(rules, games=10, simulations=200):
    """The share of games that a rule wins against plain UCT; a draw is half a game."""
    game, won = tw.make("connect-four"), 0.0
    for seed in range(games):
        own = tw.Search(game, tw.Options(rules=rules), seed=2 * seed, memory="16MiB")
        plain = tw.Search(game, seed=2 * seed + 1, memory="16MiB")
        players = (own, plain) if seed % 2 == 0 else (plain, own)
        while not own.position.ended:
            action = players[own.position.player].run(simulations).best
            own.commit(action)
            plain.commit(action)
        won += own.position.rewards()[seed % 2]
    return won / games


if __name__ == "__main__":
    for name, rules in (("UCB1-Tuned", UCB1_TUNED), ("KL-UCB", KL_UCB), ("Thompson", THOMPSON)):
        print(f"{name} wins {match(rules):.0%} of 10 games against UCT")
