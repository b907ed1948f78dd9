"""Rules given as functions: against slow searches written from the papers, and bad ones."""

import importlib.util
import math

import numpy as np
import pytest
from reference import BY_PLAYERS, below, grow

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.tictactoe import TicTacToe
from treewright.random import gamma, normal, stream

LEAF = tw.Rollout(depth=0)  # a node is worth what ``value`` says: no chance in it


@pytest.fixture(scope="module")
def rules(root):
    spec = importlib.util.spec_from_file_location("rules_example", root / "examples" / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Slow:
    """A search over the tables of a game, with every simulation's reward kept in its nodes.

    Whatever a rule needs is worked out from these lists, each time anew.
    """

    def __init__(self, tables, rate, value=None, seed=0):
        self.tables, self.rate, self.rng = tables, rate, stream(seed)
        self.value = value or (lambda node: float(np.mean(node["rewards"])))
        self.root = self.node(0, int(tables["who"][0]))

    def node(self, at, mover):
        return {"at": at, "mover": mover, "rewards": [], "children": {}}

    def run(self, simulations):
        for _ in range(simulations):
            node, path = self.root, [self.root]
            while node["rewards"] and below(self.tables, node["at"]):
                node = self.step(node)
                path.append(node)
            for on_path in path:
                reward = float(self.tables["reward"][node["at"], on_path["mover"]])
                on_path["rewards"].append(reward)
        return {a: len(c["rewards"]) for a, c in self.root["children"].items()}

    def step(self, node):
        legal = below(self.tables, node["at"])
        weights = {a: float(self.tables["weight"][node["at"], a]) for a in legal}
        shares = {a: w / sum(weights.values()) for a, w in weights.items()}
        known = node["children"]
        if "prior" in self.rate.__code__.co_varnames[: self.rate.__code__.co_argcount]:
            tried = [r for c in known.values() for r in c["rewards"]]
            unknown = float(np.mean(tried)) if tried else 0.0
            rated = {}
            for a in legal:
                n = len(known[a]["rewards"]) if a in known else 0
                q = self.value(known[a]) if n else unknown
                rated[a] = self.rate(n, len(node["rewards"]), q, shares[a])
        else:
            new = [a for a in legal if a not in known]
            rated = {a: self.rate(self, node, known[a]) for a in known} if not new else {new[0]: 0}
        action = max(rated, key=lambda a: rated[a])
        who = int(self.tables["who"][node["at"]])
        return known.setdefault(action, self.node(legal[action], who))


def ucb1_tuned(search, node, child):
    x, big = np.array(child["rewards"]), len(node["rewards"])
    bound = np.var(x) + math.sqrt(2 * math.log(big) / len(x))
    return np.mean(x) + math.sqrt(math.log(big) / len(x) * min(0.25, bound))


def kl_ucb(search, node, child):
    n, big = len(child["rewards"]), len(node["rewards"])
    p = float(np.mean(child["rewards"]))

    def beyond(q):
        left = p * math.log(p / q) if p > 0 else 0.0
        right = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 and q < 1 else 0.0
        return n * (left + right) > math.log(big)

    low, high = p, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return low


def thompson(search, node, child):
    n, won = len(child["rewards"]), sum(child["rewards"])
    x, y = gamma(search.rng, 1 + won), gamma(search.rng, 1 + n - won)
    return x / (x + y)


def uct(search, node, child):
    n, big = len(child["rewards"]), len(node["rewards"])
    return search.value(child) + math.sqrt(2) * math.sqrt(math.log(big) / n)


def alphazero(n, big, q, prior):
    return q + (1.25 + math.log((1 + big + 19652) / 19652)) * prior * math.sqrt(big) / (1 + n)


def power_mean(node):
    """Of the children, each as often as it was visited, and of the node's own simulations."""
    below_it = list(node["children"].values())
    own = len(node["rewards"]) - sum(len(c["rewards"]) for c in below_it)
    powers = sum(r**4 for r in node["rewards"][:own])
    powers += sum(len(c["rewards"]) * power_mean(c) ** 4 for c in below_it)
    return (powers / len(node["rewards"])) ** 0.25


CASES = {
    "UCB1_TUNED": (ucb1_tuned, None, (1, 2, 3)),
    "KL_UCB": (kl_ucb, None, (1, 2)),
    "THOMPSON": (thompson, None, (1, 2)),
    "POWER_UCT": (uct, power_mean, (1,)),
    "ALPHAZERO": (alphazero, None, (1, 2)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_rule_is_what_its_paper_says(rules, name, engine):
    slow, value, players = CASES[name]
    # a kernel takes a second to compile, and a rule is compiled alike for any number of players
    for count in players if engine == "python" else players[-1:]:
        for seed in range(6):
            tables = grow(seed, players=count, depth=4)
            domain = BY_PLAYERS[count](tables=tables)
            expand = "uniform" if name == "ALPHAZERO" else "listed"
            options = tw.Options(rules=getattr(rules, name), rollout=LEAF, expand=expand)
            search = tw.Search(domain, options, seed=seed, engine=engine, memory="1MiB")
            expected = Slow(tables, slow, value, seed).run(300)
            found = {c.action: c.visits for c in search.run(300).children}
            assert found == expected, (count, seed)


def test_a_rule_that_is_built_in_gives_the_same_tree():
    def uct(q, log, root, c):
        return q + c * math.sqrt(log) * root

    def puct(node, child, q, prior, c):
        return q + c * prior * math.sqrt(node.visits) / (1.0 + child.visits)

    def most(child):
        return child.visits

    def mean(child):
        return child.value / child.visits

    def as_it_is(s, t, action):
        return t.weight[s.node, action]

    weighted = tw.Rollout("weighted")
    pairs = [
        (tw.Options(), tw.Options(rules=tw.Rules(urgency=uct))),
        (tw.Options(puct=True), tw.Options(rules=tw.Rules(urgency=puct))),
        (tw.Options(), tw.Options(rules=tw.Rules(choose=most))),
        (tw.Options(choose="value"), tw.Options(rules=tw.Rules(choose=mean))),
        (
            tw.Options(rollout=weighted),
            tw.Options(rollout=weighted, rules=tw.Rules(rollout_weight=as_it_is)),
        ),
    ]
    domain = BY_PLAYERS[2](tables=grow(3, depth=6))
    for built_in, own in pairs:
        for engine in ("compiled", "python"):
            results = [
                tw.Search(domain, o, seed=4, engine=engine, memory="1MiB").run(400)
                for o in (built_in, own)
            ]
            seen = [[(c.action, c.visits, c.value) for c in r.children] for r in results]
            assert sorted(seen[0]) == sorted(seen[1])
            assert results[0].best == results[1].best


def test_the_order_says_what_is_added_first():
    def last(s, action):
        return float(action)

    options = tw.Options(rules=tw.Rules(order=last))
    for engine in ("compiled", "python"):
        search = tw.Search(TicTacToe(), options, seed=1, engine=engine)
        search.run(4)  # the root itself, then three children
        assert sorted(c.action for c in search.result().children if c.visits) == [6, 7, 8]


def test_the_choice_is_the_same_in_phases():
    def least(child):
        return -child.visits

    options = tw.Options(rules=tw.Rules(choose=least))
    compiled = tw.Search(TicTacToe(), options, seed=1).run_phases(simulations=100)
    interpreted = tw.Search(TicTacToe(), options, seed=1, engine="python").run_phases(
        simulations=100
    )
    one = tw.Search(TicTacToe(), options, seed=1)
    first = one.run(100)
    assert first.visits == min(c.visits for c in first.children)
    assert compiled.actions == interpreted.actions
    assert compiled.actions[0] == first.best


def test_a_search_with_rules_goes_on_from_its_file(rules, tmp_path):
    options = tw.Options(rules=rules.UCB1_TUNED)
    search = tw.Search(ConnectFour(), options, seed=3, memory="4MiB")
    search.run(200)
    search.save(tmp_path / "tree.npz")
    search.run(200)
    again = tw.load(tmp_path / "tree.npz", ConnectFour(), rules=rules.UCB1_TUNED)
    again.run(200)
    assert (again.tree.nodes == search.tree.nodes).all()
    with pytest.raises(tw.TreeFileError, match="which load needs"):
        tw.load(tmp_path / "tree.npz", ConnectFour())
    with pytest.raises(tw.TreeFileError, match="other rules"):
        tw.load(tmp_path / "tree.npz", ConnectFour(), rules=rules.KL_UCB)


def test_statistics_are_carried_by_a_commit(rules):
    search = tw.Search(ConnectFour(), tw.Options(rules=rules.UCB1_TUNED), seed=3, memory="4MiB")
    search.run(500)
    before = {int(n["action"]): float(n["squares"]) for n in search.tree.nodes[1:8]}
    best = search.result().best
    search.commit(best)
    assert float(search.tree.nodes[0]["squares"]) == before[best] > 0


def uses_a_list(child):
    return [child.visits] * {}


def has_nan(child):
    return math.nan


def spoils(node):
    node.value = math.nan


def negative(s, action):
    return -1.0


def says_text(child):
    return "high"


def misspells(child):
    return child.sqares


def forgets(child):  # noqa: RET503
    if child.visits > 2:
        return 1.0


BAD = [
    (tw.Rules(urgency=uses_a_list), tw.CompileError, "line [0-9]+, in the rule urgency"),
    (tw.Rules(urgency=has_nan), tw.DomainError, r"the rule urgency \(has_nan\) returned nan"),
    (tw.Rules(choose=has_nan), tw.DomainError, r"the rule choose \(has_nan\) returned nan"),
    (tw.Rules(back_up=spoils), tw.DomainError, r"the rule back_up \(spoils\) has made"),
]


@pytest.mark.parametrize(("bad", "error", "said"), BAD)
def test_a_bad_rule_is_named(bad, error, said):
    search = tw.Search(TicTacToe(), tw.Options(rules=bad))
    with pytest.raises(error, match=said):
        search.run(100)
    with pytest.raises(error, match=said):
        tw.Search(TicTacToe(), tw.Options(rules=bad)).run_phases(simulations=100)


@pytest.mark.parametrize(
    ("rule", "compiled", "interpreted"),
    [
        (says_text, "it must return a number, and returns text", "returned 'high': no number"),
        (misspells, r"nodes have no 'sqares'; .* Rules\(statistics", "no attribute 'sqares'"),
        (forgets, ".* returns nothing on some of its ways", r"\(forgets\) returned None"),
    ],
)
def test_a_rule_that_gives_no_number_is_named(rule, compiled, interpreted):
    options = tw.Options(rules=tw.Rules(urgency=rule))
    with pytest.raises(tw.CompileError, match=f"line [0-9]+, in the rule urgency: {compiled}"):
        tw.Search(TicTacToe(), options).run(50)
    with pytest.raises(tw.DomainError, match=interpreted):
        tw.Search(TicTacToe(), options, engine="python").run(50)


def test_a_weight_below_zero_is_named():
    options = tw.Options(rollout=tw.Rollout("weighted"), rules=tw.Rules(rollout_weight=negative))
    with pytest.raises(
        tw.DomainError, match="rollout_weight must return a finite number from 0 up"
    ):
        tw.Search(TicTacToe(), options).run(10)


def odd(node, colour):
    return 0.0


def many(*nodes):
    return 0.0


def lost(child):
    child.visits + 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"urgency": odd}, "odd asks for 'colour', which urgency"),
        ({"urgency": many}, "plain parameters"),
        ({"order": odd}, r"odd\(node, colour\) should be order\(s, action\)"),
        ({"urgency": lost}, r"lost returns nothing: urgency\(.*\) returns how much a child"),
        ({"urgency": 3}, "must be a plain function"),
        ({"urgent": odd}, "has no option 'urgent'"),
        ({"statistics": "squares"}, "list of names"),
        ({"statistics": ("visits",)}, "'visits' is taken"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(given, said):
    with pytest.raises(tw.OptionError, match=said):
        tw.Rules(**given)


def test_rules_beside_switches_that_decide_the_same():
    def prior(q, prior):
        return q + prior

    for options in (
        {"puct": True, "rules": tw.Rules(urgency=has_nan)},
        {"expand": "listed", "rules": tw.Rules(order=negative)},
        {"rules": tw.Rules(rollout_weight=negative)},
    ):
        with pytest.raises(tw.OptionError, match=r"choose one|needs tw\.Rollout"):
            tw.Options(**options)
    with pytest.raises(tw.OptionError, match="needs tictactoe-v1 to define the function weight"):
        tw.Search(TicTacToe(), tw.Options(rules=tw.Rules(urgency=prior)))
    with pytest.raises(tw.OptionError, match="needs workers=1"):
        tw.Search(TicTacToe(), tw.Options(rules=tw.Rules(choose=has_nan)), workers=2)


def test_the_distributions():
    rng = stream(1)
    drawn = np.array([normal(rng) for _ in range(20_000)])
    assert abs(drawn.mean()) < 0.03
    assert abs(drawn.std() - 1) < 0.03
    for shape in (0.3, 1.0, 4.5):
        drawn = np.array([gamma(rng, shape) for _ in range(20_000)])
        assert abs(drawn.mean() - shape) < 0.06 * math.sqrt(shape)
        assert abs(drawn.var() - shape) < 0.15 * shape + 0.02
