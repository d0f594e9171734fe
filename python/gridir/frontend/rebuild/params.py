# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the attributes of a `grid.kernel` back to compiler parameters."""

from __future__ import annotations

import dataclasses
import enum
import importlib
from typing import Any

from gridir.errors import OptionError
from gridir.frontend.header.params import enumerator
from gridir.frontend.request.options import BACKENDS, Backend
from gridir.mlir import ir


def from_attribute(attribute: ir.Attribute) -> Any:
    """Returns the Python value that `to_attribute` made an attribute from; enums come back as strings."""
    if isinstance(attribute, ir.BoolAttr):
        return ir.BoolAttr(attribute).value
    if isinstance(attribute, ir.IntegerAttr):
        # The bindings know integers of 64 bits only.
        return int(str(attribute).partition(" ")[0])
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


_PUBLIC = {"mosaic_tpu": "tpu", "mosaic_gpu": "mosaic_gpu", "triton": "triton"}


def jax_record(backend: Backend) -> Any:
    """The class of JAX's record of a backend."""
    return importlib.import_module(f"jax.experimental.pallas.{_PUBLIC[backend.name]}").CompilerParams


def metadata_of(module: ir.Module) -> Any:
    """Returns the values of JSON that the author attached to the call of the kernel in a module; None for none."""
    kernels = [op.operation for op in module.body.operations if op.operation.name == "grid.kernel"]
    if len(kernels) != 1 or "metadata" not in kernels[0].attributes:
        return None
    return _to_json(from_attribute(kernels[0].attributes["metadata"]))


def _to_json(value: Any) -> Any:
    """Returns the value with lists for tuples, which JSON does not have."""
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return {key: _to_json(item) for key, item in value.items()} if isinstance(value, dict) else value


def _tpu_record(fields: dict[str, Any], own: bool) -> Any:
    from jax.experimental.pallas import tpu as pltpu

    from gridir import tpu
    from gridir.frontend.compat import jax_tpu

    effects = fields.get("has_side_effects")
    if isinstance(effects, str):
        fields["has_side_effects"] = pltpu.SideEffectType(effects)
    if "opt_level" in fields:
        fields["opt_level"] = jax_tpu.opt_level(fields["opt_level"])
    return (tpu if own else pltpu).CompilerParams(**fields)


def _mosaic_gpu_record(fields: dict[str, Any], own: bool) -> Any:
    from jax.experimental.pallas import mosaic_gpu as jax_mosaic_gpu

    from gridir import mosaic_gpu

    if "profile_trace_scope" in fields:
        fields["profile_trace_scope"] = jax_mosaic_gpu.TraceScope(fields["profile_trace_scope"])
    if "lowering_semantics" in fields:
        fields["lowering_semantics"] = jax_mosaic_gpu.LoweringSemantics[fields["lowering_semantics"]]
    return (mosaic_gpu if own else jax_mosaic_gpu).CompilerParams(**fields)


def _triton_record(fields: dict[str, Any], _: bool) -> Any:
    from jax.experimental.pallas import triton

    return triton.CompilerParams(**fields)


def _plain(value: Any) -> Any:
    return enumerator(value) if isinstance(value, enum.Enum) else value


# For each backend of Pallas the constructor of its record: gridir's own, or else JAX's.
_MAKERS = {"mosaic_tpu": _tpu_record, "mosaic_gpu": _mosaic_gpu_record, "triton": _triton_record}


def record_from_attribute(attribute: ir.Attribute) -> Any:
    """Returns the record that an attribute holds: JAX's own, or gridir's where only that one has a field which is set.

    A field that is absent has the same value with every release of JAX.

    Raises:
      OptionError: if it is not an attribute of compiler parameters.
    """
    text = str(attribute)
    for backend in BACKENDS:
        prefix = f"#grid.{backend.attribute}<"
        if text.startswith(prefix):
            # The fields stand in the attribute as in a dictionary.
            fields = from_attribute(ir.Attribute.parse("{" + text[len(prefix) : -1] + "}", attribute.context))
            defaults = {field.name: _plain(field.default) for field in dataclasses.fields(jax_record(backend))}
            for name, absent in backend.defaults.items():
                if name not in fields and defaults.get(name, absent) != absent:
                    fields[name] = absent
            return _MAKERS[backend.name](fields, any(name not in defaults for name in fields))
    raise OptionError(f"expected an attribute of compiler parameters, got {attribute}")
