"""The pretended device, for the tests beside it."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture
def device(monkeypatch):
    path = Path(__file__).with_name("pretended.py")
    spec = importlib.util.spec_from_file_location("pretended", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.Pretended()
    monkeypatch.setattr("treewright.library.forest.device", lambda: found)
    return found
