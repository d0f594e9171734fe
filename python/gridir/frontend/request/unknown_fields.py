# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that a release of JAX has and that gridir does not know: an error where they are set, never dropped."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Mapping
from typing import Any

from gridir.errors import UnsupportedError
from gridir.frontend.compat.releases import NEWEST, OLDEST, text

_NOTE = f"gridir knows the fields of JAX {text(OLDEST)} to {text(NEWEST)}"


READ: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "Mesh": "grid grid_names cluster cluster_names num_threads thread_name kernel_name",
        "WarpMesh": "axis_name",
        "TensorCoreMesh": "axis_name num_cores devices axis_names",
        "ScalarSubcoreMesh": "axis_name num_cores",
        "VectorSubcoreMesh": "core_axis_name subcore_axis_name num_cores num_subcores",
        "BarrierType": "num_arrivals orders_tensor_core",
        "ClusterBarrierType": "num_arrivals orders_tensor_core collective_axes leader_tracked",
    }.items()
}
"""The fields of meshes and of the dtypes of barriers, which are in no table: all of them are read."""


@functools.lru_cache(maxsize=64)
def _unknown(cls: type, known: frozenset[str]) -> tuple[tuple[str, Any], ...]:
    """The fields of a class of records that are not known, each with its default."""
    fields = [field for field in dataclasses.fields(cls) if field.name not in known]
    return tuple((field.name, _default(field)) for field in fields)


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default


def check_known(owner: str, record: Any, known: Collection[str], kernel: str | None = None) -> None:
    """Refuses a record with a field that is not known and does not have its default.

    Args:
      owner: the name of the record for the message.
      record: the record, of a dataclass of JAX or one that is derived from it.
      known: the names of the fields that are known.
      kernel: the name of the kernel for the message.

    Raises:
      UnsupportedError: naming the field and its value.
    """
    for name, default in _unknown(type(record), frozenset(known)):
        value = getattr(record, name)
        if value is not default and value != default:
            raise UnsupportedError(
                f"expected fields of {owner} that gridir knows, got {name}={value!r}", kernel=kernel, notes=[_NOTE]
            )


def check_read(record: Any) -> None:
    """Refuses a mesh or a dtype of barriers with a field that is not read and does not have its default.

    Raises:
      UnsupportedError: naming the field and its value.
    """
    name = next((cls.__name__ for cls in type(record).__mro__ if cls.__name__ in READ), None)
    if name is not None:
        check_known(name, record, READ[name])


def check_known_params(owner: str, params: Mapping[str, Any], known: Collection[str], kernel: str | None) -> None:
    """Refuses an equation with a parameter that is not known, unless that is empty, zero, False or None.

    Raises:
      UnsupportedError: naming the parameter and its value.
    """
    for name, value in params.items():
        if name not in known and not (value is None or value is False or value in ((), {}, 0)):
            raise UnsupportedError(
                f"expected parameters of {owner} that gridir knows, got {name}={value!r}", kernel=kernel, notes=[_NOTE]
            )
