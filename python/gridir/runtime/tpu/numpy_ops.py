# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a Mosaic module in NumPy: a table row for ops that NumPy has, a function for the others.

A vector is an array, a scalar a NumPy scalar, and a memref a view of the memory that it stands for.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from gridir.errors import Error
from gridir.runtime.dtypes import DTYPES


class ExecutionError(Error):
    """A Mosaic module did something at which a TPU fails, or which it does not notice: an access out of bounds, an
    unpaired semaphore.
    """


class Type(NamedTuple):
    """An MLIR type, as the interpreter needs it.

    Attributes:
      shape: of a scalar (); -1 is a dynamic size.
      dtype: the dtype of an element in the interpreter; a semaphore is a count.
      bits: the bits of an element, which may be fewer than its bytes hold.
      space: the memory of a memref, as `#tpu.memory_space` names it; otherwise "".
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    bits: int
    space: str


_TYPE = re.compile(r"^(?:memref|vector|tensor)<((?:(?:\d+|\?)x)*)([^,>]+)")
_SPACE = re.compile(r"#tpu\.memory_space<(\w+)>")


def type_of(text: str) -> Type:
    """Parses an MLIR type.

    Raises:
      ExecutionError: for an element type that is none of a TPU's.
    """
    match = _TYPE.match(text)
    dims, element = match.groups() if match else ("", text)
    shape = tuple(-1 if size == "?" else int(size) for size in dims.split("x") if size)
    space = _SPACE.search(text)
    dtype, bits = _element_of(element.strip())
    return Type(shape, dtype, bits, space[1] if space else "")


@functools.cache
def _element_of(name: str) -> tuple[np.dtype, int]:
    if "semaphore" in name:
        return np.dtype(np.int32), 32
    if name not in DTYPES:
        raise ExecutionError(f"expected numbers that a TPU supports, got {name}")
    width = re.search(r"\d+", name)
    return np.dtype(DTYPES[name]), int(width[0]) if width else 64


def held(x: np.ndarray) -> np.ndarray:
    """An array as a module sees it, where integers have no signs of their own: the same memory, if the bytes are."""
    if x.dtype.kind == "u":
        return x.view(f"i{x.dtype.itemsize}")
    name = x.dtype.name
    if name in ("int2", "int4", "uint2", "uint4"):
        return narrowed(x.astype(np.int8), int(name[-1]))
    return x


def narrowed(x: Any, bits: int) -> Any:
    """Integers of the bits that a TPU keeps of them."""
    spare = 8 * x.dtype.itemsize - bits
    return (x << spare) >> spare if spare and x.dtype.kind == "i" else x


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
    shape, dtype, _, _ = type_of(type_)
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
    divisor = np.where(y == 0, 1, y).astype(np.asarray(x).dtype)
    return np.where(y == 0, -1, (x - np.fmod(x, divisor)) // divisor)


def _integer_power(x: Any, y: Any) -> Any:
    """Of a negative exponent the power is 1 over the other one, towards zero."""
    one_over = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0))
    return np.where(y < 0, one_over, np.power(x, np.where(y < 0, 0, y)))


def _divide_unsigned(x: Any, y: Any) -> Any:
    """A quotient by 0 has all bits set."""
    return np.where(y == 0, ~y, x // np.maximum(y, 1))


def _remainder(x: Any, y: Any) -> Any:
    """The rest of a division towards zero; by 0 it is the dividend."""
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y).astype(np.asarray(y).dtype)))


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.subf": np.subtract,
    "arith.subi": np.subtract,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.divf": np.divide,
    "arith.divsi": _divide,
    "arith.ceildivsi": lambda x, y: -np.floor_divide(-x, y),
    "arith.ceildivui": _unsigned(lambda x, y: np.floor_divide(x, y) + (np.fmod(x, y) != 0)),
    "arith.divui": _unsigned(_divide_unsigned),
    "arith.floordivsi": np.floor_divide,
    "arith.remf": np.fmod,
    "arith.remsi": _remainder,
    "arith.remui": _unsigned(_remainder),
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
    "math.fpowi": np.power,
    "math.ipowi": _integer_power,
}


def extended_sum(x: Any, y: Any) -> tuple[Any, Any]:
    """A sum of integers, and whether it has a bit more."""
    total = x + y
    unsigned = [np.asarray(n).view(f"u{np.asarray(n).itemsize}") for n in (total, x)]
    return total, unsigned[0] < unsigned[1]


def extended_product(x: Any, y: Any, unsigned: bool) -> tuple[Any, Any]:
    """The low and the high half of a product of integers of up to 32 bits."""
    kind, bits = "u" if unsigned else "i", 8 * np.asarray(x).dtype.itemsize
    wide = [np.asarray(n).view(f"{kind}{bits // 8}").astype(f"{kind}8") for n in (x, y)]
    product = wide[0] * wide[1]
    return product, product >> bits


def _count_ones(x: Any) -> Any:
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))


def _count_zeros_in_front(x: Any) -> Any:
    bits, x = 8 * x.dtype.itemsize, x.view(f"u{x.dtype.itemsize}")
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < bits:
            x = x | (x >> np.uint8(shift)).astype(x.dtype)
    return bits - np.bitwise_count(x)


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of one float, of every float of an array."""
    return np.vectorize(function, otypes=[np.float64])


