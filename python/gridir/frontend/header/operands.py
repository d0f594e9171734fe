# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dimensions, operands, scratch and semantics of a `grid.kernel`, from JAX's `GridMapping`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import pallas as pl

from gridir.errors import Frame, OptionError, UnsupportedError
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.compat.releases import field_of
from gridir.frontend.header import params, trees
from gridir.frontend.header.notes import Notes
from gridir.frontend.request import meshes
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import records_of
from gridir.frontend.walk.types import Types, dtype_name, element_type, is_semaphore, space_name
from gridir.frontend.walk.walker import nested_jaxprs
from gridir.mlir import ir
from gridir.mlir.dialects import grid


def dim_names(grid_names: Sequence[Any] | None, rank: int) -> tuple[str | None, ...]:
    """The name of each grid dimension in `grid`: a name that is no string gets a placeholder, a missing one None.

    vmap puts its dimensions in front without naming them, so names belong to the last dimensions.
    """
    if grid_names is None:
        return (None,) * rank
    names = tuple(name if isinstance(name, str) else f"object {i}" for i, name in enumerate(grid_names))
    return (None,) * (rank - len(names)) + names


def signed_element_type(dtype: Any) -> ir.Type:
    """The MLIR type of one element of an operand, which keeps the sign of JAX's dtype."""
    bits = _unsigned_bits(dtype)
    return element_type(dtype) if bits is None else ir.IntegerType.get_unsigned(bits)


@functools.lru_cache(maxsize=256)
def _unsigned_bits(dtype: Any) -> int | None:
    """The width of a dtype of integers without sign; None for any other."""
    if isinstance(dtype, np.dtype) and dtype.kind == "u":
        return int(jax.numpy.iinfo(dtype).bits)
    name = dtype_name(dtype)
    return int(name[4:]) if name in ("uint2", "uint4") else None


def size_of(size: Any) -> int | None:
    """The size of a dimension of JAX's grid, where it is known."""
    return int(size) if jax_core.is_constant_dim(size) else None


def grid_dims(request: KernelRequest, notes: Notes) -> list[ir.Attribute]:
    """The dimensions of the grid: sizes, names, and those that `jax.vmap` adds."""
    mapping: Any = request.grid_mapping
    rank = len(mapping.grid)
    names = dim_names(mapping.grid_names, rank)
    kinds = meshes.dim_kinds(request.mesh, rank)
    for i, name in enumerate(mapping.grid_names or ()):
        if not isinstance(name, str):
            notes.object(f"grid_names[{i}]", name)
    symbols, dims = {}, []
    for i, size in enumerate(mapping.grid):
        number = size_of(size)
        if number is None and size is not jax_core.dynamic_grid_dim:
            symbols[str(i)] = str(size)
        dims.append(grid.DimAttr.get(number, names[i], i in mapping.vmapped_dims, kinds[i]))
    notes.text("symbolic_grid", symbols)
    return dims


def _block_dim(dim: Any, what: str) -> ir.Attribute:
    if type(dim) is pl.Blocked and type(dim.block_size) is int:
        return grid.BlockDimAttr.get(dim.block_size)
    if isinstance(dim, pl.Squeezed):
        return grid.BlockDimAttr.get(1, "squeezed")
    match dim:
        case pl.Blocked() | pl.Element() | pl.BoundedSlice() | pl.Indirect():
            size = dim.block_size
        case _:
            raise UnsupportedError(f"expected a known kind of block dimension of {what}, got {dim!r}")
    if not jax_core.is_constant_dim(size):
        raise UnsupportedError(
            f"expected a block of {what} of static size, got {size}",
            notes=["a symbolic dimension can be cut into blocks of a known size, or be one block"],
        )
    match dim:
        case pl.Element():
            return grid.BlockDimAttr.get(int(size), "element", tuple(map(int, dim.padding)))
        case pl.BoundedSlice():
            return grid.BlockDimAttr.get(int(size), "bounded_slice")
        case pl.Indirect():
            return grid.BlockDimAttr.get(int(size), "indirect")
    return grid.BlockDimAttr.get(int(size))


def is_whole(block_shape: Sequence[Any], shape: Sequence[Any]) -> bool:
    """True if a block covers its whole array."""
    return all(
        isinstance(dim, pl.Blocked) and dim.block_size == size for dim, size in zip(block_shape, shape, strict=True)
    )


