# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Pallas' TPU backend."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.pallas import tpu as pltpu

from gridir import emit
from gridir.errors import OptionError
from gridir.frontend.compat import jax_tpu
from gridir.frontend.header import params
from gridir.frontend.rules.sparse_core import minor_bitcast
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import TPU, TPU_PLATFORM
from gridir.frontend.walk.registry import ANY, decomposition, traced
from gridir.frontend.walk.types import bit_width
from gridir.mlir import ir
from gridir.mlir.dialects import grid


@TPU.rule("get_barrier_semaphore")
def _get_barrier_semaphore(ctx: RuleContext, *, tag: Any) -> ir.Value:
    if tag is not None:
        ctx.kernel.state.barrier_tags.add(tag)
    if len(ctx.kernel.state.barrier_tags) > 1:
        # A kernel has one collective id, so one such semaphore.
        tags = ", ".join(sorted(map(repr, ctx.kernel.state.barrier_tags)))
        raise ctx.unsupported(f"expected barrier semaphores with one tag in a kernel, got {tags}")
    try:
        attribute = None if tag is None else params.to_attribute(tag)
    except OptionError as error:
        raise ctx.unsupported(f"expected a tag of numbers and strings, got {tag!r}") from error
    space = grid.MemorySpaceAttr.get("tpu.semaphore_mem")
    element = ir.Type.parse("!grid.semaphore<barrier>")
    return grid.BarrierSemaphoreOp(ir.MemRefType.get([], element, memory_space=space), tag=attribute).result


@TPU.rule("bitcast")
def _bitcast(ctx: RuleContext, x: ir.Value, *, ty: Any, dim: int | None) -> ir.Value:
    """Widths that differ change a dimension: the last but one, or since JAX 0.12 the last, as on a SparseCore."""
    source, target = (bit_width(aval.dtype) for aval in (ctx.avals_in[0], ctx.avals_out[0]))
    if source != target:
        if dim == len(ctx.avals_in[0].shape) - 1:
            return traced(ctx, functools.partial(minor_bitcast, dtype=ty), [x])[0]
        return grid.BitcastOp(ctx.out_type, x).result
    return x if x.type == ctx.out_type else emit.value("arith.bitcast", [x], ctx.out_type)


@TPU.rule("roll")
def _roll(
    _: RuleContext, x: ir.Value, shift: ir.Value, *, axis: int, stride: int | None, stride_axis: int | None
) -> ir.Value:
    strided = stride is not None and stride_axis is not None
    return grid.RotateOp(
        x, shift, axis, stride=stride if strided else None, stride_dim=stride_axis if strided else None
    ).result


@decomposition("einshape_lo", ignores={"assert_is_tile_preserving": ANY})
def _einshape(x: Any, *, equation: str, sizes: tuple[tuple[str, int], ...]) -> Any:
    """Any kernel may have it, as the function is one of arrays; only a TPU has tiles."""
    return jax_tpu.einshape(equation, x, **dict(sizes))


@TPU_PLATFORM.rule("einshape_lo", overrides=True)
def _einshape_on_tpu(
    ctx: RuleContext,
    x: ir.Value,
    *,
    equation: str,
    sizes: tuple[tuple[str, int], ...],
    assert_is_tile_preserving: bool,
) -> Any:
    named = dict(sizes)
    try:
        return traced(ctx, lambda x: jax_tpu.einshape_on_tpu(equation, x, assert_is_tile_preserving, **named), [x])
    except ValueError as error:
        # JAX checks the claim of the author here.
        raise ctx.unsupported(
            f"expected an equation that keeps tiles whole, as assert_is_tile_preserving says, got {equation!r}",
            "leave assert_is_tile_preserving out",
        ) from error


def _integer(dtype: Any) -> Any:
    """The unsigned integer of the width of a dtype."""
    return jnp.dtype(f"uint{bit_width(jnp.dtype(dtype))}")


@TPU.decomposition("pack_elementwise")
def _pack_elementwise(*xs: Any, packed_dtype: Any) -> Any:
    """Array i takes the bits from i times the packed width on."""
    width, word = bit_width(jnp.dtype(packed_dtype)), _integer(xs[0].dtype)
    packed = jnp.zeros(xs[0].shape, word)
    for i, x in enumerate(xs):
        if jnp.issubdtype(x.dtype, jnp.floating):
            bits = lax.bitcast_convert_type(x.astype(packed_dtype), _integer(packed_dtype)).astype(word)
        else:
            bits = x.astype(word) & jnp.asarray((1 << width) - 1, word)
        packed = packed | (bits << jnp.asarray(i * width, word))
    return packed


