# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles kernels of `pl.pallas_call` on both paths of the target `gpu`, and counts their resources.

A kernel of blocks is a warpgroup program, or is mapped to threads. Needs no GPU.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
from typing import Any

import gridir
import jax
import jax.numpy as jnp
from gridir.runtime.ptxas import Code
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def rows(kernel: Any, *arrays: jax.ShapeDtypeStruct, block: int = 8) -> Any:
    """Lowers a kernel of blocks of whole rows; later arrays have one row."""

    def function(*args: Any) -> Any:
        first = pl.BlockSpec((block, args[0].shape[1]), lambda i: (i, 0))
        others = [pl.BlockSpec(x.shape, lambda i: (0, 0)) if x.shape[0] == 1 else first for x in args[1:]]
        return pl.pallas_call(
            kernel,
            grid=(args[0].shape[0] // block,),
            in_specs=[first, *others],
            out_specs=first,
            out_shape=jax.ShapeDtypeStruct(args[0].shape, args[0].dtype),
        )(*args)

    return function, arrays


def add(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
    """x + y."""
    o_ref[...] = x_ref[...] + y_ref[...]


def softmax(x_ref: Any, o_ref: Any) -> None:
    """The softmax of each row."""
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def layer_norm(x_ref: Any, scale_ref: Any, bias_ref: Any, o_ref: Any) -> None:
    """The layer norm of each row."""
    x = x_ref[...]
    centered = x - jnp.mean(x, axis=1, keepdims=True)
    variance = jnp.mean(centered * centered, axis=1, keepdims=True)
    o_ref[...] = centered * lax.rsqrt(variance + 1e-6) * scale_ref[...] + bias_ref[...]


def matmul(m: int, n: int, k: int, x: Any, y: Any) -> Any:
    """The product of two matrices, with an accumulator in scratch memory."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any, acc_ref: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _() -> None:
            o_ref[...] = acc_ref[...].astype(o_ref.dtype)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m, y.shape[1] // n, x.shape[1] // k),
        in_specs=[
            pl.BlockSpec((m, k), lambda i, j, step: (i, step)),
            pl.BlockSpec((k, n), lambda i, j, step: (step, j)),
        ],
        out_specs=pl.BlockSpec((m, n), lambda i, j, step: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
        scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)],
    )(x, y)


def loop_matmul(m: int, n: int, k: int, x: Any, y: Any) -> Any:
    """The product of two matrices, with a loop of the author along the contracted dimension."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        def body(step: Any, acc: Any) -> Any:
            x, y = x_ref[:, pl.ds(step * k, k)], y_ref[pl.ds(step * k, k), :]
            return acc + jnp.dot(x, y, preferred_element_type=jnp.float32)

        acc = lax.fori_loop(0, x_ref.shape[1] // k, body, jnp.zeros((m, n), jnp.float32))
        o_ref[...] = acc.astype(o_ref.dtype)

    return in_whole_depth(kernel, m, n, x, y)


def in_whole_depth(kernel: Any, m: int, n: int, x: Any, *others: Any) -> Any:
    """Calls a kernel on blocks of rows of one matrix and of columns of the others."""
    depth = x.shape[1]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m, others[0].shape[1] // n),
        in_specs=[
            pl.BlockSpec((m, depth), lambda i, j: (i, 0)),
            *[pl.BlockSpec((depth, n), lambda i, j: (0, j))] * len(others),
        ],
        out_specs=pl.BlockSpec((m, n), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], others[0].shape[1]), x.dtype),
    )(x, *others)


