"""One module per table or figure; each holds an ``EXPERIMENT``."""
