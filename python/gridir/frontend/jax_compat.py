# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private modules, which only this file and `jax_compat_tpu` import; the rest of gridir sees what they show.

What it shows is in three parts: names and accessors for the lowering rules, the hooks on JAX's lowering of the two
kernel primitives, and XLA's custom calls.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from gridir.errors import Frame, JaxVersionError
from gridir.frontend.meshes import MeshUnion
from gridir.frontend.options import record_for
from gridir.frontend.request import DeviceMesh, KernelRequest

TESTED_VERSIONS = ((0, 10, 2), (0, 11, 0))
"""The first JAX that gridir is tested with and the first that it is not."""


def check_version(version: tuple[int, ...]) -> None:
    """Raises JaxVersionError for a JAX outside of the tested range."""
    first, end = TESTED_VERSIONS
    if not first <= version < end:
        raise JaxVersionError(
            f"expected a JAX from {'.'.join(map(str, first))} to before {'.'.join(map(str, end))}, "
            f"got {'.'.join(map(str, version))}",
            notes=["gridir uses parts of JAX that change between releases"],
        )


# Before the imports that another JAX may not have.
check_version(jax.__version_info__)

from jax._src import api_util as _api_util
from jax._src import config as _config
from jax._src import core as _core
from jax._src import linear_util as _lu
from jax._src import mesh as _mesh
from jax._src import sharding_impls as _sharding_impls
from jax._src import source_info_util as _source_info
from jax._src import state as _state
from jax._src.interpreters import mlir as _mlir
from jax._src.interpreters import partial_eval as _pe
from jax._src.lax import special as _special
from jax._src.pallas import core as _pallas_core
from jax._src.pallas import mpmd as _mpmd
from jax._src.pallas import pallas_call as _pallas_call
from jax._src.pallas.mosaic import core as _tpu_core
from jax._src.pallas.mosaic import random as _tpu_random
from jax._src.random import prng as _prng
from jax._src.state import discharge as _discharge
from jax._src.state import indexing as _indexing
from jax._src.state import types as _state_types
from jax._src.state.primitives import ref_get as ref_get
from jaxlib import xla_client as _xla_client

# For the lowering rules --------------------------------------------------------------------------------------------

AbstractRef = _state.AbstractRef
DropVar = _core.DropVar
Literal = _core.Literal
NDIndexer = _indexing.NDIndexer
Slice = _indexing.Slice
TransformedRef = _state_types.TransformedRef
BitcastTransform = _state_types.BitcastTransform
ReshapeTransform = _state_types.ReshapeTransform
TransposeTransform = _state_types.TransposeTransform
SelectTransform = _state_types.SelectTransform

BlockMapping = _pallas_core.BlockMapping
GridMapping = _pallas_core.GridMapping
MemoryRef = _pallas_core.MemoryRef
CoreMemorySpace = _pallas_core.CoreMemorySpace
Semaphore = _pallas_core.Semaphore
BarrierSemaphore = _pallas_core.BarrierSemaphore
ShapedArray = _core.ShapedArray
dynamic_grid_dim = _pallas_core.dynamic_grid_dim
is_constant_dim = _core.is_constant_dim
is_symbolic_dim = _core.is_symbolic_dim
ArrayMemorySpace = _core.MemorySpace

# Special functions that JAX itself says in simpler ones. Each takes the dtype to compute in as `dtype`.
SPECIAL_FUNCTIONS = {
    "igamma": _special.igamma_impl,
    "igammac": _special.igammac_impl,
    "igamma_grad_a": _special.igamma_grad_a_impl,
    "regularized_incomplete_beta": _special.regularized_incomplete_beta_impl,
}
bessel_i0e = _special.bessel_i0e_impl


def physical_aval(aval: Any) -> Any:
    """The abstract value of the words of a random key; any other abstract value is itself."""
    return _core.physical_aval(aval)


def is_key(aval: Any) -> bool:
    """Whether an abstract value is a random key, or an array of them."""
    return isinstance(getattr(aval, "dtype", None), _prng.KeyTy)


def is_pallas_key(aval: Any) -> bool:
    """Whether a key's generator is the one that only kernels on a TPU have."""
    return _tpu_random.is_pallas_impl(prng_impl(aval))


