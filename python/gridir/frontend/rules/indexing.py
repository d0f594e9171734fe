# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`jax.lax.gather` and `scatter` on values."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from gridir import emit
from gridir.frontend.rules.elementwise import Ops
from gridir.frontend.rules.ref_views import static_index
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import TPU_PLATFORM
from gridir.frontend.walk.registry import ANY, Function, rule, table
from gridir.frontend.walk.types import is_float, is_unsigned
from gridir.mlir import ir

Start = int | ir.Value
"""The start of a window in a dimension: a number that is known, or a value of type `index`."""


class Window:
    """The location of a window of an array, for one set of indices of a gather or scatter.

    Args:
      ctx: the equation.
      indices: the array of indices; its last dimension holds the numbers of one start.
      operand: which operand of the equation `indices` is.
      shape: the shape of the array that is indexed.
      sizes: the extents of a window in that array.
      start_dims: the dimension of the array that each number of a start is for.
      array_batch, index_batch: dimensions of the array and of the indices that go together.
    """

    def __init__(
        self,
        ctx: RuleContext,
        indices: ir.Value,
        operand: int,
        shape: Sequence[int],
        sizes: Sequence[int],
        start_dims: Sequence[int],
        array_batch: Sequence[int],
        index_batch: Sequence[int],
    ):
        self.indices, self.shape, self.sizes = indices, shape, sizes
        self.start_dims = list(start_dims)
        self.batch = dict(zip(array_batch, index_batch, strict=True))
        self.unsigned = is_unsigned(ctx.avals_in[operand])

    def starts(self, batch: Sequence[Start]) -> list[Start]:
        """The start of the window in each dimension, for the index vector at `batch`."""
        result: list[Start] = []
        for dim in range(len(self.shape)):
            if dim in self.start_dims:
                position = [*batch, self.start_dims.index(dim)]
                number = emit.extract(self.indices, [_as_index(p) for p in position])
                known = static_index(number)
                name = "arith.index_castui" if self.unsigned else "arith.index_cast"
                result.append(emit.value(name, [number], emit.index_type()) if known is None else known)
            elif dim in self.batch:
                result.append(batch[self.batch[dim]])
            else:
                result.append(0)
        return result

    def _last(self, dim: int) -> int:
        return self.shape[dim] - self.sizes[dim]

    def clamp(self, starts: Sequence[Start]) -> list[Start]:
        """The nearest starts whose window lies inside the array."""
        return [
            emit.clamp_index(start, max(self._last(dim), 0)) if dim in self.start_dims else start
            for dim, start in enumerate(starts)
        ]

    def choose(self, starts: Sequence[Start], inside: ir.Value, outside: Callable[[], ir.Value]) -> ir.Value:
        """A value where the whole window lies inside the array, another one where it does not."""
        dims = [d for d in self.start_dims if not _is_between(starts[d], 0, self._last(d))]
        if not dims:
            return inside
        is_inside = emit.constant(1, emit.i1())
        for dim in dims:
            for predicate, bound in (("sge", 0), ("sle", self._last(dim))):
                is_here = emit.compare(predicate, _as_index(starts[dim]), emit.index(bound))
                is_inside = emit.binary("arith.andi", is_inside, is_here)
        return emit.select(is_inside, inside, outside())


def _as_index(start: Start) -> ir.Value:
    return emit.index(start) if isinstance(start, int) else start


def _is_between(start: Start, first: int, last: int) -> bool:
    """True if a start is known to be in the range of these numbers."""
    return isinstance(start, int) and first <= start <= last


def _add(start: Start, offset: ir.Value) -> ir.Value:
    return offset if _is_between(start, 0, 0) else emit.binary("arith.addi", _as_index(start), offset)


def _mode(mode: Any) -> str:
    return getattr(mode, "name", str(mode)).upper()


def _fill_value(aval: Any) -> Any:
    """Returns JAX's fill value for elements outside of the array if the author names none."""
    if is_float(aval):
        return math.nan
    if aval.dtype == jnp.bool_:
        return 1
    info = jnp.iinfo(aval.dtype)
    return info.max if is_unsigned(aval) else info.min


