# RUN: rm -rf %t && mkdir %t && %python %s %t | FileCheck %s

# Host code that knows CUDA's driver by its name and its functions only, as that of JAX, launches PTX on the CPU.

import ctypes
import dataclasses
import sys
from pathlib import Path

import numpy as np
from gridir.errors import OptionError
from gridir.runtime import ptx

TEXT = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 factor) {
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .shared .align 128 .b8 buffer[128];
  .shared .align 8 .b64 full;
  mov.b64 %rd0, map;
  cvta.param.u64 %rd0, %rd0;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r0, [factor];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, full;
  mov.u32 %r3, buffer;
  setp.eq.u32 %p, %r1, 0;
  @%p mbarrier.init.shared.b64 [%r2], 1;
  bar.sync 0;
  @%p mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;
  @%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%rd0, {0, 4}], [%r2];
L:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%r2], 0;
  @!%p bra L;
  mad.lo.s32 %r4, %r1, 4, %r3;
  ld.shared.b32 %r5, [%r4];
  mul.lo.s32 %r5, %r5, %r0;
  mov.u32 %r6, %cluster_nctaid.x;
  add.s32 %r5, %r5, %r6;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  st.global.b32 [%rd1], %r5;
  ret;
}
"""
driver = ptx.open_driver()
driver.pretend(10, 3, multiprocessors=7)
cuda = ctypes.CDLL("libcuda.so.1")


def attribute(number):
    value = ctypes.c_int()
    assert cuda.cuDeviceGetAttribute(ctypes.byref(value), number, 0) == 0
    return value.value


# CHECK: a GPU of 10.3 with 7 multiprocessors
print(f"a GPU of {attribute(75)}.{attribute(76)} with {attribute(16)} multiprocessors")


def aligned(array, to=256):
    space = np.empty(array.nbytes + to, np.uint8)
    result = space[-space.ctypes.data % to :][: array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def encode(array, **changes):
    """A tensor map of tiles of 4 by 8, and the driver's result; changes are those of the driver's arguments."""
    tensor_map = aligned(np.zeros(128, np.uint8))
    one = {
        "type": 3,
        "rank": 2,
        "box": 8,
        "element": 1,
        "interleave": 0,
        "swizzle": 0,
        "fill": 0,
        "stride": array.strides[0],
        "shift": 0,
    }
    one.update(changes)
    result = cuda.cuTensorMapEncodeTiled(
        ctypes.c_void_p(tensor_map.ctypes.data),
        one["type"],
        one["rank"],
        ctypes.c_void_p(array.ctypes.data + one["shift"]),
        (ctypes.c_uint64 * 2)(*array.shape[::-1]),
        (ctypes.c_uint64 * 1)(one["stride"]),
        (ctypes.c_uint32 * 2)(one["box"], 4),
        (ctypes.c_uint32 * 2)(1, one["element"]),
        one["interleave"],
        one["swizzle"],
        0,
        one["fill"],
    )
    return tensor_map, result


x, out = aligned(np.arange(64, dtype=np.int32).reshape(8, 8)), aligned(np.zeros(32, np.int32))
tensor_map, result = encode(x)
assert result == 0
# The layout of a map is the one that Python writes.
assert tensor_map.tobytes() == ptx.TensorMap(x, (4, 8)).encode()

module, function = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuModuleLoadData(ctypes.byref(module), TEXT.encode()) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"tile") == 0


class Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("sizes", ctypes.c_uint32 * 17))


class Config(ctypes.Structure):
    _fields_ = (
        ("sizes", ctypes.c_uint32 * 7),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint32),
    )


def launch(cluster=2, threads=32):
    """Gives what the driver says of the launch, and then of waiting for it."""
    values = (ctypes.c_void_p(out.ctypes.data), ctypes.c_int(3))
    pointers = (ctypes.c_void_p * 3)(tensor_map.ctypes.data, *map(ctypes.addressof, values))
    attributes = (Attribute * 1)(Attribute(4, (ctypes.c_uint32 * 17)(0, cluster, 1, 1)))
    config = Config((ctypes.c_uint32 * 7)(2, 1, 1, threads, 1, 1, 0), None, attributes, 1)
    return cuda.cuLaunchKernelEx(ctypes.byref(config), function, pointers, None), cuda.cuCtxSynchronize()


# CHECK-NEXT: (0, 0) [{{ *}}98 101 104 107]
with driver.memory([x, out]):
    result = launch()
driver.synchronize()
np.testing.assert_array_equal(out, x.reshape(-1)[32:] * 3 + 2)
print(result, out[:4])
# CHECK-NEXT: tile (2, 1, 1) (32, 1, 1) (2, 1, 1) 0
[done] = driver.launches
print(done.function, done.grid, done.block, done.cluster, done.shared_bytes)

# Memory that was not given to the device is inaccessible; the host learns that when it waits.
# CHECK-NEXT: (0, 719) expected an access to memory of the launch, got 4 bytes
with driver.memory([x]):
    result = launch()
try:
    driver.synchronize()
except ptx.LaunchError as error:
    print(result, str(error).splitlines()[0])
driver.synchronize()

# Checks and seeds are the same for all launches. Nothing is wrong with this one.
driver.options.update(checks=["races", "uninitialized"], schedule_seed=3)
with driver.memory([x, out]):
    assert launch(cluster=1) == (0, 0)
    # CHECK-NEXT: {{^}}97{{$}}
    print(out[0])
    cuda.cuLaunchKernel.argtypes = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3
    values = (ctypes.c_void_p(out.ctypes.data), ctypes.c_int(5))
    pointers = (ctypes.c_void_p * 3)(tensor_map.ctypes.data, *map(ctypes.addressof, values))
    assert cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, pointers, None) == 0
    # CHECK-NEXT: 161
    print(out[0])
driver.synchronize()

# A mutant is executed instead of the module's text, which stays what it is.
driver.rewrite = lambda text: text.replace("mul.lo.s32 %r5, %r5, %r0;", "")
with driver.memory([x, out]):
    launch(cluster=1)
driver.rewrite = None
driver.synchronize()
# CHECK-NEXT: 33 True
print(out[0], driver.launches[-1].text == TEXT)

# A launch that is recorded can be made again from its file, with memory at other addresses, here also that in the map.
recorded = []
driver.recorder = recorded.append
out[0] = 7
# An array that is given twice, as one that is read and written, is one in the file.
with driver.memory([x, out, out]):
    launch(cluster=1)
driver.recorder = None
driver.synchronize()
[recording] = recorded
path = Path(sys.argv[1]) / "tile.npz"
recording.save(path)
again = ptx.read_recording(path)
# CHECK-NEXT: tile 2 7 97 []
where = again.bases.index(out.ctypes.data)
old, new = (arrays[where].view(np.int32)[0] for arrays in (again.memory, again.after))
print(again.function, len(again.memory), old, new, again.replay())
# CHECK-NEXT: []
print(again.replay(checks=("races", "uninitialized"), schedule_seed=5))
changed = [y ^ (np.arange(y.size) == 5) if i == where else y for i, y in enumerate(again.after)]
wrong = dataclasses.replace(again, after=tuple(changed))
# CHECK-NEXT: ['memory {{[01]}}: 1 of 128 bytes differ, the first one is 5']
print(wrong.replay())
path.write_bytes(path.read_bytes()[:-40])
# CHECK-NEXT: expected a recorded launch, got {{.*}}tile.npz: File is not a zip file
for text in (path, path.with_name("none.npz")):
    try:
        ptx.read_recording(text)
    except ptx.RecordingError as error:
        print(error)
# CHECK-NEXT: expected a recorded launch, got {{.*}}none.npz: {{.*}}No such file or directory

# As many blocks run at a time as the GPU has room for, by their threads and by their shared memory; the system reserves
# a KiB for each block. Those that run cancel all others.
CANCELS = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry cancels(.param .u64 out) {
  .reg .pred %p, %first;
  .reg .b32 %r<4>;
  .reg .b64 %rd0;
  .reg .b128 %answer;
  .shared .align 16 .b8 given[16];
  .shared .align 8 .b64 full;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p, %r0, 0;
  @%p ret;
  ld.param.u64 %rd0, [out];
  red.global.add.u32 [%rd0], 1;
  mov.u32 %r1, full;
  mov.u32 %r2, given;
  mbarrier.init.shared.b64 [%r1], 1;
  mov.u32 %r3, 0;
NEXT:
  mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16;
  clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r2], [%r1];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%r1], %r3;
  @!%p bra WAIT;
  xor.b32 %r3, %r3, 1;
  ld.shared.b128 %answer, [%r2];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %answer;
  @!%p ret;
  red.global.add.u32 [%rd0+4], 1;
  bra NEXT;
}
"""
driver.options.clear()
driver.pretend(10, multiprocessors=2)
counts = np.zeros(2, np.int32)
assert cuda.cuModuleLoadData(ctypes.byref(module), CANCELS.encode()) == 0
cancels = ctypes.c_void_p()
assert cuda.cuModuleGetFunction(ctypes.byref(cancels), module, b"cancels") == 0
# CHECK-NEXT: 32 threads and 115712 bytes: [4 4]
# CHECK-NEXT: 32 threads and 116736 bytes: [2 6]
# CHECK-NEXT: 1024 threads and 0 bytes: [4 4]
for threads, shared_bytes in ((32, 113 << 10), (32, 114 << 10), (1024, 0)):
    counts[:] = 0
    assert cuda.cuFuncSetAttribute(cancels, 8, shared_bytes) == 0
    values = ctypes.c_void_p(counts.ctypes.data)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(values))
    with driver.memory([counts]):
        assert cuda.cuLaunchKernel(cancels, 8, 1, 1, threads, 1, 1, shared_bytes, None, pointers, None) == 0
    driver.synchronize()
    print(f"{threads} threads and {shared_bytes} bytes: {counts}")

