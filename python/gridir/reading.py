# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading files that another program may have changed, so that each fault is an error of gridir.

This file imports only Python's standard library.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gridir.errors import Error

Kind = type | tuple[type, ...]
"""The type of a value, or all that it may have."""


@contextlib.contextmanager
def reading(error: type[Error], expected: str, **kwargs: Any) -> Iterator[None]:
    """Raises an error for contents that the block cannot read.

    The libraries that read archives, JSON and arrays raise exceptions of many classes for damaged contents: those of
    their own modules, OSError for a position before the start of a file, RecursionError and MemoryError.

    Args:
      error: the class of the error; errors of this class pass unchanged.
      expected: the beginning of the message.
      **kwargs: further arguments of the error.

    Raises:
      Error: of the class, with the text of the exception.
    """
    try:
        yield
    except error:
        raise
    except Exception as fault:
        raise error(f"{expected}: {str(fault) or type(fault).__name__}", **kwargs) from None


def check_fields(record: Any, kinds: Mapping[str, Kind]) -> None:
    """Checks that an object of JSON has exactly some fields, and their types. A bool is no number.

    Args:
      record: the object.
      kinds: the types of each field.

    Raises:
      ValueError: for another value.
    """
    if not isinstance(record, dict):
        raise ValueError(f"expected an object with {', '.join(kinds)}, got {record!r:.80}")
    for name in sorted(set(record) ^ set(kinds)):
        state = "without" if name in kinds else "with"
        raise ValueError(f"expected an object with {', '.join(kinds)}, got one {state} {name!r}")
    for name, kind in kinds.items():
        check_value(name, record[name], kind)


def check_value(name: str, value: Any, kind: Kind) -> None:
    """Checks the type of a value of JSON. A bool is no number, and neither is NaN.

    Raises:
      ValueError: for another value.
    """
    allowed = kind if isinstance(kind, tuple) else (kind,)
    is_bool = isinstance(value, bool) and bool not in allowed
    if is_bool or not isinstance(value, allowed) or (isinstance(value, float) and math.isnan(value)):
        names = " or ".join("None" if each is type(None) else each.__name__ for each in allowed)
        raise ValueError(f"expected {name} of type {names}, got {value!r:.80}")


def check_items(name: str, values: Sequence[Any], kind: Kind) -> None:
    """Checks the types of the items of a list, as `check_value`.

    Raises:
      ValueError: for another value.
    """
    for value in values:
        check_value(f"an item of {name}", value, kind)
