"""Arguments of the ``ulx`` commands that run programs; the work is in ``evaltui.engine``."""

from __future__ import annotations

import argparse
from typing import TextIO

from evaltui.ulx.command import Command, Once, Run, add_flag

STYLES = ("text", "plain", "json", "jsonl", "mermaid", "html")
"""The values of ``--output``."""


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


def _takes_run_arguments(parser: argparse.ArgumentParser) -> None:
    _takes_conversation(parser)
    parser.add_argument("--run-id", action=Once, metavar="ID", help="name the run")
    _takes_providers(parser)
    _takes_style(parser)
    add_flag(parser, "--interactive", "ask at the terminal when the run waits for a person")
    add_flag(parser, "--no-cache", "do not read cached answers")


def _takes_conversation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("conversation", metavar="CONVERSATION")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument"
    )


def _takes_style(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output", action=Once, choices=STYLES, default="text", help="how to print"
    )


def _takes_approval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID")
    parser.add_argument("--value", action=Once, default="approved", help="the answer")
    _takes_providers(parser)
    _takes_style(parser)


def _takes_denial(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID")
    parser.add_argument("--note", action=Once, help="why")
    _takes_providers(parser)
    _takes_style(parser)


def _takes_run_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_id", metavar="RUN_ID")
    _takes_style(parser)


def _takes_plan_arguments(parser: argparse.ArgumentParser) -> None:
    _takes_conversation(parser)
    parser.add_argument(
        "--provider", action="append", default=[], metavar="NAME", help="use only this provider"
    )


def _takes_eval_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="COMMAND", required=True)
    calibrate = kinds.add_parser(
        "calibrate", help="compare a judge with people", allow_abbrev=False
    )
    calibrate.add_argument("file", metavar="FILE")
    calibrate.add_argument("dataset", metavar="DATASET")
    calibrate.add_argument("judge", metavar="JUDGE")
    calibrate.add_argument(
        "--threshold", action=Once, type=float, default=0.8, help="least agreement, 0 to 1"
    )
    _takes_providers(calibrate)


def _runner(name: str) -> Run:
    def run(options: argparse.Namespace, stdout: TextIO, stderr: TextIO) -> int:
        from evaltui.engine import ulx_commands

        work: Run = getattr(ulx_commands, name)
        return work(options, stdout, stderr)

    return run


RUNNING: dict[str, Command] = {
    "bench": Command("run a benchmark", _takes_bench_arguments, _runner("bench")),
    "run": Command("run a conversation", _takes_run_arguments, _runner("run")),
    "approve": Command("answer a waiting run", _takes_approval, _runner("approve")),
    "deny": Command("refuse what a run waits for", _takes_denial, _runner("deny")),
    "replay": Command("run again from the cache alone", _takes_run_id, _runner("replay")),
    "trace": Command("print the trace of a run", _takes_run_id, _runner("trace")),
    "plan": Command("list the calls of a conversation", _takes_plan_arguments, _runner("plan")),
    "eval": Command("evaluate judges", _takes_eval_arguments, _runner("calibrate")),
}
