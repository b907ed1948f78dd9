"""Work on many machines, by Ray (``pip install 'treewright[cluster]'``); docs/cluster.md."""
