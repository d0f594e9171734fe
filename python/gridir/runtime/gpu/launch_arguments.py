# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a launch as CUDA's driver reads them: values, the configuration, and memory of one launch."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gridir.errors import Error
from gridir.runtime.gpu.launch import WORD_BYTES, Launch, TensorMap

if TYPE_CHECKING:
    from gridir.runtime.gpu.libcuda import Cuda, Device, Function

_TENSOR_MAP_BYTES, _TENSOR_MAP_ALIGNMENT = 128, 64
_LAUNCH_CLUSTER = 4


class _Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint32 * 16))


class _Config(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("num_attributes", ctypes.c_uint),
    )


class LaunchValues:
    """The arguments of a launch in the memory that the driver reads.

    Attributes:
      pointers: the address of each argument.
    """

    def __init__(self, values: list[Any]):
        self._values = values
        self.pointers = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))


class Configuration:
    """The sizes of a launch on a stream in the memory that the driver reads.

    Attributes:
      reference: the argument of the driver's functions.
      address: the same as a number.
    """

    def __init__(self, launch: Launch, stream: int, sizes: Sequence[Sequence[int]] = ()):
        grid, block, cluster = sizes or ((launch.ctas or 0, 1, 1), (launch.threads, 1, 1), (launch.cluster_ctas, 1, 1))
        attributes = (_Attribute * 1)()
        attributes[0].id = _LAUNCH_CLUSTER
        attributes[0].value[:3] = tuple(cluster)
        num_attributes = 1 if launch.cluster_ctas > 1 else 0
        self._config = _Config(tuple(grid), tuple(block), launch.shared_bytes, stream, attributes, num_attributes)
        self.reference = ctypes.byref(self._config)
        self.address = ctypes.addressof(self._config)


class PreparedLaunch:
    """The parts of a launch in the memory that the driver reads; it keeps them alive.

    Attributes:
      context: the handle of the context.
      function: the handle of the function.
      config: the address of the configuration, for the default stream.
      arguments: the address of the addresses of the arguments.
      sources: the number of an operand, or -1 and a constant, for each argument; None if they depend on addresses in
        another way.
    """

    def __init__(
        self,
        function: Function,
        values: LaunchValues,
        config: Configuration,
        sources: tuple[tuple[int, int], ...] | None,
    ):
        self._parts = function, values, config
        self.context, self.function = function.handles
        self.config = config.address
        self.arguments, self.sources = ctypes.addressof(values.pointers), sources


class Slot(int):
    """The number of an operand in place of its address."""


class ArgumentSources:
    """Finds where each argument of a launch comes from; the launch has no memory of its own and no tensor map."""

    def __init__(self, device: Device):
        self._device = device

    def pointer(self, memory: int) -> tuple[int, int]:
        """See `Materializer`."""
        return (memory, 0) if isinstance(memory, Slot) else (-1, memory)

    def scalar(self, value: int) -> tuple[int, int]:
        """See `Materializer`."""
        return -1, value

    def tensor_map(self, memory: int, tensor_map: TensorMap) -> tuple[int, int]:
        """See `Materializer`."""
        raise AssertionError(f"expected a launch without tensor maps, got one of operand {tensor_map.operand}")

    def scratch(self, size: int, *, zeroed: bool) -> int:
        """See `Materializer`."""
        raise AssertionError(f"expected a launch without memory of its own, got {size} bytes, zeroed: {zeroed}")

    def report(self, size: int) -> int:
        """See `Materializer`."""
        raise AssertionError(f"expected a launch without checks, got a report of {size} bytes")

    def unused(self) -> int:
        """See `Materializer`."""
        return self._device.unused_memory


class LaunchMemory:
    """The memory that one launch uses, which is allocated and freed in the order of a stream.

    As a context manager it frees the memory once the work that the stream has then is done.
    """

    def __init__(self, function: Function, device: Device, stream: int):
        self._function, self._device, self._stream = function, device, ctypes.c_void_p(stream)
        self._allocated: dict[int, int] = {}
        self._reports: dict[int, int] = {}

    def __enter__(self) -> LaunchMemory:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        for address, size in self._reports.items():
            self._device.cuda.give_back_report(address, size)
        # After a fault of a kernel nothing can be freed; the error of the kernel is the one to report.
        with contextlib.nullcontext() if kind is None else contextlib.suppress(Error):
            for address in self._allocated:
                self._device.cuda.call("cuMemFreeAsync", ctypes.c_uint64(address), self._stream)

    def pointer(self, memory: int) -> ctypes.c_uint64:
        """See `Materializer`."""
        return ctypes.c_uint64(memory)

    def scalar(self, value: int) -> ctypes.c_int64:
        """See `Materializer`."""
        return ctypes.c_int64(value)

    def tensor_map(self, memory: int, tensor_map: TensorMap) -> ctypes.Array[ctypes.c_char]:
        """See `Materializer`."""
        return self._function.encode(memory, tensor_map)

    def scratch(self, size: int, *, zeroed: bool) -> int:
        """See `Materializer`."""
        address = ctypes.c_uint64()
        size = max(-(-size // WORD_BYTES), 1) * WORD_BYTES
        cuda = self._device.cuda
        cuda.call("cuMemAllocAsync", ctypes.byref(address), ctypes.c_size_t(size), self._stream)
        self._allocated[address.value] = size
        if zeroed:
            cuda.call("cuMemsetD8Async", address, ctypes.c_ubyte(0), ctypes.c_size_t(size), self._stream)
        return address.value

    def unused(self) -> int:
        """See `Materializer`."""
        return self._device.unused_memory

    def report(self, size: int) -> int:
        """See `Materializer`."""
        address = self._device.cuda.take_report(size)
        self._reports[address] = size
        return address

    @property
    def is_used(self) -> bool:
        """True if the launch has memory that no other launch may use at the same time."""
        return bool(self._allocated or self._reports)

    def size_of(self, address: int) -> int:
        """Returns the bytes of memory that this launch uses."""
        return self._allocated[address]


def encode_tensor_map(cuda: Cuda, address: int, tensor_map: TensorMap) -> ctypes.Array[ctypes.c_char]:
    """Returns the tensor map of memory at an address.

    Raises:
      DriverError: when the driver refuses it.
    """
    if 0 in tensor_map.shape:
        # No copy finds a tile in a tensor without elements, and the driver makes no map of one.
        return ctypes.create_string_buffer(_TENSOR_MAP_BYTES)
    rank = len(tensor_map.shape)
    memory = ctypes.create_string_buffer(_TENSOR_MAP_BYTES + _TENSOR_MAP_ALIGNMENT)
    offset = -ctypes.addressof(memory) % _TENSOR_MAP_ALIGNMENT
    encoded = (ctypes.c_char * _TENSOR_MAP_BYTES).from_buffer(memory, offset)
    # The driver counts dimensions from the innermost, which has no stride.
    shape = (ctypes.c_uint64 * rank)(*tensor_map.shape[::-1])
    strides = (ctypes.c_uint64 * max(rank - 1, 1))(*tensor_map.strides[-2::-1])
    box = (ctypes.c_uint32 * rank)(*tensor_map.box[::-1])
    steps = (ctypes.c_uint32 * rank)(*[1] * rank)
    cuda.call(
        "cuTensorMapEncodeTiled",
        encoded,
        tensor_map.cuda_numbers["cuda_type"],
        rank,
        ctypes.c_void_p(address),
        shape,
        strides,
        box,
        steps,
        0,
        tensor_map.cuda_numbers["cuda_swizzle"],
        0,
        0,
    )
    return encoded
