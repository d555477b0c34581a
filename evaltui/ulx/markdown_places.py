"""Findings in the program that a Markdown file stands for, shown in the file itself."""

from __future__ import annotations

from msgspec.structs import replace

from evaltui.ulx.diagnostics import Problem, Severity
from evaltui.ulx.findings import Finding, SourceLines
from evaltui.ulx.markdown import read_document
from evaltui.ulx.tree import Span

_QUOTES = '"""'


class MarkdownLines(SourceLines):
    """The lines of a Markdown file; spans are those of the program generated from it."""

    def __init__(self, name: str, markdown: str, generated: str) -> None:
        markdown = markdown.replace("\r\n", "\n")
        super().__init__(name, markdown)
        self._generated = SourceLines(name, generated)
        self._sections = list(_sections(markdown, generated))

    def finding(self, severity: Severity, problem: Problem, span: Span) -> Finding:
        """``problem`` where its text stands in the Markdown file, else at the top of it."""
        for start, end, there in self._sections:
            if start <= span.start <= span.end <= end:
                moved = Span(span.start - start + there, span.end - start + there)
                return super().finding(severity, problem, moved)
        shown = self._generated.finding(severity, problem, span).source_line.strip()
        where = f"in the program made from this file: `{shown}`"
        hint = f"{problem.hint} ({where})" if problem.hint else where
        return super().finding(severity, replace(problem, hint=hint), Span(0, 0))


def _sections(markdown: str, generated: str) -> list[tuple[int, int, int]]:
    """Start and end of every pasted text in the program, and its start in the Markdown file."""
    document = read_document(markdown)
    found = []
    for text in (document.judge, document.system, document.ask or document.body):
        pasted, there = generated.find(f"{_QUOTES}{text}{_QUOTES}"), markdown.find(text)
        if text and pasted >= 0 and there >= 0:
            start = len(generated[:pasted].encode("utf-8")) + len(_QUOTES)
            end = start + len(text.encode("utf-8"))
            found.append((start, end, len(markdown[:there].encode("utf-8"))))
    return found
