"""The studio: what is done in a browser.  Needs ``pip install 'treewright[studio]'``."""
