"""What leaves a run: one module a format, found by name.

A new format is a module with a ``write(view, out)`` function and a line in ``_MODULES``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from evaltui.reports.base import Report

_MODULES: Final = {
    "text": "evaltui.reports.text",
    "json": "evaltui.reports.json_report",
    "jsonl": "evaltui.reports.jsonl_report",
    "junit": "evaltui.reports.junit",
    "markdown": "evaltui.reports.markdown",
}


def formats() -> list[str]:
    """The names that ``--report`` knows."""
    return list(_MODULES)


def report(name: str) -> Report:
    """The report of a format that ``formats`` names."""
    return cast(Report, import_module(_MODULES[name]).write)
