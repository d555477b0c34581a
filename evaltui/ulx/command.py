"""What a command of ``evaltui ulx`` is, and the kinds of options it takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TextIO

from msgspec import Struct

Run = Callable[[argparse.Namespace, TextIO, TextIO], int]


class Command(Struct, frozen=True):
    """``add_arguments`` fills the command's parser; ``run`` returns the exit code."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Run


class Once(argparse.Action):
    """An option with a value that may be given only once."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401 - argparse decides
        option_string: str | None = None,
    ) -> None:
        """Store the value, or end in a usage error when there is one already."""
        if getattr(namespace, self.dest) is not self.default:
            parser.error(f"the argument '{option_string}' cannot be used multiple times")
        setattr(namespace, self.dest, self.const if self.nargs == 0 else values)


def add_flag(parser: argparse.ArgumentParser, name: str, help_: str) -> None:
    """Add an option without a value that may be given only once."""
    parser.add_argument(name, action=Once, nargs=0, const=True, default=False, help=help_)
