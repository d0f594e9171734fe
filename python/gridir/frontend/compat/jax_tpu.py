# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's private modules for Mosaic TPU kernels; `jax_core` has all others."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.metadata
import json
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax._src import cloud_tpu_init as _cloud_tpu_init
from jax._src import config as _config
from jax._src import core as _core
from jax._src import jaxpr_util as _jaxpr_util
from jax._src import sharding_impls as _sharding_impls
from jax._src import tpu_custom_call as _tpu_custom_call
from jax._src.interpreters import mlir as _mlir
from jax._src.lib import tpu as _tpu  # pyright: ignore[reportPrivateImportUsage]
from jax._src.pallas import einshape as _einshape
from jax._src.pallas.mosaic import core as _tpu_core
from jax._src.pallas.mosaic import pallas_call_registration as _registration
from jax._src.pallas.mosaic import sc_core as _sc_core
from jax._src.pallas.mosaic import tpu_info as _tpu_info
from jax.sharding import AbstractDevice, AbstractMesh
from jaxlib.mlir import ir

from gridir.errors import OptionError, UnsupportedError
from gridir.frontend.compat import jax_core  # noqa: F401  (checks JAX's version first)

_T = TypeVar("_T")

jax_lowering = _registration.pallas_call_tpu_lowering_rule
"""JAX's own rule for `pallas_call` on a TPU."""

AccessAssumptionTransform: Any = getattr(_tpu_core, "AccessAssumptionTransform", ())
"""A claim about the accesses to a Ref, since JAX 0.11; no transform of an earlier JAX is one."""

OptLevel = getattr(_tpu_custom_call, "OptLevel", None)
"""The optimization level of the compiler for SparseCores, since JAX 0.11."""

einshape: Callable[..., Any] = _einshape._einshape
"""Splits, permutes and merges dimensions of an array: `einshape("ab(cd)->cabd", x, c=4)`."""

einshape_on_tpu: Callable[..., Any] = _einshape._einshape_kernel
"""The same as JAX lowers it for a TPU: whole tiles of registers move, if the equation leaves them whole."""

CORE_MESHES = (_tpu_core.TensorCoreMesh, _sc_core.ScalarSubcoreMesh)
"""The classes of meshes all of whose dimensions enumerate cores."""

VectorSubcoreMesh = _sc_core.VectorSubcoreMesh

MESHES = (*CORE_MESHES, VectorSubcoreMesh)
"""The classes of meshes of a TPU, which say in which order their programs run."""

SUBCORE_BARRIER = _tpu_core.SemaphoreType.REGULAR(()).get_ref_aval()
"""A Ref of a semaphore at which subcores synchronize."""


def sparse_core_type(mesh: Any) -> str | None:
    """The name of the cores of a mesh, as `#tpu.core_type` has it, if they are of a SparseCore; else None."""
    # Most kernels have no mesh, and a lookup of its class is slow: a protocol is among its bases.
    if mesh is None or not isinstance(mesh, (_sc_core.ScalarSubcoreMesh, VectorSubcoreMesh)):
        return None
    return str(mesh.core_type.value)


def abstract_device(kind: str) -> contextlib.AbstractContextManager[Any]:
    """Makes JAX lower for a TPU of that kind without a device: some of its rules query the device."""
    device = AbstractDevice(device_kind=kind, num_cores=1, platform="tpu")
    return jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device))


def some_device() -> contextlib.AbstractContextManager[Any]:
    """Makes JAX lower as if for a TPU: that of `answer_for_cpu`, or a v5e, unless the caller has chosen another."""
    chosen = jax.sharding.get_abstract_mesh().abstract_device
    if chosen is not None and chosen.platform == "tpu":
        return contextlib.nullcontext()
    return abstract_device(_answered[-1])


def chip_version(kind: str | None = None) -> str:
    """Returns the version of a kind of device, as "v6e"; "" for a device that is no TPU.

    By default, the device is the one for which JAX lowers: the abstract one, or else JAX's own.
    """
    version: Any = _tpu_info.chip_version_from_device_kind(kind or _tpu_info.get_device_kind())
    return "" if version is None else str(version)


