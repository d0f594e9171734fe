# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the interpreter of Mosaic modules: the effect of each on the values and the memory of a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gridir.runtime.tpu import numpy_ops as ops
from gridir.runtime.tpu import sparse_core_ops
from gridir.runtime.tpu.machine import Machine, Step, allocate_semaphores, groups, run_region, terminate
from gridir.runtime.tpu.memory import clipped, loaded, part, poison, read, reshaped, seen_as, window, write
from gridir.runtime.tpu.numpy_ops import ExecutionError, integer, numbers
from gridir.runtime.tpu.random_bits import draw, mix
from gridir.runtime.tpu.tiles import extent_in_tiles


def _ints(values: Sequence[Any]) -> list[int]:
    return [int(x) for x in values]


def _typed(step: Step, value: Any, number: int = 0) -> Any:
    """A result, in the dtype of its type, and in its bits."""
    _, dtype, bits, _ = step.types[number]
    return ops.narrowed(np.asarray(value).astype(dtype), bits)[()]


def _cast(step: Step, value: Any, unsigned: bool) -> list[Any]:
    value, target = np.asarray(value), step.types[0]
    if value.dtype.kind == "b":
        return [_typed(step, value.astype(np.int8) if unsigned else -value.astype(np.int8))]
    if target.dtype.kind == "b":
        return [(value & 1).astype(bool)[()]]
    if unsigned and value.dtype.kind == "i":
        value = value.view(f"u{value.itemsize}") & np.asarray(2 ** step.operand_types[0].bits - 1, f"u{value.itemsize}")
    return [_typed(step, value)]


def _store(step: Step, value: Any, memory: Any, indices: list[Any], mask: Any = None) -> list[Any]:
    start, strides = _ints(indices), _strided(step)
    value = np.asarray(value)
    if step.may_leave:
        lead = (1,) * (memory.ndim - value.ndim)
        chosen, target = clipped(memory, start, value.shape, strides)
        value = value.reshape(*lead, *value.shape)[chosen]
        mask = mask if mask is None else np.reshape(mask, (*lead, *np.shape(mask)))[chosen]
    else:
        target = window(memory, start, value.shape, strides)
    value = value.reshape(target.shape)
    write(target, read(target) + value if step.attributes.get("add") == "true" else value, mask)
    return []


def _loaded(step: Step, memory: Any, indices: list[Any]) -> np.ndarray:
    return loaded(memory, _ints(indices), step.types[0].shape, _strided(step), may_leave=step.may_leave)


def _vector_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    return [_loaded(step, memory, indices).copy()]


def _tpu_vector_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (memory,), indices, mask = groups(step, operands)
    shape, dtype = step.types[0].shape, step.types[0].dtype
    values = _loaded(step, memory, indices)
    return [np.where(mask[0], values, poison(shape, dtype)) if mask else values.copy()]


def _strided(step: Step) -> list[int]:
    return numbers(step.attributes.get("strides", ""))


def _tpu_vector_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (value,), (memory,), indices, mask = groups(step, operands)
    return _store(step, value, memory, indices, mask[0] if mask else None)


def _vector_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    value, memory, *indices = operands
    return _store(step, value, memory, indices)


def _strided_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    return [_loaded(step, memory, indices).copy()]


