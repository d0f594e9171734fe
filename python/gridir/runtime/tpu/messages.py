# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explanations of Mosaic's errors: one row for each class, with the cause and a change that would work."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from gridir.errors import CompileError, Frame


class MosaicError(CompileError):
    """Mosaic, or libtpu around it, refused a kernel.

    Attributes:
      stage: "compile", "crash" or "timeout".
      operand: the name of the operand that it speaks of, or None.
      cause: why, in a sentence; None for an error that the table does not know.
      change: a change that would work; None likewise.
      notes: both, and where memory goes when there is too little.
      details: libtpu's own text.
    """

    def __init__(
        self,
        message: str,
        *,
        stage: str,
        operand: str | None = None,
        cause: str | None = None,
        change: str | None = None,
        more: Sequence[str] = (),
        **kwargs,
    ):
        notes = [text for text in (cause and f"cause: {cause}", change and f"a change that works: {change}") if text]
        notes += more
        super().__init__(message, stage=stage, notes=notes, **kwargs)
        self.operand = operand
        self.cause = cause
        self.change = change


@dataclasses.dataclass(frozen=True)
class Row:
    """One class of errors.

    Attributes:
      pattern: a regular expression that is found in the error's text.
      cause: why Mosaic says so, with `{group}` for a named group of the pattern.
      change: a change that would work, likewise.
    """

    pattern: str
    cause: str
    change: str


_ROUND = "multiply it in the index map by a constant that the tile divides, or take blocks of whole tiles"

