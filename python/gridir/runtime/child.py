# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process of Python that answers requests through a pipe, for work that may end a process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


class Child:
    """One process, which may be stopped and started again."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._stack = contextlib.ExitStack()

    @property
    def is_running(self) -> bool:
        """True if the process was started and has not been stopped."""
        return self._process is not None

    def start(
        self, module: str, arguments: Sequence[str], environment: dict[str, str], output: Any = subprocess.DEVNULL
    ) -> None:
        """Starts a module, whose first argument is the file descriptor of its end of the pipe.

        Args:
          module: the argument of `python -m`; it finds the modules that this process finds.
          arguments: the arguments after the file descriptor.
          environment: variables that it has beside those of this process.
          output: the file for its output, which is discarded without one.
        """
        self._connection, other = multiprocessing.Pipe()
        self._stack.enter_context(self._connection)
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(other.fileno()), *arguments],
                env=os.environ | {"PYTHONPATH": paths} | environment,
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def send(self, request: Any) -> None:
        """Sends a request. That the process has ended meanwhile is found out by the answer."""
        with contextlib.suppress(BrokenPipeError):
            self._connection.send(request)

    def receive(self, timeout: float) -> Any:
        """Returns the next answer.

        Raises:
          TimeoutError: there was none within the time limit.
          ChildProcessError: the process has ended; its argument is the status.
        """
        try:
            if self._connection.poll(timeout):
                return self._connection.recv()
        except (EOFError, ConnectionResetError):
            assert self._process is not None
            raise ChildProcessError(self._process.wait()) from None
        raise TimeoutError

    def kill(self) -> None:
        """Ends the process, if there is one, for a thread that waits for an answer: `receive` raises an error."""
        if (process := self._process) is not None:
            process.kill()

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._stack.close()
        self._stack = contextlib.ExitStack()
