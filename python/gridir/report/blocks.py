# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The block of each operand that each program reads or writes, and properties of the kernel that follow."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jax.experimental import pallas as pl

from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import shared_context
from gridir.errors import UnsupportedError
from gridir.frontend.compat import jax_interpret
from gridir.mlir import ir
from gridir.mlir.dialects import grid

MAX_PROGRAMS = 4096
"""The maximum number of programs, in grid order, whose blocks a report shows."""


@dataclasses.dataclass(frozen=True)
class Dimension:
    """A dimension of the grid.

    Attributes:
      size: how many programs there are along it; None where only a call knows.
      name: the author's name, or None.
      semantics: the author's claim about its order: "parallel", "arbitrary", or "" for none.
      kind: "cluster" or "thread" for such an axis of a mesh; "" for any other.
    """

    size: int | None
    name: str | None
    semantics: str
    kind: str


@dataclasses.dataclass(frozen=True)
class OperandBlocks:
    """The blocks of one operand, by program in grid order.

    Attributes:
      name: the Ref's name in the kernel function.
      role: "input" or "output".
      dtype: of the array.
      shape: of the array.
      block: of the block, in elements; squeezed dimensions are 1.
      starts: the first element of each program's block; None if it is unknown, and `unknown` says why.
      unknown: why the blocks are not known; empty where they are.
    """

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...]
    block: tuple[int, ...]
    starts: np.ndarray | None = dataclasses.field(repr=False, compare=False)
    unknown: str = ""

    @property
    def itemsize(self) -> float:
        """Bytes of an element; half a one for types of four bits."""
        digits = "".join(c for c in self.dtype.partition("_")[0] if c.isdigit())
        bits = 8 if self.dtype == "bool" or self.dtype.startswith("float8") else int(digits[:3] or 32)
        return bits / 8

    @property
    def is_whole(self) -> bool:
        """True if every program has the whole array."""
        return self.block == self.shape

    def statistics(self) -> dict[str, int | None]:
        """Returns statistics about the blocks of all programs for the operand.

        Returns:
          `distinct` blocks; `fetches`, the steps at which the block is another one than before; `revisits`, those at
          which it is one that was left before; `overhang`, the most elements of a block that are outside of the array;
          `shared`, elements that several distinct blocks have; `untouched`, those that none has. The last two are None
          where there are too many to count.
        """
        if self.starts is None or not len(self.starts):
            return {}
        changes = np.ones(len(self.starts), bool)
        changes[1:] = (self.starts[1:] != self.starts[:-1]).any(axis=1)
        distinct = np.unique(self.starts, axis=0)
        block, shape = np.array(self.block, np.int64), np.array(self.shape, np.int64)
        inside = np.clip(np.minimum(distinct + block, shape) - np.maximum(distinct, 0), 0, None).prod(axis=1)
        untouched = self._count_untouched(distinct)
        return {
            "distinct": len(distinct),
            "fetches": int(changes.sum()),
            "revisits": int(changes.sum()) - len(distinct),
            "overhang": int((math.prod(self.block) - inside).max()),
            "shared": None if untouched is None else int(inside.sum()) - math.prod(self.shape) + untouched,
            "untouched": untouched,
        }

    def _count_untouched(self, distinct: np.ndarray) -> int | None:
        if math.prod(self.shape) > _MAX_COUNTED:
            return None
        touched = np.zeros(self.shape, bool)
        for start in distinct.tolist():
            touched[tuple(slice(max(s, 0), max(s + b, 0)) for s, b in zip(start, self.block, strict=True))] = True
        return int(touched.size - touched.sum())


# Elements of an array that are looked at one by one.
_MAX_COUNTED = 1 << 24


@dataclasses.dataclass(frozen=True)
class Grid:
    """A grid and the blocks of its operands.

    Attributes:
      dimensions: from the slowest to the fastest.
      programs: how many programs there are; None where only a call knows.
      operands: their blocks, for the first `MAX_PROGRAMS` programs.
    """

    dimensions: tuple[Dimension, ...]
    programs: int | None
    operands: tuple[OperandBlocks, ...]

    @property
    def shown(self) -> int:
        """The number of programs whose blocks are known."""
        return min(self.programs or 0, MAX_PROGRAMS)

    def to_json(self) -> dict[str, Any]:
        """The record for `json.dumps`."""
        return {
            "dimensions": [dataclasses.asdict(dimension) for dimension in self.dimensions],
            "programs": self.programs,
            "shown": self.shown,
            "operands": [
                {
                    "name": operand.name,
                    "role": operand.role,
                    "dtype": operand.dtype,
                    "shape": list(operand.shape),
                    "block": list(operand.block),
                    "starts": None if operand.starts is None else operand.starts.tolist(),
                    "unknown": operand.unknown,
                    "statistics": operand.statistics(),
                }
                for operand in self.operands
            ],
        }


