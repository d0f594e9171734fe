# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks that a proposed configuration has to pass."""

from __future__ import annotations

import jax

from gridir.compiler.checks import check_kernel
from gridir.errors import Error
from gridir.frontend.capture.install import installed
from gridir.frontend.lower import lower
from gridir.tuning.arguments import drawn
from gridir.tuning.traced import Traced


def check_proposal(traced: Traced, *, races: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Runs the checks of `gridir check` on the kernels of a configuration.

    Args:
      traced: the function for the configuration.
      races: also runs it on the CPU with the executor's check for races.

    Returns:
      The problems, and notes on questions that could not be decided.
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
        return (), (f"the best configuration is not checked: {error.message}",)
    if races and not problems:
        return _races(traced)
    return tuple(problems), ()


def _races(traced: Traced) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Runs a configuration with the executor's check for races."""
    try:
        with installed(checks=["races"]):
            jax.block_until_ready(jax.jit(traced.function)(*drawn(traced.args)))
    except Exception as error:
        # Findings of native code arrive through XLA, as XLA's exception.
        text = str(error)
        if "race" in text.lower():
            return (f"the check for races found one: {text.partition(chr(10))[0]}",), ()
        return (), (f"the check for races could not run: {text.partition(chr(10))[0]}",)
    return (), ()
