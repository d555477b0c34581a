"""The walk over expressions and statements, in the order of language specification 4.4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evaltui.ulx import tree
from evaltui.ulx.check_ask import (
    CAPABILITIES,
    artifact_problem,
    provider_argument,
    provider_problem,
    unknown_capability,
)
from evaltui.ulx.check_match import match_problems
from evaltui.ulx.check_with import (
    RETRY_WITHOUT_ELSE,
    FallibleBodies,
    duplicate_problem,
    sibling_problems,
)
from evaltui.ulx.diagnostics import Diagnostic, Problem, Rule, SourceFile
from evaltui.ulx.name_hints import word_hint
from evaltui.ulx.nearest import Suggest
from evaltui.ulx.prompt_files import MOST_INCLUSIONS, PromptFile, PromptFiles
from evaltui.ulx.scopes import ModuleNames, Scope
from evaltui.ulx.tree import Argument, Block, Expr, Span, Type
from evaltui.ulx.tree_walk import Node, Parts, parts


class BodyChecker:
    """Checks the bodies of one module; findings are appended to ``found``."""

    def __init__(
        self,
        path: Path,
        source: str,
        names: ModuleNames,
        known_providers: frozenset[str],
        prompts: PromptFiles,
        found: list[Diagnostic],
        suggest: Suggest,
    ) -> None:
        """``known_providers`` are those of the module and of the manifest."""
        self._suggest = suggest
        self.scope = Scope()
        self._folder = path.parent
        self._file = SourceFile(str(path), source)
        self._names = names
        self._providers = known_providers
        self._prompts = prompts
        self._found = found
        self._fallible = FallibleBodies()
        self._open_prompts: list[str] = []
        self._included = 0
        self._rules: dict[type, Callable[[Any], None]] = {
            tree.Variable: self._variable,
            tree.FileText: self._file_text,
            tree.Call: self._call,
            tree.Retry: self._retry,
            tree.RubricCall: self._rubric_call,
            tree.Ask: self._ask_expression,
            tree.Binding: self._binding,
            tree.With: self._with,
            tree.Assistant: self._assistant,
            tree.AskStatement: self._ask_statement,
            tree.Match: self._match,
            tree.For: self._for,
            tree.Block: self.block,
        }

    def check(self, node: Node) -> None:
        """Check an expression, statement or block in the current scope."""
        rule = self._rules.get(type(node))
        if rule is not None:
            rule(node)
            return
        for part in parts(node):
            self.check(part)

    def block(self, block: Block) -> None:
        """Check a block in a frame of its own."""
        self.scope.push()
        for statement in block.statements:
            if isinstance(statement, tree.With):
                for problem in sibling_problems(statement, self._file_parts):
                    self._error(problem, statement.span)
        for part in parts(block):
            self.check(part)
        self.scope.pop()

    def _error(self, problem: Problem, span: Span) -> None:
        self._found.append(self._file.error(problem, span))

    def _warning(self, problem: Problem, span: Span) -> None:
        self._found.append(self._file.warning(problem, span))

    def _variable(self, node: tree.Variable) -> None:
        name = node.name
        if not self.scope.knows(name) and name not in self._names.globals:
            message = f"`{name}` is not defined in this scope"
            hint = word_hint(name) or self._suggest(name, self._visible_names())
            self._warning(Problem(Rule.UNDEFINED, message, message, hint), node.span)

    def _visible_names(self) -> Iterator[str]:
        yield from self._names.globals
        for frame in self.scope.frames:
            yield from frame

    def _arguments(self, arguments: tuple[Argument, ...]) -> None:
        for argument in arguments:
            self.check(argument.value)

    def _call(self, node: tree.Call) -> None:
        # `capability(name, ...)` declares names rather than using them.
        declares = isinstance(node.callee, tree.Variable) and node.callee.name == "capability"
        if not declares:
            self.check(node.callee)
        for argument in node.arguments:
            if not (declares and isinstance(argument.value, tree.Variable)):
                self.check(argument.value)

    def _retry(self, node: tree.Retry) -> None:
        self.check(node.body)
        may_fail = self._fallible.may_fail(node.body)
        if node.otherwise is not None:
            self.check(node.otherwise)
        elif may_fail:
            self._error(RETRY_WITHOUT_ELSE, node.span)

    def _rubric_call(self, node: tree.RubricCall) -> None:
        if node.name.text not in self._names.rubrics:
            message = (
                f"`{node.name.text}` is not declared as a `judge` or `validator` in this file or "
                "its imports"
            )
            hint = self._suggest(node.name.text, self._names.rubrics)
            self._warning(Problem(Rule.UNKNOWN_JUDGE, message, message, hint), node.span)
        self._arguments(node.arguments)

    def _ask_expression(self, node: tree.Ask) -> None:
        self._ask(node, node.span)

    def _ask(self, node: tree.Ask, span: Span) -> None:
        self._arguments(node.arguments)
        provider = provider_argument(node.arguments)
        problem = (
            None if provider is None else provider_problem(provider, self._providers, self._suggest)
        )
        if provider is not None and problem is not None:
            self._error(problem, provider.span)
        self._artifacts(node, span)
        self.block(node.body)

    def _artifacts(self, node: tree.Ask, span: Span) -> None:
        capability = node.capability.text
        if capability not in CAPABILITIES:
            self._warning(unknown_capability(capability, self._suggest), span)
            return
        for argument in node.arguments:
            problem = artifact_problem(capability, argument, self.scope)
            if problem is not None:
                self._error(problem, argument.value.span)

    def _binding(self, node: tree.Binding) -> None:
        self.check(node.value)
        self.scope.declare(node.name.text, self.scope.infer(node.value))

    def _with(self, node: tree.With) -> None:
        for binding in node.bindings:
            self.check(binding.value)
        seen: set[str] = set()
        for binding in node.bindings:
            name = binding.name.text
            if name in seen:
                self._error(duplicate_problem(name), node.span)
            seen.add(name)
            self.scope.declare(name, self.scope.infer(binding.value))

    def _assistant(self, node: tree.Assistant) -> None:
        self.scope.declare(node.name.text, node.type)

    def _ask_statement(self, node: tree.AskStatement) -> None:
        self._ask(node.ask, node.span)
        self.scope.declare(node.name.text, node.type)

    def _match(self, node: tree.Match) -> None:
        self.check(node.subject)
        for problem in match_problems(node, self.scope):
            self._error(problem, node.subject.span)
        for arm in node.arms:
            self._in_frame([(name.text, None) for name in arm.pattern.bindings], arm.body)

    def _for(self, node: tree.For) -> None:
        self.check(node.items)
        self._in_frame([(node.name.text, None)], node.body)

    def _in_frame(self, names: list[tuple[str, Type | None]], body: Block | Expr) -> None:
        self.scope.push()
        for name, type_ in names:
            self.scope.declare(name, type_)
        self.check(body)
        self.scope.pop()

    def _prompt(self, node: tree.FileText) -> PromptFile:
        return self._prompts.get(node, self._folder, self._file)

    def _file_parts(self, node: tree.FileText) -> Parts:
        return parts(self._prompt(node).block)

    def _file_text(self, node: tree.FileText) -> None:
        prompt = self._prompt(node)
        name = prompt.file.name
        if prompt.problem is not None:
            self._error(prompt.problem, node.span)
        elif name in self._open_prompts:
            message = f"prompt file `{name}` includes itself"
            plain = f"the prompt file `{node.path}` includes itself"
            self._error(Problem(Rule.PROMPT_CYCLE, message, plain), node.span)
        elif self._has_room(node):
            self._inside(prompt)

    def _has_room(self, node: tree.FileText) -> bool:
        """Whether the outermost reference may bring in one file more; says so when it may not."""
        self._included = self._included + 1 if self._open_prompts else 0
        if self._included == MOST_INCLUSIONS:
            message = f"more than {MOST_INCLUSIONS} prompt files are included here"
            problem = Problem(Rule.PROMPT_FILE, message, message, "let each file include fewer")
            self._error(problem, node.span)
        return self._included < MOST_INCLUSIONS

    def _inside(self, prompt: PromptFile) -> None:
        outer, self._file = self._file, prompt.file
        self._open_prompts.append(prompt.file.name)
        for part in parts(prompt.block):
            self.check(part)
        self._open_prompts.pop()
        self._file = outer
