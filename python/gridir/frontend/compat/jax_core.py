# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Access to JAX's private modules: names and accessors of jaxprs, abstract values and GridMappings.

The files `jax_core*.py` are the only ones that import private modules; the rest of gridir uses their functions.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.errors import Frame
from gridir.frontend.compat import jax_changes

# Before the imports that another JAX may not have.
jax_changes.check_names()

from jax._src import api_util as _api_util
from jax._src import config as _config
from jax._src import core as _core
from jax._src import indexing as _jax_indexing
from jax._src import linear_util as _lu
from jax._src import mesh as _mesh
from jax._src import source_info_util as _source_info
from jax._src import state as _state
from jax._src.interpreters import partial_eval as _pe
from jax._src.lax import special as _special
from jax._src.pallas import core as _pallas_core
from jax._src.pallas import primitives as _pallas_primitives
from jax._src.pallas.mosaic import core as _tpu_core
from jax._src.pallas.mosaic import random as _tpu_random
from jax._src.random import prng as _prng
from jax._src.state import discharge as _discharge
from jax._src.state import indexing as _indexing
from jax._src.state import types as _state_types
from jax._src.state.primitives import get_p as _get_p
from jax._src.state.primitives import ref_get as ref_get

from gridir.frontend.compat import jax_gpu

AbstractRef = _state.AbstractRef
DropVar = _core.DropVar
Literal = _core.Literal
NDIndexer = _indexing.NDIndexer
Slice: Any = _jax_indexing.Slice
TransformedRef = _state_types.TransformedRef
BitcastTransform = _state_types.BitcastTransform
ReshapeTransform = _state_types.ReshapeTransform
TransposeTransform = _state_types.TransposeTransform
SelectTransform = _state_types.SelectTransform
# Since JAX 0.12; no transform of an earlier JAX is one.
MemorySpaceCastTransform: Any = getattr(_state_types, "MemorySpaceCastTransform", ())

BlockMapping = _pallas_core.BlockMapping
GridMapping = _pallas_core.GridMapping
MemoryRef = _pallas_core.MemoryRef
CoreMemorySpace = _pallas_core.CoreMemorySpace
Semaphore = _pallas_core.Semaphore
BarrierSemaphore = _pallas_core.BarrierSemaphore
ShapedArray = _core.ShapedArray
# Since JAX 0.11 a jaxpr holds the values of its constants itself, and a closed one is a jaxpr like any other.
ClosedJaxpr: Any = getattr(_core, "ClosedJaxpr", _core.Jaxpr)
dynamic_grid_dim = _pallas_core.dynamic_grid_dim
is_constant_dim = _core.is_constant_dim
is_symbolic_dim = _core.is_symbolic_dim
ArrayMemorySpace = _core.MemorySpace

# The primitives that are evaluated by their jaxpr, with the parameter that has it in the newest form of the equation.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "eval_jaxpr": "call_jaxpr",
    "checkpoint": "jaxpr",
    "remat2": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
    "custom_vmap_call": "call",
}

# Special functions that JAX itself decomposes. Each takes the dtype to compute in as `dtype`.
SPECIAL_FUNCTIONS = {
    "igamma": _special.igamma_impl,
    "igammac": _special.igammac_impl,
    "igamma_grad_a": _special.igamma_grad_a_impl,
    "regularized_incomplete_beta": _special.regularized_incomplete_beta_impl,
}
bessel_i0e = _special.bessel_i0e_impl


def physical_aval(aval: Any) -> Any:
    """The abstract value of the words of a random key; any other abstract value is itself."""
    # Cached, because the query is slower than most of its callers.
    return aval if isinstance(getattr(aval, "dtype", None), np.dtype) else _core.physical_aval(aval)


def is_key(aval: Any) -> bool:
    """True if an abstract value is a random key, or an array of them."""
    return isinstance(getattr(aval, "dtype", None), _prng.KeyTy)


def is_pallas_key(aval: Any) -> bool:
    """True if a key uses the generator that exists only in TPU kernels."""
    return _tpu_random.is_pallas_impl(prng_impl(aval))


def words_of_keys(mapping: Any) -> Any:
    """A GridMapping with each array of random keys as the array of its words, whose last dimensions are never cut."""
    blocks = tuple(_words_of_block(block) if is_key(block.array_aval) else block for block in mapping.block_mappings)
    return mapping.replace(block_mappings=blocks)


def without_layouts(mapping: Any) -> Any:
    """A GridMapping whose blocks have the shape that the author indexes, however they would lie in a GPU's memory."""
    blocks = (
        block.replace(transforms=(), transformed_block_aval=block.ref_aval.type) if block.transforms else block
        for block in mapping.block_mappings
    )
    return mapping.replace(block_mappings=tuple(blocks))


