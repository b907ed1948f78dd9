"""Many participants at once over HTTP on this machine, while the server is killed now and then.

``python tools/study_load.py --participants 200 --seconds 60 --kills 5`` makes a study, serves it as
``treewright study serve`` does, and lets simulated participants play as the game in the browser
does: a batch of thirty ticks every second, sent again until it is answered.  At the end what the
server has acknowledged is held against what is in the study's file.  The participants run on the
same machine, so on two cores they have one and the server the other.
"""

import argparse
import asyncio
import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from pathlib import Path

import aiohttp

from treewright.apps.levels.generate import own_chain
from treewright.apps.levels.replay import decode
from treewright.apps.study.making import make_levels
from treewright.apps.study.store import Store

TREEWRIGHT = [sys.executable, "-c", "from treewright.cli import main; main()"]
BATCH = 30  # ticks, and once a second
RIGHT, SPEED, JUMP = 2, 4, 8


class Server:
    """The command line's own server, which can be killed and started again."""

    def __init__(self, study: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.study = study
        self.address = f"http://127.0.0.1:{self.port}"
        self.cpu_seconds = 0.0
        self.start()

    def start(self) -> None:
        command = [
            *TREEWRIGHT,
            "study",
            "serve",
            str(self.study),
            "--port",
            str(self.port),
            "--quiet",
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
        )

    def kill(self) -> None:
        self.process.kill()
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds += used.ru_utime + used.ru_stime

    def start_costs(self) -> float:
        """CPU seconds of a server that starts, answers once, and is killed."""
        before = self.cpu_seconds
        self.start()
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(self.address, timeout=5):
                break
            time.sleep(0.1)
        self.kill()
        return self.cpu_seconds - before


class Participant:
    """Plays with a key held at random; remembers everything that the server has acknowledged."""

    def __init__(self, number: int, session: aiohttp.ClientSession, times: list[float]) -> None:
        self.dice = random.Random(number)
        self.session, self.times = session, times
        self.keys: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.stored: dict[tuple[int, int], int] = {}
        self.answered: list[int] = []
        self.who = ""
        self.refused: list[str] = []

    async def ask(self, method: str, path: str, body: object = None) -> dict:
        """Ask until there is an answer; only answers are timed."""
        while True:
            began = time.perf_counter()
            try:
                async with self.session.request(method, path, json=body) as answer:
                    found = await answer.json()
                    self.times.append(time.perf_counter() - began)
                    if answer.status == 200:
                        return found
                    self.refused.append(f"{answer.status} {found}")
                    if answer.status != 429:
                        return {}
            except (aiohttp.ClientError, ConnectionError, TimeoutError):
                pass
            await asyncio.sleep(0.5 + self.dice.random())

    async def take_part(self, until: float) -> None:
        await asyncio.sleep(3 * self.dice.random())
        found = await self.ask("POST", "/api/enrol", {"agree": True, "simulated": True})
        self.who = found["participant"]
        while time.monotonic() < until:
            step = await self.ask("GET", f"/api/p/{self.who}")
            if step["kind"] == "play":
                await self.play(step["slot"], until)
            elif step["kind"] == "ask":
                body = {"challenge": "A", "preference": "B"}
                if await self.ask("POST", f"/api/answer/{self.who}/{step['pair']}", body):
                    self.answered.append(step["pair"])
            elif step["kind"] == "experience":
                await self.ask("POST", f"/api/experience/{self.who}", {"experience": "expert"})
            else:
                return

    async def play(self, slot: int, until: float) -> None:
        level = await self.ask("GET", f"/api/p/{self.who}/{slot}")
        attempt = len(level["attempts"]) + 1
        while time.monotonic() < until:
            began = time.monotonic()
            keys = self.keys[slot, attempt]
            first = len(keys)
            runs = []
            while sum(n for _, n in runs) < BATCH:
                held = RIGHT | self.dice.choice((0, SPEED)) | self.dice.choice((0, 0, JUMP))
                runs.append([held, self.dice.randint(2, 10)])
            keys += decode(runs).tolist()
            path = f"/api/p/{self.who}/{slot}/{attempt}"
            found = await self.ask("POST", path, {"first": first, "runs": runs})
            if not found:
                return
            self.stored[slot, attempt] = found["ticks"]
            if found["finished"]:
                return
            if found["outcome"] != "playing":
                attempt += 1
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - began)))

    def lost(self, store: Store) -> int:
        """Acknowledged ticks that are not in the file."""
        lost = 0
        for (slot, attempt), ticks in self.stored.items():
            kept = store.attempts(self.who, slot)
            have = decode(kept[attempt - 1]).tolist() if attempt <= len(kept) else []
            lost += ticks - sum(
                a == b for a, b in zip(self.keys[slot, attempt][:ticks], have, strict=False)
            )
        return lost


async def load(server: Server, participants: int, seconds: float, kills: int) -> list[Participant]:
    times: list[float] = []
    connector = aiohttp.TCPConnector(limit=participants)
    limit = aiohttp.ClientTimeout(total=20)
    until = time.monotonic() + seconds
    async with aiohttp.ClientSession(server.address, connector=connector, timeout=limit) as session:
        people = [Participant(n, session, times) for n in range(participants)]
        jobs = [asyncio.create_task(one.take_part(until)) for one in people]
        for _ in range(kills):
            await asyncio.sleep(seconds / (kills + 1))
            server.kill()
            server.start()
        await asyncio.gather(*jobs)
    return people


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--length", type=int, default=160)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.sqlite"
        made = make_levels(path, own_chain(), args.length, 1, 0)
        levels = {v: [k.level for k in kept] for v, kept in made.items()}
        store = Store.create(path, levels, title="Load")
        server = Server(path)
        try:
            people = asyncio.run(load(server, args.participants, args.seconds, args.kills))
        finally:
            server.kill()
        times = sorted(people[0].times)
        cpu = server.cpu_seconds - (args.kills + 1) * server.start_costs()
        lost = sum(one.lost(store) for one in people)
        answers = sum(len(one.answered) for one in people)
        kept = len(store.pair_rows())
        refused = [why for one in people for why in one.refused]
        print(
            f"{len(people)} participants, {args.kills} kills, {len(times):,} answers in "
            f"{args.seconds:.0f} s ({len(times) / args.seconds:.0f} a second); 50 % within "
            f"{1000 * times[len(times) // 2]:.0f} ms, 95 % within "
            f"{1000 * times[int(0.95 * len(times))]:.0f} ms, at most {1000 * times[-1]:.0f} ms; "
            f"{sum(sum(one.stored.values()) for one in people):,} ticks acknowledged, {lost} lost; "
            f"{answers} answers acknowledged, {kept} kept; {len(refused)} refused "
            f"{sorted(set(refused))[:3]}; {1000 * cpu / len(times):.2f} ms of the server's CPU an "
            f"answer, starts not counted; load {os.getloadavg()[0]:.1f}"
        )
        raise SystemExit(1 if lost or kept < answers else 0)


if __name__ == "__main__":
    main()
