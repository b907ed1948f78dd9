"""A toy experiment in an application of its own, found through its entry point."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOY = """
import os, random, time

from treewright.workshop.experiments import Experiment, Grid, Measure, Reference, judge
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate


def run(settings, seed):
    if os.environ.get("TOY_LOG"):
        with open(os.environ["TOY_LOG"], "a") as log:
            log.write(f"{settings['size']} {settings['way']} {seed}\\n")
    time.sleep(float(os.environ.get("TOY_PAUSE", "0")))
    if settings["way"] == "bad":
        raise ValueError("no way")
    if settings["way"] == "crash":
        os._exit(3)
    dice = random.Random(f"{settings} {seed}")
    points = settings["size"] + dice.random()
    return {"points": points, "word": settings["way"], "finished": settings["size"]}


def verdict(rows):
    return judge(f"{estimate(EXPERIMENT.measure, rows).value:.6f} points", True, enough=True)


def draw(rows, axes):
    curves(EXPERIMENT, rows, axes, x="size", by="way")


EXPERIMENT = Experiment(
    name="toy",
    title="A toy",
    claim="Nothing, |x| neither.",
    source="none",
    scales={
        "smoke": [Grid({"way": ["left", "right"], "size": [1, 10]}, seeds=SEEDS)],
        "laptop": [Grid({"way": ["left", "bad"], "size": [1]}, seeds=2)],
        "paper": [Grid({"way": ["left", "crash"], "size": [1]}, seeds=2)],
    },
    run=run,
    measure=Measure("points", "points"),
    groups=("way", "size"),
    verdict=verdict,
    draw=draw,
    references=[Reference({"way": "left", "size": 1}, 1.5, "arithmetic")],
)
"""


APP = """
import treewright

APP = treewright.App(__name__, experiments=(f"{__name__}:EXPERIMENT",))
"""


def install(folder: Path, name: str, text: str) -> None:
    """Put a module with an ``EXPERIMENT``, as an application, where Python looks."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(text + APP)
    meta = folder / f"{name}-1.0.dist-info"
    meta.mkdir(exist_ok=True)
    (meta / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    entry = f"[treewright.apps]\n{name} = {name}:APP\n"
    (meta / "entry_points.txt").write_text(entry)


class Bench:
    """A folder with a store, where the command runs as a user would run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store.sqlite"
        self.log = folder / "log"
        self.modules = folder / "modules"
        self.toy(seeds=3)

    def toy(self, seeds: int) -> None:
        self.install("toy", TOY.replace("SEEDS", str(seeds)))

    def install(self, name: str, text: str) -> None:
        install(self.modules, name, text)

    def another(self) -> "Bench":
        return Bench(self.folder / "another")

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join(filter(None, (str(self.modules), os.environ.get("PYTHONPATH"))))
        own = {"PYTHONPATH": path, "TREEWRIGHT_STORE": str(self.store)}
        return os.environ | own | {"TOY_LOG": str(self.log)} | more

    def start(self, *arguments: str, **more: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-c", "from treewright.cli import main; main()", *arguments],
            env=self.environment(**more),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments: str, code: int = 0, **more: str) -> tuple[str, str]:
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, (out, err)
        return out, err

    def json(self, *arguments: str, **more: str) -> object:
        return json.loads(self.call(*arguments, "--json", **more)[0])

    def starts(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)
