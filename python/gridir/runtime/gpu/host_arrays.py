# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches with NumPy arrays, which are copied to the memory of a driver and back."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gridir.errors import within_kernel
from gridir.runtime.gpu.chips import ptx_devices, runs_on
from gridir.runtime.gpu.driver import Driver, Function
from gridir.runtime.gpu.launch import Launch
from gridir.runtime.gpu.libcuda import Device, DriverError, open_cuda, open_device
from gridir.runtime.gpu.packed import PackedOperand, with_packed

_PACKED_BYTES = 4
"""Bytes of the words that atomic updates of their parts access."""


def find_device(chip: str) -> Device | None:
    """Returns the first GPU of this machine on which code for a chip runs, or None."""
    try:
        devices = map(open_device, range(open_cuda().num_devices))
        return next((device for device in devices if runs_on(ptx_devices(chip), device.capability)), None)
    except DriverError:
        return None


def execute(image: bytes, launch: Launch, buffers: Sequence[np.ndarray], driver: Driver[Any]) -> np.ndarray:
    """Launches a kernel, waits for it, and returns the memory that was zero when it began.

    Args:
      image: the PTX, or a cubin for the device.
      launch: how it is launched.
      buffers: the operands, inputs before outputs, in row-major order; the kernel writes the outputs. An output that is
        in the memory of an input is the same array.
      driver: makes the launch.

    Raises:
      DriverError: when the driver refuses the kernel or the launch, or the launch fails.
      PtxError: when the emulator does not know an instruction of the text.
      LaunchError: when a thread makes an invalid access in the emulator, or a check of the kernel fails.
    """
    before = [buffer.copy() for buffer in buffers] if _observers else []
    packed = [PackedOperand(buffers[number], count) for number, count in launch.packed_operands]
    on_driver, operands = with_packed(launch, len(buffers)), [*buffers, *(operand.words for operand in packed)]
    with within_kernel(launch.entry, None):
        function = _load(image, on_driver, driver)
        memory = {id(operand): driver.allocate(_size_of(operand, launch)) for operand in operands}
        try:
            for operand in operands:
                driver.write(memory[id(operand)], operand.tobytes().ljust(_size_of(operand, launch), b"\0"))
            zeroed = function.run([memory[id(operand)] for operand in operands])
            driver.synchronize()
            for operand in operands:
                # An input may be read-only; a kernel writes the outputs.
                if not operand.flags.writeable:
                    continue
                operand.reshape(-1).view(np.uint8)[...] = np.frombuffer(
                    driver.read(memory[id(operand)], operand.nbytes), np.uint8
                )
        finally:
            # After a fault of the kernel nothing can be freed; its error is the one to report.
            with contextlib.suppress(DriverError):
                for address in memory.values():
                    driver.free(address)
    for operand in packed:
        operand.unpack()
    for observer in _observers:
        observer(image, launch, before, buffers)
    return np.frombuffer(zeroed, np.uint64)


def _size_of(operand: np.ndarray, launch: Launch) -> int:
    """Returns the bytes of an operand's memory, which are whole words if the kernel updates parts of words."""
    return -(-operand.nbytes // _PACKED_BYTES) * _PACKED_BYTES if launch.updates_parts_of_words else operand.nbytes


@functools.lru_cache(maxsize=64)
def _load(image: bytes, launch: Launch, driver: Driver[Any]) -> Function[Any]:
    return driver.load(image).function(launch)


Observer = Callable[[bytes, Launch, Sequence[np.ndarray], Sequence[np.ndarray]], None]
_observers: list[Observer] = []


@contextlib.contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Calls a function after each launch that succeeds: with the code, the launch, the operands before and after."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)
