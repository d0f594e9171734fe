# RUN: rm -rf %t && mkdir %t && %python %S/Inputs/write_bundles.py %t && %python %s %t | FileCheck %s
"""Bundles are launched on arrays of other packages, without a compiler; the stand-in driver executes the PTX."""

import ctypes
import dataclasses
import os
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np

directory = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

# CHECK: imports of a process that loads a bundle: []
code = f"""
import sys
from gridir.runtime import gpu
gpu.load({directory + "/add.gridir"!r})
heavy = ("jax", "jaxlib", "mlir", "numpy", "ml_dtypes", "gridir.mlir", "gridir.compiler", "gridir.frontend")
print("imports of a process that loads a bundle:", [name for name in heavy if name in sys.modules])
"""
print(subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True).stdout, end="")

from gridir.runtime import ptx

driver = ptx.open_driver()
driver.pretend(9, devices=3, has_current_context=False)

from device_arrays import DeviceArray, DLPackArray, ExchangeArray, StridedArray
from gridir.frontend.compat.jax_equations import HAS_FUNCTIONAL_ALIASES
from gridir.runtime import gpu
from gridir.runtime.gpu import open_device
from gridir.runtime.gpu.host_arrays import execute
from gridir.runtime.gpu.launch import DynamicCtas, NumItems, TensorMap

x = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)

# CHECK: <kernel add(x_ref: float32[64, 128], y_ref: float32[64, 128], o_ref: float32[64, 128]) for sm_90a>
add = gpu.load(f"{directory}/add.gridir")
print(add["add"])
for device in range(3):
    a, b, out = DeviceArray(x, device), DLPackArray(2 * x, device), DeviceArray(np.zeros_like(x), device)
    add(a, b, out)
    # CHECK: device 0: right, streams [1]
    # CHECK: device 1: right, streams [1]
    # CHECK: device 2: right, streams [1]
    assert (out.read() == 3 * x).all()
    print(f"device {device}: right, streams {b.streams}")

# A type with DLPack's functions says its stream; on another stream DLPack makes the order.
# CHECK: of C: right, streams []
# CHECK: on another stream: right, streams [2]
out = DeviceArray(np.zeros_like(x))
for text, options in (("of C", {}), ("on another stream", {"stream": 2})):
    a, b = ExchangeArray(x), ExchangeArray(x)
    add(a, b, out, **options)
    assert (out.read() == 2 * x).all()
    print(f"{text}: right, streams {a.streams}")

# CHECK: update: in place, [0 2 4]
update = gpu.load(f"{directory}/update.gridir")
values = DeviceArray(np.arange(32, dtype=np.int32))
update(values, values)
print("update: in place,", values.read()[:3])

# CHECK: copies: right
copies = gpu.load(f"{directory}/copies.gridir")
a, out = DeviceArray(np.arange(256, dtype=np.float32)), DeviceArray(np.zeros(256, np.float32))
for _ in range(2):
    copies(a, out)
assert (out.read() == np.arange(256)).all()
print("copies: right")


def refused(call, *arrays, **options):
    try:
        call(*arrays, **options)
    except gpu.LaunchError as error:
        print("refused:", str(error).splitlines()[0])
    else:
        print("NOT refused")


def like(value, **options):
    return DeviceArray(value, **options)