def _memref_load(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    memory, *indices = operands
    return [loaded(memory, _ints(indices), (), may_leave=step.may_leave)[()]]


def _memref_store(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    value, memory, *indices = operands
    return _store(step, value, memory, indices)


def _memref_slice(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (memory,), indices, sizes = groups(step, operands)
    dynamic, starts = iter(_ints(sizes)), _ints(indices)
    shape = []
    for dim, size in enumerate(step.types[0].shape):
        if size >= 0:
            shape.append(size)
            continue
        # The padding of the last tile is no memory of the interpreter's.
        end = starts[dim] + next(dynamic)
        padded = extent_in_tiles(memory.shape, dim, step.operand_types[0].bits)
        shape.append(min(end, memory.shape[dim]) - starts[dim] if end <= padded else end - starts[dim])
    return [window(memory, starts, shape)]


def _memref_reshape(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    shape = step.types[0].shape
    if -1 in shape:
        # The sizes are those of the operand: only dimensions of one element come and go.
        sizes = iter(size for size in operands[0].shape if size != 1)
        shape = tuple(size if size == 1 else next(sizes) for size in shape)
    return [reshaped(operands[0], shape)]


def _memref_bitcast(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    shape, dtype, bits = step.types[0].shape, step.types[0].dtype, step.types[0].bits
    old = step.operand_types[0].bits
    if -1 in shape:
        sizes = list(operands[0].shape)
        dim = -2 if len(sizes) > 1 else -1
        sizes[dim] = sizes[dim] * old // bits
        shape = tuple(sizes)
    return [seen_as(operands[0], shape, dtype, bits, old)]


def _is_in_space(_: Machine, step: Step, __: list[Any]) -> list[Any]:
    """An operand in any memory is in the memory of the chip."""
    wanted = re.sub(r".*<(\w+)>.*", r"\1", step.attributes["memory_space"])
    space = step.operand_types[0].space
    return [np.bool_(wanted == ("hbm" if space == "any" else space))]


def _if(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    branch = 0 if operands[0] else 1
    return step.regions[branch].run(machine, [])[1] if branch < len(step.regions) else []


def _for(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    low, high, by, *carried = operands
    for i in range(int(low), int(high), int(by)):
        _name, carried = step.regions[0].run(machine, [type(low)(i), *carried])
    return carried


def _index_switch(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    cases = numbers(step.attributes["cases"])
    # The first region is the default.
    branch = 1 + cases.index(int(operands[0])) if int(operands[0]) in cases else 0
    return step.regions[branch].run(machine, [])[1]


def _while(machine: Machine, step: Step, carried: list[Any]) -> list[Any]:
    while True:
        _name, (holds, *carried) = step.regions[0].run(machine, carried)
        if not holds:
            return carried
        _name, carried = step.regions[1].run(machine, carried)


def _count(counter: Any, size: int) -> None:
    write(counter, read(counter) + np.int32(size))


def _take(machine: Machine, counter: Any, size: int, message: Callable[[int], str]) -> None:
    """Waits until a semaphore holds so much, and takes it away."""
    machine.wait(lambda: int(read(counter)) >= size, lambda: message(int(read(counter))))
    _count(counter, -size)


def _take_bytes(machine: Machine, counter: Any, source: Any, target: Any) -> None:
    # Counted like on a TPU: with padding, which one end may lack here.
    size = max(source.nbytes, target.nbytes)
    _take(machine, counter, size, lambda held: f"waits for {size} bytes, of which {held} are on their way")


def _enqueue_dma(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (source,), source_semaphore, (target,), semaphore, *place = groups(step, operands)
    device, core, subcore = (*place, *[[]] * (3 - len(place)))
    target, *semaphore = (machine.at(x, device, core, subcore) for x in (target, *semaphore))
    # One of them may lack the padding of the other.
    common = tuple(slice(min(sizes)) for sizes in zip(source.shape, target.shape, strict=True))
    write(part(target, common), read(part(source, common)))
    for counter in (*source_semaphore, *semaphore):
        _count(counter, max(source.nbytes, target.nbytes))
    return []


def _wait_dma2(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (semaphore,), (source,), (target,), *_device = groups(step, operands)
    _take_bytes(machine, semaphore, source, target)
    return []


def _wait_dma(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    """The same operands as of the copy, from version 15 on."""
    (source,), source_semaphore, (target,), semaphore, *_device = groups(step, operands)
    arrived = step.attributes["wait_target"] == "true"
    (counter,) = semaphore if arrived else source_semaphore
    _take_bytes(machine, counter, source, target)
    return []


def _signal(machine: Machine, step: Step, operands: list[Any]) -> list[Any]:
    (semaphore,), (amount,), *place = groups(step, operands)
    device, core, subcore = (*place, *[[]] * (3 - len(place)))
    _count(machine.at(semaphore, device, core, subcore), int(amount))
    return []


def _wait(machine: Machine, __: Step, operands: list[Any]) -> list[Any]:
    semaphore, amount = operands
    _take(machine, semaphore, int(amount), lambda held: f"waits for a semaphore of {int(amount)}, which is {held}")
    return []


def _barrier_semaphore(machine: Machine) -> np.ndarray:
    if machine.barrier is None:
        machine.barrier = np.zeros((), np.int32)
    return machine.barrier


def _assume_multiple(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    multiple = integer(step.attributes["multiple"])
    if int(operands[0]) % multiple:
        raise ExecutionError(f"expected a multiple of {multiple}, got {int(operands[0])}")
    return operands


def _strided_slice(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    offsets, sizes = ([integer(x) for x in step.attributes[name].strip("[]").split(", ")] for name in _SLICE)
    return [operands[0][tuple(slice(o, o + n) for o, n in zip(offsets, sizes, strict=True))]]


def _extract(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    x, *dynamic = operands
    rest = iter(_ints(dynamic))
    at = numbers(step.attributes["static_position"])
    return [x[tuple(next(rest) if position == _DYNAMIC else position for position in at)]]


def _insert_strided_slice(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    part, whole = operands
    offsets = [integer(x) for x in step.attributes["offsets"].strip("[]").split(", ")]
    leading = len(offsets) - part.ndim
    result = whole.copy()
    slices = (slice(o, o + n) for o, n in zip(offsets[leading:], part.shape, strict=True))
    result[(*offsets[:leading], *slices)] = part
    return [result]


def _seed(machine: Machine, _: Step, operands: list[Any]) -> list[Any]:
    machine.key, machine.drawn = mix(_ints(operands)), 0
    return []


def _random_bits(machine: Machine, step: Step, _: list[Any]) -> list[Any]:
    if machine.key is None:
        raise ExecutionError("expected the kernel to seed its random generator")
    bits = draw(machine.key, machine.drawn, step.types[0].shape)
    machine.drawn += 1
    return [_typed(step, bits)]


def _pack_elementwise(step: Step, *parts: Any) -> Any:
    """Array i takes the bits from i times the packed width on."""
    packed = ops.type_of(step.attributes["target_type"])
    words = np.zeros(step.types[0].shape, np.uint64)
    for i, x in enumerate(parts):
        bits = ops.narrowed(x.astype(packed.dtype), packed.bits).view(f"u{packed.dtype.itemsize}")
        words |= (bits.astype(np.uint64) & np.uint64(2**packed.bits - 1)) << np.uint64(i * packed.bits)
    return words


def _unpack_elementwise(step: Step, x: Any) -> Any:
    packed, index = ops.type_of(step.attributes["source_type"]), integer(step.attributes["index"])
    bits = (x.view(f"u{x.itemsize}") >> (index * packed.bits)) & (2**packed.bits - 1)
    return ops.narrowed(bits.astype(f"u{packed.dtype.itemsize}").view(packed.dtype), packed.bits)


def _reduce_precision(step: Step, x: Any) -> Any:
    exponent, mantissa = (integer(step.attributes[f"{name}_bits"]) for name in ("exponent", "mantissa"))
    return ops.reduced_precision(x, exponent, mantissa)


def _stochastic_convert(step: Step, x: Any, random: Any) -> Any:
    name = step.attributes.get("dst_type")
    return ops.stochastically_rounded(x, random, ops.type_of(name).dtype if name else step.types[0].dtype)


_DYNAMIC = np.iinfo(np.int64).min
_SLICE = ("offsets", "sizes")
_ROTATION = ("dimension", "stride", "stride_dimension")


def _assert(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    if not operands[0]:
        raise ExecutionError(step.attributes["msg"].strip('"'))
    return []


def _log(_: Machine, step: Step, operands: list[Any]) -> list[Any]:
    tag = step.attributes["tag"].strip('"')
    operands = [read(operand) for operand in operands]
    if step.attributes.get("formatted", "false") == "true":
        print(re.sub(r"\$x?(\d+)", lambda match: str(operands[int(match[1])]), tag))
    else:
        print(tag, *operands)
    return []


def _row(function: Callable[..., Any]) -> Callable[[Machine, Step, list[Any]], list[Any]]:
    """A handler for an op whose result is a function of its operands."""
    return lambda _, step, operands: [_typed(step, function(*operands))]


def _with_step(function: Callable[..., Any]) -> Callable[[Machine, Step, list[Any]], list[Any]]:
    """A handler for an op whose result is a function of the step and its operands."""
    return lambda _, step, operands: [_typed(step, function(step, *operands))]


def _with_results(function: Callable[..., Sequence[Any]]) -> Callable[[Machine, Step, list[Any]], list[Any]]:
    """A handler for an op whose results are a function of its operands."""
    return lambda _, step, operands: [_typed(step, value, i) for i, value in enumerate(function(*operands))]


HANDLERS: dict[str, Callable[[Machine, Step, list[Any]], Sequence[Any]]] = {
    **{name: _row(function) for name, function in (ops.BINARY | ops.UNARY).items()},
    **{name: lambda _, step, xs: _cast(step, xs[0], False) for name in ops.CASTS},
    **{name: lambda _, step, xs: _cast(step, xs[0], True) for name in ops.UNSIGNED_CASTS},
    **dict.fromkeys(("func.return", "scf.yield", "scf.condition", "tpu.yield"), terminate),
    **dict.fromkeys(("tpu.memref_squeeze", "tpu.memref_reshape"), _memref_reshape),
    # Marks for a profiler, and time, have no effect on the results.
    **dict.fromkeys(("tpu.trace_start", "tpu.trace_stop", "tpu.trace_value", "tpu.delay"), lambda *_: []),
    **dict.fromkeys(
        ("tpu.erase_memref_layout", "tpu.annotate", "memref.cast", "memref.memory_space_cast"), lambda _, __, xs: xs
    ),
    **dict.fromkeys(("tpu.region", "tpu.trace"), run_region),
    **dict.fromkeys(("tpu.stochastic_convert", "tpu.stochastic_convert_elementwise"), _with_step(_stochastic_convert)),
    **sparse_core_ops.HANDLERS,
    **dict.fromkeys(("memref.alloca", "memref.alloc"), lambda _, step, __: [poison(*step.types[0][:2])]),
    "arith.constant": lambda _, step, __: [ops.constant(step.attributes["value"])],
    "arith.cmpi": _with_step(
        lambda step, x, y: ops.INTEGER_PREDICATES[integer(step.attributes["predicate"])](x, y),
    ),
    "arith.cmpf": _with_step(lambda step, x, y: ops.compare_floats(integer(step.attributes["predicate"]), x, y)),
    "arith.fptosi": _with_step(lambda step, x: ops.saturate(x, step.types[0].dtype)),
    "arith.fptoui": _with_step(lambda step, x: ops.saturate(x, step.types[0].dtype, unsigned=True)),
    "arith.addui_extended": _with_results(ops.extended_sum),
    "arith.mulsi_extended": _with_results(lambda x, y: ops.extended_product(x, y, unsigned=False)),
    "arith.mului_extended": _with_results(lambda x, y: ops.extended_product(x, y, unsigned=True)),
    "arith.select": _row(np.where),
    "arith.bitcast": lambda _, step, xs: [np.asarray(xs[0]).view(step.types[0].dtype)[()]],
    "cf.assert": _assert,
    "math.clampf": _row(lambda x, low, high: np.minimum(np.maximum(x, low), high)),
    "math.fma": _row(lambda x, y, z: x * y + z),
    "math.sincos": _with_results(lambda x: (np.sin(x), np.cos(x))),
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    "scf.for": _for,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.while": _while,
    "tpu.assume_multiple": _assume_multiple,
    "tpu.concatenate": _with_step(lambda step, *xs: np.concatenate(xs, integer(step.attributes["dimension"]))),
    "tpu.bitcast": lambda _, step, xs: [
        ops.bitcast(xs[0], step.types[0].dtype, step.types[0].bits, step.operand_types[0].bits)
    ],
    "tpu.core_id": lambda machine, _, __: [np.int32(machine.core[0])],
    "tpu.device_id": lambda *_: [np.int32(0)],
    "tpu.dynamic_gather": _with_step(lambda step, x, at: ops.gather(x, at, numbers(step.attributes["dimensions"])[0])),
    "tpu.dynamic_rotate": _with_step(
        lambda step, x, by: ops.rotate(x, by, *(integer(step.attributes.get(name, "0")) for name in _ROTATION))
    ),
    "tpu.enqueue_dma": _enqueue_dma,
    "tpu.iota": _with_step(lambda step: ops.iota(step.types[0].shape, numbers(step.attributes["dimensions"]))),
    "tpu.iteration_bound": lambda machine, step, _: [np.int32(machine.bounds[integer(step.attributes["dim"])])],
    "tpu.log": _log,
    "tpu.log_buffer": _log,
    "tpu.matmul": _with_step(
        lambda step, lhs, rhs, acc: ops.matmul(lhs, rhs, acc, step.attributes["dimension_numbers"])
    ),
    "tpu.memref_bitcast": _memref_bitcast,
    "tpu.memref_memory_space_is": _is_in_space,
    "tpu.memref_slice": _memref_slice,
    "tpu.pack_elementwise": _with_step(_pack_elementwise),
    "tpu.prng_random_bits": _random_bits,
    "tpu.prng_set_seed_32": _seed,
    "tpu.reduce_index": _with_step(
        lambda step, x: (np.argmin if "arg_min" in step.attributes["kind"] else np.argmax)(
            x, integer(step.attributes["axis"])
        )
    ),
    "tpu.repeat": _with_step(
        lambda step, x: np.concatenate([x] * integer(step.attributes["times"]), integer(step.attributes["dimension"]))
    ),
    "tpu.reduce_precision": _with_step(_reduce_precision),
    "tpu.sem_alloc": allocate_semaphores,
    # The kernels of other chips share it, and here is none.
    "tpu.sem_barrier": lambda machine, _, __: [_barrier_semaphore(machine)],
    "tpu.sem_read": lambda _, __, xs: [read(xs[0])[()]],
    "tpu.sem_signal": _signal,
    "tpu.sem_wait": _wait,
    "tpu.strided_load": _strided_load,
    "tpu.strided_store": _vector_store,
    "tpu.subcore_id": lambda machine, _, __: [np.int32(machine.core[1])],
    "tpu.transpose": _with_step(lambda step, x: np.transpose(x, numbers(step.attributes["permutation"]))),
    "tpu.unpack_elementwise": _with_step(_unpack_elementwise),
    "tpu.vector_load": _tpu_vector_load,
    "tpu.vector_store": _tpu_vector_store,
    "tpu.wait_dma": _wait_dma,
    "tpu.wait_dma2": _wait_dma2,
    "vector.broadcast": _with_step(lambda step, x: np.broadcast_to(x, step.types[0].shape)),
    "vector.bitcast": lambda _, step, xs: [np.ascontiguousarray(xs[0]).view(step.types[0].dtype)],
    "vector.extract": _extract,
    "vector.insert_strided_slice": _insert_strided_slice,
    "vector.extract_strided_slice": _strided_slice,
    "vector.load": _vector_load,
    "vector.multi_reduction": _with_step(
        lambda step, x, acc: ops.reduce(
            x, acc, step.attributes["kind"].split("<")[1].rstrip(">"), numbers(step.attributes["reduction_dims"])
        )
    ),
    "vector.shape_cast": _with_step(lambda step, x: np.reshape(x, step.types[0].shape)),
    "vector.store": _vector_store,
    "vector.transpose": _with_step(lambda step, x: np.transpose(x, numbers(step.attributes["permutation"]))),
}

LOADS = frozenset({"memref.load", "tpu.strided_load", "tpu.vector_load", "vector.load"})
"""The ops that load a window."""