ROWS = (
    Row(
        r"has tiling \((?P<tile>[\d, ]+)\), but its block shape \((?P<block>[^)]*)\)",
        "the last two dimensions of a block must be multiples of the tile ({tile}) of this dtype, or the whole array",
        "make the block a multiple of ({tile}) in its last two dimensions",
    ),
    Row(
        r"Couldn't prove that tiling \((?P<tile>\d+)\) divides index returned by transform_indices on dimension "
        r"(?P<dim>\d+)",
        "an index map in units of elements must give multiples of the tile, here {tile} along dimension {dim}, in a "
        "way that can be read off its last multiplication",
        _ROUND,
    ),
    Row(
        r"cannot statically prove that index in dimension (?P<dim>\d+) is a multiple of (?P<tile>\d+)",
        "a slice that starts at a value known only at run time must start at a multiple of {tile} along dimension "
        "{dim}",
        "say so with pl.multiple_of(i, {tile}), or load whole tiles and rotate",
    ),
    Row(
        r"cannot statically prove",
        "a slice that starts at a value known only at run time must start at a multiple of the tile",
        "say so with pl.multiple_of(i, 8) for rows (16 or 32 for 2- and 1-byte types) or 128 for lanes",
    ),
    Row(
        r"Scoped allocation with size (?P<size>[\d.]+\w) and limit (?P<limit>[\d.]+\w)",
        "blocks (two buffers each), scratch and Mosaic's own memory take {size} of VMEM, and the limit is {limit}",
        "take smaller blocks, one buffer for constant ones (pl.Buffered(1)), or raise vmem_limit_bytes",
    ),
    Row(
        r"(?i)vmem.*(exhausted|out of memory)|Ran out of memory in memory space vmem",
        "the kernel needs more VMEM than the chip has",
        "take smaller blocks or less scratch",
    ),
    Row(
        r"unsupported shape cast",
        "a reshape must leave the last dimension (the lanes) alone, or split or merge it in whole tiles of 128",
        "reshape outside of the kernel, or keep the last dimension and move others only",
    ),
    Row(
        r"Invalid vector type for load",
        "Mosaic has no float16",
        "pass bfloat16 or float32; convert outside of the kernel",
    ),
    Row(
        r"Only vector<i16> and vector<i32> are supported, but got 'i(?P<width>\d+)'",
        "there is no arithmetic on int{width} on this chip",
        "widen to int32 (x.astype(jnp.int32)), compute, and narrow before the store",
    ),
    Row(
        r"Unsupported element type for the selected reduction|Unsupported element type",
        "reductions are in 32 bits (and bfloat16 for max, min and sum)",
        "widen to float32 or int32 before the reduction",
    ),
    Row(
        r"unsupported kind|Unsupported reduction kind",
        "vectors are reduced by sum, max and min only",
        "take logarithms and sum for a product; max and min over 0 and 1 for any and all",
    ),
    Row(
        r"float acc with int lhs|Unsupported matmul|bf16 matmul acc|Unsupported (?:matmul )?(?:LHS|RHS|acc)",
        "this chip's matrix unit does not take these dtypes together",
        "multiply bfloat16 or float32 into float32, int8 into int32 (float8 on v5e and later)",
    ),
    Row(
        r"Multiple source vregs along gather dimension",
        "a gather reads within one vector register: 128 lanes or 8 rows of 32-bit values",
        "split the gathered dimension in pieces of 128 and select among them",
    ),
    Row(
        r"(?i)rotate with non-32-bit data",
        "vectors are rotated in 32 bits only",
        "widen to 32 bits, roll, and narrow",
    ),
    Row(
        r"Unsupported memory space|scalar loads? from vmem",
        "a single number cannot be read from VMEM",
        "put the operand into SMEM (memory_space=pltpu.SMEM), or prefetch it",
    ),
    Row(
        r"failed to legalize operation '(?:stable_mosaic\.)?(?P<op>[\w.]+)'",
        "Mosaic has no lowering for {op} in this form",
        "write it with other operations",
    ),
    Row(
        r"internal scratch size (?P<size>\d+) needs to be at least (?P<least>\d+)",
        "Mosaic keeps {least} bytes for itself",
        "set internal_scratch_in_bytes to at least {least}, or leave it out",
    ),
    Row(
        r"Could not convert JSON string to proto: unknown enum value: '(?P<flag>[^']*)'",
        "{flag} is not one of the flags that a kernel may set",
        "leave it out of CompilerParams.flags",
    ),
    Row(
        r"Core-parallel dimension (?P<dim>\d+) has iteration bound: (?P<bound>\d+).*cores: (?P<cores>\d+)",
        "a core_parallel dimension must be as large as the number of cores at most, here {cores}",
        "make dimension {dim} 'parallel', or split it so that the outer part is {cores}",
    ),
    Row(
        r"unknown attribute code",
        "libtpu cannot read float8 types from bytecode, which JAX's lowering writes",
        "compile the kernel with gridir, which writes text",
    ),
    Row(
        r"collective_id",
        "collective_id and the barrier semaphore belong together",
        "set both or neither",
    ),
    Row(
        r"expected <= (?P<known>\d+) but got (?P<version>\d+)",
        "this libtpu reads Mosaic's version {known} and earlier ones, and the kernel is in version {version}",
        "compile with TpuOptions(version={known})",
    ),
    Row(
        r"Check failed: .*iteration_indices\.size\(\) == rank",
        "an index map gives fewer results than the operand has dimensions",
        "give one index for each dimension",
    ),
    Row(
        r"Do not know how to handle output: .*memory_space=sflag",
        "the kernel shares semaphores with another kernel, but is compiled as a program of its own, which has none as "
        "operands",
        "allocate the semaphores in the kernel, or compile the whole function for a TPU",
    ),
    Row(
        r"libtpu gave no answer",
        "compilation takes time that grows with the size of a block, since every vector register is a line of code",
        "take smaller blocks (below about 1000 vector registers each), or give a longer timeout",
    ),
    Row(
        r"SIGSEGV STACK OVERFLOW",
        "libtpu ran out of stack, which happens where one value runs through very many vector registers",
        "take smaller blocks, or keep carried values of a loop in scratch",
    ),
    Row(
        r"libtpu ended with status",
        "libtpu ended itself on this kernel instead of reporting an error",
        "compare with JAX's own lowering (--compare); if that compiles, this is a bug of gridir",
    ),
)

