# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages on a GPU: `__cuda_array_interface__` and DLPack."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import struct
from collections.abc import Sequence
from typing import Any

from gridir.errors import LaunchError
from gridir.runtime.gpu.launch import contiguous_strides
from gridir.runtime.gpu.libcuda import open_cuda, open_device

_DLPACK_DEVICES = (2, 13)
"""Memory of CUDA, and memory that CUDA moves between host and devices."""
_LEGACY_STREAM = 1
"""The default stream, which has the number 0, too; DLPack knows this number alone."""
_DLPACK_FIRST_WHOLE_NAME = 6
"""The first of DLPack's codes that names a type without its bits."""
_DEVICE = 1
"""The position of the device number in the facts."""
_NO_DEVICE = -1
"""The device of an array without elements that does not say its device."""
_INTERFACE_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
# Codes of DLDataTypeCode.
_DLPACK_NAMES = {
    0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool",
    7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn", 11: "float8_e4m3fnuz",
    12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu", 17: "float4_e2m1fn",
}  # fmt: skip


Facts = tuple[Any, ...]
"""The properties of an array's memory, in a form that is cheap to read and to compare; `view_of` explains it."""


@dataclasses.dataclass(frozen=True)
class View:
    """The memory of an array.

    Attributes:
      pointer: its address; 0 for an array without elements.
      dtype: the element type, as NumPy or ml_dtypes name it.
      shape: the sizes.
      strides: bytes from one index to the next along each dimension.
      device: the number of the device.
      read_only: true if its owner forbids stores to it.
    """

    pointer: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int
    read_only: bool


def stream_of(array: Any) -> int | None:
    """Returns the stream that the producer of an array uses it on, or None where the array does not say it."""
    if (exchange := exchange_of(type(array))) is not None:
        return exchange.stream(exchange.read(array)[_DEVICE])
    if hasattr(array, "__dlpack__"):
        return None
    return getattr(array, "__cuda_array_interface__", {}).get("stream")


def facts_of(array: Any, name: str, stream: int, ordered: type | None = None) -> Facts:
    """Returns the description of the memory of an array of JAX, PyTorch, CuPy or another package.

    Args:
      array: has `__dlpack__` or `__cuda_array_interface__`.
      name: its name in messages.
      stream: the stream that the array will be used on; its producer orders earlier work before it.
      ordered: a type whose arrays are used on this stream already.

    Raises:
      LaunchError: when it has neither, or is not on a GPU.
    """
    kind = type(array)
    if (exchange := exchange_of(kind)) is not None:
        facts = exchange.read(array)
        # Another stream needs the order that __dlpack__ makes.
        if facts[_DEVICE] != _NO_DEVICE and (kind is ordered or exchange.stream(facts[_DEVICE]) == stream):
            return facts
    if hasattr(array, "__dlpack__"):
        return _read_dlpack(array, name, stream)
    if hasattr(array, "__cuda_array_interface__"):
        interface = array.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise LaunchError(f"expected an array without a mask for {name}, got one with a mask")
        pointer, read_only = interface["data"]
        device = open_cuda().device_of(pointer) if pointer and 0 not in interface["shape"] else _NO_DEVICE
        own = interface.get("stream")
        if device != _NO_DEVICE and own is not None and (own or _LEGACY_STREAM) != (stream or _LEGACY_STREAM):
            open_device(device).order(own, stream)
        return pointer or 0, device, interface["typestr"], interface["shape"], interface.get("strides"), read_only
    raise LaunchError(
        f"expected an array on a GPU for {name}, which has __cuda_array_interface__ or __dlpack__, got {kind.__name__}"
    )


def view_of(facts: Facts, name: str) -> View:
    """Returns the memory that facts of `facts_of` describe.

    Raises:
      LaunchError: for elements that are no numbers in the byte order of the GPU.
    """
    pointer, device, kind, shape, strides, read_only = facts
    if isinstance(kind, str):
        dtype, item = _dtype_of_interface(kind, name)
    else:
        dtype, item = _dtype_of_dlpack(kind, name)
        shape = struct.unpack(f"{len(shape) // 8}q", shape)
        strides = tuple(item * stride for stride in struct.unpack(f"{len(strides) // 8}q", strides))
    return View(pointer, dtype, tuple(shape), tuple(strides or contiguous_strides(shape, item)), device, read_only)


