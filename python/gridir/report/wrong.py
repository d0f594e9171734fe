# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locates the wrong elements of a function's results: the kernels, their blocks and their programs.

The function is run twice more on the CPU, with memory that holds zeros at first and with memory that holds NaN.
Elements that differ between the two depend on memory that nothing has written.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun

from gridir.compiler.checks import check_kernel
from gridir.compiler.cpu import CpuOptions
from gridir.compiler.targets import CPU
from gridir.errors import Error
from gridir.frontend.capture.install import installed, recording
from gridir.frontend.recording.recorder import Call, Recorder
from gridir.report.blocks import MAX_PROGRAMS, Grid, OperandBlocks, read_grid
from gridir.report.displaced import describe_displaced
from gridir.report.origins import Origin, origins

_MAX_BLOCKS = 4
"""The most blocks, and the most operands, that are named."""


@dataclasses.dataclass(frozen=True)
class Unwritten:
    """The elements of a run that depend on uninitialized memory.

    Attributes:
      masks: for each result of the function the elements that do.
      lines: the same for a person, by kernel; empty where no element does.
      calls: the calls of kernels of one of the runs.
    """

    masks: tuple[np.ndarray, ...]
    lines: tuple[str, ...]
    calls: tuple[Call, ...] = dataclasses.field(repr=False)


def find_unwritten(function: Callable[..., Any], args: Sequence[Any]) -> Unwritten | None:
    """Returns the elements that depend on uninitialized memory; None if the CPU cannot run the function."""
    try:
        # Traced once: a function may not be the same each time.
        closed = jax.make_jaxpr(function)(*args)
        (zeros, of_zeros), (nans, of_nans) = (_run(closed, args, fill) for fill in _FILLS)
    except (Error, jax.errors.JaxRuntimeError):
        # A kernel of another target, or one that fails. Its error has been reported where it was run.
        return None
    masks = tuple(_differ(x, y) for x, y in zip(zeros, nans, strict=True))
    lines: list[str] = []
    if any(mask.any() for mask in masks):
        for zero, nan in zip(of_zeros, of_nans, strict=False):
            lines += _describe_unwritten(zero, nan)
        lines += _first_read(closed, args)
    return Unwritten(masks, tuple(lines), tuple(of_zeros))


def _run(closed: Any, args: Sequence[Any], fill: str) -> tuple[list[np.ndarray], list[Call]]:
    calls: list[Call] = []

    def keep(call: Call) -> None:
        # Native code fills the blocks that programs have. The rest of a result is whatever XLA's memory held.
        for result, mask in zip(call.results, _outside_of_blocks(call), strict=True):
            result[mask] = _FILLS[fill](result.dtype)
        calls.append(call)

    with recording(Recorder(keep), CPU, CpuOptions(fill_memory=fill)):
        results = jax.block_until_ready(_call(closed, args))
    return [as_array(x) for x in jax.tree.leaves(results)], calls


def _call(closed: Any, args: Sequence[Any]) -> Any:
    return jax.jit(jaxpr_as_fun(closed))(*jax.tree.leaves(args))


def _nan(dtype: np.dtype) -> Any:
    if jax.numpy.issubdtype(dtype, jax.numpy.inexact):
        return np.nan
    return True if dtype == np.bool_ else jax.numpy.iinfo(dtype).max


_FILLS: dict[str, Callable[[np.dtype], Any]] = {"zero": lambda dtype: 0, "nan": _nan}


def _outside_of_blocks(call: Call) -> list[np.ndarray]:
    """For each result the elements that are in no block, which no program can write. Those of an alias are written."""
    masks = [np.zeros(result.shape, bool) for result in call.results]
    grid = _grid_of(call)
    if grid is None or grid.programs is None or grid.programs > grid.shown:
        return masks
    aliased = set(call.request.operand_aliases.values())
    for number, mask in enumerate(masks):
        operand = _output(grid, number)
        if operand is not None and operand.starts is not None and number not in aliased and operand.shape == mask.shape:
            mask |= ~_touched(operand)
    return masks


