# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine code of a run's kernels: its quality, the time of `ptxas`, and a comparison with another run."""

from __future__ import annotations

import contextlib
import re
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gridir.runtime.ptxas import PtxasError, assemble

Record = dict[str, Any]


def assembled(ptx: str) -> Record:
    """Returns the result of `ptxas` for a text and the seconds that it took; `refused` if it rejects it."""
    found = re.search(r"^\.target\s+(\w+)", ptx, re.MULTILINE)
    assert found is not None, "PTX names its target"
    start = time.perf_counter()
    try:
        cubin = assemble(ptx, found[1])
    except PtxasError as error:
        return {"chip": found[1], "refused": "; ".join(error.notes)}
    return {
        "chip": found[1],
        "registers": cubin.registers,
        "spill_bytes": cubin.spill_bytes,
        "remarks": list(cubin.remarks),
        "ptxas_seconds": round(time.perf_counter() - start, 3),
    }


class LoweringClock:
    """How long gridir's frontend takes for kernels.

    Attributes:
      seconds: of those since the last one was taken.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def take(self) -> float:
        """Returns the seconds, and begins again."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds

    def watch(self) -> None:
        """Counts from now on, in this process."""
        from gridir.frontend.capture import emitter

        lower_kernel = emitter.lower_kernel

        def counted(*args: Any, **kwargs: Any) -> Any:
            with self._counting():
                return lower_kernel(*args, **kwargs)

        emitter.lower_kernel = counted

    @contextlib.contextmanager
    def _counting(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start


def _kernels(records: Iterable[Record]) -> dict[tuple[str, str, int], Record]:
    """The assembled kernels by file, test, and number in the test."""
    return {
        (record["file"], record["test"], i): kernel
        for record in records
        for i, kernel in enumerate(k for k in record.get("compiled", ()) if "chip" in k)
    }


def _summary(name: str, kernels: Sequence[Record]) -> list[str]:
    good = [kernel for kernel in kernels if "refused" not in kernel]
    spilling = [kernel for kernel in good if kernel["spill_bytes"]]
    serialised = [kernel for kernel in good if kernel["remarks"]]
    lines = [
        f"{name}: {len(kernels)} kernels, {len(good)} assemble, {len(spilling)} spill "
        f"({sum(kernel['spill_bytes'] for kernel in spilling)} bytes), {len(serialised)} with remarks"
    ]
    if good and "lowering_seconds" in good[0]:
        parts = {
            "to the module": [kernel["lowering_seconds"] for kernel in good],
            "to PTX": [kernel["seconds"] for kernel in good],
            "ptxas": [kernel["ptxas_seconds"] for kernel in good],
            "together": [kernel["lowering_seconds"] + kernel["seconds"] + kernel["ptxas_seconds"] for kernel in good],
        }
        for part, seconds in parts.items():
            ordered = sorted(seconds)
            late = ordered[int(0.9 * (len(ordered) - 1))]
            lines.append(
                f"  {part:14} median {statistics.median(seconds):.3f} s, 90 % {late:.3f} s, {max(seconds):.3f} s"
            )
    return lines


def code_report(records: Sequence[Record], others: Sequence[Record] = ()) -> str:
    """Summarizes all kernels, and those with better code in the other run, by remarks, spills or registers.

    Args:
      records: of this run.
      others: of another run of the same tests, as by JAX's pipeline.
    """
    ours, theirs = _kernels(records), _kernels(others)
    lines = _summary("assembled", list(ours.values()))
    lines += [f"  refused: {test}: {k['refused']}" for (_, test, _), k in ours.items() if "refused" in k]
    if not others:
        spilling = [(test, k) for (_, test, _), k in ours.items() if k.get("spill_bytes") or k.get("remarks")]
        return "\n".join([*lines, *(f"  {_described(k)}: {test}" for test, k in spilling)])
    both = {key: (ours[key], theirs[key]) for key in ours if key in theirs and "refused" not in ours[key]}
    lines += _summary("the others'", list(theirs.values()))
    lines.append(f"{len(both)} kernels in both")
    for (_, test, _), (our, their) in both.items():
        if "refused" in their or (
            our["spill_bytes"] <= their["spill_bytes"] and len(our["remarks"]) <= len(their["remarks"])
        ):
            continue
        lines.append(f"  {_described(our)}, the others' {_described(their)}: {test}")
    more = sum(our["registers"] > their.get("registers", 255) for our, their in both.values())
    fewer = sum(our["registers"] < their.get("registers", 0) for our, their in both.values())
    return "\n".join([*lines, f"registers: more than the others' in {more}, fewer in {fewer}"])


def _described(kernel: Record) -> str:
    return f"{kernel['registers']} registers, spills {kernel['spill_bytes']}, {len(kernel['remarks'])} remarks"
