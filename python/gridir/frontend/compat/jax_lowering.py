# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hooks on JAX's lowering of the primitives of kernels, and the form of a kernel there."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import config as _config
from jax._src import core as _core
from jax._src import sharding_impls as _sharding_impls
from jax._src import state as _state
from jax._src.interpreters import mlir as _mlir
from jax._src.pallas import core as _pallas_core
from jax._src.pallas import mpmd as _mpmd
from jax._src.pallas import pallas_call as _pallas_call

from gridir.errors import KernelError
from gridir.frontend.compat import jax_tpu
from gridir.frontend.compat.jax_calls import Emitter
from gridir.frontend.compat.jax_equations import HAS_FUNCTIONAL_ALIASES
from gridir.frontend.compat.stack_size import with_room
from gridir.frontend.request.kernel_request import DeviceMesh, KernelRequest
from gridir.frontend.request.meshes import MeshUnion
from gridir.frontend.request.options import record_for
from gridir.frontend.request.unknown_fields import check_known_params

_SHARED = (
    "input_output_aliases",
    "debug",
    "interpret",
    "compiler_params",
    "cost_estimate",
    "out_avals",
    "metadata",
    "name",
)
# JAX's interpreter of GPU kernels is told of transforms that the jaxpr has already.
_OF_PALLAS_CALL = frozenset((*_SHARED, "jaxpr", "grid_mapping", "mesh", "kernel_arg_transforms"))
_OF_MPMD_MAP = frozenset((*_SHARED, "jaxprs", "meshes", "external_meshes"))

KernelHandler = Callable[[KernelRequest, str], Emitter | None]
"""Lowers a kernel for a platform; returns None if JAX's own rule should lower it."""


