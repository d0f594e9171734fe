# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR types of Refs in the kernels of Pallas' Mosaic GPU backend."""

from __future__ import annotations

import json
from typing import Any

from gridir.frontend.compat import jax_gpu
from gridir.frontend.request.unknown_fields import check_read
from gridir.frontend.walk.types import Types
from gridir.mlir import ir


class WarpgroupTypes(Types):
    """Like the base, except for barriers, which are objects in shared memory."""

    def ref(self, aval: Any) -> ir.Type:
        """The memref type of a Ref."""
        parameters = jax_gpu.barrier_parameters(aval.dtype)
        if parameters is None:
            return super().ref(aval)
        check_read(aval.dtype)
        arrivals, orders_tensor_core, *of_cluster = parameters
        text = [str(arrivals)]
        if orders_tensor_core:
            text.append("tensor_core")
        if of_cluster:
            axes, leader_tracked = of_cluster
            groups = [list(map(str, axis)) if isinstance(axis, tuple) else str(axis) for axis in axes]
            text.append(f"cluster = {json.dumps(groups)}")
            if leader_tracked:
                text.append("leader_tracked")
        element = ir.Type.parse(f"!warpgroup.barrier<{', '.join(text)}>")
        return ir.MemRefType.get(aval.shape, element, memory_space=self.space(aval))
