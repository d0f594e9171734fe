# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's driver, called through `libcuda.so.1`. Needs neither a CUDA toolkit nor another package."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from gridir.errors import Error, LaunchError
from gridir.runtime.gpu.launch import WORD_BYTES, Launch, Operand, TensorMap
from gridir.runtime.gpu.launch_arguments import (
    ArgumentSources,
    Configuration,
    LaunchMemory,
    LaunchValues,
    PreparedLaunch,
    Slot,
    encode_tensor_map,
)

_STATIC_SHARED_BYTES = 48 << 10
"""A function that requests more shared memory needs explicit permission."""
_PORTABLE_CLUSTER = 8
_NOT_FOUND_LIBRARY = "expected NVIDIA's driver (libcuda.so.1) on this machine, found none"

# Numbers of the interface of the driver.
_OPTION_ERROR_LOG, _OPTION_ERROR_BYTES = 5, 6
_MAJOR, _MINOR, _MULTIPROCESSORS, _SHARED_OPTIN = 75, 76, 16, 97
_FUNCTION_DYNAMIC_SHARED, _FUNCTION_NON_PORTABLE_CLUSTER = 8, 14
_SIZE_BYTES = 4
"""Bytes of a size of a dynamic grid."""
_MOST_KEPT = 1024
"""Entries of a cache of a function."""
_POINTER_DEVICE_ORDINAL = 9
_EVENT_WITHOUT_TIME = 2
_HOST_PORTABLE, _HOST_MAPPED = 1, 2
"""Memory of the host for all contexts, at the same address in kernels."""


class DriverError(Error):
    """A function of CUDA's driver failed.

    Attributes:
      code: the number of the error.
    """

    def __init__(self, message: str, code: int = 0, **kwargs: Any):
        super().__init__(message, **kwargs)
        self.code = code


class Cuda:
    """The driver of this process; `open_cuda` gives it.

    Attributes:
      version: the newest CUDA version that the driver supports, as (13, 0).
    """

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise DriverError(_NOT_FOUND_LIBRARY) from None
        self._reports: dict[int, list[int]] = {}
        self.call("cuInit", 0)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = version.value // 1000, version.value % 1000 // 10

    def call(self, name: str, *args: Any) -> None:
        """Calls a function of the driver.

        Raises:
          DriverError: when it fails, with the driver's name of the error.
        """
        code = getattr(self._library, name)(*args)
        if code:
            raise self.error(name, code)

    def error(self, name: str, code: int) -> DriverError:
        """Returns the error of a function of the driver, with the driver's name of it."""
        text = ctypes.c_char_p()
        self._library.cuGetErrorName(code, ctypes.byref(text))
        known = text.value.decode() if text.value else "an error that it has no name for"
        return DriverError(f"{name} failed with {code} ({known})", code)

    def address_of(self, name: str) -> int:
        """Returns the address of a function of the driver."""
        return ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value or 0

    def take_report(self, size: int) -> int:
        """Returns the address of `size` bytes of zeros that the kernels of all devices and the host access.

        A fault of a kernel makes memory of its device inaccessible, but not this.
        """
        try:
            address = self._reports.setdefault(size, []).pop()
        except IndexError:
            memory = ctypes.c_void_p()
            self.call("cuMemHostAlloc", ctypes.byref(memory), ctypes.c_size_t(size), _HOST_PORTABLE | _HOST_MAPPED)
            address = memory.value or 0
        ctypes.memset(address, 0, size)
        return address

    def give_back_report(self, address: int, size: int) -> None:
        """Keeps memory of `take_report` for other launches, once the kernel has ended."""
        self._reports[size].append(address)

    @property
    def num_devices(self) -> int:
        """The number of GPUs that the driver sees."""
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        return count.value

    def device_of(self, pointer: int) -> int:
        """Returns the number of the device on which memory is.

        Raises:
          LaunchError: when the address is not in memory that the driver knows.
        """
        ordinal = ctypes.c_int(-1)
        try:
            self.call("cuPointerGetAttribute", ctypes.byref(ordinal), _POINTER_DEVICE_ORDINAL, ctypes.c_uint64(pointer))
        except DriverError as error:
            raise LaunchError(f"expected the address of memory on a GPU, got {pointer:#x}: {error.message}") from None
        return ordinal.value


