"""XLA's custom calls of kernels on GPUs, called by XLA on the CPU, with the stand-in for CUDA's driver.

XLA's own frames, attributes and states reach the handlers. What XLA does on a GPU and not on the CPU is done here: it
makes a context current, gives a stream, and calls the stage `initialize` before `execute`.
"""

import ctypes
import threading

import jax
import numpy as np
from gridir.runtime import ptx
from gridir.runtime.gpu import xla_call

_INITIALIZE, _EXECUTE = 2, 3
_BITS_OF_DTYPE = {
    1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64, 15: 64, 16: 16, 18: 128,
    19: 8, 20: 8, 23: 8, 24: 8, 25: 8, 28: 8, 29: 8, 33: 8,
}  # fmt: skip


def _struct(name, *fields):
    """A struct of XLA's C API: each begins with its size and its extensions."""
    begin = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p)]
    return type(name, (ctypes.Structure,), {"_fields_": begin + list(fields)})


def _pointers(*names):
    return [(name, ctypes.c_void_p) for name in names]


Buffer = _struct(
    "Buffer",
    ("dtype", ctypes.c_int),
    ("data", ctypes.c_void_p),
    ("rank", ctypes.c_int64),
    ("dims", ctypes.POINTER(ctypes.c_int64)),
)
Values = _struct(
    "Values",
    ("size", ctypes.c_int64),
    ("types", ctypes.c_void_p),
    ("values", ctypes.POINTER(ctypes.POINTER(Buffer))),
)
Api = _struct(
    "Api",
    ("version", ctypes.c_uint64 * 3),
    *_pointers("internal", "error_create", "error_message", "error_destroy", "register", "stream_get"),
    *_pointers("type_register", "context_get", "state_set", "state_get", "allocate", "free", "schedule", "threads"),
    *_pointers("future_create", "future_set", "future_error", "run_id", "device_ordinal"),
)
Frame = _struct(
    "Frame",
    ("api", ctypes.POINTER(Api)),
    ("context", ctypes.c_void_p),
    ("stage", ctypes.c_int),
    ("args", Values),
    ("rets", Values),
    ("attrs", _struct("Attributes", *_pointers("size", "types", "names", "values"))),
    ("future", ctypes.c_void_p),
)
StreamOrOrdinal = _struct("StreamOrOrdinal", *_pointers("context", "value"))


_Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Frame))
_Get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(StreamOrOrdinal))


def _address(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, None)


def export(function, *args):
    """Exports a function for CUDA; what is exported can be called on the CPU."""
    checks = [jax.export.DisabledSafetyCheck.platform()]
    targets = xla_call.CALL_TARGET, xla_call.RECORDED_CALL_TARGET
    checks += [jax.export.DisabledSafetyCheck.custom_call(target) for target in targets]
    return jax.export.export(jax.jit(function), platforms=("cuda",), disabled_checks=checks)(*args)


def register_without_driver():
    """Registers the calls as they are with XLA on the CPU, which gives them no stream."""
    jax.devices("cpu")
    addresses = xla_call.ffi_target()
    state = {name: addresses[name] for name in ("type_id", "type_info")}
    jax.ffi.register_ffi_type("gridir_gpu_call_state", state, platform="cpu")
    initialize = _Handler(_address(addresses["initialize"]))

    def execute(frame):
        if not frame.contents.extension_start:
            frame.contents.stage = _INITIALIZE
        return initialize(frame)

    handler = _Handler(execute)
    stages = {
        "instantiate": addresses["instantiate"],
        "execute": jax.ffi.pycapsule(ctypes.cast(handler, ctypes.c_void_p)),
    }
    jax.ffi.register_ffi_target(xla_call.RECORDED_CALL_TARGET, stages, platform="cpu")
    _kept.append((handler, initialize))


_kept = []


