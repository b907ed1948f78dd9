"""Narrative planning: characters act for reasons of their own, in the world as they believe it."""
