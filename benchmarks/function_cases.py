# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of `jax.numpy` as kernels: a kernel applies one to blocks, and XLA compiles it for the whole array."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

Function = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Operand:
    """An array of a row: normal numbers of a float type, or all numbers of bytes.

    Attributes:
      shape: the array's shape.
      block: the block's shape; the whole array by default.
      index: the block's index by program.
      dtype: the element type.
      below: the limit of integers, which are not negative then.
    """

    shape: tuple[int, ...]
    block: tuple[int, ...] | None = None
    index: Callable[..., Any] | None = None
    dtype: Any = jnp.float32
    below: int = 0

    def array(self, seed: int) -> jax.Array:
        """Returns the operand's numbers."""
        key = jax.random.key(seed)
        if jnp.issubdtype(self.dtype, jnp.floating):
            return jax.random.normal(key, self.shape, self.dtype)
        if self.below:
            return jax.random.randint(key, self.shape, 0, self.below, self.dtype)
        limits = jnp.iinfo(self.dtype)
        return jax.random.randint(key, self.shape, limits.min, limits.max, self.dtype)

    def spec(self) -> pl.BlockSpec:
        """Returns the operand's blocks."""
        rank = len(self.shape)
        return pl.BlockSpec(self.block or self.shape, self.index or (lambda *_: (0,) * rank))


@dataclasses.dataclass(frozen=True)
class FunctionCase:
    """A function that is applied to blocks, and to whole arrays.

    Attributes:
      name: the row's name.
      function: the function.
      operands: its operands.
      result: the block's shape and index of the result.
      grid: the grid.
      tolerance: how far results may be apart, relative to the largest one.
    """

    name: str
    function: Function
    operands: tuple[Operand, ...]
    result: tuple[tuple[int, ...], Callable[..., Any]]
    grid: tuple[int, ...]
    tolerance: float = 1e-5

    def kernel(self, *args: jax.Array) -> jax.Array:
        """Applies the function to blocks."""

        def body(*refs):
            refs[-1][...] = self.function(*(ref[...] for ref in refs[:-1]))

        block, index = self.result
        return pl.pallas_call(
            body,
            grid=self.grid,
            in_specs=[operand.spec() for operand in self.operands],
            out_specs=pl.BlockSpec(block, index),
            out_shape=jax.eval_shape(self.function, *args),
            name=self.name.replace(" ", "_"),
        )(*args)

    def args(self) -> tuple[jax.Array, ...]:
        """Returns the operands."""
        return tuple(operand.array(i) for i, operand in enumerate(self.operands))


def _rows(i):
    return i, 0


def _columns(i):
    return 0, i


def _from_table(codes, table):
    return table[codes]


