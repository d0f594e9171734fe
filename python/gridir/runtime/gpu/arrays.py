# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other packages on a GPU: `__cuda_array_interface__` and DLPack."""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from gridir.errors import KernelError, LaunchError
from gridir.runtime.gpu.bundle import element_bits
from gridir.runtime.gpu.dlpack import LEGACY_STREAM, NO_DEVICE, PADDED, READ_ONLY, dtype_of, exchange_of, read_dlpack
from gridir.runtime.gpu.launch import contiguous_strides
from gridir.runtime.gpu.libcuda import open_cuda, open_device

_DEVICE = 1
"""The position of the device number in the facts."""
_BYTE = 8
_INTERFACE_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


Facts = tuple[Any, ...]
"""The properties of an array's memory, in a form that is cheap to read and to compare; `view_of` explains it."""


@dataclasses.dataclass(frozen=True)
class View:
    """The memory of an array.

    Attributes:
      pointer: its address; 0 for an array without elements.
      dtype: the element type, as NumPy or ml_dtypes name it.
      shape: the sizes.
      strides: bytes from one index to the next along each dimension; elements where elements share bytes.
      device: the number of the device.
      read_only: true if its owner forbids stores to it.
      per_byte: elements in a byte, 1 for elements of a byte or more.
    """

    pointer: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: int
    read_only: bool
    per_byte: int = 1


@dataclasses.dataclass(frozen=True)
class ArrayView:
    """An array with properties that its package cannot state; `view` makes it.

    Attributes:
      array: the array of another package.
      dtype: the element type; None for that of the array.
      per_byte: elements of the view in each byte of the array.
      writable: true if a kernel may write the memory of a read-only array.
      key: the properties as PreparedLaunches.cpp reads them.
    """

    array: Any
    dtype: str | None
    per_byte: int
    writable: bool
    key: bytes = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", _cast_key(self.dtype, self.per_byte, writable=self.writable))


def _cast_key(dtype: str | None, per_byte: int, *, writable: bool) -> bytes:
    text = (dtype or "").encode()
    return b"\2" + _CAST_KEY.pack(per_byte, writable, len(text)) + text


