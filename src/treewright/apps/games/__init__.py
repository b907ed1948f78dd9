"""Small games and puzzles: the first domains to read, and the kernel's own benchmarks."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={
        "nim-v1": ".nim:Nim",
        "tictactoe-v1": ".tictactoe:TicTacToe",
        "connect-four-v1": ".connect_four:ConnectFour",
        "samegame-v1": ".samegame:SameGame",
        "foundry-v1": ".foundry:Foundry",
        "dots-and-boxes-v1": ".dots:DotsAndBoxes",
        "knockout-whist-v1": ".whist:KnockoutWhist",
        "kuhn-poker-v1": ".kuhn:KuhnPoker",
        "liars-dice-v1": ".liars_dice:LiarsDice",
    },
    experiments=(
        ".experiments.batch_strength:EXPERIMENT",
        ".experiments.connect_four_strength:EXPERIMENT",
        ".experiments.dice_information:EXPERIMENT",
        ".experiments.dots_turns:EXPERIMENT",
        ".experiments.learning_curve:EXPERIMENT",
        ".experiments.openspiel_information:EXPERIMENT",
        ".experiments.samegame_methods:EXPERIMENT",
        ".experiments.threads_strength:EXPERIMENT",
        ".experiments.tictactoe_strength:EXPERIMENT",
        ".experiments.transpositions_connect_four:EXPERIMENT",
        ".experiments.transpositions_samegame:EXPERIMENT",
        ".experiments.transpositions_solved:EXPERIMENT",
        ".experiments.whist_information:EXPERIMENT",
    ),
    benchmarks={
        "core": Command(".commands:core", "Simulations per second, beside every installed peer."),
        "evaluate": Command(".commands:evaluate", "Leaves per second of a constant evaluator."),
        "gpu": Command(".commands:gpu", "Many trees at once: cores, a GPU, and mctx."),
        "memory": Command(".commands:memory", "Many nodes in a fixed budget of memory."),
    },
    gallery={
        "tictactoe": ".gallery.tictactoe:piece",
        "nim": ".gallery.nim:piece",
        "connect-four": ".gallery.connect_four:piece",
        "samegame": ".gallery.samegame:piece",
        "experiment": ".gallery.experiment:piece",
    },
    first={
        "nim": "search nim --simulations 1000",
        "connect-four": "search connect-four --simulations 1000",
    },
    pages={
        "games": Page(
            "treewright.workshop.searching.pages:build_games",
            "Games",
            "Play any domain, look into the tree, watch MCTS step by step.",
        ),
        "domain": Page(
            "treewright.workshop.searching.pages:build_domain",
            "Your own domain",
            "Write a domain, check it, play it, search it.",
        ),
    },
    samples=".samples:SAMPLES",
)
