# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches kernels without a GPU: memory is NumPy arrays, and the executor of PTX runs the threads."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gridir.runtime import ptx
from gridir.runtime.chips import chips_of
from gridir.runtime.gpu.launch import WORD_BYTES, Arguments, Launch, TensorMap
from gridir.runtime.gpu.packed import PackedOperand

MULTIPROCESSORS = min(
    chip["multiprocessors"]
    for chip in chips_of("gpu").values()
    if "tensor-memory" in chip["features"] and "multiprocessors" in chip
)
"""The least number of multiprocessors of the products that can cancel clusters. These products have tensor memory."""

_PACKED_BYTES = 4


@dataclasses.dataclass(frozen=True)
class ExecutorOptions:
    """The execution of a launch by the executor.

    Attributes:
      checks: its checks, as in `gridir.runtime.ptx.Function.launch`.
      schedule_seed: chooses the order of threads and copies; None for the order of their numbers.
      blocks_at_once: CTAs that run at a time, for kernels that cancel clusters; None for `MULTIPROCESSORS`.
    """

    checks: tuple[str, ...] = ()
    schedule_seed: int | None = None
    blocks_at_once: int | None = None


_DEFAULT = ExecutorOptions()


def execute(text: str, launch: Launch, buffers: Sequence[np.ndarray], how: ExecutorOptions = _DEFAULT) -> np.ndarray:
    """Executes a kernel and returns the memory that was zero when it began.

    Args:
      text: the PTX.
      launch: how it is launched.
      buffers: the operands, inputs before outputs, in row-major order; the kernel writes the outputs. An output that
        is in the memory of an input is the same array.
      how: the checks of the executor, and the order in which it runs threads.

    Raises:
      PtxError: when the text uses an instruction that the executor does not know.
      LaunchError: when the operands do not fit, a thread makes an invalid access, or a check of the kernel fails.
    """
    if launch.dynamic_ctas is not None:
        launch = launch.with_sizes([int(buffers[number]) for number in launch.dynamic_ctas.operands])
    before = [buffer.copy() for buffer in buffers] if _observers else []
    memory = EmulatedMemory(launch, buffers)
    arguments = launch.arguments(memory.operands, memory)
    try:
        if launch.ctas:
            ptx.load(text, path=f"{launch.entry}.ptx").function(launch.entry).launch(
                arguments.values,
                grid=(launch.ctas,),
                block=(launch.threads,),
                cluster=(launch.cluster_ctas,),
                shared_bytes=launch.shared_bytes,
                temporaries=memory.temporaries,
                checks=how.checks,
                schedule_seed=how.schedule_seed,
                blocks_at_once=(how.blocks_at_once or MULTIPROCESSORS) if launch.cancels_clusters else 0,
            )
    except ptx.LaunchError:
        # A check that failed before is the cause.
        _check_report(launch, arguments)
        raise
    memory.write_back()
    _check_report(launch, arguments)
    for observer in _observers:
        observer(text, launch, before, buffers)
    return np.zeros(0, np.uint64) if arguments.zeroed is None else arguments.zeroed


def _check_report(launch: Launch, arguments: Arguments[np.ndarray]) -> None:
    if arguments.report is not None:
        launch.check_report(arguments.report.view(np.int64).tolist())


Observer = Callable[[str, Launch, Sequence[np.ndarray], Sequence[np.ndarray]], None]
_observers: list[Observer] = []


@contextlib.contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Calls a function after each launch that succeeds: with the PTX, the launch, the operands before and after."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


class EmulatedMemory:
    """The arrays that a launch accesses; implements `Materializer`.

    Attributes:
      operands: the arrays of the operands, which a kernel accesses in whole words if it updates parts of words.
      temporaries: arrays that hold no values before and after the launch.
    """

    def __init__(self, launch: Launch, buffers: Sequence[np.ndarray]):
        self._buffers = buffers
        self.temporaries: list[np.ndarray] = []
        # An output that is in the memory of an input is the same array, and stays so.
        words = {id(x): _in_words(x) for x in buffers} if launch.updates_parts_of_words else {}
        self.operands = [words.get(id(x), x) for x in buffers]
        self._packed = {number: PackedOperand(self._typed(number), count) for number, count in launch.packed_operands}

    def _typed(self, number: int) -> np.ndarray:
        buffer, memory = self._buffers[number], self.operands[number]
        return buffer if memory is buffer else memory[: buffer.nbytes].view(buffer.dtype).reshape(buffer.shape)

    def pointer(self, memory: np.ndarray) -> np.ndarray:
        """See `Materializer`."""
        return memory

    def scalar(self, value: int) -> np.int64:
        """See `Materializer`."""
        return np.int64(value)

    def tensor_map(self, memory: np.ndarray, tensor_map: TensorMap) -> ptx.TensorMap:
        """See `Materializer`."""
        packed = self._packed.get(tensor_map.operand)
        data = (memory if packed is None else packed.words).reshape(-1).view(np.uint8)
        array = np.ndarray(tensor_map.shape, np.dtype(tensor_map.dtype), data, strides=tensor_map.strides)
        return ptx.TensorMap(array, tensor_map.box, tensor_map.swizzle)

    def scratch(self, size: int, *, zeroed: bool) -> np.ndarray:
        """See `Materializer`; the array has words of 64 bits."""
        array = (np.zeros if zeroed else np.empty)(-(-size // WORD_BYTES), np.uint64)
        if not zeroed:
            self.temporaries.append(array)
        return array

    def report(self, size: int) -> np.ndarray:
        """See `Materializer`."""
        return self.scratch(size, zeroed=True)

    def unused(self) -> np.ndarray:
        """See `Materializer`."""
        return self.scratch(WORD_BYTES, zeroed=True)

    def write_back(self) -> None:
        """Copies results that the kernel wrote elsewhere to the operands."""
        for packed in self._packed.values():
            packed.unpack()
        for number, (buffer, memory) in enumerate(zip(self._buffers, self.operands, strict=True)):
            if memory is not buffer:
                buffer[...] = self._typed(number)


def _in_words(array: np.ndarray) -> np.ndarray:
    """Returns the array, or a copy of its bytes that ends with a whole word, as allocations of a GPU do."""
    if array.nbytes % _PACKED_BYTES == 0:
        return array
    words = np.zeros(-(-array.nbytes // _PACKED_BYTES), np.uint32).view(np.uint8)
    words[: array.nbytes] = array.reshape(-1).view(np.uint8)
    return words
