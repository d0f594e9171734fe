# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX and SASS of a kernel with the author's lines of each instruction.

The lines of the NVVM module's own text stand in the debug directives of the PTX, and from there in the machine code, so
that every instruction leads to an op of that text, and by it to the author's line. Without other debug information the
directives change no instruction.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator

from gridir.compiler.gpu import text_of
from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import run_pipeline, shared_context
from gridir.report.listing import Listing, module_listing
from gridir.runtime.ptxas import PtxasError, assemble, disassemble, find_nvdisasm, find_ptxas

# The stages that carry the source lines.
_BEFORE, _PTX = "nvvm", "ptx"

_DIRECTIVE = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
# Lines that belong to debug directives.
_DEBUG = re.compile(r"\$L__(tmp|func_(begin|end))\d*:|\s*\.(file|section)\s|//")
_NO_INSTRUCTION = re.compile(r"\s*([.{})]|//|[$\w]+:|$)")
_SASS_LINE = re.compile(r'\s*//## File "[^"]*", line (\d+)')
_NO_CODE = re.compile(r"\s*(//-+|\.|$)")


def machine_listings(kernel: Kernel) -> list[Listing]:
    """Returns the PTX of a kernel, and its SASS where ptxas and nvdisasm are installed and accept it.

    Raises:
      CompileError: when a pass refuses the kernel.
    """
    before = module_listing(kernel.module(_BEFORE, context=shared_context()), _BEFORE)
    module = kernel.module(_BEFORE, context=shared_context())
    with tempfile.TemporaryDirectory(prefix="gridir-report-") as directory:
        run_pipeline(module, f"snapshot-op-locations{{filename={os.path.join(directory, 'nvvm.mlir')}}}")
    run_pipeline(module, "ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}")
    run_pipeline(module, kernel.target.pipeline(kernel.options, _PTX, _BEFORE), kernel=kernel.name)
    ptx = text_of(module)
    listings = [_listing("ptx", _ptx_lines(ptx), before)]
    if find_ptxas() and find_nvdisasm():
        options = kernel.target.check_options(kernel.options)
        # A kernel that ptxas rejects has no machine code; its verdict has the reason.
        with contextlib.suppress(PtxasError):
            cubin = assemble(ptx, options.chip, kernel=kernel.name, line_info=True)
            listings.append(_listing("sass", _sass_lines(disassemble(cubin.code, kernel=kernel.name)), before))
    return listings


def _listing(stage: str, lines: Iterator[tuple[str, int]], before: Listing) -> Listing:
    texts, numbers = zip(*lines, strict=True)
    origins = tuple(before.origins[n - 1] if 0 < n <= len(before.origins) else () for n in numbers)
    return Listing(stage, stage, texts, origins)


def _ptx_lines(ptx: str) -> Iterator[tuple[str, int]]:
    """The lines of the PTX without debug directives, each with the line of the NVVM text that it comes from, or 0."""
    current = 0
    for line in ptx.splitlines():
        if found := _DIRECTIVE.match(line):
            current = int(found[1])
        elif not _DEBUG.match(line):
            is_instruction = not _NO_INSTRUCTION.match(line)
            yield line.replace("\t", "    "), current if is_instruction else 0


def _sass_lines(text: str) -> Iterator[tuple[str, int]]:
    current = 0
    for line in text.splitlines():
        if found := _SASS_LINE.match(line):
            current = int(found[1])
        elif not _NO_CODE.match(line) or line.startswith(".L_"):
            is_instruction = line.lstrip().startswith("/*")
            yield line.expandtabs(8).rstrip(), current if is_instruction else 0
