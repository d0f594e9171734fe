# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private classes for Mosaic GPU.

They need packages that gridir does without. So they are imported when a kernel is made for them, and an object that is
there before they are imported is none of theirs.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

_CORE = "jax._src.pallas.mosaic_gpu.core"


def core() -> Any:
    """The module of the classes.

    Raises:
      ImportError: when a package that JAX needs for it is missing.
    """
    return importlib.import_module(_CORE)


def _is_a(value: Any, *classes: str) -> bool:
    """Whether a value is of one of the classes. One that JAX has renamed is an AttributeError."""
    loaded = sys.modules.get(_CORE)
    return loaded is not None and isinstance(value, tuple(getattr(loaded, name) for name in classes))


def is_memory_space(space: Any) -> bool:
    """Whether a memory space is one of a GPU."""
    return _is_a(space, "MemorySpace")


def is_mesh(mesh: Any) -> bool:
    """Whether a mesh is one of blocks, clusters and threads."""
    return _is_a(mesh, "Mesh")


def is_warp_mesh(mesh: Any) -> bool:
    """Whether a mesh is one of the warps of a warpgroup."""
    return _is_a(mesh, "WarpMesh")


def undoes_layout(transform: Any) -> bool:
    """Whether a Ref transform only leads from how a Ref lies in shared memory to what the author indexes."""
    return _is_a(transform, "UnswizzleRef", "UntilingTransform")


def is_accumulator(aval: Any) -> bool:
    """Whether an abstract Ref is an accumulator of a matrix unit, in registers."""
    return _is_a(aval, "WGMMAAbstractAccumulatorRef")


TRANSFORMS = {
    "tiling": ("TilingTransform", "tiling"),
    "untiling": ("UntilingTransform", "tiling"),
    "swizzle": ("SwizzleTransform", "swizzle"),
    "unswizzle": ("UnswizzleRef", "swizzle"),
}
"""The Ref transforms of blocks that have an attribute: for each kind the class, and the field that has its numbers."""


def transform_kind(transform: Any) -> tuple[str, Any] | None:
    """The kind of a Ref transform and its numbers; None for one that has no attribute."""
    for kind, (name, field) in TRANSFORMS.items():
        if _is_a(transform, name):
            return kind, getattr(transform, field)
    return None


def make_transform(kind: str, numbers: Any) -> Any:
    """The Ref transform that `transform_kind` describes."""
    return getattr(core(), TRANSFORMS[kind][0])(numbers)


def barrier_parameters(dtype: Any) -> tuple[Any, ...] | None:
    """What a barrier is made with, and None for every other dtype.

    The number of arrivals and whether it orders the tensor core; of a cluster also the axes and whether it is tracked.
    """
    if _is_a(dtype, "BarrierType"):
        return (dtype.num_arrivals, dtype.orders_tensor_core)
    if _is_a(dtype, "ClusterBarrierType"):
        return (dtype.num_arrivals, dtype.orders_tensor_core, dtype.collective_axes, dtype.leader_tracked)
    return None


def barrier_dtype(num_arrivals: int, orders_tensor_core: bool, axes: Any = None, leader_tracked: bool = False) -> Any:
    """The dtype that `barrier_parameters` describes."""
    if axes is None:
        return core().BarrierType(num_arrivals, orders_tensor_core)
    return core().ClusterBarrierType(axes, num_arrivals, orders_tensor_core, leader_tracked)
