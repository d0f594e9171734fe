# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From one kernel as JAX hands it over to a module that holds a `grid.kernel`."""

from __future__ import annotations

from typing import Any

import gridir.frontend.rules  # noqa: F401  (registers the rules)
from gridir.frontend.context import KernelContext
from gridir.frontend.request import KernelRequest
from gridir.frontend.walker import check_supported, erase_unused, walk
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def lower_kernel(request: KernelRequest, context: ir.Context, *, platform: str = "cpu") -> ir.Module:
    """Lowers a kernel to the `grid` dialect.

    Args:
      request: the kernel.
      context: where the module is made.
      platform: the platform that `jax.lax.platform_dependent` is resolved for.

    Returns:
      A module with one `grid.kernel`. Every op has the location of the equation that it comes from.

    Raises:
      UnsupportedError: the kernel uses something that gridir cannot lower; primitives are all named at once.
    """
    mapping = request.grid_mapping
    name = request.kernel_name
    check_supported(name, [request.jaxpr, *(b.index_map_jaxpr.jaxpr for b in mapping.block_mappings)])
    with context, ir.Location.unknown():
        from gridir.frontend._minimal_header import build_kernel_header

        module, kernel_op = build_kernel_header(request)
        kernel = make_context(request, platform)
        with ir.InsertionPoint(kernel_op.regions[0].blocks[0]):
            walk(kernel, request.jaxpr, (), list(kernel_op.regions[0].blocks[0].arguments))
            grid.YieldOp([])
        erase_unused(kernel)
    return module


def make_context(request: KernelRequest, platform: str) -> KernelContext:
    """What the equations of the kernel share."""
    mapping: Any = request.grid_mapping
    vmapped = set(mapping.vmapped_dims)
    names = mapping.grid_names or ()
    return KernelContext(
        name=request.kernel_name,
        walk=walk,
        axes=tuple(i for i in range(len(mapping.grid)) if i not in vmapped),
        axis_names=tuple(str(name) if name is not None else None for name in names),
        platform=platform,
    )