def _transform_kind(transform: Any) -> tuple[str, Any] | None:
    """The kind of a Ref transform and its numbers; None for one that has no attribute."""
    if isinstance(transform, jax_core.TransposeTransform):
        return "transpose", transform.permutation
    return jax_gpu.transform_kind(transform)


def _transforms(transforms: Sequence[Any], field: str, notes: Notes) -> list[ir.Attribute]:
    attributes = []
    for transform in transforms:
        known = _transform_kind(transform)
        if known is None:
            notes.object(field, tuple(transforms))
            return []
        kind, numbers = known
        attributes.append(grid.TransformAttr.get(kind, [numbers] if isinstance(numbers, int) else list(numbers)))
    return attributes


def _shape(shape: Sequence[Any]) -> list[int | str]:
    return [int(size) if jax_core.is_constant_dim(size) else str(size) for size in shape]


def _pipeline(mode: Any, field: str, notes: Notes) -> ir.Attribute | None:
    if mode is None:
        return None
    if not isinstance(mode, pl.Buffered):
        notes.object(field, mode)
        return None
    counts = mode.buffer_count if isinstance(mode.buffer_count, tuple) else (mode.buffer_count, None)
    return grid.PipelineModeAttr.get(
        counts[0],
        mode.use_lookahead,
        mode.revisit and mode.revisit.value,
        write_buffers=counts[1],
        prefetched=field_of("Buffered", mode, "prefetched_count"),
    )


def _index_tree(block_mapping: Any, field: str, notes: Notes) -> str | None:
    tree = block_mapping.index_map_out_tree
    if tree == jax.tree.structure((0,) * len(block_mapping.block_shape)):
        return None
    try:
        return trees.to_text(tree)
    except trees.OpaqueTree:
        notes.object(field, tree)
        return None


def memory_space(space: Any, field: str, notes: Notes) -> str:
    """The name of a memory space; one that is bound to a mesh is recorded as an object."""
    if isinstance(space, jax_core.CoreMemorySpace):
        notes.object(field, space)
        return space_name(space.memory_space)
    return space_name(space)


def array_operand(block_mapping: Any, name: str, field: str, notes: Notes) -> ir.Attribute:
    """The operand of a block mapping: the array, its blocks and how they are buffered."""
    array, ref = block_mapping.array_aval, block_mapping.transformed_block_aval
    whole = is_whole(block_mapping.block_shape, array.shape)
    return grid.OperandAttr.get(
        signed_element_type(array.dtype),
        _shape(array.shape),
        [] if whole else [_block_dim(dim, name) for dim in block_mapping.block_shape],
        memory_space(ref.memory_space, f"{field}.memory_space", notes),
        _pipeline(block_mapping.pipeline_mode, f"{field}.pipeline_mode", notes),
        _transforms(block_mapping.transforms, f"{field}.transforms", notes),
        name,
        _index_tree(block_mapping, f"{field}.index_map_out_tree", notes),
    )


def index_operand(aval: Any, space: str, name: str | None = None) -> ir.Attribute:
    """An operand that index maps may read."""
    return grid.OperandAttr.get(signed_element_type(aval.dtype), _shape(aval.shape), [], space, origin=name)


def usual_origins(num_index: int, num_inputs: int, num_outputs: int) -> list[str]:
    """The origins that JAX gives to arguments and results that are no trees, for inputs and outputs."""
    outputs = ["outputs"] if num_outputs == 1 else [f"outputs[{i}]" for i in range(num_outputs)]
    return [f"args[{num_index + i}]" for i in range(num_inputs)] + outputs


def check_no_semaphores(request: KernelRequest, names: Sequence[str]) -> None:
    """Refuses semaphores that one kernel leaves to the next: those of a kernel are zero when it begins."""
    mapping: Any = request.grid_mapping
    refs = request.jaxpr.invars[mapping.num_index_operands :]
    for bm, name, ref in zip(mapping.block_mappings, names, refs, strict=False):
        if is_semaphore(bm.array_aval.dtype):
            frame = _first_use(request.jaxpr, ref)
            raise UnsupportedError(
                f"expected semaphores that the kernel allocates, got operand {name}, of `alloc_semaphore`, which "
                "outlives it",
                frames=(frame,) if frame else (),
            )


