# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline code of Mosaic GPU, and prints of layouts.

Such code is a Python function that emits JAX's own MLIR, for one thread. It runs with a separate module; `by_thread`
converts the contents of the module to ops on arrays, loads and stores of windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gridir import emit
from gridir.frontend.compat import jax_gpu, jax_inline
from gridir.frontend.rules.ref_views import slice_ref, view
from gridir.frontend.walk.context import RuleContext
from gridir.frontend.walk.devices import program_index
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.registry import ANY
from gridir.frontend.walk.types import is_ref
from gridir.mlir import ir
from gridir.mlir.dialects import grid, warpgroup
from gridir.simt import Execution, Operand, Refusal
from gridir.simt.memory import Window
from gridir.simt.values import bits_of

_FENCES = {
    "fence.proxy.async": True,
    "fence.proxy.async.shared::cta": True,
    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster": True,
    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster": True,
    "fence.mbarrier_init.release.cluster": False,
    "fence.acq_rel.cluster": False,
    "fence.acq_rel.gpu": False,
    "fence.acq_rel.sys": False,
    "fence.sc.cta": False,
    "membar.cta": False,
    "membar.gl": False,
    "membar.sys": False,
}
"""The PTX of fences: whether it orders shared memory between proxies. All else is in order already."""


class _Kernel:
    """The interface of an equation's kernel to inline code.

    Args:
      ctx: the equation.
    """

    def __init__(self, ctx: RuleContext):
        self._ctx = ctx

    def index(self, of: str, dimension: str) -> ir.Value | int:
        """A number of `gpu`. CUDA counts the axes from the last one on; its third has all others of a grid."""
        kernel = self._ctx.kernel
        if len(kernel.axis_names) != len(kernel.static_grid) or None in (*kernel.axis_names, *kernel.static_grid):
            raise Refusal("expected a grid whose axes have names and known sizes")
        of_grid = [name for name in kernel.axis_names if name not in (*kernel.cluster_axes, kernel.thread_axis)]
        position = "xyz".index(dimension)
        grid = self._axes(of_grid, position)
        cluster = self._axes(kernel.cluster_axes, position)
        sizes = [math.prod(map(self._size, axes)) for axes in (grid, cluster)]
        match of.removeprefix("gpu."):
            case "grid_dim":
                return sizes[0] * sizes[1]
            case "cluster_dim":
                return sizes[0]
            case "cluster_dim_blocks":
                return sizes[1]
            case "cluster_id":
                return self._number(grid)
            case "cluster_block_id":
                return self._number(cluster)
        return self._number([*grid, *cluster])

    @staticmethod
    def _axes(names: Any, position: int) -> list[str]:
        """The axes that are one of CUDA's."""
        last = len(names) - position
        first = 0 if position == 2 else max(last - 1, 0)
        return list(names[first : max(last, 0)])

    def _size(self, name: str) -> int:
        size = self._ctx.kernel.size_of(name)
        assert size is not None
        return size

    def _number(self, names: list[str]) -> ir.Value | int:
        """The row-major number along axes."""
        number: ir.Value | None = None
        for name in names:
            size, own = self._size(name), program_index(self._ctx, name)
            if number is None:
                number = own
                continue
            number = emit.binary("arith.addi", emit.binary("arith.muli", number, emit.constant(size, emit.i32())), own)
        return 0 if number is None else number

    def part(self, ref: ir.Value, offsets: Sequence[Any], sizes: Sequence[int], dropped: Sequence[int]) -> ir.Value:
        """A window of a Ref, without the dimensions that are dropped."""
        return slice_ref(ref, offsets, sizes, [1] * len(sizes), dropped)

    def fence(self, text: str) -> None:
        """A fence of the table."""
        if text not in _FENCES:
            raise Refusal(f"expected a fence among {', '.join(_FENCES)}, got `{text}`")
        if _FENCES[text]:
            warpgroup.CommitSmemOp()

    def named_barrier(self, number: ir.Value | int, threads: int, waits: bool) -> None:
        """Synchronizes warpgroups or warps of the CTA."""
        if isinstance(number, int):
            number = emit.constant(number, emit.i32())
        warpgroup.NamedBarrierOp(number, threads, arrive=None if waits else True)

    def store_tile(self, source: Window, dest: Window) -> None:
        """A copy to global memory of a tile, to a window of the same sizes but for those of 1."""
        of_source, of_dest = source.box(), dest.box()
        kept = [d for d, size in enumerate(of_dest.sizes) if size != 1]
        dropped = [d for d, size in enumerate(of_source.sizes) if size == 1]
        sizes = [size for size in of_source.sizes if size != 1]
        if sizes != [of_dest.sizes[d] for d in kept]:
            raise Refusal(f"expected a copy of {of_dest.sizes}, got one of {of_source.sizes}")
        tile = slice_ref(source.operand.ref, of_source.offsets, of_source.sizes, [1] * len(of_source.sizes), dropped)
        gone = [d for d, size in enumerate(of_dest.sizes) if size == 1]
        arrays = map(ir.DenseI64ArrayAttr.get, (list(of_dest.offsets), list(of_dest.sizes), gone))
        offsets, extents, gone_attr = arrays
        warpgroup.TmaStoreOp(tile, dest.operand.ref, [], offsets, extents, dropped=gone_attr if gone else None)
        warpgroup.CommitGroupOp()

    def wait_for_copies(self, groups: int, reads: bool) -> None:
        """Waits for copies."""
        warpgroup.WaitGroupOp(groups, read=reads or None)


