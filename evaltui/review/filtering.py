"""The filter language of the table, ``--filter`` and everything else that picks cases.

A filter is a list of terms separated by spaces; a case is shown when every term holds::

    refund lang       free text: case id, slices, check, message, change or decision
    "two words"       free text with a space
    outcome:fail,review   any of several values
    class:infrastructure  failure class, or the finer kind (``class:timeout``)
    slice:fr          the slice ``lang=fr``, or its value alone
    check:assert      failing check, from its beginning
    gate:drift        a gate that the case touches
    id:case-7         exact case id
    decided:yes       a live decision names the case; ``decided:no``; ``decided:ana`` by its text
    !term             the opposite

Free text ignores case unless it holds a capital letter.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator

from msgspec import Struct

from evaltui.errors import UsageError
from evaltui.models import CaseSpec, CaseSummary, FailureClass, Gate, Outcome

Predicate = Callable[[CaseSummary], bool]

FIELDS = ("outcome", "class", "slice", "check", "gate", "id", "decided")
_OF_A_SPEC = ("slice", "id", "")


class Term(Struct, frozen=True):
    """One condition; ``field`` is empty for free text, ``values`` are alternatives."""

    field: str
    values: tuple[str, ...]
    inverted: bool = False


class Filter(Struct, frozen=True):
    """A parsed filter; an empty one lets every case through."""

    text: str
    terms: tuple[Term, ...]
    _tests: tuple[Predicate, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.terms

    def matches(self, row: CaseSummary) -> bool:
        """Whether a row of the table is let through."""
        return all(test(row) for test in self._tests)

    @property
    def predicate(self) -> Predicate | None:
        """The quickest equivalent of ``matches``; None for an empty filter."""
        return functools.reduce(_both, self._tests) if self._tests else None

    def matches_spec(self, spec: CaseSpec) -> bool:
        """Whether a case that has not run is let through, by its id and slices.

        Raises:
            UsageError: a term asks for something that only a result has.
        """
        for term in self.terms:
            if term.field not in _OF_A_SPEC:
                raise UsageError(
                    f"filter term {term.field}: asks for a result, and the cases have not run",
                    hint="before a run only id:, slice: and words of ids and slices select; "
                    "the rest is for a finished run",
                )
        row = CaseSummary(spec.index, spec.section, spec.case_id, Outcome.SKIPPED, spec.slices)
        return self.matches(row)


def parse_filter(text: str) -> Filter:
    """Parse what a person typed after ``/`` or ``--filter``.

    Raises:
        UsageError: an unknown field or value; the message names the nearest one.
    """
    terms = tuple(_term(word) for word in _words(text))
    plain = tuple(term.values[0] for term in terms if not term.field and not term.inverted)
    tests = [_test(term) for term in terms if term.field or term.inverted]
    if plain:
        tests.append(_text_test(plain))
    return Filter(text.strip(), terms, tuple(tests))


def _words(text: str) -> Iterator[str]:
    """Split at spaces that are outside double quotes; the quotes stay in the word."""
    word, quoted = "", False
    for character in text:
        if character == '"':
            quoted = not quoted
        if character.isspace() and not quoted:
            if word:
                yield word
            word = ""
        else:
            word += character
    if word:
        yield word


def _term(word: str) -> Term:
    inverted = word.startswith("!") and len(word) > 1
    body = word[1:] if inverted else word
    name, colon, value = body.partition(":")
    if not colon or not name.isalpha():
        return Term("", (body.replace('"', ""),), inverted)
    if name.lower() not in FIELDS:
        raise UsageError(
            f"no filter field {name}:", hint=_nearest(name, FIELDS) + ', or quote the text: "a:b"'
        )
    return Term(name.lower(), _values(name.lower(), value), inverted)


def _values(name: str, text: str) -> tuple[str, ...]:
    values = tuple(v for v in text.replace('"', "").split(",") if v)
    if not values and name == "decided":
        return ("yes",)
    if not values:
        raise UsageError(f"filter field {name}: needs a value", hint=_example(name))
    known = {"outcome": tuple(Outcome), "gate": tuple(Gate)}.get(name)
    for value in values if known else ():
        if value.lower() not in (known or ()):
            raise UsageError(f"no {name} {value!r}", hint=_nearest(value, known or ()))
    return values


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word.lower(), known, 1, 0.5)
    if close:
        return f"did you mean {close[0]}"
    return "use one of " + ", ".join(known)


def _example(name: str) -> str:
    examples = {
        "outcome": "outcome:" + "|".join(Outcome),
        "class": "class:" + "|".join(FailureClass),
        "slice": "for example slice:fr",
        "check": "for example check:assert#1",
        "gate": "gate:" + "|".join(Gate),
        "id": "for example id:case-7",
    }
    return examples[name]


def _test(term: Term) -> Predicate:
    test = _any([_one_test(term.field, value) for value in term.values])
    return (lambda row: not test(row)) if term.inverted else test


def _both(first: Predicate, second: Predicate) -> Predicate:
    return lambda row: first(row) and second(row)


def _any(tests: list[Predicate]) -> Predicate:
    if len(tests) == 1:
        return tests[0]
    return lambda row: any(test(row) for test in tests)


def _one_test(field: str, value: str) -> Predicate:
    low = value.lower()
    tests: dict[str, Callable[[], Predicate]] = {
        "": lambda: _text_test((value,)),
        "outcome": lambda: lambda row: row.outcome == low,
        "class": lambda: lambda row: row.failure_class == low or row.kind == low,
        "slice": lambda: _slice_test(low),
        "check": lambda: lambda row: row.check.lower().startswith(low),
        "gate": lambda: lambda row: low in row.gates,
        "id": lambda: lambda row: row.case_id == value,
        "decided": lambda: _decided_test(low),
    }
    return tests[field]()


def _slice_test(value: str) -> Predicate:
    def test(row: CaseSummary) -> bool:
        for name in row.slices:
            low = name.lower()
            if low == value or low.partition("=")[2] == value:
                return True
        return False

    return test


def _decided_test(value: str) -> Predicate:
    if value == "yes":
        return lambda row: bool(row.decision)
    if value == "no":
        return lambda row: not row.decision
    return lambda row: value in row.decision.lower()


def _text_test(needles: tuple[str, ...]) -> Predicate:
    """Whether every needle occurs in the texts of a row, which are put together only once."""
    exact = tuple(needle for needle in needles if needle != needle.lower())
    loose = tuple(needle for needle in needles if needle == needle.lower())

    def test(row: CaseSummary) -> bool:
        text = _texts(row)
        for needle in exact:
            if needle not in text:
                return False
        low = text.lower() if loose else ""
        for needle in loose:  # noqa: SIM110 - a generator would take twice the time
            if needle not in low:
                return False
        return True

    return test


def _texts(row: CaseSummary) -> str:
    return "\n".join(
        (row.case_id, row.message, row.check, row.change, row.decision, " ".join(row.slices))
    )
