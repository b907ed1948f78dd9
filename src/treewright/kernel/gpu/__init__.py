"""The same kernel on a GPU: one thread for each of many trees.

``program.py`` compiles the kernel's text with a domain (no GPU is needed for that), ``driver.py``
is the device, ``trees.py`` the trees in its memory.  ``thread.py``, ``entry.py``, ``roots.py``
and ``roots_entry.py`` are texts that are compiled.
"""
