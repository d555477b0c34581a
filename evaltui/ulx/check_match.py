"""``match`` over a verdict (language specification 4.7)."""

from __future__ import annotations

from collections.abc import Iterator

from evaltui.ulx import tree
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.scopes import VERDICT, Scope

CARRIED = {"Pass": 0, "Fail": 1, "Score": 1, "Escalate": 0}
"""The variants of a verdict in their order, with the number of values each carries."""


def match_problems(node: tree.Match, scope: Scope) -> Iterator[Problem]:
    """What is wrong with the arms of ``node``; each is an error at its subject."""
    subject = node.subject
    if not isinstance(subject, tree.RubricCall | tree.Variable) or scope.infer(subject) != VERDICT:
        return
    for arm in node.arms:
        yield from _arity_problem(arm.pattern)
    yield from _missing_variants(node)


def _arity_problem(pattern: tree.Pattern) -> Iterator[Problem]:
    variant, bound = pattern.variant, len(pattern.bindings)
    if variant not in CARRIED or bound == CARRIED[variant]:
        return
    carried = CARRIED[variant]
    advice = (
        f"add the missing binding, e.g. `{variant}(x)`"
        if bound < carried
        else f"remove the extra binding(s), e.g. `{variant}()`"
    )
    yield Problem(
        Rule.VARIANT_BINDINGS,
        f"`{variant}` binds {bound} value(s) here, but `Verdict::{variant}` carries {carried} "
        f"(§9.4) — {advice}",
        f"`{variant}` binds {bound} {_values(bound)} here, but a verdict `{variant}` carries "
        f"{carried or 'none'}",
        f"write `{variant}(x)`" if carried else f"write `{variant}`",
    )


def _missing_variants(node: tree.Match) -> Iterator[Problem]:
    covered = [arm.pattern.variant for arm in node.arms]
    missing = [variant for variant in CARRIED if variant not in covered]
    if missing and None not in covered:
        yield Problem(
            Rule.MISSING_VARIANTS,
            f"non-exhaustive match over `Verdict`: missing variant(s) {', '.join(missing)} (§9.4) "
            "— add the missing arm(s) or a wildcard `_` arm",
            f"this `match` over a verdict has no arm for {_listed(missing)}",
            f"add {'them' if len(missing) > 1 else 'it'}, or an arm `_ => ...` for all others",
        )


def _values(count: int) -> str:
    return "value" if count == 1 else "values"


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
