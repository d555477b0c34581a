"""Markdown sources and the program they stand for (language specification 7)."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from evaltui.engine.alphabetic import is_alphanumeric
from evaltui.engine.white_space import WHITE_SPACE, trimmed
from evaltui.errors import SuiteError
from evaltui.ulx.grammar import parse
from evaltui.ulx.reading import ReadFailure, os_error_text, read_text
from evaltui.ulx.syntax_error import UlxSyntaxError

Value = TypeVar("Value")

GENERATED = Path(".ulexite") / "generated"

_PLACEHOLDER = re.compile(r"\{([^}]*)\}")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECTIONS = {"system": "system", "ask": "ask", "user": "ask", "judge": "judge"}


class MarkdownError(SuiteError):
    """A Markdown file is no conversation; ``message`` is the text without ``error: ``."""


class Parameter(Struct, frozen=True):
    """A parameter of the generated conversation, as written."""

    name: str
    type: str


class Meta(Struct, frozen=True):
    """The ``ulx-meta`` block."""

    name: str | None = None
    returns: str | None = None
    params: tuple[Parameter, ...] = ()


class Document(Struct, frozen=True):
    """The parts of a Markdown file, trimmed; None without a title or meta block."""

    title: str | None
    meta: str | None
    body: str
    system: str
    ask: str
    judge: str


def is_markdown(path: str) -> bool:
    """Whether ``path`` names a Markdown file."""
    return Path(path).suffix.lower() in (".md", ".markdown")


def compile_to_file(typed: str) -> Path:
    """Compile the Markdown file ``typed`` and return where the program was written.

    Raises ``MarkdownError``.
    """
    try:
        text = read_text(Path(typed))
    except ReadFailure as failure:
        raise MarkdownError(f"could not read {typed}: {failure}") from failure
    try:
        program = compile_markdown(text)
    except MarkdownError as error:
        raise MarkdownError(f"{typed}: {error.message}") from error
    try:
        parse(program)
    except UlxSyntaxError as error:
        raise MarkdownError(
            f"internal error: the .ulx generated from {typed} does not parse:\n  {error.raw()}"
        ) from error
    return _write_generated(typed, program)


def _write_generated(typed: str, program: str) -> Path:
    digest = hashlib.sha256(typed.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    target = GENERATED / f"{Path(typed).stem}-{digest}.ulx"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(program.encode("utf-8"))
    except OSError as error:
        raise MarkdownError(f"could not write {target}: {os_error_text(error)}") from error
    return target


def compile_markdown(text: str) -> str:
    """The program that the Markdown ``text`` stands for. Raises ``MarkdownError``."""
    document = read_document(text)
    if document.title is None:
        raise MarkdownError(
            "the Markdown file needs a top-level `# Title` heading naming the conversation"
        )
    meta = read_meta(document.meta)
    ask = document.ask or document.body
    if not ask:
        raise MarkdownError(
            "write a paragraph under the title (or add a `## Ask` section) describing what to ask "
            "the model"
        )
    name = meta.name if meta.name is not None else name_from_title(document.title)
    if not name:
        raise MarkdownError(
            f'could not derive a valid conversation name from title "{document.title}" — '
            "set `name` in a ```ulx-meta block instead"
        )
    parameters = meta.params or placeholders(document.system, ask)
    returns = meta.returns if meta.returns is not None else "text"
    return _program(name, parameters, returns, document, ask)


def read_document(text: str) -> Document:
    """Cut ``text`` into its parts (language specification 7.1)."""
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(line.removesuffix("\r"))
    parts = {name: trimmed("\n".join(lines)) for name, lines in reader.sections.items()}
    return Document(
        reader.title, reader.meta, parts["body"], parts["system"], parts["ask"], parts["judge"]
    )


class _Reader:
    """Sorts lines into sections."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.meta: str | None = None
        self.sections: dict[str, list[str]] = {
            "body": [], "system": [], "ask": [], "judge": [], "ignored": []
        }  # fmt: skip
        self._section = "body"
        self._fence: list[str] | None = None
        self._fence_is_meta = False

    def read(self, line: str) -> None:
        start = line.lstrip(WHITE_SPACE)
        if start.startswith("```"):
            self._toggle_fence(start)
        elif self._fence is not None:
            self._fence.append(line)
        elif start.startswith("## "):
            self._section = _SECTIONS.get(trimmed(start[3:]).lower(), "ignored")
        elif self.title is None and start.startswith("# "):
            self.title = trimmed(start[2:])
        else:
            self.sections[self._section].append(line)

    def _toggle_fence(self, start: str) -> None:
        if self._fence is None:
            self._fence = []
            self._fence_is_meta = trimmed(start.lstrip("`")).lower() == "ulx-meta"
            return
        if self._fence_is_meta:
            self.meta = "\n".join(self._fence)
        self._fence = None


