# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, and the lanes of vectors."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gridir.simt import integers
from gridir.simt.code import Op
from gridir.simt.handlers import Anything, handles
from gridir.simt.values import (
    Computed,
    Index,
    Known,
    Packed,
    Refusal,
    Undefined,
    Uniform,
    Value,
    bits_of,
    lanes_and_element,
    merged,
    rearranged,
)

if TYPE_CHECKING:
    from gridir.simt.execution import Execution


@handles("arith.constant", "llvm.mlir.constant")
def _constant(run: Execution, op: Op) -> list[Anything]:
    _, element = lanes_and_element(op.result_types[0])
    if op.constant is None:
        raise Refusal("expected a constant that is one number")
    dtype = np.int64 if integers.width_of(element) is not None else np.float64
    return [Known(np.asarray(op.constant, dtype).reshape(1, 1, 1), element)]


@handles("llvm.mlir.undef", "llvm.mlir.poison", "ub.poison")
def _undefined(run: Execution, op: Op) -> list[Anything]:
    lanes, element = lanes_and_element(op.result_types[0])
    dtype = np.int64 if integers.width_of(element) is not None else np.float64
    return [Undefined(np.zeros((1, 1, lanes), dtype), element)]


@handles("vector.broadcast")
def _broadcast(run: Execution, op: Op) -> list[Anything]:
    lanes, _ = lanes_and_element(op.result_types[0])
    value = run.value(op.operands[0])
    return [rearranged(value, lambda x: np.broadcast_to(x, (*x.shape[:2], lanes)))]


@handles("vector.extract", "llvm.extractelement")
def _extract(run: Execution, op: Op) -> list[Anything]:
    at = re.findall(r"-?\d+", op.attributes.get("static_position", "").partition(":")[2])
    if op.name == "llvm.extractelement":
        at = [str(run.known_int(op.operands[1]))]
    if len(at) != 1 or int(at[0]) < 0:
        raise Refusal("expected a constant lane")
    lane = int(at[0])
    value = run.value(op.operands[0])
    return [rearranged(value, lambda x: x[..., lane : lane + 1] if x.shape[2] > 1 else x)]


@handles("vector.insert", "llvm.insertelement")
def _insert(run: Execution, op: Op) -> list[Anything]:
    lanes, _ = lanes_and_element(op.result_types[0])
    if op.name == "llvm.insertelement":
        into, value, lane = op.operands[0], op.operands[1], run.known_int(op.operands[2])
    else:
        at = re.findall(r"-?\d+", op.attributes.get("static_position", "").partition(":")[2])
        value, into, lane = op.operands[0], op.operands[1], int(at[0]) if len(at) == 1 else -1
    if not 0 <= lane < lanes:
        raise Refusal("expected a constant lane")
    is_lane = np.arange(lanes) == lane
    shape = (run.threads.warpgroups, run.threads.count, lanes)
    old, new = run.value(into), run.value(value)
    if isinstance(old, Undefined):
        return [rearranged(new, lambda x: np.broadcast_to(x, shape))]
    return [merged([new, old], lambda pair: np.where(is_lane, *pair), [shape, shape])]


@handles("vector.from_elements")
def _from_elements(run: Execution, op: Op) -> list[Anything]:
    values = run.operands(op)
    shape = (run.threads.warpgroups, run.threads.count, 1)
    return [merged(values, lambda arrays: np.concatenate(arrays, axis=2), [shape] * len(values))]


@handles("vector.shuffle", "llvm.shufflevector")
def _shuffle_lanes(run: Execution, op: Op) -> list[Anything]:
    mask = list(map(int, re.findall(r"-?\d+", op.attributes["mask"].partition(":")[2])))
    lanes = lanes_and_element(op.operand_types[0])[0]
    first, second = run.operands(op)
    if min(mask) < 0:
        raise Refusal("expected a constant lane")
    shape = (run.threads.warpgroups, run.threads.count)

    def of(value: Value, which: Sequence[int]) -> Value:
        return rearranged(value, lambda x: x[..., list(which)] if x.shape[2] > 1 else x)

    if max(mask) < lanes or min(mask) >= lanes:
        return [of(first, mask) if max(mask) < lanes else of(second, [lane - lanes for lane in mask])]
    if isinstance(second, Undefined):
        # Elements beyond the vector are undefined, so any lane will do.
        return [of(first, [min(lane, lanes - 1) for lane in mask])]
    others = lanes_and_element(op.operand_types[1])[0]
    sides = [
        of(first, [min(m, lanes - 1) for m in mask]),
        of(second, [min(max(m - lanes, 0), others - 1) for m in mask]),
    ]
    is_first = np.asarray(mask) < lanes
    shapes = [(*shape, len(mask))] * 2
    return [merged(sides, lambda pair: np.where(is_first, *pair), shapes)]