def _first_use(jaxpr: Any, ref: Any) -> Frame | None:
    """The author's line that uses a Ref first, be it in a jaxpr inside of an equation; None if it is unknown."""
    for eqn in jaxpr.eqns:
        if ref not in eqn.invars:
            continue
        if frame := jax_core.user_frame(eqn.source_info):
            return frame
        for nested in nested_jaxprs(eqn):
            # The values that a scope captures come first, in the order of the operands.
            inner = [*nested.constvars, *nested.invars]
            position = eqn.invars.index(ref)
            if position < len(inner) and (frame := _first_use(nested, inner[position])):
                return frame
    return None


def note_arrays(mapping: Any, debug: bool, notes: Notes) -> None:
    """Records JAX's facts about single arrays that their operands do not contain."""
    origins = [bm.origin for bm in mapping.block_mappings]
    if origins != usual_origins(mapping.num_index_operands, mapping.num_inputs, mapping.num_outputs):
        notes.entries["origins"] = params.to_attribute(origins)
    weak, spaces, debugged = [], {}, []
    for i, aval in enumerate(mapping.index_map_avals):
        inner = aval.inner_aval if isinstance(aval, jax_core.AbstractRef) else aval
        notes.mesh(f"index_map_avals[{i}]", inner, aval)
    for i, bm in enumerate(mapping.block_mappings):
        inner = bm.transformed_block_aval.inner_aval
        for part, aval in (("array", bm.array_aval), ("block", inner)):
            if not isinstance(aval, jax_core.ShapedArray):
                raise UnsupportedError(f"expected {bm.origin} to be an array, got {aval}")
            if aval.weak_type:
                weak.append(f"{part} {i}")
            notes.mesh(f"block_mappings[{i}].{part}", aval, aval)
        space = bm.array_aval.memory_space
        if isinstance(space, jax_core.ArrayMemorySpace):
            if space is not jax_core.ArrayMemorySpace.Device:
                spaces[str(i)] = f"array.{space.name}"
        else:
            spaces[str(i)] = memory_space(space, f"block_mappings[{i}].array_space", notes)
        if bm.debug != debug:
            debugged.append(i)
    if weak:
        notes.entries["weak"] = params.to_attribute(weak)
    if debugged:
        notes.entries["block_debug"] = params.to_attribute(debugged)
    notes.text("array_spaces", spaces)


def scratch_types(mapping: Any, types: Types, notes: Notes) -> list[ir.Type]:
    """The types of the scratch Refs."""
    scratch, notable = [], {}
    for i, aval in enumerate(mapping.scratch_avals):
        field = f"scratch_avals[{i}]"
        if type(aval) is not jax_core.AbstractRef or not isinstance(aval.inner_aval, jax_core.ShapedArray):
            notes.object(field, aval)
            aval = jax_core.plain_ref(aval)
        elif isinstance(aval.memory_space, jax_core.CoreMemorySpace):
            notes.object(field, aval)
            aval = jax_core.AbstractRef(aval.inner_aval, aval.memory_space.memory_space)
        barrier = jax_gpu.barrier_parameters(aval.dtype)
        if barrier is not None:
            notable[str(i)] = params.to_attribute(barrier)
            semaphore = grid.SemaphoreType.get("barrier")
            space = grid.MemorySpaceAttr.get(space_name(aval.memory_space))
            scratch.append(ir.MemRefType.get(aval.shape, semaphore, memory_space=space))
            continue
        scratch.append(types.ref(aval))
    if notable:
        notes.entries["scratch"] = ir.DictAttr.get(notable)
    return scratch


def semantics(request: KernelRequest) -> list[str] | None:
    """Returns the author's claim about each grid dimension, from the parameters of any backend; None for no claim.

    A dimension that vmap added is parallel.

    Raises:
      OptionError: if there are more or fewer semantics than the author's grid has dimensions.
    """
    mapping: Any = request.grid_mapping
    vmapped = set(mapping.vmapped_dims)
    rank = len(mapping.grid)
    if request.mesh is not None and (claims := meshes.claimed_semantics(request.mesh)) is not None:
        return claims
    for record in records_of(request.compiler_params).values():
        claims = getattr(record, "dimension_semantics", None)
        if claims is None:
            continue
        claims = [getattr(claim, "value", claim) for claim in claims]
        if len(claims) != rank - len(vmapped):
            raise OptionError(
                f"expected dimension_semantics for {rank - len(vmapped)} grid dimensions, got {len(claims)}",
                kernel=request.kernel_name,
            )
        rest = iter(claims)
        return ["parallel" if i in vmapped else next(rest) for i in range(rank)]
    return ["parallel" if i in vmapped else "arbitrary" for i in range(rank)] if vmapped else None
