"""``match`` over a verdict (language specification 4.7)."""

from __future__ import annotations

from collections.abc import Iterator

from evaltui.ulx import tree
from evaltui.ulx.scopes import VERDICT, Scope

CARRIED = {"Pass": 0, "Fail": 1, "Score": 1, "Escalate": 0}
"""The variants of a verdict in their order, with the number of values each carries."""


def match_problems(node: tree.Match, scope: Scope) -> Iterator[str]:
    """What is wrong with the arms of ``node``; each is an error at its subject."""
    subject = node.subject
    if not isinstance(subject, tree.RubricCall | tree.Variable) or scope.infer(subject) != VERDICT:
        return
    for arm in node.arms:
        yield from _arity_problem(arm.pattern)
    yield from _missing_variants(node)


def _arity_problem(pattern: tree.Pattern) -> Iterator[str]:
    variant, bound = pattern.variant, len(pattern.bindings)
    if variant not in CARRIED or bound == CARRIED[variant]:
        return
    carried = CARRIED[variant]
    advice = (
        f"add the missing binding, e.g. `{variant}(x)`"
        if bound < carried
        else f"remove the extra binding(s), e.g. `{variant}()`"
    )
    yield (
        f"`{variant}` binds {bound} value(s) here, but `Verdict::{variant}` carries {carried} "
        f"(§9.4) — {advice}"
    )


def _missing_variants(node: tree.Match) -> Iterator[str]:
    covered = [arm.pattern.variant for arm in node.arms]
    missing = [variant for variant in CARRIED if variant not in covered]
    if missing and None not in covered:
        yield (
            f"non-exhaustive match over `Verdict`: missing variant(s) {', '.join(missing)} (§9.4) "
            "— add the missing arm(s) or a wildcard `_` arm"
        )
