# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts JAX's `GridMapping` to a `grid.kernel`; `rebuild` is the inverse.

Data that a target needs has its own attribute. Data that only the reconstruction of a GridMapping needs is in the
kernel's attribute `jax`, each entry only if the rest of the kernel does not determine it:

- `origins`: JAX's names of the operands, where they are not `args[i]` and `outputs[i]`;
- `scratch`: the parameters of barriers among the scratch Refs;
- `index_map_tree`: the structure of an index map's arguments, where they are not one after the other;
- `weak`, `array_spaces`, `block_debug`: JAX's records about single arrays;
- `mapping_debug`: the mapping's `debug`, where it is not that of the call;
- `meshes`: the mesh information of arrays inside `shard_map`, and these arrays;
- `symbolic_grid`: the sizes of the grid that are symbols;
- `objects`: the fields that are Python objects. Those stay in the side table of the process that made them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import pallas as pl

from gridir import emit
from gridir.errors import Frame, KernelError, OptionError, UnsupportedError
from gridir.frontend import fields
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.compat.releases import field_of
from gridir.frontend.header import index_maps, params, trees
from gridir.frontend.header.parameter_names import authors_names
from gridir.frontend.request import meshes
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import records_of
from gridir.frontend.walk.context import KernelContext
from gridir.frontend.walk.types import Types, dtype_name, element_type, is_semaphore, mark_unsigned, space_name
from gridir.frontend.walk.walker import erase_unused
from gridir.mlir import ir
from gridir.mlir.dialects import grid


@dataclasses.dataclass
class SideTable:
    """The Python objects of one GridMapping that MLIR cannot hold, by the name of their field."""

    objects: dict[str, Any] = dataclasses.field(default_factory=dict)


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


class _Notes:
    """Collects the entries of the attribute `jax` and the side table."""

    def __init__(self, side_table: SideTable | None):
        self.objects: dict[str, Any] = {}
        self.entries: dict[str, ir.Attribute] = {}
        self.meshes: list[tuple[dict[str, Any], list[str]]] = []
        self.side_table = side_table

    def object(self, field: str, value: Any) -> None:
        self.objects[field] = value

    def mesh(self, field: str, aval: Any, whole: Any) -> None:
        """Records the mesh information of an array; `whole` is the value of the field."""
        if jax_core.is_plain_sharding(aval):
            return
        known = jax_core.mesh_of(aval)
        if known is None:
            self.object(field, whole)
            return
        for other, found in self.meshes:
            if other == known:
                found.append(field)
                return
        self.meshes.append((known, [field]))

    def text(self, key: str, values: Mapping[str, str] | str) -> None:
        if values:
            self.entries[key] = params.to_attribute(values)

    def finish(self) -> dict[str, ir.Attribute]:
        if self.meshes:
            self.entries["meshes"] = params.to_attribute([known | {"of": found} for known, found in self.meshes])
        if self.objects:
            self.entries["objects"] = params.to_attribute(tuple(self.objects))
        if self.side_table is not None:
            self.side_table.objects = self.objects
        return self.entries


# ----------------------------------------------------------------------------------------------------------------------
# The parts of a header
# ----------------------------------------------------------------------------------------------------------------------


def size_of(size: Any) -> int | None:
    """The size of a dimension of JAX's grid, where it is known."""
    return int(size) if jax_core.is_constant_dim(size) else None


def _dims(request: KernelRequest, notes: _Notes) -> list[ir.Attribute]:
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


def _transforms(transforms: Sequence[Any], field: str, notes: _Notes) -> list[ir.Attribute]:
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


def _pipeline(mode: Any, field: str, notes: _Notes) -> ir.Attribute | None:
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


def _index_tree(block_mapping: Any, field: str, notes: _Notes) -> str | None:
    tree = block_mapping.index_map_out_tree
    if tree == jax.tree.structure((0,) * len(block_mapping.block_shape)):
        return None
    try:
        return trees.to_text(tree)
    except trees.OpaqueTree:
        notes.object(field, tree)
        return None


def _space(space: Any, field: str, notes: _Notes) -> str:
    """The name of a memory space; one that is bound to a mesh is recorded as an object."""
    if isinstance(space, jax_core.CoreMemorySpace):
        notes.object(field, space)
        return space_name(space.memory_space)
    return space_name(space)


