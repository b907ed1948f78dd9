"""The command ``treewright``: one thin module per group, heavy imports inside the commands."""

import sys

from treewright.errors import TreewrightError


def main() -> None:
    """Run the command line; what is wrong with the input is one sentence and exit code 2."""
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
    except OSError as error:  # a file or folder that can't be read or written
        if error.filename is None:
            raise
        print(f"treewright: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