def is_libtpu_newer() -> bool:
    """True if the libtpu that will read a module is that of JAX 0.11, or a later one.

    It knows `tpu.logistic`, and shifts and compares narrow integers.
    """
    libtpu = _installed_libtpu()
    return hasattr(_tpu, "logistic") and (libtpu is None or libtpu >= (0, 0, 48))


# The kind of TPU that a program is told of where it runs on a CPU.
_answered = ["TPU v5 lite"]


def answer_for_cpu(kind: str, note: Callable[[], None], *, keep: bool = False) -> None:
    """Makes JAX answer a program's questions about its TPU as for one of that kind, while the program runs on a CPU.

    Args:
      kind: as JAX calls it.
      note: is called when a program asks.
      keep: leaves an answer that the program has registered itself.
    """
    version: Any = _tpu_info.chip_version_from_device_kind(kind)

    def answer() -> Any:
        note()
        return _tpu_info.get_tpu_info_for_chip(version, 1)

    _answered[-1] = kind
    if keep and "cpu" in _tpu_info.registry:
        return
    _tpu_info.registry["cpu"] = answer
    # JAX keeps the answers that it has given.
    cached: Any = _tpu_info.get_tpu_info
    cached.cache_clear()


@functools.lru_cache(maxsize=256)
def _without_locations(body: bytes) -> tuple[bytes, bytes]:
    """A Mosaic module as text without locations, and its locations, as JAX's configuration holds them."""
    context: Any = _mlir.make_ir_context()
    _tpu.register_dialect(context)
    # The versioned form is of ops that no dialect has.
    context.allow_unregistered_dialects = True
    with context:
        module: Any = ir.Module.parse(body)
        locations = _tpu.private_unzip_debug_locations(module.operation)
        return module.operation.get_asm(print_generic_op_form=True).encode(), locations


@functools.cache
def _installed_libtpu() -> tuple[int, ...] | None:
    """Returns the version of the installed libtpu, None where there is none."""
    try:
        version = importlib.metadata.version("libtpu")
    except importlib.metadata.PackageNotFoundError:
        return None
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def split_locations(context: Any, body: bytes) -> tuple[bytes, bytes | None]:
    """Splits the body of a call into the module, and its locations if JAX stores them separately.

    JAX does so since 0.12, so that a program is the same wherever the author's lines are; Mosaic names these lines
    either way. A libtpu before 0.0.50 rejects a call with separate locations. JAX looks at the installed one only on a
    machine with TPUs, but `gridir tpu-check` compiles with it on any machine.

    Args:
      context: JAX's `LoweringRuleContext`.
      body: the module as text with locations.
    """
    libtpu = _installed_libtpu()
    splits = (
        hasattr(_tpu, "private_unzip_debug_locations")
        and getattr(jax.config, "jax_mosaic_unzip_debug_locations", False)
        and not context.is_forward_compat()
        and _cloud_tpu_init.is_libtpu_at_least("0.0.50")
        and (libtpu is None or libtpu >= (0, 0, 50))
    )
    return _without_locations(body) if splits and body else (body, None)


def of_body(programs: Mapping[bytes, _T], body: bytes) -> _T:
    """Returns the entry of a Mosaic module in a mapping from bodies of calls."""
    return programs[body if body in programs else _without_locations(body)[0]]


