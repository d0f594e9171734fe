# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The handlers of ops, by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gridir.simt.code import Op
from gridir.simt.memory import Pointer, Window
from gridir.simt.values import Known, Value

if TYPE_CHECKING:
    from gridir.simt.execution import Execution

LANES = 32
"""The threads of a warp."""


@dataclasses.dataclass(frozen=True, eq=False)
class Struct:
    """The results of inline assembly with several results.

    Attributes:
      values: the results.
    """

    values: tuple[Value, ...]


Anything: TypeAlias = Value | Window | Pointer | Struct
"""The kinds of values of inline code."""

Handler: TypeAlias = "Callable[[Execution, Op], list[Anything] | None]"
"""Executes an op; returns its results."""

HANDLERS: dict[str, Handler] = {}
"""The handler of each op that is not elementwise."""


def handles(*names: str) -> Callable[[Any], Any]:
    """Registers a function as the handler of ops with these names."""

    def register(function: Any) -> Any:
        for name in names:
            HANDLERS[name] = function
        return function

    return register


def known_number(number: int, op: Op, type_: str | None = None) -> Known:
    """A number that is the same in all threads.

    Args:
      number: the number.
      op: the op that gives it.
      type_: its type, as text; that of the op's result where it is not given.
    """
    return Known(np.full((1, 1, 1), number, np.int64), type_ or op.result_types[0])
