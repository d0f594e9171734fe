# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiler parameters as attributes of a `grid.kernel`; `records.py` has the way back."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from gridir.errors import OptionError
from gridir.frontend.options import backend_of
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
