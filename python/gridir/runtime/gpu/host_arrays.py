# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on a GPU with NumPy arrays, which are copied to the device and back."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence

import numpy as np

from gridir.errors import within_kernel
from gridir.runtime.gpu.chips import ptx_devices, runs_on
from gridir.runtime.gpu.launch import Launch
from gridir.runtime.gpu.libcuda import Device, DriverError, Function, open_cuda, open_device
from gridir.runtime.gpu.packed import PackedOperand, with_packed


def find_device(chip: str) -> Device | None:
    """Returns the first GPU of this machine on which code for a chip runs, or None."""
    try:
        devices = map(open_device, range(open_cuda().num_devices))
        return next((device for device in devices if runs_on(ptx_devices(chip), device.capability)), None)
    except DriverError:
        return None


def execute_on_device(image: bytes, launch: Launch, buffers: Sequence[np.ndarray], device: Device) -> np.ndarray:
    """Launches a kernel, waits for it, and returns the memory that was zero when it began.

    Args:
      image: the PTX, or a cubin for the device.
      launch: how it is launched.
      buffers: the operands, inputs before outputs, in row-major order; the kernel writes the outputs. An output that is
        in the memory of an input is the same array.
      device: where it runs.

    Raises:
      DriverError: when the driver refuses the kernel or the launch, or the launch fails.
      LaunchError: when a check of the kernel fails.
    """
    packed = [PackedOperand(buffers[number], count) for number, count in launch.packed_operands]
    launch, buffers = with_packed(launch, len(buffers)), [*buffers, *(operand.words for operand in packed)]
    with within_kernel(launch.entry, None):
        function = _load(image, launch, device)
        memory = {id(buffer): device.allocate(buffer.nbytes) for buffer in buffers}
        try:
            for buffer in buffers:
                device.write(memory[id(buffer)], buffer.tobytes())
            zeroed = function.run([memory[id(buffer)] for buffer in buffers])
            for buffer in buffers:
                buffer.reshape(-1).view(np.uint8)[...] = np.frombuffer(
                    device.read(memory[id(buffer)], buffer.nbytes), np.uint8
                )
        finally:
            # After a fault of the kernel nothing can be freed; its error is the one to report.
            with contextlib.suppress(DriverError):
                for address in memory.values():
                    device.free(address)
    for operand in packed:
        operand.unpack()
    return np.frombuffer(zeroed, np.uint64)


@functools.lru_cache(maxsize=64)
def _load(image: bytes, launch: Launch, device: Device) -> Function:
    return device.load(image).function(launch)
