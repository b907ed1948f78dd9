"""The games' pieces of the gallery."""
