# RUN: rm -rf %t && mkdir %t && %python %S/Inputs/write_bundles.py %t add rescaled widened halves product masked
# RUN: %python %s %t | FileCheck %s
"""Arrays of both versions of DLPack and of `__cuda_array_interface__`, and views of them as other elements."""

import os
import struct
import sys

import ml_dtypes
import numpy as np

directory = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

from gridir.runtime import ptx

driver = ptx.open_driver()
driver.pretend(9, devices=1, has_current_context=False)

from device_arrays import DeviceArray, DLPackArray, ExchangeArray, StreamArray, VersionedArray
from gridir.runtime import gpu
from gridir.runtime.gpu import arrays
from gridir.runtime.gpu.host_arrays import execute

x = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
context = gpu.open_device(0).current()
context.__enter__()


def run(kernel, *operands, **options):
    try:
        kernel(*operands, **options)
    except gpu.LaunchError as error:
        print("refused:", *str(error).splitlines()[:1], *error.notes)
        return False
    return True


# Floats of a byte: DLPack names their types; an array of bytes is passed as a view that names it.
# CHECK: <kernel rescaled(x_ref: float8_e4m3fn[8, 128], o_ref: float8_e5m2[8, 128]) for sm_90a>
# CHECK: floats of a byte: right
rescaled = gpu.load(f"{directory}/rescaled.gridir")["rescaled"]
print(rescaled)
values = (np.arange(8 * 128).reshape(8, 128) % 13).astype(ml_dtypes.float8_e4m3fn)
doubled, zeros = (2 * values.astype(np.float32)).astype(ml_dtypes.float8_e5m2), np.zeros((8, 128), np.uint8)
for kind in (DLPackArray, ExchangeArray, VersionedArray):
    out = kind(zeros.view(ml_dtypes.float8_e5m2))
    for _ in range(3):
        assert run(rescaled, kind(values), out)
    assert (out.read() == doubled).all()
for kind in (DeviceArray, DLPackArray, ExchangeArray, StreamArray, VersionedArray):
    out = kind(zeros)
    for _ in range(2):
        assert run(rescaled, gpu.view(kind(values.view(np.uint8)), "float8_e4m3fn"), gpu.view(out, "float8_e5m2"))
    assert (out.read().view(doubled.dtype) == doubled).all()
# Bytes without a name, as NumPy's interface has elements of ml_dtypes.
assert run(rescaled, gpu.view(DeviceArray(values), "float8_e4m3fn"), gpu.view(DeviceArray(zeros), "float8_e5m2"))
print("floats of a byte: right")

# Native code makes the launches of views that were checked, and no others.
# CHECK: native: [True, True, True, True, False, False]
source, result = DLPackArray(values.view(np.uint8)), ExchangeArray(zeros)
x8, out8 = gpu.view(source, "float8_e4m3fn"), gpu.view(result, "float8_e5m2")
assert run(rescaled, x8, out8)
launch = rescaled._prepared.launch
again = gpu.view(DLPackArray(values.view(np.uint8)), "float8_e4m3fn"), gpu.view(ExchangeArray(zeros), "float8_e5m2")
print("native:", end=" ")
print(
    [
        launch(operands, None)
        for operands in (
            (x8, out8),
            (x8, out8),
            again,
            (gpu.view(gpu.view(source, "int8"), "float8_e4m3fn"), out8),
            (gpu.view(source, "float8_e5m2"), out8),
            (x8, gpu.view(out8, writable=True)),
        )
    ]
)

# CHECK: refused: expected the dtype float8_e4m3fn of input x_ref, got uint8
# CHECK-SAME: gridir.runtime.gpu.view(array, 'float8_e4m3fn') passes an array of bytes
# CHECK: refused: expected the dtype float8_e4m3fn of input x_ref, got float8_e5m2
# CHECK: refused: expected elements of 8 bits for the view of input x_ref as float8_e4m3fn, got float16 of 16
# CHECK: refused: expected elements of 8 bits for the view of input x_ref as float8_e4m3fn, got uint16 of 16
# CHECK: refused: expected the shape (8, 128) of input x_ref, got (128, 8)
# CHECK: refused: expected the strides (128, 1) in bytes of input x_ref, got (1, 8)
# CHECK: refused: expected an array with __dlpack__ for input x_ref, got one with __cuda_array_interface__ alone and
# CHECK-SAME: elements '<V1', which do not name their type gridir.runtime.gpu.view(array, dtype) names it
# CHECK: refused: {{.*}} elements '<f1', which do not name their type
# CHECK: refused: expected numbers in the byte order of the GPU for input x_ref, got '>u2'
good = gpu.view(DeviceArray(zeros), "float8_e5m2")
run(rescaled, DLPackArray(zeros), good)
run(rescaled, DLPackArray(doubled), good)
run(rescaled, gpu.view(DLPackArray(zeros.astype(np.float16)), "float8_e4m3fn"), good)
run(rescaled, gpu.view(DeviceArray(zeros.astype(np.uint16)), "float8_e4m3fn"), good)
run(rescaled, gpu.view(DeviceArray(zeros.reshape(128, 8)), "float8_e4m3fn"), good)
run(rescaled, gpu.view(DeviceArray(zeros, strides=(1, 8)), "float8_e4m3fn"), good)
run(rescaled, DeviceArray(values), good)
run(rescaled, DeviceArray(doubled), good)
run(rescaled, gpu.view(DeviceArray(zeros.astype(">u2")), "float8_e4m3fn"), good)

