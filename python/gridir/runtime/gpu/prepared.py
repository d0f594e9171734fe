# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on arrays that were checked, made by native code if it is there (PreparedLaunches.cpp).

The library depends on Python alone. Without it, `kernels.py` makes all launches by ctypes.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridir.runtime.gpu.arrays import ArrayView, Facts, key_of, names_stream
from gridir.runtime.gpu.bundle import OperandInfo, bytes_of
from gridir.runtime.gpu.dlpack import exchange_of, takes_version
from gridir.runtime.gpu.launch_arguments import PreparedLaunch
from gridir.runtime.gpu.libcuda import open_cuda

_PATH = Path(__file__).parents[2] / "mlir" / "_mlir_libs" / "libgridir_launch.so"
_UNKNOWN = -1
# Protocol of PreparedLaunches.cpp.
_DLPACK, _INTERFACE, _VIEW = 1, 2, 3
# OperandRule and Source of PreparedLaunches.cpp.
_Rule, _Source = ctypes.c_int64 * 4, ctypes.c_uint64 * 2


class PreparedLaunches:
    """Launches of a kernel by the facts of their arrays."""

    def __init__(self, library: ctypes.PyDLL):
        """Makes an empty table."""
        self._library = library
        addresses = map(open_cuda().address_of, ("cuLaunchKernelEx", "cuCtxGetCurrent", "cuPointerGetAttribute"))
        self._launch = library.gridirNewLaunches(*addresses)
        self._types: set[type] = set()

    def launch(self, arrays: tuple[Any, ...], stream: int | None) -> bool:
        """Launches the kernel if a launch of the same facts was added, and the context of its device is current.

        Args:
          arrays: the arrays.
          stream: the stream; None for the stream of the arrays' producer.

        Raises:
          DriverError: when the driver refuses the launch.
        """
        code = self._launch(arrays, stream)
        if code > 0:
            raise open_cuda().error("cuLaunchKernelEx", code)
        return code != _UNKNOWN

    def add(
        self,
        arrays: Sequence[Any],
        facts: Sequence[Facts],
        launch: PreparedLaunch | None,
        operands: Sequence[OperandInfo],
    ) -> None:
        """Adds a launch whose facts were checked, unless its types of arrays change what they have."""
        key = key_of(facts) if launch is not None else None
        if launch is None or key is None:
            return
        table = self._launch.__self__
        for array, (_, _, element, *_) in zip(arrays, facts, strict=True):
            if isinstance(array, ArrayView):
                self._library.gridirAddArrayType(table, ArrayView, _VIEW, False, None, None)
                array, element = array.array, element.kind
            self._add_type(table, type(array), by_interface=isinstance(element, str))
        place = launch.context, launch.function, launch.config
        if launch.sources is None:
            key += struct.pack(f"={len(facts)}Q", *(fact[0] for fact in facts))
            self._library.gridirAddLaunch(table, key, len(key), launch, *place, launch.arguments)
            return
        rules, sources = (_Rule * len(operands))(), (_Source * len(launch.sources))()
        for rule, operand in zip(rules, operands, strict=True):
            alias = -1 if operand.alias is None else operand.alias
            rule[:] = bytes_of(operand), operand.alignment, alias, operand.is_output
        for source, (operand_number, constant) in zip(sources, launch.sources, strict=True):
            source[:] = operand_number % (1 << 64), constant % (1 << 64)
        self._library.gridirAddPattern(table, key, len(key), launch, *place, rules, len(rules), sources, len(sources))

    def _add_type(self, table: Any, kind: type, *, by_interface: bool) -> None:
        exchange = exchange_of(kind)
        # Python reads an array by DLPack whose stream is that of its interface.
        if kind in self._types or (exchange is None and not by_interface and names_stream(kind)):
            return
        addresses = (None, None) if exchange is None else exchange.addresses
        protocol = _INTERFACE if by_interface else _DLPACK
        self._library.gridirAddArrayType(table, kind, protocol, takes_version(kind), *addresses)
        self._types.add(kind)


def prepared_launches() -> PreparedLaunches | None:
    """Returns an empty table, or None without the library."""
    library = _open()
    return None if library is None else PreparedLaunches(library)


@functools.cache
def _open() -> ctypes.PyDLL | None:
    if not _PATH.exists():
        return None
    library = ctypes.PyDLL(str(_PATH))
    address = ctypes.c_void_p
    library.gridirNewLaunches.restype = ctypes.py_object
    library.gridirNewLaunches.argtypes = (address, address, address)
    library.gridirAddArrayType.restype = None
    library.gridirAddArrayType.argtypes = (
        ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.c_int, address, address,
    )  # fmt: skip
    size = ctypes.c_size_t
    library.gridirAddPattern.restype = None
    library.gridirAddPattern.argtypes = (
        ctypes.py_object, ctypes.c_char_p, size, ctypes.py_object, address, address, address, address, size, address,
        size,
    )  # fmt: skip
    library.gridirAddLaunch.restype = None
    library.gridirAddLaunch.argtypes = (
        ctypes.py_object, ctypes.c_char_p, ctypes.c_size_t, ctypes.py_object, address, address, address, address,
    )  # fmt: skip
    return library
