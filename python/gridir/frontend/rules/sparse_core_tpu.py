# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives that a SparseCore has ops for: in kernels lowered for a TPU, these ops are in the kernel's body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gridir import emit
from gridir.errors import UnsupportedError
from gridir.frontend.rules import copies, sparse_core
from gridir.frontend.rules.ref_views import transformed, unflatten, view
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.levels import SPARSE_CORE
from gridir.frontend.walk.registry import ANY
from gridir.frontend.walk.types import is_float, is_unsigned
from gridir.mlir import ir

_SEGMENTS = "operandSegmentSizes"


def _kind(name: str) -> ir.Attribute:
    return ir.Attribute.parse(f"#tpu.reduction_kind<{name}>")


def _ordered(x: ir.Value, aval: Any) -> ir.Value:
    """Integers without a sign, in the order of those of `aval`; doing it twice undoes it."""
    if is_float(aval) or is_unsigned(aval):
        return x
    return emit.binary("arith.xori", x, emit.constant(-(2**31), x.type))


def _all(x: ir.Value) -> ir.Value:
    """A mask that hides none of the lanes of a value."""
    return emit.constant(1, emit.like(x.type, emit.i1()))


def _scan(kind: str) -> Callable[..., ir.Value]:
    def rule(ctx: RuleContext, x: ir.Value, mask: ir.Value) -> ir.Value:
        aval = ctx.avals_in[0]
        operand = x if kind == "sum" else _ordered(x, aval)
        result = emit.value("tpu.scan", [operand, mask], x.type, kind=_kind(kind))
        return result if kind == "sum" else _ordered(result, aval)

    return rule


for _name, _what in (("masked_cumsum", "sum"), ("masked_cummax", "max"), ("masked_cummin", "min")):
    SPARSE_CORE.register(_name, _scan(_what), overrides=True)


def _reduction(kind: str) -> Callable[..., ir.Value]:
    """The last lane of a scan."""

    def rule(ctx: RuleContext, x: ir.Value, *, axes: Sequence[int]) -> ir.Value:
        if tuple(axes) != (0,) or len(emit.shape_of(x)) != 1:
            raise ctx.unsupported(f"expected a reduction of one dimension on a SparseCore, got axes {tuple(axes)}")
        return emit.extract(_scan(kind)(ctx, x, _all(x)), [emit.index(emit.shape_of(x)[0] - 1)])

    return rule


for _name, _what in (("reduce_sum", "sum"), ("reduce_max", "max"), ("reduce_min", "min")):
    SPARSE_CORE.register(_name, _reduction(_what), {"out_sharding": None})


@SPARSE_CORE.rule("cumsum")
def _cumsum(ctx: RuleContext, x: ir.Value, *, axis: int, reverse: bool) -> ir.Value:
    if reverse or axis != 0 or len(emit.shape_of(x)) != 1:
        raise ctx.unsupported("expected a sum of one dimension, from its first element on, on a SparseCore")
    return _scan("sum")(ctx, x, _all(x))


def _sorted(keys: ir.Value, values: ir.Value, mask: ir.Value, descending: bool) -> Sequence[ir.Value]:
    """The mask of the chosen elements, which come first, the keys and the values."""
    types = [mask.type, keys.type, values.type]
    return emit.op("tpu.sort", [keys, values, mask], types, {"descending": ir.BoolAttr.get(descending)}).results


@SPARSE_CORE.rule("masked_sort", overrides=True)
def _masked_sort(
    ctx: RuleContext, keys: ir.Value, values: ir.Value, *masks: ir.Value, descending: bool
) -> list[ir.Value]:
    mask = masks[0] if masks else _all(keys)
    out_mask, out_keys, out_values = _sorted(_ordered(keys, ctx.avals_in[0]), values, mask, descending)
    return [_ordered(out_keys, ctx.avals_in[0]), out_values, *([out_mask] if masks else [])]


@SPARSE_CORE.rule("sort", ignores={"is_stable": ANY})
def _sort(ctx: RuleContext, keys: ir.Value, *values: ir.Value, dimension: int, num_keys: int) -> list[ir.Value]:
    """A sort of each array by the keys, which is stable."""
    if num_keys != 1 or len(emit.shape_of(keys)) != 1:
        raise ctx.unsupported(f"expected one key of one dimension on a SparseCore, got {num_keys} along {dimension}")
    ordered, mask = _ordered(keys, ctx.avals_in[0]), _all(keys)
    sorts = [_sorted(ordered, value, mask, descending=False) for value in values or (keys,)]
    return [_ordered(sorts[0][1], ctx.avals_in[0]), *(results[2] for results in sorts[: len(values)])]


@SPARSE_CORE.rule("sparse_core.scan_count", overrides=True)
def _scan_count(ctx: RuleContext, x: ir.Value, mask: ir.Value) -> list[ir.Value]:
    counts = ctx.types.value(ctx.avals_out[0])
    return list(emit.op("tpu.scan_count", [mask, x], [mask.type, counts]).results)[::-1]


def _all_reduce(kind: str) -> Callable[..., ir.Value]:
    def rule(ctx: RuleContext, x: ir.Value, *, reduce: int) -> ir.Value:
        del reduce  # The shape of the result has it.
        dim = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
        return emit.value("tpu.all_reduce", [x], ctx.out_type, dim=dim, kind=_kind(kind))

    return rule


