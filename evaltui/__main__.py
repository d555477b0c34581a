"""Entry point of the console script and of ``python -m evaltui``."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from evaltui.cli import run
    from evaltui.streams import ending, secure_streams

    secure_streams()
    return ending(run(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
