"""The module that generated domains say they come from.

Numba's cache looks functions up by the name of their module, in another process too, so it must be
one that can be imported there.
"""
