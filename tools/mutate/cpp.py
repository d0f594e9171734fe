# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutation operators for C++, on the syntax tree of tree-sitter."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import tree_sitter
import tree_sitter_cpp
from mutant import Mutant

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))

# Replacements of a binary operator, with the neighbor at a boundary first. `<<` writes to streams and stays.
BINARY = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("/",),
    "&": ("|",),
    "|": ("&",),
}

# Functions whose counterpart takes the same arguments.
NAMES = {
    "all_of": "any_of",
    "any_of": "all_of",
    "none_of": "any_of",
    "min": "max",
    "max": "min",
    "front": "back",
    "back": "front",
    "drop_front": "drop_back",
    "drop_back": "drop_front",
    "take_front": "take_back",
    "take_back": "take_front",
    "divideFloorSigned": "divideCeilSigned",
    "divideCeil": "divideFloorSigned",
    "floorDiv": "ceilDiv",
    "ceilDiv": "floorDiv",
    "getLhs": "getRhs",
    "getRhs": "getLhs",
    "getSource": "getTarget",
    "getTarget": "getSource",
    "success": "failure",
    "failure": "success",
    "getLowerBound": "getUpperBound",
    "getUpperBound": "getLowerBound",
    "invertPermutationVector": "to_vector",
    "reverse": "to_vector",
}

# Where the language asks for constants, no switch can stand.
CONSTANTS = {"template_argument_list", "enumerator", "array_declarator", "static_assert_declaration"}
# A longer expression is a function in disguise, whose parts have mutants of their own.
LONGEST = 240


class _Finder:
    """Finds the mutants of one source."""

    def __init__(self, file: str, source: bytes):
        self.file, self.source = file, source
        self.lines = source.decode().splitlines()
        self.operators = {
            "binary_expression": self._binary,
            "number_literal": self._number,
            "if_statement": self._condition,
            "unary_expression": self._negation,
            "call_expression": self._call,
            "expression_statement": self._statement,
            "true": self._boolean,
            "false": self._boolean,
        }

    def of_bodies(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        """The mutants of code that runs: of the bodies of functions."""
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if body is not None:
                yield from self._walk(body)
            return
        for child in node.children:
            yield from self.of_bodies(child)

    def _walk(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        if node.type in CONSTANTS:
            return
        yield from self.operators.get(node.type, lambda _: ())(node)
        # The number of a case is a constant, its body is not.
        label = node.child_by_field_name("value") if node.type == "case_statement" else None
        for child in node.children:
            if child != label:
                yield from self._walk(child)

    def _text(self, node: tree_sitter.Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def _make(self, node: tree_sitter.Node, operator: str, after: str) -> Iterator[Mutant]:
        if node.end_byte - node.start_byte <= LONGEST:
            row, before = node.start_point[0], self._text(node)
            yield Mutant(self.file, node.start_byte, node.end_byte, row + 1, operator, before, after, self.lines[row])

    def _spliced(self, node: tree_sitter.Node, part: tree_sitter.Node, instead: str) -> str:
        before = self.source[node.start_byte : part.start_byte]
        return before.decode() + instead + self.source[part.end_byte : node.end_byte].decode()

    def _binary(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        operator = node.child_by_field_name("operator")
        if operator is not None:
            for instead in BINARY.get(self._text(operator), ()):
                yield from self._make(node, "operator", self._spliced(node, operator, instead))

    def _number(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        if self._text(node).isdigit():
            yield from self._make(node, "number", str(int(self._text(node)) + 1))

    def _condition(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        value = node.child_by_field_name("condition")
        value = value and value.child_by_field_name("value")
        # A condition that declares a variable is left alone.
        if value is not None and value.type not in ("declaration", "condition_declaration"):
            yield from self._make(value, "guard", "false")
            if value.type not in ("binary_expression", "unary_expression"):
                yield from self._make(value, "guard", f"!({self._text(value)})")

    def _negation(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        if self._text(node).startswith("!"):
            yield from self._make(node, "negation", self._text(node)[1:])

    def _call(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        name = function
        for field in ("field", "name", "name"):
            name = name.child_by_field_name(field) or name
        if self._text(name) in NAMES:
            yield from self._make(node, "function", self._spliced(node, name, NAMES[self._text(name)]))
        plain = [child for child in arguments.named_children if child.type in ("identifier", "field_expression")]
        for first, second in itertools.pairwise(plain):
            one, other = self._text(first), self._text(second)
            swapped = self._spliced(node, first, other)
            offset = second.start_byte - node.start_byte + len(other) - len(one)
            swapped = swapped[:offset] + one + swapped[offset + len(other) :]
            if one != other and self.source[node.start_byte : node.end_byte].isascii():
                yield from self._make(node, "operands", swapped)

    def _statement(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        if node.named_children and node.named_children[0].type in ("call_expression", "assignment_expression"):
            yield from self._make(node, "statement", "")

    def _boolean(self, node: tree_sitter.Node) -> Iterator[Mutant]:
        yield from self._make(node, "bool", "false" if node.type == "true" else "true")


def find(file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of a source, in the order of the text."""
    yield from _Finder(file, source).of_bodies(PARSER.parse(source).root_node)


def wrap(mutant: Mutant, text: str) -> str:
    """The switch of one mutant, as a conditional expression or around a statement."""
    if mutant.operator == "statement":
        return f"{{ if (!gridirIsMutant({mutant.number})) {{ {text} }} }}"
    # The text of a mutant may span lines; the original has the same number.
    after = " ".join(mutant.after.split())
    if mutant.operator in ("guard", "negation"):
        # Of a truth and an optional value the language would make another optional value.
        return f"(gridirIsMutant({mutant.number}) ? static_cast<bool>({after}) : static_cast<bool>({text}))"
    return f"(gridirIsMutant({mutant.number}) ? ({after}) : ({text}))"