def _words_of_block(block: Any) -> Any:
    array, ref = _core.physical_aval(block.array_aval), block.transformed_block_aval
    words = array.shape[block.array_aval.ndim :]
    jaxpr = block.index_map_jaxpr.jaxpr
    zero = _core.Literal(np.int32(0), ShapedArray((), np.dtype("int32")))
    outvars = [*jaxpr.outvars, *[zero] * len(words)]
    debug_info = jaxpr.debug_info._replace(result_paths=None)
    index_map = ClosedJaxpr(jaxpr.replace(outvars=outvars, debug_info=debug_info), block.index_map_jaxpr.consts)
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
    """The numbers of a jaxpr's invars that are Refs which it writes or adds to."""
    kinds = (_state_types.WriteEffect, _state_types.AccumEffect)
    written = {effect.input for effect in jaxpr.effects if isinstance(effect, kinds)}
    return {number for number, var in enumerate(jaxpr.invars) if var in written}


def with_writes(jaxpr: Any, numbers: Iterable[int]) -> Any:
    """Returns a jaxpr with write effects for the invars with these numbers."""
    return jaxpr.replace(effects=jaxpr.effects | {_state_types.WriteEffect(jaxpr.invars[n]) for n in numbers})


def discharge_scalars(jaxpr: Any, made: Sequence[bool]) -> tuple[Any, list[bool]]:
    """The jaxpr of a `run_state` that takes numbers where it only reads Refs of them, and which invars these are.

    A function that is traced for `run_state` has such a Ref for every number that it finds in its closure. Only Refs
    that `run_state` created from values may be converted back to values.
    """
    used = (var for eqn in jaxpr.eqns if eqn.primitive is not _get_p for var in eqn.invars)
    others = {var for var in (*used, *jaxpr.outvars) if isinstance(var, _core.Var)}
    read = [
        is_made and isinstance(var.aval, AbstractRef) and not var.aval.shape and var not in others
        for var, is_made in zip(jaxpr.invars, made, strict=True)
    ]
    if not any(read):
        return jaxpr, read
    closed = _discharge.discharge_state(ClosedJaxpr(jaxpr, ()), should_discharge=read)
    # The final contents of Refs follow the results.
    return closed.jaxpr.replace(outvars=closed.jaxpr.outvars[: len(jaxpr.outvars)]), read


def with_constants(jaxpr: Any, constvars: Sequence[Any], invars: Sequence[Any], consts: Sequence[Any]) -> Any:
    """A jaxpr some of whose variables are constants, which since JAX 0.11 it knows the values of."""
    return ClosedJaxpr(jaxpr.replace(constvars=list(constvars), invars=list(invars)), consts).jaxpr


def debug_checks_enabled() -> bool:
    """True if the author has enabled `pl.debug_check`."""
    return _pallas_core.debug_checks_enabled()


def tracing_state() -> Hashable:
    """The state on which tracing and lowering on this thread depend, besides their arguments.

    That is JAX's whole configuration, the contexts that are entered, and Pallas' own state of the thread.
    """
    pallas = vars(_pallas_core._pallas_tracing_env).items()
    return (
        tuple(jax.config.values.items()),
        _config.trace_context(),
        tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in pallas),
    )


def read_check(err_tree: Any, leaves: Any) -> tuple[Any, str]:
    """The predicate of a `checkify` check, and its message."""
    error = jax.tree.unflatten(err_tree, leaves)
    (failed,) = error._pred.values()
    (exception_tree,) = error._metadata.values()
    (payload,) = error._payload.values()
    return failed, jax.tree.unflatten(exception_tree, payload).fmt_string


def user_frame(source_info: Any) -> Frame | None:
    """The innermost frame outside JAX's own files of the code that made an equation, or None."""
    return _user_frame(source_info.traceback)


def scope_names(source_info: Any) -> list[str]:
    """The names of the scopes that an equation is in, of those of its jaxpr, the outermost first."""
    return [scope.name for scope in source_info.name_stack.stack]


# JAX's description of the traced function: its name, file and line.
_SOURCE = re.compile(r"(.*) at (.*):(\d+)$")


def source_of(jaxpr: Any) -> tuple[str, str, int] | None:
    """The name of the function of a jaxpr, its file and its line, or None where JAX does not know them."""
    match = _SOURCE.match(jaxpr.debug_info.func_src_info or "")
    return match and (match[1], match[2], int(match[3]))


def is_user_function(jaxpr: Any) -> bool:
    """True if the function of a jaxpr is not one of JAX's own, as far as is known."""
    source = source_of(jaxpr)
    return source is not None and _source_info.is_user_filename(source[1])