@TPU.decomposition("unpack_elementwise")
def _unpack_elementwise(x: Any, *, index: int, packed_dtype: Any, unpacked_dtype: Any) -> Any:
    packed, word = jnp.dtype(packed_dtype), _integer(x.dtype)
    bits = (x.astype(word) >> jnp.asarray(index * bit_width(packed), word)).astype(_integer(packed))
    return lax.bitcast_convert_type(bits, packed).astype(unpacked_dtype)


@TPU.decomposition("stochastic_round")
def _stochastic_round(x: Any, random_bits: Any, *, target_dtype: Any) -> Any:
    """Adds random bits below the last bit of the target, then truncates; values that are not finite do not change."""
    dropped = jnp.finfo(jnp.float32).nmant - jnp.finfo(target_dtype).nmant
    bits = lax.bitcast_convert_type(x, jnp.uint32)
    noise = random_bits & jnp.asarray((1 << dropped) - 1, jnp.uint32)
    cut = (bits + noise) & jnp.asarray(0xFFFFFFFF ^ ((1 << dropped) - 1), jnp.uint32)
    rounded = lax.bitcast_convert_type(cut, jnp.float32)
    return jnp.where(jnp.isfinite(x), rounded, x).astype(target_dtype)


@TPU.rule("conv")
def _conv(
    ctx: RuleContext,
    *operands: ir.Value,
    dimension_numbers: Any,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any,
    rhs_dilation: Any,
    window_reversal: Any,
    feature_group_count: int,
    batch_group_count: int,
    precision: Any,
    preferred_element_type: Any,
) -> list[ir.Value]:
    """A convolution, which may be added to an accumulator."""

    def convolve(lhs: Any, rhs: Any, *given: Any) -> Any:
        if window_reversal is not None:
            spatial = dimension_numbers.rhs_spec[2:]
            rhs = lax.rev(rhs, [dim for dim, is_reversed in zip(spatial, window_reversal, strict=True) if is_reversed])
        result = lax.conv_general_dilated(
            lhs,
            rhs,
            window_strides,
            padding,
            lhs_dilation,
            rhs_dilation,
            dimension_numbers,
            feature_group_count,
            batch_group_count,
            precision,
            # Without a separate type, the result has the type of the accumulator.
            preferred_element_type or (given[0].dtype if given else None),
        )
        return given[0] + result.astype(given[0].dtype) if given else result

    return traced(ctx, convolve, operands)


@TPU.rule("has_memory_space")
def _has_memory_space(ctx: RuleContext, ref: ir.Value, *, memory_space: Any) -> ir.Value:
    """On the CPU a Ref that may be anywhere is in the memory of the chip."""
    if ctx.kernel.platform != "cpu":
        raise ctx.unsupported("expected a kernel that does not read the memory space of an operand")
    return emit.constant(memory_space is pltpu.HBM, emit.i1())


@TPU.rule("add_dependency")
def _touch(ctx: RuleContext, x: ir.Value, *_: ir.Value) -> list[ir.Value]:
    """The value itself; of a Ref nothing."""
    return [x] if ctx.eqn.outvars else []


@TPU.rule("trace_value", ignores={"label": ANY})
def _trace_value(_: RuleContext, __: ir.Value) -> list[ir.Value]:
    """A mark for a profiler has no effect on the results."""
    return []


@TPU.rule("prng_seed")
def _prng_seed(_: RuleContext, *seeds: ir.Value) -> list[ir.Value]:
    """A seed is a number, or a key: the array of its words."""
    words = []
    for seed in seeds:
        positions = np.ndindex(*emit.shape_of(seed))
        is_number = not emit.shape_of(seed)
        words += (
            [seed] if is_number else [emit.extract(seed, [emit.index(i) for i in position]) for position in positions]
        )
    grid.PrngSeedOp(words)
    return []


@TPU.rule("prng_random_bits", ignores={"shape": ANY})
def _prng_random_bits(ctx: RuleContext) -> ir.Value:
    return grid.PrngBitsOp(ctx.out_type).result


@TPU.rule("prng_split")
def _prng_split(ctx: RuleContext, key: ir.Value) -> list[ir.Value]:
    """The words of a key, which is an array of one row of them."""
    return [emit.extract(key, [emit.index(0), emit.index(i)]) for i in range(len(ctx.avals_out))]


@TPU.rule("prng_join", ignores={"impl": ANY})
def _prng_join(ctx: RuleContext, *words: ir.Value) -> ir.Value:
    key = emit.empty(ctx.out_type)
    for i, word in enumerate(words):
        key = emit.insert(word, key, [emit.index(0), emit.index(i)])
    return key