# Queries of host code before a launch: memory of the device, the threads of a block, the state of a capture, and the
# size of the print buffer.
address, number, size = ctypes.c_uint64(), ctypes.c_int(-1), ctypes.c_size_t()
# CHECK-NEXT: pointer (0, True) 801
results = [cuda.cuPointerGetAttribute(ctypes.byref(address), which, ctypes.c_uint64(x.ctypes.data)) for which in (3, 2)]
print("pointer", (results[0], address.value == x.ctypes.data), results[1])
# CHECK-NEXT: threads (0, 1024)
print("threads", (cuda.cuFuncGetAttribute(ctypes.byref(number), 0, function), number.value))
# CHECK-NEXT: recorded (0, 0)
print("recorded", (cuda.cuStreamIsCapturing(None, ctypes.byref(number)), number.value))
# CHECK-NEXT: prints (0, True) 0
print("prints", (cuda.cuCtxGetLimit(ctypes.byref(size), 1), size.value > 1 << 20), cuda.cuCtxSetLimit(1, size))

# Errors of a driver: they have its numbers and names.
# CHECK-NEXT: no PTX: 200 device kernel image is invalid
# CHECK-NEXT: expected a directive
text = ctypes.c_char_p()
error = cuda.cuModuleLoadData(ctypes.byref(module), b"no PTX")
assert cuda.cuGetErrorString(error, ctypes.byref(text)) == 0
print("no PTX:", error, text.value.decode())
try:
    driver.synchronize()
except ptx.PtxError as error:
    print(str(error).splitlines()[0])
# CHECK-NEXT: 500
print(cuda.cuModuleGetFunction(ctypes.byref(ctypes.c_void_p()), module, b"other"))
# CHECK-NEXT: invalid [1, 1, 1, 1, 1]
print(
    "invalid",
    [encode(x, **c)[1] for c in ({"type": -1}, {"rank": 6}, {"stride": 24}, {"shift": 4}, {"box": 16, "swizzle": 1})],
)
# CHECK-NEXT: not supported [801, 801, 801, 801, 801]
print(
    "not supported",
    [encode(x, **c)[1] for c in ({"type": 13}, {"interleave": 1}, {"fill": 1}, {"element": 2}, {"swizzle": 4})],
)
# CHECK-NEXT: expected at least one multiprocessor, got 0
try:
    driver.pretend(9, multiprocessors=0)
except OptionError as error:
    print(error)