@functools.cache
def open_cuda() -> Cuda:
    """Returns the driver, which is opened once.

    Raises:
      DriverError: when there is no driver, or it finds no GPU that works.
    """
    return Cuda()


_UNCHANGED = contextlib.nullcontext()


class Device:
    """A GPU and its primary context, which it shares with the other users of the process; `open_device` gives it.

    Implements `gridir.runtime.gpu.driver.Driver`.

    Attributes:
      number: the device's number in this process.
      name: the name that NVIDIA gives it.
      capability: its compute capability, as (9, 0).
      multiprocessors: how many it has.
      shared_bytes: shared memory that a CTA may have at most.
    """

    def __init__(self, number: int):
        self.cuda = open_cuda()
        if not 0 <= number < self.cuda.num_devices:
            raise DriverError(f"expected one of {self.cuda.num_devices} devices, got {number}")
        self.number = number
        device = ctypes.c_int()
        self.cuda.call("cuDeviceGet", ctypes.byref(device), number)
        self._context = ctypes.c_void_p()
        self.cuda.call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)

        def attribute(number: int) -> int:
            value = ctypes.c_int()
            self.cuda.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
            return value.value

        name = ctypes.create_string_buffer(256)
        self.cuda.call("cuDeviceGetName", name, len(name), device)
        self.name = name.value.decode()
        self.capability = attribute(_MAJOR), attribute(_MINOR)
        self.multiprocessors = attribute(_MULTIPROCESSORS)
        self.shared_bytes = attribute(_SHARED_OPTIN)

    @property
    def context(self) -> int:
        """The handle of the primary context."""
        return self._context.value or 0

    @functools.cached_property
    def unused_memory(self) -> int:
        """The address of a few bytes that kernels get and do not access."""
        return self.allocate(64)

    def current(self) -> contextlib.AbstractContextManager[Any]:
        """Makes the device's context the current one of this thread, and restores the one before."""
        before = ctypes.c_void_p()
        self.cuda.call("cuCtxGetCurrent", ctypes.byref(before))
        return _UNCHANGED if before.value == self._context.value else self._switched(before)

    @contextlib.contextmanager
    def _switched(self, before: ctypes.c_void_p) -> Iterator[None]:
        self.cuda.call("cuCtxSetCurrent", self._context)
        try:
            yield
        finally:
            self.cuda.call("cuCtxSetCurrent", before)

    def load(self, image: bytes) -> Module:
        """Loads a cubin or a text of PTX, which the driver compiles.

        Raises:
          DriverError: when the driver refuses it, with its log.
        """
        return Module(self, image)

    def allocate(self, size: int) -> int:
        """Returns the address of new memory of the device."""
        address = ctypes.c_uint64()
        with self.current():
            self.cuda.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value

    def free(self, address: int) -> None:
        """Frees memory of `allocate`, after all work of the device has ended."""
        with self.current():
            self.cuda.call("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address: int, data: bytes) -> None:
        """Copies bytes to the device."""
        with self.current():
            self.cuda.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        """Copies bytes from the device, after the work of the default stream has ended."""
        data = ctypes.create_string_buffer(max(size, 1))
        with self.current():
            self.cuda.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw[:size]

    def encode_tensor_map(self, address: int, tensor_map: TensorMap) -> ctypes.Array[ctypes.c_char]:
        """Returns the tensor map of memory at an address.

        Raises:
          DriverError: when the driver refuses it, as for an address that is not a multiple of 16.
        """
        return encode_tensor_map(self.cuda, address, tensor_map)

    def is_capturing(self, stream: int) -> bool:
        """True if a CUDA graph is captured from a stream."""
        status = ctypes.c_int()
        with self.current():
            self.cuda.call("cuStreamIsCapturing", ctypes.c_void_p(stream), ctypes.byref(status))
        return status.value != 0

    def order(self, before: int, after: int) -> None:
        """Lets later work of the stream `after` begin once the work that the stream `before` has now is done."""
        event = ctypes.c_void_p()
        with self.current():
            self.cuda.call("cuEventCreate", ctypes.byref(event), _EVENT_WITHOUT_TIME)
            self.cuda.call("cuEventRecord", event, ctypes.c_void_p(before))
            self.cuda.call("cuStreamWaitEvent", ctypes.c_void_p(after), event, 0)
            self.cuda.call("cuEventDestroy_v2", event)

    def synchronize(self, stream: int = 0) -> None:
        """Returns when the work of a stream has ended.

        Raises:
          DriverError: when it failed.
        """
        with self.current():
            self.cuda.call("cuStreamSynchronize", ctypes.c_void_p(stream))


@functools.cache
def open_device(number: int = 0) -> Device:
    """Returns a GPU of this process.

    Raises:
      DriverError: when there is no driver, or no device of that number.
    """
    return Device(number)


class Module:
    """A cubin or a text of PTX that is loaded on a device; it is unloaded when nothing refers to it."""

    def __init__(self, device: Device, image: bytes):
        self._device = device
        self._handle = ctypes.c_void_p()
        log = ctypes.create_string_buffer(4096)
        options = (ctypes.c_int * 2)(_OPTION_ERROR_LOG, _OPTION_ERROR_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log))
        with device.current():
            try:
                device.cuda.call("cuModuleLoadDataEx", ctypes.byref(self._handle), image, 2, options, values)
            except DriverError as error:
                lines = log.value.decode(errors="replace").splitlines()
                raise DriverError(error.message, error.code, notes=lines) from None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            with contextlib.suppress(DriverError), self._device.current():
                self._device.cuda.call("cuModuleUnload", self._handle)

    def function(self, launch: Launch) -> Function:
        """Returns the entry of a launch, allowed to have the memory and the clusters that the launch asks for.

        Raises:
          DriverError: when the module has no such entry, or the device lacks the resources that it requests.
        """
        return Function(self, self._device, self._handle, launch)


