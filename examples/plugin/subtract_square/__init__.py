"""Subtract a square: a whole application in three small files, as a package of its own."""

import treewright as tw

APP = tw.App(
    __name__,
    domains={"subtract-square-v1": ".game:SubtractSquare"},
    commands={"squares": tw.Command(".game:squares", "Name the heaps that are lost.")},
    experiments=(".experiment:EXPERIMENT",),
)
