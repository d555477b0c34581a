"""Canned answers: how they are written, and where one stands.

Answers are JSON objects, one a line of a JSONL file or one an item of an inline list. Members that
choose the calls an answer is for (all that are given must hold; the first answer in order wins):

* ``capability``: such as ``chat`` or ``judge``;
* ``judge``: the name of the judge;
* ``case``: the case id;
* ``contains``: a text, or several, found in the messages (of a judge: in subject or rubric);
* ``subject``: a text found in the subject of a judge.

Exactly one member says what comes back:

* ``text``: the reply of a model; ``json``: the same, written as JSON (for ``embed`` the list);
* ``verdict``: the reply of a judging model, such as ``PASS``, ``FAIL: too long``, ``SCORE: 0.8``;
* ``refusal``: the model declines, with this reason; ``timeout``: true, nothing came in time;
* ``status``: an HTTP error status from 400 to 599, with an optional ``message``;
* ``malformed``: bytes that are no reply at all (text, such as an HTML page, under status 200);
* ``sequence``: several of these in turn, each an object or a text. Turns are counted for each case
  by itself, so that cases may run in any order. ``when_exhausted`` says what follows the last one:
  ``error`` (the default), ``repeat_last`` or ``cycle``.

``delay_ms``, ``model`` (the one that answered), ``input_tokens``, ``output_tokens`` and ``cost``
may stand beside any of them.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from evaltui.errors import ConfigurationError
from evaltui.paths import lies_below, real_path

OUTCOMES: Final = ("text", "json", "verdict", "refusal", "timeout", "status", "malformed")

Exhausted = Literal["error", "repeat_last", "cycle"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class CannedReply(_Strict):
    """One thing that comes back, with what is known of how it came."""

    text: str | None = None
    json_value: Any = Field(default=None, alias="json")
    verdict: str | None = None
    refusal: str | None = None
    timeout: Literal[True] | None = None
    status: int | None = Field(default=None, ge=400, le=599)
    message: str = ""
    malformed: str | None = None
    delay_ms: float = Field(default=0, ge=0)
    model: str | None = None
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost: Decimal | None = Field(default=None, ge=0)

    @property
    def kinds(self) -> list[str]:
        """The members that say what comes back."""
        given = self.model_fields_set
        return [name for name in OUTCOMES if ("json_value" if name == "json" else name) in given]

    def _check_kinds(self) -> None:
        if len(self.kinds) != 1:
            wanted = ", ".join(OUTCOMES)
            found = " and ".join(self.kinds) or "none"
            raise ValueError(f"exactly one of {wanted} is needed, found {found}")


def _text_or_reply(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


class SequenceItem(CannedReply):
    """A member of a ``sequence``."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        self._check_kinds()
        return self


class CannedAnswer(CannedReply):
    """A line: which calls it is for, and the reply or replies."""

    capability: str | None = None
    judge: str | None = None
    case: str | None = None
    contains: str | tuple[str, ...] = ()
    subject: str | None = None
    sequence: tuple[Annotated[SequenceItem, BeforeValidator(_text_or_reply)], ...] = ()
    when_exhausted: Exhausted | None = None

    @model_validator(mode="after")
    def _reply_or_sequence(self) -> Self:
        if "sequence" not in self.model_fields_set:
            if self.when_exhausted is not None:
                raise ValueError("when_exhausted needs a sequence")
            self._check_kinds()
        elif self.kinds or not self.sequence:
            raise ValueError("a sequence needs at least one reply and no other reply beside it")
        return self

    @property
    def texts(self) -> tuple[str, ...]:
        """What ``contains`` asks for."""
        return (self.contains,) if isinstance(self.contains, str) else self.contains


@dataclass(frozen=True, slots=True)
class PlacedAnswer:
    """An answer with its place, for messages, and its digest, for cache keys."""

    answer: CannedAnswer
    place: str
    digest: str


def read_answers(source: object, folder: Path, root: Path) -> tuple[PlacedAnswer, ...]:
    """The answers of an ``answers`` parameter: the path of a JSONL file, or a list of objects.

    Args:
        source: a path relative to ``folder``, or the inline list.
        folder: where the suite or manifest stands that names the file.
        root: the project root; the file has to stay below it.

    Raises:
        ConfigurationError: the file cannot be read, or an answer is not one (file and line).
    """
    if isinstance(source, str):
        return tuple(_placed(_lines_of(source, folder, root)))
    if isinstance(source, list | tuple):
        return tuple(_placed((f"answers[{n}]", item) for n, item in enumerate(source)))
    raise ConfigurationError(
        "a scripted provider needs `answers`", hint="name a JSONL file, or give a list of answers"
    )


def _lines_of(source: str, folder: Path, root: Path) -> Iterable[tuple[str, object]]:
    path = real_path(folder / source)
    if not lies_below(path, root):
        raise ConfigurationError(
            "the answers file is outside the project root", place=str(folder / source)
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigurationError(f"cannot read answers: {reason}", place=str(path)) from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{path}:{number}"
            yield place, _parsed(line, place)


def _parsed(line: str, place: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"not JSON: {error}", place=place) from None


def _placed(items: Iterable[tuple[str, object]]) -> Iterable[PlacedAnswer]:
    for place, item in items:
        try:
            answer = CannedAnswer.model_validate(item)
        except ValidationError as error:
            raise ConfigurationError(_first_problem(error), place=place) from None
        text = json.dumps(item, sort_keys=True, ensure_ascii=False, default=str)
        yield PlacedAnswer(
            answer, place, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        )


def _first_problem(error: ValidationError) -> str:
    problem: Mapping[str, Any] = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in CannedAnswer.model_fields.items()]
        near = difflib.get_close_matches(str(problem["loc"][-1]), known, 1)
        return f"unknown member `{where}`" + (f", did you mean `{near[0]}`?" if near else "")
    message = problem["msg"].removeprefix("Value error, ")
    return f"`{where}`: {message}" if where else message
