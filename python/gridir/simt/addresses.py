# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses, loads and stores."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING

import numpy as np

from gridir import emit
from gridir.mlir import ir
from gridir.simt import integers
from gridir.simt.code import Op
from gridir.simt.handlers import Anything, Struct, handles, known_number
from gridir.simt.lanes import bitcast
from gridir.simt.memory import Operand, Pointer, Window
from gridir.simt.values import (
    Index,
    Known,
    Refusal,
    Uniform,
    bits_of,
    lanes_and_element,
)

if TYPE_CHECKING:
    from gridir.simt.execution import Execution


@handles("builtin.unrealized_conversion_cast", "memref.cast")
def _cast(run: Execution, op: Op) -> list[Anything]:
    if len(op.operands) != 1 or len(op.results) != 1 or not isinstance(run.values[op.operands[0]], Window):
        raise Refusal("expected a Ref, or an address in one")
    return [run.values[op.operands[0]]]


def window_of(run: Execution, number: int) -> Window:
    """An operand that is a Ref, or a part of one."""
    window = run.values[number]
    if not isinstance(window, Window):
        raise Refusal("expected a Ref, or an address in one")
    return window


@handles("llvm.extractvalue")
def _field(run: Execution, op: Op) -> list[Anything]:
    field = re.findall(r"\d+", op.attributes["position"].partition(":")[2])
    whole = run.values[op.operands[0]]
    if isinstance(whole, Struct) and len(field) == 1:
        return [whole.values[int(field[0])]]
    window = window_of(run, op.operands[0])
    if field in (["0"], ["1"]):
        # The aligned address is that of the Ref; the offset is a separate operand.
        return [Pointer(window, np.zeros((1, 1, 1), np.int64))]
    if field == ["2"] and isinstance(window.offset, int):
        return [known_number(window.offset, op)]
    raise Refusal("expected a Ref, or an address in one")


@handles("llvm.add")
def _add_to_address(run: Execution, op: Op) -> list[Anything]:
    a, b = (run.values[number] for number in op.operands)
    if isinstance(b, Pointer):
        a, b = b, a
    if isinstance(a, Pointer) and isinstance(b, Known) and op.name == "llvm.add":
        return [Pointer(a.window, a.bits + b.numbers * 8)]
    return [run.elementwise(integers.in_arith(op.name), op)]


@handles("llvm.ptrtoint", "llvm.inttoptr")
def _same_address(run: Execution, op: Op) -> list[Anything]:
    pointer = run.values[op.operands[0]]
    if not isinstance(pointer, Pointer):
        raise Refusal("expected a Ref, or an address in one")
    return [pointer]


@handles("llvm.getelementptr")
def _element_address(run: Execution, op: Op) -> list[Anything]:
    pointer = _same_address(run, op)[0]
    static = list(map(int, re.findall(r"-?\d+", op.attributes["rawConstantIndices"].partition(":")[2])))
    lanes, element = lanes_and_element(op.attributes["elem_type"])
    bits = bits_of(element)
    if len(static) != 1 or (lanes * bits) % 8:
        raise Refusal("expected a Ref, or an address in one")
    index = run.numbers(op.operands[1]) if len(op.operands) > 1 else static[0]
    return [Pointer(pointer.window, pointer.bits + index * lanes * bits)]


@handles("memref.collapse_shape", "memref.expand_shape")
def _reshape(run: Execution, op: Op) -> list[Anything]:
    window = window_of(run, op.operands[0])
    rows = [math.prod(window.shape[d + 1 :]) for d in range(len(window.shape))]
    if any(s != r and n != 1 for s, r, n in zip(window.strides, rows, window.shape, strict=True)):
        raise Refusal("expected a contiguous Ref")
    shape = _sizes(op.result_types[0])
    strides = tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))
    return [Window(window.operand, window.offset, shape, strides)]


def _sizes(type_: str) -> tuple[int, ...]:
    """The sizes of a memref type."""
    return tuple(map(int, re.findall(r"(\d+)x", type_.partition("<")[2].partition(",")[0])))


