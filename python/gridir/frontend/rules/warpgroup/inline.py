# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of Mosaic GPU that the author writes by hand, and what is printed of layouts.

Such code is a Python function that emits JAX's own MLIR. It is run where it may emit into a module of its own, and what
is then in the module decides: a fence of a table is an op or nothing, and a constant is a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gridir.frontend import emit, jax_compat_gpu
from gridir.frontend.context import RuleContext
from gridir.frontend.levels import WARPGROUP
from gridir.frontend.registry import ANY
from gridir.mlir import ir
from gridir.mlir.dialects import warpgroup

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


@WARPGROUP.rule("inline_mgpu_p", ignores={"pytree_args": ANY, "pytree_ref_transforms": ANY, "pytree_ret_ty": ANY})
def _inline_mgpu(
    ctx: RuleContext, *args: ir.Value, mgpu_fn: Any, flat_arg_types: Any, flat_ret_ty: Any
) -> list[ir.Value]:
    if args:
        raise ctx.unsupported(f"expected code without operands, got operands of {', '.join(map(str, flat_arg_types))}")
    try:
        inlined = jax_compat_gpu.run_inline(mgpu_fn)
    except jax_compat_gpu.InlineError as error:
        raise ctx.unsupported(f"expected code that needs nothing of its kernel, got: {error}") from error
    for text, asm in inlined.effects:
        fence = None if asm is None else _FENCES.get(asm.strip().rstrip(";").strip())
        if fence is None:
            raise ctx.unsupported(f"expected a fence among {', '.join(_FENCES)}, got {text}")
        if fence:
            warpgroup.CommitSmemOp()
    return [_constant(ctx, value, aval) for value, aval in zip(inlined.results, ctx.avals_out, strict=True)]


def _constant(ctx: RuleContext, number: Any, aval: Any) -> ir.Value:
    if number is None:
        raise ctx.unsupported("expected a result that is one number everywhere, got one that is computed")
    return emit.array_constant(np.full(aval.shape, number, aval.dtype), ctx.types.value(aval))


@WARPGROUP.rule("print_layout", ignores={"fmt": ANY, "transforms_tree": ANY})
def _print_layout(_: RuleContext, *__: ir.Value) -> list[ir.Value]:
    """Layouts are not chosen before a kernel is compiled for a chip."""
    return []