# CHECK: refused: expected the name of an element type, got 'float8'
# CHECK: refused: expected 1 or 2 of int4 in a byte, got 3
# CHECK: refused: expected 1 of float32 in a byte, got 2
# CHECK: refused: expected an element type for 2 elements in a byte, got none
run(lambda: gpu.view(x, "float8"))
run(lambda: gpu.view(x, "int4", per_byte=3))
run(lambda: gpu.view(x, "float32", per_byte=2))
run(lambda: gpu.view(x, per_byte=2))

# Elements of 4 bits that threads read have a byte each; what its other bits are is of no account.
# CHECK: a byte each: right
# CHECK: refused: expected 1 element in a byte of input x_ref, got 2
# CHECK-SAME: view(array, 'int4') passes an array of bytes
widened = gpu.load(f"{directory}/widened.gridir")["widened"]
signed, wide = (np.arange(8 * 128).reshape(8, 128) % 16 - 8).astype(np.int8), DeviceArray(np.zeros((8, 128), np.int32))
padded, low_bits = VersionedArray(signed, flags=4, dtype=(0, 4, 1)), DLPackArray(signed.view(np.uint8) & 15)
for operand in (gpu.view(DeviceArray(signed), "int4"), gpu.view(low_bits, "int4"), padded):
    wide.device.write(wide.pointer, bytes(4096))
    assert run(widened, operand, wide)
    assert (wide.read() == signed).all()
print("a byte each: right")
run(widened, VersionedArray(signed, dtype=(0, 4, 1)), wide)

# Elements that bulk copies store share bytes.
# CHECK: <kernel halves(x: uint8[128], o: uint4[256], 2 in a byte) for sm_90a>
# CHECK: two in a byte: right
# CHECK: refused: expected 2 elements in a byte of output o, got 1
# CHECK-SAME: view(array, 'uint4', per_byte=2) passes an array of bytes
# CHECK: refused: expected the shape (256,) of output o, got (128,)
# CHECK: refused: expected the strides (1,) in elements of output o, got (4,)
halves = gpu.load(f"{directory}/halves.gridir")["halves"]
print(halves)
octets = DeviceArray(np.arange(128, dtype=np.uint8))
stored = DeviceArray(np.zeros(128, np.uint8))
for out, memory in (
    (gpu.view(stored, "uint4", per_byte=2), stored),
    (stored := VersionedArray(np.zeros(128, np.uint8), dtype=(1, 4, 1), shape=(256,)), stored),
    (stored := VersionedArray(np.zeros(128, np.uint8), dtype=(1, 4, 2)), stored),
):
    for _ in range(2):
        assert run(halves, octets, out)
    assert (memory.read() == octets.read()).all()
print("two in a byte: right")
run(halves, octets, gpu.view(DeviceArray(np.zeros(256, np.uint8)), "uint4"))
run(halves, octets, VersionedArray(np.zeros(128, np.uint8), dtype=(1, 4, 1)))
run(halves, octets, gpu.view(DeviceArray(np.zeros(128, np.uint8), strides=(2,)), "uint4", per_byte=2))

# Host arrays have a byte for each, as in the executor; copies get bytes of two.
# CHECK: from host arrays: right
host = np.zeros(256, ml_dtypes.uint4)
image = halves._kernel.ptx.encode() + b"\0"
execute(image, halves._kernel.launch, [np.arange(128, dtype=np.uint8), host], gpu.open_device(0))
assert (host.astype(np.uint8).reshape(128, 2) == np.stack([np.arange(128) & 15, np.arange(128) >> 4], 1)).all()
print("from host arrays: right")

