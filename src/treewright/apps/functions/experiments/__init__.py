"""Experiments on functions."""
