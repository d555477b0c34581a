"""Formatting files in place, keeping comments."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaltui.errors import SuiteError
from evaltui.ulx.diagnostics import Severity
from evaltui.ulx.findings import Finding, SourceLines
from evaltui.ulx.formatter import FormatError
from evaltui.ulx.lenient import read_leniently
from evaltui.ulx.markdown import is_markdown
from evaltui.ulx.nearest import Suggestions
from evaltui.ulx.reading import ReadFailure, read_text
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.weaving import format_with_comments


class SyntaxFindings(SuiteError):
    """A file cannot be formatted because it does not parse; ``findings`` say where and why."""

    def __init__(self, file: str, findings: Sequence[Finding]) -> None:
        super().__init__("the file does not parse", place=file)
        self.findings = findings


class SourceToFormat:
    """A file as it is, ``source``, and as it should be, ``formatted``."""

    def __init__(self, file: str) -> None:
        """Read and format ``file``.

        Raises:
            SyntaxFindings: it does not parse.
            SuiteError: it cannot be read, or is no Ulexite source.
        """
        if is_markdown(file):
            raise SuiteError("Markdown files have no layout to put in order", place=file)
        self.file = file
        try:
            self.source = read_text(Path(file))
            self.formatted = format_with_comments(self.source)
        except ReadFailure as failure:
            raise SuiteError(f"cannot be read: {failure.plain()}", place=file) from failure
        except UlxSyntaxError as error:
            raise SyntaxFindings(file, _findings(file, self.source)) from error
        except FormatError as error:
            message = "cannot be formatted without a change of meaning; nothing was written"
            raise SuiteError(message, place=file) from error

    @property
    def changes(self) -> bool:
        """Whether formatting changes the file."""
        return self.source != self.formatted

    def diff(self) -> str:
        """What formatting changes, as a unified diff; every line ends in a line feed."""
        before, after = [text.splitlines() for text in (self.source, self.formatted)]
        lines = difflib.unified_diff(before, after, self.file, self.file, lineterm="")
        return "".join(f"{line}\n" for line in lines)

    def write(self) -> None:
        """Rewrite the file. Raises ``SuiteError`` when that is not possible."""
        try:
            replace_content(Path(self.file), self.formatted.encode("utf-8"))
        except OSError as error:
            raise SuiteError(f"cannot be written: {error.strerror}", place=self.file) from error


def _findings(file: str, source: str) -> list[Finding]:
    lines = SourceLines(file, source)
    found = read_leniently(source, Suggestions()).findings
    return [lines.finding(Severity.ERROR, problem, span) for problem, span in found]


def replace_content(path: Path, content: bytes) -> None:
    """Put ``content`` in the place of a file, whole or not at all; its mode stays.

    A link keeps leading to the file. Raises ``OSError``.
    """
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=".evaltui-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
        shutil.copymode(target, name)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
