"""An experiment with its figure and its verdict."""

import tempfile
from pathlib import Path

from treewright.workshop.experiments import ExperimentError, plots
from treewright.workshop.experiments.executors import executor
from treewright.workshop.experiments.registry import experiment
from treewright.workshop.experiments.report import report
from treewright.workshop.experiments.runner import run, standing
from treewright.workshop.experiments.store import Store
from treewright.workshop.gallery.piece import Picture, Piece, opened

NAME, SCALE = "connect-four-strength", "smoke"


def piece(seed: int) -> Piece:
    """An experiment has its own seeds; the gallery's is not used."""
    chosen = experiment(NAME)
    with tempfile.TemporaryDirectory() as folder:
        with Store(Path(folder) / "store.sqlite") as store, executor("threads", 1) as cells:
            done = run(chosen, store, cells, scale=SCALE)
            if done.stopping:
                raise ExperimentError(f"the gallery's experiment stopped: {done.stopping}")
            now = standing(chosen, store, SCALE)
        out = Path(folder) / "figure.png"
        plots.save(chosen, [stored.values for stored in now.good], out)
        drawing = out.read_bytes()
    return Piece(
        "An experiment",
        f"treewright experiment run {NAME} --scale {SCALE}",
        f"{chosen.claim} This is the scale for a quick look. {report(chosen, now, SCALE).sentence}",
        [Picture(drawing, chosen.title)],
        page=opened("experiments", experiment=NAME, scale=SCALE),
    )