@handles("vector.extract_strided_slice")
def _slice(run: Execution, op: Op) -> list[Anything]:
    first, size, step = (int(re.findall(r"-?\d+", op.attributes[x])[0]) for x in ("offsets", "sizes", "strides"))
    value = run.value(op.operands[0])
    return [rearranged(value, lambda x: x[..., first : first + size : step] if x.shape[2] > 1 else x)]


@handles("vector.bitcast", "llvm.bitcast", "arith.bitcast")
def _bitcast(run: Execution, op: Op) -> list[Anything]:
    (before, _), (after, new) = lanes_and_element(op.operand_types[0]), lanes_and_element(op.result_types[0])
    value = run.value(op.operands[0])
    if isinstance(value, Packed) and value.value.type == new and after == before * value.count:
        return [value.value]
    if after % before == 0 and before < after and bits_of(value.type) * before == bits_of(new) * after:
        return [run.words.lanes(value, new)]
    if before != after:
        if before % after or bits_of(value.type) * before != bits_of(new) * after:
            raise Refusal("expected packed lanes that are moved as a whole or unpacked")
        return [Packed(value, before // after, new)]
    return [bitcast(run, value, new)]


def bitcast(run: Execution, value: Value, type_: str) -> Value:
    """A value with the same bits in another type.

    Raises:
      Refusal: it has another size.
    """
    if value.type == type_:
        return value
    if bits_of(value.type) != bits_of(type_):
        raise Refusal(f"expected elements of the size of {type_}, got {value.type}")
    if isinstance(value, Computed) and value.name == "arith.bitcast" and value.operands[0].type == type_:
        return value.operands[0]
    if isinstance(value, Uniform):
        return run.computed_once("arith.bitcast", (), [value], type_)
    return Computed("arith.bitcast", (), (value,), type_)


def permuted(run: Execution, first: Value, second: Value, order: Value) -> Value:
    """The bytes of two 32-bit numbers in the order of a selector, like `prmt` of PTX.

    Raises:
      Refusal: the numbers are not of packed lanes, or the order is not known.
    """
    if not isinstance(order, Known):
        raise Refusal("expected an order of bytes that is a function of the thread's number, got another one")
    if order.same is not None:
        return run.words.permuted(first, second, int(order.same))
    return _of_lanes(run, first, second, order.numbers)


def _of_lanes(run: Execution, first: Value, second: Value, order: Index) -> Value:
    """The same of an order that differs between threads and moves whole lanes."""
    if not (isinstance(first, Packed) and isinstance(second, Packed) and first.count == second.count):
        raise Refusal("expected packed lanes that are moved as a whole or unpacked")
    count = first.count
    size = 4 // count
    shape = (run.threads.warpgroups, run.threads.count, count)
    order = np.broadcast_to(order, (*shape[:2], 1))
    lanes = []
    for lane in range(count):
        taken = [order >> 4 * (lane * size + byte) & 15 for byte in range(size)]
        if any((x != taken[0] + byte).any() for byte, x in enumerate(taken)) or (taken[0] % size).any():
            raise Refusal("expected packed lanes that are moved as a whole or unpacked")
        lanes.append(taken[0] // size)
    source = np.concatenate(lanes, axis=2)

    def merge(pair: Sequence[Index]) -> Index:
        return np.take_along_axis(np.concatenate(pair, axis=2), source, axis=2)

    return dataclasses.replace(first, value=merged([first.value, second.value], merge, [shape, shape]))
