# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cores of a chip in the interpreter of Mosaic modules: tasks that run one at a time.

A task runs until it waits for something that has not happened, or ends; then the next task that can run does. The
results therefore do not depend on the speed of threads, and a wait that cannot end is found.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from gridir.runtime.tpu.numpy_ops import ExecutionError


class _Stopped(BaseException):
    """Ends a task since another one failed."""


class Task:
    """The execution of one core.

    Attributes:
      error: its exception.
    """

    def __init__(self, body: Callable[[Task], None]):
        self._body = body
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._turn, self._pause = threading.Event(), threading.Event()
        self._condition: Callable[[], bool] | None = None
        self._message: Callable[[], str] = str
        self._stops = False
        self.error: BaseException | None = None

    def wait(self, condition: Callable[[], bool], message: Callable[[], str]) -> None:
        """Lets other tasks run until a condition holds.

        Raises:
          ExecutionError: with the message, when no task can make it hold.
        """
        if condition():
            return
        self._condition, self._message = condition, message
        self._pause.set()
        self._turn.wait()
        self._turn.clear()
        self._condition = None
        if self._stops:
            raise _Stopped
        if not condition():
            raise ExecutionError(message())

    def is_running(self) -> bool:
        """True if the core has not ended."""
        return self._thread.ident is None or self._thread.is_alive()

    def can_run(self) -> bool:
        """True if the core does not wait, or its wait is satisfied."""
        return self._condition is None or self._condition()

    def resume(self) -> None:
        """Runs it until it waits, or ends."""
        self._pause.clear()
        self._turn.set()
        if self._thread.ident is None:
            self._thread.start()
        self._pause.wait()
        if self._condition is None:
            self._thread.join()

    def stop(self) -> None:
        """Ends it where it waits."""
        self._stops = True
        if self._thread.ident is not None and self._thread.is_alive():
            self.resume()

    def _run(self) -> None:
        self._turn.wait()
        self._turn.clear()
        try:
            with contextlib.suppress(_Stopped):
                self._body(self)
        except BaseException as error:  # The thread that asked for the results raises it.
            self.error = error
        finally:
            self._condition = None
            self._pause.set()


def run(bodies: Sequence[Callable[[Task], None]]) -> None:
    """Runs tasks until all have ended.

    Raises:
      ExecutionError: when tasks wait and none can run.
    """
    tasks = [Task(body) for body in bodies]
    try:
        while running := [task for task in tasks if task.is_running()]:
            # If no task can run, the first one fails because its condition is false.
            ready = [task for task in running if task.can_run()] or running[:1]
            for task in ready:
                if task.can_run() or len(ready) == 1:
                    task.resume()
                if task.error is not None:
                    raise task.error
    finally:
        for task in tasks:
            task.stop()
