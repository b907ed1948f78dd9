"""The games' experiments."""