# libtpu reads the module of a SparseCore again, as a file that it names after the instruction of XLA.
_PROGRAM = re.compile(r"[\w-]+\.\d+")

_LOCATION = re.compile(r"^at location: (loc\(.*\))$", re.MULTILINE)
_OPERATION = re.compile(r"^The MLIR operation involved:\n(.*?)\n(?:\n|Please|\.\.\.)", re.MULTILINE | re.DOTALL)
_OPERAND = re.compile(r"window params for (?P<kind>input|output) (?P<number>\d+)")
_FILE = re.compile(r'(?:"(?P<function>[^"]*)"\()?"(?P<file>[^"]+)":(?P<line>\d+):(?P<column>\d+)')
# The text around a message, and XLA's complete text of the call with its configuration.
_NOISE = re.compile(
    r"^(?:[A-Z_]+: )?(?:Mosaic failed to compile TPU kernel(?: with MLIR module name `[^`]*` HLO name `[^`]*`)?: )?"
    r"| while allocating on stack for .*"
)


def explain(
    text: str,
    *,
    stage: str = "compile",
    kernel: str | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    planned: Mapping[str, int] | None = None,
    first_column: int = 1,
) -> MosaicError:
    """Returns libtpu's error as one about the author's kernel.

    Args:
      text: libtpu's message, or its last words.
      stage: "compile", "crash" or "timeout".
      kernel: the kernel's name.
      inputs: the names of the inputs, without prefetched scalars.
      outputs: the names of the outputs.
      planned: bytes of VMEM by operand.
      first_column: the number of a line's first column in the kernel's locations; JAX's own lowering counts from 0.
    """
    operand = None
    match = _OPERAND.search(text)
    if match:
        names = {"input": inputs, "output": outputs}[match["kind"]]
        operand = names[int(match["number"])] if int(match["number"]) < len(names) else None
    cause, change = _lookup(text)
    message = _summary(text)
    more = []
    if planned and "memory space vmem" in text:
        heaviest = sorted(planned.items(), key=lambda item: -item[1])
        more = [f"of VMEM, {', '.join(f'{name} takes {size:,} bytes' for name, size in heaviest)}"]
    return MosaicError(
        f"{message} ({operand})" if operand else message,
        stage=stage,
        kernel=kernel,
        operand=operand,
        cause=cause,
        change=change,
        more=more,
        frames=_frames(text, 1 - first_column),
        details=text,
    )


def _lookup(text: str) -> tuple[str | None, str | None]:
    for row in ROWS:
        match = re.search(row.pattern, text)
        if match:
            return row.cause.format(**match.groupdict()), row.change.format(**match.groupdict())
    return None, None


def _summary(text: str) -> str:
    """Mosaic's own sentence, without its location, and the operation that it is about."""
    body = _LOCATION.split(text)[0]
    stripped = (line.strip() for line in body.splitlines())
    # For a crash, only the reason is kept, not the stack.
    lines = [line for line in stripped if line and not line.startswith(("See http", "*** Check", "@ ", "PC: "))]
    message = " ".join(_NOISE.sub("", line)[:300] for line in lines[:2]) or "libtpu failed without a message"
    operation = _OPERATION.search(text)
    if operation:
        name = re.search(r'"([\w.]+)"\(', operation[1])
        types = operation[1].rsplit(" : ", 1)[-1].strip()
        message += f"; the operation is {name[1] if name else 'unknown'} : {types}"[:400]
    return message


def _frames(text: str, shift: int) -> tuple[Frame, ...]:
    """The author's lines in the location that Mosaic names, innermost first."""
    match = _LOCATION.search(text)
    if match is None:
        return ()
    frames = [
        Frame(frame["file"], int(frame["line"]), int(frame["column"]) + shift, frame["function"])
        for frame in _FILE.finditer(match[1])
        if frame["file"] != "-" and not _PROGRAM.fullmatch(frame["file"])
    ]
    return tuple(dict.fromkeys(frames))
