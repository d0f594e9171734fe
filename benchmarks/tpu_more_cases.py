# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fifty more kernels for TPUs, written down at once before any of them was compiled, and not tuned to.

They are what people write by hand: elementwise functions, normalisations, reductions, matmuls with epilogues, windows
that move, prefetched scalars, copies by hand, loops. Arguments are shapes and dtypes: nothing is executed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from tpu_cases import Case, shape

Made = tuple[Callable[..., Any], tuple[Any, ...]]
f32 = functools.partial(shape, dtype=jnp.float32)
i32 = functools.partial(shape, dtype=jnp.int32)

# One function of blocks of rows -------------------------------------------------------------------------------------


def _rows(
    body: Callable[..., Any],
    count: int = 1,
    *,
    dims: tuple[int, int] = (1024, 512),
    rows: int = 128,
    dtype: Any = jnp.float32,
    out: Any = None,
    columns: int | None = None,
) -> Made:
    """Applies a function to blocks of rows of `count` arrays; the result has `columns` columns."""

    def kernel(*refs: Any) -> None:
        *xs, o_ref = refs
        o_ref[...] = body(*(x[...] for x in xs)).astype(o_ref.dtype)

    columns = columns or dims[1]
    call = pl.pallas_call(
        kernel,
        grid=(dims[0] // rows,),
        in_specs=[pl.BlockSpec((rows, dims[1]), lambda i: (i, 0))] * count,
        out_specs=pl.BlockSpec((rows, columns), lambda i: (i, 0)),
        out_shape=shape(dims[0], columns, dtype=out or dtype),
    )
    return call, (shape(*dims, dtype=dtype),) * count


def _rms_norm(x: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def _layer_norm(x: Any) -> Any:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def _rotary(x: Any, cos: Any, sin: Any) -> Any:
    half = x.shape[1] // 2
    return x * cos + jnp.concatenate([-x[:, half:], x[:, :half]], axis=1) * sin


def _quantise(x: Any) -> Any:
    scale = jnp.max(jnp.abs(x), axis=-1, keepdims=True) / 127
    return jnp.round(x / scale).astype(jnp.int32).astype(jnp.int8)


def _top(x: Any) -> Any:
    return jnp.broadcast_to(jnp.argmax(x, axis=-1)[:, None], (x.shape[0], 128))


def _adam(p: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8)


ROWS: dict[str, Callable[[], Made]] = {
    "relu": lambda: _rows(lambda x: jnp.maximum(x, 0)),
    "leaky relu bf16": lambda: _rows(lambda x: jnp.where(x > 0, x, x * 0.1), dtype=jnp.bfloat16),
    "tanh": lambda: _rows(jnp.tanh),
    "exp bf16 in f32": lambda: _rows(lambda x: jnp.exp(x.astype(jnp.float32)), dtype=jnp.bfloat16),
    "softplus": lambda: _rows(jax.nn.softplus),
    "gelu erf": lambda: _rows(functools.partial(jax.nn.gelu, approximate=False)),
    "swiglu": lambda: _rows(lambda x, y: jax.nn.silu(x) * y, 2),
    "geglu bf16": lambda: _rows(lambda x, y: jax.nn.gelu(x) * y, 2, dtype=jnp.bfloat16),
    "residual add of three": lambda: _rows(lambda x, y, z: x + y * 0.5 + z, 3),
    "adam": lambda: _rows(_adam, 4),
    "rms norm": lambda: _rows(_rms_norm),
    "rms norm bf16": lambda: _rows(lambda x: _rms_norm(x.astype(jnp.float32)), dtype=jnp.bfloat16),
    "layer norm of 256 columns": lambda: _rows(_layer_norm, dims=(1024, 256)),
    "log softmax": lambda: _rows(functools.partial(jax.nn.log_softmax, axis=-1)),
    "rotary": lambda: _rows(_rotary, 3, dims=(1024, 256)),
    "quantise to int8": lambda: _rows(_quantise, out=jnp.int8),
    "cast to bf16": lambda: _rows(lambda x: x, out=jnp.bfloat16),
    "widen int8": lambda: _rows(lambda x: x.astype(jnp.float32) * 0.01, dtype=jnp.int8, out=jnp.float32),
    "row sums": lambda: _rows(lambda x: jnp.broadcast_to(x.sum(1, keepdims=True), (128, 128)), columns=128),
    "row argmax": lambda: _rows(_top, out=jnp.int32, columns=128),
    "integer clamp": lambda: _rows(lambda x: jnp.clip(x * 3 + 1, -100, 100), dtype=jnp.int32),
    "integer hash": lambda: _rows(lambda x: (x ^ (x << 13)) ^ ((x ^ (x << 13)) >> 7), dtype=jnp.int32),
    "transpose of blocks": lambda: _rows(lambda x: x.T, dims=(1024, 128)),
    "power of 3 and sqrt": lambda: _rows(lambda x: jnp.sqrt(jnp.abs(x**3))),
    "sine": lambda: _rows(jnp.sin, rows=32),
}

# Matmuls -------------------------------------------------------------------------------------------------------------


def _matmul(
    epilogue: Callable[..., Any] = lambda x: x,
    *,
    blocks: tuple[int, int, int] = (128, 128, 128),
    sizes: tuple[int, int, int] = (512, 512, 512),
    dtype: Any = jnp.bfloat16,
    bias: bool = False,
    transposed: bool = False,
) -> Made:
    (bm, bn, bk), (m, n, k) = blocks, sizes

    def kernel(*refs: Any) -> None:
        x_ref, y_ref, *more, o_ref, acc_ref = refs

        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            acc_ref[...] = jnp.zeros_like(acc_ref)

        y = y_ref[...].T if transposed else y_ref[...]
        acc_ref[...] += jnp.dot(x_ref[...], y, preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == k // bk - 1)
        def _() -> None:
            o_ref[...] = epilogue(acc_ref[...], *(ref[...] for ref in more)).astype(o_ref.dtype)

    right = pl.BlockSpec((bk, bn), lambda i, j, step: (step, j))
    if transposed:
        right = pl.BlockSpec((bn, bk), lambda i, j, step: (j, step))
    call = pl.pallas_call(
        kernel,
        grid=(m // bm, n // bn, k // bk),
        in_specs=[pl.BlockSpec((bm, bk), lambda i, j, step: (i, step)), right]
        + [pl.BlockSpec((1, bn), lambda i, j, step: (0, j))] * bias,
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, step: (i, j)),
        out_shape=shape(m, n, dtype=dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
    )
    y = shape(n, k, dtype=dtype) if transposed else shape(k, n, dtype=dtype)
    return call, (shape(m, k, dtype=dtype), y, *[f32(1, n)] * bias)


def _whole_matmul(dtype: Any) -> Made:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    row, column = pl.BlockSpec((128, 256), lambda i, j: (i, 0)), pl.BlockSpec((256, 128), lambda i, j: (0, j))
    out = pl.BlockSpec((128, 128), lambda i, j: (i, j))
    call = pl.pallas_call(kernel, grid=(4, 4), in_specs=[row, column], out_specs=out, out_shape=f32(512, 512))
    return call, (shape(512, 256, dtype=dtype), shape(256, 512, dtype=dtype))


def _batched_matmul() -> Made:
    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    block = pl.BlockSpec((None, 128, 128), lambda b: (b, 0, 0))
    call = pl.pallas_call(kernel, grid=(8,), in_specs=[block] * 2, out_specs=block, out_shape=f32(8, 128, 128))
    return call, (shape(8, 128, 128),) * 2


MATMULS: dict[str, Callable[[], Made]] = {
    "matmul with bias and relu": lambda: _matmul(lambda x, b: jnp.maximum(x + b, 0), bias=True),
    "matmul with gelu": lambda: _matmul(jax.nn.gelu),
    "matmul with sigmoid": lambda: _matmul(jax.nn.sigmoid, blocks=(256, 256, 128)),
    "matmul, right side transposed": lambda: _matmul(transposed=True),
    "matmul, wide blocks": lambda: _matmul(blocks=(128, 512, 256), sizes=(512, 1024, 1024)),
    "matmul f32": lambda: _matmul(dtype=jnp.float32),
    "matmul in one step": lambda: _whole_matmul(jnp.bfloat16),
    "matmul in one step, f32": lambda: _whole_matmul(jnp.float32),
    "batched matmul": _batched_matmul,
}

# Windows, scalars, copies and loops ----------------------------------------------------------------------------------


def _call(kernel: Callable[..., None], args: Sequence[Any], out: Any, **options: Any) -> Made:
    return pl.pallas_call(kernel, out_shape=out, **options), tuple(args)


def _prefetched(
    kernel: Callable[..., None], in_map: Any, out_map: Any, *, table: int = 256, count: int = 32, block: int = 8
) -> Made:
    """Blocks of a table that prefetched numbers choose."""
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(count,),
        in_specs=[pl.BlockSpec((block, 128), in_map)],
        out_specs=pl.BlockSpec((block, 128), out_map),
    )
    return _call(kernel, (i32(count), f32(table, 128)), f32(count * block, 128), grid_spec=grid_spec)


def _copy_kernel(_: Any, x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...]


def _scale_kernel(s_ref: Any, x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] * s_ref[pl.program_id(0)].astype(jnp.float32)


def _column_sums() -> Made:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) == 0)
        def _() -> None:
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...].sum(axis=0, keepdims=True)

    block = pl.BlockSpec((128, 256), lambda i: (i, 0))
    return _call(
        kernel,
        (f32(1024, 256),),
        f32(1, 256),
        grid=(8,),
        in_specs=[block],
        out_specs=pl.BlockSpec((1, 256), lambda i: (0, 0)),
    )


