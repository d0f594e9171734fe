# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of SparseCores that the interpreter of Mosaic modules knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.runtime.tpu.machine import Machine, Step, groups
from gridir.runtime.tpu.memory import Seen, poison, read, write
from gridir.runtime.tpu.numpy_ops import ExecutionError


def _kind(step: Step) -> str:
    return re.sub(r".*<(\w+)>.*", r"\1", step.attributes["kind"])


def _unsigned(x: np.ndarray) -> np.ndarray:
    """Integers as a SparseCore compares them."""
    return x.view(f"u{x.itemsize}") if x.dtype.kind == "i" else x


def _barrier(machine: Machine, _: Step, __: list[Any]) -> list[Any]:
    """Every subcore waits until all of its core have come as often as itself."""
    core = machine.core[0]
    machine.arrivals[core] = count = machine.arrivals.get(core, 0) + 1
    wanted = -(-count // machine.subcores) * machine.subcores
    machine.wait(
        lambda: machine.arrivals[core] >= wanted,
        lambda: f"waits at a barrier, to which {wanted - machine.arrivals[core]} of the subcores never come",
    )
    return []


def _rows(memory: Any, offsets: np.ndarray) -> None:
    bad = [int(i) for i in offsets if not 0 <= i < memory.shape[0]]
    if bad:
        raise ExecutionError(f"an access to row {bad[0]} is out of bounds of {memory.shape}")


def _enqueue_indirect(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    source, target, offsets, semaphore, *ignored = operands
    rows = read(offsets).reshape(-1)
    named = np.ones(rows.shape, bool) if not ignored else rows != ignored[0]
    # The rows are of the end that is not in the memory of the subcore.
    gathers = step.operand_types[1].space == "vmem"
    outer, inner = (source, target) if gathers else (target, source)
    _rows(outer, rows[named])
    old, new = read(target).copy(), read(source)
    for i in np.flatnonzero(named):
        to, value = (i, new[rows[i]]) if gathers else (rows[i], new[i])
        old[to] = old[to] + value if step.attributes["add"] == "true" else value
    write(target, old)
    write(semaphore, read(semaphore) + np.int32(inner.nbytes))
    return []


def _wait_indirect(machine: Machine, _: Step, operands: list[Any]) -> list[Any]:
    semaphore, source, target = operands
    # As many bytes as the smaller end has: of the other one all rows are named.
    size = min(source.nbytes, target.nbytes)
    machine.wait(
        lambda: int(read(semaphore)) >= size,
        lambda: f"waits for {size} bytes, of which {int(read(semaphore))} are on their way",
    )
    write(semaphore, read(semaphore) - np.int32(size))
    return []


def _elements(memory: Any, indices: Sequence[np.ndarray], mask: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where the chosen elements are.

    Raises:
      ExecutionError: when one is not inside.
    """
    chosen = tuple(index[mask] for index in indices)
    for dim, index in enumerate(chosen):
        for i in index:
            if not 0 <= i < memory.shape[dim]:
                raise ExecutionError(f"an access to {int(i)} in dimension {dim} is out of bounds of {memory.shape}")
    return chosen


def _load_idx(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (memory,), indices, masks = groups(step, operands)
    mask = masks[0] if masks else np.ones(indices[0].shape, bool)
    result = poison(step.types[0].shape, step.types[0].dtype)
    result[mask] = read(memory)[_elements(memory, indices, mask)]
    return [result]


def _store_idx(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (value,), (memory,), indices, masks = groups(step, operands)
    mask = masks[0] if masks else np.ones(indices[0].shape, bool)
    at, held = _elements(memory, indices, mask), read(memory).copy()
    if step.attributes["add"] == "true":
        np.add.at(held, at, value[mask])
    else:
        held[at] = value[mask]
    write(memory, held)
    return []


def _scan(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    x, mask = operands
    kind = _kind(step)
    if kind == "sum":
        return [np.cumsum(np.where(mask, x, np.zeros_like(x)), axis=-1, dtype=x.dtype)]
    join: Any = {"max": np.maximum, "min": np.minimum}[kind]
    wide = _unsigned(x)
    worst = _limits(wide.dtype)[0 if kind == "max" else 1]
    scanned = join.accumulate(np.where(mask, wide, worst), axis=-1).astype(wide.dtype)
    # Before the first lane that counts, a lane is itself.
    return [np.where(np.maximum.accumulate(mask, axis=-1), scanned.view(x.dtype), x)]


def _limits(dtype: np.dtype) -> tuple[Any, Any]:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return -np.inf, np.inf


def _sort(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    keys, values, mask = operands
    order = np.argsort(_unsigned(keys)[mask], kind="stable")
    if step.attributes["descending"] == "true":
        # Equal keys stay in their order.
        order = len(order) - 1 - np.argsort(_unsigned(keys)[mask][::-1], kind="stable")[::-1]
    chosen, rest = np.flatnonzero(mask)[order], np.flatnonzero(~mask)
    at = np.concatenate([chosen, rest])
    return [np.arange(len(keys)) < len(chosen), keys[at], values[at]]


def _scan_count(_: Machine, __: Step, operands: list[Any]) -> list[Any]:
    mask, x = operands
    same = (x[:, None] == x[None, :]) & mask[None, :]
    lanes = np.arange(len(x))
    before = lanes[None, :] <= lanes[:, None]
    counts = np.where(mask, (same & before).sum(1), 1).astype(np.int32)
    return [mask & ~(same & ~before).any(1), counts]


def _all_reduce(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (x,) = operands
    kind = _kind(step)
    if kind == "find_first_set":
        number: Any = int(np.argmax(x)) if x.any() else len(x)
    elif kind == "sum":
        number = x.astype(step.types[0].dtype).sum()
    else:
        raise ExecutionError(f"expected a sum or the first lane of a mask, got {kind}")
    return [np.full(step.types[0].shape, number, step.types[0].dtype)]


def _expand_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    """The first elements, one for each lane that the mask chooses."""
    memory, *indices, mask = operands
    start, shape = [int(i) for i in indices], step.types[0].shape
    count = int(np.sum(mask))
    if len(start) != 1 or start[0] < 0 or start[0] + count > memory.shape[0]:
        raise ExecutionError(f"an access to {count} elements from {tuple(start)} on is out of bounds of {memory.shape}")
    result = poison(shape, step.types[0].dtype)
    result[mask] = read(memory)[start[0] : start[0] + count]
    return [result]


def _compress_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    value, memory, *indices, mask = operands
    start, count = [int(i) for i in indices], int(np.sum(mask))
    if len(start) != 1 or start[0] < 0 or start[0] + count > memory.shape[0]:
        raise ExecutionError(f"an access to {count} elements from {tuple(start)} on is out of bounds of {memory.shape}")
    held, at = read(memory).copy(), slice(start[0], start[0] + count)
    held[at] = held[at] + value[mask] if step.attributes.get("add") == "true" else value[mask]
    write(memory, held)
    return []


def _fetch_and_add(machine: Machine, _: Step, operands: list[Any]) -> list[Any]:
    memory, *indices, value, subcore = operands
    there = machine.at(memory, [], [], [subcore])
    at = tuple(int(i) for i in indices)
    held = read(there).copy()
    if isinstance(there, Seen) or any(not 0 <= i < n for i, n in zip(at, there.shape, strict=True)):
        raise ExecutionError(f"an access to {at} is out of bounds of {there.shape}")
    old = held[at]
    held[at] = old + value
    write(there, held)
    return [old]


HANDLERS: dict[str, Callable[[Machine, Step, list[Any]], Sequence[Any]]] = {
    "tpu.all_reduce": _all_reduce,
    "tpu.barrier": _barrier,
    "tpu.enqueue_indirect_dma": _enqueue_indirect,
    "tpu.fetch_and_add_sync": _fetch_and_add,
    "tpu.scan": _scan,
    "tpu.scan_count": _scan_count,
    "tpu.sort": _sort,
    "tpu.vector_compress_store": _compress_store,
    "tpu.vector_expand_load": _expand_load,
    "tpu.vector_load_idx": _load_idx,
    "tpu.vector_store_idx": _store_idx,
    "tpu.wait_indirect_dma": _wait_indirect,
}
