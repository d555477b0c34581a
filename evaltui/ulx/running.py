"""Arguments of the ``ulx`` commands that run programs; the work is in ``evaltui.engine``."""

from __future__ import annotations

import argparse
from typing import TextIO

from evaltui.ulx.command import Command, Once, add_flag


def _takes_providers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--provider", action="append", default=[], metavar="NAME", help="use only this provider"
    )
    group.add_argument("--mock", action="store_true", help="answer from the mock provider")


def _takes_bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("benchmark", metavar="BENCHMARK")
    parser.add_argument("--run-id", action=Once, metavar="ID", help="name the run")
    _takes_providers(parser)
    add_flag(parser, "--update-snapshots", "make every snapshot the new baseline")


def _bench(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
    from evaltui.engine.ulx_commands import bench

    return bench(options, stdout, stderr)


RUNNING: dict[str, Command] = {
    "bench": Command("run a benchmark", _takes_bench_arguments, _bench),
}
