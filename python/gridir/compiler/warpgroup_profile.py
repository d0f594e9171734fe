# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The events of a launch: the times at which named scopes of the kernel begin and end."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from gridir.mlir import ir
from gridir.runtime import traces

# Words of a trace: the number of events, and above it the multiprocessor; the timer and the clock when the thread
# began; both when it ended. Then one for each event: the scope and whether it ends, and above them the clock.
_BEGIN_TIMER, _BEGIN_CLOCK, _END_TIMER, _END_CLOCK, _HEADER = range(1, 6)

_LOW = np.uint64(0xFFFFFFFF)


@dataclasses.dataclass(frozen=True)
class WarpgroupProfile:
    """The traces of a launch.

    Attributes:
      scopes: the names of the scopes, by their numbers in events.
      traces: how many a CTA has.
      events: how many each of them has room for.
      directory: where the file of a launch goes.
      truncates: whether a trace with more events is written as far as there is room.
    """

    scopes: tuple[str, ...]
    traces: int
    events: int
    directory: str
    truncates: bool

    @staticmethod
    def of(abi: Any) -> WarpgroupProfile | None:
        """Returns the profile of a kernel's ABI, or None without a profile or directory."""
        if abi.profile_scopes is None or abi.profile_dir is None:
            return None
        scopes = tuple(ir.StringAttr(name).value for name in abi.profile_scopes)
        return WarpgroupProfile(
            scopes,
            abi.profile_traces.value,
            abi.profile_events.value,
            abi.profile_dir.value,
            bool(abi.profile_truncates),
        )

    def write(self, kernel: str, memory: np.ndarray, ctas: int) -> None:
        """Writes the file of a launch, as `gridir.runtime.traces.write`.

        Args:
          kernel: the kernel's name.
          memory: uint64 words; the first ones are the traces of all CTAs.
          ctas: how many there were.
        """
        size = _HEADER + self.events
        records = memory[: ctas * self.traces * size].reshape(-1, size)
        cycles = int(np.sum(records[:, _END_CLOCK] - records[:, _BEGIN_CLOCK]))
        nanoseconds = int(np.sum(records[:, _END_TIMER] - records[:, _BEGIN_TIMER]))
        # The timer is too coarse for an event, and its unit too long for a short launch.
        rate = nanoseconds / cycles if nanoseconds and cycles else 1.0
        of_launch = [self._trace(number, record, rate) for number, record in enumerate(records)]
        traces.write(kernel, self.directory, of_launch, scopes=self.events // 2, truncates=self.truncates)

    def _trace(self, number: int, record: np.ndarray, rate: float) -> traces.Trace:
        count, multiprocessor = int(record[0] & _LOW), int(record[0] >> np.uint64(32))
        words = record[_HEADER:][:count]
        # The lower half of the clock wraps around every few seconds.
        clocks = np.concatenate([record[_BEGIN_CLOCK : _BEGIN_CLOCK + 1] & _LOW, words >> np.uint64(32)])
        since = np.cumsum(np.diff(clocks) & _LOW)
        events = [
            traces.Event(self.scopes[event // 2], bool(event % 2), float(record[_BEGIN_TIMER]) + rate * float(clock))
            for event, clock in zip((words & _LOW).tolist(), since.tolist(), strict=True)
        ]
        return traces.Trace(multiprocessor, number, events, count)
