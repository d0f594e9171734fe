# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of a call of a kernel as a file that Perfetto shows: when named scopes began and ended."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import time
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Event:
    """A scope begins or ends.

    Attributes:
      name: the scope's.
      ends: whether it ends.
      nanoseconds: of a clock that all traces of a call have in common.
    """

    name: str
    ends: bool
    nanoseconds: float


@dataclasses.dataclass(frozen=True)
class Trace:
    """The events that one warpgroup or warp of a CTA recorded.

    Attributes:
      process: the group that it is shown in, from 0 on.
      number: its own among all traces of the call, from 0 on.
      events: in order.
      count: how many there were; more than `events` has where there was no room for them.
    """

    process: int
    number: int
    events: Sequence[Event]
    count: int

    def truncated(self, room: int) -> Trace:
        """Returns the first events; scopes that have not ended by then end with the last of them."""
        if self.count <= room:
            return self
        events = list(self.events[:room])
        open_scopes: list[Event] = []
        for event in events:
            if event.ends:
                open_scopes.pop()
            else:
                open_scopes.append(event)
        for event in reversed(open_scopes):
            events.append(Event(event.name, True, events[-1].nanoseconds))
        return Trace(self.process, self.number, events, len(events))

    def phases(self) -> list[dict[str, Any]]:
        """Returns the events as the format has them."""
        of_thread = {"pid": 1 + self.process, "tid": 1 + self.number}
        return [
            {"name": event.name, "ph": "E" if event.ends else "B", "ts": event.nanoseconds / 1e3, **of_thread}
            for event in self.events
        ]


def write(kernel: str, directory: str, traces: Iterable[Trace], *, scopes: int, truncates: bool) -> None:
    """Writes a separate file for a call, in a directory that is created if necessary.

    Args:
      kernel: the kernel's name, with which that of the file begins.
      directory: where the file goes.
      traces: the recorded traces; those without events are left out.
      scopes: how many a trace has room for.
      truncates: writes a trace with more scopes as far as there is room, as JAX does. Else a warning says how many
        there are, and no file is written.
    """
    recorded = [trace for trace in traces if trace.count]
    if truncates:
        recorded = [trace.truncated(2 * scopes) for trace in recorded if scopes]
    elif (most := max((trace.count for trace in recorded), default=0) // 2) > scopes:
        warnings.warn(
            f"no profile of kernel `{kernel}` is written: expected at most {scopes} scopes of a trace, one less than "
            f"profile_space, got {most}",
            stacklevel=2,
        )
        return
    recorded.sort(key=lambda trace: trace.events[0].nanoseconds)
    content = {
        "displayTimeUnit": "ns",
        "traceEvents": list(itertools.chain.from_iterable(trace.phases() for trace in recorded)),
    }
    file = Path(directory) / f"{re.sub(r'[^0-9A-Za-z_.]', '_', kernel)}-{time.time_ns()}-trace.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
