# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the work of the host in a launch from Python, with a driver that does nothing; needs no GPU but a compiler.

python benchmarks/gpu_host.py

Each array of the kernel is of one protocol. The producer's own functions are as short as Python can make them, and
their time is printed, too: an array of a real package takes longer.
"""

from __future__ import annotations

import ctypes
import math
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

_DRIVER = """
#include <string.h>
#define OK(name) int name(void) { return 0; }
OK(cuInit) OK(cuDeviceGetName) OK(cuMemAlloc_v2) OK(cuFuncSetAttribute) OK(cuLaunchKernelEx) OK(cuCtxSetCurrent)
OK(cuTensorMapEncodeTiled)
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int n) { *d = n; return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) { *v = which == 75 ? 9 : which == 97 ? 232448 : 0; return 0; }
static void *one = (void *)1;
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = one; return 0; }
int cuCtxGetCurrent(void **c) { *c = one; return 0; }
int cuModuleLoadDataEx(void **m, void *i, int n, void *o, void *v) { *m = one; return 0; }
int cuModuleUnload(void *m) { return 0; }
int cuModuleGetFunction(void **f, void *m, char *n) { *f = one; return 0; }
int cuStreamIsCapturing(void *s, int *c) { *c = 0; return 0; }
int cuPointerGetAttribute(int *v, int which, unsigned long p) { *v = 0; return 0; }
int cuGetErrorName(int e, char **t) { *t = "none"; return 0; }
"""


def load_driver() -> None:
    """Loads a library in place of libcuda.so.1 whose functions do nothing."""
    directory = pathlib.Path(tempfile.mkdtemp())
    source, library = directory / "driver.c", directory / "libcuda.so.1"
    source.write_text(_DRIVER)
    command = ["cc", "-shared", "-fPIC", "-O2", "-w", "-Wl,-soname,libcuda.so.1", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    )  # fmt: skip


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_NAME = b"dltensor"


class DLPackArray:
    """An array of float32 with `__dlpack__` alone."""

    def __init__(self, pointer: int, shape: tuple[int, ...]):
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        self._tensor = _Tensor(pointer, 2, 0, len(shape), 2, 32, 1, sizes)
        self._place = ctypes.addressof(self._tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        return _new_capsule(self._place, _NAME, None)


class InterfaceArray:
    """An array of float32 with `__cuda_array_interface__` alone."""

    def __init__(self, pointer: int, shape: tuple[int, ...]):
        self._interface = {"shape": shape, "typestr": "<f4", "data": (pointer, False), "strides": None, "version": 3}

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return dict(self._interface)


def microseconds(call: Callable[[], object], repeat: int = 20_000) -> float:
    """Returns the smallest CPU time of a call in five runs."""
    found = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeat // 5):
            call()
        found.append((time.process_time() - start) / (repeat // 5) * 1e6)
    return min(found)


def main() -> None:
    """Prints a row for each protocol."""
    load_driver()
    from gridir.runtime import gpu
    from gridir.runtime.gpu import prepared
    from gridir.runtime.gpu.launch import Launch, Operand

    shape = (64, 128)
    operands = tuple(gpu.OperandInfo(name, "float32", shape, 16, is_output=name == "out") for name in ("x", "y", "out"))
    launch = Launch("add", 128, 64, tuple(map(Operand, range(3))))
    kernel = gpu.BundledKernel("add", "sm_90a", launch, operands, ".version 8.0\n")
    size = 4 * math.prod(shape)
    print("| arrays | producer | repeated | without the library | new addresses |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for title, make in (("`__dlpack__`", DLPackArray), ("`__cuda_array_interface__`", InterfaceArray)):
        arrays = [make((1 + i) * size, shape) for i in range(3)]
        if make is DLPackArray:
            producer = microseconds(lambda a=arrays: [(x.__dlpack_device__(), x.__dlpack__(stream=1)) for x in a])
        else:
            producer = microseconds(lambda a=arrays: [x.__cuda_array_interface__ for x in a])
        call = gpu.GpuKernel(kernel)
        repeated = microseconds(lambda c=call, a=arrays: c(*a))
        with mock.patch.object(prepared, "_open", return_value=None):
            slow = gpu.GpuKernel(kernel)
            slow(*arrays)
            by_ctypes = microseconds(lambda c=slow, a=arrays: c(*a))
        others = iter([[make((4 + 3 * n + i) * size, shape) for i in range(3)] for n in range(4096)])
        fresh = microseconds(lambda c=call, o=others: c(*next(o)), 4000)
        print(f"| {title} | {producer:.2f} | {repeated:.2f} | {by_ctypes:.2f} | {fresh:.2f} |", flush=True)


if __name__ == "__main__":
    main()
