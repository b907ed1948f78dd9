"""A server of the command line's own, for tests that look at it with a browser."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request

# what belongs to one connection, and to its encoding, is not passed on
HOP_BY_HOP = {
    "connection", "upgrade", "host", "transfer-encoding", "content-length",
    "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
}  # fmt: skip
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


@contextlib.contextmanager
def proxied(address, prefix):
    """A reverse proxy that takes a prefix off the path, as nginx does in docs/study.md."""
    port, ready, proxy = free_port(), threading.Event(), {}

    async def run():
        from aiohttp import ClientSession, web

        proxy.update(loop=asyncio.get_running_loop(), over=asyncio.Event())
        async with ClientSession(auto_decompress=False) as session:

            async def forward(request):
                return await _forward(request, session, address, prefix)

            app = web.Application()
            app.router.add_route("*", prefix + "/{rest:.*}", forward)
            runner = web.AppRunner(app, shutdown_timeout=1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", port).start()
            ready.set()
            await proxy["over"].wait()
            await runner.cleanup()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(20)
    try:
        yield f"http://127.0.0.1:{port}{prefix}"
    finally:
        proxy["loop"].call_soon_threadsafe(proxy["over"].set)
        thread.join(20)


async def _forward(request, session, address, prefix):
    """One request, or a websocket for as long as it lasts."""
    from aiohttp import web

    url = address + request.raw_path.removeprefix(prefix)
    headers = {k: v for k, v in request.headers.items() if k.lower() not in HOP_BY_HOP}
    headers["X-Forwarded-Prefix"] = prefix
    if request.headers.get("Upgrade", "").lower() == "websocket":
        here = web.WebSocketResponse()
        await here.prepare(request)
        async with session.ws_connect(url, headers=headers) as there:
            await asyncio.gather(_pipe(here, there), _pipe(there, here))
        return here
    body = await request.read()
    async with session.request(
        request.method, url, headers=headers, data=body, allow_redirects=False
    ) as answer:
        kept = {k: v for k, v in answer.headers.items() if k.lower() not in HOP_BY_HOP}
        return web.Response(body=await answer.read(), status=answer.status, headers=kept)


async def _pipe(source, target):
    from aiohttp import WSMsgType

    async for message in source:
        if message.type == WSMsgType.TEXT:
            await target.send_str(message.data)
        elif message.type == WSMsgType.BINARY:
            await target.send_bytes(message.data)
    await target.close()
