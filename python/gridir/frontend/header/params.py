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
from gridir.frontend.request.options import backend_of
from gridir.frontend.request.unknown_fields import check_known
from gridir.mlir import ir


def to_attribute(value: Any) -> ir.Attribute:
    """Returns a Python value as a builtin attribute: bools, numbers, strings, enums, and sequences and dicts of them.

    Raises:
      OptionError: if the value is of another type.
    """
    match value:
        case bool():
            return ir.BoolAttr.get(value)
        case int() if not -(2**63) <= value < 2**63:
            return ir.Attribute.parse(f"{value} : i{value.bit_length() + 1}")
        case int():
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        case float():
            return ir.FloatAttr.get_f64(value)
        case str():
            return ir.StringAttr.get(value)
        case enum.Enum():
            return ir.StringAttr.get(enumerator(value))
        case None:
            return ir.UnitAttr.get()
        case Mapping():
            return ir.DictAttr.get({str(key): to_attribute(item) for key, item in value.items()})
        case tuple() | list():
            return ir.ArrayAttr.get([to_attribute(item) for item in value])
    raise OptionError(f"expected a value that MLIR can hold, got {value!r} of type {type(value).__name__}")


def enumerator(value: enum.Enum) -> str:
    """The name of an enumerator as attributes have it."""
    return value.value if isinstance(value.value, str) else value.name


def record_to_attribute(record: Any) -> ir.Attribute:
    """Returns the attribute of a record. A field is absent where it has the value that an absent field means.

    That value is the same with every release of JAX, so the attribute is too.

    Raises:
      OptionError: if the record is of no known backend, or a field has a value without an MLIR form.
      UnsupportedError: if a field is set that gridir does not know.
    """
    backend = backend_of(record)
    check_known(backend.record, record, backend.defaults)
    own = {field.name for field in dataclasses.fields(record)}
    fields = []
    for name, default in backend.defaults.items():
        if name not in own:
            continue
        value = getattr(record, name)
        plain = enumerator(value) if isinstance(value, enum.Enum) else value
        if plain != default or backend.is_always_written(name):
            fields.append(f"{name} = {to_attribute(value)}".replace(" : i64", ""))
    try:
        return ir.Attribute.parse(f"#grid.{backend.attribute}<{', '.join(fields)}>")
    except ir.MLIRError as error:
        reason = error.error_diagnostics[0].message if error.error_diagnostics else "it has no such value"
        raise OptionError(
            f"expected fields that {type(record).__qualname__} can hold, got {', '.join(fields)}: {reason}"
        ) from None