def words_of_keys(mapping: Any) -> Any:
    """A GridMapping with each array of random keys as the array of its words, whose last dimensions are never cut."""
    blocks = tuple(_words_of_block(block) if is_key(block.array_aval) else block for block in mapping.block_mappings)
    return mapping.replace(block_mappings=blocks)


def _words_of_block(block: Any) -> Any:
    array, ref = _core.physical_aval(block.array_aval), block.transformed_block_aval
    words = array.shape[block.array_aval.ndim :]
    jaxpr = block.index_map_jaxpr.jaxpr
    zero = _core.Literal(np.int32(0), ShapedArray((), np.dtype("int32")))
    outvars = [*jaxpr.outvars, *[zero] * len(words)]
    debug_info = jaxpr.debug_info._replace(result_paths=None)
    index_map = _core.ClosedJaxpr(jaxpr.replace(outvars=outvars, debug_info=debug_info), block.index_map_jaxpr.consts)
    indices = jax.tree.unflatten(block.index_map_out_tree, [0] * len(jaxpr.outvars))
    return block.replace(
        block_shape=(*block.block_shape, *map(_pallas_core.Blocked, words)),
        transformed_block_aval=AbstractRef(_core.physical_aval(ref.inner_aval), ref.memory_space),
        index_map_jaxpr=index_map,
        index_map_out_tree=jax.tree.structure((*indices, *[0] * len(words))),
        array_aval=array,
    )


def prng_impl(aval: Any) -> Any:
    """The functions of the generator that a random key is for."""
    return aval.dtype._impl


def written_refs(jaxpr: Any) -> set[int]:
    """The places among a jaxpr's invars of the Refs that it writes or adds to."""
    kinds = (_state_types.WriteEffect, _state_types.AccumEffect)
    written = {effect.input for effect in jaxpr.effects if isinstance(effect, kinds)}
    return {place for place, var in enumerate(jaxpr.invars) if var in written}


def debug_checks_enabled() -> bool:
    """Whether the author has turned `pl.debug_check` on."""
    return _pallas_core.debug_checks_enabled()


def tracing_state() -> Hashable:
    """All that tracing and lowering on this thread depend on beside what they are given.

    That is JAX's whole configuration, the contexts that are entered, and Pallas' own state of the thread.
    """
    pallas = vars(_pallas_core._pallas_tracing_env).items()
    return (
        tuple(jax.config.values.items()),
        _config.trace_context(),
        tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in pallas),
    )


def read_check(err_tree: Any, leaves: Any) -> tuple[Any, str]:
    """The value that says whether a check of `checkify` has failed, and its message."""
    error = jax.tree.unflatten(err_tree, leaves)
    (failed,) = error._pred.values()
    (exception_tree,) = error._metadata.values()
    (payload,) = error._payload.values()
    return failed, jax.tree.unflatten(exception_tree, payload).fmt_string


def user_frame(source_info: Any) -> Frame | None:
    """The innermost frame outside JAX's own files of the code that made an equation, or None."""
    return _user_frame(source_info.traceback)


@functools.lru_cache(maxsize=4096)
def _user_frame(traceback: Any) -> Frame | None:
    frame = _source_info.user_frame(traceback)
    if frame is None:
        return None
    return Frame(frame.file_name, frame.start_line, frame.start_column + 1, frame.function_name)


def space_owner(space: Any) -> str:
    """The prefix that tells the memory spaces of one backend from those of another."""
    if isinstance(space, _tpu_core.MemorySpace):
        return "tpu."
    if isinstance(space, _pallas_core.MemorySpace):
        return ""
    return "gpu." if "mosaic_gpu" in type(space).__module__ else ""


def trace(
    function: Callable[..., Sequence[Any]], avals: Sequence[Any], grid: Sequence[Any], vmapped: Sequence[int]
) -> Any:
    """Traces a function of flat arguments, under a grid, to a closed jaxpr."""
    debug_info = _api_util.debug_info("pallas_call index_map", function, tuple(avals), {})
    wrapped = _lu.wrap_init(function, debug_info=debug_info)
    symbolic = any(is_symbolic_dim(size) for size in grid)
    with (
        _pallas_core.pallas_export_experimental(symbolic or _pallas_core.dynamic_shapes_export_enabled()),
        _pallas_core.tracing_grid_env(tuple(grid), tuple(vmapped)),
    ):
        jaxpr, _, consts = _pe.trace_to_jaxpr_dynamic(wrapped, tuple(avals))
    return _core.ClosedJaxpr(jaxpr, consts)


