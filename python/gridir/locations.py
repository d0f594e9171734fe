# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From MLIR locations and diagnostics to places in the kernel author's file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gridir.errors import CompileError, Frame

if TYPE_CHECKING:
    from gridir.mlir import ir


def frames_of(location: ir.Location) -> tuple[Frame, ...]:
    """Returns the Python frames that a location holds, innermost first.

    A call site gives the callee's frames, then the caller's. A name around a file position names the function, as
    JAX writes it. Of a fused location every part counts, in order. Unknown positions give nothing.
    """
    return tuple(dict.fromkeys(_walk(location, None)))


def _walk(location: ir.Location, function: str | None) -> Iterator[Frame]:
    if location.is_a_callsite():
        yield from _walk(location.callee, function)
        yield from _walk(location.caller, None)
    elif location.is_a_name():
        yield from _walk(location.child_loc, location.name_str)
    elif location.is_a_fused():
        for part in location.locations:
            yield from _walk(part, function)
    elif location.is_a_file():
        yield Frame(location.filename, location.start_line, location.start_col, function)


def parse_location(text: str, context: ir.Context) -> ir.Location:
    """Returns the location whose textual form is `text`, as `loc("file.py":1:2)`; an unknown one if it has none."""
    from gridir.mlir import ir

    with context:
        try:
            return ir.Location.from_attr(ir.Attribute.parse(text))
        except (ir.MLIRError, ValueError):
            # The text may refer to attributes of a dialect that this context does not know.
            return ir.Location.unknown()


def error_from_diagnostics(
    diagnostics: Sequence[ir.DiagnosticInfo], *, kernel: str | None, stage: str, details: str = ""
) -> CompileError:
    """Returns the exception for the diagnostics of a failed pass.

    The first error with a place is the message; the other diagnostics and all notes become notes.
    """
    from gridir.mlir import ir

    errors = [d for d in diagnostics if d.severity == ir.DiagnosticSeverity.ERROR]
    located = [d for d in errors if frames_of(d.location)]
    chosen = (located or errors or list(diagnostics) or [None])[0]
    if chosen is None:
        return CompileError(f"{stage} failed without a diagnostic", kernel=kernel, stage=stage, details=details)
    notes = [_describe(d) for d in (*chosen.notes, *(d for d in diagnostics if d is not chosen))]
    return CompileError(
        chosen.message, kernel=kernel, frames=frames_of(chosen.location), notes=notes, stage=stage, details=details
    )


def _describe(diagnostic: ir.DiagnosticInfo) -> str:
    frames = frames_of(diagnostic.location)
    return f"{diagnostic.message} (at {frames[0]})" if frames else diagnostic.message