good = [like(x), like(x), like(np.zeros_like(x))]
# CHECK: refused: expected 3 arrays (x_ref, y_ref, o_ref), got 2
refused(add, *good[:2])
# CHECK: refused: expected the dtype float32 of input x_ref, got float64
refused(add, like(x.astype(np.float64)), *good[1:])
# CHECK: refused: expected rank 2 of input x_ref, got 1
refused(add, like(x.reshape(-1)), *good[1:])
# CHECK: refused: expected the shape (64, 128) of input y_ref, got (128, 64)
refused(add, good[0], like(x.reshape(128, 64)), good[2])
# CHECK: refused: expected the strides (512, 4) in bytes of input x_ref, got (4, 256)
refused(add, like(x, strides=(4, 256)), *good[1:])
# CHECK: refused: expected an address of input x_ref that is a multiple of 16, got 0x{{.*}}4
refused(add, like(x, offset=4), *good[1:])
# CHECK: refused: expected all arrays on one device, got them on [0, 1]
refused(add, like(x, device=1), *good[1:])
# CHECK: refused: expected memory that may be written for output o_ref, got an array that is read-only
refused(add, *good[:2], like(x, read_only=True))
# CHECK: refused: expected output o_ref in memory of its own, got it at 0x{{.*}}, which overlaps input x_ref at 0x
refused(add, good[0], good[1], good[0])
# CHECK: refused: expected output o_ref in the memory of input x_ref at 0x{{.*}}, got it at 0x
refused(update, values, like(np.zeros(32, np.int32)))
# CHECK: refused: expected an array on a GPU for input x_ref, got one on the DLPack device 1
refused(add, x, *good[1:])
# CHECK: refused: expected an array on a GPU for input x_ref, which has __cuda_array_interface__ or __dlpack__, got list
refused(add, [1], *good[1:])
# CHECK: refused: expected numbers in the byte order of the GPU for input x_ref, got '>f4'
refused(add, like(x.astype(">f4")), *good[1:])
# CHECK: refused: expected a stream as a number, or one of PyTorch or CuPy, got str
refused(add, *good, stream="a")

# CHECK: refused: index 99 is out of bounds
gather = gpu.load(f"{directory}/gather.gridir")
rows, out = like(x), like(np.zeros(128, np.float32))
gather(like(np.array([3], np.int32)), rows, out)
assert (out.read() == x[3]).all()
refused(gather, like(np.array([99], np.int32)), rows, out)

# Checks of a kernel of warpgroups are reported in the same way. A check that may fail is not captured in a graph.
# CHECK: refused: row 7 is reserved ({{.*}}kernels.py:{{[0-9]+}}:
# CHECK: refused: expected a row ({{.*}}kernels.py:{{[0-9]+}}:
checked_row, out = gpu.load(f"{directory}/checked_row.gridir"), like(np.zeros(128, np.float32))
refused(checked_row, like(np.array([7], np.int32)), rows, out)
refused(checked_row, like(np.array([-1], np.int32)), rows, out)
checked_row(like(np.array([3], np.int32)), rows, out)
assert (out.read() == x[3]).all()

# A check is the error also where the kernel makes an invalid access afterwards, which ends the context of the device.
# CHECK: refused: expected one of 64 rows ({{.*}}kernels.py:{{[0-9]+}}:
# CHECK: note: then the kernel failed: cuStreamSynchronize failed with 719 (CUDA_ERROR_LAUNCH_FAILED)
# CHECK: failed: cuStreamSynchronize failed with 719 (CUDA_ERROR_LAUNCH_FAILED)
unguarded_row = gpu.load(f"{directory}/unguarded_row.gridir")
near, far = (like(np.array([row], np.int32)) for row in (2, 5000))
try:
    unguarded_row(far, rows, out)
except gpu.LaunchError as error:
    print("refused:", error)
try:
    unguarded_row(like(np.array([2], np.int32), device=1), like(x, device=1), like(np.zeros(128, np.float32), device=1))
    unguarded_row(near, rows, out)
except gpu.DriverError as error:
    print("failed:", str(error).splitlines()[0])
try:
    driver.synchronize()
except ptx.LaunchError:
    unguarded_row(near, rows, out)
    assert (out.read() == x[2]).all()

