# RUN: %python %s | FileCheck %s

# Errors of a driver in host code: the replacement has the same rules for contexts, modules, attributes of functions,
# captures of graphs and tensor maps.

import ctypes
import threading

import numpy as np
from gridir.errors import OptionError
from gridir.runtime import ptx

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 value) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [value];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd0, %rd0, %rd1;
  st.global.b32 [%rd0], %r0;
  ret;
}
"""
driver = ptx.open_driver()
driver.pretend(9, devices=3, has_current_context=False)
cuda = ctypes.CDLL("libcuda.so.1")


def name_of(code):
    text = ctypes.c_char_p()
    assert cuda.cuGetErrorName(code, ctypes.byref(text)) == 0
    return text.value.decode().removeprefix("CUDA_")


def handle(function, *arguments):
    """Gives the result of a function whose first argument is where to, and the handle."""
    made = ctypes.c_void_p()
    return name_of(getattr(cuda, function)(ctypes.byref(made), *arguments)), made


contexts = []
for device in range(3):
    result, context = handle("cuDevicePrimaryCtxRetain", device)
    contexts.append(context)
# CHECK: ERROR_INVALID_DEVICE
print(handle("cuDevicePrimaryCtxRetain", 3)[0])
# CHECK-NEXT: without a context: ERROR_INVALID_CONTEXT ERROR_INVALID_CONTEXT ERROR_INVALID_CONTEXT
image = TEXT.encode()
print(
    "without a context:",
    handle("cuModuleLoadData", image)[0],
    handle("cuStreamCreate", 1)[0],
    name_of(cuda.cuCtxSynchronize()),
)
assert cuda.cuCtxPushCurrent_v2(contexts[1]) == 0
_, module = handle("cuModuleLoadData", image)
_, function = handle("cuModuleGetFunction", module, b"fill")
_, stream = handle("cuStreamCreate", 1)
out = ctypes.c_uint64()
assert cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(128)) == 0


class Attribute(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int), ("sizes", ctypes.c_uint32 * 17))


class Config(ctypes.Structure):
    _fields_ = (
        ("sizes", ctypes.c_uint32 * 7),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint32),
    )


def launch(value=7, shared_bytes=0, cluster=1, threads=32, grid=16, stream=stream):
    values = out, ctypes.c_uint32(value)
    pointers = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    attributes = (Attribute * 1)(Attribute(4, (ctypes.c_uint32 * 17)(0, cluster, 1, 1)))
    config = Config((ctypes.c_uint32 * 7)(grid, 1, 1, threads, 1, 1, shared_bytes), stream, attributes, 1)
    return name_of(cuda.cuLaunchKernelEx(ctypes.byref(config), function, pointers, None))


def read():
    host = np.zeros(32, np.int32)
    assert cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(host.ctypes.data), out, ctypes.c_size_t(128)) == 0
    return sorted(set(host.tolist()))


# Memory that is allocated on a device is memory of its kernels.
# CHECK-NEXT: SUCCESS [7] device 1
print(launch(), read(), "device", driver.launches[-1].device)
other = []
thread = threading.Thread(target=lambda: other.append((launch(), cuda.cuCtxSetCurrent(contexts[0]), launch())))
thread.start()
thread.join()
# CHECK-NEXT: in other threads: [('ERROR_INVALID_CONTEXT', 0, 'ERROR_INVALID_HANDLE')]
print("in other threads:", other)
# CHECK-NEXT: shared memory: ERROR_INVALID_VALUE ERROR_INVALID_VALUE SUCCESS SUCCESS
print(
    "shared memory:",
    launch(shared_bytes=49153),
    name_of(cuda.cuFuncSetAttribute(function, 8, 232449)),
    name_of(cuda.cuFuncSetAttribute(function, 8, 232448)),
    launch(shared_bytes=49153),
)
# CHECK-NEXT: clusters: ERROR_INVALID_CLUSTER_SIZE SUCCESS SUCCESS ERROR_INVALID_VALUE
print(
    "clusters:",
    launch(cluster=16),
    name_of(cuda.cuFuncSetAttribute(function, 14, 1)),
    launch(cluster=16),
    launch(cluster=3),
)
# CHECK-NEXT: sizes: ERROR_INVALID_VALUE ERROR_INVALID_VALUE
print("sizes:", launch(threads=1025), launch(grid=0))

# A graph keeps the values that a launch had. Each launch of it runs the kernel.
graph, runnable = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuStreamBeginCapture_v2(stream, 1) == 0
# CHECK-NEXT: captured: SUCCESS [7]
print("captured:", launch(8), end=" ")
status = ctypes.c_int()
assert cuda.cuStreamIsCapturing(stream, ctypes.byref(status)) == 0
assert status.value == 1
assert cuda.cuMemsetD8Async(ctypes.c_uint64(out.value + 64), ctypes.c_ubyte(0), ctypes.c_size_t(64), stream) == 0
assert cuda.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
print(read())
assert cuda.cuGraphInstantiateWithFlags(ctypes.byref(runnable), graph, ctypes.c_uint64(0)) == 0
assert cuda.cuGraphLaunch(runnable, stream) == 0
# CHECK-NEXT: graph: [0, 8]
print("graph:", read())


def during_capture(forbidden, mode=1):
    """Gives the result of an operation while a stream is captured, and that of the capture."""
    assert cuda.cuStreamBeginCapture_v2(stream, mode) == 0
    result = forbidden()
    return result, name_of(cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))


def elsewhere(body):
    """Gives the result of a function in a thread with the same context."""
    results = []

    def run():
        assert cuda.cuCtxSetCurrent(contexts[1]) == 0
        results.append(body())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


more = ctypes.c_uint64()
# CHECK-COUNT-7: ('ERROR_STREAM_CAPTURE_UNSUPPORTED', 'ERROR_STREAM_CAPTURE_INVALIDATED')
for forbidden in (
    lambda: handle("cuModuleLoadData", image)[0],
    lambda: name_of(cuda.cuModuleUnload(module)),
    lambda: name_of(cuda.cuStreamSynchronize(stream)),
    lambda: name_of(cuda.cuCtxSynchronize()),
    lambda: name_of(cuda.cuMemAlloc_v2(ctypes.byref(more), ctypes.c_size_t(8))),
    lambda: name_of(cuda.cuMemFree_v2(out)),
    lambda: name_of(cuda.cuMemcpyDtoH_v2(ctypes.byref(more), out, ctypes.c_size_t(8))),
):
    print(during_capture(forbidden))
# CHECK-NEXT: default stream: ('ERROR_STREAM_CAPTURE_IMPLICIT', 'ERROR_STREAM_CAPTURE_INVALIDATED')
print("default stream:", during_capture(lambda: launch(stream=None)))
# The mode of the capture, and that of the thread, determine if other threads may load meanwhile.
# CHECK-NEXT: global: ('ERROR_STREAM_CAPTURE_UNSUPPORTED', 'ERROR_STREAM_CAPTURE_INVALIDATED')
# CHECK-NEXT: own thread: ('SUCCESS', 'SUCCESS')
# CHECK-NEXT: relaxed: ('SUCCESS', 'SUCCESS')
for title, mode in (("global", 0), ("own thread", 1)):
    print(f"{title}:", during_capture(lambda: elsewhere(lambda: handle("cuModuleLoadData", image)[0]), mode))
mode = ctypes.c_int(2)
assert cuda.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode)) == 0
print("relaxed:", during_capture(lambda: handle("cuModuleLoadData", image)[0], 0))
assert cuda.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode)) == 0

# A module is unloaded in its own context, and not while a kernel of it runs.
assert cuda.cuCtxPushCurrent_v2(contexts[2]) == 0
# CHECK-NEXT: elsewhere: ERROR_INVALID_HANDLE
print("elsewhere:", name_of(cuda.cuModuleUnload(module)))
assert cuda.cuCtxPopCurrent_v2(None) == 0
results = []
driver.rewrite = lambda text: [results.append(elsewhere(lambda: name_of(cuda.cuModuleUnload(module)))), text][1]
launch()
driver.rewrite = None
# CHECK-NEXT: ['ERROR_LAUNCH_FAILED'] expected no kernel of a module to run when it is unloaded
try:
    driver.synchronize()
except ptx.LaunchError as error:
    print(results, error)
# A load waits until no kernel of the context runs.
events = []


def load_meanwhile(text):
    def load():
        assert cuda.cuCtxSetCurrent(contexts[1]) == 0
        handle("cuModuleLoadData", image)
        events.append("loaded")

    threads.append(threading.Thread(target=load))
    threads[0].start()
    threads[0].join(timeout=0.2)
    events.append("still running")
    return text


threads = []
driver.rewrite = load_meanwhile
launch()
driver.rewrite = None
threads[0].join()
# CHECK-NEXT: ['still running', 'loaded']
print(events)
loaded = driver.num_modules
# CHECK-NEXT: unloaded: SUCCESS ERROR_INVALID_HANDLE ERROR_INVALID_HANDLE 1
print(
    "unloaded:",
    name_of(cuda.cuModuleUnload(module)),
    launch(),
    name_of(cuda.cuModuleUnload(module)),
    loaded - driver.num_modules,
)

# Tensor maps: addresses and strides are multiples of 16 bytes, as is the inner size of a box, which a swizzle bounds.
space = np.zeros(192, np.uint8)
memory = space.ctypes.data + -space.ctypes.data % 64


def encode(address=4096, sizes=(64, 64), stride=256, box=(8, 8), swizzle=0):
    return name_of(
        cuda.cuTensorMapEncodeTiled(
            ctypes.c_void_p(memory),
            7,
            2,
            ctypes.c_void_p(address),
            (ctypes.c_uint64 * 2)(*sizes),
            (ctypes.c_uint64 * 1)(stride),
            (ctypes.c_uint32 * 2)(*box),
            (ctypes.c_uint32 * 2)(1, 1),
            0,
            swizzle,
            0,
            0,
        )
    )


# CHECK-NEXT: maps: SUCCESS SUCCESS
print("maps:", encode(), encode(box=(32, 256), swizzle=3))
# CHECK-COUNT-9: ERROR_INVALID_VALUE
for wrong in (
    {"address": 0},
    {"address": 4104},
    {"stride": 264},
    {"stride": 1 << 40},
    {"box": (8, 257)},
    {"box": (8, 0)},
    {"box": (6, 8)},
    {"box": (64, 8), "swizzle": 3},
    {"sizes": (64, 0)},
):
    print(encode(**wrong))

# CHECK-NEXT: memory: ERROR_INVALID_VALUE ERROR_OUT_OF_MEMORY SUCCESS ERROR_INVALID_VALUE
print(
    "memory:",
    name_of(cuda.cuMemAlloc_v2(ctypes.byref(more), ctypes.c_size_t(0))),
    name_of(cuda.cuMemAlloc_v2(ctypes.byref(more), ctypes.c_size_t(1 << 60))),
    name_of(cuda.cuMemFree_v2(out)),
    name_of(cuda.cuMemFree_v2(out)),
)
# CHECK-NEXT: expected 0 to 64 devices, got 65
try:
    driver.pretend(9, devices=65)
except OptionError as error:
    print(error)
