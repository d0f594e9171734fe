# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced configurations as a kind and numbers: configurations of one kind differ in numbers only."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from gridir.frontend.estimates.kernel_calls import KernelCall
from gridir.frontend.estimates.step_form import HELD_NUMBERS, Structure, batch_of, form_of
from gridir.frontend.estimates.step_work import count_work
from gridir.tuning.backend import Backend, Outcome, combine
from gridir.tuning.traced import Traced


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The result of the estimate tier for a configuration.

    Attributes:
      outcome: the outcome.
      outside: bytes that XLA's ops outside of kernels move.
      buffers: how many buffers the author asks for, for each block of each kernel; None where that is left to the
        compiler.
    """

    outcome: Outcome
    outside: float = 0.0
    buffers: tuple[Any, ...] = ()


@dataclasses.dataclass(frozen=True)
class Kind:
    """The common properties of configurations whose numbers have the same meaning.

    Attributes:
      kernels: the structure of each kernel, and its compiler parameters.
      outside: the primitives outside of kernels.
      buffers: see `Estimate`.
      notes: how exact the calls of kernels are.
    """

    kernels: tuple[tuple[Structure, Hashable], ...] = ()
    outside: tuple[str, ...] = ()
    buffers: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Sample:
    """A configuration that was traced.

    Attributes:
      kind: its kind.
      numbers: its numbers.
      arrays: for each kernel the prefetched operands that it reads.
      calls: the kernels.
      is_closed: whether other configurations of the kind follow from numbers and arrays.
      opaque: for each kernel see `step_form.Form`.
      reason: why the function refuses the configuration; "" for one that it takes.
    """

    kind: Kind
    numbers: tuple[float, ...]
    arrays: tuple[dict[int, np.ndarray], ...] = ()
    calls: tuple[KernelCall, ...] = ()
    is_closed: bool = True
    opaque: tuple[tuple[np.ndarray, ...], ...] = ()
    reason: str = ""


REFUSED = Kind()
"""The kind of the configurations that the function refuses."""


def sample_of(traced: Traced | str, on_gpu: bool) -> Sample:
    """Returns a configuration as a sample; a text is the reason why the function refuses it."""
    if isinstance(traced, str):
        return Sample(REFUSED, (), reason=traced)
    calls = traced.calls.kernels
    forms = [form_of(count_work(call.request, call.sizes, call.scalars, call.inputs, on_gpu)) for call in calls]
    numbers: list[float] = []
    for call, form in zip(calls, forms, strict=True):
        numbers += [float(call.times), *form.numbers]
    outside = sorted(traced.calls.outside.items())
    numbers += [float(size) for _, size in outside]
    kind = Kind(
        tuple(
            (form.structure, (str(call.request.compiler_params), call.is_parallel))
            for call, form in zip(calls, forms, strict=True)
        ),
        tuple(name for name, _ in outside),
        _buffers(calls),
        traced.calls.notes,
    )
    closed = not any(form.opaque for form in forms)
    return Sample(
        kind, tuple(numbers), tuple(f.arrays for f in forms), calls, closed, tuple(form.opaque for form in forms)
    )


def estimate(backend: Backend, sample: Sample, numbers: np.ndarray, arrays: Sequence[dict[int, Any]]) -> list[Estimate]:
    """Returns the estimates of configurations of one kind.

    Args:
      backend: the chip.
      sample: a configuration of the kind.
      numbers: a row for each configuration.
      arrays: for each kernel the prefetched operands, which are the same for all of them.
    """
    kind = sample.kind
    if sample.reason:
        return [Estimate(Outcome.illegal(sample.reason)) for _ in numbers]
    parts: list[list[tuple[Outcome, int]]] = [[] for _ in numbers]
    first = 0
    for number, ((structure, _), call) in enumerate(zip(kind.kernels, sample.calls, strict=True)):
        width = _width(structure)
        times = numbers[:, first].astype(np.int64).tolist()
        opaque = sample.opaque[number] if len(numbers) == 1 else ()
        batch = batch_of(structure, numbers[:, first + 1 : first + 1 + width], arrays[number], opaque)
        for row, (outcome, count) in enumerate(zip(backend.estimate(call, batch), times, strict=True)):
            parts[row].append((outcome, count))
        first += 1 + width
    outside = numbers[:, first:].sum(axis=1).tolist()
    found = [Estimate(combine(row), size, kind.buffers) for row, size in zip(parts, outside, strict=True)]
    for each in found:
        if each.outside and each.outcome.seconds is not None:
            each.outcome.figures["outside_bytes"] = each.outside
    return found


def steps_of(kind: Kind, numbers: np.ndarray) -> np.ndarray:
    """Returns for each configuration the steps of all grids together."""
    found, first = np.ones(len(numbers)), 0
    for structure, _ in kind.kernels:
        found += np.prod(numbers[:, first + 1 : first + 1 + structure.dims], axis=1)
        first += 1 + _width(structure)
    return found


def _width(structure: Structure) -> int:
    blocks = sum(2 * dims + 1 for _, dims, *_ in structure.transfers)
    scratch = sum(dims for _, dims, _ in structure.scratch)
    return structure.dims + structure.literals + len(structure.counts) + blocks + scratch + HELD_NUMBERS


def _buffers(calls: Sequence[KernelCall]) -> tuple[Any, ...]:
    return tuple(
        getattr(block.pipeline_mode, "buffer_count", None)
        for call in calls
        for block in call.request.grid_mapping.block_mappings
    )