class CudaOnCpu:
    """What runs exported programs for CUDA on the CPU's devices, of which each stands for a GPU.

    Attributes:
      driver: the stand-in driver.
      cuda: its functions.
      captures: whether calls that XLA may record are recorded in a graph, and this is launched.
      graphs: how many graphs were launched.
      initializes: whether the stage `initialize` is called.
    """

    def __init__(self, devices=1):
        self.driver = ptx.open_driver()
        self.driver.pretend(9, devices=devices, has_current_context=False)
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.captures, self.graphs, self.initializes = False, 0, True
        self._local = threading.local()
        self._handlers = []
        jax.devices("cpu")  # A backend that starts later registers calls before the types that they need.
        addresses = xla_call.ffi_target()
        state = {name: addresses[name] for name in ("type_id", "type_info")}
        jax.ffi.register_ffi_type("gridir_gpu_call_state", state, platform="cpu")
        initialize = _Handler(_address(addresses["initialize"]))
        for target, name in ((xla_call.CALL_TARGET, "execute"), (xla_call.RECORDED_CALL_TARGET, "execute_recorded")):
            execute = _Handler(_address(addresses[name]))
            handler = _Handler(lambda frame, e=execute, t=target: self._execute(frame, initialize, e, t))
            capsule = jax.ffi.pycapsule(ctypes.cast(handler, ctypes.c_void_p))
            self._handlers.append((handler, execute))
            stages = {"instantiate": addresses["instantiate"], "execute": capsule}
            jax.ffi.register_ffi_target(target, stages, platform="cpu")
        self._get_stream = _Get(self._give_stream)

    def check(self, result):
        assert result == 0, result

    def _give_stream(self, wanted):
        wanted.contents.value = self._local.stream.value

    def _ordinal(self, frame):
        asked = StreamOrOrdinal(ctypes.sizeof(StreamOrOrdinal) - 4, None, frame.contents.context, None)
        _Get(frame.contents.api.contents.device_ordinal)(ctypes.byref(asked))
        return (asked.value or 0) & 0xFFFFFFFF

    def _enter(self, device):
        """Makes a context current, as XLA does in the thread of a device, with a stream of its own."""
        context = ctypes.c_void_p()
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cuda.cuCtxPushCurrent_v2(context))
        self._local.stream = ctypes.c_void_p()
        self.check(self.cuda.cuStreamCreate(ctypes.byref(self._local.stream), 1))

    def _leave(self):
        self.check(self.cuda.cuStreamDestroy_v2(self._local.stream))
        self.check(self.cuda.cuCtxPopCurrent_v2(None))

    def _execute(self, frame, initialize, execute, target):
        if frame.contents.extension_start:  # XLA asks what a handler can do.
            return execute(frame)
        api = Api.from_buffer_copy(frame.contents.api.contents)
        api.stream_get = ctypes.cast(self._get_stream, ctypes.c_void_p)
        arrays = [
            _array(values.values[i].contents)
            for values in (frame.contents.args, frame.contents.rets)
            for i in range(values.size)
        ]
        self._enter(self._ordinal(frame))
        try:
            frame.contents.api = ctypes.pointer(api)
            frame.contents.stage = _INITIALIZE
            error = initialize(frame) if self.initializes else None
            frame.contents.stage = _EXECUTE
            if not error:
                with self.driver.memory(arrays):
                    error = self._run(frame, execute, target)
            return error
        finally:
            self._leave()

    def _run(self, frame, execute, target):
        if not self.captures or target != xla_call.RECORDED_CALL_TARGET:
            return execute(frame)
        stream, graph, runnable = self._local.stream, ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.cuda.cuStreamBeginCapture_v2(stream, 1))
        error = execute(frame)
        self.check(self.cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))
        self.check(self.cuda.cuGraphInstantiateWithFlags(ctypes.byref(runnable), graph, ctypes.c_uint64(0)))
        self.check(self.cuda.cuGraphLaunch(runnable, stream))
        self.graphs += 1
        for destroy, handle in ((self.cuda.cuGraphExecDestroy, runnable), (self.cuda.cuGraphDestroy, graph)):
            self.check(destroy(handle))
        return error


def _array(buffer):
    size = _BITS_OF_DTYPE[buffer.dtype] // 8
    for i in range(buffer.rank):
        size *= buffer.dims[i]
    return np.frombuffer((ctypes.c_uint8 * size).from_address(buffer.data), np.uint8) if size else np.zeros(0, np.uint8)
