# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutation operators for Python, on the syntax tree of `ast`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from mutant import Mutant

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def find(file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of a source, in the order of the text."""
    lines = source.decode().splitlines()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def make(node: ast.expr, operator: str, after: ast.expr) -> Iterator[Mutant]:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before, context = source[start:end].decode(), lines[node.lineno - 1]
        yield Mutant(file, start, end, node.lineno, operator, before, ast.unparse(after), context)

    def changes(node: ast.expr) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left, [only], [right]) if type(only) in COMPARISONS:
                yield from make(node, "operator", ast.Compare(left, [COMPARISONS[type(only)]()], [right]))
            case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
                yield from make(node, "operator", ast.BinOp(left, ARITHMETIC[type(operator)](), right))
            case ast.BoolOp(ast.And(), values):
                yield from make(node, "operator", ast.BoolOp(ast.Or(), values))
            case ast.BoolOp(ast.Or(), values):
                yield from make(node, "operator", ast.BoolOp(ast.And(), values))
            case ast.UnaryOp(ast.Not(), operand):
                yield from make(node, "negation", operand)
            case ast.Constant(bool() as value):
                yield from make(node, "bool", ast.Constant(not value))
            case ast.Constant(int() as value):
                yield from make(node, "number", ast.Constant(value + 1))
            case ast.Call(function, arguments, keywords):
                for i, (first, second) in enumerate(itertools.pairwise(arguments)):
                    if isinstance(first, ast.Name) and isinstance(second, ast.Name) and first.id != second.id:
                        swapped = [*arguments[:i], second, first, *arguments[i + 2 :]]
                        yield from make(node, "operands", ast.Call(function, swapped, keywords))

    def walk(node: ast.AST) -> Iterator[Mutant]:
        # Format strings and patterns take no switch.
        if isinstance(node, ast.JoinedStr | ast.pattern):
            return
        # Negations and comparisons have mutants of their own kind.
        if isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.UnaryOp | ast.Compare):
            yield from make(node.test, "guard", ast.UnaryOp(ast.Not(), node.test))
        if isinstance(node, ast.expr):
            yield from changes(node)
        for child in ast.iter_child_nodes(node):
            yield from walk(child)

    def bodies(node: ast.AST) -> Iterator[Mutant]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                for statement in child.body:
                    yield from walk(statement)
            else:
                yield from bodies(child)

    yield from bodies(ast.parse(source))


def wrap(mutant: Mutant, text: str) -> str:
    """The switch of one mutant, as a conditional expression."""
    return f"(({mutant.after}) if __import__('gridir_mutants').is_mutant({mutant.number}) else ({text}))"