def _inside(operand: OperandBlocks, start: Any) -> tuple[slice, ...]:
    """The part of an array that a block covers."""
    return tuple(slice(max(s, 0), max(s + b, 0)) for s, b in zip(start, operand.block, strict=True))


def _touched(operand: OperandBlocks) -> np.ndarray:
    touched = np.zeros(operand.shape, bool)
    for start in np.unique(operand.starts, axis=0) if operand.starts is not None else ():
        touched[_inside(operand, start)] = True
    return touched


def as_array(x: Any) -> np.ndarray:
    """Returns an array for NumPy; of random keys their words."""
    is_key = jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(x) if is_key else x)


def _differ(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x != y) & ~((x != x) & (y != y))


def _describe_unwritten(zero: Call, nan: Call) -> list[str]:
    """Describes the elements that one call leaves unwritten, beyond those of its inputs."""
    pairs = zip(zero.operands, nan.operands, strict=True)
    if zero.kernel.name != nan.kernel.name or any(_differ(x, y).any() for x, y in pairs):
        return []
    lines: list[str] = []
    grid, outsides = _grid_of(zero), _outside_of_blocks(zero)
    for number, (x, y) in enumerate(zip(zero.results, nan.results, strict=True)):
        mask = _differ(x, y)
        if not mask.any():
            continue
        # If all elements are unchanged, nothing was computed.
        outside = mask & outsides[number]
        left = x == _FILLS["zero"](x.dtype)
        left &= (y != y) if jax.numpy.issubdtype(y.dtype, jax.numpy.inexact) else (y == _FILLS["nan"](y.dtype))
        operand = _output(grid, number)
        # A program may have stored what it read from such memory.
        is_stored = operand is not None and operand.name in _written_outputs(zero)
        never = mask if left[mask].all() and not is_stored else outside
        name = f"{operand.name if operand else f'result {number}'} of kernel `{zero.kernel.name}`"
        for found, what in ((never, "never written"), (mask & ~never, "computed from memory that nothing has written")):
            if found.any():
                lines.append(f"{name}: {found.sum()} of {_count(found.size)} {what}, {_extent(found)}")
                lines += _describe_blocks(grid, operand, found)
    return lines


def _written_outputs(call: Call) -> set[str]:
    """The outputs whose elements programs write, each of them."""
    try:
        checks = check_kernel(call.kernel, ["written"]).checks
    except Error:
        return set()
    return {check.subject for check in checks if check.verdict == "proved"}


def _first_read(closed: Any, args: Sequence[Any]) -> list[str]:
    """Returns the finding of the check for the first uninitialized read or output element, with the source line."""
    try:
        with installed(replace_interpret=True, checks=["uninitialized"]):
            jax.block_until_ready(_call(closed, args))
    except Exception as error:
        # XLA has a separate exception class for errors of a call, and prefixes the text with a status.
        lines = str(error).strip().splitlines()
        start = lines[0].find("kernel `") if lines else -1
        return [lines[0][start:], *lines[1:3]] if start >= 0 else []
    return []


