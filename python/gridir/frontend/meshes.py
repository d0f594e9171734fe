# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over a mesh: what `pl.kernel`, `plgpu.kernel` and `core_map` become has no GridMapping, so one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
from jax.experimental import pallas as pl

from gridir.errors import UnsupportedError
from gridir.frontend import jax_compat, params
from gridir.frontend.request import KernelRequest


def _spec(aval: Any, mesh: Any) -> pl.BlockSpec:
    """The whole array, in the space that it has already or else in the mesh's own."""
    space = getattr(aval, "memory_space", None)
    if space is None or isinstance(space, jax_compat.ArrayMemorySpace):
        space = mesh.default_memory_space
    return pl.BlockSpec(memory_space=space)


def _array(aval: Any) -> Any:
    return aval.inner_aval if isinstance(aval, jax_compat.AbstractRef) else aval


def mapping_of_mesh(
    jaxpr: Any, mesh: Any, in_avals: Sequence[Any], out_avals: Sequence[Any], debug: bool = False
) -> Any:
    """The GridMapping of a kernel over a mesh: one dimension for each axis, every operand whole.

    Args:
      jaxpr: the kernel, a function of input, output and scratch Refs.
      mesh: the mesh; the names and sizes of its axes become those of the grid.
      in_avals: abstract values of the operands.
      out_avals: abstract values of the results.
      debug: whether the author asked for the kernel to be printed.
    """
    avals = [_array(v.aval) for v in jaxpr.invars]
    num_in, num_out = len(in_avals), len(out_avals)
    scratch = [v.aval for v in jaxpr.invars[num_in + num_out :]]
    spec = pl.GridSpec(
        grid=tuple(mesh.shape.items()),
        in_specs=tuple(_spec(aval, mesh) for aval in in_avals),
        out_specs=tuple(_spec(aval, mesh) for aval in out_avals),
        scratch_shapes=tuple(jax_compat.MemoryRef(aval.inner_aval, aval.memory_space) for aval in scratch),
    )
    return jax_compat.get_grid_mapping(
        spec,
        avals[:num_in],
        jax.tree.structure((0,) * num_in),
        [f"args[{i}]" for i in range(num_in)],
        avals[num_in : num_in + num_out],
        jax.tree.structure((0,) * num_out),
        ["outputs"] if num_out == 1 else [f"outputs[{i}]" for i in range(num_out)],
        debug,
    )


def request_of_mesh(
    jaxprs: Sequence[Any],
    meshes: Sequence[Any],
    in_avals: Sequence[Any],
    out_avals: Sequence[Any],
    *,
    input_output_aliases: Mapping[int, int],
    compiler_params: Any = None,
    cost_estimate: Any = None,
    metadata: Any = None,
    name: str | None = None,
    debug: bool = False,
    interpret: Any = False,
    external_meshes: Sequence[Any] = (),
) -> KernelRequest:
    """The request of an `mpmd_map`, whose parameters these are.

    Raises:
      UnsupportedError: if several kernels run side by side on meshes of their own.
    """
    if len(jaxprs) != 1 or external_meshes:
        raise UnsupportedError(
            f"expected one kernel on one mesh, got {len(jaxprs)} kernels that run side by side",
            kernel=name,
            notes=["call each of them with a pl.kernel of its own"],
        )
    [jaxpr], [mesh] = jaxprs, meshes
    options = compiler_params if isinstance(compiler_params, params.CallOptions) else None
    return KernelRequest(
        jaxpr=jaxpr,
        grid_mapping=mapping_of_mesh(jaxpr, mesh, in_avals, out_avals, debug),
        in_avals=tuple(in_avals),
        out_avals=tuple(out_avals),
        input_output_aliases=tuple(input_output_aliases.items()),
        compiler_params=compiler_params,
        cost_estimate=cost_estimate,
        metadata=metadata,
        name=name,
        debug=debug or bool(options and options.debug),
        interpret=interpret,
        backend=options.backend if options else None,
        mesh=mesh,
    )


def claimed_semantics(mesh: Any) -> list[str] | None:
    """What a mesh says about the order of its programs; None where it says nothing.

    The blocks of a GPU's grid run in any order, and so do the cores of a TPU; the threads of one block do not.
    """
    claims = getattr(mesh, "dimension_semantics", None)
    if claims is not None:
        return [getattr(claim, "value", claim) for claim in claims]
    if type(mesh).__name__ == "Mesh":
        blocks = len(mesh.grid) + len(mesh.cluster)
        return ["parallel"] * blocks + ["arbitrary"] * (len(mesh.shape) - blocks)
    return None
