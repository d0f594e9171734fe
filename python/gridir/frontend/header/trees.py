# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structure of a pytree as text, for the trees of JAX in a `grid.kernel`.

`(*, [*, None], {'a': *}, Slice(*, 8, 1))` is a tuple of a leaf, a list, a dict and a `pl.Slice` whose start is a leaf
and whose size and stride are fixed. Nodes of other types are Python objects, which text cannot hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import jax

from gridir.frontend.compat import jax_core


class OpaqueTree(ValueError):
    """A tree has a node of a type that text cannot hold."""


def to_text(tree: Any) -> str:
    """Returns the text of a PyTreeDef.

    Raises:
      OpaqueTree: if the tree has a node other than a tuple, list, dict, None or `pl.Slice`, or a key that is not a
        string or a number.
    """
    data = tree.node_data()
    if data is None:
        return "*" if tree.num_leaves == 1 and tree.num_nodes == 1 else "None"
    kind, aux = data
    children = [to_text(child) for child in tree.children()]
    if kind is tuple:
        return f"({', '.join(children)}{',' if len(children) == 1 else ''})"
    if kind is list:
        return f"[{', '.join(children)}]"
    if kind is dict and all(isinstance(key, str | int) for key in aux):
        return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(aux, children, strict=True)) + "}"
    if kind is type(None):
        return "None"
    if kind is jax_core.Slice and all(fixed is None or isinstance(fixed, int) for fixed in aux):
        start, size = (child if fixed is None else str(fixed) for child, fixed in zip(children, aux[:2], strict=True))
        return f"Slice({start}, {size}, {aux[2]})"
    raise OpaqueTree(f"a tree with a node of type {kind.__name__}")


def from_text(text: str) -> Any:
    """Returns the PyTreeDef whose text is `text`, in the registry of this process.

    Raises:
      ValueError: if it is not such a text.
    """
    return jax.tree.structure(unflatten(text, lambda: _LEAF))


def unflatten(text: str, leaf: Callable[[], Any]) -> Any:
    """Returns the tree whose text is `text`, with `leaf()` at every leaf, from left to right."""
    try:
        # A `*` inside a quoted key is no leaf.
        names = re.sub(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|\*", lambda match: match[1] or "_", text)
        parsed = ast.parse(names, mode="eval").body
        return _build(parsed, leaf)
    except (SyntaxError, AttributeError, ValueError) as error:
        raise ValueError(f"expected the text of a tree, got {text!r}") from error


class _Leaf:
    """The placeholder of a leaf in a tree whose structure alone is needed."""


_LEAF = _Leaf()


def _build(node: ast.expr, leaf: Callable[[], Any]) -> Any:
    match node:
        case ast.Name(id="_"):
            return leaf()
        case ast.Tuple(elts=elements):
            return tuple(_build(element, leaf) for element in elements)
        case ast.List(elts=elements):
            return [_build(element, leaf) for element in elements]
        case ast.Dict(keys=keys, values=values):
            names = [ast.literal_eval(key) for key in keys if key is not None]
            return {name: _build(value, leaf) for name, value in zip(names, values, strict=True)}
        case ast.Call(func=ast.Name(id="Slice"), args=[start, size, stride]):
            return jax_core.Slice(_build(start, leaf), _build(size, leaf), ast.literal_eval(stride))
    return ast.literal_eval(node)
