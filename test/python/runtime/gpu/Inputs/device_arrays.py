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
        self._describe(read_only, strides, stream)

    def _describe(self, read_only, strides, stream):
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


_CODES = {"i": 0, "u": 1, "f": 2, "b": 6, "bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class DLPackArray(DeviceArray):
    """An array of DLPack alone."""

    def __init__(self, value, device=0):
        super().__init__(value, device)
        value = self.value
        self._shape = (ctypes.c_int64 * value.ndim)(*value.shape)
        kind = _CODES[value.dtype.name if value.dtype.name in _CODES else value.dtype.kind]
        self._tensor = _Tensor(self.pointer, 2, device, value.ndim, kind, 8 * value.itemsize, 1, self._shape)
        self.streams = []

    def _describe(self, *_):
        pass

    def __dlpack_device__(self):
        return (2, self.device.number)

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return _new(ctypes.addressof(self._tensor), b"dltensor", None)


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_versioned_name = b"dltensor_versioned"


class VersionedArray(DLPackArray):
    """An array as JAX and PyTorch have them: of DLPack 1, with flags, for a consumer that asks for it."""

    def __init__(self, value, device=0, *, flags=0, dtype=None, shape=None, version=(1, 3)):
        super().__init__(value, device)
        if dtype is not None:
            self._tensor.code, self._tensor.bits, self._tensor.lanes = dtype
        if shape is not None:
            self._shape[:] = shape
        self._versioned = _Versioned(*version, None, None, flags, self._tensor)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.streams.append(stream)
        if max_version is None or max_version < (1, 0):
            return _new(ctypes.addressof(self._tensor), b"dltensor", None)
        return _new(ctypes.addressof(self._versioned), _versioned_name, None)


class StreamArray(DLPackArray):
    """An array as CuPy has them: of both protocols, of which `__cuda_array_interface__` names the stream."""

    stream = 1

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.value.shape,
            "typestr": self.value.dtype.str,
            "data": (self.pointer, False),
            "strides": None,
            "stream": self.stream,
            "version": 3,
        }


class StridedArray(DLPackArray):
    """An array of DLPack whose elements are at given strides, counted in elements."""

    def __init__(self, value, strides):
        super().__init__(value)
        self._strides = (ctypes.c_int64 * len(strides))(*strides)
        self._tensor.strides = ctypes.cast(self._strides, ctypes.c_void_p)


class ExchangeArray(DLPackArray):
    """An array whose type has DLPack's functions for callers in C, and a stream."""

    stream = 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return super().__dlpack__(stream=stream)


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
