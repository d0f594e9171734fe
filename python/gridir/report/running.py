# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function run on this machine's CPU: its time, and the operands of its kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gridir.errors import Error
from gridir.frontend.capture.install import recording
from gridir.frontend.lower import Lowered
from gridir.frontend.recording.recorder import Call, Recorder
from gridir.report.model import Run
from gridir.runtime.cpu.kernels import host_cpu


def run_function(
    function: Callable[..., Any], args: Sequence[Any], lowered: Lowered, calls: int = 5
) -> tuple[Run, dict[str, tuple[np.ndarray, ...]]]:
    """Runs a function whose kernels are compiled for the CPU.

    Args:
      function: the function. args: its arguments. lowered: the function, lowered for the CPU. calls: the number of
      timed calls.

    Returns:
      The run; and for each kernel, by its key, the prefetched operands of its first call.
    """
    scalars: dict[str, tuple[np.ndarray, ...]] = {}

    def keep(call: Call) -> None:
        mapping: Any = call.request.grid_mapping
        first = mapping.num_dynamic_grid_bounds
        scalars.setdefault(call.kernel.key, call.operands[first : first + mapping.num_index_operands])

    try:
        compiled = lowered.compile()
        seconds = min(_seconds(lambda: compiled(*args)) for _ in range(calls + 1))
        with recording(Recorder(keep), options=lowered.options):
            jax.block_until_ready(jax.jit(lambda *xs: function(*xs))(*args))
    except Exception as error:
        # Errors of a kernel's own checks come through XLA, with any class.
        text = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        return Run(None, calls, host_cpu(), text.strip()), scalars
    return Run(seconds * 1e3, calls, host_cpu()), scalars


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start
