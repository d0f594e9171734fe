# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that are compiled for TPUs: the examples, kernels of JAX's own, and some small ones.

Arguments are shapes and dtypes: nothing is executed. Shapes and blocks are those of ordinary use, and never chosen for
a ratio.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from gridir.cli.example import load_example
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the tables.

    Attributes:
      name: the row's name.
      group: "examples", "jax" for JAX's `pallas.ops.tpu`, "small", or "more" of `tpu_more_cases.py`.
      make: gives the function and its arguments.
    """

    name: str
    group: str
    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]


def shape(*dims: int, dtype: Any = jnp.bfloat16) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, dtype)


def _example(path: pathlib.Path) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    example = load_example(str(path), None)
    return example.function, example.args


# Kernels that JAX ships ----------------------------------------------------------------------------------------------


def _flash_attention():
    from jax.experimental.pallas.ops.tpu import flash_attention

    return functools.partial(flash_attention.flash_attention, causal=True), (shape(1, 2, 512, 128),) * 3


def _flash_attention_backward():
    from jax.experimental.pallas.ops.tpu import flash_attention

    def loss(q, k, v):
        return flash_attention.flash_attention(q, k, v, causal=True).astype(jnp.float32).sum()

    return jax.grad(loss, argnums=(0, 1, 2)), (shape(1, 2, 512, 128),) * 3


def _matmul():
    from jax.experimental.pallas.ops.tpu import matmul

    return functools.partial(matmul.matmul, block_shape=(256, 256), block_k=256), (shape(1024, 1024),) * 2


def _gmm():
    from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm

    function = functools.partial(gmm, preferred_element_type=jnp.float32)
    return function, (shape(512, 256), shape(4, 256, 256), shape(4, dtype=jnp.int32))


def _tgmm():
    from jax.experimental.pallas.ops.tpu.megablox.gmm import tgmm

    function = functools.partial(tgmm, preferred_element_type=jnp.float32)
    return function, (shape(256, 512), shape(512, 256), shape(4, dtype=jnp.int32))


def _paged_attention():
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention

    function = functools.partial(paged_attention, pages_per_compute_block=4)
    pages = shape(2, 64, 16, 128, dtype=jnp.float32)
    return function, (
        shape(4, 8, 128, dtype=jnp.float32),
        pages,
        pages,
        shape(4, dtype=jnp.int32),
        shape(4, 8, dtype=jnp.int32),
    )


def _splash_attention(backward: bool = False):
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel, splash_attention_mask

    mask = splash_attention_mask.MultiHeadMask([splash_attention_mask.CausalMask((512, 512)) for _ in range(2)])
    kernel = splash_attention_kernel.make_splash_mha(mask, head_shards=1, q_seq_shards=1)
    arguments = (shape(2, 512, 128),) * 3
    if not backward:
        return kernel, arguments
    return jax.grad(lambda q, k, v: kernel(q, k, v).astype(jnp.float32).sum(), argnums=(0, 1, 2)), arguments


# Small ones ----------------------------------------------------------------------------------------------------------


def _blocked(body: Callable[[Any], Any], *dims: int, rows: int, dtype: Any = jnp.float32):
    """One block of rows after the other through a function of arrays."""

    def kernel(x_ref, o_ref):
        o_ref[...] = body(x_ref[...])

    spec = pl.BlockSpec((rows, *dims[1:]), lambda i: (i, *(0,) * (len(dims) - 1)))
    call = pl.pallas_call(
        kernel, grid=(dims[0] // rows,), in_specs=[spec], out_specs=spec, out_shape=shape(*dims, dtype=dtype)
    )
    return call, (shape(*dims, dtype=dtype),)


def _accumulated_matmul(blocks: int, dtype: Any, accumulator: Any):
    """A matmul whose output block is zeroed, added to along the last dimension, and stored at the end."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=accumulator)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc_ref[...].astype(o_ref.dtype)

    n = 1024
    call = pl.pallas_call(
        kernel,
        grid=(n // blocks,) * 3,
        in_specs=[
            pl.BlockSpec((blocks, blocks), lambda i, j, k: (i, k)),
            pl.BlockSpec((blocks, blocks), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((blocks, blocks), lambda i, j, k: (i, j)),
        out_shape=shape(n, n, dtype=accumulator if dtype == jnp.int8 else dtype),
        scratch_shapes=[pltpu.VMEM((blocks, blocks), accumulator)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
    )
    return call, (shape(n, n, dtype=dtype),) * 2


CASES = (
    *(Case(p.stem, "examples", functools.partial(_example, p)) for p in sorted(EXAMPLES.glob("*.py"))),
    Case("jax flash attention", "jax", _flash_attention),
    Case("jax flash attention, backward", "jax", _flash_attention_backward),
    Case("jax matmul", "jax", _matmul),
    Case("jax megablox gmm", "jax", _gmm),
    Case("jax megablox tgmm", "jax", _tgmm),
    Case("jax paged attention", "jax", _paged_attention),
    Case("jax splash attention", "jax", _splash_attention),
    Case("jax splash attention, backward", "jax", functools.partial(_splash_attention, backward=True)),
    Case("matmul 256 bf16", "small", functools.partial(_accumulated_matmul, 256, jnp.bfloat16, jnp.float32)),
    Case("matmul 512 bf16", "small", functools.partial(_accumulated_matmul, 512, jnp.bfloat16, jnp.float32)),
    Case("matmul 256 f32", "small", functools.partial(_accumulated_matmul, 256, jnp.float32, jnp.float32)),
    Case("matmul 256 i8", "small", functools.partial(_accumulated_matmul, 256, jnp.int8, jnp.int32)),
    Case("matmul 256 f8", "small", functools.partial(_accumulated_matmul, 256, jnp.float8_e4m3fn, jnp.float32)),
    Case("sigmoid", "small", functools.partial(_blocked, jax.nn.sigmoid, 2048, 1024, rows=512)),
    Case("silu bf16", "small", functools.partial(_blocked, jax.nn.silu, 2048, 1024, rows=512, dtype=jnp.bfloat16)),
    Case("gelu", "small", functools.partial(_blocked, jax.nn.gelu, 2048, 1024, rows=256)),
    Case(
        "softmax of rows",
        "small",
        functools.partial(_blocked, functools.partial(jax.nn.softmax, axis=-1), 1024, 1024, rows=64),
    ),
    Case("divide", "small", functools.partial(_blocked, lambda x: 1.0 / x, 1024, 1024, rows=128)),
)
