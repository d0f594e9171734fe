# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each op of a Mosaic module computes, in NumPy: a table row for what NumPy says, a function for the rest.

A vector is an array, a scalar a NumPy scalar, and a memref a view of the memory that it stands for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from gridir.errors import Error
from gridir.runtime.dtypes import DTYPES


class ExecutionError(Error):
    """A Mosaic module did what a TPU fails at, or does not notice: an access out of bounds, a semaphore unpaired."""


_TYPE = re.compile(r"^(?:memref|vector|tensor)<((?:(?:\d+|\?)x)*)([^,>]+)")


def type_of(text: str) -> tuple[tuple[int, ...], np.dtype]:
    """The shape and the dtype of an MLIR type, a scalar's being (); of semaphores a count. -1 is a dynamic size."""
    match = _TYPE.match(text)
    dims, element = match.groups() if match else ("", text)
    shape = tuple(-1 if size == "?" else int(size) for size in dims.split("x") if size)
    return shape, np.dtype(np.int32) if "semaphore" in element else np.dtype(DTYPES[element.strip()])


def numbers(text: str) -> list[int]:
    """The integers of an attribute, as `array<i64: 1, 0>` holds them."""
    return [int(x) for x in re.findall(r"-?\d+", text.split(":", 1)[1] if ":" in text else "")]


def integer(text: str) -> int:
    """The integer of an attribute like `3 : i32`."""
    return int(text.split(" ", 1)[0])


def constant(text: str) -> Any:
    """The value of a constant's attribute: a number, or an array that holds one number everywhere.

    Raises:
      ExecutionError: for an array of several numbers, which Mosaic refuses, too.
    """
    if text in ("true", "false"):
        return np.bool_(text == "true")
    literal, _, type_ = text.rpartition(" : ")
    shape, dtype = type_of(type_)
    if literal.startswith("dense<"):
        literal = literal[len("dense<") : -1]
    if literal.startswith("["):
        raise ExecutionError(f"expected a constant of one number, got {text[:80]}")
    return np.full(shape, _number(literal, dtype), dtype)[()]


def _number(literal: str, dtype: np.dtype) -> Any:
    if literal in ("true", "false"):
        return literal == "true"
    if literal.startswith("0x") and dtype.kind not in "iu":
        # A float that decimal digits cannot say is written by its bits.
        return np.array(int(literal, 16), f"u{dtype.itemsize}").view(dtype)[()]
    return int(literal, 0) if dtype.kind in "iu" else float(literal)


# Rows ----------------------------------------------------------------------------------------------------------------