@handles("memref.subview")
def _part(run: Execution, op: Op) -> list[Anything]:
    window = window_of(run, op.operands[0])
    rest = iter(op.operands[1:])
    numbers: list[list[int]] = []
    for name in ("static_offsets", "static_sizes", "static_strides"):
        static = list(map(int, re.findall(r"-?\d+", op.attributes[name].partition(":")[2])))
        numbers.append([run.known_int(next(rest)) if n == emit.DYNAMIC else n for n in static])
    sizes = _sizes(op.result_types[0])
    kept, wanted = [], list(sizes)
    for d, size in enumerate(numbers[1]):
        if wanted and size == wanted[0]:
            kept.append(d)
            wanted.pop(0)
        elif size != 1:
            raise Refusal("expected a part that drops dimensions of size 1")
    if wanted:
        raise Refusal("expected a part that drops dimensions of size 1")
    offsets, extents, strides = numbers
    return [window.part(offsets, extents, strides, kept)]


@handles("memref.transpose")
def _transpose(run: Execution, op: Op) -> list[Anything]:
    window = window_of(run, op.operands[0])
    # As `(d0, d1) -> (d1, d0)`: dimension i of the result is the one that result i of the map names.
    order = [int(d) for d in re.findall(r"d(\d+)", op.attributes["permutation"].partition("->")[2])]
    shape, strides = (tuple(numbers[d] for d in order) for numbers in (window.shape, window.strides))
    return [dataclasses.replace(window, shape=shape, strides=strides)]


def _address_of(run: Execution, op: Op, first: int, type_: str) -> tuple[Operand, Index] | list[ir.Value]:
    """The Ref that an access is to, and the addresses of its lanes; or the indices of one element."""
    base = run.values[op.operands[first]]
    lanes, element = lanes_and_element(type_)
    if isinstance(base, Pointer):
        operand, address = base.window.operand, base.bits
    else:
        window = window_of(run, op.operands[first])
        indices = [run.values[number] for number in op.operands[first + 1 :]]
        if any(isinstance(index, Uniform) for index in indices):
            if lanes != 1:
                raise Refusal("expected one element of a whole Ref at indices that the kernel computes")
            return [run.scalar(run.value(number)) for number in op.operands[first + 1 :]]
        operand, address = window.operand, window.address([run.numbers(n) for n in op.operands[first + 1 :]])
    bits = bits_of(element)
    if bits != operand.bits:
        raise Refusal(f"expected elements of {operand.bits} bits, as the Ref has, got {element}")
    every = np.asarray(address).reshape(-1, 1, 1) if np.ndim(address) == 0 else address
    every = every + np.arange(lanes) * bits
    shape = (run.threads.warpgroups, run.threads.count, lanes)
    active = np.broadcast_to(run.active, shape)
    return operand, np.where(active, np.broadcast_to(every, shape), -1)


@handles("memref.load", "vector.load", "llvm.load")
def _load(run: Execution, op: Op) -> list[Anything]:
    _, element = lanes_and_element(op.result_types[0])
    to = _address_of(run, op, 0, op.result_types[0])
    if isinstance(to, list):
        return [Uniform(run.accesses.load_one(window_of(run, op.operands[0]), to), element)]
    _check_order(op)
    return [bitcast(run, run.accesses.read(*to), element)]


@handles("memref.store", "vector.store", "llvm.store")
def _store(run: Execution, op: Op) -> None:
    to = _address_of(run, op, 1, op.operand_types[0])
    value = run.value(op.operands[0])
    if isinstance(to, list):
        if not run.active.all():
            raise Refusal("expected all threads, got some of them")
        run.accesses.store_one(window_of(run, op.operands[1]), to, run.scalar(value))
        return
    _check_order(op)
    run.accesses.write(*to, bitcast(run, value, str(to[0].ref.type.element_type)))


def _check_order(op: Op) -> None:
    if not op.attributes.get("ordering", "0").startswith("0"):
        raise Refusal("expected an access that is not atomic")
