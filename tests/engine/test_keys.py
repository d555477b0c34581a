"""Cache keys agree with those of other implementations."""

from __future__ import annotations

import pytest

from evaltui.engine.effects import Message, Request
from evaltui.engine.keys import call_key, escalation_key

HELLO = (Message("user", "hello"),)
JUDGED = {"rubric": "Is it fine?", "subject": "hello"}


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        (
            Request("chat", HELLO, {}),
            "57c9c181daa2606176ccdfcc04046e01955d7f51de9c3de588b203674da08b0b",
        ),
        (
            Request("chat", HELLO, {"_": "ctx", "temperature": 0.5}),
            "12b2dd4970f6758182893816a2e6b582bcf6252996e2096c26969e296e84e446",
        ),
        (
            Request("judge", (), JUDGED, judge="Ok"),
            "12d024bb14ca0d904ae39f02afa8a697b0b29a994bf6535e52555d3430bd6f42",
        ),
        (
            Request("judge", (), JUDGED, judge="Ok", attempt=1),
            "08c8839bb21536ed6d3a639ef59329da4d96f9ff584a6a173e51078c9b8bc748",
        ),
    ],
)
def test_call_keys(request_: Request, key: str) -> None:
    assert call_key(request_, "mock") == key


def test_escalation_keys() -> None:
    assert escalation_key("boss", {"reason": "look at it"}, "demo", (), 0) == (
        "344b035347e286b2d0991f6d543657eb7d09d31fce92a1eae9c4e6680c3f1de7"
    )
    assert escalation_key("boss", {"reason": "r"}, "demo", (1,), 0) == (
        "273fb7551c2a9f76b999e353a3d1a6956fa4ce05698d3db4c5965cfca55f9231"
    )
