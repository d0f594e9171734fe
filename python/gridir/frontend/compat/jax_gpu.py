# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private classes for Mosaic GPU.

They need packages that gridir does without. So they are imported when a kernel is made for them, and an object that is
there before they are imported is none of theirs.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import core as _jax_core
from jax._src import effects as _effects
from jax._src.pallas import core as _pallas_core
from jax._src.state import types as _state_types
from jax.extend.core import Primitive

_PUBLIC = "jax.experimental.pallas.mosaic_gpu"
_CORE = "jax._src.pallas.mosaic_gpu.core"
_ARRAYS = "jax.experimental.mosaic.gpu.fragmented_array"
_INTERPRET = "jax._src.pallas.mosaic_gpu.interpret"


def capability() -> tuple[int, int] | None:
    """Returns the compute capability of the first GPU of this process, as (9, 0); None where JAX has none."""
    try:
        devices = jax.local_devices(backend="cuda")
    except RuntimeError:
        return None
    major, minor = devices[0].compute_capability.split(".")
    return int(major), int(minor)


def core() -> Any:
    """The module of the classes.

    Raises:
      ImportError: when a package that JAX needs for it is missing.
    """
    return importlib.import_module(_CORE)


def public() -> Any:
    """The module that authors of kernels import.

    Raises:
      ImportError: when a package that JAX needs for it is missing.
    """
    return importlib.import_module(_PUBLIC)


def _is_a(value: Any, *classes: str) -> bool:
    """True if a value is an instance of one of the classes. A class that JAX has renamed is an AttributeError."""
    loaded = sys.modules.get(_CORE)
    return loaded is not None and isinstance(value, tuple(getattr(loaded, name) for name in classes))


def is_memory_space(space: Any) -> bool:
    """True if a memory space belongs to a GPU."""
    return _is_a(space, "MemorySpace")


def is_mesh(mesh: Any) -> bool:
    """True if a mesh consists of CTAs, clusters and threads."""
    return _is_a(mesh, "Mesh")


def is_warp_mesh(mesh: Any) -> bool:
    """True if a mesh consists of the warps of a warpgroup."""
    return _is_a(mesh, "WarpMesh")


def undoes_layout(transform: Any) -> bool:
    """True if a Ref transform only maps the layout of a Ref in memory to the author's indices."""
    return _is_a(transform, "UnswizzleRef", "UntilingTransform", "ExpandLeadingBatchDimensionsTransform")


def union_members(aval: Any) -> list[Any] | None:
    """The members of an abstract union of Refs: of each the transforms that lead to it; None for any other Ref."""
    if not _is_a(aval, "AbstractRefUnion"):
        return None
    trees = core().flatten_ref_union(aval)
    return [ref.transforms for ref in jax.tree.leaves(trees, is_leaf=lambda x: hasattr(x, "transforms"))]


def member_key(transform: Any) -> tuple[int, int]:
    """Which member of a union a Ref transform selects: the number of its group, and the offset there."""
    return transform.alias_group_idx, transform.offset


def tensor_columns(transform: Any, bits: int) -> int | None:
    """The columns of tensor memory of a member that a Ref transform selects; None of one in shared memory.

    Args:
      bits: the width of an element.
    """
    if transform.layout is None:
        return None
    return int(transform.layout.cols_in_shape(transform.shape, bits))


def is_accumulator(aval: Any) -> bool:
    """True if an abstract Ref is an accumulator of a matrix unit, in registers."""
    return _is_a(aval, "WGMMAAbstractAccumulatorRef")


def is_collective(aval: Any) -> bool | None:
    """True if tensor memory belongs to a pair of CTAs; None for an abstract Ref that is not tensor memory."""
    return aval.collective if _is_a(aval, "AbstractTMEMRef") else None


def is_of_warpgroup(aval: Any) -> bool:
    """True if only the code of a warpgroup uses an abstract Ref: an accumulator, tensor memory or a barrier."""
    return is_accumulator(aval) or is_collective(aval) is not None or barrier_parameters(aval.dtype) is not None


def allocation(aval: Any) -> Any:
    """Returns the allocation of a scratch Ref of a kernel of blocks inside a mesh kernel, as JAX creates it."""
    array = _jax_core.ShapedArray(aval.shape, aval.dtype)
    if is_accumulator(aval):
        return core().WGMMAAccumulatorRef(aval.shape, aval.dtype)
    if is_collective(aval) is not None:
        memory = core().TMEM
        return core().GPUMemoryRef(array, memory, transforms=(), layout=aval.layout, collective=aval.collective)
    space = aval.memory_space
    return _pallas_core.MemoryRef(array, space if is_memory_space(space) else core().GMEM)


def block_spec(block: Any, index_map: Callable[..., Any]) -> Any:
    """The BlockSpec of a pipeline for a block of a GridMapping, with another index map."""
    space = block.transformed_block_aval.memory_space
    return core().BlockSpec(block.block_shape, index_map, memory_space=space, transforms=block.transforms)


def is_in_global_memory(block: Any) -> bool:
    """True if a block of a GridMapping stays in the memory of its array."""
    return block.transformed_block_aval.memory_space == core().GMEM


jaxpr_call_p = Primitive("jaxpr_call")
"""The body of a kernel of blocks inside a mesh kernel. JAX had such a primitive until 0.11."""
jaxpr_call_p.multiple_results = True