# A view names elements of 16 bits and bools, too.
# CHECK: other views: right
product, masked = (gpu.load(f"{directory}/{name}.gridir")[name] for name in ("product", "masked"))
left, right = (np.ones(shape, ml_dtypes.bfloat16).view(np.uint16) for shape in ((128, 192), (192, 128)))
total, added = DeviceArray(np.ones((128, 128), np.float32)), DeviceArray(np.zeros((128, 128), np.float32))
assert run(product, *(gpu.view(DeviceArray(value), "bfloat16") for value in (left, right)), total, added)
assert (added.read() == 193).all()
where = np.tile(np.array([0, 1], np.uint8), (64, 64))
kept, odd = DeviceArray(np.zeros_like(x)), DeviceArray(np.zeros((64, 128), np.uint8))
assert run(masked, DeviceArray(x), gpu.view(DeviceArray(where), "bool"), kept, gpu.view(odd, "bool"))
assert (kept.read() == np.where(where, x, 0)).all()
assert (odd.read() == 1 - where).all()
print("other views: right")

# A package that calls its arrays read-only says so by DLPack 1; a view allows the stores.
# CHECK: read-only: right
# CHECK: refused: expected memory that may be written for output o_ref, got an array that is read-only
# CHECK: refused: expected memory that may be written for output o_ref, got an array that is read-only
# CHECK: writable: right
add = gpu.load(f"{directory}/add.gridir")["add"]
out = VersionedArray(np.zeros_like(x))
for _ in range(3):
    assert run(add, VersionedArray(x, flags=1), VersionedArray(x, flags=1), out)
assert (out.read() == 2 * x).all()
print("read-only: right")
a, frozen = VersionedArray(x), VersionedArray(np.zeros_like(x), flags=1)
run(add, a, a, frozen)
out._versioned.flags = 1
run(add, a, a, out)
for _ in range(2):
    assert run(add, a, a, gpu.view(frozen, writable=True))
assert (frozen.read() == 2 * x).all()
print("writable: right")
# CHECK: refused: expected the memory of input x_ref, got a copy that its package made for DLPack
# CHECK: refused: expected an array of DLPack 1 or 0 for input x_ref, got one of 2.0
# CHECK: refused: expected the memory of input x_ref, got a copy that its package made for DLPack
run(add, VersionedArray(x, flags=2), a, kept)
run(add, VersionedArray(x, version=(2, 0)), a, kept)
a._versioned.flags = 2
run(add, a, VersionedArray(x), kept)

# An array of both protocols is used on the stream that its interface names, if it names one.
# CHECK: on the stream of CuPy: [] native True
# CHECK: bytes without a name by DLPack: [1]
one, two, out = StreamArray(x), StreamArray(x), StreamArray(np.zeros_like(x))
for _ in range(2):
    assert run(add, one, two, out)
assert (out.read() == 2 * x).all()
print("on the stream of CuPy:", one.streams, "native", add._prepared.launch((one, two, out), None))
floats = StreamArray(values)
assert run(rescaled, floats, StreamArray(doubled))
print("bytes without a name by DLPack:", floats.streams)


class BothArray(VersionedArray):
    """An array as PyTorch has it: its interface names no stream, or raises an error."""

    error = None

    @property
    def __cuda_array_interface__(self):
        if self.error is not None:
            raise self.error
        return {"shape": (64, 128), "typestr": "<f4", "data": (self.pointer, False), "version": 2}


class FailingArray(BothArray):
    """An array whose gradient is wanted."""

    error = RuntimeError("a gradient is wanted")


# CHECK: by DLPack: [1] [1]
both, failing = BothArray(x), FailingArray(x)
assert run(add, both, failing, DLPackArray(np.zeros_like(x)))
print("by DLPack:", both.streams, failing.streams)


class Stream:
    """A stream of CUDA's protocol."""

    def __cuda_stream__(self):
        return 0, 2


# CHECK: on streams: [2]
# CHECK: refused: expected the handle of a stream, got -1
other = VersionedArray(x)
assert run(add, other, VersionedArray(x), VersionedArray(np.zeros_like(x)), stream=Stream())
print("on streams:", other.streams)
run(add, other, other, kept, stream=-1)

# Sizes and strides that are lists, dimensions of one element with any stride, and no strides for no elements.
# CHECK: lists: right
interface = DeviceArray(x)
interface.__cuda_array_interface__ |= {"shape": [64, 128], "strides": [512, 4]}
for _ in range(2):
    assert run(add, interface, DeviceArray(x), kept)
print("lists: right")
# CHECK: (1, 1) (28, 4) / (0, 4) (16, 4) / () () / (2, 2) (18, 1)
views = [
    arrays.view_of((16, 0, b"\2\x20\1\0", struct.pack("2q", *shape), strides, 0), "x")
    for shape, strides in (((1, 1), struct.pack("2q", 7, 1)), ((0, 4), b""))
]
views.append(arrays.view_of((16, 0, b"\2\x20\1\0", b"", b"", 0), "x"))
pair = struct.pack("2q", 2, 1), struct.pack("2q", 9, 7)
views.append(arrays.view_of((16, 0, b"\x11\4\2\0", *pair, 0), "x"))
print(" / ".join(f"{view.shape} {view.strides}" for view in views))
