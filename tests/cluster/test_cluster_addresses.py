"""Addresses that are none: a sentence, soon."""

import os
import socket
import sys
import threading
import time

import pytest


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "there is no Ray cluster at 127.0.0.1:1"),
        ("nowhere", "write it as HOST:PORT"),
        ("auto", "no Ray cluster runs on this machine"),  # what Ray has noted is out of date
        ("no.such.host.invalid:6379", "there is no Ray cluster at no.such.host.invalid:6379"),
    ],
)
def test_an_address_where_nothing_is(command, monkeypatch, address, said):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    began = time.monotonic()
    assert said in command("experiment", "run", "tictactoe-strength", "--cluster", address, code=2)
    if "TREEWRIGHT_CLUSTER_TEST" in os.environ:  # make cluster-test: nothing else runs
        assert time.monotonic() - began < 10


def test_an_address_where_something_else_is(command):
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            line, _ = server.accept()
            with line:
                line.recv(100)
                line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        run = ("experiment", "run", "tictactoe-strength", "--cluster", address)
        assert "is not Ray" in command(*run, code=2)


def test_without_ray_it_says_what_to_install(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    said = command("experiment", "run", "tictactoe-strength", "--cluster", "auto", code=2)
    assert "pip install 'treewright[cluster]'" in said


def test_a_token_is_used_where_there_is_one(monkeypatch, tmp_path):
    from treewright.library.cluster import connection

    pytest.importorskip("ray")
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.setenv(name, "")  # so that it is put back afterwards
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    connection.ray()
    assert "RAY_AUTH_MODE" not in os.environ
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("secret")
    connection.ray()
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_a_cluster_that_asks_for_a_token_is_a_sentence():
    from treewright.library.cluster.connection import _why

    for said in (
        "Failed to connect to Ray cluster at …",
        "no authentication token was found. Ensure",
    ):
        assert "RAY_AUTH_MODE=token" in _why("127.0.0.1:6379", RuntimeError(said))
