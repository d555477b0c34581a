"""Traces as text, dialogue, diagram and page."""

from __future__ import annotations

from msgspec.structs import replace

from evaltui.engine.run_summary import footer
from evaltui.engine.trace import TraceRecord
from evaltui.engine.trace_views import html_view, json_view, mermaid_view, plain_view, text_view
from evaltui.engine.values import PASS

CALL = TraceRecord("r", 0, "call", "Outer", (("_", "x" * 50),), 1)
CHAT = TraceRecord(
    "r",
    1,
    "effect",
    "chat",
    (("system", "s"), ("user", "u")),
    2,
    cache_key="k1",
    provider="mock",
    model="m1",
    output="y" * 120,
    parent_run_id="r:0",
)
JUDGE = TraceRecord(
    "r", 2, "effect", "judge", (("subject", "s"), ("rubric Ok", "?")), 3, "k2", True, "mock", None,
    PASS,
)  # fmt: skip
WAITING = TraceRecord("r", 3, "effect", "escalate", (("boss", "why"),), 4, "k3", error="suspended")
DECIDED = replace(WAITING, cache_hit=True, error=None, output="go <on>\n now")
RECORDS = [CALL, CHAT, JUDGE, WAITING, DECIDED]


def test_text_shows_nesting_and_status() -> None:
    assert text_view(RECORDS).splitlines() == [
        "#0   [miss] Outer      ",
        f"#1   [miss]   chat       {'y' * 100}...",
        "#2   [hit ] judge      Pass",
        "#3   [err ] escalate   suspended",
        "#3   [hit ] escalate   go <on>",
        " now",
    ]


def test_plain_is_the_dialogue_without_repetitions() -> None:
    assert plain_view(RECORDS).splitlines() == [
        f"call: Outer(_: {'x' * 40}...)",
        "system: s",
        "user: u",
        f"assistant: {'y' * 120}",
        "judge Ok: Pass",
        "escalate boss: why => go <on>",
        " now",
    ]
    assert plain_view([WAITING]) == "escalate boss: why (suspended)\n"


def test_json_has_sorted_members() -> None:
    assert json_view([JUDGE]) == (
        '[{"cache_hit":true,"capability":"judge","error":null,"input":[{"role":"subject",'
        '"text":"s"},{"role":"rubric Ok","text":"?"}],"kind":"effect","output":{"verdict":"pass"},'
        '"parent_run_id":null,"seq":2,"timestamp_ms":3}]\n'
    )


def test_a_diagram_names_its_participants() -> None:
    validator = TraceRecord("r", 4, "effect", "validator:regex", (("subject", "s"),), 5)
    assert mermaid_view([*RECORDS, validator, replace(CALL, capability="2nd")]).splitlines()[
        2:
    ] == [
        "    participant Outer as Outer",
        "    participant chat as chat",
        "    participant judge as judge",
        "    participant escalate as escalate",
        "    participant validator_regex as validator:regex",
        "    participant p_2nd as 2nd",
        "    Program->>+Outer: #0 Outer",
        "    Outer-->>-Program: [miss] ",
        "    Program->>+chat: #1 chat",
        f"    chat-->>-Program: [miss] {'y' * 80}...",
        "    Program->>+judge: #2 judge",
        "    judge-->>-Program: [hit] Pass",
        "    Program->>+escalate: #3 escalate",
        "    escalate-->>-Program: [hit] go <on> now",
        "    Program->>+validator_regex: #4 validator:regex",
        "    validator_regex-->>-Program: [miss] ",
        "    Program->>+p_2nd: #0 2nd",
        "    p_2nd-->>-Program: [miss] ",
    ]


def test_a_page_escapes_what_models_say() -> None:
    page = html_view([replace(CHAT, output="<script>alert(1)</script>")], "run <r>")
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert "run &lt;r&gt;" in page


def test_the_footer_sums_up_the_whole_trace() -> None:
    assert footer("r", "ok", RECORDS).splitlines()[1:] == [
        "run id        r",
        "status        ok",
        "capabilities  Outer, chat, judge, escalate",
        "provider      mock — chat (m1), judge",
    ]
