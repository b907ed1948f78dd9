"""Experiments on the strength of Go."""
