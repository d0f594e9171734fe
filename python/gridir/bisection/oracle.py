# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calls of kernels that a program makes, with the results that they should have."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.compiler.kernel import Kernel
from gridir.compiler.target import Target
from gridir.errors import KernelError
from gridir.frontend import jax_compat_interpret
from gridir.frontend.install import recording
from gridir.frontend.recorder import Call, Recorder
from gridir.frontend.replay import record_of, run
from gridir.recording.record import Record, options_of
from gridir.testing import Comparison, WideRun, compare, run_wide


@dataclasses.dataclass(frozen=True)
class Expected:
    """A call of a kernel, and what it should give.

    Attributes:
      call: the call, with the results of the oracle.
      oracle: what has computed them.
      note: why that is not interpret mode; "" where it is.
      record: the record of a call that no program has made; None where one has.
    """

    call: Call
    oracle: str
    note: str = ""
    record: Record | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.call.kernel

    @functools.cached_property
    def wide(self) -> WideRun:
        """The results in float64, and how far roundings move them.

        Raises:
          UnsupportedError: where the kernel cannot be computed in float64.
        """
        return run_wide(jax_compat_interpret.interpretation(self.call.request), self.call.operands)

    def compare(self, results: Sequence[np.ndarray]) -> list[Comparison]:
        """Compares results with those of the oracle."""
        return compare(list(results), list(self.call.results), None if self.note else lambda: self.wide)

    def judge(self, results: Sequence[np.ndarray]) -> str:
        """Says what of results is wrong; "" where nothing is."""
        for number, found in enumerate(self.compare(results)):
            if found.wrong:
                return f"result {number}: {found.wrong} of {found.elements} elements differ, {found.example}"
        return ""


def expected_calls(function: Callable[..., Any], args: Sequence[Any], target: Target, options: Any) -> list[Expected]:
    """Runs a function whose kernels are interpreted, and returns its calls of kernels in their order.

    Raises:
      KernelError: when the function calls no kernel, or none that can be run alone.
    """
    calls: list[Call] = []
    recorder = Recorder(calls.append)
    with recording(recorder, target, options, interpret=True):
        jax.block_until_ready(jax.jit(function)(*args))
    if not calls:
        notes = [f"{name} was left out: {reason}" for name, reason in recorder.skipped.items()]
        raise KernelError("expected a function that calls a Pallas kernel, got one without", notes=notes)
    found = []
    for call in calls:
        note = recorder.not_interpreted.get(call.request.kernel_name, "")
        found.append(Expected(call, "the native code of the CPU" if note else "interpret mode", note))
    return found


def expected_of(record: Record, options: Any) -> Expected:
    """Returns what the kernel of a record should give: what the CPU's own pipeline makes of it.

    Args:
      record: the record, whose results are only arrays of the right types.
      options: those of its target.
    """
    results, seconds = run(dataclasses.replace(record, target="cpu", options={}))
    fields = {name: value for name, value in options_of(options).items() if name != "chip"}
    record = dataclasses.replace(record, results=results, options=fields, oracle="the CPU's own pipeline")
    call = Call(record.kernel(), None, record.operands, results, seconds)
    return Expected(call, record.oracle, note="it comes from a module", record=record)


def to_record(expected: Expected) -> Record:
    """Returns the record of a call with the oracle's results."""
    return expected.record or record_of(expected.call, oracle=expected.oracle)
