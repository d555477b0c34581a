"""What the checker has to say about a program."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evaltui.ulx.tree import Span


class Severity(StrEnum):
    """Only errors make a check fail."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding at the byte ``span`` of ``source``, the text of the file shown as ``file``."""

    severity: Severity
    message: str
    span: Span
    file: str
    source: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that diagnostics can point into."""

    name: str
    text: str

    def error(self, message: str, span: Span) -> Diagnostic:
        """An error in this file."""
        return Diagnostic(Severity.ERROR, message, span, self.name, self.text)

    def warning(self, message: str, span: Span) -> Diagnostic:
        """A warning in this file."""
        return Diagnostic(Severity.WARNING, message, span, self.name, self.text)
