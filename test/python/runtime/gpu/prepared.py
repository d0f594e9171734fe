# RUN: rm -rf %t && mkdir %t && %python %S/Inputs/write_bundles.py %t add update copies && %python %s %t | FileCheck %s
"""Launches on arrays that were checked are made by native code; an array with other facts is checked by Python."""

import contextlib
import os
import sys
import threading
from unittest import mock

import numpy as np

directory = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

from gridir.runtime import ptx

driver = ptx.open_driver()
driver.pretend(9, devices=2, has_current_context=False)

from device_arrays import DeviceArray, DLPackArray, ExchangeArray
from gridir.runtime import gpu
from gridir.runtime.gpu import kernels, prepared

x = np.arange(64 * 128, dtype=np.float32).reshape(64, 128)
# The library needs Python's context of the device, as PyTorch and others make it current.
context = gpu.open_device(0).current()
context.__enter__()
add = gpu.load(f"{directory}/add.gridir")["add"]


class Calls:
    """Counts the calls that Python checks or launches itself."""

    def __enter__(self):
        self.checks = mock.patch.object(add, "_check", wraps=add._check).__enter__()
        self.reads = mock.patch.object(kernels, "facts_of", wraps=kernels.facts_of).__enter__()
        return self

    def __exit__(self, *_):
        mock.patch.stopall()
        del add._check
        kernels.facts_of = self.reads._mock_wraps


def run(*arrays, **options):
    with Calls() as calls:
        try:
            add(*arrays, **options)
        except gpu.LaunchError as error:
            print("refused:", str(error).splitlines()[0])
        except gpu.DriverError as error:
            print(f"driver, kernel {error.kernel}:", str(error).splitlines()[0])
        else:
            print("launched by", "Python" if calls.reads.called else "native code", end="")
            print(", checked" if calls.checks.called else "")


def arrays():
    return ExchangeArray(x), ExchangeArray(2 * x), ExchangeArray(np.zeros_like(x))


a, b, out = arrays()
# CHECK: launched by Python, checked
# CHECK: launched by native code
# CHECK: right: True
run(a, b, out)
out.device.write(out.pointer, bytes(x.nbytes))
run(a, b, out)
print("right:", (out.read() == 3 * x).all())
# CHECK: launched by native code
run(a, b, out, stream=0)

# The same object with other facts is checked again.
# CHECK: refused: expected the shape (64, 128) of input x_ref, got (64, 127)
# CHECK: refused: expected the dtype float32 of input x_ref, got int32
# CHECK: refused: expected rank 2 of input x_ref, got 1
# CHECK: refused: expected an address of input x_ref that is a multiple of 16, got 0x{{.*}}4
# CHECK: refused: expected the strides (512, 4) in bytes of input x_ref, got (516, 4)
# CHECK: launched by Python, checked
# CHECK: refused: expected all arrays on one device, got them on [0, 1]
a._shape[1] = 127
run(a, b, out)
a._shape[1] = 128
a._tensor.code = 0
run(a, b, out)
a._tensor.code, a._tensor.rank = 2, 1
run(a, b, out)
a._tensor.rank, a._tensor.byte_offset = 2, 4
run(a, b, out)
a._tensor.byte_offset = 0
strides = np.array([129, 1], np.int64)
a._tensor.strides = strides.ctypes.data
run(a, b, out)
strides[0] = 128
run(a, b, out)
a._tensor.strides, a._tensor.device = None, 1
run(a, b, out)
a._tensor.device = 0
# CHECK: launched by native code
run(a, b, out)
# CHECK: refused: expected output o_ref in memory of its own, got it at 0x{{.*}}, which overlaps input x_ref at 0x
run(a, b, a)
# CHECK: refused: expected 3 arrays (x_ref, y_ref, o_ref), got 2
run(a, b)
# CHECK: refused: expected a stream as a number, or one of PyTorch or CuPy, got str
run(a, b, out, stream="a")

