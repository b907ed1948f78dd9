"""Stories: a library of actions, a set-up and goals in, a believable story out (Magnuson 4)."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={"story-v1": ".domain:story"},
    commands={
        "story": Command(".commands:app", "Generate believable stories from a set-up and goals.")
    },
    experiments=(
        ".experiments.ablation:EXPERIMENT",
        ".experiments.biasing:EXPERIMENT",
        ".experiments.methods:EXPERIMENT",
        ".experiments.pruning:EXPERIMENT",
    ),
    benchmarks={"stories": Command(".commands:bench", "CPU seconds of the default search.")},
    gallery={"story": ".gallery:piece"},
    first={"story": "story generate sherlock --nodes 5000"},
    again={"story-edit": ".editing:edited"},
    jobs={"story": ".job:STORY"},
    pages={"stories": Page(".pages:build", "Stories", "Set-up and goals in, a story out.")},
    samples=".samples:SAMPLES",
    by_source=True,  # its functions are generated from files
)