# Promises of the author's that nothing here relies on.
_PROMISES = {"indices_are_sorted": ANY, "unique_indices": ANY}


@rule("gather", ignores=_PROMISES)
def _gather(
    ctx: RuleContext,
    x: ir.Value,
    indices: ir.Value,
    *,
    dimension_numbers: Any,
    slice_sizes: Sequence[int],
    mode: Any,
    fill_value: Any,
) -> ir.Value:
    shape, out_aval = ctx.avals_in[0].shape, ctx.avals_out[0]
    numbers = dimension_numbers
    window = Window(
        ctx,
        indices,
        1,
        shape,
        slice_sizes,
        numbers.start_index_map,
        numbers.operand_batching_dims,
        numbers.start_indices_batching_dims,
    )
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    offset_dims = dict(zip([d for d in range(len(shape)) if d not in gone], numbers.offset_dims, strict=True))
    batch_dims = [d for d in range(len(out_aval.shape)) if d not in numbers.offset_dims]
    fills = _mode(mode) == "FILL_OR_DROP"

    def element(*position: ir.Value) -> ir.Value:
        starts = window.starts([position[d] for d in batch_dims])
        clamped = window.clamp(starts)
        indices_ = [
            _add(start, position[offset_dims[d]]) if d in offset_dims else _as_index(start)
            for d, start in enumerate(clamped)
        ]
        value = emit.extract(x, indices_)
        if not fills:
            return value
        fill = _fill_value(out_aval) if fill_value is None else fill_value
        return window.choose(starts, value, lambda: emit.constant(fill, value.type))

    if not out_aval.shape:
        return element()
    return emit.generate(ctx.out_type, element)


# This many sets of indices are processed one by one, each at known positions, and more in loops.
_LONGEST_UNROLL = 8


def _each(bounds: Sequence[int], state: ir.Value, body: Callable[..., ir.Value]) -> ir.Value:
    """Folds a body over the positions within `bounds`, in sequence, with one tensor as its state."""
    if math.prod(bounds) > _LONGEST_UNROLL:
        return _nest(bounds, state, body)
    for position in itertools.product(*map(range, bounds)):
        state = body(state, *position)
    return state


def _nest(bounds: Sequence[int], state: ir.Value, body: Callable[..., ir.Value], *outer: ir.Value) -> ir.Value:
    """Nested loops over `bounds` that carry one tensor."""
    if len(outer) == len(bounds):
        return body(state, *outer)
    (result,) = emit.for_loop(
        emit.index(0),
        emit.index(bounds[len(outer)]),
        emit.index(1),
        [state],
        lambda i, inner: [_nest(bounds, inner, body, *outer, i)],
    )
    return result


class _Scatter(NamedTuple):
    """The dimensions of a scatter.

    Attributes:
      window: the places that the updates go to.
      sizes: the sizes of one window, in the rank of the array.
      window_dims: for dimensions of the array that a window covers, those of the updates.
      batch_dims: the dimensions of the updates that enumerate windows.
    """

    window: Window
    sizes: list[int]
    window_dims: dict[int, int]
    batch_dims: list[int]


def _dimensions(ctx: RuleContext, indices: ir.Value, numbers: Any) -> _Scatter:
    """Returns the dimensions of a scatter from its `dimension_numbers`."""
    shape, update_shape = ctx.avals_in[0].shape, ctx.avals_in[2].shape
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = [d for d in range(len(shape)) if d not in gone]
    window_dims = dict(zip(kept, numbers.update_window_dims, strict=True))
    sizes = [update_shape[window_dims[d]] if d in window_dims else 1 for d in range(len(shape))]
    window = Window(
        ctx,
        indices,
        1,
        shape,
        sizes,
        numbers.scatter_dims_to_operand_dims,
        numbers.operand_batching_dims,
        numbers.scatter_indices_batching_dims,
    )
    batch_dims = [d for d in range(len(update_shape)) if d not in numbers.update_window_dims]
    return _Scatter(window, sizes, window_dims, batch_dims)


