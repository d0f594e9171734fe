# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of a bundle as functions of arrays on a GPU."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridir.errors import LaunchError, within_kernel
from gridir.runtime.gpu.arrays import Facts, View, facts_of, stream_of, view_of
from gridir.runtime.gpu.bundle import Bundle, BundledKernel, OperandInfo, bytes_of, item_bytes, names_of, read_bundle
from gridir.runtime.gpu.chips import cubin_devices, ptx_devices, runs_on
from gridir.runtime.gpu.launch import contiguous_strides
from gridir.runtime.gpu.libcuda import Device, DriverError, Function, open_cuda, open_device
from gridir.runtime.gpu.prepared import PreparedLaunches, prepared_launches

_MOST_CHECKED = 1024
"""Calls whose checks are kept."""


class GpuKernel:
    """A kernel that launches on arrays of any package that has DLPack or `__cuda_array_interface__`.

    Attributes:
      name: the kernel's name.
      operands: the operands that a call passes, inputs before outputs.
    """

    def __init__(self, kernel: BundledKernel):
        self._kernel = kernel
        self.name = kernel.name
        self.operands = kernel.operands
        self._titles = tuple(map(_title, self.operands))
        self._sizes = tuple(map(bytes_of, self.operands))
        # For each operand the properties without the address that were checked.
        self._fitting: tuple[set[Facts], ...] = tuple(set() for _ in self.operands)
        self._functions: dict[int, Function] = {}
        # Calls repeat the memory of earlier calls, for which everything is checked.
        self._checked: dict[tuple[Facts, ...], tuple[Function, tuple[int, ...]]] = {}
        # The same in native code.
        self._prepared: PreparedLaunches | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        operands = ", ".join(f"{x.name}: {x}" for x in self.operands)
        return f"<kernel {self.name}({operands}) for {self._kernel.chip}>"

    def __call__(self, *arrays: Any, stream: Any = None) -> None:
        """Launches the kernel, and returns before it has ended unless it has run-time checks.

        Args:
          arrays: the inputs, then the outputs, all on one GPU. Each has the dtype and the shape of its operand, and no
            gaps; `view` states a dtype that a package has no name for. An output in the memory of an input is the
            same array, or another view of its memory.
          stream: the stream that orders the launch: its handle, or an object of PyTorch or CuPy that has one; None for
            the stream that an array's producer uses, or the default stream.

        Raises:
          LaunchError: when an array does not fit, with both values, or a run-time check of the kernel failed.
          DriverError: when there is no GPU, or the driver refuses the launch.
        """
        try:
            self._launch(arrays, stream)
        except DriverError as error:
            error.kernel = error.kernel or self.name
            raise

    def _launch(self, arrays: tuple[Any, ...], stream: Any) -> None:
        given = None if stream is None else _handle_of(stream)
        if self._prepared is not None and self._prepared.launch(arrays, given):
            return
        if len(arrays) != len(self.operands):
            names = ", ".join(operand.name for operand in self.operands)
            raise self._error(f"expected {len(self.operands)} arrays ({names}), got {len(arrays)}")
        handle, ordered = _producers_stream(arrays) if given is None else (given, None)
        facts = tuple([facts_of(x, title, handle, ordered) for x, title in zip(arrays, self._titles, strict=True)])
        known = self._checked.get(facts)
        if known is None:
            function, pointers = self._check(facts, handle)
            if len(self._checked) >= _MOST_CHECKED:
                self._checked.clear()
            self._checked[facts] = function, pointers
            function(pointers, handle)
            if self._prepared is None:
                self._prepared = prepared_launches()
            if self._prepared is not None:
                self._prepared.add(arrays, facts, function.prepared(pointers), self.operands)
        else:
            function, pointers = known
            function(pointers, handle)

    def function(self, device: int = 0) -> Function:
        """Returns the kernel's machine code on a device, which is loaded once.

        Raises:
          DriverError: when the driver refuses it.
          LaunchError: when it is for another chip.
        """
        with self._lock, within_kernel(self.name, None):
            if device not in self._functions:
                self._functions[device] = self._load(open_device(device))
            return self._functions[device]

    def _load(self, device: Device) -> Function:
        kernel = self._kernel
        for chip, cubin in kernel.cubins.items():
            if runs_on(cubin_devices(chip), device.capability):
                return device.load(cubin).function(kernel.launch)
        if not runs_on(ptx_devices(kernel.chip), device.capability):
            major, minor = device.capability
            raise self._error(
                f"expected a device for code of {', '.join([kernel.chip, *kernel.cubins])}, "
                f"got one of compute capability {major}.{minor}"
            )
        try:
            return device.load(kernel.ptx.encode() + b"\0").function(kernel.launch)
        except DriverError as error:
            version = next((x for x in kernel.ptx.splitlines() if x.startswith(".version")), "")
            driver = ".".join(map(str, open_cuda().version))
            error.notes += (f"the text has PTX {version}, and the driver is of CUDA {driver}",)
            raise

    def _check(self, facts: Sequence[Facts], stream: int) -> tuple[Function, tuple[int, ...]]:
        """Returns the function of the device and the addresses of arrays; raises LaunchError where one does not fit."""
        devices: set[int] = set()
        for number, (fact, operand) in enumerate(zip(facts, self.operands, strict=True)):
            # Arrays differ in their addresses more often than in the rest.
            pointer, *others = fact
            if (signature := tuple(others)) not in self._fitting[number]:
                self._check_operand(view_of(fact, self._titles[number]), operand)
                if len(self._fitting[number]) >= _MOST_CHECKED:
                    self._fitting[number].clear()
                self._fitting[number].add(signature)
            if not pointer and self._sizes[number]:
                raise self._error(f"expected memory of a GPU for {self._titles[number]}, got the address 0")
            if pointer % operand.alignment and self._sizes[number]:
                raise self._error(
                    f"expected an address of {self._titles[number]} that is a multiple of {operand.alignment}, "
                    f"got {pointer:#x}"
                )
            if pointer and self._sizes[number]:
                devices.add(others[0])
        if len(devices) > 1:
            raise self._error(f"expected all arrays on one device, got them on {sorted(devices)}")
        pointers = tuple(fact[0] for fact in facts)
        for number, operand in enumerate(self.operands):
            if operand.is_output:
                self._check_memory(number, operand, pointers)
        device = next(iter(devices), 0)
        if device not in self._functions and open_device(device).is_capturing(stream):
            raise self._error(
                f"expected a kernel that was loaded on device {device} before a CUDA graph was captured, got a first "
                f"launch on a captured stream; call function({device}) of the kernel before"
            )
        return self.function(device), pointers

    def _check_operand(self, view: View, operand: OperandInfo) -> None:
        title = _title(operand)
        if view.dtype != operand.dtype:
            raise self._error(f"expected the dtype {operand.dtype} of {title}, got {view.dtype}", *_advice(operand))
        if view.per_byte != operand.per_byte:
            wanted = f"{operand.per_byte} element{'s' if operand.per_byte > 1 else ''}"
            raise self._error(f"expected {wanted} in a byte of {title}, got {view.per_byte}", *_advice(operand))
        if len(view.shape) != len(operand.shape):
            raise self._error(f"expected rank {len(operand.shape)} of {title}, got {len(view.shape)}")
        if view.shape != operand.shape:
            raise self._error(f"expected the shape {operand.shape} of {title}, got {view.shape}")
        wanted = contiguous_strides(operand.shape, item_bytes(operand.dtype))
        if math.prod(view.shape) and any(
            size > 1 and got != want for size, got, want in zip(view.shape, view.strides, wanted, strict=True)
        ):
            unit = "bytes" if operand.per_byte == 1 else "elements"
            raise self._error(f"expected the strides {wanted} in {unit} of {title}, got {view.strides}")
        if operand.is_output and view.read_only:
            raise self._error(f"expected memory that may be written for {title}, got an array that is read-only")

    def _check_memory(self, number: int, operand: OperandInfo, pointers: Sequence[int]) -> None:
        pointer, size, title = pointers[number], self._sizes[number], self._titles[number]
        if operand.alias is not None and size and pointer != pointers[operand.alias]:
            raise self._error(
                f"expected {title} in the memory of {self._titles[operand.alias]} at {pointers[operand.alias]:#x}, "
                f"got it at {pointer:#x}"
            )
        for index, (other, other_size) in enumerate(zip(pointers, self._sizes, strict=True)):
            if index in (number, operand.alias) or not size or not other_size:
                continue
            if pointer < other + other_size and other < pointer + size:
                raise self._error(
                    f"expected {title} in memory of its own, got it at {pointer:#x}, which overlaps "
                    f"{self._titles[index]} at {other:#x}"
                )

    def _error(self, message: str, *notes: str) -> LaunchError:
        return LaunchError(message, kernel=self.name, notes=notes)


