# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that the interpreter of Mosaic modules knows: what each does to the values and the memory of a program."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.locations import frames_of, parse_location
from gridir.mlir import ir
from gridir.runtime.tpu import numpy_ops as ops
from gridir.runtime.tpu.numpy_ops import ExecutionError, integer, numbers, window
from gridir.runtime.tpu.tiles import extent_in_tiles


def poison(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Memory that nothing has written: NaN, or the most negative number."""
    if dtype.kind == "b":
        return np.zeros(shape, dtype)
    return np.full(shape, np.iinfo(dtype).min if dtype.kind in "iu" else np.nan, dtype)


@dataclasses.dataclass
class Machine:
    """What ops share: the values so far, by the slots that `Program` gave them, and the grid."""

    values: list[Any]
    bounds: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Step:
    """One op: what it runs, the slots of its operands and results, its attributes as text, its regions."""

    name: str
    run: Callable[[Machine, Step, list[Any]], Sequence[Any]]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    types: tuple[tuple[tuple[int, ...], np.dtype], ...]
    attributes: dict[str, str]
    regions: tuple[Body, ...]
    location: str


@dataclasses.dataclass(frozen=True)
class Body:
    """A block: the slots of its arguments, and its ops."""

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]

    def run(self, machine: Machine, arguments: Sequence[Any]) -> tuple[str, list[Any]]:
        """Runs the ops; returns the name of the terminator and what it gives."""
        for slot, value in zip(self.arguments, arguments, strict=True):
            machine.values[slot] = value
        for step in self.steps:
            operands = [machine.values[slot] for slot in step.operands]
            if step.run is _terminate:
                return step.name, operands
            try:
                results = step.run(machine, step, operands)
            except ExecutionError as error:
                # An error from within a region has its location.
                raise (error if error.notes else _located(error.message, step)) from None
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                message = f"the interpreter cannot run {step.name}: {type(error).__name__}: {error}"
                raise _located(message, step) from error
            for slot, value in zip(step.results, results, strict=True):
                machine.values[slot] = value
        return "", []


def _located(message: str, step: Step) -> ExecutionError:
    """The error of an op, with the author's lines, and with the text of MLIR's location where it has none."""
    frames = frames_of(parse_location(step.location, ir.Context()))
    note = f"in {step.name}" if frames else f"in {step.name} at {step.location}"
    return ExecutionError(message, frames=frames, notes=[note])


def _terminate(*_: Any) -> Any:
    raise AssertionError("a terminator ends its block")


def _ints(values: Sequence[Any]) -> list[int]:
    return [int(x) for x in values]


def _groups(step: Step, operands: Sequence[Any]) -> list[list[Any]]:
    """The operands of an op by the groups that its attribute names."""
    rest = iter(operands)
    return [list(itertools.islice(rest, n)) for n in numbers(step.attributes["operandSegmentSizes"])]


def _typed(step: Step, value: Any) -> list[Any]:
    """One result, in the dtype of its type."""
    return [np.asarray(value).astype(step.types[0][1])[()]]


def _cast(step: Step, value: Any, unsigned: bool) -> list[Any]:
    value, target = np.asarray(value), step.types[0][1]
    if value.dtype.kind == "b":
        return _typed(step, value.astype(np.int8) if unsigned else -value.astype(np.int8))
    if target.kind == "b":
        return [(value & 1).astype(bool)[()]]
    return _typed(step, value.view(f"u{value.itemsize}") if unsigned and value.dtype.kind == "i" else value)


def _store(value: Any, target: np.ndarray, mask: Any = None, add: bool = False) -> list[Any]:
    value = np.asarray(value).reshape(target.shape)
    if add:
        value = target + value
    np.copyto(target, value, where=True if mask is None else np.asarray(mask).reshape(target.shape))
    return []


def _vector_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    shape = step.types[0][0]
    return [window(memory, _ints(indices), shape).reshape(shape).copy()]


def _strided(step: Step) -> list[int]:
    return numbers(step.attributes.get("strides", ""))


def _tpu_vector_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (value,), (memory,), indices, mask = _groups(step, operands)
    target = window(memory, _ints(indices), np.shape(value), _strided(step))
    return _store(value, target, mask[0] if mask else None, step.attributes.get("add") == "true")


def _vector_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    value, memory, *indices = operands
    return _store(value, window(memory, _ints(indices), np.shape(value), _strided(step)))


def _strided_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    return [window(memory, _ints(indices), step.types[0][0], _strided(step)).copy()]


def _memref_load(_: Machine, __: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    return [window(memory, _ints(indices), ()).reshape(())[()]]


def _memref_store(_: Machine, __: Step, operands: list[Any]) -> list[Any]:
    value, memory, *indices = operands
    return _store(value, window(memory, _ints(indices), ()))


def _memref_slice(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (memory,), indices, sizes = _groups(step, operands)
    dynamic, starts = iter(_ints(sizes)), _ints(indices)
    shape = []
    for dim, size in enumerate(step.types[0][0]):
        if size >= 0:
            shape.append(size)
            continue
        # The padding of the last tile is no memory of the interpreter's.
        end = starts[dim] + next(dynamic)
        padded = extent_in_tiles(memory.shape, dim, 8 * memory.itemsize)
        shape.append(min(end, memory.shape[dim]) - starts[dim] if end <= padded else end - starts[dim])
    return [window(memory, starts, shape)]


def _memref_reshape(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    view = operands[0].view()
    # A reshape in place, which refuses to copy.
    view.shape = step.types[0][0]
    return [view]


def _if(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    branch = 0 if operands[0] else 1
    return step.regions[branch].run(machine, [])[1] if branch < len(step.regions) else []


def _for(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    low, high, by, *carried = operands
    for i in range(int(low), int(high), int(by)):
        _name, carried = step.regions[0].run(machine, [type(low)(i), *carried])
    return carried


def _while(machine: Machine, step: Step, carried: list[Any]) -> list[Any]:
    while True:
        _name, (holds, *carried) = step.regions[0].run(machine, carried)
        if not holds:
            return carried
        _name, carried = step.regions[1].run(machine, carried)


def _enqueue_dma(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (source,), source_semaphore, (target,), semaphore, *device = _groups(step, operands)
    if any(device):
        raise ExecutionError("the interpreter has one core and one chip")
    # One of them may lack what is padding in the other.
    common = tuple(slice(min(sizes)) for sizes in zip(source.shape, target.shape, strict=True))
    target[common] = source[common]
    for counter in (*source_semaphore, *semaphore):
        counter += np.int32(max(source.nbytes, target.nbytes))
    return []


def _wait_dma(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (semaphore,), (source,), (target,), *_device = _groups(step, operands)
    # As a TPU counts them: with padding, which one end may lack here.
    size = max(source.nbytes, target.nbytes)
    if int(semaphore) < size:
        raise ExecutionError(f"waits for {size} bytes, of which {int(semaphore)} are on their way")
    semaphore -= np.int32(size)
    return []


def _signal(_: Machine, __: Step, operands: list[Any]) -> list[Any]:
    semaphore, amount, *_device = operands
    semaphore += amount
    return []


def _wait(_: Machine, __: Step, operands: list[Any]) -> list[Any]:
    semaphore, amount = operands
    if int(semaphore) < int(amount):
        raise ExecutionError(f"waits for a semaphore of {int(amount)}, which is {int(semaphore)}")
    semaphore -= amount
    return []


def _assume_multiple(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    multiple = integer(step.attributes["multiple"])
    if int(operands[0]) % multiple:
        raise ExecutionError(f"expected a multiple of {multiple}, got {int(operands[0])}")
    return operands


def _strided_slice(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    offsets, sizes = ([integer(x) for x in step.attributes[name].strip("[]").split(", ")] for name in _SLICE)
    return [operands[0][tuple(slice(o, o + n) for o, n in zip(offsets, sizes, strict=True))]]


_SLICE = ("offsets", "sizes")
_ROTATION = ("dimension", "stride", "stride_dimension")


def _assert(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    if not operands[0]:
        raise ExecutionError(step.attributes["msg"].strip('"'))
    return []


def _log(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    tag = step.attributes["tag"].strip('"')
    if step.attributes.get("formatted", "false") == "true":
        print(re.sub(r"\$x?(\d+)", lambda match: str(operands[int(match[1])]), tag))
    else:
        print(tag, *operands)
    return []


def _row(function: Callable[..., Any]) -> Callable[[Machine, Step, list[Any]], list[Any]]:
    """A handler for an op whose result is a function of its operands."""
    return lambda _, step, operands: _typed(step, function(*operands))


def _with_step(function: Callable[..., Any]) -> Callable[[Machine, Step, list[Any]], list[Any]]:
    """A handler for an op whose result is a function of the step and its operands."""
    return lambda _, step, operands: _typed(step, function(step, *operands))


HANDLERS: dict[str, Callable[[Machine, Step, list[Any]], Sequence[Any]]] = {
    **{name: _row(function) for name, function in (ops.BINARY | ops.UNARY).items()},
    **{name: lambda _, step, xs: _cast(step, xs[0], False) for name in ops.CASTS},
    **{name: lambda _, step, xs: _cast(step, xs[0], True) for name in ops.UNSIGNED_CASTS},
    **dict.fromkeys(("func.return", "scf.yield", "scf.condition", "tpu.yield"), _terminate),
    **dict.fromkeys(("tpu.memref_squeeze", "tpu.memref_reshape"), _memref_reshape),
    **dict.fromkeys(("tpu.trace_start", "tpu.trace_stop"), lambda *_: []),
    **dict.fromkeys(("tpu.erase_memref_layout", "memref.cast"), lambda _, __, xs: xs),
    **dict.fromkeys(("memref.alloca", "memref.alloc"), lambda _, step, __: [poison(*step.types[0])]),
    "arith.constant": lambda _, step, __: [ops.constant(step.attributes["value"])],
    "arith.cmpi": _with_step(
        lambda step, x, y: ops.INTEGER_PREDICATES[integer(step.attributes["predicate"])](x, y),
    ),
    "arith.cmpf": _with_step(lambda step, x, y: ops.compare_floats(integer(step.attributes["predicate"]), x, y)),
    "arith.fptosi": _with_step(lambda step, x: ops.saturate(x, step.types[0][1])),
    "arith.fptoui": _with_step(lambda step, x: ops.saturate(x, step.types[0][1], unsigned=True)),
    "arith.select": _row(np.where),
    "arith.bitcast": lambda _, step, xs: [np.asarray(xs[0]).view(step.types[0][1])[()]],
    "cf.assert": _assert,
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "tpu.assume_multiple": _assume_multiple,
    "tpu.concatenate": _with_step(lambda step, *xs: np.concatenate(xs, integer(step.attributes["dimension"]))),
    "tpu.bitcast": _with_step(lambda step, x: ops.bitcast(x, step.types[0][1])),
    "tpu.dynamic_gather": _with_step(lambda step, x, at: ops.gather(x, at, numbers(step.attributes["dimensions"])[0])),
    "tpu.dynamic_rotate": _with_step(
        lambda step, x, by: ops.rotate(x, by, *(integer(step.attributes.get(name, "0")) for name in _ROTATION))
    ),
    "tpu.enqueue_dma": _enqueue_dma,
    "tpu.iota": _with_step(lambda step: ops.iota(step.types[0][0], numbers(step.attributes["dimensions"]))),
    "tpu.iteration_bound": lambda machine, step, _: [np.int32(machine.bounds[integer(step.attributes["dim"])])],
    "tpu.log": _log,
    "tpu.log_buffer": _log,
    "tpu.matmul": _with_step(
        lambda step, lhs, rhs, acc: ops.matmul(lhs, rhs, acc, step.attributes["dimension_numbers"])
    ),
    "tpu.memref_slice": _memref_slice,
    "tpu.reduce_index": _with_step(
        lambda step, x: (np.argmin if "arg_min" in step.attributes["kind"] else np.argmax)(
            x, integer(step.attributes["axis"])
        )
    ),
    "tpu.repeat": _with_step(
        lambda step, x: np.concatenate([x] * integer(step.attributes["times"]), integer(step.attributes["dimension"]))
    ),
    "tpu.region": lambda machine, step, _: step.regions[0].run(machine, [])[1],
    "tpu.sem_alloc": lambda _, step, __: [np.zeros(*step.types[0])],
    "tpu.sem_read": lambda _, __, xs: [xs[0][()]],
    "tpu.sem_signal": _signal,
    "tpu.sem_wait": _wait,
    "tpu.strided_load": _strided_load,
    "tpu.strided_store": _vector_store,
    "tpu.transpose": _with_step(lambda step, x: np.transpose(x, numbers(step.attributes["permutation"]))),
    "tpu.vector_load": _vector_load,
    "tpu.vector_store": _tpu_vector_store,
    "tpu.wait_dma2": _wait_dma,
    "vector.broadcast": _with_step(lambda step, x: np.broadcast_to(x, step.types[0][0])),
    "vector.extract": _with_step(lambda step, x: x[tuple(numbers(step.attributes["static_position"]))]),
    "vector.extract_strided_slice": _strided_slice,
    "vector.load": _vector_load,
    "vector.multi_reduction": _with_step(
        lambda step, x, acc: ops.reduce(
            x, acc, step.attributes["kind"].split("<")[1].rstrip(">"), numbers(step.attributes["reduction_dims"])
        )
    ),
    "vector.shape_cast": _with_step(lambda step, x: np.reshape(x, step.types[0][0])),
    "vector.store": _vector_store,
    "vector.transpose": _with_step(lambda step, x: np.transpose(x, numbers(step.attributes["permutation"]))),
}
