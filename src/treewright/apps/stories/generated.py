"""The module that generated domains say they come from: their text has no file of its own."""
