"""Games of other libraries as domains, and our search as their player."""