SPARSE_CORE.register("all_reduce_population_count", _all_reduce("sum"), overrides=True)
SPARSE_CORE.register("all_reduce_ffs", _all_reduce("find_first_set"), overrides=True)


def _segments(*sizes: int) -> ir.Attribute:
    return ir.DenseI32ArrayAttr.get(list(sizes))


@SPARSE_CORE.rule("sparse_core.gather", overrides=True)
def _gather(ctx: RuleContext, *leaves: ir.Value, tree: Any) -> ir.Value:
    ref, transforms, indices, mask = unflatten(ctx, tree, leaves)
    operands = [view(ctx, ref, transforms or ()), *indices, *([mask] if mask else [])]
    sizes = {_SEGMENTS: _segments(1, len(indices), 1 if mask else 0)}
    return emit.value("tpu.vector_load_idx", operands, ctx.out_type, **sizes)


@SPARSE_CORE.rule("sparse_core.scatter", overrides=True)
def _scatter(ctx: RuleContext, *leaves: ir.Value, tree: Any, add: bool) -> list[ir.Value]:
    ref, transforms, indices, x, mask = unflatten(ctx, tree, leaves)
    operands = [x, view(ctx, ref, transforms or ()), *indices, *([mask] if mask else [])]
    attributes = {_SEGMENTS: _segments(1, 1, len(indices), 1 if mask else 0), "add": ir.BoolAttr.get(add)}
    emit.op("tpu.vector_store_idx", operands, [], attributes)
    return []


@SPARSE_CORE.rule("sparse_core.barrier", overrides=True)
def _barrier(_: RuleContext) -> list[ir.Value]:
    emit.op("tpu.barrier", [emit.index(0)], [])
    return []


def _ends(ctx: RuleContext, ends: Sequence[Any], rows: Sequence[copies.Rows | None]) -> list[ir.Value]:
    """Both ends of a copy; of the one that names rows all of them."""
    return [
        transformed(ctx, end) if named is None else named.all_rows(ctx) for end, named in zip(ends, rows, strict=True)
    ]


@SPARSE_CORE.rule("dma_start", overrides=True)
def _dma_start(
    ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, priority: int, add: bool
) -> list[ir.Value]:
    """A copy of rows is one op."""
    source, dest, sem, _, device = unflatten(ctx, tree, leaves)
    rows = copies.rows_of(ctx, source), copies.rows_of(ctx, dest)
    if not any(rows):
        return copies.dma_start(ctx, *leaves, tree=tree, device_id_type=device_id_type, priority=priority, add=add)
    if all(rows) or device is not None or priority:
        raise ctx.unsupported("expected rows at one end of a copy, on this device and without a priority")
    named = next(filter(None, rows))
    ignored = [] if named.ignored is None else [emit.constant(named.ignored, emit.i32())]
    ends = _ends(ctx, (source, dest), rows)
    operands = [*ends, named.offsets(ctx), transformed(ctx, sem), *ignored]
    emit.op("tpu.enqueue_indirect_dma", operands, [], {"add": ir.BoolAttr.get(add)})
    return []


@SPARSE_CORE.rule("dma_wait", overrides=True)
def _dma_wait(
    ctx: RuleContext, *leaves: ir.Value, tree: Any, device_id_type: Any, is_wait_send: bool
) -> list[ir.Value]:
    source, dest, sem, _, _ = unflatten(ctx, tree, leaves)
    rows = copies.rows_of(ctx, source), copies.rows_of(ctx, dest)
    if not any(rows):
        return copies.dma_wait(ctx, *leaves, tree=tree, device_id_type=device_id_type, is_wait_send=is_wait_send)
    ends = _ends(ctx, (source, dest), rows)
    emit.op("tpu.wait_indirect_dma", [transformed(ctx, sem), *ends], [])
    return []


# Primitives with ops that gridir does not emit yet ----------------------------------------------------------------


def _unwritten(ctx: RuleContext) -> UnsupportedError:
    return ctx.unsupported(
        "expected a primitive that gridir writes for a SparseCore, got one that it runs on the CPU only"
    )


@SPARSE_CORE.rule("sparse_core.load", overrides=True)
def _load(ctx: RuleContext, ref: Any, *leaves: ir.Value, tree: Any, has_mask: bool) -> ir.Value:
    if has_mask:
        raise _unwritten(ctx)
    return sparse_core.load(ctx, ref, *leaves, tree=tree, has_mask=False)


@SPARSE_CORE.rule("sparse_core.swap", ignores={"compress": ANY}, overrides=True)
def _swap(
    ctx: RuleContext, ref: Any, x: ir.Value, *leaves: ir.Value, tree: Any, has_mask: bool, add: bool
) -> list[ir.Value]:
    if has_mask:
        raise _unwritten(ctx)
    return sparse_core.swap(ctx, ref, x, *leaves, tree=tree, has_mask=False, add=add)


@SPARSE_CORE.rule("sparse_core.pack", "sparse_core.unpack", overrides=True)
def _pack(ctx: RuleContext, *_: ir.Value, format: Any, preferred_element_type: Any) -> ir.Value:
    del format, preferred_element_type
    raise _unwritten(ctx)