def _unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of unsigned numbers, for operands that MLIR keeps without a sign."""

    def apply(*operands: Any) -> Any:
        arrays = [np.asarray(x) for x in operands]
        views = [x if x.dtype.kind != "i" else x.view(f"u{x.itemsize}") for x in arrays]
        return function(*views)

    return apply


def _divide(x: Any, y: Any) -> Any:
    """Division of integers towards zero."""
    return np.where(y == 0, -1, (np.abs(x) // np.where(y == 0, 1, np.abs(y))) * np.sign(x) * np.sign(y))


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.subf": np.subtract,
    "arith.subi": np.subtract,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.divf": np.divide,
    "arith.divsi": _divide,
    "arith.divui": _unsigned(np.floor_divide),
    "arith.remf": np.fmod,
    "arith.remsi": np.fmod,
    "arith.remui": _unsigned(np.fmod),
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": _unsigned(np.right_shift),
    "math.powf": np.power,
    "math.atan2": np.arctan2,
    "math.copysign": np.copysign,
}


def _bits(x: Any) -> int:
    return 8 * x.dtype.itemsize


UNARY: dict[str, Callable[[Any], Any]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.ceil": np.ceil,
    "math.cos": np.cos,
    "math.ctlz": lambda x: _bits(x) - np.frexp(x.astype(np.int64) & (2 ** _bits(x) - 1))[1],
    "math.ctpop": np.vectorize(lambda x: int(x & 0xFFFFFFFF).bit_count()),
    "math.erf": np.vectorize(math.erf),
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.floor": np.floor,
    "math.log": np.log,
    "math.log1p": np.log1p,
    "math.round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "math.roundeven": np.rint,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.sin": np.sin,
    "math.sqrt": np.sqrt,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
    "math.trunc": np.trunc,
    "tpu.reciprocal": lambda x: 1 / x,
    "tpu.weird": lambda x: ~np.isfinite(x),
}

# Conversions that keep the value; those of integers without a sign read it as unsigned.
CASTS = (
    "arith.extf",
    "arith.truncf",
    "arith.extsi",
    "arith.trunci",
    "arith.sitofp",
    "arith.index_cast",
)
UNSIGNED_CASTS = ("arith.extui", "arith.uitofp", "arith.index_castui")


def saturate(x: Any, dtype: Any, unsigned: bool = False) -> Any:
    """The integers that a TPU converts floats to: towards zero, the nearest one there is, and 0 for NaN.

    Args:
      x: the floats.
      dtype: the dtype of the result, which keeps integers without a sign as if they had one.
      unsigned: whether the nearest integer is sought from 0 on.
    """
    info = ml_dtypes.iinfo(dtype)
    low, high = (0, 2**info.bits - 1) if unsigned else (info.min, info.max)
    return np.clip(np.nan_to_num(np.asarray(x, np.float64)), low, high).astype(np.int64).astype(dtype)


INTEGER_PREDICATES: tuple[Callable[[Any, Any], Any], ...] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    _unsigned(np.less),
    _unsigned(np.less_equal),
    _unsigned(np.greater),
    _unsigned(np.greater_equal),
)

_ORDERED = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)


def compare_floats(predicate: int, x: Any, y: Any) -> Any:
    """`arith.cmpf` with the number of its predicate; `one` holds for NaN, as the instruction does that Mosaic has."""
    unordered = np.isnan(x) | np.isnan(y)
    if predicate == 6:
        return np.not_equal(x, y)
    if predicate in (0, 15):
        return np.full(np.shape(x), predicate == 15)
    if predicate in (7, 14):
        return ~unordered if predicate == 7 else unordered
    if predicate < 7:
        return _ORDERED[predicate - 1](x, y) & ~unordered
    return _ORDERED[predicate - 8](x, y) | unordered


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.sum,
    "maximumf": np.max,
    "minimumf": np.min,
    "maxsi": np.max,
    "minsi": np.min,
}
_JOINS = {"add": np.add, "maximumf": np.maximum, "minimumf": np.minimum, "maxsi": np.maximum, "minsi": np.minimum}


def reduce(x: np.ndarray, accumulator: Any, kind: str, axes: Sequence[int]) -> Any:
    """`vector.multi_reduction`; narrow floats are summed in 32 bits."""
    wide = x.astype(np.float32) if x.dtype.kind not in "iub" and x.dtype.itemsize < 4 else x
    return _JOINS[kind](REDUCTIONS[kind](wide, axis=tuple(axes)), np.asarray(accumulator).astype(wide.dtype))


_LIST = re.compile(r"\[([^\[\]]*)\]")


def matmul(lhs: np.ndarray, rhs: np.ndarray, accumulator: np.ndarray, dimensions: str) -> np.ndarray:
    """`tpu.matmul`: contracting, free and batch dimensions, and the order of the result, are those of the attribute."""
    lists = [[int(x) for x in found.split(",") if x.strip()] for found in _LIST.findall(dimensions)]
    lhs_contracting, rhs_contracting, _, _, order, lhs_batch, rhs_batch = lists
    left = [chr(ord("a") + i) for i in range(lhs.ndim)]
    right = [chr(ord("n") + i) for i in range(rhs.ndim)]
    for i, j in zip((*lhs_contracting, *lhs_batch), (*rhs_contracting, *rhs_batch), strict=True):
        right[j] = left[i]
    out = [(left, right)[side][dim] for side, dim in zip(order[::2], order[1::2], strict=True)]
    wide = np.int32 if accumulator.dtype.kind in "iu" else np.float32
    product = np.einsum(
        f"{''.join(left)},{''.join(right)}->{''.join(out)}", lhs.astype(wide), rhs.astype(wide), optimize=True
    )
    return product + accumulator


def iota(shape: Sequence[int], dimensions: Sequence[int]) -> np.ndarray:
    """`tpu.iota`: the index along a dimension, or along several as if they were one."""
    index = np.zeros(shape, np.int64)
    for dim in dimensions:
        view = [1] * len(shape)
        view[dim] = shape[dim]
        index = index * shape[dim] + np.arange(shape[dim]).reshape(view)
    return index


def rotate(x: np.ndarray, amount: Any, dimension: int, stride: int = 0, stride_dimension: int = 0) -> np.ndarray:
    """`tpu.dynamic_rotate`; with a stride each slice along the other dimension goes further than the one before."""
    indices = np.indices(x.shape)
    distance = int(amount) + (stride * indices[stride_dimension] if stride else 0)
    indices[dimension] = (indices[dimension] - distance) % x.shape[dimension]
    return x[tuple(indices)]


def gather(x: np.ndarray, indices: np.ndarray, dimension: int) -> np.ndarray:
    """`tpu.dynamic_gather`; an index out of bounds, which a TPU does not notice, is the nearest one."""
    return np.take_along_axis(x, np.clip(indices.astype(np.int64), 0, x.shape[dimension] - 1), dimension)


def bitcast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`tpu.bitcast`: rows that lie in one word, from its low bits on, become one row, and back."""
    if x.dtype.itemsize == dtype.itemsize:
        return x.view(dtype)
    *leading, rows, columns = x.shape
    if x.dtype.itemsize < dtype.itemsize:
        packing = dtype.itemsize // x.dtype.itemsize
        packed = np.swapaxes(x.reshape(*leading, rows // packing, packing, columns), -1, -2)
        return np.ascontiguousarray(packed).view(dtype)[..., 0]
    packing = x.dtype.itemsize // dtype.itemsize
    parts = np.ascontiguousarray(x)[..., None].view(dtype)
    return np.swapaxes(parts, -1, -2).reshape(*leading, rows * packing, columns)


def window(memory: np.ndarray, start: Sequence[int], shape: Sequence[int], strides: Sequence[int] = ()) -> np.ndarray:
    """The part of a memory that an access reads or writes, as a view.

    Raises:
      ExecutionError: when it is not all inside.
    """
    shape = (*(1,) * (memory.ndim - len(shape)), *shape)
    steps = strides or (1,) * len(shape)
    ends = [i + (size - 1) * step + 1 for i, size, step in zip(start, shape, steps, strict=True)]
    if any(i < 0 or end > size for i, end, size in zip(start, ends, memory.shape, strict=True)):
        raise ExecutionError(f"an access to {tuple(start)} to {tuple(ends)} is out of bounds of {memory.shape}")
    slices = (slice(i, end, step) for i, end, step in zip(start, ends, steps, strict=True))
    # An ellipsis makes a view of a memory of one number, too.
    return memory[(*slices, ...)]