# DLPack orders the work of a producer that uses another stream.
# CHECK: launched by native code
# CHECK: streams [2]
run(a, b, out, stream=2)
print("streams", a.streams)

# New addresses need no check by Python unless they are wrong.
# CHECK: launched by native code
# CHECK: new addresses: True
d, e, other = arrays()
run(d, e, other)
print("new addresses:", (other.read() == 3 * x).all())
# CHECK: refused: expected an address of input x_ref that is a multiple of 16, got 0x
d._tensor.byte_offset = 8
run(d, e, other)
d._tensor.byte_offset = 0
# CHECK: refused: expected output o_ref in memory of its own, got it at 0x{{.*}}, which overlaps input {{[xy]}}_ref at
other._tensor.data = e.pointer + x.nbytes - 16
run(d, e, other)

# So are the other protocols, alone and mixed; each is read as Python reads it.
# CHECK: DLPack: launched by Python, checked
# CHECK: DLPack: launched by native code
# CHECK: DLPack: launched by native code
# CHECK: interface: launched by Python, checked
# CHECK: interface: launched by native code
# CHECK: interface: launched by native code
# CHECK: mixed: launched by Python, checked
# CHECK: mixed: launched by native code
# CHECK: mixed: launched by native code
zeros = np.zeros_like(x)
for title, kinds in {
    "DLPack": [DLPackArray] * 3,
    "interface": [DeviceArray] * 3,
    "mixed": [DeviceArray, DLPackArray, ExchangeArray],
}.items():
    for _ in range(3):
        c, d, e = (kind(value) for kind, value in zip(kinds, (x, 2 * x, zeros), strict=True))
        print(title, end=": ")
        run(c, d, e)
        assert (e.read() == 3 * x).all()

# The stream is that of the first array that says one, otherwise the default stream, which is 1 in DLPack.
# Python reads the arrays of a launch that is not known a second time.
# CHECK: streams [1, 1] [7, 7] [2]
c, d, e = DeviceArray(x), DLPackArray(x), DeviceArray(zeros)
add(c, d, e)
with mock.patch.object(ExchangeArray, "stream", 7):
    other = ExchangeArray(x)
    f = DLPackArray(x)
    with contextlib.suppress(gpu.DriverError):
        add(other, f, e)
g = DLPackArray(x)
with contextlib.suppress(gpu.DriverError):
    add(DeviceArray(x, stream=2), g, e)
print("streams", d.streams, f.streams, g.streams)

# Every fact of these protocols is part of the key.
# CHECK: refused: expected the dtype float32 of input x_ref, got int32
# CHECK: refused: expected the shape (64, 128) of input x_ref, got (128, 64)
# CHECK: refused: expected the strides (512, 4) in bytes of input x_ref, got (4, 256)
# CHECK: launched by Python, checked
# CHECK: launched by native code
# CHECK: refused: expected memory that may be written for output o_ref, got an array that is read-only
# CHECK: refused: expected all arrays on one device, got them on [0, 1]
# CHECK: refused: expected the address of memory on a GPU, got 0x10: cuPointerGetAttribute failed with
# CHECK: refused: expected numbers in the byte order of the GPU for input x_ref, got '>f4'
# CHECK: refused: expected memory of a GPU for input x_ref, got the address 0
# CHECK: refused: expected an array without a mask for input x_ref, got one with a mask
c = DeviceArray(x)
interface = dict(c.__cuda_array_interface__)
for change in (
    {"typestr": "<i4"},
    {"shape": (128, 64)},
    {"strides": (4, 256)},
    {"strides": (512, 4)},
    {"strides": (512, 4)},
):
    c.__cuda_array_interface__ = interface | change
    run(c, d, e)
c.__cuda_array_interface__ = interface
run(c, d, DeviceArray(zeros, read_only=True))
run(DeviceArray(x, device=1), d, e)
for change in {"data": (16, False)}, {"typestr": ">f4"}, {"data": (0, False)}, {"mask": c}:
    c.__cuda_array_interface__ = interface | change
    run(c, d, e)
