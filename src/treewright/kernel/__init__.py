"""The compiled search: it knows no domain."""
