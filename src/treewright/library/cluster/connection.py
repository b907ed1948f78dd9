"""The way to a Ray cluster: one that is given, one that runs here, or one begun for the occasion.

Whatever is wrong with it is said within seconds.  Ray itself waits for a minute, and may then end
the whole process, so an address is tried by hand first.
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from treewright.errors import MissingExtra, TreewrightError

SECONDS = 5.0  # until an address that does not answer is given up
STORE = 256 * 2**20  # bytes of shared memory of a cluster that we start
# the beginning of every conversation in HTTP/2, which Ray's servers speak, and empty settings
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
SETTINGS = 4


class ClusterError(TreewrightError):
    """A cluster that can't be reached or used."""


def ray() -> ModuleType:
    """Ray, or a sentence that says how to install it."""
    # we report to nobody, and Ray's advice about accelerators is not for our users
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if _has_token():  # a head that finds one asks for it, and a cluster that does not takes it too
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        import ray as found
    except ImportError:
        raise MissingExtra("--cluster", "cluster") from None
    module: ModuleType = found
    return module


def _has_token() -> bool:
    """Whether Ray would find a token of its own here; it makes one with the first local cluster."""
    if "RAY_AUTH_TOKEN" in os.environ or "RAY_AUTH_TOKEN_PATH" in os.environ:
        return True
    with contextlib.suppress(RuntimeError):  # nobody's home
        return (Path.home() / ".ray" / "auth_token").is_file()
    return False


def connect(address: str, cpus: int | None = None) -> bool:
    """Make this process a driver of the cluster; False if it was one already.

    ``address`` is HOST:PORT of a cluster that this machine belongs to, ``ray://HOST:PORT`` of any
    other, ``auto`` for the one that runs on this machine, or ``local`` to start one here, with
    ``cpus`` processes, for as long as it is needed.
    """
    known = ray()
    if known.is_initialized():
        return False
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        how |= {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": STORE}
    elif address == "auto":
        address = _of_this_machine()
    else:
        _try(address)
    _keep_quiet()
    try:
        with _told_to_stop():
            known.init(address=address, **how)
    except Exception as error:
        with contextlib.suppress(Exception):
            known.shutdown()
        raise ClusterError(_why(address, error)) from error
    return True


def _why(address: str, error: Exception) -> str:
    """One sentence from whatever Ray has to say."""
    said = " ".join(str(error).split())
    if "Version mismatch" in said or "version mismatch" in said:
        return (
            f"the cluster at {address} runs another version of Ray or of Python than this machine: "
            f"{said.partition(': ')[2][:300]}"
        )
    if address == "local":
        return f"Ray can't start on this machine: {said[:300]}"
    if "authentication token" in said or "Failed to connect" in said:
        return (
            f"the cluster at {address} does not let this machine in: if it asks for a token, this "
            "machine needs the same one and RAY_AUTH_MODE=token (docs/cluster.md)"
        )
    return f"the cluster at {address} can't be used: {said[:300]}"


def _of_this_machine() -> str:
    """The address of the cluster that runs here: what Ray has noted of it may be out of date."""
    from ray._private.services import canonicalize_bootstrap_address_or_die

    try:
        address = str(canonicalize_bootstrap_address_or_die("auto"))
        _try(address)
    except (ClusterError, ConnectionError, OSError, ValueError):
        raise ClusterError(
            "no Ray cluster runs on this machine: start one with 'ray start --head', give an "
            "address, or say --cluster local"
        ) from None
    return address


def _try(address: str) -> None:
    """Refuse what is no address, where nothing listens, and where something else does."""
    import socket  # who has no cluster needs none

    place = address.removeprefix("ray://")
    host, colon, port = place.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ClusterError(
            f"--cluster {address!r}: write it as HOST:PORT, ray://HOST:PORT, auto or local"
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS) as line:
            line.settimeout(SECONDS)
            line.sendall(GREETING)
            answer = line.recv(9)
    except TimeoutError:
        raise ClusterError(f"nothing at {place} answered within {SECONDS:.0f} s") from None
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise ClusterError(f"there is no Ray cluster at {place}: {said}") from None
    if len(answer) < 4 or answer[3] != SETTINGS:
        raise ClusterError(f"what listens at {place} is not Ray")


def _keep_quiet() -> None:
    """Ray prints what happens to other machines on stdout, where our answers belong."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *given, **more: None


@contextlib.contextmanager
def _told_to_stop() -> Iterator[None]:
    """Ctrl-C and SIGTERM mean what they meant before Ray took over."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