def evaluate_index_map(closed_jaxpr: Any, program_ids: Sequence[Any], operands: Sequence[Any]) -> list[Any]:
    """The results of an index map for one program, given the values of the index operands."""
    pure = _discharge.discharge_state(closed_jaxpr)
    results = _core.jaxpr_as_fun(pure)(*program_ids, *operands)
    return list(results[: len(closed_jaxpr.jaxpr.outvars)])


def is_plain_sharding(aval: Any) -> bool:
    """Whether an abstract array knows no mesh: it is neither sharded nor varies over a mesh axis."""
    return aval.sharding.mesh.empty and aval.manual_axis_type in (None, _core.empty_mat)


def mesh_of(aval: Any) -> dict[str, Any] | None:
    """What an abstract array knows of a mesh, as strings and numbers; None where it says more than that.

    Inside `shard_map` every array knows the mesh, is sharded over none of its axes, and may vary over some.
    """
    mesh, varies = aval.sharding.mesh, aval.manual_axis_type
    names = [*mesh.axis_names, *varies.varying, *varies.unreduced, *varies.reduced]
    if any(part is not None for part in aval.sharding.spec) or not all(isinstance(name, str) for name in names):
        return None
    axes = tuple(zip(mesh.axis_names, mesh.axis_sizes, (type_.name for type_ in mesh.axis_types), strict=True))
    device = mesh.abstract_device
    return {
        "axes": axes,
        "device": device and (device.device_kind, device.num_cores, device.platform),
        "varying": tuple(sorted(varies.varying)),
        "unreduced": tuple(sorted(varies.unreduced)),
        "reduced": tuple(sorted(varies.reduced)),
    }


def with_mesh(aval: Any, known: dict[str, Any]) -> Any:
    """An abstract array that knows of a mesh what `mesh_of` says."""
    names, sizes, types = zip(*known["axes"], strict=True)
    mesh = _mesh.AbstractMesh(
        sizes,
        names,
        axis_types=tuple(_mesh.AxisType[type_] for type_ in types),
        abstract_device=known["device"] and _mesh.AbstractDevice(*known["device"]),
    )
    varies = _core.ManualAxisType(**{part: frozenset(known[part]) for part in ("varying", "unreduced", "reduced")})
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*[None] * aval.ndim))
    return aval.update(sharding=sharding, manual_axis_type=varies)


def plain_ref(aval: Any) -> Any:
    """The Ref of an array that stands for scratch of another kind, as a union of Refs or a transformed one."""
    ref = getattr(aval, "ref", aval)
    inner = ref.inner_aval
    while not isinstance(inner, ShapedArray):
        inner = inner.inner_aval
    return AbstractRef(inner, ref.memory_space)


def describe_aval(aval: Any) -> str:
    """All that distinguishes an abstract value, as text in which symbolic dimensions go by their names."""
    if isinstance(aval, ShapedArray):
        plain = "" if is_plain_sharding(aval) else f" {aval.sharding} {aval.manual_axis_type}"
        return f"{aval.dtype}{list(aval.shape)} weak={aval.weak_type} space={aval.memory_space!r}{plain}"
    if isinstance(aval, AbstractRef):
        return f"{type(aval).__name__}({describe_aval(aval.inner_aval)}, {aval.memory_space!r}, {aval.kind})"
    return repr(aval)


def symbol_name(name: str) -> str:
    """A kernel's name as a symbol: what is no letter, digit, `_`, `.` or `-` becomes `_`."""
    return "".join(c if c.isalnum() or c in "_.-" else "_" for c in name)


def mosaic_gpu_core() -> Any:
    """The module of Mosaic GPU's own types."""
    from jax._src.pallas.mosaic_gpu import core

    return core


def semaphore_dtype(kind: str) -> Any:
    """The dtype of a semaphore of that kind: "regular", "dma" or "barrier"."""
    if kind == "dma":
        return _tpu_core.DMASemaphore()
    return _pallas_core.BarrierSemaphore() if kind == "barrier" else _pallas_core.Semaphore()


