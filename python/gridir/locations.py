# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From MLIR locations and diagnostics to locations in the kernel author's file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gridir.errors import CompileError, Error, Frame, InternalError

if TYPE_CHECKING:
    from gridir.mlir import ir


def frames_of(location: ir.Location) -> tuple[Frame, ...]:
    """Returns the Python frames that a location holds, innermost first.

    A call site gives the callee's frames, then the caller's. A name around a file position names the function, as JAX
    writes it. All parts of a fused location count, in order. Unknown positions give nothing.
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


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """The report of a pass about a location in a kernel.

    Attributes:
      message: the text, without a location.
      frames: the location in the author's code, innermost first.
      notes: the notes of the pass, each with its own location.
    """

    message: str
    frames: tuple[Frame, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    @classmethod
    def from_native(cls, record: Mapping[str, Any], context: ir.Context) -> Diagnostic:
        """Returns the record of a diagnostic of the native compiler, whose location is text."""
        return cls(
            record["message"],
            frames_of(parse_location(record["location"], context)),
            tuple(cls.from_native(note, context) for note in record["notes"]),
        )

    def __str__(self) -> str:
        return f"{self.message} (at {self.frames[0]})" if self.frames else self.message


def error_from_native(failure: Mapping[str, Any], *, kernel: str | None, details: str = "") -> Error:
    """Returns the exception for a failure of the native compiler: the one way from MLIR to an author.

    Where it crashed, that is an InternalError. Else the first error with a location is the message of a CompileError;
    the other diagnostics and all notes become notes.
    """
    from gridir.mlir import ir

    context, stage = ir.Context(), failure["stage"]
    diagnostics = [Diagnostic.from_native(record, context) for record in failure["diagnostics"]]
    if "reproducer" in failure:
        reproducer = failure["reproducer"]
        shown = f"{reproducer} shows it again, by gridir-opt --run-reproducer"
        notes = [shown if reproducer else "no reproducer was written"]
        return InternalError(diagnostics[0].message, kernel=kernel, notes=notes, stage=stage, reproducer=reproducer)
    if not diagnostics:
        return CompileError(f"{stage} failed without a diagnostic", kernel=kernel, stage=stage, details=details)
    chosen = next((d for d in diagnostics if d.frames), diagnostics[0])
    others = (*chosen.notes, *(d for d in diagnostics if d is not chosen))
    details_of_mlir = [d.message for d in others if d.message.startswith(_DETAILS)]
    return CompileError(
        chosen.message,
        kernel=kernel,
        frames=chosen.frames,
        notes=[str(d) for d in others if not d.message.startswith(_DETAILS)],
        stage=stage,
        details="\n".join([*details_of_mlir, details]).strip(),
    )


# MLIR appends the complete op, and the producer of the bytecode.
_DETAILS = ("see current operation: ", "in bytecode version ")
