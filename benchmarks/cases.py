# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that are timed, each with its shapes, its blocks and the plain JAX program that computes the same.

Shapes and blocks are those that a kernel's author would write; they are fixed, and never chosen for a ratio.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
      name: the row's name.
      kernel: a function that calls `pallas_call`.
      reference: the same mathematics in `jax.numpy`, as XLA compiles it.
      args: makes the arguments.
      tolerance: how far results may be apart, relative to the largest one.
    """

    name: str
    kernel: Callable[..., Any]
    reference: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    tolerance: float = 1e-5


def _example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"expected an example {name}.py in {EXAMPLES}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _normal(*shape: int, dtype: Any = jnp.float32, seed: int = 0) -> jax.Array:
    return jax.random.normal(jax.random.key(seed), shape, dtype)


def _elementwise_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0 + y_ref[...]


def elementwise(x, y, block):
    """x * 2 + y in blocks of `block` rows."""
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(
        _elementwise_kernel,
        grid=(rows // block,),
        in_specs=[spec, spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="elementwise",
    )(x, y)


def _column_sum_kernel(x_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.sum(x_ref[...], axis=0, keepdims=True)


def column_sum(x, rows=128, columns=512):
    """The sum of each column, accumulated in the result over a sequential grid dimension."""
    height, width = x.shape
    return pl.pallas_call(
        _column_sum_kernel,
        grid=(width // columns, height // rows),
        in_specs=[pl.BlockSpec((rows, columns), lambda j, i: (i, j))],
        out_specs=pl.BlockSpec((1, columns), lambda j, i: (0, j)),
        out_shape=jax.ShapeDtypeStruct((1, width), x.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
        name="column_sum",
    )(x)


def _transpose_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].T


def transpose(x, block=128):
    """The transpose, one square block at a time."""
    rows, columns = x.shape
    return pl.pallas_call(
        _transpose_kernel,
        grid=(rows // block, columns // block),
        in_specs=[pl.BlockSpec((block, block), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((block, block), lambda i, j: (j, i)),
        out_shape=jax.ShapeDtypeStruct((columns, rows), x.dtype),
        name="transpose",
    )(x)


def _layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-6) * scale + bias


def _causal_attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q * q.shape[-1] ** -0.5, k)
    length = q.shape[1]
    mask = jnp.tril(jnp.ones((length, length), bool))
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1), v)


def _stencil(x):
    padded = jnp.pad(x, 1, mode="edge")
    return 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]


def cases() -> list[Case]:
    """Returns every row of the table, in order."""
    matmul, attention = _example("matmul").matmul, _example("causal_attention").causal_attention
    matmul_bf16, stencil = _example("matmul_bf16").matmul_bf16, _example("stencil").stencil
    softmax, layer_norm = _example("softmax").softmax, _example("layer_norm").layer_norm
    row_gather = _example("row_gather").row_gather

    def square(dtype: Any = jnp.float32) -> tuple[jax.Array, jax.Array]:
        return _normal(1024, 1024, dtype=dtype), _normal(1024, 1024, dtype=dtype, seed=1)

    def tall() -> tuple[jax.Array]:
        return (_normal(4096, 2048),)

    def pair() -> tuple[jax.Array, jax.Array]:
        return _normal(4096, 2048), _normal(4096, 2048, seed=1)

    def bf16_reference(x, y):
        return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)

    return [
        Case("add, 8 rows", lambda x, y: elementwise(x, y, 8), lambda x, y: x * 2.0 + y, pair),
        Case("add, 256 rows", lambda x, y: elementwise(x, y, 256), lambda x, y: x * 2.0 + y, pair),
        Case("matmul f32", matmul, jnp.dot, square, 1e-4),
        Case("matmul bf16", matmul_bf16, bf16_reference, lambda: square(jnp.bfloat16), 2e-2),
        Case("softmax", softmax, lambda x: jax.nn.softmax(x, axis=-1), tall),
        Case("layer norm", layer_norm, _layer_norm, lambda: (*tall(), _normal(2048, seed=1), _normal(2048, seed=2))),
        Case(
            "causal attention",
            attention,
            _causal_attention,
            lambda: tuple(_normal(1, 2048, 128, seed=i) for i in range(3)),
            1e-4,
        ),
        Case(
            "row gather",
            row_gather,
            lambda table, rows: table[rows],
            lambda: (*tall(), jax.random.permutation(jax.random.key(1), 4096).astype(jnp.int32)),
        ),
        Case("stencil", stencil, _stencil, lambda: (_normal(1 << 21),)),
        Case("column sum", column_sum, lambda x: jnp.sum(x, axis=0, keepdims=True), tall, 1e-4),
        Case("transpose", transpose, lambda x: x.T, lambda: (_normal(2048, 2048),)),
    ]
