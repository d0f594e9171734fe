# A kernel that never saw `gpu-map-threads`, with threads and shared memory of its own, goes from a mapped kernel to PTX
# by the passes that any producer of mapped kernels shares, and is executed thread by thread, its check included.
#
# RUN: %python %s %repository/test/Pipelines/mapped-to-gpu.mlir | FileCheck %s

import pathlib
import sys

import gridir
import numpy as np
from gridir.compiler.kernel import Kernel
from gridir.compiler.passes import parse_module, to_bytecode
from gridir.compiler.targets import GPU
from gridir.runtime.ptx import LaunchError

module = parse_module(pathlib.Path(sys.argv[1]).read_text())
options = gridir.GpuOptions(pipeline="mapped-to-gpu", libdevice=False, checks=("races", "uninitialized"))
kernel = GPU.prepare(Kernel("reverse", GPU, options, to_bytecode(module), source="the hand-written kernel"))

# CHECK: 4 CTAs of 64 threads, 256 bytes of shared memory
print(f"{kernel.ctas} CTAs of {kernel.threads} threads, {kernel.shared_bytes} bytes of shared memory")

x = np.arange(4 * 64, dtype=np.float32).reshape(4, 64)
o = np.zeros_like(x)
kernel.launch([x, o])
# CHECK: reversed: True
print("reversed:", np.array_equal(o, x[:, ::-1]))

x[2, 5] = np.nan
# CHECK: expected a number in row 2, got NaN at 5
try:
    kernel.launch([x, o])
except LaunchError as error:
    print(error)