def read_meta(text: str | None) -> Meta:
    """The meta block written as TOML ``text``. Raises ``MarkdownError``."""
    if text is None:
        return Meta()
    try:
        table = tomllib.loads(text)
        params = [_parameter(entry) for entry in _checked(table.get("params", []), list)]
        name, returns = [_optional_text(table, key) for key in ("name", "returns")]
    except (tomllib.TOMLDecodeError, RecursionError, TypeError) as error:
        raise MarkdownError(f"invalid ```ulx-meta block: {error}") from error
    return Meta(name, returns, tuple(params))


def _parameter(entry: object) -> Parameter:
    table: dict[str, Any] = _checked(entry, dict)
    return Parameter(_checked(table.get("name"), str), _checked(table.get("type"), str))


def _optional_text(table: dict[str, object], key: str) -> str | None:
    return _checked(table[key], str) if key in table else None


def _checked(value: object, wanted: type[Value]) -> Value:
    if not isinstance(value, wanted):
        raise TypeError(f"expected {wanted.__name__}, found {type(value).__name__}")
    return value


def name_from_title(title: str) -> str:
    """``say hello-again`` → ``SayHelloAgain``."""
    kept = [c if is_alphanumeric(c) else " " for c in title]
    pieces = "".join(kept).split(" ")
    return "".join(piece[0].upper() + piece[1:] for piece in pieces if piece)


def placeholders(*texts: str) -> tuple[Parameter, ...]:
    """Every ``{identifier}`` of ``texts`` once, as a parameter of type ``text``."""
    found = [name for text in texts for name in _PLACEHOLDER.findall(text)]
    names = [name for name in found if _IDENTIFIER.fullmatch(name)]
    return tuple([Parameter(name, "text") for name in dict.fromkeys(names)])


def _program(
    name: str, parameters: tuple[Parameter, ...], returns: str, document: Document, ask: str
) -> str:
    listed = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in parameters)
    system = f'  system: """{document.system}"""\n' if document.system else ""
    return (
        f"{_judge(name, document.judge)}conversation {name}({listed}) -> {returns} {{\n{system}"
        f'  user: """{ask}"""\n  assistant -> answer: {returns}\n'
        f"{_verdict(name) if document.judge else '  answer'}\n}}\n"
    )


def _judge(name: str, text: str) -> str:
    if not text:
        return ""
    return (
        f"judge {name}Judge(subject: text) -> Verdict {{\n"
        f'  rubric: """{text}"""\n}}\n\n'
    )  # fmt: skip


def _verdict(name: str) -> str:
    indent = " " * 24
    rejected = '"""The previous answer was rejected: {reason}. Try again."""'
    return "\n".join(
        [
            f"\n  match judge {name}Judge(answer) {{",
            "    Pass          => answer",
            "    Fail(reason)  => retry(2) {",
            f"{indent}user: {rejected}",
            f"{indent}assistant -> answer",
            "                      } else escalate(human_approval, reason: reason)",
            '    Escalate      => escalate(human_approval, reason: "judge could not decide")',
            "    Score(_)      => answer",
            "  }",
        ]
    )
