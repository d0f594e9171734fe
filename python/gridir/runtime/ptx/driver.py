# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stand-in for CUDA's driver: host code of others launches its kernels, and the CPU executes their PTX.

Host code loads `libcuda.so.1`. Once `open_driver()` has loaded the library of that name that gridir brings, it gets
that one. The image of a module is its text of PTX.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gridir.errors import Error, OptionError
from gridir.mlir import _mlir_libs
from gridir.runtime.chips import facts_of
from gridir.runtime.ptx.module import LaunchError, load
from gridir.runtime.ptx.recording import Recording, leave_out_parts

_INVALID_IMAGE, _NOT_FOUND, _LAUNCH_FAILED = 200, 500, 719
_MAX_DEVICES = 64
_LIMITS = facts_of("gpu:sm_90a")
"""The limits of a multiprocessor of the device. The system reserves a KiB of its shared memory for each block."""

_Sizes, _Values = ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_void_p)
_Load = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int)
_Find = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, _Sizes, _Sizes)
_Launch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, _Sizes, _Values)
_Synchronize = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
_Fail = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


class _Callbacks(ctypes.Structure):
    """GridirDriver of StandInDriver.cpp."""

    _fields_ = (
        ("multiprocessors", ctypes.c_int),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("shared_bytes", ctypes.c_int),
        ("devices", ctypes.c_int),
        ("is_bound", ctypes.c_int),
        ("load", _Load),
        ("find", _Find),
        ("launch", _Launch),
        ("synchronize", _Synchronize),
        ("fail", _Fail),
    )


@dataclasses.dataclass(frozen=True)
class Launch:
    """A launch that the driver was asked for.

    Attributes:
      function: the name of the entry.
      text: the PTX.
      grid: blocks along each dimension.
      block: threads of a block along each.
      cluster: blocks of a cluster along each; zeros where the host code says nothing.
      shared_bytes: dynamic shared memory.
      prepare_seconds: how long the text took to become code; little where it has been code before.
      seconds: how long it ran.
      device: the number of the device.
    """

    function: str
    text: str = dataclasses.field(repr=False)
    grid: tuple[int, ...]
    block: tuple[int, ...]
    cluster: tuple[int, ...]
    shared_bytes: int
    prepare_seconds: float
    seconds: float
    device: int = 0


class _Arrays(threading.local):
    """Arrays that a thread has named as memory of the devices."""

    def __init__(self) -> None:
        self.named: list[np.ndarray] = []