def of_rows(
    name: str, function: Function, *more: Operand, shape=(2048, 1024), rows=32, dtype=jnp.float32, below=0, **fields
):
    """Returns a row for a function of rows of a matrix, in blocks of whole rows."""
    first = Operand(shape, (rows, shape[1]), _rows, dtype, below)
    others = tuple(
        dataclasses.replace(other, block=(rows, *other.shape[1:]), index=_rows) if other.shape[0] == shape[0] else other
        for other in more
    )
    operands = (first, *others)
    result = jax.eval_shape(function, *(jax.ShapeDtypeStruct(o.shape, o.dtype) for o in operands))
    count = shape[0] // rows
    block = (result.shape[0] // count, *result.shape[1:])
    index = lambda i: (i,) + (0,) * (len(block) - 1)  # noqa: E731
    return FunctionCase(name, function, operands, (block, index), (count,), **fields)


def of_columns(name: str, function: Function, shape=(4096, 2048), columns=512, dtype=jnp.float32, **fields):
    """Returns a row for a function of columns of a matrix, in blocks of whole columns."""
    operand = Operand(shape, (shape[0], columns), _columns, dtype)
    result = jax.eval_shape(function, jax.ShapeDtypeStruct(shape, dtype))
    return FunctionCase(
        name, function, (operand,), ((result.shape[0], columns), _columns), (shape[1] // columns,), **fields
    )


def product(name: str, rows: int, depth: int, columns: int, block: tuple[int, int], transposed=False) -> FunctionCase:
    """Returns a row for a product of two matrices, in blocks of the result and the whole depth."""
    right_shape, right_block = (
        ((columns, depth), (block[1], depth)) if transposed else ((depth, columns), (depth, block[1]))
    )
    left = Operand((rows, depth), (block[0], depth), lambda i, j: (i, 0))
    right = Operand(right_shape, right_block, (lambda i, j: (j, 0)) if transposed else (lambda i, j: (0, j)))
    grid = (pl.cdiv(rows, block[0]), pl.cdiv(columns, block[1]))
    function = _dot_transposed if transposed else _dot
    return FunctionCase(name, function, (left, right), (block, lambda i, j: (i, j)), grid, 1e-4)


def _recurrence(x):
    def step(carried, row):
        carried = 0.9 * carried + row
        return carried, carried

    return jax.lax.scan(step, jnp.zeros_like(x[0]), x)[1]


def _transposed_squares(x):
    rows, width = x.shape
    return x.reshape(rows // 32, 32, width // 32, 32).transpose(0, 3, 2, 1).reshape(rows, width)


def _one_hot(x):
    return (x == jax.lax.broadcasted_iota(jnp.int32, (x.shape[0], 512), 1)).astype(jnp.float32)


def _to_bytes(x):
    return jnp.clip(jnp.round(x * 40.0), -128, 127).astype(jnp.int8)


def _gather(x, indices):
    return jnp.take_along_axis(x, indices, axis=1)


def _dot_transposed(x, y):
    return jax.lax.dot_general(x, y, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)


def _dot(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32)


def functions() -> list[FunctionCase]:
    """Returns the rows."""
    large = {"shape": (4096, 2048)}
    indices = Operand((2048, 1024), dtype=jnp.int32, below=1024)
    return [
        of_rows("reversed rows", lambda x: x[:, ::-1], tolerance=0.0, **large),
        of_rows("every second", lambda x: x[:, ::2], tolerance=0.0),
        of_rows("sum of pairs", lambda x: x[:, ::2] + x[:, 1::2], tolerance=0.0),
        of_rows("repeat", lambda x: jnp.repeat(x, 2, axis=1), tolerance=0.0),
        of_rows("tile", lambda x: jnp.tile(x, (1, 2)), tolerance=0.0),
        of_rows("concatenate", lambda x, y: jnp.concatenate([x, y], axis=1), Operand((2048, 1024)), tolerance=0.0),
        of_rows("roll", lambda x: jnp.roll(x, 3, axis=1), tolerance=0.0),
        of_rows("pad", lambda x: jnp.pad(x, ((0, 0), (64, 64))), tolerance=0.0),
        of_rows("squares transposed", _transposed_squares, tolerance=0.0),
        of_rows("gather in rows", _gather, indices, tolerance=0.0),
        of_rows("table of 16", _from_table, Operand((16,)), dtype=jnp.int32, below=16, tolerance=0.0),
        of_rows("table of 4096", _from_table, Operand((4096,)), dtype=jnp.int32, below=4096, tolerance=0.0),
        of_rows("one hot", _one_hot, shape=(2048, 1), dtype=jnp.int32, below=512, tolerance=0.0),
        of_rows("to bytes", _to_bytes, tolerance=0.0),
        of_rows("bf16 to f32", lambda x: x.astype(jnp.float32), dtype=jnp.bfloat16, tolerance=0.0),
        of_rows("f32 to bf16", lambda x: x.astype(jnp.bfloat16), tolerance=0.0),
        of_rows("f32 to f16", lambda x: x.astype(jnp.float16), tolerance=0.0),
        of_rows("bytes to f32", lambda x: x.astype(jnp.float32), dtype=jnp.uint8, tolerance=0.0),
        of_rows("population count", jax.lax.population_count, dtype=jnp.int32, tolerance=0.0),
        of_rows("division of int32", lambda x: x // 7, dtype=jnp.int32, tolerance=0.0),
        of_rows("tanh", jnp.tanh),
        of_rows("sigmoid", jax.nn.sigmoid),
        of_rows("softplus", jax.nn.softplus),
        of_rows("erf", jax.lax.erf),
        of_rows("erfc", jax.lax.erfc),
        of_rows("sine", jnp.sin),
        of_rows("arc tangent", jnp.arctan),
        of_rows("hyperbolic sine", jnp.sinh),
        of_rows("hyperbolic cosine", jnp.cosh),
        of_rows("area hyperbolic sine", jnp.arcsinh),
        of_rows("area hyperbolic tangent", lambda x: jnp.arctanh(0.9 * jnp.tanh(x))),
        of_rows("log1p", lambda x: jnp.log1p(jnp.abs(x))),
        of_rows("square root", lambda x: jnp.sqrt(jnp.abs(x))),
        of_rows("power", lambda x: jnp.abs(x) ** 1.7),
        of_rows("floor", jnp.floor, tolerance=0.0),
        of_rows("limits", lambda x: jnp.clip(x, -1.0, 1.0), tolerance=0.0, **large),
        of_rows("variance of rows", lambda x: jnp.var(x, axis=1, keepdims=True)),
        of_rows("norm of rows", lambda x: jnp.sqrt(jnp.sum(x * x, axis=1, keepdims=True))),
        of_rows("smallest of rows", lambda x: jnp.min(x, axis=1, keepdims=True), tolerance=0.0),
        of_rows("any of rows", lambda x: jnp.any(x > 3.0, axis=1, keepdims=True), tolerance=0.0),
        of_rows("products of rows", lambda x, y: jnp.sum(x * y, axis=1, keepdims=True), Operand((2048, 1024))),
        of_rows("eight largest of rows", lambda x: jax.lax.top_k(x, 8)[0], shape=(1024, 512), tolerance=0.0),
        of_rows("running maximum", lambda x: jax.lax.cummax(x, axis=1), tolerance=0.0),
        of_rows("largest of 2x2", lambda x: x.reshape(-1, 2, x.shape[1] // 2, 2).max((1, 3)), **large),
        of_rows(
            "softmax bf16",
            lambda x: jax.nn.softmax(x.astype(jnp.float32), axis=1).astype(jnp.bfloat16),
            dtype=jnp.bfloat16,
            tolerance=1e-2,
        ),
        of_columns("largest of columns", lambda x: jnp.max(x, axis=0, keepdims=True), tolerance=0.0),
        of_columns("mean of columns", lambda x: jnp.mean(x, axis=0, keepdims=True)),
        of_columns("variance of columns", lambda x: jnp.var(x, axis=0, keepdims=True)),
        of_columns("recurrence", _recurrence, shape=(1024, 1024)),
        of_columns("running sum of columns", lambda x: jnp.cumsum(x, axis=0), shape=(1024, 1024)),
        of_columns("softmax of columns", lambda x: jax.nn.softmax(x, axis=0), shape=(1024, 1024)),
        product("product, k whole", 1024, 1024, 1024, (256, 512)),
        product("product, right transposed", 1024, 1024, 1024, (128, 128), transposed=True),
        product("product 1000x777x513", 1000, 777, 513, (128, 128)),
        product("matrix by vector", 4096, 2048, 1, (128, 1)),
        product("8 rows by matrix", 8, 2048, 2048, (8, 256)),
        product("product of depth 8", 4096, 8, 2048, (128, 2048)),
    ]
