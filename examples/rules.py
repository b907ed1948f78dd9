"""Rules of your own: five from the literature, each a few lines, compiled into the kernel.

Run it: every rule plays Connect Four against plain UCT at equal simulations.
"""

import math

import treewright as tw
from treewright.random import gamma

# ------------------------------------------------------- UCB1-Tuned (Auer et al. 2002)


def tuned(child, q, log):
    """The bonus follows the variance of the child's rewards."""
    n = child.visits
    variance = child.squares / n - q * q + math.sqrt(2.0 * log / n)
    return q + math.sqrt(log / n * min(0.25, variance))


def add_square(node, reward):
    node.squares += reward * reward


UCB1_TUNED = tw.Rules(urgency=tuned, back_up=add_square, statistics=("squares",))

# ------------------------------------------------- KL-UCB (Garivier & Cappé 2011)


def kl_ucb(child, q, log):
    """The highest mean that the rewards seen so far don't rule out."""
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
    found = 0.0
    if p > 0.0:
        found += p * math.log(p / q)
    if p < 1.0:
        found += (1.0 - p) * math.log((1.0 - p) / max(1.0 - q, 1e-300))
    return found


KL_UCB = tw.Rules(urgency=kl_ucb)

# --------------------------------------------------- Thompson sampling (Thompson 1933)


def thompson(child, rng):
    """A draw from what is known of the child: Beta(1 + won, 1 + lost)."""
    won = min(max(child.value, 0.0), float(child.visits))
    x = gamma(rng, 1.0 + won)
    return x / (x + gamma(rng, 1.0 + child.visits - won))


THOMPSON = tw.Rules(urgency=thompson)

# ------------------------- Power-UCT (Dam et al. 2019): between mean and maximum; one player

POWER = 4.0


def power_mean(node, child, reward):
    """A node is worth the power mean of its children and of its own first simulation."""
    if child.visits > 0:
        term = child.visits * (child.value / child.visits) ** POWER
        node.powers += term - child.term
        child.term = term
    else:
        node.powers += reward**POWER
    node.value = node.visits * (node.powers / node.visits) ** (1.0 / POWER)


POWER_UCT = tw.Rules(back_up=power_mean, statistics=("powers", "term"))

# ------------------------------------- PUCT as AlphaZero has it (Silver et al. 2018)


def alphazero(node, child, q, prior):
    c = 1.25 + math.log((1.0 + node.visits + 19652.0) / 19652.0)
    return q + c * prior * math.sqrt(node.visits) / (1.0 + child.visits)


ALPHAZERO = tw.Rules(urgency=alphazero)


def match(rules, games=10, simulations=200):
    """The share of games that a rule wins against plain UCT; a draw is half a game."""
    won = 0.0
    for seed in range(games):
        options = [tw.Options(rules=rules), tw.Options()]
        players = [
            tw.Search(tw.make("connect-four"), o, seed=2 * seed + i, memory="16MiB")
            for i, o in enumerate(options)
        ]
        first = seed % 2  # who begins
        while not players[0].position.ended:
            at = (players[0].position.player + first) % 2
            action = players[at].run(simulations).best
            for player in players:
                player.commit(action)
        won += players[0].position.rewards()[first]
    return won / games


if __name__ == "__main__":
    for name, rules in (("UCB1-Tuned", UCB1_TUNED), ("KL-UCB", KL_UCB), ("Thompson", THOMPSON)):
        print(f"{name} wins {match(rules):.0%} of 10 games against UCT")
