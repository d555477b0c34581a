"""Entry point of the console script and of ``python -m evaltui``."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from evaltui.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