def barrier_parameters(dtype: Any) -> tuple[Any, ...] | None:
    """What a barrier of Mosaic GPU is made with, and None for every other dtype.

    The number of arrivals and whether it orders the tensor core; of a cluster also the axes and whether it is tracked.
    """
    name = type(dtype).__name__
    if name == "BarrierType":
        return (dtype.num_arrivals, dtype.orders_tensor_core)
    if name == "ClusterBarrierType":
        return (dtype.num_arrivals, dtype.orders_tensor_core, dtype.collective_axes, dtype.leader_tracked)
    return None


def barrier_dtype(num_arrivals: int, orders_tensor_core: bool, axes: Any = None, leader_tracked: bool = False) -> Any:
    """The dtype that `barrier_parameters` describes."""
    core = mosaic_gpu_core()
    if axes is None:
        return core.BarrierType(num_arrivals, orders_tensor_core)
    return core.ClusterBarrierType(axes, num_arrivals, orders_tensor_core, leader_tracked)


# Hooks on JAX's lowering -------------------------------------------------------------------------------------------


class Emitter(Protocol):
    """Writes the lowering of one call into JAX's module."""

    def __call__(self, context: Any, operands: Sequence[Any]) -> Sequence[Any]:
        """Returns the MLIR values of the results.

        Args:
          context: JAX's `LoweringRuleContext`.
          operands: the MLIR values of the call's operands.
        """
        ...


KernelHandler = Callable[[KernelRequest, str], Emitter | None]
"""Takes a kernel and the platform it is lowered for; gives None for a kernel that JAX's own rule shall have."""


