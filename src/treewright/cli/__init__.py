"""The command ``treewright``: one thin module per group, heavy imports inside the commands."""

import sys

from treewright.errors import TreewrightError


def main() -> None:
    """Run the command line; a Treewright error is one sentence and exit code 2."""
    from treewright.cli.app import app

    try:
        app(standalone_mode=True)
    except TreewrightError as error:
        print(f"treewright: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
