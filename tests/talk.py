"""A Go engine on a small board, for tests that talk to it line by line."""

import io

from treewright.apps.go.gtp.engine import Engine, MoveBudget
from treewright.apps.go.gtp.player import style


class Talk:
    """An engine, and what it answers."""

    def __init__(self, size=5, simulations=50, **settings):
        self.engine = Engine(
            io.StringIO(), style(resign=0.0), MoveBudget(simulations), size=size, **settings
        )

    def raw(self, line):
        self.engine.out = io.StringIO()
        self.engine.handle(line)
        return self.engine.out.getvalue()

    def __call__(self, line):
        text = self.raw(line)
        assert text.startswith("="), (line, text)
        assert text.endswith("\n\n")
        return text[1:].strip()

    def refuses(self, line):
        text = self.raw(line)
        assert text.startswith("?"), (line, text)
        return text[1:].strip()
