# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages on a GPU: `__cuda_array_interface__` and DLPack."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

from gridir.errors import LaunchError
from gridir.runtime.gpu.launch import contiguous_strides

_DLPACK_CUDA, _DLPACK_CUDA_MANAGED = 2, 13
_DLPACK_LEGACY_STREAM = 1
_INTERFACE_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
# Codes of DLDataTypeCode.
_DLPACK_NAMES = {
    0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool",
    7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn", 11: "float8_e4m3fnuz",
    12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu", 17: "float4_e2m1fn",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class View:
    """The memory of an array.

    Attributes:
      pointer: its address; 0 for an array without elements.
      dtype: the element type, as NumPy or ml_dtypes name it.
      shape: the sizes.
      strides: bytes from one index to the next along each dimension.
      device: the number of the device; None where the array does not say it.
      stream: the stream in whose order the array is used; None where the array does not say it.
      read_only: true if its owner forbids stores to it.
      owner: keeps the memory alive.
    """

    pointer: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int | None
    stream: int | None
    read_only: bool
    owner: Any = dataclasses.field(repr=False, compare=False)


def view_of(array: Any, name: str, stream: int | None) -> View:
    """Returns the memory of an array of JAX, PyTorch, CuPy or another package.

    Args:
      array: has `__cuda_array_interface__` or `__dlpack__`.
      name: what messages call it.
      stream: the stream that the array will be used on; its producer orders earlier work before it.

    Raises:
      LaunchError: when it has neither, or is not on a GPU.
    """
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return _from_dlpack(array, name, stream)
    if hasattr(array, "__cuda_array_interface__"):
        return _from_interface(array, name)
    raise LaunchError(
        f"expected an array on a GPU for {name}, which has __cuda_array_interface__ or __dlpack__, "
        f"got {type(array).__name__}"
    )


def _from_interface(array: Any, name: str) -> View:
    interface = array.__cuda_array_interface__
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    if interface["typestr"][0] == ">" or kind not in _INTERFACE_KINDS:
        raise LaunchError(f"expected numbers in the byte order of the GPU for {name}, got {interface['typestr']!r}")
    shape = tuple(interface["shape"])
    dtype = _INTERFACE_KINDS[kind] + ("" if kind == "b" else str(8 * size))
    pointer, read_only = interface["data"]
    strides = interface.get("strides") or contiguous_strides(shape, size)
    return View(pointer or 0, dtype, shape, tuple(strides), None, interface.get("stream"), read_only, array)


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("number", ctypes.c_int32))


class _Type(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    """DLTensor, with which the memory of a capsule named "dltensor" begins."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _from_dlpack(array: Any, name: str, stream: int | None) -> View:
    device, number = array.__dlpack_device__()
    if device not in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED):
        raise LaunchError(f"expected an array on a GPU for {name}, got one on the DLPack device {int(device)}")
    # The default stream has the number 0 in CUDA and 1 in DLPack. The capsule owns the memory until it is collected.
    capsule = array.__dlpack__(stream=stream or _DLPACK_LEGACY_STREAM)
    tensor = _Tensor.from_address(_get_pointer(capsule, b"dltensor"))
    code, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
    if code not in _DLPACK_NAMES or lanes != 1:
        raise LaunchError(f"expected numbers for {name}, got DLPack's type {code} of {bits} bits and {lanes} lanes")
    known = _DLPACK_NAMES[code]
    dtype = known if code >= 6 else f"{known}{bits}"
    shape = tuple(tensor.shape[: tensor.rank])
    item = max(bits // 8, 1)
    strides = contiguous_strides(shape, item)
    if tensor.strides:
        strides = tuple(stride * item for stride in tensor.strides[: tensor.rank])
    pointer = (tensor.data or 0) + tensor.byte_offset
    return View(pointer, dtype, shape, strides, int(number), None, False, capsule)
