# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on integers that are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gridir.simt.values import Index, Known

# The order is that of the predicates' numbers.
_COMPARE: tuple[Callable[[Index, Index], Index], ...] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)
_FIRST_SIGNED, _FIRST_UNSIGNED = 2, 6


def _truncating(divide: Callable[[Index, Index], Index]) -> Callable[[Index, Index], Index]:
    """A division of signed numbers that goes towards zero."""

    def divided(a: Index, b: Index) -> Index:
        quotient = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
        return quotient if divide is np.floor_divide else a - b * quotient

    return divided


_SIGNED: dict[str, Callable[..., Index]] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "shli": np.left_shift,
    "shrsi": np.right_shift,
    "divsi": _truncating(np.floor_divide),
    "remsi": _truncating(np.remainder),
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "extsi": lambda a: a,
    "index_cast": lambda a: a,
    "trunci": lambda a: a,
}
_UNSIGNED: dict[str, Callable[..., Index]] = {
    "divui": np.floor_divide,
    "remui": np.remainder,
    "shrui": np.right_shift,
    "minui": np.minimum,
    "maxui": np.maximum,
    "extui": lambda a: a,
    "index_castui": lambda a: a,
}
_OF_LLVM = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "udiv": "divui",
    "sdiv": "divsi",
    "urem": "remui",
    "srem": "remsi",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "shl": "shli",
    "lshr": "shrui",
    "ashr": "shrsi",
    "zext": "extui",
    "sext": "extsi",
    "trunc": "trunci",
    "icmp": "cmpi",
    "select": "select",
}
"""The equivalents in `arith` of integer ops of `llvm`."""


def in_arith(name: str) -> str:
    """The name of an op in `arith`, where it is one on integers of `llvm`; else the name itself."""
    dialect, _, op = name.partition(".")
    return f"arith.{_OF_LLVM[op]}" if dialect == "llvm" and op in _OF_LLVM else name


def width_of(type_: str) -> int | None:
    """The number of bits of an integer type; an index has those of an address of a GPU. None for any other type."""
    if type_ == "index":
        return 64
    return int(type_[1:]) if type_[0] == "i" and type_[1:].isdigit() else None


def wrapped(numbers: Index, width: int) -> Index:
    """Numbers as a signed integer of this width holds them; truth values are 0 and 1."""
    if width == 1:
        return numbers & 1
    if width >= 64:
        return numbers
    return ((numbers + (1 << width - 1)) & ((1 << width) - 1)) - (1 << width - 1)


def _unsigned(numbers: Index, width: int) -> Index:
    return numbers & ((1 << width) - 1) if width < 64 else numbers


def fold(name: str, operands: Sequence[Known], type_: str, predicate: int | None) -> Known | None:
    """Folds an op on constants; None if it cannot be folded here.

    Args:
      name: the name of the op, of `arith`.
      operands: the numbers.
      type_: the type of one lane of the result, as text.
      predicate: the number of the predicate of a comparison.
    """
    op = name.removeprefix("arith.")
    widths = [width_of(x.type) for x in operands]
    width = width_of(type_)
    if op == "select" and len(operands) == 3:
        return Known(np.where(operands[0].numbers != 0, operands[1].numbers, operands[2].numbers), type_)
    if width is None or None in widths:
        return None
    numbers = [x.numbers for x in operands]
    bits = widths[0] or 0
    unsigned = op in _UNSIGNED or (op == "cmpi" and predicate is not None and predicate >= _FIRST_UNSIGNED)
    if unsigned:
        numbers = [_unsigned(x, bits) for x in numbers]
        if bits >= 64 and any((x < 0).any() for x in numbers):
            return None
    if op in ("minsi", "maxsi", "shrsi", "divsi", "remsi") and bits == 1:
        return None
    if op == "cmpi":
        if predicate is None or (bits == 1 and _FIRST_SIGNED <= predicate < _FIRST_UNSIGNED):
            return None
        return Known(_COMPARE[predicate](*numbers).astype(np.int64), type_)
    function = _SIGNED.get(op) or _UNSIGNED.get(op)
    if function is None:
        return None
    if op in ("divui", "remui", "divsi", "remsi") and (numbers[1] == 0).any():
        return None
    if op in ("shli", "shrsi", "shrui") and ((numbers[1] < 0) | (numbers[1] >= bits)).any():
        return None
    if op in ("extsi", "trunci", "index_cast") and widths[0] == 1:
        numbers = [-numbers[0]]
    return Known(wrapped(function(*numbers), width), type_)
