# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pipeline as a list of passes, where each pass is a pipeline on a module."""

from __future__ import annotations

from collections.abc import Iterator

from gridir.errors import CompileError
from gridir.mlir import ir
from gridir.mlir._mlir_libs import _gridirDialects as native
from gridir.mlir.passmanager import PassManager

_OPENING, _CLOSING = "({", ")}"


def passes_of(pipeline: str) -> tuple[str, ...]:
    """Returns the passes of a textual pipeline in the order in which they run, with the options that they have.

    Pipelines that are named are taken apart, and so are passes that are nested: `func.func(a,b)` is `func.func(a)` and
    `func.func(b)`, which means the same, as no pass on a function sees another one.

    Args:
      pipeline: the passes of a module, without `builtin.module(...)` around them.

    Raises:
      CompileError: if the pipeline names an unknown pass or option.

    Example:
      >>> passes_of("func.func(cse,canonicalize)")
      ('func.func(cse)', 'func.func(canonicalize{...})')
    """
    try:
        with ir.Context():
            text = str(PassManager.parse(f"builtin.module({pipeline})"))
    except ValueError as error:
        notes = [f"did you mean '{name}'?" for name in native.find_similar_passes(pipeline)]
        raise CompileError(str(error).strip(), stage="pipeline", notes=notes) from None
    (whole,) = split_passes(text)
    return tuple(_flatten(whole.partition("(")[2].removesuffix(")")))


def join_passes(passes: tuple[str, ...] | list[str]) -> str:
    """Returns the pipeline of a list of passes."""
    return ",".join(passes)


def name_of(text: str) -> str:
    """Returns the name of a pass as in `passes_of`, without its options and its nesting."""
    return text.partition("{")[0].rpartition("(")[2].rstrip(")")


def _flatten(text: str) -> Iterator[str]:
    for part in split_passes(text):
        head, paren, inner = part.partition("(")
        # A parenthesis after a brace is part of an option.
        if not paren or "{" in head:
            yield part
            continue
        yield from (f"{head}({nested})" for nested in _flatten(inner.removesuffix(")")))


def split_passes(text: str) -> list[str]:
    """Returns the parts of a pipeline between commas that are not in parentheses, braces or quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [part for part in [*parts, text[start:].strip()] if part]