@WARPGROUP.rule("inline_mgpu", ignores={"pytree_ret_ty": ANY})
def _inline_mgpu(
    ctx: RuleContext,
    *leaves: ir.Value,
    mgpu_fn: Any,
    flat_arg_types: Any,
    flat_ret_ty: Any,
    pytree_args: Any,
    pytree_ref_transforms: Any,
) -> list[ir.Value]:
    count = pytree_args.num_leaves
    transforms = pytree_ref_transforms.unflatten(leaves[count:])
    in_warp = ctx.kernel.state.warp is not None
    if in_warp:
        _check_scalars(ctx, flat_ret_ty)
    refs: dict[int, Operand] = {}
    operands: list[jax_inline.ArrayOperand | jax_inline.RefOperand] = []
    try:
        for i, (type_, aval) in enumerate(zip(flat_arg_types, ctx.avals_in[:count], strict=True)):
            if not jax_inline.is_ref_type(type_):
                operands.append(jax_inline.ArrayOperand(aval, type_))
                continue
            refs[i] = _operand(view(ctx, leaves[i], transforms[i] or ()), type_.transforms)
            element = str(refs[i].ref.type.element_type)
            operands.append(jax_inline.RefOperand(refs[i].tiled_shape, element, refs[i].is_shared))
        bound, code = jax_inline.run_inline(mgpu_fn, operands, pytree_args, flat_ret_ty)
        thread_axis = ctx.kernel.thread_axis
        warpgroups = 1 if in_warp or thread_axis is None else ctx.kernel.size_of(thread_axis) or 1
        execution = Execution(_Kernel(ctx), warpgroups, 32 if in_warp else 128)
        for i, own in enumerate(bound):
            if isinstance(own, int):
                execution.bind_ref(own, refs[i])
            else:
                execution.bind_array(own, leaves[i])
        return execution.run(code)
    except (Refusal, jax_inline.InlineError) as error:
        raise ctx.unsupported(f"expected inline code that gridir can express on whole arrays, got: {error}") from error


def _operand(ref: ir.Value, transforms: Any) -> Operand:
    """A Ref as inline code sees it, with explicit tiling and swizzle."""
    tile: tuple[int, ...] = ()
    swizzle = 0
    for transform in transforms:
        kind, numbers = jax_gpu.transform_kind(transform) or ("other", None)
        if kind == "tiling" and not tile:
            tile = tuple(map(int, numbers or ()))
        elif kind == "swizzle" and not swizzle:
            swizzle = int(numbers or 0)
        else:
            raise Refusal(f"expected a Ref that is tiled once and swizzled once, got one by {transform}")
    space = grid.MemorySpaceAttr(ref.type.memory_space).value
    if space in ("gpu.tmem", "gpu.regs"):
        raise Refusal(f"expected a Ref in shared or global memory, got one in {space}")
    bits = bits_of(str(ref.type.element_type))
    return Operand(ref, tuple(ref.type.shape), tile, swizzle, bits, space == "gpu.smem")


def _check_scalars(ctx: RuleContext, results: Any) -> None:
    """Checks that code of a single warp holds no arrays."""
    for result in results:
        if result.shape:
            what = "return types. Got shape="
            raise ctx.invalid(f"inline_mgpu in a single-warp context only supports scalar {what}{tuple(result.shape)}.")
    for aval in ctx.avals_in:
        if not is_ref(aval) and aval.shape:
            raise ctx.invalid(
                f"inline_mgpu in a single-warp context only supports scalar arrays (and Refs). Got {aval}."
            )


@WARPGROUP.rule("print_layout", ignores={"fmt": ANY, "transforms_tree": ANY})
def _print_layout(_: RuleContext, *__: ir.Value) -> list[ir.Value]:
    """Layouts are not chosen before a kernel is compiled for a chip."""
    return []
