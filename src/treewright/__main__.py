"""``python -m treewright`` is the command ``treewright``."""

from treewright.cli import main

main()
