"""Experiments on stories."""