class LoadedBundle:
    """The kernels of a bundle, by name and in order; a bundle of one kernel is called as this kernel.

    Attributes:
      kernels: the kernels in the order in which the function calls them.
      versions: the versions of gridir, JAX and ptxas that made the bundle.
    """

    def __init__(self, bundle: Bundle):
        self.kernels = tuple(map(GpuKernel, bundle.kernels))
        self.versions = bundle.versions
        self._names = names_of(bundle.kernels)

    def __repr__(self) -> str:
        return f"<bundle of {self._names}>"

    def __getitem__(self, name: str) -> GpuKernel:
        """Returns the first kernel of a name.

        Raises:
          KeyError: when there is none.
        """
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise KeyError(f"expected a kernel of the bundle ({self._names}), got {name!r}")

    def __call__(self, *arrays: Any, stream: Any = None) -> None:
        """Launches the only kernel; see `GpuKernel.__call__`.

        Raises:
          LaunchError: when the bundle has several kernels or none, and as of the kernel.
        """
        if len(self.kernels) != 1:
            raise LaunchError(f"expected a bundle of one kernel, got one of {self._names}; choose one by its name")
        self.kernels[0](*arrays, stream=stream)


def load(path: str | Path) -> LoadedBundle:
    """Loads the kernels of a bundle that `gridir build` wrote. Needs no compiler, and no GPU before the first launch.

    Args:
      path: the file.

    Raises:
      BundleError: when the file is truncated, corrupted or edited, or of another format.
      OSError: when it cannot be read.

    Example:
      >>> from gridir.runtime import gpu
      >>> add = gpu.load("add.gridir")
      >>> add(x, y, out, stream=torch.cuda.current_stream())
    """
    return LoadedBundle(read_bundle(path))