class Driver:
    """The functions of the replacement driver; `open_driver` returns the only instance of a process.

    As with a GPU, the error of a launch is reported when the host waits for it, and memory of the device is then
    inaccessible. `synchronize` raises the error, and makes the device accessible again.

    Attributes:
      launches: those that have ended well, in order. options: keyword arguments of `Function.launch`, as checks, for
      all launches. By default the GPU's occupancy limits the number of blocks that run at a time.
      directory: where the library is, for host code that is linked with it.
      loaded: the text of the module that was loaded last; None before the first.
      loads: the device of each module that was loaded, in order.
      rewrite: gives the text that is executed instead of a module's, as a mutant of it; None for the module's own.
      recorder: receives each successful launch, with the memory before and after it; None for no recorder.
    """

    def __init__(self) -> None:
        self.launches: list[Launch] = []
        self.loaded: str | None = None
        self.loads: list[int] = []
        self.options: dict[str, Any] = {}
        self.rewrite: Callable[[str], str] | None = None
        self.recorder: Callable[[Recording], None] | None = None
        self._arrays = _Arrays()
        self._error: Error | None = None
        self._faulty: set[int] = set()
        self.directory = Path(_mlir_libs.__file__).with_name("stand_in")
        self._library = ctypes.CDLL(str(self.directory / "libcuda.so.1"), ctypes.RTLD_GLOBAL)
        self._callbacks = _Callbacks(
            4,
            9,
            0,
            _LIMITS["shared_bytes"],
            1,
            1,
            _Load(self._load),
            _Find(self._find),
            _Launch(self._launch),
            _Synchronize(self._wait),
            _Fail(self._fail),
        )
        self._library.gridirSetDriver(ctypes.byref(self._callbacks))

    def pretend(
        self,
        major: int,
        minor: int = 0,
        multiprocessors: int = 4,
        *,
        devices: int = 1,
        has_current_context: bool = True,
    ) -> None:
        """Sets the GPUs that the host code sees.

        Args:
          major: of the compute capability, as 9 of 9.0.
          minor: of the compute capability.
          multiprocessors: how many each GPU has.
          devices: how many GPUs there are, at most 64.
          has_current_context: whether a thread begins with the context of the first GPU, as a thread of XLA's does
            when it calls a kernel. With False a thread has none before it sets one, as with a real driver.
        """
        if multiprocessors < 1:
            raise OptionError(f"expected at least one multiprocessor, got {multiprocessors}")
        if not 0 <= devices <= _MAX_DEVICES:
            raise OptionError(f"expected 0 to {_MAX_DEVICES} devices, got {devices}")
        self._callbacks.major, self._callbacks.minor = major, minor
        self._callbacks.multiprocessors, self._callbacks.devices = multiprocessors, devices
        self._callbacks.is_bound = has_current_context
        self._library.gridirSetDriver(ctypes.byref(self._callbacks))

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability that the host code sees."""
        return self._callbacks.major, self._callbacks.minor

    @property
    def dynamic_shared_bytes(self) -> int:
        """The dynamic shared memory that the host code last allowed a function."""
        return int(self._library.gridirGetDynamicSharedBytes())

    @property
    def num_modules(self) -> int:
        """The number of loaded modules, on all devices."""
        return int(self._library.gridirGetNumModules())

    @contextlib.contextmanager
    def memory(self, arrays: Sequence[np.ndarray]) -> Iterator[None]:
        """Uses arrays as the memory of the devices for launches of this thread.

        A kernel may access no other memory, except what the host code has allocated on a device.
        """
        before = self._arrays.named
        self._arrays.named = [*before, *arrays]
        try:
            yield
        finally:
            self._arrays.named = before

    @property
    def named(self) -> tuple[np.ndarray, ...]:
        """The arrays that `memory` has made memory of the devices for this thread."""
        return tuple(self._arrays.named)

    def _memory(self) -> list[np.ndarray]:
        room = self._library.gridirGetAllocations(None, None, 0)
        while True:
            addresses, sizes = (ctypes.c_uint64 * room)(), (ctypes.c_uint64 * room)()
            count = self._library.gridirGetAllocations(addresses, sizes, room)
            # Other threads allocate between two calls, and the memory of this launch may be last.
            if count <= room:
                break
            room = count
        spaces = [(ctypes.c_uint8 * sizes[i]).from_address(addresses[i]) for i in range(count)]
        return [*self._arrays.named, *(np.frombuffer(space, np.uint8) for space in spaces)]

    def synchronize(self) -> None:
        """Raises the error of the first launch that has failed since the last call.

        Raises:
          PtxError: for features that the executor does not support.
          LaunchError: as in `Function.launch`.
        """
        error, self._error = self._error, None
        self._faulty.clear()
        if error is not None:
            raise error

    def _wait(self, device: int) -> int:
        return _LAUNCH_FAILED if device in self._faulty else 0

    def _guard(self, body: Callable[[], Any], code: int) -> int:
        """The result of a function of the driver; an error is stored, as no exception passes through C."""
        try:
            body()
        except Exception as error:
            known = error if isinstance(error, Error) else LaunchError(f"{type(error).__name__}: {error}")
            self._error = self._error or known
            return code
        return 0

    def _fail(self, message: bytes) -> None:
        self._error = self._error or LaunchError(message.decode())

    def _load(self, text: bytes, device: int) -> int:
        def read() -> None:
            self.loaded = text.decode(errors="replace")
            load(self.loaded)
            self.loads.append(device)

        return self._guard(read, _INVALID_IMAGE)

    def _find(self, text: bytes, name: bytes, sizes: Any, count: Any) -> int:
        functions = load(text.decode()).functions
        if name.decode() not in functions:
            return _NOT_FOUND
        parameters = functions[name.decode()].parameters
        for i, parameter in enumerate(parameters[: count[0]]):
            sizes[i] = parameter.bytes
        count[0] = len(parameters)
        return 0

    def _launch(self, text: bytes, name: bytes, sizes: Any, values: Any) -> int:
        # Host code may end the process when a launch fails, but not when it only waits for it.
        device = sizes[10]
        if self._guard(lambda: self._run(text.decode(), name.decode(), list(sizes[:11]), values), _LAUNCH_FAILED):
            self._faulty.add(device)
        return 0

    def _run(self, text: str, name: str, sizes: list[int], values: Any) -> None:
        function = load(self.rewrite(text) if self.rewrite is not None else text).function(name)
        start = time.perf_counter()
        function.prepare(checks=self.options.get("checks") or ())
        prepared = time.perf_counter()
        arguments = [ctypes.string_at(values[i], x.bytes) for i, x in enumerate(function.parameters)]
        grid, block, cluster = tuple(sizes[:3]), tuple(sizes[3:6]), tuple(sizes[6:9])
        at_once = min(_LIMITS["threads"] // max(1, math.prod(block)), _LIMITS["shared_bytes"] // (sizes[9] + 1024))
        memory = self._memory()
        launch = {
            "grid": grid,
            "block": block,
            "cluster": cluster if any(cluster) else None,
            "shared_bytes": sizes[9],
            "blocks_at_once": self._callbacks.multiprocessors * at_once,
            "memory": memory,
        }
        recorded = leave_out_parts(memory) if self.recorder is not None else []
        before = tuple(_to_bytes(x) for x in recorded)
        function.launch(arguments, **{**launch, **self.options})
        done = time.perf_counter()
        if self.recorder is not None:
            del launch["memory"]
            bases = tuple(x.ctypes.data for x in recorded)
            given = tuple(np.frombuffer(x, np.uint8) for x in arguments)
            after = tuple(_to_bytes(x) for x in recorded)
            self.recorder(Recording(name, text, launch, bases, given, before, after))
        times = prepared - start, done - prepared
        self.launches.append(Launch(name, text, grid, block, cluster, sizes[9], *times, sizes[10]))


def _to_bytes(array: np.ndarray) -> np.ndarray:
    return np.frombuffer(array.tobytes(), np.uint8)


@functools.cache
def open_driver() -> Driver:
    """Loads the stand-in as `libcuda.so.1`, so that all who ask for that name from now on get it; gives its driver."""
    return Driver()