def deep_matmul(m: int, n: int, x: Any, y: Any) -> Any:
    """The product of two matrices in blocks of the whole depth."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        product = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] = product.astype(o_ref.dtype)

    return in_whole_depth(kernel, m, n, x, y)


def gated(m: int, n: int, x: Any, gate: Any, up: Any) -> Any:
    """A gated linear unit: two products with a common operand."""

    def kernel(x_ref: Any, gate_ref: Any, up_ref: Any, o_ref: Any) -> None:
        x = x_ref[...]
        first = jnp.dot(x, gate_ref[...], preferred_element_type=jnp.float32)
        second = jnp.dot(x, up_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] = (jax.nn.silu(first) * second).astype(o_ref.dtype)

    return in_whole_depth(kernel, m, n, x, gate, up)


def attention(*arrays: Any, causal: bool = False) -> Any:
    """JAX's attention for GPUs, in blocks of 128 queries and 128 keys."""
    from jax.experimental.pallas.ops.gpu.attention import mha

    return mha(*arrays, None, causal=causal, sm_scale=0.125)


def rounded_matmul(m: int, n: int, x: Any, y: Any) -> Any:
    """The product in bf16 of the right matrix as the kernel rounds or scales it."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        product = jnp.dot(x_ref[...], y_ref[...].astype(jnp.bfloat16), preferred_element_type=jnp.float32)
        o_ref[...] = product.astype(o_ref.dtype)

    return in_whole_depth(kernel, m, n, x, y)


def transposed_matmul(m: int, n: int, out: Any, x: Any, y: Any) -> Any:
    """The product of a matrix and the transpose of another one."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        dims = (((1,), (1,)), ((), ()))
        o_ref[...] = lax.dot_general(x_ref[...], y_ref[...], dims, preferred_element_type=out)

    depth = x.shape[1]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m, y.shape[0] // n),
        in_specs=[pl.BlockSpec((m, depth), lambda i, j: (i, 0)), pl.BlockSpec((n, depth), lambda i, j: (j, 0))],
        out_specs=pl.BlockSpec((m, n), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[0]), out),
    )(x, y)


def library_softmax(x: Any) -> Any:
    """JAX's softmax for GPUs."""
    from jax.experimental.pallas.ops.gpu.softmax import softmax

    return softmax(x)


def library_layer_norm(x: Any, scale: Any, bias: Any) -> Any:
    """JAX's layer norm for GPUs."""
    from jax.experimental.pallas.ops.gpu.layer_norm import layer_norm

    return layer_norm(x, scale, bias)


def rotary(x_ref: Any, sin_ref: Any, cos_ref: Any, o_ref: Any) -> None:
    """A rotation of pairs of columns, which are in the two halves of a row."""
    first, second = jnp.split(x_ref[...], 2, axis=1)
    sin, cos = sin_ref[...][:, : first.shape[1]], cos_ref[...][:, : first.shape[1]]
    o_ref[...] = jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)


