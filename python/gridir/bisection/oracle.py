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
from gridir.errors import KernelError, NoKernelError
from gridir.frontend.capture.install import recording
from gridir.frontend.compat import jax_interpret
from gridir.frontend.recording.recorder import Call, Recorder
from gridir.frontend.recording.replay import record_of, run
from gridir.recording.record import Record, options_of
from gridir.testing import Comparison, WideRun, compare, prepare_reference, run_wide

NATIVE = "the native code of the CPU"
"""The oracle of a kernel that interpret mode cannot run, and that has no reference."""


@dataclasses.dataclass(frozen=True)
class Expected:
    """A call of a kernel, and its expected results.

    Attributes:
      call: the call, with the results of the oracle.
      oracle: the source of the expected results.
      note: why that is not interpret mode; "" where it is.
      record: the record of a call that no program has made; None where one has.
      run_wide: computes the results in float64 by another program than the kernel; None for the kernel itself.
      is_native: whether the oracle is native code of the CPU's own pipeline.
    """

    call: Call
    oracle: str
    note: str = ""
    record: Record | None = None
    run_wide: Callable[[], WideRun] | None = None
    is_native: bool = False

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
        if self.run_wide is not None:
            return self.run_wide()
        return run_wide(jax_interpret.interpretation(self.call.request), self.call.operands)

    def compare(self, results: Sequence[np.ndarray]) -> list[Comparison]:
        """Compares results with those of the oracle."""
        return compare(list(results), list(self.call.results), (lambda: self.wide) if self.has_wide else None)

    @property
    def has_wide(self) -> bool:
        """True if the results can be computed in float64."""
        return not self.note or self.run_wide is not None

    def judge(
        self, results: Sequence[np.ndarray], explains: Callable[[list[Comparison]], bool] = lambda comparisons: False
    ) -> str:
        """Describes the fault of results; "" if there is none.

        Args:
          results: the results.
          explains: called if they differ; returns whether a fault of the kernel itself explains the difference.
        """
        comparisons = self.compare(results)
        if any(found.wrong for found in comparisons) and explains(comparisons):
            return ""
        for number, found in enumerate(comparisons):
            if found.wrong:
                return f"result {number}: {found.wrong} of {found.elements} elements differ, {found.example}"
        return ""


def expected_calls(
    function: Callable[..., Any],
    args: Sequence[Any],
    target: Target,
    options: Any,
    reference: Callable[..., Any] | None = None,
) -> list[Expected]:
    """Runs a function whose kernels are interpreted, and returns its calls of kernels in their order.

    Args:
      function: the function. args: its arguments. target: the target of the kernels. options: the options of the
      target. reference: a function of the same arguments that computes the same without the kernel. It replaces
      interpret mode if that cannot run the only kernel, and the results of the kernel are those of the function.

    Raises:
      KernelError: when the function calls no kernel, or none that can be run alone.
    """
    calls: list[Call] = []
    recorder = Recorder(calls.append)
    with recording(recorder, target, options, interpret=True):
        results = jax.block_until_ready(jax.jit(function)(*args))
    if not calls:
        notes = [f"{name} was left out: {reason}" for name, reason in recorder.skipped.items()]
        kind = KernelError if notes else NoKernelError
        raise kind("expected a function that calls a Pallas kernel, got one without", notes=notes)
    found = []
    for call in calls:
        note = recorder.not_interpreted.get(call.request.kernel_name, "")
        if not note:
            found.append(Expected(call, "interpret mode"))
        elif reference is not None and len(calls) == 1 and _are_same(jax.tree.leaves(results), call.results):
            found.append(_by_reference(call, reference, args, note))
        else:
            found.append(Expected(call, NATIVE, note, is_native=True))
    return found


def _are_same(results: Sequence[Any], of_call: Sequence[np.ndarray]) -> bool:
    return len(results) == len(of_call) and all(
        x.dtype == y.dtype and np.asarray(x).tobytes() == y.tobytes() for x, y in zip(results, of_call, strict=True)
    )


def _by_reference(call: Call, reference: Callable[..., Any], args: Sequence[Any], note: str) -> Expected:
    """A call with the results of the author's reference.

    Raises:
      KernelError: when the reference has other results than the kernel.
    """
    results = [np.asarray(x) for x in jax.tree.leaves(prepare_reference(reference, args)())]
    shapes = [[f"{x.dtype}{list(x.shape)}" for x in group] for group in (call.results, results)]
    if [x.shape for x in results] != [x.shape for x in call.results]:
        raise KernelError(f"expected reference() to return results like the kernel's, {shapes[0]}, got {shapes[1]}")
    typed = tuple(x.astype(y.dtype) for x, y in zip(results, call.results, strict=True))

    def wide() -> WideRun:
        return dataclasses.replace(run_wide(reference, args), substitute_for=note)

    return Expected(dataclasses.replace(call, results=typed), "reference()", note, run_wide=wide)


def expected_of(record: Record, options: Any) -> Expected:
    """Returns the expected results of the kernel of a record: those of the CPU's own pipeline.

    Args:
      record: the record, whose results are only arrays of the right types.
      options: those of its target.
    """
    results, seconds = run(dataclasses.replace(record, target="cpu", options={}))
    fields = {name: value for name, value in options_of(options).items() if name != "chip"}
    record = dataclasses.replace(record, results=results, options=fields, oracle="the CPU's own pipeline")
    call = Call(record.kernel(), None, record.operands, results, seconds)
    note = "it comes from a module"
    return Expected(call, record.oracle, note, record=record, is_native=True)


def to_record(expected: Expected) -> Record:
    """Returns the record of a call with the oracle's results."""
    return expected.record or record_of(expected.call, oracle=expected.oracle)
