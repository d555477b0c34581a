"""TypeSafe's System One (Jev specification 1): typed questions about one state.

The capability ``systemone`` takes the arguments ``state`` and ``questions`` as JSON texts, which
are sent as they are, and answers the reply as text after checking it against the request. A judge
is one question: the rubric about the subject, answered with a Score from 0 to 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from evaltui.engine.carriers import Value, score
from evaltui.providers.failures import Kind, failed
from evaltui.providers.json_reply import Document, count_at, parse_reply, text_at
from evaltui.providers.vendors.jev_contract import ContractBreach, check_reply
from evaltui.providers.vendors.wire import (
    Answer,
    Exchange,
    Post,
    Prompt,
    Received,
    Vendor,
    no_answer,
)

SYSTEM_ONE: Final = "systemone"
"""The capability that Jev suites use."""

_PATH: Final = "/v1/systemone"
_VERDICT: Final = "verdict"


def _write(prompt: Prompt) -> Post:
    state, questions = _json_argument(prompt, "state"), _json_argument(prompt, "questions")
    return _post(prompt, state, questions)


def _post(prompt: Prompt, state: str, questions: str) -> Post:
    """Members in the order of the request digest; their texts untouched."""
    model = json.dumps(prompt.model, ensure_ascii=False)
    text = f'{{"model":{model},"state":{state},"questions":{questions}}}'
    return Post(_PATH, text.encode("utf-8", "replace"))


def _json_argument(prompt: Prompt, name: str) -> str:
    found = prompt.arguments.get(name)
    if not isinstance(found, str):
        raise failed(Kind.UNSUPPORTED, f"a systemone call needs `{name}` as JSON text")
    return found


def _read(received: Received) -> Answer:
    questions = json.loads(_json_argument(received.prompt, "questions"))
    document = _checked(received, questions)
    return _answer(received.body.decode("utf-8"), document)


def _write_judge(prompt: Prompt) -> Post:
    state = json.dumps(_text(prompt, "subject"), ensure_ascii=False)
    return _post(prompt, state, json.dumps(_judge_questions(prompt), ensure_ascii=False))


def _read_judge(received: Received) -> Answer:
    document = _checked(received, _judge_questions(received.prompt))
    return _answer(score(float(document["answers"][_VERDICT]["noul"])), document)


def _judge_questions(prompt: Prompt) -> Mapping[str, Document]:
    return {_VERDICT: {"type": "noul", "instructions": _text(prompt, "rubric")}}


def _text(prompt: Prompt, name: str) -> str:
    found = prompt.arguments.get(name)
    return found if isinstance(found, str) else ""


def _checked(received: Received, questions: Mapping[str, Document]) -> Document:
    document = parse_reply(received.body, strict=True, number=_decimal)
    try:
        check_reply(document, questions, received.prompt.model)
    except ContractBreach as breach:
        raise no_answer(f"the reply breaks the contract: {breach}", received) from breach
    return document


def _decimal(digits: str) -> Decimal:
    if float(digits) in (float("inf"), float("-inf")):
        raise ValueError(f"{digits} is too large a number")
    return Decimal(digits)


def _answer(value: Value, document: Document) -> Answer:
    return Answer(
        value,
        text_at(document, "model"),
        count_at(document, "usage", "input_tokens"),
        count_at(document, "usage", "output_tokens"),
    )


TYPESAFE: Final = Vendor(
    "typesafe",
    {SYSTEM_ONE: Exchange(_write, _read), "judge": Exchange(_write_judge, _read_judge)},
    key_variable="TYPESAFE_API_KEY",
    base_url="https://api.typesafe.ai",
    base_url_variable="TYPESAFE_BASE_URL",
    model="jev-latest",
    check_path="/v1/models",
)
