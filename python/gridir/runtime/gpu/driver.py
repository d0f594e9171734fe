# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of drivers: `libcuda.Device` runs kernels on a GPU, `emulator.Emulator` executes their PTX on the CPU.

Host code of others calls neither: it calls the functions of `libcuda.so.1`. `gridir.runtime.ptx.Driver` implements that
library on the CPU, so that `libcuda.Device` runs there, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from gridir.runtime.gpu.launch import Launch, TensorMap

Memory = TypeVar("Memory")
_Operand = TypeVar("_Operand", contravariant=True)


class Function(Protocol[_Operand]):
    """An entry of a module, ready to be launched as its description says."""

    def run(self, operands: Sequence[_Operand], /) -> bytes:
        """Launches the entry after earlier work of the driver, and returns the memory that was zero.

        Raises:
          DriverError: when the driver refuses the launch.
          LaunchError: when a thread makes an invalid access, or a check of the kernel failed.
        """
        ...


class Module(Protocol[_Operand]):
    """Code that is loaded."""

    def function(self, launch: Launch, /) -> Function[_Operand]:
        """Finds the entry of a launch.

        Raises:
          Error: when there is none, or the driver lacks the resources that the launch requests.
        """
        ...


class Driver(Protocol[Memory]):
    """Loads code, has memory, and makes launches. `Memory` refers to an allocation."""

    def load(self, image: bytes, /) -> Module[Memory]:
        """Loads a text of PTX, or another form of code that the driver knows.

        Raises:
          Error: when the driver refuses it.
        """
        ...

    def allocate(self, size: int, /) -> Memory:
        """Returns new memory with an alignment for every access; its contents are undefined."""
        ...

    def free(self, memory: Memory, /) -> None:
        """Frees memory of `allocate`, after all work of the driver has ended."""

    def write(self, memory: Memory, data: bytes, /) -> None:
        """Copies bytes to the begin of memory."""

    def read(self, memory: Memory, size: int, /) -> bytes:
        """Copies bytes from the begin of memory, after earlier launches have ended."""
        ...

    def encode_tensor_map(self, memory: Memory, tensor_map: TensorMap, /) -> Any:
        """Returns the argument of a launch that is a tensor map of memory.

        Raises:
          Error: when the driver refuses it.
        """

    def synchronize(self) -> None:
        """Returns when all launches have ended.

        Raises:
          Error: when one of them failed.
        """
