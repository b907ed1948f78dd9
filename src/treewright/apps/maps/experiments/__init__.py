"""Experiments on maps."""