def key_of(facts: Sequence[Facts]) -> bytes | None:
    """Returns the facts of a call without addresses, as PreparedLaunches.cpp has them.

    Returns:
      The facts; None if one of them has another form there.
    """
    parts = []
    for _, device, kind, shape, strides, read_only in facts:
        if device == _NO_DEVICE:
            return None
        if not isinstance(kind, str):
            parts += [b"\0", _KEY.pack(device, len(shape) // 8, kind, bool(strides)), shape, strides]
            continue
        if not isinstance(shape, tuple) or not isinstance(strides, tuple | None):
            return None
        text, sizes = kind.encode(), (*shape, *(strides or ()))
        parts += [
            b"\1",
            _INTERFACE_KEY.pack(device, len(shape), read_only, strides is not None, len(text)),
            text,
        ]
        parts.append(struct.pack(f"={len(sizes)}q", *sizes))
    return b"".join(parts)


def _dtype_of_interface(text: str, name: str) -> tuple[str, int]:
    kind, size = text[1], int(text[2:])
    if kind == "V":
        raise LaunchError(
            f"expected an array with __dlpack__ for {name}, got one with __cuda_array_interface__ alone and elements "
            f"{text!r}, which do not name their type"
        )
    if text[0] == ">" or kind not in _INTERFACE_KINDS:
        raise LaunchError(f"expected numbers in the byte order of the GPU for {name}, got {text!r}")
    return _INTERFACE_KINDS[kind] + ("" if kind == "b" else str(8 * size)), size


def _dtype_of_dlpack(data: bytes, name: str) -> tuple[str, int]:
    code, bits, lanes = struct.unpack("BBH", data)
    if code not in _DLPACK_NAMES or lanes != 1:
        raise LaunchError(f"expected numbers for {name}, got DLPack's type {code} of {bits} bits and {lanes} lanes")
    known = _DLPACK_NAMES[code]
    return known if code >= _DLPACK_FIRST_WHOLE_NAME else f"{known}{bits}", max(bits // 8, 1)


_KEY, _INTERFACE_KEY = struct.Struct("=ii4si"), struct.Struct("=iiiii")
# DLTensor, with which the memory of a capsule named "dltensor" begins: the address, the device's type and number, the
# rank, the element type, the addresses of the shape and of the strides, and the offset of the first element.
_TENSOR = struct.Struct("@Qiii4sQQQ")
# `ctypes.string_at` without its layers of Python.
_read_memory = ctypes.pythonapi.PyBytes_FromStringAndSize
_read_memory.restype, _read_memory.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t)
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _read_dlpack(array: Any, name: str, stream: int) -> Facts:
    # Asked first, as memory of a CPU takes no stream.
    device_type, _ = array.__dlpack_device__()
    if device_type not in _DLPACK_DEVICES:
        raise LaunchError(f"expected an array on a GPU for {name}, got one on the DLPack device {int(device_type)}")
    capsule = array.__dlpack__(stream=stream or _LEGACY_STREAM)
    return _facts(_read_memory(_get_pointer(capsule, b"dltensor"), _TENSOR.size))


def _facts(tensor: bytes) -> Facts:
    """Returns the facts of a DLTensor; its shape and strides are at addresses that it names."""
    data, kind, device, rank, dtype, shape, strides, offset = _TENSOR.unpack(tensor)
    size = 8 * rank
    return (
        data + offset,
        device if kind in _DLPACK_DEVICES else _NO_DEVICE,
        dtype,
        _read_memory(shape, size) if size else b"",
        _read_memory(strides, size) if strides and size else b"",
        False,
    )


# DLPackExchangeAPI: a version of two words, the address of an older table, and five functions.
_EXCHANGE = struct.Struct("@II6Q")
_EXCHANGE_MAJOR = 1
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
        """Returns the facts of an array; its device is `_NO_DEVICE` for one that is not on a GPU."""
        tensor = _Bytes()
        self._read(array, tensor)
        return _facts(tensor.raw)

    def stream(self, device: int) -> int | None:
        """Returns the stream that the producer uses now on a device; None for no device."""
        if device == _NO_DEVICE:
            return None
        found = ctypes.c_void_p()
        self._stream(_DLPACK_DEVICES[0], device, ctypes.byref(found))
        return found.value or 0


@functools.cache
def exchange_of(kind: type) -> Exchange | None:
    """Returns the functions of a type, or None for a type that has none of this version."""
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    table = ctypes.string_at(_get_pointer(capsule, b"dlpack_exchange_api"), _EXCHANGE.size)
    major, _, _, _, _, _, read, stream = _EXCHANGE.unpack(table)
    return Exchange(read, stream) if major == _EXCHANGE_MAJOR and read else None
