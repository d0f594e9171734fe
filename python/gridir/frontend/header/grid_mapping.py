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

from collections.abc import Sequence
from typing import Any

import jax

from gridir import emit
from gridir.errors import Frame, KernelError, OptionError
from gridir.frontend import fields
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.header import index_maps, params, trees
from gridir.frontend.header.notes import Notes, SideTable
from gridir.frontend.header.operands import (
    array_operand,
    check_no_semaphores,
    grid_dims,
    index_operand,
    memory_space,
    note_arrays,
    scratch_types,
    semantics,
)
from gridir.frontend.header.parameter_names import authors_names
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import records_of
from gridir.frontend.walk.context import KernelContext
from gridir.frontend.walk.types import Types, mark_unsigned
from gridir.frontend.walk.walker import erase_unused
from gridir.mlir import ir
from gridir.mlir.dialects import grid


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


def _index_map_tree(mapping: Any, notes: Notes) -> None:
    tree = mapping.index_map_tree
    if tree == jax.tree.structure(((0,) * len(mapping.index_map_avals), {})):
        return
    try:
        notes.text("index_map_tree", trees.to_text(tree))
    except trees.OpaqueTree:
        notes.object("index_map_tree", tree)


def _metadata(request: KernelRequest) -> dict[str, ir.Attribute] | None:
    if request.metadata is None:
        return None
    found = {}
    for key, value in request.metadata.items():
        try:
            found[str(key)] = params.to_attribute(value)
        except OptionError:
            raise KernelError(
                f"expected metadata that JSON has, got {value!r} of type {type(value).__name__} for {key!r}",
                kernel=request.kernel_name,
            ) from None
    return found


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
        notes=[
            "JAX derives such a body when it differentiates a kernel and an operand has no tangent: an integer, or an "
            "array that is constant"
        ],
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
      OptionError: if the compiler parameters are malformed.
      KernelError: if the metadata is malformed, or the body has other arguments than the mapping says.
    """
    fields.check_all_known(request)
    mapping: Any = request.grid_mapping
    _check_arguments(request)
    notes = Notes(side_table)
    rank, num_index = len(mapping.grid), mapping.num_index_operands
    names = _parameter_names(request)
    index_operands = [
        index_operand(
            aval, memory_space(aval.memory_space, f"index_map_avals[{rank + i}].memory_space", notes), names[i]
        )
        for i, aval in enumerate(mapping.index_map_avals[rank:])
    ]
    operands = [
        array_operand(bm, names[num_index + i], f"block_mappings[{i}]", notes)
        for i, bm in enumerate(mapping.block_mappings)
    ]
    if jax_gpu.is_mesh(request.mesh):
        check_no_semaphores(request, names[num_index:])
    note_arrays(mapping, mapping.debug, notes)
    debug = mapping.debug or request.debug
    if mapping.debug != debug:
        notes.entries["mapping_debug"] = params.to_attribute(mapping.debug)
    _index_map_tree(mapping, notes)
    for field in ("get_grid_indices", "local_grid_env"):
        if getattr(mapping, field) is not None:
            notes.object(field, getattr(mapping, field))
    types = types or Types()
    scratch = scratch_types(mapping, types, notes) + [types.ref(aval) for aval in shared]
    if shared:
        notes.entries["shared"] = params.to_attribute(len(shared))
    names += [f"global[{i}]" for i in range(len(shared))]
    location = _location(request.jaxpr)
    kernel = grid.KernelOp(
        jax_core.symbol_name(request.kernel_name),
        grid=grid_dims(request, notes),
        index_operands=index_operands,
        inputs=operands[: mapping.num_inputs],
        outputs=operands[mapping.num_inputs :],
        scratch=scratch,
        scratch_origins=names[num_index + len(operands) :],
        semantics=semantics(request),
        aliases=request.input_output_aliases,
        functional_aliases=request.functional_aliases and bool(request.input_output_aliases),
        params=[params.record_to_attribute(r) for r in records_of(request.compiler_params).values()],
        cost=_cost(request.cost_estimate),
        metadata=_metadata(request),
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


def _cost(cost: Any) -> ir.Attribute | None:
    """The author's estimate of the work of a call."""
    if not cost:
        return None
    return grid.CostAttr.get(cost.flops, cost.transcendentals, cost.bytes_accessed, cost.remote_bytes_transferred)


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