# CHECK: refused: expected memory of a GPU for input x_ref, got the address 0
nowhere = DLPackArray(x)
nowhere._tensor.data = 0
run(nowhere, d, e)

# The work of a producer on another stream comes before the launch, also when the launch is known.
# CHECK: ordered: [(1, 2), (1, 2)] [(1, 7), (1, 7)]
first, second = DeviceArray(x, stream=2), DeviceArray(x, stream=1)
with mock.patch.object(gpu.Device, "order") as order:
    for _ in range(2):
        add(first, second, e)
    known = [call.args for call in order.call_args_list]
    order.reset_mock()
    for _ in range(2):
        with contextlib.suppress(gpu.DriverError):
            add(second, second, e, stream=7)
print("ordered:", known, [call.args for call in order.call_args_list][::2])

# What a producer raises is raised again by Python's own call.
# CHECK: refused: expected an array on a GPU for input y_ref, got one on the DLPack device 1
# CHECK: producer: expected nothing
with mock.patch.object(DLPackArray, "__dlpack_device__", return_value=(1, 0)):
    run(DeviceArray(x), DLPackArray(x), e)
with mock.patch.object(DLPackArray, "__dlpack__", mock.Mock(side_effect=BufferError("expected nothing"))):
    try:
        add(DeviceArray(x), DLPackArray(x), e)
    except BufferError as error:
        print("producer:", error)

# An output in the memory of its input, and nowhere else.
# CHECK: update: right
# CHECK: refused: expected output o_ref in the memory of input x_ref at 0x{{.*}}, got it at 0x
update = gpu.load(f"{directory}/update.gridir")["update"]
for _ in range(3):
    values = DLPackArray(np.arange(32, dtype=np.int32))
    update(values, values)
    assert (values.read() == 2 * np.arange(32)).all()
print("update: right")
try:
    update(values, DLPackArray(np.zeros(32, np.int32)))
except gpu.LaunchError as error:
    print("refused:", str(error).splitlines()[0])

# The driver's error of a native launch has its name, and that of the kernel.
# CHECK: driver, kernel add: cuLaunchKernelEx failed with 400 (CUDA_ERROR_INVALID_HANDLE)
ExchangeArray.stream = 0x1234
run(a, b, out)
ExchangeArray.stream = 0

# A thread without the context of the device launches by Python, which makes it current.
# CHECK: launched by Python
thread = threading.Thread(target=run, args=(a, b, out))
thread.start()
thread.join()

# CHECK: 8 threads: right
context.__exit__(None, None, None)
failed = []


def work(number):
    with gpu.open_device(0).current():
        first, second, result = arrays()
        for _ in range(50):
            result.device.write(result.pointer, bytes(x.nbytes))
            add(first, second, result)
            if not (result.read() == 3 * x).all():
                failed.append(number)


threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("8 threads:", "wrong" if failed else "right")

# CHECK: without the library: right
with mock.patch.object(prepared, "_open", return_value=None), gpu.open_device(0).current():
    other = gpu.load(f"{directory}/add.gridir")
    for _ in range(2):
        out.device.write(out.pointer, bytes(x.nbytes))
        other(a, b, out)
        assert (out.read() == 3 * x).all()
    assert other["add"]._prepared is None
print("without the library: right")
# A kernel with memory of its own for each launch is never kept.
# CHECK: own memory: right
copies = gpu.load(f"{directory}/copies.gridir")
one, two = ExchangeArray(np.arange(256, dtype=np.float32)), ExchangeArray(np.zeros(256, np.float32))
with gpu.open_device(0).current():
    for _ in range(2):
        two.device.write(two.pointer, bytes(1024))
        copies(one, two)
        assert (two.read() == np.arange(256)).all()
print("own memory: right")
