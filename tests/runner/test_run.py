"""Running a suite: what is asked, kept, counted and left alone."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from evaltui.errors import ConfigurationError, UsageError
from evaltui.models import (
    CaseFinished,
    CaseStarted,
    Event,
    FailureClass,
    Mode,
    Outcome,
    RunFinished,
    RunStarted,
)

if TYPE_CHECKING:
    from evaltui.engine.runner import Runner
    from tests.conftest import UlxProject

PASS = {"judge": "Kind", "verdict": "PASS"}


def rows(project: UlxProject, *ids: str) -> None:
    project.rows(*({"id": id, "text": f"text of {id}"} for id in ids))


def test_a_run_tells_its_story_from_start_to_finish(project: UlxProject) -> None:
    ran = project.run()
    first, last = ran.events[0], ran.events[-1]
    assert isinstance(first, RunStarted) and first.total == 2
    assert first.run.mode is Mode.SCRIPTED
    assert isinstance(last, RunFinished) and last.state == "finished" and last.incomplete is None
    assert ran.outcomes == {"a": Outcome.PASS, "b": Outcome.PASS}
    assert [call.capability for call in ran.calls] == ["chat", "judge"] * 2


def test_calls_are_recorded_with_what_was_asked_and_answered(project: UlxProject) -> None:
    project.answers(
        {"capability": "chat", "text": "hi", "model": "writer-1b", "input_tokens": 5,
         "output_tokens": 2, "cost": "0.001"},
        PASS,
    )  # fmt: skip
    chat, judge = project.run().results["a"].calls
    assert (chat.provider, chat.vendor, chat.model) == ("Desk", "scripted", "writer-1")
    assert (chat.answered_by, chat.input_tokens, chat.cost) == ("writer-1b", 5, Decimal("0.001"))
    assert chat.input == (("user", "one"),)
    assert chat.scope == "Reply"
    assert judge.judge == "Kind"
    assert judge.input == (("subject", "hi"), ("rubric Kind", "be kind"))


def test_a_second_unchanged_run_sends_nothing(project: UlxProject) -> None:
    first = project.run()
    second = project.run()
    assert len(first.sent) == 3, "both cases have the same reply, so one verdict serves them"
    assert second.sent == []
    assert second.outcomes == first.outcomes
    assert second.results["a"].instrument == first.results["a"].instrument


def test_what_a_rubric_is_filled_with_is_no_part_of_the_instrument(project: UlxProject) -> None:
    rubric = '{ rubric: """be {word} about {reply}""" }'
    project.write("s.ulx", project.suite.read_text().replace(
        '{ rubric: "be kind" }', rubric.replace("{word}", "kind")))  # fmt: skip
    first = project.run().results["a"].instrument
    project.answers({"capability": "chat", "text": "something else"}, PASS)
    project.run(no_cache=True)
    again = project.run(no_cache=True).results["a"]
    assert again.output is not None and "something else" in again.output
    assert again.instrument == first
    project.write("s.ulx", project.suite.read_text().replace("be kind about", "be fair about"))
    assert project.run().results["a"].instrument != first


def test_one_edited_row_asks_only_for_that_row(project: UlxProject) -> None:
    project.answers(
        {"case": "a", "capability": "chat", "text": "A"},
        {"case": "b", "capability": "chat", "text": "B"},
        PASS,
    )
    project.run()
    project.rows({"id": "a", "text": "one"}, {"id": "b", "text": "changed"})
    second = project.run()
    assert [call.input for call in second.sent] == [(("user", "changed"),)]


def test_asking_anew_leaves_the_cache_unread(project: UlxProject) -> None:
    project.run()
    assert len(project.run(no_cache=True).sent) == 4


def test_a_changed_answer_is_asked_for_again(project: UlxProject) -> None:
    project.run()
    project.answers({"capability": "chat", "text": "thanks a lot"}, PASS)
    assert [call.capability for call in project.run().sent] == ["chat", "judge", "chat"]


def test_identical_questions_of_concurrent_cases_are_sent_once(project: UlxProject) -> None:
    project.rows({"id": "a", "text": "same"}, {"id": "b", "text": "same"})
    project.answers({"capability": "chat", "text": "hi", "delay_ms": 1}, PASS)
    ran = project.run()
    assert [call.capability for call in ran.sent] == ["chat", "judge"]
    assert [call.cache_hit for call in ran.results["b"].calls] == [True, True]


def test_cases_wait_together_and_are_bounded(project: UlxProject) -> None:
    rows(project, *"abcdef")
    project.answers({"capability": "chat", "text": "hi", "delay_ms": 1}, PASS)
    running: set[int] = set()
    most = 0

    def watch(runner: Runner, event: Event) -> None:
        nonlocal most
        if isinstance(event, CaseStarted):
            running.add(event.index)
        elif isinstance(event, CaseFinished):
            running.discard(event.spec.index)
        most = max(most, len(running))

    ran = project.finish(project.plan(concurrency=3), watch)
    assert most == 3
    assert set(ran.outcomes.values()) == {Outcome.PASS}


@pytest.mark.parametrize(
    ("answer", "cause", "kind"),
    [
        ({"timeout": True}, FailureClass.INFRASTRUCTURE, "timeout"),
        ({"status": 429}, FailureClass.INFRASTRUCTURE, "rate_limit"),
        ({"refusal": "no"}, FailureClass.FIXTURE, "refused"),
        ({"status": 500}, FailureClass.INFRASTRUCTURE, "server"),
        ({"malformed": "<html>"}, FailureClass.MALFORMED, "invalid_reply"),
    ],
)
def test_trouble_is_an_error_of_its_class_and_never_a_verdict(
    project: UlxProject, answer: dict[str, object], cause: FailureClass, kind: str
) -> None:
    project.answers({"case": "a", "capability": "chat", **answer}, {"capability": "chat",
                    "text": "hi"}, PASS)  # fmt: skip
    ran = project.run()
    error = ran.results["a"].error
    assert error is not None
    assert (error.failure_class, error.kind) == (cause, kind)
    assert ran.outcomes == {"a": Outcome.ERROR, "b": Outcome.PASS}


def test_a_judge_without_an_answer_is_an_error(project: UlxProject) -> None:
    project.answers({"capability": "chat", "text": "hi"}, {"judge": "Kind", "timeout": True})
    ran = project.run()
    assert ran.outcomes["a"] is Outcome.ERROR
    assert [check.state for check in ran.results["a"].checks] == ["error"]


def test_drafts_and_failures_are_never_cached(project: UlxProject) -> None:
    project.answers({"case": "a", "capability": "chat", "timeout": True},
                    {"capability": "chat", "text": "hi"}, PASS)  # fmt: skip
    project.run()
    second = project.run()
    assert [call.kind for call in second.sent] == ["timeout"]


def test_an_assertion_about_a_draft_is_no_failure(project: UlxProject) -> None:
    text = project.suite.read_text().replace(
        "expect reply satisfies judge Kind(reply)", 'assert reply == "hi"'
    )
    project.write("s.ulx", text)
    project.answers({"case": "a", "timeout": True}, {"text": "ho"})
    ran = project.run()
    assert ran.outcomes == {"a": Outcome.ERROR, "b": Outcome.FAIL}


def test_a_call_that_no_answer_is_meant_for_is_a_defect_of_the_fixture(
    project: UlxProject,
) -> None:
    project.answers({"case": "b", "capability": "chat", "text": "hi"}, PASS)
    error = project.run().results["a"].error
    assert error is not None
    assert error.failure_class is FailureClass.FIXTURE
    assert 'chat call of case a: "one"' in error.message


def test_an_error_of_the_program_ends_its_case_only(project: UlxProject) -> None:
    project.write(
        "s.ulx",
        project.suite.read_text().replace("expect reply satisfies judge Kind(reply)",
                                          'assert length_of($.id) == 1'),
    )  # fmt: skip
    ran = project.run()
    errors = [result.error for result in ran.results.values()]
    assert [error.failure_class for error in errors if error] == [FailureClass.PROGRAM] * 2


def test_the_time_of_a_case_is_bounded(project: UlxProject) -> None:
    project.write("evaltui.toml", "[run]\ncase_seconds = 0.3\n" + project_policy(project))
    project.answers({"case": "a", "capability": "chat", "text": "late", "delay_ms": 60_000},
                    {"capability": "chat", "text": "hi"}, PASS)  # fmt: skip
    ran = project.run()
    error = ran.results["a"].error
    assert error is not None
    assert (error.failure_class, error.kind) == (FailureClass.INFRASTRUCTURE, "timeout")
    assert ran.outcomes["b"] is Outcome.PASS


def project_policy(project: UlxProject) -> str:
    return (project.folder / "evaltui.toml").read_text()


def test_a_loop_without_end_is_stopped_by_the_deadline(project: UlxProject) -> None:
    project.write("evaltui.toml", "[run]\ncase_seconds = 0.05\n" + project_policy(project))
    project.write(
        "s.ulx",
        project.suite.read_text().replace("  user:", "  while 1 { x = 1 }\n  user:"),
    )
    ran = project.run()
    assert [result.error.kind for result in ran.results.values() if result.error] == [
        "timeout",
        "timeout",
    ]


def test_a_refused_key_stops_the_run(project: UlxProject) -> None:
    rows(project, *"abcd")
    project.answers({"case": "b", "status": 401}, {"capability": "chat", "text": "hi"}, PASS)
    ran = project.run(concurrency=1)
    assert list(ran.outcomes.values()) == ["pass", "error", "skipped", "skipped"]
    assert ran.tally.incomplete == "Desk: HTTP 401"
    assert ran.plan.run.state == "interrupted"


@pytest.mark.parametrize(
    ("options", "done", "why"),
    [
        ({"max_calls": 4}, 2, "--max-calls 4 reached"),
        ({"max_tokens": 30}, 1, "--max-tokens 30 reached"),
        ({"max_cost": Decimal("0.5")}, 0, "--max-cost 0.5 reached"),
        ({"max_calls": 0}, 0, "--max-calls 0 reached"),
    ],
)
def test_a_ceiling_is_checked_before_a_call_is_sent(
    project: UlxProject, options: dict[str, object], done: int, why: str
) -> None:
    rows(project, *"abcd")
    project.answers(
        *({"case": id, "capability": "chat", "text": f"reply {id}", "input_tokens": 10,
           "output_tokens": 5, "cost": "0.5"} for id in "abcd"),
        PASS,
    )  # fmt: skip
    ran = project.run(concurrency=1, **options)
    assert list(ran.outcomes.values()).count(Outcome.PASS) == done
    assert ran.tally.incomplete == why
    assert len(ran.sent) <= 4


def test_the_mock_answers_for_every_provider(project: UlxProject) -> None:
    ran = project.run(mock=True)
    assert ran.plan.run.mode is Mode.MOCK
    assert ran.results["a"].output == (
        '{"kind":"Record","value":{"reply":{"kind":"Text",'
        '"value":"[mock:chat] response to -> user: one"}}}'
    )


def test_only_part_of_the_cases_can_be_asked_for(project: UlxProject) -> None:
    rows(project, "apple", "pear", "plum")
    assert list(project.run(filter="id:pear").outcomes) == ["pear"]
    assert list(project.run(limit=2).outcomes) == ["apple", "pear"]
    with pytest.raises(UsageError, match="no case to run"):
        project.plan(filter="id:none")
    with pytest.raises(UsageError, match="no benchmark 'Nope'"):
        project.plan(benchmarks=("Nope",))


def test_without_a_provider_the_next_step_is_named(project: UlxProject) -> None:
    project.write("evaltui.toml", "")
    with pytest.raises(ConfigurationError, match="no provider is configured; try --mock, or add"):
        project.plan()


def test_a_suite_that_asks_nobody_needs_no_provider(project: UlxProject) -> None:
    project.write("evaltui.toml", "")
    project.write(
        "s.ulx",
        'type R = {id: text}\ndataset D: list<R> { from "rows.jsonl" }\n'
        'benchmark B { dataset: D\n assert $.id != "a" }',
    )
    ran = project.run()
    assert ran.outcomes == {"a": Outcome.FAIL, "b": Outcome.PASS}
    assert ran.plan.run.mode is Mode.LIVE


def test_rows_that_share_a_snapshot_key_are_both_named(project: UlxProject) -> None:
    project.write(
        "s.ulx",
        project.suite.read_text().replace(
            "expect reply satisfies judge Kind(reply)", 'snapshot reply as "same {$.id}"'
        ),
    )
    warnings = project.run().plan.run.problems
    assert any("the rows a and b share the snapshot key 'same {$.id}'" in line for line in warnings)
    assert any("s.ulx:16:21: the snapshot key 'same {$.id}'" in line for line in warnings)


def test_a_stop_lets_cases_in_flight_end(project: UlxProject) -> None:
    rows(project, *"abcdef")
    project.answers({"capability": "chat", "text": "hi", "delay_ms": 1}, PASS)

    def watch(runner: Runner, event: Event) -> None:
        if isinstance(event, CaseStarted) and event.index == 1:
            runner.stop("interrupted")

    ran = project.finish(project.plan(concurrency=2), watch)
    assert list(ran.outcomes.values()) == ["pass", "pass"] + ["skipped"] * 4
    assert ran.plan.run.state == "interrupted"


def test_members_of_a_with_block_are_asked_at_once(project: UlxProject) -> None:
    project.write(
        "s.ulx",
        project.suite.read_text().replace(
            '  user: """{text}"""\n  assistant -> reply\n  reply',
            '  with {\n    x = ask chat() { user: """first {text}""" }\n'
            '    y = ask chat() { user: """second {text}""" }\n  }\n  x + y',
        ),
    )
    project.rows({"id": "a", "text": "one"})
    project.answers({"contains": "first", "text": "1", "delay_ms": 20},
                    {"contains": "second", "text": "2", "delay_ms": 1}, PASS)  # fmt: skip
    ran = project.run()
    assert [call.output for call in ran.results["a"].calls[:2]] == [
        '{"kind":"Text","value":"2"}',
        '{"kind":"Text","value":"1"}',
    ]
    assert ran.results["a"].output is not None and '"value":"12"' in ran.results["a"].output


def test_a_judge_is_asked_up_to_three_times_and_every_attempt_is_kept(
    project: UlxProject,
) -> None:
    project.rows({"id": "a", "text": "one"})
    project.answers(
        {"capability": "chat", "text": "hi"},
        {"judge": "Kind", "sequence": ["FAIL: no", "FAIL: still no", "PASS"]},
    )
    ran = project.run()
    (check,) = ran.results["a"].checks
    assert [attempt.verdict for attempt in check.attempts] == [
        'Fail("no")', 'Fail("still no")', "Pass",
    ]  # fmt: skip
    assert [call.parent for call in ran.results["a"].calls] == [None, None, 2, 2]
    assert project.run().sent == []


def test_an_exception_of_a_suite_ends_its_case_only(project: UlxProject) -> None:
    plan = project.plan()
    suite, _ = plan.selection.origins[0]

    class Broken:
        def execute(self, spec: object, context: object) -> object:
            raise ZeroDivisionError("broken")

    plan.selection = type(plan.selection)(
        plan.selection.sections,
        plan.selection.specs,
        ((Broken(), 0), (suite, 1)),  # type: ignore[arg-type]
    )
    ran = project.finish(plan)
    error = ran.results["a"].error
    assert error is not None and error.message == "ZeroDivisionError: broken"
    assert ran.outcomes["b"] is Outcome.PASS


def test_events_reach_a_slow_reader_without_piling_up(project: UlxProject) -> None:
    rows(project, *(f"case-{number}" for number in range(1500)))

    async def slowly() -> int:
        from evaltui.engine.runner import Runner

        plan = project.plan(mock=True)
        most = 0
        runner = Runner(plan)
        async for event in runner.events():
            if isinstance(event, CaseFinished):
                most = max(most, len(runner._events))
                await asyncio.sleep(0)
        plan.store.close()
        return most

    assert asyncio.run(slowly()) < 2100