UNARY: dict[str, Callable[[Any], Any]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.acos": np.arccos,
    "math.acosh": np.arccosh,
    "math.asin": np.arcsin,
    "math.asinh": np.arcsinh,
    "math.atan": np.arctan,
    "math.atanh": np.arctanh,
    "math.cbrt": np.cbrt,
    "math.ceil": np.ceil,
    "math.cos": np.cos,
    "math.cosh": np.cosh,
    "math.ctlz": _count_zeros_in_front,
    "math.ctpop": _count_ones,
    "math.cttz": lambda x: _count_ones(~x & (x - np.ones((), x.dtype))),
    "math.erf": _each(math.erf),
    "math.erfc": _each(math.erfc),
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.floor": np.floor,
    "math.isfinite": np.isfinite,
    "math.isinf": np.isinf,
    "math.isnan": np.isnan,
    "math.isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= ml_dtypes.finfo(x.dtype).smallest_normal),
    "math.log": np.log,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "math.roundeven": np.rint,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.sin": np.sin,
    "math.sinh": np.sinh,
    "math.sqrt": np.sqrt,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
    "math.trunc": np.trunc,
    "tpu.logistic": lambda x: 1 / (1 + np.exp(-x)),
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


def reduced_precision(x: np.ndarray, exponent: int, mantissa: int) -> np.ndarray:
    """Floats that have as many bits of exponent and mantissa, in the type of `x`."""
    info, word = ml_dtypes.finfo(x.dtype), np.dtype(f"u{x.dtype.itemsize}")
    bits, dropped = x.view(word).astype(np.uint64), info.nmant - mantissa
    if dropped > 0:
        low = np.uint64(2**dropped - 1)
        odd = (bits >> np.uint64(dropped)) & np.uint64(1)
        bits = (bits + (low >> np.uint64(1)) + odd) & ~low
    y = bits.astype(word).view(x.dtype)
    bias = 2 ** (exponent - 1) - 1
    if exponent < info.nexp:
        size = np.abs(y).astype(np.float64)
        y = np.where(size >= 2.0 ** (bias + 1), np.copysign(np.inf, y), y)
        y = np.where(size < 2.0 ** (1 - bias), np.copysign(0.0, y), y)
    return np.where(np.isfinite(x), y, x).astype(x.dtype)


def stochastically_rounded(x: np.ndarray, random: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Adds random bits below the last bit of the target, then truncates; values that are not finite do not change."""
    dropped = ml_dtypes.finfo(np.float32).nmant - ml_dtypes.finfo(dtype).nmant
    low = np.uint32(2**dropped - 1)
    cut = (x.view(np.uint32) + (random.view(np.uint32) & low)) & ~low
    return np.where(np.isfinite(x), cut.view(np.float32), x).astype(dtype)


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


_REDUCTIONS: dict[str, Any] = {
    "add": np.add,
    "and": np.bitwise_and,
    "maximumf": np.maximum,
    "maxnumf": np.fmax,
    "maxsi": np.maximum,
    "minimumf": np.minimum,
    "minnumf": np.fmin,
    "minsi": np.minimum,
    "mul": np.multiply,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_UNSIGNED_REDUCTIONS = {"maxui": np.maximum, "minui": np.minimum}


def reduce(x: np.ndarray, accumulator: Any, kind: str, axes: Sequence[int]) -> Any:
    """`vector.multi_reduction`; narrow floats are summed in 32 bits."""
    wide = x.astype(np.float32) if x.dtype.kind not in "iub" and x.dtype.itemsize < 4 else x
    accumulator = np.asarray(accumulator).astype(wide.dtype)
    if kind in _UNSIGNED_REDUCTIONS:
        join = _UNSIGNED_REDUCTIONS[kind]
        wide, accumulator = (array.view(f"u{array.itemsize}") for array in (wide, accumulator))
    else:
        join = _REDUCTIONS[kind]
    return join(join.reduce(wide, axis=tuple(axes)), accumulator)


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


def bitcast(x: np.ndarray, dtype: np.dtype, bits: int, old_bits: int) -> np.ndarray:
    """The same bits as another element type: rows that lie in one word, from its low bits on, become one row, and back.

    Args:
      x: the array; one of one dimension is a column.
      dtype: the dtype of the result.
      bits: the bits of an element of the result.
      old_bits: the bits of an element of `x`.
    """
    if bits == old_bits and x.dtype.itemsize == dtype.itemsize:
        return x.view(dtype)
    if x.ndim == 1:
        return bitcast(x[:, None], dtype, bits, old_bits)[:, 0]
    # Each element as the number that its bits are.
    patterns = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").astype(np.uint64) & _ones(old_bits)
    *leading, rows, columns = x.shape
    if old_bits < bits:
        packing = bits // old_bits
        shifts = np.arange(packing, dtype=np.uint64) * np.uint64(old_bits)
        parts = patterns.reshape(*leading, rows // packing, packing, columns) << shifts[:, None]
        patterns = np.bitwise_or.reduce(parts, axis=-2)
    elif old_bits > bits:
        packing = old_bits // bits
        shifts = np.arange(packing, dtype=np.uint64) * np.uint64(bits)
        parts = (patterns[..., None, :] >> shifts[:, None]) & _ones(bits)
        patterns = parts.reshape(*leading, rows * packing, columns)
    words = patterns.astype(f"u{dtype.itemsize}")
    if dtype.kind == "i":
        return narrowed(words.view(dtype), bits)
    return words.view(dtype)


def _ones(bits: int) -> np.uint64:
    return np.uint64(2**bits - 1)
