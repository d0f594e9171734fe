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

_TENSOR_MAP_BYTES, _TENSOR_MAP_ALIGNMENT = 128, 64
_STATIC_SHARED_BYTES = 48 << 10
"""A function that requests more shared memory needs explicit permission."""
_PORTABLE_CLUSTER = 8
_NOT_FOUND_LIBRARY = "expected NVIDIA's driver (libcuda.so.1) on this machine, found none"

# Numbers of the interface of the driver.
_OPTION_ERROR_LOG, _OPTION_ERROR_BYTES = 5, 6
_MAJOR, _MINOR, _MULTIPROCESSORS, _SHARED_OPTIN = 75, 76, 16, 97
_FUNCTION_DYNAMIC_SHARED, _FUNCTION_NON_PORTABLE_CLUSTER = 8, 14
_LAUNCH_CLUSTER = 4
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
        self._ready: dict[tuple[int, ...], _Values] = {}
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
        """Launches the entry on the default stream, waits for it, and returns the memory that was zero.

        Raises:
          DriverError: when the driver refuses the launch, or it fails.
          LaunchError: when a check of the kernel failed.
        """
        zeroed = self._launch_on(operands, 0, reads_zeroed=True)
        self._device.synchronize()
        return zeroed

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
            with _Scratch(self, self._device, stream) as memory:
                arguments = launch.arguments(operands, memory)
                values = _Values(arguments.values)
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

    def _start(self, values: _Values, stream: int, config: Configuration | None = None) -> None:
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
        slots = [_Slot(number) for number in range(max(operands, default=-1) + 1)]
        return tuple(self._launch.arguments(slots, _Sources(self._device)).values)

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
            known = _encode(self._device.cuda, address, tensor_map)
            self._keep(self._maps, key, known)
        return known


class _Values:
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
        values: _Values,
        config: Configuration,
        sources: tuple[tuple[int, int], ...] | None,
    ):
        self._parts = function, values, config
        self.context, self.function = function.handles
        self.config = config.address
        self.arguments, self.sources = ctypes.addressof(values.pointers), sources


class _Slot(int):
    """The number of an operand in place of its address."""


class _Sources:
    """Finds where each argument of a launch comes from; the launch has no memory of its own and no tensor map."""

    def __init__(self, device: Device):
        self._device = device

    def pointer(self, memory: int) -> tuple[int, int]:
        """See `Materializer`."""
        return (memory, 0) if isinstance(memory, _Slot) else (-1, memory)

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


class _Scratch:
    """The memory that one launch uses, which is allocated and freed in the order of a stream.

    As a context manager it frees the memory once the work that the stream has then is done.
    """

    def __init__(self, function: Function, device: Device, stream: int):
        self._function, self._device, self._stream = function, device, ctypes.c_void_p(stream)
        self._allocated: dict[int, int] = {}
        self._reports: dict[int, int] = {}

    def __enter__(self) -> _Scratch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        for address, size in self._reports.items():
            self._device.cuda.give_back_report(address, size)
        # After a fault of a kernel nothing can be freed; the error of the kernel is the one to report.
        with contextlib.nullcontext() if kind is None else contextlib.suppress(DriverError):
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


def _encode(cuda: Cuda, address: int, tensor_map: TensorMap) -> ctypes.Array[ctypes.c_char]:
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