def emit_mosaic_call(
    context: Any,
    operands: Sequence[Any],
    *,
    config: Mapping[str, Any],
    has_side_effects: Any,
    kernel_name: str,
    aliases: tuple[tuple[int, int], ...],
    out_avals: Sequence[Any],
    effects: Any,
    metadata: Mapping[str, str] | None,
    mesh: Any = None,
) -> Sequence[Any]:
    """Writes the custom call of a Mosaic kernel; returns the MLIR values of its results.

    Bools are int32 inside of a kernel, and random keys are their words; both are converted around the call.

    Args:
      context: JAX's `LoweringRuleContext`.
      operands: sizes of dynamic grid dimensions, index operands, inputs.
      config: fields of JAX's `CustomCallBackendConfig` other than the memory spaces.
      has_side_effects: a bool or JAX's `SideEffectType`.
      aliases: pairs of an operand and the result that is the same memory.
      out_avals: the abstract values of the results, which may name a memory space.
      effects: the effects of the kernel's jaxpr; the axes of a mesh among them become metadata.
      metadata: the strings that the author attached to the call.
      mesh: the mesh of the kernel's cores, or None.
    """
    in_avals = [_core.physical_aval(aval) for aval in context.avals_in]
    results = [_core.physical_aval(aval) for aval in context.avals_out]
    kernel_ins, kernel_outs = [[_stored(aval) for aval in avals] for avals in (in_avals, results)]
    input_spaces, output_spaces = _registration._resolve_memory_spaces(
        in_avals,
        out_avals,
        input_output_aliases=aliases,
        kernel_type=mesh.core_type if sparse_core_type(mesh) else _tpu_core.CoreType.TC,
    )
    body, locations = split_locations(context, config["lowered_module_asm"])
    full = {
        "collective_id": None,
        **_device(mesh),
        "needs_hlo_passes": False,
        "input_memory_spaces": input_spaces,
        "output_memory_spaces": output_spaces,
        # The body contains its version; this prevents JAX from rewriting it.
        "lowered_module_asm_version": _tpu_custom_call.get_ir_version(context),
        **config,
        "lowered_module_asm": body,
        **({} if locations is None else {"debug_locations": locations}),
    }
    known = {field.name for field in dataclasses.fields(_tpu_custom_call.CustomCallBackendConfig)}
    if unknown := [name for name, value in full.items() if name not in known and value is not None]:
        raise UnsupportedError(
            f"expected parameters that JAX {jax.__version__} can pass to libtpu, got {', '.join(unknown)}",
            kernel=kernel_name,
        )
    full = {name: value for name, value in full.items() if name in known}
    effect = _registration._resolve_side_effect_type(has_side_effects)
    if isinstance(effect, bool):
        kinds = _tpu_custom_call.TpuSideEffectType
        effect = kinds.SIDE_EFFECTING if effect else kinds.PURE
    calls = _tpu_custom_call._tpu_custom_call_lowering(
        context.replace(avals_in=kernel_ins, avals_out=kernel_outs),
        *_converted(context, operands, in_avals, kernel_ins),
        config=_tpu_custom_call.CustomCallBackendConfig(**full),
        has_side_effects=effect,
        kernel_name=_mlir.sanitize_name(kernel_name),
        out_avals=kernel_outs,
        input_output_aliases=aliases,
        metadata=_with_mesh_axes(context, effects, metadata),
    )
    return _converted(context, calls, kernel_outs, results)


def _device(mesh: Any) -> dict[str, Any]:
    """Returns the device of the kernel: SparseCores and their number, or a TensorCore."""
    if sparse_core_type(mesh) is None:
        return {"device_type": None, "active_core_count": None}
    return {"device_type": "sparsecore", "active_core_count": mesh.num_cores}


_AUTOMATIC_IDS = "jax_pallas_auto_assign_collective_ids"


def barrier_tag(jaxprs: Sequence[Any]) -> Hashable | None:
    """The tag of the barrier semaphore of a kernel, or None. JAX has tags since 0.11."""
    equations = (eqn for jaxpr in jaxprs for _, eqn in _jaxpr_util.all_eqns(jaxpr))
    tags = (eqn.params.get("tag") for eqn in equations if eqn.primitive.name == "get_barrier_semaphore")
    return next((tag for tag in tags if tag is not None), None)


