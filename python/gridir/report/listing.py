# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a kernel at a stage, and the source lines of each of its lines."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import run_pipeline, shared_context
from gridir.errors import Error, Frame
from gridir.locations import frames_of
from gridir.mlir import ir
from gridir.runtime.tpu.dumps import split_locations

Origin = tuple[str, int]
"""A line of a Python file: its path and number, counted from 1."""


@dataclasses.dataclass(frozen=True)
class Listing:
    """A text that was made from a kernel: MLIR of a stage, PTX, machine code.

    Attributes:
      stage: its stage, as "loops" or "sass".
      language: how it is written: "mlir", "ptx", "sass" or "bundles".
      lines: the text.
      origins: for each line the author's lines that it comes from, the innermost call first; empty where that is not
        known.
    """

    stage: str
    language: str
    lines: tuple[str, ...] = dataclasses.field(repr=False)
    origins: tuple[tuple[Origin, ...], ...] = dataclasses.field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`; `origins` are numbers of `origin_sets`, or -1."""
        numbers: dict[tuple[Origin, ...], int] = {}
        indices = [numbers.setdefault(origin, len(numbers)) if origin else -1 for origin in self.origins]
        return {
            "stage": self.stage,
            "language": self.language,
            "lines": list(self.lines),
            "origin_sets": [[list(origin) for origin in origins] for origins in numbers],
            "origins": indices,
        }


def origins_of(frames: Iterable[Frame]) -> tuple[Origin, ...]:
    """Returns the lines of frames, each once."""
    return tuple(dict.fromkeys((frame.file, frame.line) for frame in frames if frame.line))


def stage_listing(kernel: Kernel, stage: str) -> Listing:
    """Returns the MLIR of a kernel at a stage.

    Raises:
      CompileError: when a pass on the way refuses the kernel.
    """
    return module_listing(kernel.module(stage, context=shared_context()), stage)


def module_listing(module: ir.Module, stage: str) -> Listing:
    """Returns the text of a module. Its ops are located in that text afterwards, beside where they were."""
    with tempfile.TemporaryDirectory(prefix="gridir-report-") as directory:
        path = os.path.join(directory, f"{stage}.mlir")
        run_pipeline(module, f"snapshot-op-locations{{filename={path} tag={_TAG}}}")
        with open(path, encoding="utf-8") as file:
            lines = tuple(file.read().rstrip("\n").split("\n"))
    origins: list[tuple[Origin, ...]] = [()] * len(lines)

    def visit(op: ir.Operation) -> ir.WalkResult:
        original, line = _split(op.location)
        if line and not origins[line - 1]:
            origins[line - 1] = origins_of(frames_of(original))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return Listing(stage, "mlir", lines, tuple(origins))


# The name that MLIR gives to the location of an op in its own text.
_TAG = "listing"


def _split(location: ir.Location) -> tuple[ir.Location, int]:
    """The location that an op had, and its line in the listing; 0 for an op that is not in it."""
    if location.is_a_fused():
        *original, last = location.locations
        if last.is_a_name() and last.name_str == _TAG:
            return (original[0] if len(original) == 1 else ir.Location.fused(original, context=location.context)), (
                last.child_loc.start_line
            )
    return location, 0


def stage_listings(kernel: Kernel) -> tuple[list[Listing], Error | None]:
    """Returns the texts of the stages of MLIR that a kernel reaches, and why it reaches no more."""
    listings = []
    for stage in kernel.stages:
        try:
            if kernel.target.suffix(stage) == "mlir":
                listings.append(stage_listing(kernel, stage))
            else:
                kernel.module(stage)
        except Error as error:
            return listings, error
    return listings, None


def bundle_listing(text: str) -> Listing:
    """Returns the final schedule of libtpu, whose comments say where its operations come from."""
    lines, positions = split_locations(text)
    return Listing("bundles", "bundles", tuple(lines), tuple(tuple(dict.fromkeys(origins)) for origins in positions))


def restrict(listing: Listing, files: Mapping[str, Any]) -> Listing:
    """Returns a listing whose origins are lines of these files only."""
    origins = tuple(tuple(o for o in origin if o[0] in files) for origin in listing.origins)
    return dataclasses.replace(listing, origins=origins)