def view(array: Any, dtype: str | None = None, *, per_byte: int = 1, writable: bool = False) -> ArrayView:
    """Returns the memory of an array as elements of another type, or as memory that may be written.

    Some packages have no type for the elements of a kernel: they hold `float8_e4m3fn` as `uint8`, or two `int4` in a
    `uint8`. A call of a kernel takes the result in place of the array.

    Args:
      array: an array of JAX, PyTorch, CuPy or another package, or a view of one.
      dtype: the element type, as NumPy or ml_dtypes name it, of the same size as the array's own; None for the latter.
      per_byte: the number of elements in a byte of the array, the first in its lowest bits. The size of the last
        dimension is that of the array's last dimension times this number.
      writable: allows stores to an array that its package calls read-only, as JAX does of all. No other array may
        share its memory.

    Raises:
      LaunchError: when `dtype` is no element type, or `per_byte` of its elements do not fill a byte.
    """
    if isinstance(array, ArrayView):
        dtype, per_byte = (array.dtype, array.per_byte) if dtype is None else (dtype, per_byte)
        array, writable = array.array, writable or array.writable
    if dtype is not None:
        try:
            bits = element_bits(dtype)
        except KernelError as error:
            raise LaunchError(error.message) from None
        most = max(_BYTE // bits, 1)
        if per_byte not in (1, most):
            raise LaunchError(f"expected 1 {f'or {most} ' if most > 1 else ''}of {dtype} in a byte, got {per_byte}")
    elif per_byte != 1:
        raise LaunchError(f"expected an element type for {per_byte} elements in a byte, got none")
    return ArrayView(array, dtype, per_byte, writable)


class _Cast(NamedTuple):
    """The element type of an array in its facts, and the view of it."""

    kind: Any
    dtype: str | None
    per_byte: int
    writable: bool


_nameless: set[type] = set()
"""Types with both protocols whose `__cuda_array_interface__` names no stream."""


def _interface_of(array: Any) -> dict[str, Any] | None:
    """Returns `__cuda_array_interface__` of an array that has nothing else, or that names its stream only there."""
    kind = type(array)
    if not hasattr(array, "__dlpack__"):
        return getattr(array, "__cuda_array_interface__", None)
    if kind in _nameless:
        return None
    interface = None
    # Packages raise several errors, as for an array on a CPU; __dlpack__ has the error to report.
    with contextlib.suppress(AttributeError, RuntimeError, TypeError, ValueError):
        interface = array.__cuda_array_interface__
    if interface is None or interface.get("stream") is None:
        _nameless.add(kind)
        return None
    return interface


def names_stream(kind: type) -> bool:
    """True if arrays of a type have DLPack, but name their stream in `__cuda_array_interface__`."""
    has_both = all(hasattr(kind, name) for name in ("__dlpack__", "__cuda_array_interface__"))
    return has_both and kind not in _nameless


def stream_of(array: Any) -> int | None:
    """Returns the stream that the producer of an array uses it on, or None where the array does not say it."""
    if isinstance(array, ArrayView):
        return stream_of(array.array)
    if (exchange := exchange_of(type(array))) is not None:
        return exchange.stream(exchange.read(array)[_DEVICE])
    interface = _interface_of(array)
    return None if interface is None else interface.get("stream")


def facts_of(array: Any, name: str, stream: int, ordered: type | None = None) -> Facts:
    """Returns the description of the memory of an array of JAX, PyTorch, CuPy or another package.

    Args:
      array: has `__dlpack__` or `__cuda_array_interface__`, or is an `ArrayView` of one that has.
      name: its name in messages.
      stream: the stream that the array will be used on; its producer orders earlier work before it.
      ordered: a type whose arrays are used on this stream already.

    Raises:
      LaunchError: when it has neither, or is not on a GPU.
    """
    kind = type(array)
    if isinstance(array, ArrayView):
        pointer, device, own, *others = facts_of(array.array, name, stream, ordered)
        return pointer, device, _Cast(own, array.dtype, array.per_byte, array.writable), *others
    if (exchange := exchange_of(kind)) is not None:
        facts = exchange.read(array)
        # Another stream needs the order that __dlpack__ makes.
        if facts[_DEVICE] != NO_DEVICE and (kind is ordered or exchange.stream(facts[_DEVICE]) == stream):
            return facts
        return read_dlpack(array, name, stream)
    interface = _interface_of(array)
    has_dlpack = hasattr(array, "__dlpack__")
    # DLPack names elements that NumPy has no name for.
    if has_dlpack and (interface is None or not _is_named(interface["typestr"])):
        return read_dlpack(array, name, stream)
    if interface is not None:
        return _facts_of_interface(interface, name, stream)
    raise LaunchError(
        f"expected an array on a GPU for {name}, which has __cuda_array_interface__ or __dlpack__, got {kind.__name__}"
    )


def _facts_of_interface(interface: dict[str, Any], name: str, stream: int) -> Facts:
    if interface.get("mask") is not None:
        raise LaunchError(f"expected an array without a mask for {name}, got one with a mask")
    (pointer, read_only), shape, strides = interface["data"], tuple(interface["shape"]), interface.get("strides")
    device = open_cuda().device_of(pointer) if pointer and 0 not in shape else NO_DEVICE
    own = interface.get("stream")
    if device != NO_DEVICE and own is not None and (own or LEGACY_STREAM) != (stream or LEGACY_STREAM):
        open_device(device).order(own, stream)
    strides = None if strides is None else tuple(strides)
    return pointer or 0, device, interface["typestr"], shape, strides, bool(read_only)


def view_of(facts: Facts, name: str) -> View:
    """Returns the memory that facts of `facts_of` describe.

    Raises:
      LaunchError: for elements that are no numbers in the byte order of the GPU, or of another size than their view.
    """
    pointer, device, kind, shape, strides, flags = facts
    cast = kind if isinstance(kind, _Cast) else None
    own: Any = kind if cast is None else cast.kind
    if isinstance(own, str):
        dtype, item = _dtype_of_interface(own, name, needs_name=cast is None or cast.dtype is None)
        strides = tuple(strides or contiguous_strides(shape, item))
        found, bits = View(pointer, dtype, tuple(shape), strides, device, bool(flags)), _BYTE * item
    else:
        dtype, bits, lanes = dtype_of(own, name)
        shape = struct.unpack(f"{len(shape) // _BYTE}q", shape)
        strides = struct.unpack(f"{len(strides) // _BYTE}q", strides) or contiguous_strides(shape, 1)
        per_byte = 1 if flags & PADDED else max(_BYTE // bits, 1)
        if per_byte == 1:
            strides = tuple(max(bits // _BYTE, 1) * stride for stride in strides)
        found = View(pointer, dtype, shape, strides, device, bool(flags & READ_ONLY), per_byte)
        found = _split(found, lanes)
    return found if cast is None else _cast(found, bits, cast, name)


def _split(view: View, count: int) -> View:
    """Returns a view of memory whose elements are `count` elements in one byte."""
    if count == 1 or not view.shape:
        return view
    *others, last = view.strides
    # The stride of one byte is of no account.
    strides = (*(count * stride for stride in others), 1 if last == 1 or view.shape[-1] == 1 else count * last)
    return dataclasses.replace(view, shape=(*view.shape[:-1], count * view.shape[-1]), strides=strides)


def _cast(view: View, bits: int, cast: _Cast, name: str) -> View:
    """Returns the view of memory that the caller states; `bits` are those of an element of the array."""
    view = dataclasses.replace(view, read_only=view.read_only and not cast.writable)
    if cast.dtype is None:
        return view
    wanted = max(element_bits(cast.dtype), _BYTE)
    if bits != wanted:
        raise LaunchError(
            f"expected elements of {wanted} bits for the view of {name} as {cast.dtype}, got {view.dtype} of {bits}"
        )
    return _split(dataclasses.replace(view, dtype=cast.dtype, per_byte=cast.per_byte), cast.per_byte)


def key_of(facts: Sequence[Facts]) -> bytes | None:
    """Returns the facts of a call without addresses, as PreparedLaunches.cpp has them.

    Returns:
      The facts; None if one of them has another form there.
    """
    parts = []
    for _, device, kind, shape, strides, flags in facts:
        if device == NO_DEVICE:
            return None
        if isinstance(kind, _Cast):
            parts.append(_cast_key(kind.dtype, kind.per_byte, writable=kind.writable))
            kind = kind.kind
        if not isinstance(kind, str):
            parts += [b"\0", _KEY.pack(device, len(shape) // 8, kind, bool(strides), flags), shape, strides]
            continue
        text, sizes = kind.encode(), (*shape, *(strides or ()))
        parts += [
            b"\1",
            _INTERFACE_KEY.pack(device, len(shape), flags, strides is not None, len(text)),
            text,
        ]
        parts.append(struct.pack(f"={len(sizes)}q", *sizes))
    return b"".join(parts)


_KEY, _INTERFACE_KEY, _CAST_KEY = struct.Struct("=ii4siQ"), struct.Struct("=iiiii"), struct.Struct("=iii")


def _is_named(text: str) -> bool:
    """True if a `typestr` names the element type; NumPy has no names for those of ml_dtypes."""
    return text[1] != "V" and text[1:] != "f1"


def _dtype_of_interface(text: str, name: str, *, needs_name: bool) -> tuple[str, int]:
    """Returns the name and the bytes of an element."""
    kind, size = text[1], int(text[2:])
    if needs_name and not _is_named(text):
        raise LaunchError(
            f"expected an array with __dlpack__ for {name}, got one with __cuda_array_interface__ alone and elements "
            f"{text!r}, which do not name their type",
            notes=("gridir.runtime.gpu.view(array, dtype) names it",),
        )
    if text[0] == ">" or kind not in (*_INTERFACE_KINDS, "V"):
        raise LaunchError(f"expected numbers in the byte order of the GPU for {name}, got {text!r}")
    known = _INTERFACE_KINDS.get(kind, "void")
    return known + ("" if kind == "b" else str(_BYTE * size)), size