def register_kernel_rules(platform: str, handler: KernelHandler) -> None:
    """Puts `handler` before JAX's rules for kernels on a platform.

    Both primitives are hooked: `pallas_call`, and `mpmd_map`, which `pl.kernel` and a discharged `core_map` become
    and which never reaches a rule of the first.
    """

    def lower_pallas_call(context: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        request = dataclasses.replace(request_of_pallas_call(context.avals_in, params), devices=_device_mesh(context))
        emitter = handler(request, platform)
        if emitter is None:
            params["compiler_params"] = record_for(params["compiler_params"], platform)
            return _pallas_call._pallas_call_lowering(context, *operands, **params)
        return _emit(emitter, context, operands)

    def lower_mpmd_map(context: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        # On the device itself each mesh has a compiler of its own.
        is_ours = platform == "cpu" or (len(params["jaxprs"]) == 1 and not params["external_meshes"])
        emitter = None
        if is_ours:
            request = dataclasses.replace(request_of_mpmd_map(context.avals_in, params), devices=_device_mesh(context))
            emitter = handler(request, platform)
        if emitter is None:
            params["compiler_params"] = record_for(params["compiler_params"], platform)
            return _mpmd._mpmd_map_lowering(context, *operands, **params)
        return _emit(emitter, context, operands)

    _mlir.register_lowering(_pallas_call.pallas_call_p, lower_pallas_call, platform=platform)
    _mlir.register_lowering(_mpmd.mpmd_map_p, lower_mpmd_map, platform=platform)


def _device_mesh(context: Any) -> DeviceMesh | None:
    """The devices that what is lowered here is mapped over, each by itself; None where there are none."""
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


def request_of_pallas_call(avals_in: Sequence[Any], params: Mapping[str, Any]) -> KernelRequest:
    """The request of a `pallas_call` with these operands and parameters."""
    options = params["compiler_params"]
    return KernelRequest(
        jaxpr=params["jaxpr"],
        grid_mapping=params["grid_mapping"],
        in_avals=tuple(avals_in),
        out_avals=tuple(params["out_avals"]),
        input_output_aliases=tuple(params["input_output_aliases"]),
        compiler_params=params["compiler_params"],
        cost_estimate=params["cost_estimate"],
        metadata=params["metadata"],
        name=params["name"],
        debug=params["debug"] or getattr(options, "debug", False),
        interpret=params["interpret"],
        backend=getattr(options, "backend", None),
        mesh=params["mesh"],
    )


def request_of_mpmd_map(avals_in: Sequence[Any], params: Mapping[str, Any]) -> KernelRequest:
    """The request of an `mpmd_map`, with the GridMapping that it lacks built from its mesh, or meshes."""
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
    if compiler_params is not None and hasattr(mesh, "dimension_semantics"):
        semantics = None if others else mesh.dimension_semantics
        compiler_params = compiler_params.replace(dimension_semantics=semantics)
    return KernelRequest(
        jaxpr=jaxpr,
        grid_mapping=grid_mapping,
        in_avals=tuple(_inner(aval) for aval in avals_in),
        out_avals=out_avals,
        input_output_aliases=tuple(params["input_output_aliases"].items()),
        compiler_params=compiler_params,
        cost_estimate=params["cost_estimate"],
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
    # JAX's own spaces (device, host) say nothing of where in a kernel an operand lies.
    space = getattr(aval, "memory_space", None)
    return mesh.default_memory_space if space is None or isinstance(space, _core.MemorySpace) else space


# XLA's custom calls ------------------------------------------------------------------------------------------------


def emit_call(
    context: Any,
    operands: Sequence[Any],
    target: str,
    attributes: Mapping[str, Any],
    *,
    aliases: Mapping[int, int],
    has_side_effect: bool,
    devices: DeviceMesh | None = None,
) -> Sequence[Any]:
    """Writes an XLA custom call with row-major operands and results; returns its results.

    Args:
      target: the name under which the call was registered.
      attributes: str, bytes and int values.
      aliases: operand to the result that shares its memory.
      devices: with them the number of the device is one more operand, an int32, and the call has a `channel`, one for
        all devices and for no other call of the program.
    """
    # What is passed for a random key is its words.
    avals = {part: tuple(map(physical_aval, getattr(context, part))) for part in ("avals_in", "avals_out")}
    if devices is not None:
        number, aval = _device_number(context, devices)
        operands = [*operands, number]
        avals["avals_in"] = (*avals["avals_in"], aval)
        attributes = {**attributes, "channel": context.module_context.new_channel()}
    context = context.replace(**avals)
    rule = jax.ffi.ffi_lowering(target, operand_output_aliases=dict(aliases), has_side_effect=has_side_effect)
    return rule(context, *operands, **attributes)


def _device_number(context: Any, devices: DeviceMesh) -> tuple[Any, Any]:
    """Writes the number of the device in row-major order of the mesh; returns the value and its abstract value."""

    def number() -> Any:
        coordinates = [jax.lax.axis_index(name) for name in devices.names]
        return jnp.ravel_multi_index(coordinates, devices.sizes, mode="clip").astype(jnp.int32)

    aval = _core.ShapedArray((), np.dtype(np.int32))
    # It has none of the effects of the equation.
    alone = context.replace(avals_in=[], avals_out=[aval], tokens_in=_mlir.TokenSet(), tokens_out=None)
    (value,) = _mlir.lower_fun(number, multiple_results=False)(alone)
    return value, aval


def emit_function(function: Callable[..., Sequence[Any]]) -> Emitter:
    """Returns what writes a function of arrays, traced and lowered by JAX, in the place of a kernel."""
    rule = _mlir.lower_fun(function, multiple_results=True)
    return lambda context, operands: rule(context, *operands)


def register_call_targets(targets: Mapping[str, Mapping[str, Any]], state: Mapping[str, Any], platform: str) -> None:
    """Registers custom calls with XLA.

    Args:
      targets: for each name the stages, capsules `instantiate` and `execute`.
      state: what all of them keep for a call, capsules `type_id` and `type_info`.
    """
    # jaxlib replays queued targets before the types that they need, and then fails to start the backend. Its handlers
    # are installed first, so that nothing is queued.
    xla = _xla_client._xla
    _xla_client.register_custom_type_handler(platform, xla.register_custom_type)
    _xla_client.register_custom_call_handler(platform, xla.register_custom_call_target)
    jax.ffi.register_ffi_type("gridir_call_state", dict(state), platform=platform)
    for name, stages in targets.items():
        jax.ffi.register_ffi_target(name, dict(stages), platform=platform)


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """Makes JAX trace every `pallas_call` on this thread as if it asked for `interpret=True`."""
    mode = _config.pallas_tpu_interpret_mode_context_manager
    previous = mode.swap_local(True)
    try:
        yield
    finally:
        mode.set_local(previous)
