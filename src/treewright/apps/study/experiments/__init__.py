"""Experiments on the player study."""