class Function:
    """An entry of a module, ready to be launched as its description says."""

    def __init__(self, module: Module, device: Device, handle: ctypes.c_void_p, launch: Launch):
        self._module, self._device, self._launch = module, device, launch
        self._handle = ctypes.c_void_p()
        cuda = device.cuda
        if launch.shared_bytes > device.shared_bytes:
            raise LaunchError(
                f"expected at most {device.shared_bytes} bytes of shared memory on this device, "
                f"got {launch.shared_bytes}",
                kernel=launch.entry,
            )
        with device.current():
            cuda.call("cuModuleGetFunction", ctypes.byref(self._handle), handle, launch.entry.encode())
            if launch.shared_bytes > _STATIC_SHARED_BYTES:
                cuda.call("cuFuncSetAttribute", self._handle, _FUNCTION_DYNAMIC_SHARED, launch.shared_bytes)
            if launch.cluster_ctas > _PORTABLE_CLUSTER:
                cuda.call("cuFuncSetAttribute", self._handle, _FUNCTION_NON_PORTABLE_CLUSTER, 1)
        self._maps: dict[tuple[int, TensorMap], ctypes.Array[ctypes.c_char]] = {}
        # The arguments of launches that use no memory of their own, and the configuration for each stream.
        self._ready: dict[tuple[int, ...], LaunchValues] = {}
        self._configs: dict[int, Configuration] = {}
        self._default = None if launch.ctas is None else Configuration(launch, 0)

    def __call__(self, operands: Sequence[int], stream: int = 0) -> None:
        """Launches the entry on a stream, and returns before it has ended unless it has checks.

        A launch with a dynamic grid waits for the stream, and reads the sizes.

        Args:
          operands: the address of each operand.
          stream: the handle of the stream.

        Raises:
          DriverError: when the driver refuses the launch.
          LaunchError: when a check of the kernel failed.
        """
        self._launch_on(operands, stream, reads_zeroed=False)

    def run(self, operands: Sequence[int]) -> bytes:
        """Launches the entry on the default stream, and returns the memory that was zero.

        A launch with such memory has ended then.

        Raises:
          DriverError: when the driver refuses the launch, or it fails.
          LaunchError: when a check of the kernel failed.
        """
        return self._launch_on(operands, 0, reads_zeroed=True)

    def _launch_on(self, operands: Sequence[int], stream: int, *, reads_zeroed: bool) -> bytes:
        with self._device.current():
            launch, is_dynamic = self._launch, self._launch.dynamic_ctas is not None
            if (is_dynamic or launch.diagnostics) and self._device.is_capturing(stream):
                feature = "a dynamic grid" if is_dynamic else "run-time checks"
                raise LaunchError(
                    f"expected a stream that no CUDA graph is captured from for a kernel with {feature}, got a "
                    "captured one: the call waits for it",
                    kernel=launch.entry,
                )
            if launch.dynamic_ctas is not None:
                launch = launch.with_sizes([self._read_size(operands[x], stream) for x in launch.dynamic_ctas.operands])
            if not launch.ctas:
                return b""
            key = tuple(operands)
            if (ready := self._ready.get(key)) is not None:
                self._start(ready, stream)
                return b""
            with LaunchMemory(self, self._device, stream) as memory:
                arguments = launch.arguments(operands, memory)
                values = LaunchValues(arguments.values)
                self._start(values, stream, Configuration(launch, stream) if is_dynamic else None)
                if not memory.is_used and not is_dynamic:
                    self._keep(self._ready, key, values)
                if self._launch.diagnostics and arguments.report is not None:
                    self._check(arguments.report, stream)
                if not reads_zeroed or arguments.zeroed is None:
                    return b""
                self._device.synchronize(stream)
                return self._device.read(arguments.zeroed, memory.size_of(arguments.zeroed))

    def _read_size(self, address: int, stream: int) -> int:
        self._device.synchronize(stream)
        return int.from_bytes(self._device.read(address, _SIZE_BYTES), "little", signed=True)

    def _start(self, values: LaunchValues, stream: int, config: Configuration | None = None) -> None:
        config = config or self._configs.get(stream)
        if config is None:
            config = Configuration(self._launch, stream)
            self._keep(self._configs, stream, config)
        self._device.cuda.call("cuLaunchKernelEx", config.reference, self._handle, values.pointers, None)

    def configuration(self, grid: Sequence[int], block: Sequence[int], cluster: Sequence[int]) -> Configuration:
        """Returns sizes along three dimensions on the default stream, for code of another compiler."""
        return Configuration(self._launch, 0, (grid, block, cluster))

    def prepared(self, operands: Sequence[int]) -> PreparedLaunch | None:
        """Returns the parts of a launch that was made; None if each launch uses memory of its own."""
        ready = self._ready.get(tuple(operands))
        if ready is None or self._default is None:
            return None
        return PreparedLaunch(self, ready, self._default, self._sources)

    @functools.cached_property
    def _sources(self) -> tuple[tuple[int, int], ...] | None:
        """The operand or the constant of each parameter; None if the launch has tensor maps."""
        if any(isinstance(parameter, TensorMap) for parameter in self._launch.parameters):
            return None
        operands = [x.operand for x in self._launch.parameters if isinstance(x, Operand)]
        slots = [Slot(number) for number in range(max(operands, default=-1) + 1)]
        return tuple(self._launch.arguments(slots, ArgumentSources(self._device)).values)

    @staticmethod
    def _keep(cache: dict[Any, Any], key: Any, value: Any) -> None:
        if len(cache) >= _MOST_KEPT:
            cache.clear()
        cache[key] = value

    def _check(self, report: int, stream: int) -> None:
        try:
            self._device.synchronize(stream)
        except DriverError as error:
            # A check that failed before is the cause.
            self._check_words(report, (f"then the kernel failed: {error.message}",))
            raise
        self._check_words(report)

    def _check_words(self, report: int, notes: Sequence[str] = ()) -> None:
        try:
            self._launch.check_report(list(struct.unpack("<3q", ctypes.string_at(report, 3 * WORD_BYTES))))
        except LaunchError as error:
            error.notes += tuple(notes)
            raise

    @property
    def handles(self) -> tuple[int, int]:
        """The handles of the context and of the function."""
        return self._device.context, self._handle.value or 0

    def encode(self, address: int, tensor_map: TensorMap) -> ctypes.Array[ctypes.c_char]:
        """Returns the tensor map of memory at an address; the maps of an address are made once.

        Raises:
          DriverError: when the driver refuses it, as for an address that is not a multiple of 16.
        """
        key = address, tensor_map
        if (known := self._maps.get(key)) is None:
            known = self._device.encode_tensor_map(address, tensor_map)
            self._keep(self._maps, key, known)
        return known
