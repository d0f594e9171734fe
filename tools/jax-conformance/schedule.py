# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests in worker processes, several at a time; a test that hangs or crashes costs only its own worker."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")
IMPORT_SECONDS = 300.0
"""How long a worker may take to import JAX and the file."""

# A worker keeps every function that its tests compile; a fresh one keeps the memory bounded.
TESTS_PER_WORKER = 400


class WorkerDied(Exception):
    """A worker ended, or was ended, before it replied.

    Attributes:
      status: "timeout" or "crashed".
      message: its text.
    """

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status, self.message = status, message


class Worker:
    """One process of `worker.py`.

    Args:
      arguments: its arguments.

    Raises:
      WorkerDied: when it does not come up.
      ValueError: when the test file cannot be imported.
    """

    def __init__(self, arguments: Sequence[str]):
        reader, writer = os.pipe()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the worker)
        command = [sys.executable, str(WORKER), *arguments, "--replies", str(writer)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            pass_fds=[writer],
            start_new_session=True,
        )
        os.close(writer)
        self._reader, self._buffer = reader, b""
        self.done = 0
        first = self._reply(IMPORT_SECONDS)
        if "broken" in first:
            self.close()
            raise ValueError(first["broken"])
        self.tests: list[str] = first["tests"]

    def run(self, test: str, timeout: float) -> dict[str, Any]:
        """Runs one test; its record.

        Raises:
          WorkerDied: when the test crashes the worker or exceeds the time-out, which ends it.
        """
        assert self._process.stdin is not None
        self.done += 1
        self._process.stdin.write(test.encode() + b"\n")
        self._process.stdin.flush()
        return self._reply(timeout)

    def _reply(self, timeout: float) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._reader], [], [], timeout)
            if not ready:
                self.close()
                raise WorkerDied("timeout", f"no result after {timeout:g} s")
            chunk = os.read(self._reader, 1 << 16)
            if not chunk:
                code = self._process.wait()
                name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
                last = self._last_output()
                self.close()
                raise WorkerDied("crashed", f"{name}: {last}")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _last_output(self) -> str:
        """Returns the most informative line of a crash: the first line of an assertion, otherwise the last line
        printed.
        """
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 20000))
        text = self._log.read().decode(errors="replace")
        # Abseil's list of addresses says nothing that another run would say again.
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("@", "PC: @"))]
        telling = [line for line in lines if "Assertion" in line or "LLVM ERROR" in line or "Fatal Python" in line]
        return (telling or lines or ["no output"])[-1][-500:]

    def close(self) -> None:
        """Ends the process."""
        if self._reader >= 0:
            os.close(self._reader)
            self._reader = -1
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                # The last line was written for a process that has ended.
                self._process.stdin = None
        self._log.close()


def run_file(
    arguments: Sequence[str],
    select_tests: Callable[[list[str]], list[str]],
    jobs: int,
    timeout: float,
    report: Callable[[str, dict[str, Any]], None],
) -> None:
    """Runs the selected tests of one file.

    Args:
      arguments: the arguments of a worker.
      select_tests: takes the names of all tests of the file, gives those to run.
      jobs: how many workers there are at a time.
      timeout: seconds that one test may take.
      report: receives the name and the record of each test as it is done.

    Raises:
      ValueError: when the file cannot be imported.
    """
    try:
        first = Worker(arguments)
    except WorkerDied as died:
        raise ValueError(f"{died.status}: {died.message}") from None
    queue = deque(select_tests(first.tests))
    lock = threading.Lock()

    def drain(worker: Worker | None) -> None:
        while True:
            with lock:
                if not queue:
                    break
                test = queue.popleft()
            if worker is not None and worker.done >= TESTS_PER_WORKER:
                worker.close()
                worker = None
            start = time.monotonic()
            try:
                worker = worker or Worker(arguments)
                record = worker.run(test, timeout)
            except WorkerDied as died:
                worker, seconds = None, round(time.monotonic() - start, 3)
                error = {"type": died.status, "message": died.message, "where": ""}
                record = {"status": died.status, "seconds": seconds, "native": 0, "interpreted": 0, "error": error}
            with lock:
                report(test, record)
        if worker is not None:
            worker.close()

    others = [threading.Thread(target=drain, args=(None,)) for _ in range(min(jobs, len(queue)) - 1)]
    for thread in others:
        thread.start()
    drain(first)
    for thread in others:
        thread.join()
