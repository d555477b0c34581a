"""Keeps the values of key variables out of results, before anything is made of them."""

from __future__ import annotations

from msgspec.structs import replace

from evaltui.models import CaseError, CaseResult, CaseSpec, FailureClass
from evaltui.redaction import SecretScanner
from evaltui.store.codec import decode, encode


def without_keys(result: CaseResult, scanner: SecretScanner) -> CaseResult:
    """A result without the values of key variables; with one in its output it is an error.

    The same object when there is none.
    """
    if not scanner.knows_keys:
        return result
    text = encode(result)
    name = scanner.find_key(text)
    if name is None:
        return result
    cleaned = decode(CaseResult, scanner.clean_keys(text))
    values = [result.output or "", *(check.value or "" for check in result.checks)]
    held = next((found for value in values if (found := scanner.find_key(value))), None)
    if held is None or cleaned.error is not None:
        return cleaned
    error = CaseError(
        FailureClass.MALFORMED,
        "secret",
        f"the output holds the value of {held}",
        "find out how the key got there, and replace it",
    )
    return replace(cleaned, error=error)


def row_without_keys(spec: CaseSpec, scanner: SecretScanner) -> CaseSpec:
    """A case whose row can be stored; its digest stays that of the row as it is."""
    if scanner.find_key(spec.row) is None:
        return spec
    return replace(spec, row=scanner.clean_keys(spec.row))