def read_grid(kernel: Kernel, scalars: Sequence[np.ndarray] | None) -> Grid:
    """Returns the grid of a kernel that came from JAX.

    Args:
      kernel: the kernel.
      scalars: the prefetched operands of this run; None where nothing has run.
    """
    mapping: Any = kernel.grid_mapping
    sizes = [int(size) if isinstance(size, int | np.integer) else None for size in mapping.grid]
    names = [None] * (len(sizes) - len(mapping.grid_names or ())) + list(mapping.grid_names or ())
    attributes = _attributes(kernel)
    semantics = [*_semantics(attributes), *[""] * len(sizes)]
    dimensions = [
        Dimension(size, None if name is None else str(name), order, kind)
        for size, name, order, kind in zip(sizes, names, semantics, _kinds(attributes), strict=False)
    ]
    known = [size for size in sizes if size is not None]
    programs = math.prod(known) if len(known) == len(sizes) else None
    ids = None if programs is None else _first_programs(known)
    roles = ["input"] * mapping.num_inputs + ["output"] * mapping.num_outputs
    operands = [
        _read_operand(block, name, role, ids, scalars)
        for block, name, role in zip(mapping.block_mappings, operand_names(attributes), roles, strict=True)
    ]
    return Grid(tuple(dimensions), programs, tuple(operands))


def _attributes(kernel: Kernel) -> dict[str, ir.Attribute]:
    """The attributes of the `grid.kernel`, which live as long as their context; the op lives as long as its module."""
    module = kernel.module(context=shared_context())
    (op,) = [op.operation for op in module.body.operations if op.operation.name == "grid.kernel"]
    return {name: op.attributes[name] for name in op.attributes}


def operand_names(
    attributes: Mapping[str, ir.Attribute] | ir.OpAttributeMap, roles: Sequence[str] = ("inputs", "outputs")
) -> list[str]:
    """Returns the author's names of the operands of a `grid.kernel`.

    Args:
      attributes: those of the op.
      roles: which operands, of "index_operands", "inputs" and "outputs".
    """
    arrays = [ir.ArrayAttr(attributes[role]) for role in roles if role in attributes]
    return [grid.OperandAttr(operand).origin for operands in arrays for operand in operands]


def scalar_names(kernel: Kernel) -> list[str]:
    """Returns the author's names of the prefetched operands of a kernel."""
    return operand_names(_attributes(kernel), ("index_operands",))


def _kinds(attributes: Mapping[str, ir.Attribute]) -> list[str]:
    kinds = [str(grid.DimAttr(dim).kind) for dim in ir.ArrayAttr(attributes["dims"])]
    return [kind if kind in ("cluster", "thread") else "" for kind in kinds]


def _semantics(attributes: Mapping[str, ir.Attribute]) -> list[str]:
    """Returns the author's claims about the order of dimensions, which may be fewer than the grid has."""
    if "semantics" not in attributes:
        return []
    return [str(item).rpartition("<")[2].removesuffix(">") for item in ir.ArrayAttr(attributes["semantics"])]


def _first_programs(sizes: Sequence[int]) -> np.ndarray:
    """The program ids of the first programs in grid order, one row for each."""
    first = np.arange(min(math.prod(sizes), MAX_PROGRAMS))
    ids = np.unravel_index(first, sizes) if sizes else ()
    return np.stack(ids, axis=1).astype(np.int32) if sizes else np.zeros((1, 0), np.int32)


def _read_operand(
    block: Any, name: str, role: str, ids: np.ndarray | None, scalars: Sequence[np.ndarray] | None
) -> OperandBlocks:
    shape = tuple(int(size) if isinstance(size, int | np.integer) else 0 for size in block.array_aval.shape)
    sizes = tuple(1 if isinstance(dim, pl.Squeezed) else int(dim.block_size) for dim in block.block_shape)
    operand = OperandBlocks(name, role, str(block.array_aval.dtype), shape, sizes, None)
    if not all(isinstance(size, int | np.integer) for size in block.array_aval.shape):
        return dataclasses.replace(operand, unknown="the sizes of the array are known when it is called")
    if ids is None:
        return dataclasses.replace(operand, unknown="the sizes of the grid are known when it is called")
    if operand.is_whole:
        return dataclasses.replace(operand, starts=np.zeros((len(ids), len(shape)), np.int64))
    try:
        starts = jax_interpret.block_starts(block, ids, scalars or ())
    except UnsupportedError as error:
        return dataclasses.replace(operand, unknown=error.message)
    return dataclasses.replace(operand, starts=starts)
