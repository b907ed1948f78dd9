"""Experiments on tactics."""