def _operand(block_mapping: Any, name: str, field: str, notes: _Notes) -> ir.Attribute:
    array, ref = block_mapping.array_aval, block_mapping.transformed_block_aval
    whole = is_whole(block_mapping.block_shape, array.shape)
    return grid.OperandAttr.get(
        signed_element_type(array.dtype),
        _shape(array.shape),
        [] if whole else [_block_dim(dim, name) for dim in block_mapping.block_shape],
        _space(ref.memory_space, f"{field}.memory_space", notes),
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


def _check_no_semaphores(mapping: Any, names: Sequence[str]) -> None:
    """Refuses semaphores that one kernel leaves to the next: those of a kernel are zero when it begins."""
    for bm, name in zip(mapping.block_mappings, names, strict=False):
        if is_semaphore(bm.array_aval.dtype):
            raise UnsupportedError(
                f"expected semaphores that the kernel allocates, got operand {name}, of `alloc_semaphore`, which "
                "outlives it"
            )


def _note_arrays(mapping: Any, debug: bool, notes: _Notes) -> None:
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
            spaces[str(i)] = _space(space, f"block_mappings[{i}].array_space", notes)
        if bm.debug != debug:
            debugged.append(i)
    if weak:
        notes.entries["weak"] = params.to_attribute(weak)
    if debugged:
        notes.entries["block_debug"] = params.to_attribute(debugged)
    notes.text("array_spaces", spaces)


def _scratch(mapping: Any, types: Types, notes: _Notes) -> list[ir.Type]:
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


# ----------------------------------------------------------------------------------------------------------------------
# The kernel
# ----------------------------------------------------------------------------------------------------------------------


def _block_indices(block_mapping: Any, results: Sequence[ir.Value]) -> list[ir.Value]:
    """The indices in the order of `grid`: one for each block dimension, two for a slice."""
    indices: list[ir.Value] = []
    for entry in jax.tree.unflatten(block_mapping.index_map_out_tree, results):
        if isinstance(entry, jax_core.Slice):
            parts = (entry.start, entry.size)
            indices += [part if isinstance(part, ir.Value) else emit.constant(part, emit.i32()) for part in parts]
        else:
            indices += jax.tree.leaves(entry)
    return indices


def _write_index_map(context: KernelContext, block: ir.Block, block_mapping: Any, name: str) -> None:
    with ir.InsertionPoint(block):
        results = index_maps.write(context, block_mapping.index_map_jaxpr, list(block.arguments), name)
        grid.YieldOp(_block_indices(block_mapping, results))
    erase_unused(context)


def _index_map_tree(mapping: Any, notes: _Notes) -> None:
    tree = mapping.index_map_tree
    if tree == jax.tree.structure(((0,) * len(mapping.index_map_avals), {})):
        return
    try:
        notes.text("index_map_tree", trees.to_text(tree))
    except trees.OpaqueTree:
        notes.object("index_map_tree", tree)


def _metadata(metadata: Mapping[str, Any] | None) -> dict[str, ir.Attribute] | None:
    return None if metadata is None else {str(key): params.to_attribute(value) for key, value in metadata.items()}


def _check_arguments(request: KernelRequest) -> None:
    """Rejects a body whose arguments differ from those of the mapping."""
    mapping: Any = request.grid_mapping
    num_arrays = mapping.num_index_operands + mapping.num_inputs + mapping.num_outputs
    expected, found = num_arrays + len(mapping.scratch_avals), len(request.jaxpr.invars)
    if found == expected:
        return
    source = jax_core.source_of(jax_core.authors_jaxpr(request.jaxpr))
    raise KernelError(
        f"expected a body of {expected} arguments, as the kernel has operands, results and scratch, got one of {found}",
        kernel=request.kernel_name,
        frames=[Frame(source[1], source[2], 0, source[0])] if source else [],
        notes=["JAX derives such a body when it differentiates a kernel with an integer operand"],
    )


def build_kernel(
    request: KernelRequest,
    side_table: SideTable | None = None,
    shared: Sequence[Any] = (),
    types: Types | None = None,
) -> grid.KernelOp:
    """Creates the `grid.kernel` of a request at the insertion point: all of it but the ops of its body.

    The body's block has its arguments: index, input, output and scratch Refs, in the order of the jaxpr's.

    Args:
      request: the arguments of JAX's lowering rule.
      side_table: receives the Python objects that MLIR cannot hold.
      shared: abstract Refs that the body asks for itself and that all programs share; scratch after the mapping's.
      types: the conversion of abstract Refs to MLIR types; None for that of the base.

    Raises:
      UnsupportedError: if the mapping, or one of its index maps, has a feature that `grid` lacks.
      OptionError: if the compiler parameters are malformed, or the metadata is.
      KernelError: if the body has other arguments than the mapping says.
    """
    fields.check_all_known(request)
    mapping: Any = request.grid_mapping
    _check_arguments(request)
    notes = _Notes(side_table)
    rank, num_index = len(mapping.grid), mapping.num_index_operands
    names = _parameter_names(request)
    index_operands = [
        index_operand(aval, _space(aval.memory_space, f"index_map_avals[{rank + i}].memory_space", notes), names[i])
        for i, aval in enumerate(mapping.index_map_avals[rank:])
    ]
    operands = [
        _operand(bm, names[num_index + i], f"block_mappings[{i}]", notes) for i, bm in enumerate(mapping.block_mappings)
    ]
    if jax_gpu.is_mesh(request.mesh):
        _check_no_semaphores(mapping, names[num_index:])
    _note_arrays(mapping, mapping.debug, notes)
    debug = mapping.debug or request.debug
    if mapping.debug != debug:
        notes.entries["mapping_debug"] = params.to_attribute(mapping.debug)
    _index_map_tree(mapping, notes)
    for field in ("get_grid_indices", "local_grid_env"):
        if getattr(mapping, field) is not None:
            notes.object(field, getattr(mapping, field))
    types = types or Types()
    scratch = _scratch(mapping, types, notes) + [types.ref(aval) for aval in shared]
    if shared:
        notes.entries["shared"] = params.to_attribute(len(shared))
    names += [f"global[{i}]" for i in range(len(shared))]
    location = _location(request.jaxpr)
    cost = request.cost_estimate
    kernel = grid.KernelOp(
        jax_core.symbol_name(request.kernel_name),
        grid=_dims(request, notes),
        index_operands=index_operands,
        inputs=operands[: mapping.num_inputs],
        outputs=operands[mapping.num_inputs :],
        scratch=scratch,
        scratch_origins=names[num_index + len(operands) :],
        semantics=semantics(request),
        aliases=request.input_output_aliases,
        functional_aliases=request.functional_aliases and bool(request.input_output_aliases),
        params=[params.record_to_attribute(r) for r in records_of(request.compiler_params).values()],
        cost=cost
        and grid.CostAttr.get(cost.flops, cost.transcendentals, cost.bytes_accessed, cost.remote_bytes_transferred),
        metadata=_metadata(request.metadata),
        backend=request.backend,
        source=_source(request),
        jax=notes.finish(),
        debug=debug,
        arg_locs=_locations(request, location, len(names)),
        loc=location,
    )
    mark_unsigned(kernel, [*mapping.scratch_avals, *shared], num_index + len(operands))
    context = index_maps.context(request.kernel_name, rank, mapping.vmapped_dims)
    for i, (block, block_mapping) in enumerate(zip(kernel.index_maps, mapping.block_mappings, strict=True)):
        _write_index_map(context, block, block_mapping, names[num_index + i])
    return kernel


def _parameter_names(request: KernelRequest) -> list[str]:
    """The name of each parameter of the kernel function, as its author wrote it; JAX's own if it is unknown."""
    mapping: Any = request.grid_mapping
    jaxpr = request.jaxpr
    names = list(jaxpr.debug_info.arg_names or ())
    if len(names) == len(jaxpr.invars) and all(names):
        inner = jax_core.authors_jaxpr(jaxpr)
        source = None if inner is jaxpr else jax_core.source_of(inner)
        known = [str(name) for name in names]
        return known if source is None else authors_names(known, inner.debug_info.arg_names or (), source)
    index = [f"args[{i}]" for i in range(mapping.num_index_operands)]
    scratch = [f"scratch[{i}]" for i in range(len(mapping.scratch_avals))]
    return index + [bm.origin for bm in mapping.block_mappings] + scratch


def _locations(request: KernelRequest, kernel: ir.Location, count: int) -> list[ir.Location]:
    """The location of each Ref's declaration: a block where its index map is, the others with the kernel function."""
    mapping: Any = request.grid_mapping
    locations = [kernel] * count
    for i, block_mapping in enumerate(mapping.block_mappings):
        # An index map that JAX made itself has no location in the author's file.
        jaxpr = block_mapping.index_map_jaxpr.jaxpr
        if jax_core.is_user_function(jaxpr):
            locations[mapping.num_index_operands + i] = _location(jaxpr)
    return locations


def _location(jaxpr: Any) -> ir.Location:
    """The location of the function of a jaxpr."""
    source = jax_core.source_of(jax_core.authors_jaxpr(jaxpr))
    if source is None:
        return ir.Location.unknown()
    name, file, line = source
    return ir.Location.name(name, ir.Location.file(file, line, 0))


def _source(request: KernelRequest) -> str:
    """Returns the description of the kernel in messages: `{name} for kernel function {function} at {file}:{line}`."""
    source_info = request.source
    if request.name is None or not source_info or source_info.split(" ")[0] == request.name:
        return source_info or request.kernel_name
    return f"{request.name} for kernel function {source_info}"