# A kernel of blocks that became a warpgroup program has tensor maps of its operands.
# CHECK: <kernel product(x_ref: bfloat16[128, 192], y_ref: bfloat16[192, 128], total_ref: float32[128, 128], o_ref:
# CHECK: maps of operands [0, 1] boxes [(64, 64), (64, 64)]
product = gpu.load(f"{directory}/product.gridir")
print(product["product"])
maps = [p for p in product["product"]._kernel.launch.parameters if isinstance(p, TensorMap)]
print("maps of operands", [p.operand for p in maps], "boxes", [p.box for p in maps], flush=True)
left = np.arange(128 * 192).reshape(128, 192) % 5 - 2
right = np.arange(192 * 128).reshape(192, 128) % 7 - 3
narrow = [DLPackArray(value.astype(ml_dtypes.bfloat16)) for value in (left, right)]
total, added = like(np.ones((128, 128), np.float32)), like(np.zeros((128, 128), np.float32))
for _ in range(2):
    product(*narrow, total, added)
    assert (added.read() == 1 + left @ right).all()
# CHECK: refused: expected an array with __dlpack__ for input x_ref,
# CHECK-SAME: got one with __cuda_array_interface__ alone and elements '<V2', which do not name their type
# CHECK: refused: expected the dtype bfloat16 of input x_ref, got float16
# CHECK: refused: expected the strides (384, 2) in bytes of input x_ref, got (2, 256)
# CHECK: refused: expected an address of input total_ref that is a multiple of 16, got 0x{{.*}}8
refused(product, like(left.astype(ml_dtypes.bfloat16)), narrow[1], total, added)
refused(product, like(left.astype(np.float16)), narrow[1], total, added)
refused(product, StridedArray(left.astype(ml_dtypes.bfloat16), (1, 128)), narrow[1], total, added)
unaligned = like(np.ones((128, 128), np.float32), offset=8)
refused(product, *narrow, unaligned, added)

# Bools have a byte each.
# CHECK: masked: right
# CHECK: refused: expected the dtype bool of input m_ref, got uint8
masked = gpu.load(f"{directory}/masked.gridir")
even = x.astype(np.int32) % 2 == 0
for kind in (DeviceArray, DLPackArray, ExchangeArray):
    where, kept, odd = kind(even), kind(np.zeros_like(x)), kind(np.zeros_like(even))
    for _ in range(2):
        masked(kind(x), where, kept, odd)
    assert (kept.read() == np.where(even, x, 0)).all()
    assert (odd.read() == ~even).all()
print("masked: right")
refused(masked, like(x), like(even.astype(np.uint8)), kept, odd)

# An array without elements may be anywhere; two results may not share memory.
# CHECK: refused: expected output o_ref in memory of its own, got it at 0x{{.*}}, which overlaps output m_ref at 0x
both_signs = gpu.load(f"{directory}/both_signs.gridir")
plus, minus, empty = like(np.zeros_like(x)), like(np.zeros_like(x)), DLPackArray(np.zeros((0, 128), np.float32))
both_signs(like(x), empty, plus, minus)
assert (plus.read() == x).all()
assert (minus.read() == -x).all()
minus.__cuda_array_interface__["data"] = (plus.pointer + 512, False)
refused(both_signs, like(x), empty, plus, minus)

# A first launch on a captured stream would load the code, which ends the capture.
# CHECK: refused: expected a kernel that was loaded on device 0
# CHECK-SAME: before a CUDA graph was captured, got a first launch on a captured stream; call function(0)
# CHECK-SAME: of the kernel before
# CHECK: captured: 1 launches
cuda = gpu.open_cuda()
late = gpu.load(f"{directory}/add.gridir")["add"]
with open_device().current():
    stream, graph, runnable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    cuda.call("cuStreamCreate", ctypes.byref(stream), 1)
    cuda.call("cuStreamBeginCapture_v2", stream, 0)
    refused(late, *good, stream=stream.value)
    cuda.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    late.function(0)
    cuda.call("cuStreamBeginCapture_v2", stream, 0)
    late(*good, stream=stream.value)
    cuda.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    cuda.call("cuGraphInstantiateWithFlags", ctypes.byref(runnable), graph, ctypes.c_uint64(0))
    before = len(driver.launches)
    cuda.call("cuGraphLaunch", runnable, stream)
    print("captured:", len(driver.launches) - before, "launches")
    # A call that waits for the stream cannot be captured, and leaves the capture as it was.
    # CHECK: refused: expected a stream that no CUDA graph is captured from for a kernel with run-time checks,
    # CHECK-SAME: got a captured one: the call waits for it
    # CHECK: refused: expected a stream that no CUDA graph is captured from for a kernel with a dynamic grid,
    index = like(np.array([3], np.int32))
    gather(index, rows, out)
    some_rows, count, few = gpu.load(f"{directory}/some_rows.gridir"), like(np.int32(3)), like(x)
    some_rows(count, few, few)
    cuda.call("cuStreamBeginCapture_v2", stream, 0)
    refused(gather, index, rows, out, stream=stream.value)
    refused(some_rows, count, few, few, stream=stream.value)
    cuda.call("cuStreamEndCapture", stream, ctypes.byref(graph))


