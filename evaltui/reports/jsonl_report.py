"""The run as JSON lines: ``run`` first, then one ``case`` each, ``summary`` last."""

from __future__ import annotations

import json
from typing import TextIO

from evaltui.reports.json_report import SCHEMA, case_object, findings_object, run_object
from evaltui.reports.view import RunView


def write(view: RunView, out: TextIO) -> None:
    """Write one object a line; every line says its ``type``."""
    _line(out, {"type": "run", "schema": SCHEMA, **run_object(view)})
    for case in view.cases():
        _line(out, {"type": "case", **case_object(view, case)})
    _line(out, {"type": "summary", **findings_object(view)})


def _line(out: TextIO, data: dict[str, object]) -> None:
    out.write(json.dumps(data) + "\n")
