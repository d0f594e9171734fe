# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler parameters of JAX's three Pallas backends, as records and as attributes of a `grid.kernel`.

One table says which fields there are; the records of `gridir.tpu` and `gridir.mosaic_gpu` add to JAX's those fields
that other releases of JAX document.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError
from gridir.mlir import ir


@dataclasses.dataclass(frozen=True)
class Backend:
    """One backend of Pallas: its name as `pallas_call` knows it, and its record of parameters.

    Attributes:
      name: "mosaic_tpu", "mosaic_gpu" or "triton".
      attribute: the mnemonic of the record's attribute in the `grid` dialect.
      module: the module of JAX that defines the record.
      fields: every field of the record; a field that this JAX lacks is one of gridir's own front door.
      extra: those of `fields` that only gridir's record has.
    """

    name: str
    attribute: str
    module: str
    fields: tuple[str, ...]
    extra: tuple[str, ...] = ()


BACKENDS = (
    Backend(
        "mosaic_tpu",
        "tpu_params",
        "jax._src.pallas.mosaic.core",
        (
            "dimension_semantics",
            "allow_input_fusion",
            "vmem_limit_bytes",
            "collective_id",
            "has_side_effects",
            "flags",
            "internal_scratch_in_bytes",
            "serialization_format",
            "kernel_type",
            "disable_bounds_checks",
            "disable_semaphore_checks",
            "skip_device_barrier",
            "allow_collective_id_without_custom_barrier",
            "shape_invariant_numerics",
            "use_tc_tiling_on_sc",
            "needs_layout_passes",
            "fuse_transposed_lhs_in_matmul",
        ),
        extra=("kernel_type",),
    ),
    Backend(
        "mosaic_gpu",
        "mosaic_gpu_params",
        "jax._src.pallas.mosaic_gpu.core",
        (
            "approx_math",
            "dimension_semantics",
            "max_concurrent_steps",
            "delay_release",
            "unsafe_no_auto_barriers",
            "reduction_scratch_bytes",
            "profile_space",
            "profile_dir",
            "profile_trace_scope",
            "lowering_semantics",
        ),
        extra=("delay_release",),
    ),
    Backend("triton", "triton_params", "jax._src.pallas.triton.core", ("num_warps", "num_stages")),
)

# Other names that people and JAX's documentation use for a backend.
_ALIASES = {"tpu": "mosaic_tpu", "gpu": "mosaic_gpu", "mosaic": "mosaic_tpu"}


def find_backend(name: str) -> Backend:
    """Returns the backend of that name.

    Raises:
      OptionError: if there is none.
    """
    for backend in BACKENDS:
        if backend.name == _ALIASES.get(name, name):
            return backend
    known = ", ".join(backend.name for backend in BACKENDS)
    raise OptionError(f"expected a backend of Pallas ({known}), got {name!r}")


def backend_of(record: Any) -> Backend:
    """Returns the backend that a record of compiler parameters belongs to.

    Raises:
      OptionError: if it is none of JAX's records nor derived from one.
    """
    modules = {cls.__module__ for cls in type(record).__mro__}
    for backend in BACKENDS:
        if backend.module in modules:
            return backend
    raise OptionError(
        f"expected the CompilerParams of a Pallas backend, got {type(record).__module__}.{type(record).__qualname__}"
    )


@dataclasses.dataclass(frozen=True)
class CallOptions:
    """What a front door of gridir passes through JAX in the place of `compiler_params`.

    Attributes:
      records: pairs of a backend's name and its record of parameters.
      backend: the backend that the author named, or None.
      debug: whether the author asked for the kernel to be printed.
    """

    records: tuple[tuple[str, Any], ...] = ()
    backend: str | None = None
    debug: bool = False

    def replace(self, **changes: Any) -> CallOptions:
        """Changes fields of this record, or a field of every backend's record that has it."""
        own = {field.name for field in dataclasses.fields(self)}
        if changes.keys() <= own:
            return dataclasses.replace(self, **changes)
        records = []
        for name, record in self.records:
            known = {k: v for k, v in changes.items() if hasattr(record, k)}
            records.append((name, dataclasses.replace(record, **known)))
        return dataclasses.replace(self, records=tuple(records))


def make_options(compiler_params: Any, backend: str | None = None, debug: bool = False) -> Any:
    """Returns what to pass to JAX as `compiler_params`: the record itself where that says everything.

    Args:
      compiler_params: a record, a mapping from backend name to record, or None.
      backend: the backend that the author named: one of Pallas', or "cpu".
      debug: whether the kernel is to be printed.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.
    """
    if backend is not None and backend != "cpu":
        backend = find_backend(backend).name
    if not isinstance(compiler_params, Mapping):
        if backend is None and not debug:
            return compiler_params
        records = records_of(compiler_params)
    else:
        records = records_of(compiler_params)
    return CallOptions(tuple(sorted(records.items(), key=lambda item: item[0])), backend, debug)