@jaxpr_call_p.def_effectful_abstract_eval
def _(*_: Any, jaxpr: Any, **__: Any) -> tuple[list[Any], set[Any]]:
    # Effects of the jaxpr on its own arguments are not visible outside.
    return jaxpr.out_avals, {effect for effect in jaxpr.effects if not isinstance(effect, _effects.JaxprInputEffect)}


def call_jaxpr(jaxpr: Any, refs: Sequence[Any], program_ids: Sequence[Any]) -> None:
    """Traces the body of a kernel of blocks as a step of a pipeline, whose program ids are those of the kernel."""
    pairs = [(ref.ref, ref.transforms) if isinstance(ref, _state_types.TransformedRef) else ref for ref in refs]
    leaves, trees = zip(*map(jax.tree.flatten, pairs), strict=True) if pairs else ((), ())
    ids, program_ids_treedef = jax.tree.flatten(list(program_ids))
    jaxpr_call_p.bind(
        *itertools.chain.from_iterable(leaves),
        *ids,
        jaxpr=jaxpr,
        ref_treedefs=tuple(trees),
        program_ids_treedef=program_ids_treedef,
    )


def cluster_coordinates(transform: Any) -> dict[Any, Any] | None:
    """The coordinates along axes of the cluster of the block that a Ref transform leads to; None for any other one."""
    if not _is_a(transform, "ClusterRefTransform"):
        return None
    return dict(zip(transform.dims, transform.idxs, strict=True))


def peer_device(transform: Any) -> tuple[Any, Any] | None:
    """The device that a Ref transform leads to, and how it is named; None for any other one."""
    return (transform.device_id, transform.device_id_type) if _is_a(transform, "PeerMemRef") else None


def multicast_axes(transform: Any) -> tuple[Any, ...] | None:
    """The axes of devices that a Ref transform addresses all together; None for any other one."""
    return transform.collective_axes if _is_a(transform, "MulticastRef") else None


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
    """Returns the parameters of a barrier dtype, and None for every other dtype.

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


@dataclasses.dataclass(frozen=True)
class Spread:
    """The layout of an array over the registers of a warpgroup, by the bits of each kind.

    Attributes:
      tile: the sizes of the tile that repeats over the array; powers of two, none for one register with all elements.
      registers, lanes, warps: for each bit, the lowest first, the row-major index in the tile that it leads to.
    """

    tile: tuple[int, ...]
    registers: tuple[int, ...] = ()
    lanes: tuple[int, ...] = ()
    warps: tuple[int, ...] = ()


def _bits(dims: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The positions of the bits of an index over dimensions of these sizes and strides, the last one the fastest."""
    return tuple(stride << bit for size, stride in reversed(dims) for bit in range(size.bit_length() - 1))


def register_spread(layout: Any) -> Spread | None:
    """Converts a register layout; None if a tiled size is not a power of two, or this JAX lacks the layout."""
    arrays: Any = importlib.import_module(_ARRAYS)
    try:
        made = layout.to_mgpu()
    except (TypeError, ValueError):  # A layout that lacks its arguments, or has others than it takes.
        return None
    if isinstance(made, arrays.WGSplatFragLayout):
        return Spread(())
    if isinstance(made, arrays.WGStridedFragLayout):
        if made.vec_size & (made.vec_size - 1):
            return None
        threads = _bits([(4, 32 * made.vec_size), (32, made.vec_size)])
        return Spread((128 * made.vec_size,), _bits([(made.vec_size, 1)]), threads[:5], threads[5:])
    tile = made.base_tile_shape
    sizes = made.tiled_tiling_shape
    if any(size & (size - 1) for size in (*tile, *sizes)):
        return None
    contiguous = [math.prod(tile[d + 1 :]) for d in range(len(tile))]
    strides = made.tiling.tile_strides(tuple(contiguous))[-len(sizes) :]

    def pick(dims: Any) -> tuple[int, ...]:
        # A dimension that holds copies leads nowhere.
        return _bits([(d.times, 0) if isinstance(d, arrays.Replicated) else (sizes[d], strides[d]) for d in dims])

    of_thread = {d % len(sizes) for d in (*made.warp_dims, *made.lane_dims) if isinstance(d, int)}
    vector = made.vector_dim % len(sizes)
    held = [d for d in range(len(sizes)) if d not in of_thread and d != vector]
    return Spread(tuple(tile), pick([*held, vector]), pick(made.lane_dims), pick(made.warp_dims))


def is_interpret_params(params: Any) -> bool:
    """True if parameters of interpret mode are those of the interpreter of GPU kernels."""
    loaded = sys.modules.get(f"{_INTERPRET}.params")
    return loaded is not None and isinstance(params, loaded.InterpretGPUParams)


def interpret_params() -> Any:
    """The class of the parameters of the interpreter of GPU kernels, which JAX does not make public."""
    return importlib.import_module(f"{_INTERPRET}.params").InterpretGPUParams


@functools.cache
def answer_races(answer: Callable[[], Any]) -> None:
    """Makes `get_races()` of JAX's interpreter of GPU kernels return the result of `answer`, unless that is None."""
    interpreter: Any = importlib.import_module(f"{_INTERPRET}.interpret_pallas_call")
    get_races = interpreter.get_races

    def get() -> Any:
        answered = answer()
        return get_races() if answered is None else answered

    interpreter.get_races = get
