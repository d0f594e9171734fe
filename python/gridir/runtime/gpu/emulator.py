# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A driver without a GPU: memory is NumPy arrays, and the executor of PTX runs the threads."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from gridir.runtime import ptx
from gridir.runtime.chips import chips_of
from gridir.runtime.gpu.launch import WORD_BYTES, Arguments, Launch, TensorMap

MULTIPROCESSORS = min(
    chip["multiprocessors"]
    for chip in chips_of("gpu").values()
    if "tensor-memory" in chip["features"] and "multiprocessors" in chip
)
"""The least number of multiprocessors of the products that can cancel clusters. These products have tensor memory."""

_ALIGNMENT = 256
"""That of the memory that `cuMemAlloc` returns."""


@dataclasses.dataclass(frozen=True)
class Emulator:
    """Executes PTX on this machine's CPU; implements `Driver`. A launch has ended when `run` returns.

    Attributes:
      checks: the checks of the executor, as in `gridir.runtime.ptx.Function.launch`.
      schedule_seed: chooses the order of threads and copies; None for the order of their numbers.
      blocks_at_once: CTAs that run at a time, for kernels that cancel clusters; None for `MULTIPROCESSORS`.
    """

    checks: tuple[str, ...] = ()
    schedule_seed: int | None = None
    blocks_at_once: int | None = None

    def load(self, image: bytes) -> EmulatedModule:
        """See `Driver`."""
        return EmulatedModule(self, image.decode())

    def allocate(self, size: int) -> np.ndarray:
        """See `Driver`; memory is an array of bytes."""
        space = np.empty(size + _ALIGNMENT, np.uint8)
        return space[-space.ctypes.data % _ALIGNMENT :][:size]

    def free(self, memory: np.ndarray) -> None:
        """See `Driver`; an array is freed when nothing refers to it."""

    def write(self, memory: np.ndarray, data: bytes) -> None:
        """See `Driver`."""
        memory[: len(data)] = np.frombuffer(data, np.uint8)

    def read(self, memory: np.ndarray, size: int) -> bytes:
        """See `Driver`."""
        return memory[:size].tobytes()

    def encode_tensor_map(self, memory: np.ndarray, tensor_map: TensorMap) -> ptx.TensorMap:
        """See `Driver`."""
        array = np.ndarray(tensor_map.shape, np.dtype(tensor_map.dtype), memory, strides=tensor_map.strides)
        return ptx.TensorMap(array, tensor_map.box, tensor_map.swizzle)

    def synchronize(self) -> None:
        """See `Driver`."""


@dataclasses.dataclass(frozen=True)
class EmulatedModule:
    """A text of PTX; implements `Module`."""

    emulator: Emulator
    text: str

    def function(self, launch: Launch) -> EmulatedFunction:
        """See `Module`.

        Raises:
          PtxError: when the text is no PTX.
        """
        return EmulatedFunction(
            self.emulator, launch, ptx.load(self.text, path=f"{launch.entry}.ptx").function(launch.entry)
        )


@dataclasses.dataclass(frozen=True)
class EmulatedFunction:
    """An entry of a text of PTX; implements `Function`."""

    emulator: Emulator
    launch: Launch
    function: ptx.Function

    def run(self, operands: Sequence[np.ndarray]) -> bytes:
        """See `Function`.

        Raises:
          PtxError: when the text uses an instruction that the executor does not know.
        """
        launch, how = self.launch, self.emulator
        if launch.dynamic_ctas is not None:
            launch = launch.with_sizes(
                [int(operands[number].view(np.int32)[0]) for number in launch.dynamic_ctas.operands]
            )
        memory = EmulatedMemory(how)
        arguments = launch.arguments(operands, memory)
        try:
            if launch.ctas:
                self.function.launch(
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
        _check_report(launch, arguments)
        return b"" if arguments.zeroed is None else arguments.zeroed.tobytes()


def _check_report(launch: Launch, arguments: Arguments[np.ndarray]) -> None:
    if arguments.report is not None:
        launch.check_report(arguments.report.view(np.int64).tolist())


class EmulatedMemory:
    """The memory that one launch uses; implements `Materializer`.

    Attributes:
      temporaries: arrays that hold no values before and after the launch.
    """

    def __init__(self, emulator: Emulator):
        self._emulator = emulator
        self.temporaries: list[np.ndarray] = []

    def pointer(self, memory: np.ndarray) -> np.ndarray:
        """See `Materializer`."""
        return memory

    def scalar(self, value: int) -> np.int64:
        """See `Materializer`."""
        return np.int64(value)

    def tensor_map(self, memory: np.ndarray, tensor_map: TensorMap) -> ptx.TensorMap:
        """See `Materializer`."""
        return self._emulator.encode_tensor_map(memory, tensor_map)

    def scratch(self, size: int, *, zeroed: bool) -> np.ndarray:
        """See `Materializer`; the array has words of 64 bits."""
        array = self._emulator.allocate(-(-size // WORD_BYTES) * WORD_BYTES).view(np.uint64)
        if zeroed:
            array[:] = 0
        else:
            self.temporaries.append(array)
        return array

    def report(self, size: int) -> np.ndarray:
        """See `Materializer`."""
        return self.scratch(size, zeroed=True)

    def unused(self) -> np.ndarray:
        """See `Materializer`."""
        return self.scratch(WORD_BYTES, zeroed=True)
