# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process in which modules are compiled and run. It is replaced after a crash."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Sequence
from typing import Any

from gridir.compiler.target import Target
from gridir.passes import loaded
from gridir.recording.archive import SUFFIX, save
from gridir.recording.record import Record
from gridir.runtime.child import Child

_START_TIMEOUT = 120


class Worker:
    """One process, started when it is first asked and again after it has died.

    It knows the passes in Python that `gridir.passes.load` has loaded here.

    Example:
      >>> with Worker(timeout=60) as worker:
      ...     worker.load(record)
      ...     reply = worker.run(module, passes, target, options)
    """

    def __init__(self, timeout: float):
        """Starts nothing yet; a request that takes longer than this many seconds ends the process."""
        self._timeout = timeout
        self._child = Child()
        self._directory = tempfile.TemporaryDirectory(prefix="gridir-bisect-")
        self._path: str | None = None

    def load(self, record: Record) -> None:
        """Takes the operands of a record for later runs."""
        self._path = os.path.join(self._directory.name, f"call{SUFFIX}")
        save(record, self._path)
        self._ask("load", (self._path,))

    def trace(self, module: bytes, passes: Sequence[str]) -> dict[str, Any]:
        """Returns the `modules` before, between and after passes, and the `error` of one that fails."""
        return self._ask("trace", (module, tuple(passes)))

    def compile(self, module: bytes, passes: Sequence[str], target: Target, options: Any) -> str | None:
        """Returns the reason why these passes fail to compile a module; None on success."""
        return self._ask("compile", (module, tuple(passes), target, options)).get("error")

    def run(self, module: bytes, passes: Sequence[str], target: Target, options: Any) -> dict[str, Any]:
        """Returns the `results` of the code that a module becomes by these passes, or an `error`.

        `died` is there where the process ended or was ended, which only code does that runs.
        """
        return self._ask("run", (module, tuple(passes), target, options))

    def ptx(self, module: bytes, passes: Sequence[str], target: Target, options: Any) -> dict[str, Any]:
        """Returns the `ptx` of a module and whether it has `register_products`, or an `error`."""
        return self._ask("ptx", (module, tuple(passes), target, options))

    def launch(
        self, module: bytes, passes: Sequence[str], target: Target, options: Any, image: bytes, device: int, times: int
    ) -> dict[str, Any]:
        """Returns the `results` of each of several launches of a cubin or a text on a GPU, or an `error`.

        `refused` is there where the driver does not load it, `died` as for `run`.
        """
        reply = self._ask("launch", (module, tuple(passes), target, options, image, device, times))
        if "error" in reply:
            # After a fault, a process cannot use the GPU again.
            self._child.stop()
        return reply

    def _ask(self, name: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        if not self._child.is_running:
            self._answered = False
            self._child.start("gridir.bisection.process", loaded(), {"JAX_PLATFORMS": "cpu"})
            if self._path is not None and name != "load":
                self._ask("load", (self._path,))
        self._child.send((name, arguments))
        try:
            reply = self._child.receive(self._timeout if self._answered else _START_TIMEOUT)
            self._answered = True
            return reply
        except TimeoutError:
            reply = {"error": f"it has not ended after {self._timeout:g} s", "died": True}
        except ChildProcessError as ended:
            reply = {"error": _describe(ended.args[0]), "died": True}
        self._child.stop()
        return reply

    def close(self) -> None:
        """Ends the process and removes its files."""
        self._child.stop()
        self._directory.cleanup()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _describe(status: int) -> str:
    try:
        return f"it has ended by {signal.Signals(-status).name}" if status < 0 else f"it has ended with status {status}"
    except ValueError:
        return f"it has ended with status {status}"
