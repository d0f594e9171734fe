# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's names for the operands of a kernel that JAX wraps in another function.

JAX knows the names of the parameters of the function that it traces. Where that is JAX's own, as for `plgpu.kernel`,
the operands are `refs[0]`, `refs[1]` and so on, and the author's function is known by its file and line.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Sequence

# JAX's name for an operand: its number, and its path in a tree of Refs.
_REF = re.compile(r"refs\[(\d+)\](.*)", re.DOTALL)


def authors_names(names: Sequence[str], inner: Sequence[str], source: tuple[str, str, int]) -> list[str]:
    """Returns the names of the operands as the author's function has them; the given ones if it is unknown.

    Args:
      names: JAX's names of the operands.
      inner: the names of those parameters of the author's function that are no operands, as its scratch.
      source: the name of the author's function, its file and its line.
    """
    matches = [_REF.fullmatch(name) for name in names]
    parameters = _parameters(*source)
    taken = {re.split(r"[\[.]", name)[0] for name in inner}
    own = [name for name in parameters if name not in taken]
    numbers = {int(match[1]) for match in matches if match}
    if not all(matches) or numbers != set(range(len(own))):
        return list(names)
    return [own[int(match[1])] + match[2] for match in matches if match]


@functools.lru_cache(maxsize=256)
def _parameters(name: str, file: str, line: int) -> tuple[str, ...]:
    """The positional parameters of the function that begins at a line; empty if it is ambiguous."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ()
    functions = [node for node in ast.walk(tree) if _is_named(node, name) and line in _first_lines(node)]
    if len(functions) != 1:
        return ()
    arguments: ast.arguments = functions[0].args  # type: ignore[attr-defined]
    return tuple(argument.arg for argument in (*arguments.posonlyargs, *arguments.args))


def _is_named(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Lambda):
        return name in ("<lambda>", "lambda")
    return isinstance(node, ast.FunctionDef) and node.name == name


def _first_lines(node: ast.AST) -> set[int]:
    """The lines that Python may call the first one of a function: that of `def`, or of a decorator."""
    return {getattr(x, "lineno", 0) for x in (node, *getattr(node, "decorator_list", ()))}
