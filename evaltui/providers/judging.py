"""Judging through chat: the prompt, and how a reply becomes a verdict (runtime spec 5.1, 5.2)."""

from __future__ import annotations

import re
from typing import Final

from evaltui.engine.carriers import ESCALATE, PASS, Value, Verdict, fail, score
from evaltui.engine.effects import Message
from evaltui.engine.white_space import trimmed

SYSTEM_PROMPT: Final = (
    "You are a careful evaluator. Judge the subject by the rubric and reply with exactly one line, "
    "in one of these forms and nothing else:\n"
    "PASS\n"
    "FAIL: <reason>\n"
    "SCORE: <n>\n"
    "ESCALATE\n"
    "Use SCORE, a number from 0.0 to 1.0, only if the rubric asks for a number. "
    "Use ESCALATE when you cannot decide."
)
_FLOAT: Final = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan)", re.I | re.A
)


def judge_messages(subject: Value, rubric: Value) -> tuple[Message, ...]:
    """The two chat messages that ask for a verdict; what is not text counts as empty."""
    rule = rubric if isinstance(rubric, str) else ""
    text = subject if isinstance(subject, str) else ""
    question = f"Rubric: {rule}\n\nSubject:\n{text}"
    return (Message("system", SYSTEM_PROMPT), Message("user", question))


def read_verdict(reply: str) -> Verdict:
    """The verdict that a judge's reply states; whatever it does not clearly state, Escalate."""
    text = trimmed(reply)
    word = _ascii_lower(text)
    if word == "pass":
        return PASS
    if word == "escalate":
        return ESCALATE
    if word.startswith("fail"):
        return fail(_rest(text, 4) or "no reason given")
    if word.startswith("score"):
        number = _rest(text, 5)
        if _FLOAT.fullmatch(number):
            return score(float(number))
    return ESCALATE


def _rest(text: str, length: int) -> str:
    return trimmed(text[length:].lstrip(":"))


def _ascii_lower(text: str) -> str:
    # ``str.lower`` would also fold letters such as the Kelvin sign into ASCII.
    return text.lower() if text.isascii() else text[:8].translate(_TO_LOWER) + text[8:]


_TO_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