def _copies(by_data: bool) -> Made:
    """Eight rows of an array in HBM, copied by hand one after the other."""

    def kernel(rows_ref: Any, x_ref: Any, o_ref: Any, sem: Any) -> None:
        i = pl.program_id(0)
        for k in range(8):
            row = rows_ref[8 * i + k] if by_data else 8 * i + k
            pltpu.make_async_copy(x_ref.at[row], o_ref.at[k], sem).start()
        for k in range(8):
            pltpu.make_async_copy(x_ref.at[0], o_ref.at[k], sem).wait()

    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(8,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((8, 8, 128), lambda i, rows: (i, 0, 0)),
        scratch_shapes=[pltpu.SemaphoreType.DMA],
    )
    return _call(kernel, (i32(64), f32(256, 8, 128)), f32(64, 8, 128), grid_spec=grid_spec)


def _one_copy() -> Made:
    def kernel(x_ref: Any, o_ref: Any, sem: Any) -> None:
        copy = pltpu.make_async_copy(x_ref.at[pl.ds(pl.program_id(0) * 8, 8)], o_ref, sem)
        copy.start()
        copy.wait()

    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return _call(
        kernel,
        (f32(128, 128),),
        f32(128, 128),
        grid=(16,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=block,
        scratch_shapes=[pltpu.SemaphoreType.DMA],
    )


def _loop(body: Callable[..., Any], steps: int) -> Made:
    """A loop over rows of a block, with a carried value."""

    def kernel(x_ref: Any, o_ref: Any) -> None:
        def step(i: Any, carried: Any) -> Any:
            carried = body(carried, x_ref[pl.ds(i * 8, 8), :])
            o_ref[pl.ds(i * 8, 8), :] = carried
            return carried

        jax.lax.fori_loop(0, steps, step, jnp.zeros((8, 256), jnp.float32))

    block = pl.BlockSpec((steps * 8, 256), lambda i: (i, 0))
    return _call(kernel, (f32(1024, 256),), f32(1024, 256), grid=(128 // steps,), in_specs=[block], out_specs=block)


def _overlapping(kernel: Callable[..., None]) -> Made:
    """Two windows of one array; the second is a block further."""
    here = pl.BlockSpec((64, 256), lambda i: (i, 0))
    after = pl.BlockSpec((64, 256), lambda i: (jnp.minimum(i + 1, 15), 0))
    return _call(kernel, (f32(1024, 256),) * 2, f32(1024, 256), grid=(16,), in_specs=[here, after], out_specs=here)


def _difference_kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
    o_ref[...] = y_ref[...] - x_ref[...]


def _reverse() -> Made:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = x_ref[...] * 2.0

    flipped = pl.BlockSpec((64, 256), lambda i: (15 - i, 0))
    block = pl.BlockSpec((64, 256), lambda i: (i, 0))
    return _call(kernel, (f32(1024, 256),), f32(1024, 256), grid=(16,), in_specs=[flipped], out_specs=block)


def _causal_mask() -> Made:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        i, j = pl.program_id(0), pl.program_id(1)
        rows = jax.lax.broadcasted_iota(jnp.int32, (128, 128), 0) + i * 128
        columns = jax.lax.broadcasted_iota(jnp.int32, (128, 128), 1) + j * 128
        o_ref[...] = jnp.where(rows >= columns, x_ref[...], -1e9)

    block = pl.BlockSpec((128, 128), lambda i, j: (i, j))
    return _call(kernel, (f32(512, 512),), f32(512, 512), grid=(4, 4), in_specs=[block], out_specs=block)


def _attention() -> Made:
    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        scores = jnp.dot(q_ref[...], k_ref[...].T, preferred_element_type=jnp.float32)
        weights = jax.nn.softmax(scores, axis=-1).astype(v_ref.dtype)
        o_ref[...] = jnp.dot(weights, v_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)

    rows = pl.BlockSpec((None, 128, 128), lambda h, i: (h, i, 0))
    whole = pl.BlockSpec((None, 256, 128), lambda h, i: (h, 0, 0))
    x = shape(4, 256, 128)
    return _call(kernel, (x, x, x), x, grid=(4, 2), in_specs=[rows, whole, whole], out_specs=rows)


def _moe_rows() -> Made:
    """A matmul whose right side an expert's number chooses."""

    def kernel(_: Any, x_ref: Any, w_ref: Any, o_ref: Any) -> None:
        o_ref[...] = jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32)

    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(8,),
        in_specs=[
            pl.BlockSpec((128, 256), lambda i, experts: (i, 0)),
            pl.BlockSpec((None, 256, 128), lambda i, experts: (experts[i], 0, 0)),
        ],
        out_specs=pl.BlockSpec((128, 128), lambda i, experts: (i, 0)),
    )
    args = (i32(8), shape(1024, 256), shape(16, 256, 128))
    return _call(kernel, args, f32(1024, 128), grid_spec=grid_spec)


def _ragged_rows() -> Made:
    """Steps beyond a length that is data do nothing."""

    def kernel(length_ref: Any, x_ref: Any, o_ref: Any) -> None:
        @pl.when(pl.program_id(0) * 8 < length_ref[0])
        def _() -> None:
            o_ref[...] = x_ref[...] + 1.0

        @pl.when(pl.program_id(0) * 8 >= length_ref[0])
        def _() -> None:
            o_ref[...] = jnp.zeros_like(o_ref)

    return _prefetched(kernel, lambda i, n: (i, 0), lambda i, n: (i, 0))


OTHERS: dict[str, Callable[[], Made]] = {
    "column sums": _column_sums,
    "block gather": lambda: _prefetched(_copy_kernel, lambda i, rows: (rows[i], 0), lambda i, rows: (i, 0)),
    "block scatter": lambda: _prefetched(_copy_kernel, lambda i, rows: (i, 0), lambda i, rows: (rows[i], 0)),
    "block gather by a remainder": lambda: _prefetched(
        _copy_kernel, lambda i, rows: (jax.lax.rem(rows[i], 32), 0), lambda i, rows: (i, 0)
    ),
    "scale by prefetched numbers": lambda: _prefetched(_scale_kernel, lambda i, s: (i, 0), lambda i, s: (i, 0)),
    "ragged rows": _ragged_rows,
    "experts": _moe_rows,
    "eight copies by hand": lambda: _copies(False),
    "eight rows that are data": lambda: _copies(True),
    "one copy by hand": _one_copy,
    "running sum of rows": lambda: _loop(lambda carried, x: carried + x, 16),
    "recurrence": lambda: _loop(lambda carried, x: 0.9 * carried + jnp.tanh(x), 8),
    "difference of neighbours": lambda: _overlapping(_difference_kernel),
    "blocks in reverse": _reverse,
    "causal mask": _causal_mask,
    "attention of one block of keys": _attention,
}

CASES = tuple(Case(name, "more", make) for group in (ROWS, MATMULS, OTHERS) for name, make in group.items())
