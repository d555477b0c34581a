"""Replies of System One against what was asked (Jev specification 5 A)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaltui.providers.base import ProviderFailure
from evaltui.providers.json_reply import parse_reply
from evaltui.providers.vendors.jev_contract import ContractBreach, check_reply
from evaltui.providers.vendors.typesafe import _decimal

if TYPE_CHECKING:
    from tests.fault_server.client import FaultServer

QUESTIONS: dict[str, Any] = {
    "entitled": {"type": "noul", "instructions": "Is it?"},
    "queue": {"type": "choice", "criteria": {"loss": None, "damage": None, "other": None}},
    "urgency": {"type": "score", "criteria": ["month", "week", "today"]},
}
NOUL = '{"type":"noul","noul":0.91}'
CHOICE = (
    '{"type":"choice","choice":"loss","probabilities":{"loss":0.81,"damage":0.14,"other":0.05},'
    '"confidence":0.72}'
)
SCORE = (
    '{"type":"score","score":1.35,"legend":{"0":"month","1":"week","2":"today"},'
    '"probabilities":{"0":0.05,"1":0.55,"2":0.40},"confidence":0.33}'
)


def check(
    noul: str = NOUL, choice: str = CHOICE, score: str = SCORE, model: str = '"jev-1.13.0"'
) -> list[str]:
    answers = f'{{"entitled":{noul},"queue":{choice},"urgency":{score}}}'
    text = f'{{"model":{model},"answers":{answers},"usage":{{}}}}'
    document = parse_reply(text.encode(), strict=True, number=_decimal)
    return check_reply(document, QUESTIONS, "jev-latest")


def noul(number: str) -> str:
    return f'{{"type":"noul","noul":{number}}}'


def test_a_good_reply_has_no_notes() -> None:
    assert check() == []


@pytest.mark.parametrize("number", ["1", "0", "-0.0", "0.5", "1.0", "1e-3"])
def test_numbers_inside_the_range_are_taken(number: str) -> None:
    assert check(noul(number)) == []


@pytest.mark.parametrize("number", ["1.2", "-0.1", '"0.9"', "true", "null", "[]", "1.0000001"])
def test_numbers_outside_the_range_or_of_another_type_are_not(number: str) -> None:
    with pytest.raises(ContractBreach, match=r"answers\.entitled\.noul"):
        check(noul(number))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400"])
def test_what_is_no_number_is_refused_before_any_comparison(number: str) -> None:
    with pytest.raises(ProviderFailure, match="invalid JSON response") as caught:
        check(noul(number))
    assert caught.value.failure_class == "malformed"


def test_a_member_that_comes_twice_is_refused() -> None:
    with pytest.raises(ProviderFailure, match="'noul' comes twice"):
        check('{"type":"noul","noul":0.1,"noul":0.9}')


def test_the_answers_are_those_that_were_asked_for() -> None:
    one = '{"model":"m","answers":{"a":{"type":"noul","noul":1}}}'
    document = json.loads(one)
    question = {"type": "noul"}
    assert check_reply(document, {"a": question}, "jev-latest") == []
    with pytest.raises(ContractBreach, match=r"answers\.b: no answer"):
        check_reply(document, {"a": question, "b": question}, "jev-latest")
    with pytest.raises(ContractBreach, match=r"answers\.a: nobody asked"):
        check_reply(document, {}, "jev-latest")
    with pytest.raises(ContractBreach, match=r"answers\.a: asked for choice"):
        check_reply(document, {"a": {"type": "choice", "criteria": {}}}, "jev-latest")
    with pytest.raises(ContractBreach, match="no `answers`"):
        check_reply({"model": "m"}, {"a": question}, "jev-latest")


@pytest.mark.parametrize("model", ["null", '""', "7"])
def test_the_model_that_answered_must_be_named(model: str) -> None:
    with pytest.raises(ContractBreach, match="which model answered"):
        check(model=model)


def test_a_pinned_model_must_be_the_one_that_answers() -> None:
    document = {"model": "jev-1.14.0", "answers": {"a": {"type": "noul", "noul": 1}}}
    with pytest.raises(ContractBreach, match=r"asked for jev-1.13.0, jev-1.14.0 answered"):
        check_reply(document, {"a": {"type": "noul"}}, "jev-1.13.0")


def choice(shares: str, chosen: str = '"loss"', rest: str = ',"confidence":0.5') -> str:
    return f'{{"type":"choice","choice":{chosen},"probabilities":{{{shares}}}{rest}}}'


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (choice('"loss":0.6,"damage":0.1,"other":0.1'), "the sum is 0.8"),
        (choice('"loss":0.0,"damage":0.0,"other":0.0'), "no usable distribution"),
        (choice('"loss":0.9,"damage":0.1'), "'other' is missing"),
        (choice('"loss":0.9,"damage":0.1,"other":0,"x":0'), "'x' was not offered"),
        (choice('"loss":0.9,"damage":0.1,"other":0', '"x"'), "'x' was not offered"),
        (choice('"loss":0.4,"damage":0.6,"other":0'), "not the most probable"),
        (choice('"loss":0.9,"damage":0.1,"other":0', rest=""), "confidence: not a number"),
        (choice('"loss":1.5,"damage":-0.5,"other":0'), "outside 0..1"),
        ('{"type":"choice","choice":"loss","confidence":1}', "not an object"),
        ("[]", "not an object"),
    ],
)
def test_choices_that_contradict_themselves(answer: str, text: str) -> None:
    with pytest.raises(ContractBreach, match=text):
        check(choice=answer)


def test_rounding_of_the_wire_is_allowed_and_noted() -> None:
    assert check(choice=choice('"loss":0.67,"damage":0.17,"other":0.17')) == [
        "answers.queue: rounded, the sum is 1.01"
    ]
    assert check(choice=choice('"loss":0.46,"damage":0.46,"other":0.08')) == []
    assert check('{"type":"noul","noul":0.5,"confidence":1}') == [
        "answers.entitled: a noul has no confidence"
    ]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"score":1.35', '"score":7.5', "outside 0..2"),
        ('"score":1.35', '"score":1.6', "but its levels say 1.35"),
        ('"score":1.35', '"score":"1.35"', "not a number"),
        ('"2":"today"', '"2":"tomorrow"', "another text"),
        ('"0":"month",', "", "does not name the levels"),
        ('"2":0.40', '"3":0.40', "'2' is missing"),
    ],
)
def test_scores_that_contradict_themselves(old: str, new: str, text: str) -> None:
    assert old in SCORE
    with pytest.raises(ContractBreach, match=text):
        check(score=SCORE.replace(old, new))


def test_equal_options_may_round_far() -> None:
    names = [f"o{n}" for n in range(200)]
    shares = dict.fromkeys(names, 0.01)
    answer = {"type": "choice", "choice": "o0", "probabilities": shares, "confidence": 0}
    text = json.dumps({"model": "m", "answers": {"q": answer}})
    document = parse_reply(text.encode(), strict=True, number=_decimal)
    questions = {"q": {"type": "choice", "criteria": dict.fromkeys(names)}}
    assert check_reply(document, questions, "jev-latest") == ["answers.q: rounded, the sum is 2.00"]


async def test_state_and_questions_are_sent_as_they_are(faults: FaultServer) -> None:
    from tests.providers.calling import Caller

    bucket = faults.bucket()
    one = Caller("typesafe", faults.url(bucket, "ok"))
    state = '{"z":1.50,"a":"é\\u0301"}'
    questions = '{"q":{"criteria":{"b":null,"a":null},"type":"choice"}}'
    reply = await one.provider.call(one.request(state=state, questions=questions))
    await one.network.close()
    (body,) = faults.seen(bucket)["bodies"]
    assert body == (
        f'{{"model":"served-model-2026-01-31","state":{state},"questions":{questions}}}'
    )
    assert isinstance(reply.value, str)
    assert json.loads(reply.value)["answers"]["q"]["choice"] == "b"


async def test_a_breach_keeps_the_reply_as_evidence(faults: FaultServer) -> None:
    from tests.providers.calling import Caller

    one = Caller("typesafe", faults.url(faults.bucket(), "ok"), model="jev-1.13.0")
    with pytest.raises(ProviderFailure, match="breaks the contract: model: asked") as caught:
        await one.provider.call(one.request())
    await one.network.close()
    assert caught.value.failure_class == "malformed"
    assert caught.value.raw is not None
    assert len(caught.value.attempts) == 1
