"""The grammar of section 2 as failure-finding rules, in the order the reference tries them."""

from __future__ import annotations

from collections.abc import Callable

from evaltui.ulx.declaration_grammar import IMPORT_KINDS
from evaltui.ulx.failures import (
    Failure,
    Outcome,
    Rule,
    Terminals,
    choice,
    either,
    optional,
    remembered,
    repeated,
    separated,
    sequence,
)
from evaltui.ulx.lexer import Tokens


class ExactGrammar:
    """Rules over one row of tokens; ``is_good_text`` judges the text block at an index."""

    def __init__(self, tokens: Tokens, is_good_text: Callable[[int], bool]) -> None:
        terminals = Terminals(tokens, is_good_text)
        self._mark = terminals.mark
        self._word = terminals.word
        self._kind = terminals.kind
        self._identifier = terminals.kind("ident")
        self._string = terminals.kind("string")
        self._text = terminals.text_block()
        self._end = terminals.end()
        self._build()

    def program_failure(self, start: int) -> Failure | None:
        """Why the items from token ``start`` on are not a program; None when they are."""
        end, failure = self._program(start)
        return failure if end < 0 else None

    def expression_failure(self) -> Failure | None:
        """Why the tokens are not exactly one expression; None when they are."""
        end, failure = sequence(self._expression, self._end)(0)
        return failure if end < 0 else None

    def _build(self) -> None:
        self._rules: dict[str, Rule] = {}
        self._expression = self._later("expression")
        self._block = self._later("block")
        self._type = self._later("type")
        self._field = self._named(self._expression)
        self._record = self._bracketed("{", self._listed(self._field), "}")
        self._fields = self._bracketed("{", repeated(self._field), "}")
        self._rules["type"] = remembered(self._type_rule())
        self._rules["expression"] = remembered(self._expression_rule())
        self._rules["block"] = remembered(self._block_rule())
        item = either(self._import_rule(), self._declaration_rule())
        self._program = sequence(repeated(item), self._end)

    def _later(self, name: str) -> Rule:
        rules = self._rules

        def rule(at: int) -> Outcome:
            return rules[name](at)

        return rule

    def _bracketed(self, opening: str, inner: Rule, closing: str) -> Rule:
        return sequence(self._mark(opening), inner, self._mark(closing))

    def _listed(self, item: Rule) -> Rule:
        return separated(item, self._mark(","), trailing=True)

    def _named(self, value: Rule) -> Rule:
        return sequence(self._identifier, self._mark(":"), value)

    def _words(self, *words: str) -> Rule:
        return choice(*[self._word(word) for word in words])

    def _marks(self, *marks: str) -> Rule:
        return choice(*[self._mark(mark) for mark in marks])

    def _type_rule(self) -> Rule:
        mark = self._mark
        argument = either(self._type, self._kind("int"))
        content = self._bracketed("(", self._type, ")")
        variant = sequence(self._identifier, optional(content))
        return choice(
            self._bracketed("{", self._listed(self._named(self._type)), "}"),
            self._bracketed("[", self._type, "]"),
            sequence(self._identifier, self._bracketed("<", argument, ">")),
            separated(variant, mark("|"), least=2),
            self._identifier,
        )

    def _expression_rule(self) -> Rule:
        level = self._unary_rule()
        for operators in (
            self._marks("*", "/"),
            self._marks("+", "-"),
            self._marks("==", "!=", "<=", ">=", "<", ">"),
            self._word("and"),
            self._word("or"),
        ):
            level = sequence(level, repeated(sequence(operators, level)))
        return level

    def _unary_rule(self) -> Rule:
        self._arguments = self._bracketed("(", self._listed(self._argument_rule()), ")")
        postfix = choice(
            sequence(self._mark("."), self._identifier),
            self._arguments,
            self._bracketed("[", self._expression, "]"),
        )
        prefix = choice(self._mark("-"), self._word("not"))
        return sequence(repeated(prefix), self._primary_rule(), repeated(postfix))

    def _argument_rule(self) -> Rule:
        name = sequence(self._identifier, self._mark(":"))
        return sequence(optional(name), self._expression)

    def _primary_rule(self) -> Rule:
        parenthesised = self._bracketed("(", self._expression, ")")
        self._file_text = self._file_text_rule()
        self._ask = sequence(self._word("ask"), self._identifier, self._arguments, self._block)
        others = choice(
            self._kind("float"),
            self._kind("int"),
            self._string,
            self._text,
            self._file_text,
            self._if_rule(),
            self._generic_call_rule(),
            self._retry_rule(),
            self._escalate_rule(),
            sequence(self._word("judge"), self._identifier, self._arguments),
            sequence(self._word("validator"), self._identifier, self._arguments),
            self._ask,
            self._mark("$"),
            self._record,
            self._identifier,
        )
        return either(others, parenthesised)

    def _file_text_rule(self) -> Rule:
        call = sequence(self._word("file"), self._bracketed("(", self._string, ")"))
        return either(call, self._kind("path"))

    def _if_rule(self) -> Rule:
        word, block = self._word, self._block
        return sequence(word("if"), self._expression, block, word("else"), block)

    def _generic_call_rule(self) -> Rule:
        type_argument = self._bracketed("<", self._type, ">")
        return sequence(self._identifier, type_argument, self._arguments)

    def _retry_rule(self) -> Rule:
        times = self._bracketed("(", self._kind("int"), ")")
        fallback = optional(sequence(self._word("else"), self._expression))
        return sequence(self._word("retry"), times, self._block, fallback)

    def _escalate_rule(self) -> Rule:
        rest = optional(sequence(self._mark(","), self._listed(self._field)))
        inner = sequence(self._identifier, rest)
        return sequence(self._word("escalate"), self._bracketed("(", inner, ")"))

    def _block_rule(self) -> Rule:
        return self._bracketed("{", repeated(remembered(self._statement_rule())), "}")

    def _statement_rule(self) -> Rule:
        word, mark, name = self._word, self._mark, self._identifier
        expression, block = self._expression, self._block
        result = sequence(mark("->"), name, optional(sequence(mark(":"), self._type)))
        binding = sequence(name, mark("="), expression)
        text = either(self._text, self._file_text)
        arms = repeated(self._arm_rule())
        return choice(
            sequence(self._words("system", "user"), mark(":"), text),
            sequence(word("with"), self._bracketed("{", repeated(binding), "}")),
            sequence(word("assistant"), result),
            sequence(self._ask, result),
            sequence(word("match"), expression, self._bracketed("{", arms, "}")),
            sequence(word("for"), name, word("in"), expression, block),
            sequence(word("while"), expression, block),
            sequence(word("break"), optional(expression)),
            binding,
            expression,
        )

    def _arm_rule(self) -> Rule:
        names = self._bracketed("(", separated(self._identifier, self._mark(",")), ")")
        pattern = choice(self._word("_"), sequence(self._identifier, optional(names)))
        body = either(self._block, self._expression)
        return sequence(pattern, self._mark("=>"), body)

    def _import_rule(self) -> Rule:
        kind = self._words(*IMPORT_KINDS)
        named = sequence(kind, self._identifier, self._word("from"), self._string)
        module = sequence(self._string, self._word("as"), self._identifier)
        return sequence(self._word("import"), choice(named, module))

    def _declaration_rule(self) -> Rule:
        word, mark, name = self._word, self._mark, self._identifier
        parameters = self._bracketed("(", self._listed(self._named(self._type)), ")")
        returns = sequence(mark("->"), self._type)
        rubric = sequence(name, parameters, returns, self._fields)
        source = sequence(word("from"), self._string)
        content = either(source, self._bracketed("[", self._listed(self._record), "]"))
        statements = repeated(self._benchmark_rule())
        return choice(
            sequence(word("conversation"), name, parameters, optional(returns), self._block),
            sequence(word("judge"), rubric),
            sequence(word("validator"), rubric),
            sequence(
                word("dataset"), name, mark(":"), self._type, self._bracketed("{", content, "}")
            ),
            sequence(word("type"), name, mark("="), self._type),
            sequence(word("benchmark"), name, self._bracketed("{", statements, "}")),
            sequence(word("provider"), name, optional(source), self._fields),
        )

    def _benchmark_rule(self) -> Rule:
        word, mark, name = self._word, self._mark, self._identifier
        expression = self._expression
        number = self._bracketed("(", self._kind("float", "int"), ")")
        threshold = optional(sequence(word("with"), word("threshold"), number))
        return choice(
            sequence(word("dataset"), mark(":"), name),
            sequence(word("run"), mark(":"), expression, mark("->"), name),
            sequence(word("expect"), expression, word("satisfies"), expression, threshold),
            sequence(word("assert"), expression),
            sequence(word("snapshot"), expression, word("as"), expression),
        )
