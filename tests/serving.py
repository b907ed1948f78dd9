"""A server of the command line's own, for tests that look at it with a browser."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request

TREEWRIGHT = [sys.executable, "-c", "from treewright.cli import main; main()"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def served(*command, port=None):
    """Run a command that serves pages; its address, once it answers."""
    port = port or free_port()
    server = subprocess.Popen(
        [*TREEWRIGHT, *map(str, command), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # NiceGUI would serve a test of its own if it saw pytest
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert server.poll() is None, server.stdout.read()
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=1):
                break
            time.sleep(0.2)
        yield address
    finally:
        server.kill()  # no farewell: what counts is on disk already
        server.wait(20)
        server.stdout.close()
