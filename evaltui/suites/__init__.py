"""What is evaluated: one module a kind of suite, found by the files it recognises.

A new kind is a module with a ``KIND`` and a line in ``_MODULES``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final, cast

from evaltui.errors import SuiteError
from evaltui.suites.base import SuiteKind

_MODULES: Final = ("evaltui.suites.ulexite",)


def kinds() -> list[SuiteKind]:
    """Every kind of suite."""
    return [cast(SuiteKind, import_module(name).KIND) for name in _MODULES]


def kind_of(path: Path) -> SuiteKind:
    """The kind of suite that a file is.

    Raises:
        SuiteError: no kind recognises it.
    """
    for kind in kinds():
        if kind.recognises(path):
            return kind
    raise SuiteError("this is no suite that evaltui knows", place=str(path), hint="name a .ulx")
