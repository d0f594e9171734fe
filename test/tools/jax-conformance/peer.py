# RUN: %python %s %repository | FileCheck %s

# The code between JAX's pipeline for GPUs and the executor of PTX, without the pipeline: symbols of a library, arrays
# of a GPU, and the message without the pipeline.

import ctypes
import importlib.util
import sys
from pathlib import Path
from unittest import mock

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]) / "tools" / "jax-conformance"))
import peer
from gridir.runtime import ptx
from gridir.runtime.ptxas.peer import PeerError, check_installed, find_symbols

ptx.open_driver()
cuda = ctypes.CDLL("libcuda.so.1")
path = Path(ptx.driver._mlir_libs.__file__).with_name("stand_in") / "libcuda.so.1"
names = ["cuInit", "cuLaunchKernelEx", "gridirSetDriver"]
symbols = find_symbols(path, names)
base = {ctypes.cast(getattr(cuda, name), ctypes.c_void_p).value - symbols[name] for name in names}
# CHECK: the library begins at one address, which is that of a page: True
print("the library begins at one address, which is that of a page:", len(base) == 1 and not base.pop() % 4096)
# CHECK-NEXT: expected cuNothing in libcuda.so.1
try:
    find_symbols(path, ["cuInit", "cuNothing"])
except PeerError as error:
    print(error)

# Elements of less than a byte lie close together, the first in the low bits; their signs come back.
for dtype in (
    ml_dtypes.int4,
    ml_dtypes.uint4,
    ml_dtypes.int2,
    ml_dtypes.uint2,
    ml_dtypes.float4_e2m1fn,
    np.float32,
    bool,
):
    x = np.arange(16).astype(np.int8).reshape(4, 4)
    x = (x % 2 == 0) if dtype is bool else x.view(dtype) if np.dtype(dtype).itemsize == 1 else x.astype(dtype)
    data = peer.to_device(x)
    back = peer.from_device(data, x.shape, x.dtype)
    assert data.ctypes.data % 256 == 0
    narrow = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2}.get(x.dtype.name)
    want = x.astype(np.int8) if narrow else x
    np.testing.assert_array_equal(back.astype(np.int8) if narrow else back, want)
    print(x.dtype.name, data.size, data[:3])
# CHECK-NEXT: int4 8 [16 50 84]
# CHECK-NEXT: uint4 8 [16 50 84]
# CHECK-NEXT: int2 4 [228 228 228]
# CHECK-NEXT: uint2 4 [228 228 228]
# CHECK-NEXT: float4_e2m1fn 8 [16 50 84]
# CHECK-NEXT: float32 64
# CHECK-NEXT: bool 16 [1 0 1]
# CHECK-NEXT: [255 255 255]
print(peer.to_device(np.zeros(3, np.uint8), fill=255))

# CHECK-NEXT: expected the package jax_plugins.xla_cuda13 of JAX's CUDA plugin: pip install 'gridir[peer]'
with mock.patch.object(importlib.util, "find_spec", return_value=None):
    try:
        check_installed()
    except PeerError as error:
        print(error)

# CHECK-NEXT: LaunchError: expected
sys.argv = [sys.argv[0]]
import worker

print(
    worker.without_callback(
        'INTERNAL: CpuCallback error calling callback: Traceback (most recent call last):\n  File "a.py", line 1\n'
        "    go()\nLaunchError: expected"
    )
)
