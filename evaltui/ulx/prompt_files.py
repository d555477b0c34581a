"""Prompt files: ``file("path")`` and ``@path`` (language specification 4.10)."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from evaltui.ulx.diagnostics import Problem, Rule, SourceFile
from evaltui.ulx.grammar import parse_interpolated
from evaltui.ulx.modules import outside_message
from evaltui.ulx.reading import ReadFailure, read_text
from evaltui.ulx.syntax_error import UlxSyntaxError
from evaltui.ulx.tree import FileText, Span, TextBlock

MOST_INCLUSIONS = 1_000
"""Prompt files that one reference may bring in, through those that it names."""


class PromptFile(Struct, frozen=True):
    """A prompt file that was read: its parts, or the ``problem`` to report."""

    file: SourceFile
    block: TextBlock
    problem: Problem | None = None


class PromptFiles:
    """The prompt files of a program, each read once."""

    def __init__(self, root: Path | None = None) -> None:
        """With ``root``, files outside that directory are not read."""
        self._root = root
        self._known: dict[str, PromptFile] = {}

    def get(self, node: FileText, folder: Path, user: SourceFile) -> PromptFile:
        """The file that ``node``, a reference standing in ``user``, names below ``folder``."""
        full = os.path.join(folder, node.path)  # noqa: PTH118 - shown as written
        if full not in self._known:
            refusal = outside_message(full, self._root, user, node.span.start)
            plain = f"`{node.path}` is outside the project {self._root}"
            problem = refusal and Problem(Rule.OUTSIDE_PROJECT, refusal, plain)
            self._known[full] = self._read(full, problem or None)
        return self._known[full]

    def _read(self, full: str, refusal: Problem | None) -> PromptFile:
        nothing = PromptFile(SourceFile(full, ""), TextBlock((), Span(0, 0)))
        if refusal is not None:
            return replace(nothing, problem=refusal)
        try:
            text = read_text(Path(full))
        except ReadFailure as failure:
            message = f"could not read prompt file `{full}`: {failure}"
            plain = f"cannot read the prompt file: {failure.plain()}"
            return replace(nothing, problem=Problem(Rule.PROMPT_FILE, message, plain))
        file = SourceFile(full, text)
        try:
            return PromptFile(file, parse_interpolated(text))
        except UlxSyntaxError as error:
            message = f"invalid interpolation in prompt file `{full}`: {error.custom}"
            problem = Problem(Rule.PROMPT_FILE, message, message, inside=file)
            return PromptFile(file, nothing.block, problem)
