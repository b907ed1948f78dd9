"""Experiments on levels."""
