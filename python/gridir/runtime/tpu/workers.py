# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Worker processes with libtpu inside: several at once, each replaced after a crash of libtpu."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import queue
import re
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from gridir.errors import Error
from gridir.runtime.child import Child
from gridir.runtime.chips import chips_of, facts_of
from gridir.runtime.tpu.worker import libtpu_arguments


def topology_of(chip: str) -> str:
    """Returns the smallest topology of a chip that libtpu compiles for.

    Raises:
      OptionError: for an unknown chip.
    """
    return f"{chip}:{facts_of(f'tpu:{chip}')['topology']}"


TOPOLOGIES = tuple(map(topology_of, chips_of("tpu")))
"""Topologies that libtpu is known to compile for; it knows more sizes of each."""

# The first line of libtpu's output when it aborts.
_FATAL = re.compile(r"^F\d{4} |Check failed|\*\*\* SIG")

# Seconds that libtpu may take to start.
_START_TIMEOUT = 120


class LibtpuError(Error):
    """libtpu is not installed, or cannot be started for a topology."""


class Worker:
    """One process with libtpu inside, started when it is first asked and again after it has died.

    Attributes:
      device: the device for which it compiles; empty before it was started.
    """

    def __init__(self, topology: str, timeout: float):
        self.device: dict[str, Any] = {}
        self._topology = topology
        self._timeout = timeout
        self._child = Child()
        self._is_killed = False
        self._stack = contextlib.ExitStack()

    def compile(self, program: bytes, keep: str | None = None) -> dict[str, Any]:
        """Returns the worker's reply; `stage` is there when libtpu gave none: "crash" or "timeout".

        Raises:
          LibtpuError: when libtpu cannot be started.
        """
        if not self._child.is_running and not self._is_killed:
            self._start()
        if self._is_killed:
            self.close()
            return {"stage": "crash", "error": "the compilation was interrupted"}
        self._child.send({"program": program, "keep": keep})
        return self._receive(self._timeout)

    def _start(self) -> None:
        directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="gridir-tpu-"))
        dumps = os.path.join(directory, "dumps")
        os.mkdir(dumps)
        self._log_path = os.path.join(directory, "log")
        environment = {
            "LIBTPU_INIT_ARGS": f"{os.environ.get('LIBTPU_INIT_ARGS', '')} {libtpu_arguments(dumps)}".strip(),
            # There is no TPU to query, and no service with its name.
            "TPU_SKIP_MDS_QUERY": "1",
            "TPU_WORKER_HOSTNAMES": "localhost",
            # Avoids a conflict over the lock file: several processes may compile.
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        }
        with open(self._log_path, "wb") as output:
            self._child.start("gridir.runtime.tpu.worker", (self._topology, dumps), environment, output)
        reply = self._receive(_START_TIMEOUT)
        if "error" in reply:
            self.close()
            raise _start_error(self._topology, reply["error"])
        self.device = reply

    def _receive(self, timeout: float) -> dict[str, Any]:
        try:
            return self._child.receive(timeout)
        except TimeoutError:
            reply = {"stage": "timeout", "error": f"libtpu gave no answer in {timeout:g} s"}
        except ChildProcessError as ended:
            error = f"{self._last_words()}\nlibtpu ended with status {ended.args[0]}".strip()
            reply = {"stage": "crash", "error": error}
        self.close()
        return reply

    def _last_words(self) -> str:
        """Returns libtpu's last output before it died, from its first fatal line on."""
        with open(self._log_path, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        fatal = [i for i, line in enumerate(lines) if _FATAL.search(line)]
        # A line may hold the whole kernel.
        return "\n".join(line[:300] for line in lines[fatal[0] if fatal else -5 :][:12])

    def kill(self) -> None:
        """Ends the process for good; a thread that waits for its reply gets one of stage "crash"."""
        self._is_killed = True
        self._child.kill()

    def close(self) -> None:
        """Ends the process and removes its files."""
        self._child.stop()
        self._stack.close()
        self._stack = contextlib.ExitStack()


def _start_error(topology: str, message: str) -> LibtpuError:
    if "No module named 'libtpu'" in message:
        return LibtpuError("expected libtpu, which compiles for TPUs, got none", notes=["pip install 'gridir[tpu]'"])
    return LibtpuError(
        f"libtpu cannot compile for {topology!r}: {message.splitlines()[0]}",
        notes=[f"topologies that it can compile for: {', '.join(TOPOLOGIES)}"],
        details=message,
    )


class Workers:
    """A number of workers for one topology, which compile programs side by side.

    Example:
      >>> with Workers("v5e:2x2") as workers:
      ...     replies = workers.compile_all(programs)
    """

    def __init__(self, topology: str = "v5e:2x2", *, jobs: int = 2, timeout: float = 300):
        """Starts nothing yet.

        Args:
          topology: the chips to compile for, as libtpu names them.
          jobs: how many processes may run at once.
          timeout: seconds after which a compilation is given up.
        """
        self.topology = topology
        self._workers = [Worker(topology, timeout) for _ in range(max(jobs, 1))]
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = concurrent.futures.ThreadPoolExecutor(len(self._workers))

    def compile_all(self, programs: Sequence[bytes], keep: Sequence[str | None] = ()) -> list[dict[str, Any]]:
        """Returns the reply for each program, in order.

        Args:
          programs: StableHLO modules with one kernel each.
          keep: for each program the directory that libtpu's files are moved to; none keeps nothing.

        Raises:
          LibtpuError: when libtpu cannot be started.
        """
        directories = list(keep) or [None] * len(programs)
        return list(self._threads.map(self._compile, programs, directories))

    def _compile(self, program: bytes, keep: str | None) -> dict[str, Any]:
        with self._borrowed() as worker:
            reply = worker.compile(program, keep)
            return {**worker.device, **reply}

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Worker]:
        worker = self._idle.get()
        try:
            yield worker
        finally:
            self._idle.put(worker)

    def kill(self) -> None:
        """Ends all processes for good, at once, although threads wait for replies."""
        for worker in self._workers:
            worker.kill()

    def close(self) -> None:
        """Ends all processes."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
