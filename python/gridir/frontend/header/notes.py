# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries of a kernel's attribute `jax`, and the Python objects that MLIR cannot hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridir.frontend.compat import jax_core
from gridir.frontend.header import params
from gridir.mlir import ir


@dataclasses.dataclass
class SideTable:
    """The Python objects of one GridMapping that MLIR cannot hold, by the name of their field."""

    objects: dict[str, Any] = dataclasses.field(default_factory=dict)


class Notes:
    """Collects the entries of the attribute `jax` and the side table."""

    def __init__(self, side_table: SideTable | None):
        self.objects: dict[str, Any] = {}
        self.entries: dict[str, ir.Attribute] = {}
        self.meshes: list[tuple[dict[str, Any], list[str]]] = []
        self.side_table = side_table

    def object(self, field: str, value: Any) -> None:
        """Records a field that is a Python object."""
        self.objects[field] = value

    def mesh(self, field: str, aval: Any, whole: Any) -> None:
        """Records the mesh information of an array; `whole` is the value of the field."""
        if jax_core.is_plain_sharding(aval):
            return
        known = jax_core.mesh_of(aval)
        if known is None:
            self.object(field, whole)
            return
        for other, found in self.meshes:
            if other == known:
                found.append(field)
                return
        self.meshes.append((known, [field]))

    def text(self, key: str, values: Mapping[str, str] | str) -> None:
        """Records an entry unless it is empty."""
        if values:
            self.entries[key] = params.to_attribute(values)

    def finish(self) -> dict[str, ir.Attribute]:
        """Returns the entries, and leaves the objects in the side table."""
        if self.meshes:
            self.entries["meshes"] = params.to_attribute([known | {"of": found} for known, found in self.meshes])
        if self.objects:
            self.entries["objects"] = params.to_attribute(tuple(self.objects))
        if self.side_table is not None:
            self.side_table.objects = self.objects
        return self.entries
