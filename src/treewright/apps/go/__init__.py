"""Go on boards from 2x2 to 19x19: the rules, playouts, and an engine that speaks GTP."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={
        "go-v1": ".domain:Go",
        "go-5x5-v1": ".domain:go_5x5",
        "go-9x9-v1": ".domain:go_9x9",
        "go-13x13-v1": ".domain:go_13x13",
        "go-19x19-v1": ".domain:go_19x19",
    },
    commands={
        "gtp": Command(".commands:gtp", "A Go engine that speaks GTP 2 on stdin and stdout."),
        "go": Command(".commands:app", "Go: analyse game records, let engines play each other."),
    },
    experiments=(
        ".experiments.ablation:EXPERIMENT",
        ".experiments.gnu_go:EXPERIMENT",
        ".experiments.rave_uct:EXPERIMENT",
    ),
    benchmarks={"go": Command(".commands:bench", "Simulations per second, 9x9 and 19x19.")},
    gallery={"go": ".gallery:piece"},
    play={"go": ".commands:play_go"},
    first={"go": "search go --simulations 100"},
    again={"go-switch": ".switching:switched"},
    jobs={"go-move": ".job:THINK", "go-score": ".job:SCORE"},
    pages={"go": Page(".pages:build", "Go", "Play the engine, and see what it thinks.")},
    samples=".samples:SAMPLES",
    by_source=True,
)