def describe_wrong(
    function: Callable[..., Any],
    args: Sequence[Any],
    wrong: Sequence[np.ndarray],
    calls: Sequence[Call],
    values: tuple[Sequence[np.ndarray], Sequence[np.ndarray]] | None = None,
) -> list[str]:
    """Describes the blocks of kernels with wrong elements, the programs of these blocks, and their padding.

    Args:
      function: the function.
      args: its arguments.
      wrong: for each of its results the elements that are wrong.
      calls: the calls of its kernels.
      values: the results and the expected ones; with them, the expected values that wrong elements equal are described.
    """
    if not any(mask.any() for mask in wrong):
        return []
    lines: list[str] = []
    for number, (mask, origin) in enumerate(zip(wrong, origins(function, args), strict=True)):
        if not mask.any():
            continue
        name = f"result {number}" if len(wrong) > 1 else "the result"
        call = _call_of(origin, calls)
        if origin is None or call is None:
            lines.append(f"where {name} is wrong: {_extent(mask)}")
            if values is not None:
                lines += [f"  {text}" for text in describe_displaced(*(x[number] for x in values), mask, None)]
            continue
        found = origin.to_kernel(mask)
        grid = _grid_of(call)
        operand = _output(grid, origin.result)
        of = operand.name if operand else f"result {origin.result}"
        lines.append(f"where {name} is wrong: {of} of kernel `{call.kernel.name}`, {_extent(found)}")
        lines += _describe_blocks(grid, operand, found)
        if values is not None:
            got, want = (origin.values_in_kernel(x[number]) for x in values)
            lines += [f"  {text}" for text in describe_displaced(got, want, found, _tile(operand))]
    return lines


def _tile(operand: OperandBlocks | None) -> tuple[int, ...] | None:
    """The shape of blocks that start at multiples of it; None for others."""
    if operand is None or operand.starts is None or (operand.starts % np.array(operand.block, np.int64)).any():
        return None
    return operand.block


def _call_of(origin: Origin | None, calls: Sequence[Call]) -> Call | None:
    if origin is None:
        return None
    named = [call for call in calls if call.request.kernel_name == origin.kernel]
    return named[origin.occurrence] if origin.occurrence < len(named) else None


def inputs_of(calls: Sequence[Call], leaves: Sequence[Any]) -> dict[int, OperandBlocks]:
    """Returns for each argument that is an input of a kernel its blocks there.

    Args:
      calls: the calls of kernels.
      leaves: the arguments of the function, as a flat list.
    """
    arrays = [as_array(leaf) for leaf in leaves]
    found: dict[int, OperandBlocks] = {}
    for call in calls:
        grid = _grid_of(call)
        inputs = [operand for operand in grid.operands if operand.role == "input"] if grid else []
        for operand, array in zip(inputs, call.operands[len(call.operands) - len(inputs) :], strict=True):
            for number, leaf in enumerate(arrays):
                same = leaf.shape == array.shape and leaf.dtype == array.dtype and leaf.ndim > 0
                if same and number not in found and not _differ(leaf, array).any():
                    found[number] = operand
    return found


def _grid_of(call: Call) -> Grid | None:
    mapping = call.request.grid_mapping
    first = mapping.num_dynamic_grid_bounds
    scalars = call.operands[first : first + mapping.num_index_operands]
    with contextlib.suppress(Error, ValueError, TypeError):
        # A mapping that the picture of a report cannot show either has no blocks to name.
        return read_grid(call.kernel, scalars)
    return None


def _output(grid: Grid | None, number: int) -> OperandBlocks | None:
    outputs = [operand for operand in grid.operands if operand.role == "output"] if grid else []
    return outputs[number] if number < len(outputs) else None


def _describe_blocks(grid: Grid | None, operand: OperandBlocks | None, mask: np.ndarray) -> list[str]:
    """The blocks of an output that have such elements, their programs, and the overhanging parts of these."""
    if grid is None or operand is None or operand.shape != mask.shape:
        return []
    if operand.starts is None:
        return [f"  its blocks are not known: {operand.unknown}"]
    sizes = [dimension.size or 1 for dimension in grid.dimensions]
    programs = np.stack(np.unravel_index(np.arange(grid.shown), sizes), axis=1) if sizes else np.zeros((1, 0), int)
    distinct, of_program = np.unique(operand.starts, axis=0, return_inverse=True)
    of_program = of_program.reshape(-1)
    inside = [_inside(operand, start) for start in distinct]
    hit = [number for number, block in enumerate(inside) if mask[block].any()]
    some = "" if grid.programs == grid.shown else f" of the first {MAX_PROGRAMS} programs"
    lines = []
    for number in hit[:_MAX_BLOCKS]:
        who = _programs(programs[of_program == number])
        lines.append(f"  {_count(mask[inside[number]].sum())} in {_block(operand, distinct[number])} of {who}{some}")
    if len(hit) > _MAX_BLOCKS:
        lines.append(f"  {len(hit)} of {len(distinct)} blocks have such elements")
    outside = mask & ~_touched(operand)
    if outside.any():
        lines.append(f"  {_count(outside.sum())} in no block{some or ' of any program'}, {_extent(outside)}")
    if hit:
        lines += _describe_padding(grid, np.isin(of_program, hit), programs)
    return lines


