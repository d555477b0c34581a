"""``with`` bindings and ``retry`` bodies (language specification 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evaltui.ulx import tree
from evaltui.ulx.diagnostics import Problem, Rule
from evaltui.ulx.tree import Expr, FileText
from evaltui.ulx.tree_walk import Node, Parts, argument_values, parts

RETRY_WITHOUT_ELSE = Problem(
    Rule.RETRY_ELSE,
    "`retry` body may fail (it makes a model/judge/validator call) but has no `else` clause (§8.1) "
    "— add `else <expr>` or restructure the body so it cannot fail",
    "this `retry` has no `else`, but its body asks a model, judge or validator and so may fail",
    "add `else` and the value to use when every attempt failed",
)

FileParts = Callable[[FileText], Parts]


def sibling_problems(node: tree.With, file_parts: FileParts) -> Iterator[Problem]:
    """References of one binding to another; each is an error at the whole statement."""
    names = {binding.name.text for binding in node.bindings}
    for binding in node.bindings:
        own = binding.name.text
        for used in _names_used(binding.value, file_parts):
            if used in names and used != own:
                yield Problem(
                    Rule.WITH_SIBLING,
                    f"`with` block binding `{own}` references sibling binding `{used}` — bindings "
                    "in the same `with` block must be independent (§9.7); move this into a "
                    "sequential statement outside the block",
                    f"`{own}` uses `{used}`, which is bound by the same `with`",
                    f"bind `{own}` in a statement after the `with`",
                )


def duplicate_problem(name: str) -> Problem:
    """The error for a second binding of ``name`` in one ``with``."""
    return Problem(
        Rule.WITH_DUPLICATE,
        f"duplicate binding `{name}` in a `with` block — concurrent writers to the same name "
        "require an explicit merge function (§9.5), which isn't expressible yet; rename one of "
        "the bindings",
        f"`{name}` is bound twice by the same `with`",
        "rename one of the two",
    )


def _names_used(value: Expr, file_parts: FileParts) -> list[str]:
    names: dict[str, None] = {}
    files: set[str] = set()
    waiting: Parts = [value]
    while waiting:
        node = waiting.pop()
        match node:
            case tree.Variable(name=name):
                names[name] = None
            case FileText(path=path):
                if path not in files:
                    files.add(path)
                    waiting += reversed(file_parts(node))
            case _:
                waiting += reversed(_parts_outside_blocks(node))
    return list(names)


def _parts_outside_blocks(node: Node) -> Parts:
    match node:
        case tree.If(condition=condition):
            return [condition]
        case tree.Retry(otherwise=otherwise):
            return [] if otherwise is None else [otherwise]
        case tree.Ask(arguments=arguments):
            return argument_values(arguments)
        case _:
            return parts(node)


class FallibleBodies:
    """Which ``retry`` bodies may fail because something in them asks a model, judge or validator.

    Answers are kept, so that asking from the innermost body outwards takes linear time.
    """

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def may_fail(self, body: tree.Block) -> bool:
        """Whether ``body`` contains such a call at any depth."""
        if id(body) not in self._known:
            self._known[id(body)] = self._search(body)
        return self._known[id(body)]

    def _search(self, body: tree.Block) -> bool:
        waiting: Parts = [body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, tree.Assistant | tree.Ask | tree.RubricCall):
                return True
            known = self._known.get(id(node.body)) if isinstance(node, tree.Retry) else None
            if known:
                return True
            waiting += parts(node) if known is None else parts(node)[1:]
        return False