def records_of(compiler_params: Any) -> dict[str, Any]:
    """Returns the record of each backend that an author gave parameters for.

    Args:
      compiler_params: a record, a mapping from backend name to record, `CallOptions`, or None.

    Raises:
      OptionError: if a backend is unknown, or a record is not that of its backend.
    """
    if compiler_params is None:
        return {}
    if isinstance(compiler_params, CallOptions):
        return dict(compiler_params.records)
    if not isinstance(compiler_params, Mapping):
        return {backend_of(compiler_params).name: compiler_params}
    records = {}
    for name, record in compiler_params.items():
        backend = find_backend(name)
        if backend_of(record) is not backend:
            raise OptionError(f"expected the CompilerParams of {backend.name}, got those of {backend_of(record).name}")
        records[backend.name] = record
    return records


def record_for(compiler_params: Any, platform: str) -> Any:
    """Returns the record that JAX's own lowering for a platform takes, or None.

    `platform` is one of "tpu", "cuda" and "rocm".
    """
    records = records_of(compiler_params)
    if platform == "tpu":
        return records.get("mosaic_tpu")
    named = getattr(compiler_params, "backend", None)
    return records.get(named) if named in records else records.get("mosaic_gpu", records.get("triton"))


# ----------------------------------------------------------------------------------------------------------------------
# Attributes
# ----------------------------------------------------------------------------------------------------------------------


def to_attribute(value: Any) -> ir.Attribute:
    """Returns a Python value as a builtin attribute: bools, numbers, strings, enums, and sequences and dicts of them.

    Raises:
      OptionError: if the value is of another type.
    """
    match value:
        case bool():
            return ir.BoolAttr.get(value)
        case int():
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        case float():
            return ir.FloatAttr.get_f64(value)
        case str():
            return ir.StringAttr.get(value)
        case enum.Enum():
            return ir.StringAttr.get(value.value if isinstance(value.value, str) else value.name)
        case None:
            return ir.UnitAttr.get()
        case Mapping():
            return ir.DictAttr.get({str(key): to_attribute(item) for key, item in value.items()})
        case tuple() | list():
            return ir.ArrayAttr.get([to_attribute(item) for item in value])
    raise OptionError(f"expected a value that MLIR can hold, got {value!r} of type {type(value).__name__}")


def from_attribute(attribute: ir.Attribute) -> Any:
    """Returns the Python value that `to_attribute` made an attribute from; enums come back as strings."""
    if isinstance(attribute, ir.BoolAttr):
        return ir.BoolAttr(attribute).value
    if isinstance(attribute, ir.IntegerAttr):
        return ir.IntegerAttr(attribute).value
    if isinstance(attribute, ir.FloatAttr):
        return ir.FloatAttr(attribute).value
    if isinstance(attribute, ir.StringAttr):
        return ir.StringAttr(attribute).value
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.ArrayAttr):
        return tuple(from_attribute(item) for item in ir.ArrayAttr(attribute))
    if isinstance(attribute, ir.DictAttr):
        return {item.name: from_attribute(item.attr) for item in ir.DictAttr(attribute)}
    raise OptionError(f"expected a builtin attribute, got {attribute}")


def _defaults(record: Any) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(record)}


def record_to_attribute(record: Any) -> ir.Attribute:
    """Returns the attribute of a record; a field with its default value is absent.

    Raises:
      OptionError: if the record is of no known backend, or a field holds what MLIR cannot.
    """
    backend = backend_of(record)
    defaults = _defaults(record)
    fields = []
    for name in backend.fields:
        value = getattr(record, name, None)
        if value != defaults.get(name):
            fields.append(f"{name} = {to_attribute(value)}".replace(" : i64", ""))
    return ir.Attribute.parse(f"#grid.{backend.attribute}<{', '.join(fields)}>")


def record_from_attribute(attribute: ir.Attribute) -> Any:
    """Returns the record that an attribute holds: JAX's own, or gridir's where only that one has a field which is set.

    Raises:
      OptionError: if it is not an attribute of compiler parameters.
    """
    text = str(attribute)
    for backend in BACKENDS:
        prefix = f"#grid.{backend.attribute}<"
        if text.startswith(prefix):
            # The fields stand in the attribute as in a dictionary.
            fields = from_attribute(ir.Attribute.parse("{" + text[len(prefix) : -1] + "}", attribute.context))
            return _make_record(backend, fields)
    raise OptionError(f"expected an attribute of compiler parameters, got {attribute}")


def _make_record(backend: Backend, fields: dict[str, Any]) -> Any:
    own = any(name in fields for name in backend.extra)
    if backend.name == "mosaic_tpu":
        from jax.experimental.pallas import tpu as jax_tpu

        from gridir import tpu

        effects = fields.get("has_side_effects")
        if isinstance(effects, str):
            fields["has_side_effects"] = jax_tpu.SideEffectType(effects)
        return (tpu if own else jax_tpu).CompilerParams(**fields)
    if backend.name == "mosaic_gpu":
        from jax.experimental.pallas import mosaic_gpu as jax_mosaic_gpu

        from gridir import mosaic_gpu

        if "profile_trace_scope" in fields:
            fields["profile_trace_scope"] = jax_mosaic_gpu.TraceScope(fields["profile_trace_scope"])
        if "lowering_semantics" in fields:
            fields["lowering_semantics"] = jax_mosaic_gpu.LoweringSemantics[fields["lowering_semantics"]]
        return (mosaic_gpu if own else jax_mosaic_gpu).CompilerParams(**fields)
    from jax.experimental.pallas import triton

    return triton.CompilerParams(**fields)