def _describe_padding(grid: Grid, chosen: np.ndarray, programs: np.ndarray) -> list[str]:
    lines = []
    for operand in grid.operands:
        if operand.starts is None or operand.is_whole:
            continue
        ends = operand.starts + np.array(operand.block, np.int64)
        over = ((operand.starts < 0) | (ends > np.array(operand.shape, np.int64))) & chosen[:, None]
        if not over.any():
            continue
        readers = programs[over.any(axis=1)]
        verb = ("read" if operand.role == "input" else "write") + ("s" if len(readers) == 1 else "")
        past = []
        for dim in np.nonzero(over.any(axis=0))[0]:
            first, last = int(operand.starts[over[:, dim], dim].min()), int(ends[over[:, dim], dim].max()) - 1
            ranges = [_range(first, -1)] if first < 0 else []
            ranges += [_range(operand.shape[dim], last)] if last >= operand.shape[dim] else []
            past.append(f"{' and '.join(ranges)} of dimension {dim}")
        lines.append(f"  {_programs(readers)} {verb} padding of {operand.name}: {', '.join(past)}")
    if lines:
        return lines[:_MAX_BLOCKS]
    if all(operand.is_whole for operand in grid.operands):
        return []
    return ["  none is in padding: no block that these programs read or write overhangs its array"]


def _count(number: Any) -> str:
    return "1 element" if number == 1 else f"{number} elements"


def _block(operand: OperandBlocks, start: np.ndarray) -> str:
    if operand.is_whole:
        return f"{operand.name}, which is not cut into blocks,"
    whole = all(s % b == 0 for s, b in zip(start, operand.block, strict=True))
    if whole:
        return f"block ({', '.join(str(int(s) // b) for s, b in zip(start, operand.block, strict=True))})"
    return f"the block at element ({', '.join(str(int(s)) for s in start)})"


def _programs(rows: np.ndarray) -> str:
    """Programs by the ranges of their numbers, where they are all of these; else the first ones."""
    if len(rows) == 1:
        return f"program {_tuple(map(str, rows[0]))}"
    ranges = [np.unique(column) for column in rows.T]
    is_product = np.prod([len(values) for values in ranges]) == len(rows)
    if is_product and all(len(values) == values[-1] - values[0] + 1 for values in ranges):
        return f"programs {_tuple(_range(int(values[0]), int(values[-1])) for values in ranges)}"
    first = ", ".join(_tuple(map(str, row)) for row in rows[:_MAX_BLOCKS])
    return f"programs {first}" + (f" and {len(rows) - _MAX_BLOCKS} more" if len(rows) > _MAX_BLOCKS else "")


def _tuple(items: Any) -> str:
    parts = list(items)
    return f"({', '.join(parts)})"


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _extent(mask: np.ndarray) -> str:
    """Between which indices of each dimension elements lie, and whether all of those do."""
    if not mask.ndim:
        return "its only element"
    bounds = [(int(index.min()), int(index.max())) for index in np.nonzero(mask)]
    text = ", ".join(_range(*pair) for pair in bounds)
    among = np.prod([last - first + 1 for first, last in bounds])
    return f"{'all of' if among == mask.sum() else 'within'} [{text}]"
