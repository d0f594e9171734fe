# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages by DLPack, versions 0 and 1."""

from __future__ import annotations

import ctypes
import functools
import struct
from typing import Any

from gridir.errors import LaunchError

DEVICES = (2, 13)
"""Memory of CUDA, and memory that CUDA moves between host and devices."""
LEGACY_STREAM = 1
"""The default stream, which has the number 0, too; DLPack knows this number alone."""
NO_DEVICE = -1
"""The device of an array without elements that does not say its device."""
VERSION = (1, 3)
"""The newest version that is read; later ones of the same major number have the same layout."""
READ_ONLY, COPIED, PADDED = 1, 2, 4
"""Flags of an array: it may not be written; it is a copy; its elements of less than a byte have a byte each."""

_FIRST_WHOLE_NAME = 6
"""The first of the codes that names a type without its bits."""
# Codes of DLDataTypeCode.
_NAMES = {
    0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool",
    7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn", 11: "float8_e4m3fnuz",
    12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu", 17: "float4_e2m1fn",
}  # fmt: skip

Facts = tuple[Any, ...]
"""The address, the device, the element type in 4 bytes, the bytes of the sizes and of the strides, and the flags."""

# DLTensor: the address, the device's type and number, the rank, the element type, the addresses of the shape and of the
# strides, and the offset of the first element.
_TENSOR = struct.Struct("@Qiii4sQQQ")
# DLManagedTensorVersioned begins with the version, two addresses and the flags; DLTensor follows.
_VERSIONED = struct.Struct("@IIQQQ")
# `ctypes.string_at` without its layers of Python.
_read_memory = ctypes.pythonapi.PyBytes_FromStringAndSize
_read_memory.restype, _read_memory.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t)
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)

_unversioned: set[type] = set()


def takes_version(kind: type) -> bool:
    """True if `__dlpack__` has the parameter `max_version`, for the type of an array that was read."""
    return kind not in _unversioned


def read_dlpack(array: Any, name: str, stream: int) -> Facts:
    """Returns the facts of an array; its producer orders earlier work before that of the stream.

    Raises:
      LaunchError: when it is not on a GPU, is of a later major version, or the producer has copied it.
    """
    # Asked first, as memory of a CPU takes no stream.
    device_type, _ = array.__dlpack_device__()
    if device_type not in DEVICES:
        raise LaunchError(f"expected an array on a GPU for {name}, got one on the DLPack device {int(device_type)}")
    capsule = _capsule_of(array, stream or LEGACY_STREAM)
    if not _is_valid(capsule, b"dltensor_versioned"):
        return _facts(_read_memory(_get_pointer(capsule, b"dltensor"), _TENSOR.size))
    address = _get_pointer(capsule, b"dltensor_versioned")
    major, minor, _, _, flags = _VERSIONED.unpack(_read_memory(address, _VERSIONED.size))
    if major != VERSION[0]:
        raise LaunchError(f"expected an array of DLPack {VERSION[0]} or 0 for {name}, got one of {major}.{minor}")
    if flags & COPIED:
        # The kernel would run on memory that is freed when this function returns.
        raise LaunchError(f"expected the memory of {name}, got a copy that its package made for DLPack")
    return _facts(_read_memory(address + _VERSIONED.size, _TENSOR.size), flags)


def _capsule_of(array: Any, stream: int) -> Any:
    kind = type(array)
    if kind not in _unversioned:
        try:
            return array.__dlpack__(stream=stream, max_version=VERSION)
        except TypeError:
            capsule = array.__dlpack__(stream=stream)
            _unversioned.add(kind)
            return capsule
    return array.__dlpack__(stream=stream)


def _facts(tensor: bytes, flags: int = 0) -> Facts:
    """Returns the facts of a DLTensor; its shape and strides are at addresses that it names."""
    data, kind, device, rank, dtype, shape, strides, offset = _TENSOR.unpack(tensor)
    size = 8 * rank
    return (
        data + offset,
        device if kind in DEVICES else NO_DEVICE,
        dtype,
        _read_memory(shape, size) if size else b"",
        _read_memory(strides, size) if strides and size else b"",
        flags,
    )


def dtype_of(data: bytes, name: str) -> tuple[str, int, int]:
    """Returns the name of an element type, its bits, and how many of it DLPack counts as one element.

    Raises:
      LaunchError: for a type that is no number.
    """
    code, bits, lanes = struct.unpack("BBH", data)
    # Two numbers of 4 bits are an element of PyTorch.
    if code not in _NAMES or (lanes != 1 and bits * lanes != 8):
        raise LaunchError(f"expected numbers for {name}, got DLPack's type {code} of {bits} bits and {lanes} lanes")
    known = _NAMES[code]
    return known if code >= _FIRST_WHOLE_NAME else f"{known}{bits}", bits, lanes


# DLPackExchangeAPI: a version of two words, the address of an older table, and five functions.
_EXCHANGE = struct.Struct("@II6Q")
_read_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
_Bytes = ctypes.c_char * _TENSOR.size
_stream_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange:
    """DLPack's functions of a type of arrays, which make no object of Python and no order of streams.

    Attributes:
      addresses: the addresses of both functions.
    """

    def __init__(self, read: int, stream: int):
        self.addresses = read, stream
        self._read, self._stream = _read_type(read), _stream_type(stream)

    def read(self, array: Any) -> Facts:
        """Returns the facts of an array; its device is `NO_DEVICE` for one that is not on a GPU."""
        tensor = _Bytes()
        self._read(array, tensor)
        return _facts(tensor.raw)

    def stream(self, device: int) -> int | None:
        """Returns the stream that the producer uses now on a device; None for no device."""
        if device == NO_DEVICE:
            return None
        found = ctypes.c_void_p()
        self._stream(DEVICES[0], device, ctypes.byref(found))
        return found.value or 0


@functools.cache
def exchange_of(kind: type) -> Exchange | None:
    """Returns the functions of a type, or None for a type that has none of this version."""
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    table = ctypes.string_at(_get_pointer(capsule, b"dlpack_exchange_api"), _EXCHANGE.size)
    major, _, _, _, _, _, read, stream = _EXCHANGE.unpack(table)
    return Exchange(read, stream) if major == VERSION[0] and read else None
