"""Arrays in the memory of a device of the stand-in driver, as other packages have them."""

import ctypes

import numpy as np
from gridir.runtime.gpu import open_device


class DeviceArray:
    """An array of `__cuda_array_interface__`."""

    def __init__(self, value, device=0, *, offset=0, strides=None, stream=None, read_only=False):
        self.value, self.device = np.asarray(value), open_device(device)
        self.base = self.device.allocate(self.value.nbytes + offset)
        self.pointer = self.base + offset
        self.device.write(self.pointer, self.value.tobytes())
        self.__cuda_array_interface__ = {
            "shape": self.value.shape,
            "typestr": self.value.dtype.str,
            "data": (self.pointer, read_only),
            "strides": strides,
            "stream": stream,
            "version": 3,
        }

    def read(self):
        data = self.device.read(self.pointer, self.value.nbytes)
        return np.frombuffer(data, self.value.dtype).reshape(self.value.shape)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_CODES = {"i": 0, "u": 1, "f": 2, "bfloat16": 4, "b": 6}
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class DLPackArray(DeviceArray):
    """An array of DLPack alone."""

    def __init__(self, value, device=0):
        super().__init__(value, device)
        del self.__cuda_array_interface__
        value = self.value
        self._shape = (ctypes.c_int64 * value.ndim)(*value.shape)
        kind = _CODES[value.dtype.name if value.dtype.kind == "V" else value.dtype.kind]
        self._tensor = _Tensor(self.pointer, 2, device, value.ndim, kind, 8 * value.itemsize, 1, self._shape)
        self.streams = []

    def __dlpack_device__(self):
        return (2, self.device.number)

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return _new(ctypes.addressof(self._tensor), b"dltensor", None)


class StridedArray(DLPackArray):
    """An array of DLPack whose elements are at given strides, counted in elements."""

    def __init__(self, value, strides):
        super().__init__(value)
        self._strides = (ctypes.c_int64 * len(strides))(*strides)
        self._tensor.strides = ctypes.cast(self._strides, ctypes.c_void_p)


class ExchangeArray(DLPackArray):
    """An array whose type has DLPack's functions for callers in C, and a stream."""

    stream = 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
def _read(array, out):
    ctypes.memmove(out, ctypes.addressof(array._tensor), 48)
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def _stream(kind, device, out):
    out[0] = ExchangeArray.stream
    return 0


_table = (ctypes.c_uint64 * 7)(
    1 | 3 << 32, 0, 0, 0, 0, ctypes.cast(_read, ctypes.c_void_p).value, ctypes.cast(_stream, ctypes.c_void_p).value
)
# A capsule has the address of its name.
_name = b"dlpack_exchange_api"
ExchangeArray.__dlpack_c_exchange_api__ = _new(ctypes.addressof(_table), _name, None)
