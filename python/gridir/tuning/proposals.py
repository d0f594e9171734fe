# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks that a proposed configuration has to pass."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import jax

from gridir.compiler.checks import check_kernel
from gridir.errors import Error
from gridir.frontend.capture.install import installed
from gridir.frontend.estimates.step_coverage import covered_shares
from gridir.frontend.estimates.step_work import count_work
from gridir.frontend.lower import lower
from gridir.tuning.arguments import drawn
from gridir.tuning.space import describe
from gridir.tuning.traced import Traced

_ALL = 0.999
"""The share from which on an input counts as read: shares are rounded."""


@dataclasses.dataclass(frozen=True)
class Checked:
    """The result of the checks of a configuration.

    Attributes:
      problems: what is wrong with it.
      notes: checks that could not run.
    """

    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Returns whether all checks ran, and found no problem."""
        return not self.problems and not self.notes


def check_proposal(traced: Traced, *, races: bool) -> Checked:
    """Runs the checks of `gridir check` on the kernels of a configuration.

    Args:
      traced: the function for the configuration.
      races: also runs it on the CPU with the executor's check for races.
    """
    problems: list[str] = []
    try:
        kernels = lower(traced.function, *traced.args).kernels
        for kernel in kernels:
            problems += [
                f"check {check.check} of {check.subject} is refuted: {check.reason}"
                for check in check_kernel(kernel).refuted
            ]
    except Error as error:
        return Checked(notes=(f"{describe(traced.config)} is not checked: {error.message}",))
    if races and not problems:
        return _races(traced)
    return Checked(tuple(problems))


def compare_inputs(proposals: Sequence[Traced], others: Iterable[Traced]) -> tuple[str, ...]:
    """Returns notes about proposals that read less of an input than other configurations do.

    A grid that is shorter than its arrays, as of a size that a block does not divide, is the usual reason; then the
    results are wrong. Such a configuration looks fast, because it does less.

    Args:
      proposals: the configurations.
      others: configurations to compare with, which are traced only if a proposal does not read all of its inputs.
    """
    shares = [_shares(traced) for traced in proposals]
    if all(share > _ALL for each in shares for share in each.values()):
        return ()
    most: dict[tuple[int, str], float] = {}
    for each in (*shares, *map(_shares, others)):
        most |= {key: max(share, most.get(key, 0.0)) for key, share in each.items()}
    return tuple(
        f"{describe(traced.config)} reads {share:.0%} of {key[1]}, and another configuration {most[key]:.0%}: "
        "see whether its grid covers the array"
        for traced, each in zip(proposals, shares, strict=True)
        for key, share in each.items()
        if share < most[key] * _ALL
    )


def _shares(traced: Traced) -> dict[tuple[int, str], float]:
    """The share of each input that a configuration reads, by the number of the kernel and the name of the input."""
    return {
        (number, name): share
        for number, call in enumerate(traced.calls.kernels)
        for name, share in covered_shares(count_work(call.request, call.sizes, call.scalars, call.inputs)).items()
    }


def _races(traced: Traced) -> Checked:
    """Runs a configuration with the executor's check for races."""
    try:
        with installed(checks=["races"]):
            jax.block_until_ready(jax.jit(traced.function)(*drawn(traced.args)))
    except Exception as error:
        # Findings of native code arrive through XLA, as XLA's exception.
        text = str(error)
        if "race" in text.lower():
            return Checked((f"the check for races found one: {text.partition(chr(10))[0]}",))
        note = f"the check for races could not run for {describe(traced.config)}: {text.partition(chr(10))[0]}"
        return Checked(notes=(note,))
    return Checked()
