"""The contract between a System One request and its reply (Jev specification 1.3, 2.4, 5 A).

The reply is checked as received: numbers as decimals, no member twice. Bounds are those of a wire
that rounds probabilities to two decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from evaltui.providers.json_reply import Document

ALIASES: Final = ("jev-latest", "jev-preview")
"""Model names that say by themselves that another one answers."""

_ROUNDING: Final = Decimal("0.005")
_SUM_SLACK: Final = Decimal("0.05")
_SCORE_SLACK: Final = Decimal("0.02")
_USABLE: Final = Decimal("0.5")


class ContractBreach(ValueError):
    """The reply does not fit the request; the text names the place."""


def check_reply(document: Document, questions: Mapping[str, Document], model: str) -> list[str]:
    """Check a reply against what was asked; answers notes on what is odd but allowed.

    ``document`` holds ``Decimal`` where the reply has a point or an exponent.

    Raises:
        ContractBreach: it answers something else, or contradicts itself.
    """
    if not isinstance(document, dict):
        raise ContractBreach("the reply is not an object")
    _check_model(document.get("model"), model)
    answers = document.get("answers")
    if not isinstance(answers, dict):
        raise ContractBreach("the reply has no `answers`")
    for name in answers:
        if name not in questions:
            raise ContractBreach(f"answers.{name}: nobody asked this")
    notes: list[str] = []
    for name, question in questions.items():
        if name not in answers:
            raise ContractBreach(f"answers.{name}: no answer")
        notes += _check_answer(f"answers.{name}", answers[name], question)
    return notes


def _check_model(answered: Document, asked: str) -> None:
    if not isinstance(answered, str) or not answered:
        raise ContractBreach("the reply does not say which model answered")
    if asked not in ALIASES and answered != asked:
        raise ContractBreach(f"model: asked for {asked}, {answered} answered")


def _check_answer(place: str, answer: Document, question: Document) -> list[str]:
    if not isinstance(answer, dict):
        raise ContractBreach(f"{place}: not an object")
    kind = question.get("type")
    if answer.get("type") != kind:
        raise ContractBreach(f"{place}: asked for {kind}, got {answer.get('type')!r}")
    if kind == "noul":
        _probability(f"{place}.noul", answer.get("noul"))
        return [f"{place}: a noul has no confidence"] if "confidence" in answer else []
    _probability(f"{place}.confidence", answer.get("confidence"))
    if kind == "choice":
        return _check_choice(place, answer, list(question["criteria"]))
    if kind == "score":
        return _check_score(place, answer, question["criteria"])
    raise ContractBreach(f"{place}: unknown question type {kind!r}")


def _check_choice(place: str, answer: Mapping[str, Document], options: list[str]) -> list[str]:
    shares, notes = _distribution(place, answer.get("probabilities"), options)
    chosen = answer.get("choice")
    if not isinstance(chosen, str) or chosen not in shares:
        raise ContractBreach(f"{place}.choice: {chosen!r} was not offered")
    if max(shares.values()) - shares[chosen] > _ROUNDING:
        raise ContractBreach(f"{place}.choice: {chosen!r} is not the most probable option")
    return notes


def _check_score(place: str, answer: Mapping[str, Document], criteria: list[Document]) -> list[str]:
    levels = len(criteria)
    shares, notes = _distribution(
        place, answer.get("probabilities"), [str(level) for level in range(levels)]
    )
    score = _number(f"{place}.score", answer.get("score"))
    if not 0 <= score <= levels - 1:
        raise ContractBreach(f"{place}.score: {score} is outside 0..{levels - 1}")
    expected = sum((int(level) * share for level, share in shares.items()), Decimal(0))
    bound = _SCORE_SLACK + _ROUNDING * (1 + Decimal(levels * (levels - 1)) / 2)
    if abs(score - expected) > bound:
        raise ContractBreach(f"{place}.score: {score}, but its levels say {expected}")
    _check_legend(f"{place}.legend", answer.get("legend"), criteria)
    return notes


def _check_legend(place: str, legend: Document, criteria: list[Document]) -> None:
    if not isinstance(legend, dict) or set(legend) != {str(n) for n in range(len(criteria))}:
        raise ContractBreach(f"{place}: does not name the levels that were asked for")
    for level, text in enumerate(criteria):
        if isinstance(text, str) and legend[str(level)] != text:
            raise ContractBreach(f"{place}.{level}: another text than was asked for")


def _distribution(
    place: str, found: Document, names: list[str]
) -> tuple[dict[str, Decimal], list[str]]:
    if not isinstance(found, dict):
        raise ContractBreach(f"{place}.probabilities: not an object")
    for name in names:
        if name not in found:
            raise ContractBreach(f"{place}.probabilities: {name!r} is missing")
    for name in found:
        if name not in names:
            raise ContractBreach(f"{place}.probabilities: {name!r} was not offered")
    shares = {name: _probability(f"{place}.probabilities.{name}", found[name]) for name in names}
    total = sum(shares.values(), Decimal(0))
    if total <= _USABLE:
        raise ContractBreach(f"{place}.probabilities: no usable distribution, the sum is {total}")
    if abs(total - 1) > max(_SUM_SLACK, len(names) * _ROUNDING):
        raise ContractBreach(f"{place}.probabilities: the sum is {total}")
    return shares, [] if total == 1 else [f"{place}: rounded, the sum is {total}"]


def _probability(place: str, found: Document) -> Decimal:
    number = _number(place, found)
    if not 0 <= number <= 1:
        raise ContractBreach(f"{place}: {number} is outside 0..1")
    return number


def _number(place: str, found: Document) -> Decimal:
    if type(found) is int or isinstance(found, Decimal):
        return Decimal(found)
    raise ContractBreach(f"{place}: not a number")