def register_kernel_rules(platform: str, handler: KernelHandler, *, takes_unions: bool) -> None:
    """Puts `handler` before JAX's rules for kernels on a platform.

    Both primitives are hooked: `pallas_call`, and `mpmd_map`, which `pl.kernel` and a discharged `core_map` become and
    which never reaches a rule of the first. One of several meshes is JAX's unless `takes_unions`: on the device itself
    each mesh has a separate compiler.
    """

    # JAX binds no name to this rule.
    lower_mpmd_map_as_jax_does = _mlir._lowerings[_mpmd.mpmd_map_p].rule

    def lower_pallas_call(context: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        request = request_of_pallas_call(context.avals_in, params, _device_mesh(context))
        emitter = handler(request, platform)
        if emitter is None:
            params["compiler_params"] = record_for(params["compiler_params"], platform)
            return _pallas_call._pallas_call_lowering(context, *operands, **params)
        return _emit(emitter, context, operands)

    def lower_mpmd_map(context: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        is_ours = takes_unions or (len(params["jaxprs"]) == 1 and not params["external_meshes"])
        emitter = None
        if is_ours:
            request = dataclasses.replace(request_of_mpmd_map(context.avals_in, params), devices=_device_mesh(context))
            emitter = handler(request, platform)
        if emitter is None:
            params["compiler_params"] = record_for(params["compiler_params"], platform)
            return lower_mpmd_map_as_jax_does(context, *operands, **params)
        return _emit(emitter, context, operands)

    for primitive, rule in ((_pallas_call.pallas_call_p, lower_pallas_call), (_mpmd.mpmd_map_p, lower_mpmd_map)):
        _mlir.register_lowering(primitive, functools.partial(with_room, rule), platform=platform)


def _device_mesh(context: Any) -> DeviceMesh | None:
    """The devices over which the lowered program is mapped, each by itself; None if there are none."""
    axes = context.module_context.axis_context
    if not isinstance(axes, _sharding_impls.SPMDAxisContext) or set(axes.manual_axes) != set(axes.mesh.axis_names):
        return None
    mesh = axes.mesh
    is_local = isinstance(mesh, jax.sharding.AbstractMesh) or not mesh.is_multi_process
    return DeviceMesh(tuple(mesh.axis_names), tuple(mesh.axis_sizes), is_local)


def _emit(emitter: Emitter, context: Any, operands: Sequence[Any]) -> Sequence[Any]:
    # Interpret mode calls Python back and has effects in an order. Native code does not: their tokens pass it by.
    if context.tokens_in.effects():
        context.set_tokens_out(context.tokens_in)
    return emitter(context, operands)


def request_of_pallas_call(
    avals_in: Sequence[Any], params: Mapping[str, Any], devices: DeviceMesh | None = None
) -> KernelRequest:
    """The request of a `pallas_call` with these operands and parameters, mapped over these devices."""
    check_known_params("pallas_call", params, _OF_PALLAS_CALL, params["name"])
    options = params["compiler_params"]
    for size in avals_in[: params["grid_mapping"].num_dynamic_grid_bounds]:
        if not jnp.issubdtype(size.dtype, jnp.integer):
            raise KernelError(
                f"expected a grid of integers, got a size of type {size.dtype}",
                kernel=params["name"],
                notes=["a quotient such as n / rows is no integer; n // rows is, and pl.cdiv(n, rows) of integers"],
            )
    return KernelRequest(
        jaxpr=params["jaxpr"],
        grid_mapping=params["grid_mapping"],
        in_avals=tuple(avals_in),
        out_avals=tuple(params["out_avals"]),
        input_output_aliases=tuple(params["input_output_aliases"]),
        functional_aliases=HAS_FUNCTIONAL_ALIASES,
        compiler_params=params["compiler_params"],
        cost_estimate=params["cost_estimate"] or getattr(options, "cost_estimate", None),
        metadata=params["metadata"],
        name=params["name"],
        debug=params["debug"] or getattr(options, "debug", False),
        interpret=params["interpret"],
        backend=getattr(options, "backend", None),
        mesh=params["mesh"],
        devices=devices,
    )


def request_of_mpmd_map(avals_in: Sequence[Any], params: Mapping[str, Any]) -> KernelRequest:
    """The request of an `mpmd_map`, with the GridMapping that it lacks built from its mesh, or meshes."""
    check_known_params("mpmd_map", params, _OF_MPMD_MAP, params["name"])
    jaxpr, *more_jaxprs = params["jaxprs"]
    mesh, *others = params["meshes"]
    union = MeshUnion((mesh, *others))
    out_avals = tuple(params["out_avals"])
    num_arrays = len(avals_in) + len(out_avals)
    arrays = [_inner(v.aval) for v in jaxpr.invars[:num_arrays]]
    # Every operand is handed over whole, in the memory that its type names or else that of the mesh.
    specs = [_pallas_core.BlockSpec(memory_space=_memory_space(aval, mesh)) for aval in (*avals_in, *out_avals)]
    ins, outs = specs[: len(avals_in)], specs[len(avals_in) :]
    grid_spec = _pallas_core.GridSpec(
        grid=(union.num_cores,) if others else tuple(mesh.shape.items()),
        in_specs=tuple(ins),
        out_specs=tuple(outs),
        scratch_shapes=tuple(
            _pallas_core.MemoryRef(v.aval.inner_aval, v.aval.memory_space) for v in jaxpr.invars[num_arrays:]
        ),
    )
    _, grid_mapping = _pallas_core.get_grid_mapping(
        grid_spec,
        arrays[: len(ins)],
        jax.tree.structure(tuple(ins)),
        tuple(f"arg{i}" for i in range(len(ins))),
        arrays[len(ins) :],
        jax.tree.structure(tuple(outs)),
        tuple(f"out{i}" for i in range(len(outs))),
        debug=params["debug"],
    )
    compiler_params = options = params["compiler_params"]
    if compiler_params is not None and isinstance(mesh, jax_tpu.MESHES):
        semantics = None if others else mesh.dimension_semantics
        compiler_params = compiler_params.replace(dimension_semantics=semantics)
    return KernelRequest(
        jaxpr=jaxpr,
        grid_mapping=grid_mapping,
        in_avals=tuple(_inner(aval) for aval in avals_in),
        out_avals=out_avals,
        input_output_aliases=tuple(params["input_output_aliases"].items()),
        functional_aliases=HAS_FUNCTIONAL_ALIASES,
        compiler_params=compiler_params,
        cost_estimate=params["cost_estimate"] or getattr(options, "cost_estimate", None),
        metadata=params["metadata"],
        name=params["name"],
        debug=params["debug"] or getattr(options, "debug", False),
        interpret=params["interpret"],
        backend=getattr(options, "backend", None),
        mesh=union if others else mesh,
        more_jaxprs=tuple(more_jaxprs),
    )


def _inner(aval: Any) -> Any:
    return aval.inner_aval if isinstance(aval, _state.AbstractRef) else aval


def _memory_space(aval: Any, mesh: Any) -> Any:
    # JAX's own spaces (device, host) do not determine the memory space of an operand in a kernel.
    space = getattr(aval, "memory_space", None)
    return mesh.default_memory_space if space is None or isinstance(space, _core.MemorySpace) else space


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Makes JAX trace every `pallas_call` on this thread as with `interpret=True`."""
    mode = _config.pallas_tpu_interpret_mode_context_manager
    previous = mode.swap_local(True)
    try:
        yield
    finally:
        mode.set_local(previous)