# Each of several threads, with a stream of its own on one of three devices, gets the report of its own launch.
# CHECK: reports of 6 threads: right
def fail_on_stream(number, found):
    device = open_device(number % 3)
    rows, out = like(x, device=device.number), like(np.zeros(128, np.float32), device=device.number)
    own = ctypes.c_void_p()
    with device.current():
        cuda.call("cuStreamCreate", ctypes.byref(own), 1)
    for row in (number, 64 + number, 100 + number, 63 - number):
        try:
            gather(like(np.array([row], np.int32), device=device.number), rows, out, stream=own.value)
            found.append(row < 64 and (out.read() == x[row]).all())
        except gpu.LaunchError as error:
            found.append(f"index {row} is out of bounds" in error.message)


found = []
threads = [threading.Thread(target=fail_on_stream, args=(number, found)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("reports of 6 threads:", "right" if len(found) == 24 and all(found) else found)

# A dynamic grid has its sizes in arrays of the GPU. A warpgroup program reads them itself. JAX 0.10 lets an operand
# keep its values beside the result that has its memory; such a kernel with a dynamic grid is no program.
# CHECK: <kernel some_rows(grid[0]: int32[], x_ref: float32[64, 128], o_ref: float32[64, 128]
program = gpu.load(f"{directory}/some_rows_program.gridir")
is_program = program["some_rows"]._kernel.launch.dynamic_ctas is None
assert is_program != HAS_FUNCTIONAL_ALIASES
some_rows = gpu.load(f"{directory}/some_rows.gridir")
print(some_rows["some_rows"])
for count in (3, 0, -1, 8):
    rows = like(x)
    for launched in (some_rows, some_rows, program):
        rows.device.write(rows.pointer, x.tobytes())
        launched(like(np.int32(count)), rows, rows)
        first = 8 * max(count, 0)
        assert (rows.read() == np.concatenate([2 * x[:first], x[first:]])).all()
# CHECK: refused: expected the dtype int32 of input grid[0], got int64
refused(some_rows, like(np.int64(1)), rows, rows)
# CHECK: refused: expected at most 2147483647 CTAs, got {{[0-9]+}} for the sizes [1048576] of the grid
large = some_rows["some_rows"]._kernel.launch
refused(dataclasses.replace(large, dynamic_ctas=DynamicCtas(1 << 20, (0,))).with_sizes, [1 << 20])
# CHECK: refused: expected the sizes of a dynamic grid, got none
refused(dataclasses.replace(large, parameters=(NumItems(),)).arguments, [], None)
host = x.copy()
execute(some_rows["some_rows"]._kernel.ptx.encode(), large, [np.array(2, np.int32), host, host], open_device())
assert (host == np.concatenate([2 * x[:16], x[16:]])).all()

# CHECK: both: refused: expected a bundle of one kernel, got one of add, update; choose one by its name
both = gpu.load(f"{directory}/both.gridir")
print("both: ", end="")
refused(both, *good)
both["update"](values, values)
# CHECK: expected a kernel of the bundle (add, update), got 'sub'
try:
    both["sub"]
except KeyError as error:
    print(error)

# Code for another chip is no code for this one.
# CHECK: refused: expected a device for code of sm_100a, got one of compute capability 9.0
refused(gpu.load(f"{directory}/sm_100a.gridir"), *good)
