# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on arrays that were checked, made by native code if it is there (PreparedLaunches.cpp).

The library depends on Python alone. Without it, `kernels.py` makes all launches by ctypes.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridir.runtime.gpu.arrays import Facts, exchange_of, key_of
from gridir.runtime.gpu.libcuda import PreparedLaunch, open_cuda

_PATH = Path(__file__).parents[2] / "mlir" / "_mlir_libs" / "libgridir_launch.so"
_UNKNOWN = -1


class PreparedLaunches:
    """Launches of a kernel by the facts of their arrays."""

    def __init__(self, library: ctypes.PyDLL):
        """Makes an empty table."""
        self._library = library
        addresses = map(open_cuda().address_of, ("cuLaunchKernelEx", "cuCtxGetCurrent"))
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

    def add(self, arrays: Sequence[Any], facts: Sequence[Facts], launch: PreparedLaunch | None) -> None:
        """Adds a launch whose facts were checked, if its arrays have functions for callers in C."""
        key = key_of(facts) if launch is not None else None
        if launch is None or key is None:
            return
        table = self._launch.__self__
        for kind in {type(array) for array in arrays} - self._types:
            if (exchange := exchange_of(kind)) is None:
                return
            self._library.gridirAddArrayType(table, kind, *exchange.addresses)
            self._types.add(kind)
        self._library.gridirAddLaunch(
            table, key, len(key), launch, launch.context, launch.function, launch.config, launch.arguments
        )


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
    library.gridirNewLaunches.argtypes = (address, address)
    library.gridirAddArrayType.restype = None
    library.gridirAddArrayType.argtypes = (ctypes.py_object, ctypes.py_object, address, address)
    library.gridirAddLaunch.restype = None
    library.gridirAddLaunch.argtypes = (
        ctypes.py_object, ctypes.c_char_p, ctypes.c_size_t, ctypes.py_object, address, address, address, address,
    )  # fmt: skip
    return library