def _title(operand: OperandInfo) -> str:
    return f"{'output' if operand.is_output else 'input'} {operand.name}"


def _advice(operand: OperandInfo) -> tuple[str, ...]:
    """Returns the view by which an array of bytes is passed, where a package has no type for the elements."""
    if operand.dtype == "bool" or item_bytes(operand.dtype) > 1:
        return ()
    packing = "" if operand.per_byte == 1 else f", per_byte={operand.per_byte}"
    return (f"gridir.runtime.gpu.view(array, {operand.dtype!r}{packing}) passes an array of bytes",)


def _producers_stream(arrays: Sequence[Any]) -> tuple[int, type | None]:
    """Returns the stream that the first array which says one is used on, and its type; or the default stream."""
    for array in arrays:
        if (stream := stream_of(array)) is not None:
            return stream, type(array)
    return 0, None


def _handle_of(stream: Any) -> int:
    """Returns the handle of a stream: a number, or that of an object with CUDA's protocol, of PyTorch or of CuPy."""
    if hasattr(stream, "__cuda_stream__"):
        _, stream = stream.__cuda_stream__()
    for name in ("cuda_stream", "ptr"):
        stream = getattr(stream, name, stream)
    if not isinstance(stream, int):
        raise LaunchError(f"expected a stream as a number, or one of PyTorch or CuPy, got {type(stream).__name__}")
    if stream < 0:
        raise LaunchError(f"expected the handle of a stream, got {stream}")
    return stream
