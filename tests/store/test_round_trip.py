"""Whatever a model holds comes back from the store as it was."""

from __future__ import annotations

import types
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from evaltui.clock import system_clock
from evaltui.models import CaseResult, CaseSpec, CaseSummary, Judgement, RunInfo
from evaltui.store import CachedAnswer, CaseRecord, open_store
from evaltui.store.codec import COMPRESS_FROM, decode, encode, pack

_SIMPLE: dict[object, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=20),
}


def of(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401
    """Any value that the type hint ``kind`` allows and JSON can carry."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        return st.builds(kind, **{name: of(hint) for name, hint in hints.items()})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of, arguments))
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of, arguments))
    return st.from_type(kind)


@given(st.one_of(*map(of, (CaseResult, Judgement, CaseSummary, CachedAnswer, RunInfo))))
@settings(max_examples=60, deadline=None)
def test_models_survive_encoding(model: object) -> None:
    assert decode(type(model), pack(encode(model))) == model


@given(of(CaseSpec), of(CaseResult), of(Judgement), of(CaseSummary), of(RunInfo))
@settings(max_examples=15, deadline=None)
def test_a_case_survives_the_file(
    spec: CaseSpec, result: CaseResult, judgement: Judgement, summary: CaseSummary, run: RunInfo
) -> None:
    spec = replace(spec, index=0, section=0)
    run = replace(run, sections=(), problems=())
    with (
        TemporaryDirectory() as folder,
        open_store(Path(folder) / "t.db", system_clock({})) as store,
    ):
        begun = store.begin_run(run, [spec])
        with store.writer(run.id) as writer:
            writer.put(spec, result, judgement, summary)
        assert store.run() == replace(run, label="r1") == begun
        assert store.record(run.id, 0) == CaseRecord(spec, result, judgement)
        assert store.summaries(run.id) == [summary]


def test_a_large_value_is_packed_and_comes_back() -> None:
    result = CaseResult(0, output="word " * COMPRESS_FROM)
    packed = pack(encode(result))

    assert isinstance(packed, bytes)
    assert len(packed) < 1000
    assert decode(CaseResult, packed) == result


def test_a_lone_surrogate_in_model_text_costs_one_character_not_the_run() -> None:
    text = encode(CaseResult(0, output="a\ud800b\U0001f600"))

    assert decode(CaseResult, text).output == "a?b\U0001f600"
