# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of one thread, apart from the MLIR that it was emitted as: JAX has another one than gridir."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False)
class Block:
    """Ops one after another.

    Attributes:
      arguments: the numbers of the values that it is given.
      ops: the ops.
    """

    arguments: tuple[int, ...]
    ops: tuple[Op, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Op:
    """One op.

    Attributes:
      name: its name, with that of its dialect.
      operands, results: the numbers of values.
      operand_types, result_types: their types, as text.
      attributes: the attributes, as text.
      constant: the number of a constant, everywhere the same; None for every other op.
      regions: the block of each region; None for an empty one.
      text: the op as its author would read it.
    """

    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    operand_types: tuple[str, ...]
    result_types: tuple[str, ...]
    attributes: Mapping[str, str]
    constant: Any
    regions: tuple[Block | None, ...]
    text: str


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """An array that the threads hold.

    Attributes:
      shape: its sizes. tiled: the shape that tiles divide: the same, or that of all elements in a row. spread: its
      layout over registers and threads; an empty tile for one register with all elements.
      registers: the numbers of the values of a thread, in the order of its registers.
    """

    shape: tuple[int, ...]
    tiled: tuple[int, ...]
    spread: Any
    registers: tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Code:
    """The code that a function has emitted.

    Attributes:
      block: its code. The arguments are the registers of each operand that is an array, or the one Ref of others.
      results: the arrays that it gives.
    """

    block: Block
    results: tuple[Held, ...]
