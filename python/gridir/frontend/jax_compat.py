# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The only file that imports JAX's private modules; the rest of gridir sees what it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import api_util as _api_util
from jax._src import core as _core
from jax._src import linear_util as _lu
from jax._src import source_info_util as _source_info
from jax._src import state as _state
from jax._src.interpreters import partial_eval as _pe
from jax._src.lax import special as _special
from jax._src.pallas import core as _pallas_core
from jax._src.pallas.mosaic import core as _tpu_core
from jax._src.random import prng as _prng
from jax._src.state import discharge as _discharge
from jax._src.state import indexing as _indexing
from jax._src.state import types as _state_types
from jax._src.state.primitives import ref_get as ref_get
from jax.experimental import pallas as pl

from gridir.errors import Frame

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
    "random_gamma_grad": _special.random_gamma_grad_impl,
    "regularized_incomplete_beta": _special.regularized_incomplete_beta_impl,
}
bessel_i0e = _special.bessel_i0e_impl


def physical_aval(aval: Any) -> Any:
    """The abstract value of the words of a random key; any other abstract value is itself."""
    return _core.physical_aval(aval)


def is_key(aval: Any) -> bool:
    """Whether an abstract value is a random key, or an array of them."""
    return isinstance(getattr(aval, "dtype", None), _prng.KeyTy)


def prng_impl(aval: Any) -> Any:
    """The functions of the generator that a random key is for."""
    return aval.dtype._impl


def debug_checks_enabled() -> bool:
    """Whether the author has turned `pl.debug_check` on."""
    return _pallas_core.debug_checks_enabled()


def read_check(err_tree: Any, leaves: Any) -> tuple[Any, str]:
    """The value that says whether a check of `checkify` has failed, and its message."""
    error = jax.tree.unflatten(err_tree, leaves)
    (failed,) = error._pred.values()
    (exception_tree,) = error._metadata.values()
    (payload,) = error._payload.values()
    return failed, jax.tree.unflatten(exception_tree, payload).fmt_string


def user_frame(source_info: Any) -> Frame | None:
    """The innermost frame outside JAX's own files of the code that made an equation, or None."""
    frame = _source_info.user_frame(source_info.traceback)
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


def get_grid_mapping(
    spec: pl.GridSpec,
    in_avals: Sequence[Any],
    in_tree: Any,
    in_origins: Sequence[str],
    out_avals: Sequence[Any],
    out_tree: Any,
    out_origins: Sequence[str],
    debug: bool,
) -> Any:
    """JAX's own way from a grid spec to a GridMapping."""
    _, mapping = _pallas_core.get_grid_mapping(
        spec, in_avals, in_tree, in_origins, out_avals, out_tree, out_origins, debug=debug
    )
    return mapping


def is_plain_sharding(aval: Any) -> bool:
    """Whether an abstract array knows no mesh: it is neither sharded nor varies over a mesh axis."""
    return aval.sharding.mesh.empty and aval.manual_axis_type in (None, _core.empty_mat)


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