def masked(x_ref: Any, mask_ref: Any, o_ref: Any) -> None:
    """The softmax of the elements of each row whose mask is true."""
    x = jnp.where(mask_ref[...], x_ref[...], -jnp.inf)
    e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def embedding(rows: int, indices: Any, table: Any) -> Any:
    """The rows of a table at indices."""

    def kernel(i_ref: Any, t_ref: Any, o_ref: Any) -> None:
        o_ref[...] = t_ref[i_ref[...]]

    return pl.pallas_call(
        kernel,
        grid=(indices.shape[0] // rows,),
        in_specs=[pl.BlockSpec((rows,), lambda i: (i,)), pl.BlockSpec(table.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((rows, table.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((indices.shape[0], table.shape[1]), table.dtype),
    )(indices, table)


def heads(m: int, q: Any, k: Any, v: Any) -> Any:
    """The attention of all heads in a block, without blocks of keys."""

    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        scores = jnp.einsum("qhd,khd->hqk", q_ref[...], k_ref[...], preferred_element_type=jnp.float32)
        weights = jax.nn.softmax(scores, axis=-1).astype(v.dtype)
        product = jnp.einsum("hqk,khd->qhd", weights, v_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] = product.astype(o_ref.dtype)

    block = pl.BlockSpec((m, *q.shape[1:]), lambda i: (i, 0, 0))
    whole = pl.BlockSpec(k.shape, lambda i: (0, 0, 0))
    return pl.pallas_call(
        kernel,
        grid=(q.shape[0] // m,),
        in_specs=[block, whole, whole],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
    )(q, k, v)


def layers(m: int, x: Any, first: Any, second: Any) -> Any:
    """Two layers of a network, in blocks of rows."""

    def kernel(x_ref: Any, first_ref: Any, second_ref: Any, o_ref: Any) -> None:
        hidden = jnp.maximum(jnp.dot(x_ref[...], first_ref[...]), 0)
        o_ref[...] = jnp.dot(hidden, second_ref[...])

    whole = [pl.BlockSpec(weights.shape, lambda i: (0, 0)) for weights in (first, second)]
    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // m,),
        in_specs=[pl.BlockSpec((m, x.shape[1]), lambda i: (i, 0)), *whole],
        out_specs=pl.BlockSpec((m, second.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], second.shape[1]), x.dtype),
    )(x, first, second)


def paged(table: Any, q: Any, k: Any, v: Any) -> Any:
    """The attention of a few queries over the pages of a table, a row for each sequence."""
    _, rows, depth = q.shape

    def kernel(table_ref: Any, q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        def body(j: Any, carry: Any) -> Any:
            top, total, acc = carry
            page = table_ref[pl.program_id(0), j]
            scores = jnp.dot(q_ref[...], k_ref[page].T, preferred_element_type=jnp.float32) * depth**-0.5
            new = jnp.maximum(top, scores.max(1, keepdims=True))
            weights, scale = jnp.exp(scores - new), jnp.exp(top - new)
            product = jnp.dot(weights.astype(v.dtype), v_ref[page], preferred_element_type=jnp.float32)
            return new, scale * total + weights.sum(1, keepdims=True), scale * acc + product

        init = jnp.full((rows, 1), -1e30), jnp.zeros((rows, 1)), jnp.zeros((rows, depth))
        _, total, acc = lax.fori_loop(0, table.shape[1], body, init)
        o_ref[...] = (acc / total).astype(o_ref.dtype)

    queries = pl.BlockSpec((None, rows, depth), lambda i, _: (i, 0, 0))
    whole = pl.BlockSpec(k.shape, lambda i, _: (0, 0, 0))
    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(q.shape[0],), in_specs=[queries, whole, whole], out_specs=queries
    )
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=q)(table, q, k, v)


def requested(precision: str, function: Any, *args: Any) -> Any:
    """Calls a function whose products have this precision by default."""
    with jax.default_matmul_precision(precision):
        return function(*args)


def single_attention(m: int, n: int, q: Any, k: Any, v: Any) -> Any:
    """The attention of heads over blocks of keys, which are steps of the grid, in f32."""

    def kernel(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any, top_ref: Any, sum_ref: Any, acc_ref: Any) -> None:
        @pl.when(pl.program_id(2) == 0)
        def _() -> None:
            top_ref[...] = jnp.full_like(top_ref, -1e30)
            sum_ref[...] = jnp.zeros_like(sum_ref)
            acc_ref[...] = jnp.zeros_like(acc_ref)

        scores = jnp.dot(q_ref[...], k_ref[...].T) * q.shape[2] ** -0.5
        top = jnp.maximum(top_ref[...], scores.max(1, keepdims=True))
        weights, scale = jnp.exp(scores - top), jnp.exp(top_ref[...] - top)
        sum_ref[...] = scale * sum_ref[...] + weights.sum(1, keepdims=True)
        acc_ref[...] = scale * acc_ref[...] + jnp.dot(weights, v_ref[...])
        top_ref[...] = top

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _() -> None:
            o_ref[...] = acc_ref[...] / sum_ref[...]

    rows = pl.BlockSpec((None, m, q.shape[2]), lambda h, i, j: (h, i, 0))
    keys = pl.BlockSpec((None, n, q.shape[2]), lambda h, i, j: (h, j, 0))
    return pl.pallas_call(
        kernel,
        grid=(q.shape[0], q.shape[1] // m, k.shape[1] // n),
        in_specs=[rows, keys, keys],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        scratch_shapes=[pltpu.VMEM((m, size), jnp.float32) for size in (1, 1, q.shape[2])],
    )(q, k, v)


MATRIX = jax.ShapeDtypeStruct((4096, 4096), jnp.float32)
ODD = jax.ShapeDtypeStruct((4096, 1000), jnp.float32)
VOCABULARY = jax.ShapeDtypeStruct((4096, 50257), jnp.float32)
BATCHES = jax.ShapeDtypeStruct((1, 4096, 4096), jnp.float32)
VECTOR = jax.ShapeDtypeStruct((4096,), jnp.float32)
ROW = jax.ShapeDtypeStruct((1, 4096), jnp.float32)
HALVES = (jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16),) * 2
BYTES = jax.ShapeDtypeStruct((4096, 4096), jnp.int8)
SHORT = jax.ShapeDtypeStruct((4096, 4096), jnp.float8_e4m3fn)
ROWS = jax.ShapeDtypeStruct((16, 4096), jnp.bfloat16)
HEADS, DEEPER_HEADS, DEEPEST_HEADS = (
    (jax.ShapeDtypeStruct((2, 4096, 16, depth), jnp.bfloat16),) * 3 for depth in (64, 128, 256)
)
MASK = jax.ShapeDtypeStruct((4096, 4096), jnp.bool_)
INDICES = jax.ShapeDtypeStruct((4096,), jnp.int32)
DEEP = (jax.ShapeDtypeStruct((4096, 200), jnp.bfloat16), jax.ShapeDtypeStruct((200, 4096), jnp.bfloat16))
SINGLE = (jax.ShapeDtypeStruct((32, 4096, 64), jnp.float32),) * 3
QUERIES = jax.ShapeDtypeStruct((4096, 16, 64), jnp.bfloat16)
KEYS = jax.ShapeDtypeStruct((128, 16, 64), jnp.bfloat16)
LAYERS = tuple(jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((4096, 256), (256, 512), (512, 128)))
TABLE = jax.ShapeDtypeStruct((64, 128), jnp.int32)
DECODED = jax.ShapeDtypeStruct((64, 8, 128), jnp.bfloat16)
PAGES = (jax.ShapeDtypeStruct((8192, 16, 128), jnp.bfloat16),) * 2
CASES = {
    "add, blocks of 8x4096 f32": rows(add, MATRIX, MATRIX),
    "softmax, blocks of 8x4096 f32": rows(softmax, MATRIX),
    "layer norm, blocks of 8x4096 f32": rows(layer_norm, MATRIX, ROW, ROW),
    "softmax, blocks of 8x1000 f32": rows(softmax, ODD),
    "softmax, rows of 50257 f32": rows(softmax, VOCABULARY, block=1),
    "softmax of JAX, 4096 f32": (library_softmax, (MATRIX,)),
    "softmax of JAX, 1000 f32": (library_softmax, (ODD,)),
    "layer norm of JAX, 4096 f32": (library_layer_norm, (BATCHES, VECTOR, VECTOR)),
    "masked softmax, blocks of 8x4096 f32": rows(masked, MATRIX, MASK),
    "embedding, blocks of 16x4096 f32": (functools.partial(embedding, 16), (INDICES, MATRIX)),
    "rotary, blocks of 8x4096 f32": rows(rotary, MATRIX, ROW, ROW),
    "matmul, blocks of 128x128x64 bf16": (functools.partial(matmul, 128, 128, 64), HALVES),
    "matmul, blocks of 128x256x64 bf16": (functools.partial(matmul, 128, 256, 64), HALVES),
    "matmul, 128x128, loop of 64 bf16": (functools.partial(loop_matmul, 128, 128, 64), HALVES),
    "matmul, 128x128, blocks of whole depth bf16": (functools.partial(deep_matmul, 128, 128), HALVES),
    "matmul, blocks of 128x128x64 f32": (functools.partial(matmul, 128, 128, 64), (MATRIX, MATRIX)),
    "matmul, blocks of 128x128x64 f32, as in tf32": (
        functools.partial(requested, "tensorfloat32", functools.partial(matmul, 128, 128, 64)),
        (MATRIX, MATRIX),
    ),
    "matmul, 128x128, bf16 and rounded f32": (functools.partial(rounded_matmul, 128, 128), (HALVES[0], MATRIX)),
    "matmul, 128x128, bf16 and int8": (functools.partial(rounded_matmul, 128, 128), (HALVES[0], BYTES)),
    "matmul, 128x128, transposed int8": (functools.partial(transposed_matmul, 128, 128, jnp.int32), (BYTES, BYTES)),
    "matmul, 128x128, transposed f8": (functools.partial(transposed_matmul, 128, 128, jnp.float32), (SHORT, SHORT)),
    "matmul, 16 rows, 128 columns bf16": (functools.partial(deep_matmul, 16, 128), (ROWS, HALVES[0])),
    "matmul, 1 row, 128 columns bf16": (
        functools.partial(deep_matmul, 1, 128),
        (jax.ShapeDtypeStruct((1, 4096), jnp.bfloat16), HALVES[0]),
    ),
    "matmul, 128x128, depth of 200 bf16": (functools.partial(deep_matmul, 128, 128), DEEP),
    "gated linear unit, 128x128 bf16": (functools.partial(gated, 128, 128), (*HALVES, HALVES[0])),
    "attention of JAX, depth 64 bf16": (attention, HEADS),
    "causal attention of JAX, depth 64 bf16": (functools.partial(attention, causal=True), HEADS),
    "attention of JAX, depth 128 bf16": (attention, DEEPER_HEADS),
    "causal attention of JAX, depth 128 bf16": (functools.partial(attention, causal=True), DEEPER_HEADS),
    "attention of JAX, depth 256 bf16": (attention, DEEPEST_HEADS),
    "attention, blocks of 64 queries and keys f32": (functools.partial(single_attention, 64, 64), SINGLE),
    "attention, blocks of 64 queries and keys f32, as in tf32": (
        functools.partial(requested, "tensorfloat32", functools.partial(single_attention, 64, 64)),
        SINGLE,
    ),
    "attention, blocks of 64 queries and keys f32, as in bf16": (
        functools.partial(requested, "BF16_BF16_F32", functools.partial(single_attention, 64, 64)),
        SINGLE,
    ),
    "16 heads of 64 queries, 128 keys bf16": (functools.partial(heads, 64), (QUERIES, KEYS, KEYS)),
    "8 queries, pages of 16 keys, depth 128 bf16": (paged, (TABLE, DECODED, *PAGES)),
    "layers of 256, 512 and 128, blocks of 64 f32": (functools.partial(layers, 64), LAYERS),
}


def row(name: str, path: str, chip: str) -> str:
    """Returns the row of a kernel on one path."""
    function, args = CASES[name]
    options = gridir.GpuOptions(chip=chip, path=path)
    [kernel] = gridir.lower(function, *args, target=f"gpu:{chip}", options=options).kernels
    compiled = kernel.prepare()
    code = Code.of(compiled.cubin(), compiled.shared_bytes)
    loop = f"{code.loop.instructions} ({code.loop.units})" if code.loop else ""
    accesses = re.findall(r"(?:ld|st)\.global\S*", compiled.ptx)
    wide = sum(access.endswith((".v4.b32", ".v2.b64")) for access in accesses)
    return (
        f"| {name} | {path} | {compiled.ctas} x {compiled.threads} | {code.registers} | {code.spill_bytes} "
        f"| {loop} | {wide} of {len(accesses)} | {compiled.shared_bytes:,} |"
    )


def main() -> None:
    """Prints the table of a chip."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--paths", default="auto,mapped", help="separated by commas")
    parser.add_argument("--only", default="", help="kernels whose names contain this text")
    args = parser.parse_args()
    print(
        "| kernel | path | CTAs x threads | registers | spills | steady loop (matrix) "
        "| accesses of 16 bytes | shared memory |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in CASES:
        if args.only in name:
            for path in args.paths.split(","):
                try:
                    print(row(name, path, args.chip), flush=True)
                except gridir.Error as error:
                    # A chip may lack an element type.
                    print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
