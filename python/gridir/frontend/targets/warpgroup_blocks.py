# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A `pallas_call` for the Mosaic GPU backend as the kernel of a mesh that JAX itself makes of it.

A CTA runs each point of the parallel grid dimensions; the sequential ones become a pipeline inside of it, whose blocks
are copied into shared memory and back. A kernel of blocks may therefore use all ops of warpgroup code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import jax
from jax import lax
from jax.experimental import pallas as pl

from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_core, jax_gpu
from gridir.frontend.compat.jax_equations import primitive_name
from gridir.frontend.compat.jax_lowering import request_of_mpmd_map
from gridir.frontend.header.operands import semantics
from gridir.frontend.request.kernel_request import KernelRequest
from gridir.frontend.request.options import records_of
from gridir.frontend.walk.levels import WARPGROUP
from gridir.frontend.walk.registry import BASE
from gridir.frontend.walk.walker import equations_of

_BACKEND = "mosaic_gpu"


def uses_warpgroup(request: KernelRequest) -> bool:
    """True if a kernel of blocks has Refs or primitives that only the code of a warpgroup supports.

    Barriers, accumulators and tensor memory among its scratch, or primitives that have a rule for warpgroups alone.
    """
    if not _is_of_backend(request):
        return False
    scratch = request.grid_mapping.scratch_avals
    primitives = (primitive_name(eqn.primitive) for eqn in equations_of(request.jaxpr))
    return any(map(jax_gpu.is_of_warpgroup, scratch)) or any(
        WARPGROUP.find(name) and not BASE.find(name) for name in primitives
    )


def records_events(request: KernelRequest) -> bool:
    """True if the author of a kernel of blocks requests a profile of its warpgroups."""
    records = records_of(request.compiler_params).values()
    return _is_of_backend(request) and any(getattr(record, "profile_space", 0) for record in records)


def says_memory(request: KernelRequest) -> bool:
    """True if the author of a kernel of blocks specifies the GPU memory or layout of its Refs."""
    if not _is_of_backend(request):
        return False
    mapping = request.grid_mapping
    avals = (*(block.transformed_block_aval for block in mapping.block_mappings), *mapping.scratch_avals)
    return any(block.transforms for block in mapping.block_mappings) or any(
        jax_gpu.is_memory_space(getattr(aval, "memory_space", None)) for aval in avals
    )


def _is_of_backend(request: KernelRequest) -> bool:
    return request.mesh is None and set(records_of(request.compiler_params)) <= {_BACKEND}


def as_mesh_kernel(request: KernelRequest) -> KernelRequest:
    """Returns the kernel of a mesh with the operands and the results of a `pallas_call`.

    Raises:
      UnsupportedError: the grid has dynamic sizes or index operands, which JAX's backend does not take either.
      OptionError: `dimension_semantics` has another length than the grid.
    """
    mapping: Any = request.grid_mapping
    for found, what in (
        (mapping.num_dynamic_grid_bounds, "dynamic grid bounds"),
        (mapping.num_index_operands, "scalar prefetch"),
    ):
        if found:
            raise UnsupportedError(
                f"expected a kernel for warpgroups without {what}, got {found}", kernel=request.kernel_name
            )
    params = records_of(request.compiler_params).get(_BACKEND) or jax_gpu.core().CompilerParams()
    mesh_params = dataclasses.replace(params, dimension_semantics=None)
    mesh_kernel = _MeshKernel(request, params.max_concurrent_steps)
    call = jax_gpu.public().kernel(
        mesh_kernel,
        out_type=tuple(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in request.out_avals),
        grid=tuple(mapping.grid[dim] for dim in mesh_kernel.names),
        grid_names=tuple(mesh_kernel.names.values()),
        compiler_params=mesh_params,
    )
    with mapping.trace_env():
        traced = jax.make_jaxpr(call)(*(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in request.in_avals))
    equation = next(eqn for eqn in equations_of(traced.jaxpr) if eqn.primitive.name == "mpmd_map")
    made = request_of_mpmd_map([var.aval for var in equation.invars], equation.params)
    # JAX does not mark the purpose of the call of the kernel's jaxpr. A block in shared memory is a copy.
    written = {
        number
        for number in jax_core.written_refs(request.jaxpr)
        if number < mapping.num_inputs and jax_gpu.is_in_global_memory(mapping.block_mappings[number])
    }
    blocks = zip(made.grid_mapping.block_mappings, mapping.block_mappings, strict=True)
    return dataclasses.replace(
        request,
        jaxpr=jax_core.with_writes(made.jaxpr, written).replace(
            debug_info=request.jaxpr.debug_info.with_unknown_names()
        ),
        grid_mapping=made.grid_mapping.replace(
            block_mappings=tuple(block.replace(origin=of_author.origin) for block, of_author in blocks)
        ),
        compiler_params=mesh_params,
        mesh=made.mesh,
    )


class _MeshKernel:
    """The function of the mesh.

    Attributes:
      names: the name of the axis of the mesh for each parallel dimension of the grid.
    """

    def __init__(self, request: KernelRequest, max_concurrent_steps: int):
        self._request = request
        self._mapping: Any = request.grid_mapping
        self._max_concurrent_steps = max_concurrent_steps
        claims = semantics(request) or ["parallel"] * len(self._mapping.grid)
        vmapped = set(self._mapping.vmapped_dims)
        self.names = {dim: f"grid{dim}" for dim, claim in enumerate(claims) if claim == "parallel" or dim in vmapped}

    def __call__(self, *refs: Any) -> None:
        variables = self._request.jaxpr.invars[self._mapping.slice_scratch_ops]
        scratch = [jax_gpu.allocation(var.aval) for var in variables]
        pl.run_scoped(lambda *scratch: self._pipeline(refs, scratch), *scratch)

    def _pipeline(self, refs: Sequence[Any], scratch: Sequence[Any]) -> None:
        mapping = self._mapping

        def step(indices: Sequence[Any], *blocks: Any) -> None:
            ids = [index for dim, index in enumerate(self._merged(indices)) if dim not in mapping.vmapped_dims]
            jax_gpu.call_jaxpr(self._request.jaxpr, [*blocks, *scratch], ids)

        specs = list(map(self._spec, mapping.block_mappings))
        jax_gpu.public().emit_pipeline(
            step,
            grid=tuple(size for dim, size in enumerate(mapping.grid) if dim not in self.names),
            in_specs=specs[: mapping.num_inputs],
            out_specs=specs[mapping.num_inputs :],
            max_concurrent_steps=self._max_concurrent_steps,
        )(*refs)

    def _merged(self, indices: Sequence[Any]) -> Iterator[Any]:
        """The index of each dimension of the author's grid, from those of the pipeline and the axes of the mesh."""
        rest = iter(indices)
        for dim in range(len(self._mapping.grid)):
            yield lax.axis_index(self.names[dim]) if dim in self.names else next(rest)

    def _spec(self, block: Any) -> Any:
        def index_map(*indices: Any) -> Any:
            closed = block.index_map_jaxpr
            return jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *self._merged(indices))

        return jax_gpu.block_spec(block, index_map)
