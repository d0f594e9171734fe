# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiler parameters as attributes of a `grid.kernel`, and back."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError
from gridir.frontend.options import BACKENDS, Backend, backend_of
from gridir.mlir import ir


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
    try:
        return ir.Attribute.parse(f"#grid.{backend.attribute}<{', '.join(fields)}>")
    except ir.MLIRError as error:
        reason = error.error_diagnostics[0].message if error.error_diagnostics else "it has no such value"
        raise OptionError(
            f"expected fields that {type(record).__qualname__} can hold, got {', '.join(fields)}: {reason}"
        ) from None


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
