"""The example that learns: it plays, learns, is saved and goes on."""

import importlib.util

import pytest

pytest.importorskip("jax", reason="JAX is not installed: pip install treewright[train]")


def test_the_example_learns_and_goes_on(root, tmp_path, monkeypatch, capsys):
    place = root / "examples" / "train_connect_four.py"
    spec = importlib.util.spec_from_file_location("train_connect_four", place)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.setattr(example, "GAMES", 8)
    monkeypatch.setattr(example, "SIMULATIONS", 8)
    path = tmp_path / "net.npz"
    example.train(path, 1e-4, seed=1)
    net = example.train(path, 1e-4, seed=1)
    assert "goes on after round 1" in capsys.readouterr().out
    assert 0.0 <= example.match(net, 4, simulations=20) <= 1.0