def _scatter(combine: Ops | None, has_vectors: bool = False) -> Function:
    """The rule of a scatter, for a target whose values are vectors, or one whose values are in memory."""

    def lowering(
        ctx: RuleContext,
        x: ir.Value,
        indices: ir.Value,
        updates: ir.Value,
        *,
        dimension_numbers: Any,
        mode: Any,
        update_jaxpr: Any,
        update_consts: Sequence[Any],
    ) -> ir.Value:
        """One update after the other, in row-major order; a window that reaches outside is dropped.

        A function of the author's, which `x.at[i].apply` has instead of updates, goes with no other combination.
        """
        aval = ctx.avals_in[0]
        name = None if combine is None else combine.choose(aval)
        if combine is not None and name is None:
            raise ctx.unsupported(f"expected an array of another dtype, got {aval.dtype}")
        shape, update_shape = aval.shape, ctx.avals_in[2].shape
        window, sizes, window_dims, batch_dims = _dimensions(ctx, indices, dimension_numbers)
        clips = _mode(mode) == "CLIP"
        applies = combine is None and update_jaxpr is not None

        def put_window(state: ir.Value, *batch: Start) -> ir.Value:
            starts = window.starts(batch)
            offsets = window.clamp(starts)
            places = dict(zip(batch_dims, batch, strict=True))
            new = updates
            if places:
                firsts = [places.get(d, 0) for d in range(len(update_shape))]
                new = emit.extract_slice(new, firsts, [1 if d in places else s for d, s in enumerate(update_shape)])
            new = emit.reshape(new, sizes)
            old = functools.cache(lambda: emit.extract_slice(state, offsets, sizes))
            if name is not None:
                new = emit.binary(name, old(), new)
            new = new if clips else window.choose(starts, new, old)
            return emit.insert_slice(new, state, offsets)

        def put_element(state: ir.Value, *position: Start) -> ir.Value:
            place = [_as_index(p) for p in position]
            starts = window.starts([position[d] for d in batch_dims])
            target = [
                _add(start, place[window_dims[d]]) if d in window_dims else _as_index(start)
                for d, start in enumerate(window.clamp(starts))
            ]
            new = emit.extract(updates, place) if position else updates
            old = emit.extract(state, target)
            if applies:
                (new,) = ctx.inline(update_jaxpr, update_consts, [old, new])
            elif name is not None:
                new = emit.binary(name, old, new)
            if not clips:
                new = window.choose(starts, new, lambda: old)
            return emit.insert(new, state, target)

        batches = [update_shape[d] for d in batch_dims]
        count = math.prod(batches)
        # One window, as `x.at[:, 0].set(y)` makes it, is a slice. Of many in memory those are that lie in one piece.
        are_slices = has_vectors or count <= _LONGEST_UNROLL or (sizes and sizes[-1] > 1)
        if shape and not applies and (count == 1 or (math.prod(sizes) > 1 and are_slices)):
            return _each(batches, x, put_window)
        return _each(update_shape, x, put_element)

    return lowering


_COMBINATIONS = {
    "scatter": None,
    "scatter-add": Ops("arith.addf", "arith.addi", "arith.addi", "arith.ori"),
    "scatter-sub": Ops("arith.subf", "arith.subi", "arith.subi"),
    "scatter-mul": Ops("arith.mulf", "arith.muli", "arith.muli", "arith.andi"),
    "scatter-max": Ops("arith.maximumf", "arith.maxsi", "arith.maxui", "arith.ori"),
    "scatter-min": Ops("arith.minimumf", "arith.minsi", "arith.minui", "arith.andi"),
}
table(_COMBINATIONS, _scatter, ignores=_PROMISES)
TPU_PLATFORM.table(_COMBINATIONS, functools.partial(_scatter, has_vectors=True), ignores=_PROMISES, overrides=True)