def collective_id(
    context: Any,
    given: int | None,
    tag: Hashable | None,
    *,
    has_custom_barrier: bool,
    body: bytes,
    skip_device_barrier: bool,
    kernel_name: str,
) -> int | None:
    """The number of the barrier semaphore of a kernel, which JAX may choose since 0.11.

    It is chosen from the numbers that no kernel of the module has, where the author's kernel has a tag or the setting
    `jax_pallas_auto_assign_collective_ids` asks for that.

    Args:
      context: JAX's `LoweringRuleContext`.
      given: the number that the author gives, or None.
      tag: the tag that the author gives, or None. Kernels with one tag have one number.
      has_custom_barrier: whether the kernel uses the semaphore.
      body: the code of the kernel. Kernels without tags have one number if they have the same code.
      skip_device_barrier: as the author's record says.
      kernel_name: the kernel's name for the message.

    Raises:
      OptionError: for both a number and a tag, and for more chosen numbers than the setting
        `jax_pallas_auto_assign_collective_ids_limit` allows.
    """
    setting = getattr(_config, _AUTOMATIC_IDS, None)
    mode = "no" if setting is None else setting.value
    if mode == "override":
        given = None
    elif given is not None and tag is not None:
        raise OptionError(
            f"expected a collective_id or a tag of get_barrier_semaphore, got {given} and {tag!r}",
            kernel=kernel_name,
            notes=["jax_pallas_auto_assign_collective_ids='override' ignores collective_id"],
        )
    mapping = getattr(context.module_context, "pallas_collective_id_mapping", None)
    if mapping is None:
        return given
    code = ("module", hash(body), skip_device_barrier)
    if given is not None:
        mapping.register_manual_id(code, given)
        return given
    if tag is None and (mode == "no" or not has_custom_barrier):
        return None
    number, is_new = mapping.get_or_allocate_id(code if tag is None else ("tag", tag, skip_device_barrier))
    limit = getattr(_config, f"{_AUTOMATIC_IDS}_limit").value
    if is_new and len(mapping.auto) > limit:
        raise OptionError(f"expected at most {limit} collective ids that JAX chooses, got more", kernel=kernel_name)
    return int(number)


def opt_level(name: str) -> Any:
    """JAX's enumerator of an optimization level, "O0" to "O3"; the name itself in a release that has none."""
    return name if OptLevel is None else OptLevel(name)


def tiling(use_tc_tiling: bool | None) -> Any:
    """The layout of operands of a SparseCore kernel, from JAX's configuration."""
    tilings = _tpu_custom_call.Tiling
    return tilings.SPARSE_CORE if use_tc_tiling is False else tilings.COMPACT


def _stored(aval: Any) -> Any:
    return aval.update(dtype=jnp.dtype("int32")) if aval.dtype == jnp.bool_ else aval


def _converted(context: Any, values: Sequence[Any], given: Sequence[Any], wanted: Sequence[Any]) -> Sequence[Any]:
    """MLIR values of the dtypes of `wanted`, which are those of `given` up to bools."""
    if all(old.dtype == new.dtype for old, new in zip(given, wanted, strict=True)):
        # JAX would trace a function of no equations, which takes as long as to walk a small kernel.
        return values
    cast = _mlir.lower_fun(lambda *xs: [_cast(x, aval) for x, aval in zip(xs, wanted, strict=True)])
    return cast(context.replace(avals_in=given, avals_out=wanted), *values)


def _cast(x: Any, aval: Any) -> Any:
    return x if x.dtype == aval.dtype else x.astype(aval.dtype)


def _with_mesh_axes(context: Any, effects: Any, metadata: Mapping[str, str] | None) -> dict[str, str]:
    """The author's metadata, and the axes of the mesh of devices that the kernel names."""
    known = dict(metadata or {})
    axis_context = context.module_context.axis_context
    if isinstance(axis_context, _sharding_impls.SPMDAxisContext):
        names = axis_context.mesh.axis_names
        axes = {e.name for e in effects if isinstance(e, _core.NamedAxisEffect) and e.name in names}
        if axes:
            known["mesh_axes"] = json.dumps(sorted(axes, key=str))
    return known