def authors_jaxpr(jaxpr: Any) -> Any:
    """The jaxpr of the author's function where one of JAX's own only calls it in a scope, as that of `plgpu.kernel`.

    Any other jaxpr is returned unchanged.
    """
    if is_user_function(jaxpr) or len(jaxpr.eqns) != 1 or jaxpr.eqns[0].primitive.name != "run_scoped":
        return jaxpr
    return jaxpr.eqns[0].params["jaxpr"]


def wrapped_function(jaxpr: Any) -> Frame | None:
    """The location of the user's function that a function of JAX calls; None if the kernel itself is the user's."""
    inner = authors_jaxpr(jaxpr)
    source = None if inner is jaxpr else source_of(inner)
    return source and Frame(source[1], source[2], 0, source[0])


@functools.lru_cache(maxsize=4096)
def _user_frame(traceback: Any) -> Frame | None:
    frame = _source_info.user_frame(traceback)
    if frame is None:
        return None
    return Frame(frame.file_name, frame.start_line, frame.start_column + 1, frame.function_name)


def make_ref_aval(shape: Sequence[int], dtype: Any, space: Any) -> Any:
    """An abstract Ref."""
    return AbstractRef(_core.ShapedArray(tuple(shape), dtype), space)


def transformed_aval(aval: Any, transforms: Sequence[Any]) -> Any:
    """The abstract Ref that an abstract Ref is, seen through transforms."""
    return TransformedRef(aval, tuple(transforms)).type


def space_owner(space: Any) -> str:
    """The prefix that distinguishes the memory spaces of one backend from those of others."""
    if isinstance(space, _tpu_core.MemorySpace):
        return "tpu."
    if isinstance(space, _pallas_core.MemorySpace):
        return ""
    return "gpu." if jax_gpu.is_memory_space(space) else ""


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
    return ClosedJaxpr(jaxpr, consts)


def evaluate_index_map(closed_jaxpr: Any, program_ids: Sequence[Any], operands: Sequence[Any]) -> list[Any]:
    """The results of an index map for one program, given the values of the index operands."""
    pure = _discharge.discharge_state(closed_jaxpr)
    results = _core.jaxpr_as_fun(pure)(*program_ids, *operands)
    return list(results[: len(closed_jaxpr.jaxpr.outvars)])


def kernel_name_of(equation: Any) -> str:
    """The name of the kernel of a `pallas_call` or `mpmd_map`, as that of its request."""
    params = equation.params
    jaxpr = params["jaxpr"] if "jaxpr" in params else params["jaxprs"][0]
    return params["name"] or jaxpr.debug_info.func_name or "kernel"


# Since JAX 0.11 values of Refs have their memory space unless this is given.
_WITHOUT_SPACES: dict[str, bool] = {
    name: True for name in ("strip_memory_space",) if name in inspect.signature(_discharge.discharge_state).parameters
}


def discharged_state(equation: Any) -> tuple[Any, list[bool]] | None:
    """The closed jaxpr of a `run_state` or `run_scoped` on values instead of Refs.

    Returns:
      The jaxpr, which returns the values of all Refs after the results, and for each of its arguments True if the
      equation has an operand for it: other memory is uninitialized. None for an equation of another primitive.
    """
    jaxpr = equation.params.get("jaxpr")
    if equation.primitive.name == "run_state":
        has_operand = list(equation.params["is_initialized"])
    elif equation.primitive.name == "run_scoped":
        consts = len(jaxpr.constvars)
        has_operand = [number < consts for number in range(consts + len(jaxpr.invars))]
        jaxpr = _pe.convert_constvars_jaxpr(jaxpr)
    else:
        return None
    closed = jaxpr if hasattr(jaxpr, "jaxpr") else ClosedJaxpr(jaxpr, ())
    return _discharge.discharge_state(closed, **_WITHOUT_SPACES), has_operand


def uninitialized_value(aval: Any) -> jax.Array:
    """The value that memory has in interpret mode before it is written."""
    return _pallas_primitives.uninitialized_value(aval.shape, aval.dtype)


def is_plain_sharding(aval: Any) -> bool:
    """True if an abstract array has no mesh: it is neither sharded nor varies over a mesh axis."""
    return aval.sharding.mesh.empty and aval.manual_axis_type in (None, _core.empty_mat)


def mesh_of(aval: Any) -> dict[str, Any] | None:
    """Returns the mesh information of an abstract array, as strings and numbers; None if it has more than that.

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
    """An abstract array with the mesh information that `mesh_of` returns."""
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
    """A kernel's name as a symbol: characters other than letters, digits, `_`, `.` and `-` become `_`."""
    return "".join(c if c.isalnum() or c in "_.-" else "_" for c in name)


def semaphore_dtype(kind: str) -> Any:
    """The dtype of a semaphore of that kind: "regular", "dma" or "barrier"."""
    if kind == "dma":
        return _tpu_core.DMASemaphore()
    return _pallas_core.BarrierSemaphore() if kind == "barrier" else _pallas_core.Semaphore()
