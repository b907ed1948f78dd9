"""Two raylets on this machine, started by the tests themselves, and an experiment for them."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

FAR = """
import os, random, time

from treewright.workshop.experiments import Experiment, Grid, Measure, judge


def run(settings, seed):
    with open(os.environ["FAR_LOG"], "a") as log:
        log.write(f"{settings['way']} {seed}\\n")
    time.sleep(settings["pause"])
    if settings["way"] == "bad":
        raise ValueError("no way")
    if settings["way"] == "greedy":
        raise MemoryError
    if settings["way"] == "crash":
        os.kill(os.getpid(), 9)  # as the system does when memory runs out
    return {"points": random.Random(f"{settings} {seed}").random()}


def cells(ways, pause, seeds):
    return [Grid({"way": ways, "pause": [pause]}, seeds=seeds)]


EXPERIMENT = Experiment(
    name="far",
    title="Far away",
    claim="Nothing.",
    source="none",
    scales={
        "smoke": cells(["left", "right"], 0.0, 6),
        "laptop": cells(["left", "right"], 0.4, 20),
        "paper": cells(["left", "bad", "greedy", "crash"], 0.0, 1) + cells(["left"], 1.0, 40),
    },
    run=run,
    measure=Measure("points", "points"),
    groups=("way",),
    verdict=lambda rows: judge("it ran", True, enough=True),
    draw=lambda rows, axes: None,
)
"""
APP = """
import treewright

APP = treewright.App(__name__, experiments=(f"{__name__}:EXPERIMENT",))
"""
SMALL = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_log_monitor": False}


class Raylets:
    """A head and, most of the time, a second raylet that may be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        meta = folder / "modules" / "far-1.0.dist-info"
        meta.mkdir(parents=True)
        (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1.0\n")
        (meta / "entry_points.txt").write_text("[treewright.apps]\nfar = far:APP\n")
        (folder / "modules" / "far.py").write_text(FAR + APP)
        with self.environment():
            from ray.cluster_utils import Cluster

            head = SMALL | {"include_dashboard": False}
            self.cluster = Cluster(initialize_head=True, head_node_args=head)
            self.second = self.cluster.add_node(**SMALL)

    @property
    def address(self) -> str:
        return self.cluster.address

    def kill(self) -> None:
        os.kill(self.second.all_processes["raylet"][0].process.pid, signal.SIGKILL)
        self.cluster.remove_node(self.second, allow_graceful=False)

    def add(self) -> None:
        with self.environment():
            self.second = self.cluster.add_node(**SMALL)

    def close(self) -> None:
        for node in (self.second, self.cluster.head_node):
            node.kill_all_processes(check_alive=False, allow_graceful=False)

    @contextlib.contextmanager
    def environment(self):
        """What the raylets hand down to their workers."""
        path = os.pathsep.join(
            filter(None, (str(self.folder / "modules"), os.environ.get("PYTHONPATH")))
        )
        own = {"PYTHONPATH": path, "FAR_LOG": str(self.log)}
        own |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in own.items():
                patch.setenv(name, value)
            yield

    def start(self, *arguments, store="rows.sqlite", first="", before="") -> subprocess.Popen:
        """The command, as on a machine of the cluster.

        ``first`` is where its modules are, and ``before`` what its Python does before it.
        """
        program = f"{before}\nfrom treewright.cli import main; main()"
        with self.environment():
            path = os.pathsep.join(filter(None, (str(first), os.environ["PYTHONPATH"])))
            own = {"TREEWRIGHT_STORE": str(self.folder / store), "PYTHONPATH": path}
            return subprocess.Popen(
                [sys.executable, "-c", program, *arguments],
                env=os.environ | own,
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )

    def call(self, *arguments, code=0, **how) -> tuple[str, str]:
        process = self.start(*arguments, **how)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, out + err
        return out, err

    def run(self, *arguments, store, code=0):
        out, _ = self.call("experiment", "run", "far", "--json", *arguments, store=store, code=code)
        return json.loads(out)[0]

    def rows(self, store) -> list:
        """Settings, seed, row and error of every cell; the store holds each at most once."""
        path = self.folder / store
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(path)) as db:
            try:
                return db.execute("SELECT settings, seed, data, error FROM cells").fetchall()
            except sqlite3.OperationalError:  # the tables are not there yet
                return []

    def starts(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="session")
def raylets(tmp_path_factory):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'treewright[cluster]'")
    started = None
    try:
        started = Raylets(tmp_path_factory.mktemp("raylets"))
    except Exception as error:
        warnings.filterwarnings("default")
        pytest.skip(f"RAY CAN'T START HERE, nothing of the cluster is tested: {error}")
    yield started
    started.close()


@pytest.fixture
def member(raylets, monkeypatch):
    """This process has the code of the raylets, with the experiment as an application."""
    from treewright.library.applications import applications
    from treewright.library.cluster.likeness import _code

    monkeypatch.syspath_prepend(raylets.folder / "modules")
    monkeypatch.setenv("FAR_LOG", str(raylets.log))
    applications.cache_clear()
    _code.cache_clear()
    yield raylets
    applications.cache_clear()
    _code.cache_clear()
    sys.modules.pop("far", None)
