# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.tpu.aot`: a function's kernels as the Mosaic compiler compiles them, without a TPU."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from gridir.compiler.targets import TPU
from gridir.compiler.tpu import TpuOptions
from gridir.errors import Error, OptionError
from gridir.frontend.capture.chips import KINDS, chip_of_topology
from gridir.frontend.capture.install import jax_alone
from gridir.frontend.compat import jax_tpu
from gridir.frontend.lower import Lowered, lower
from gridir.frontend.targets.tpu_report import Candidate, kernels_of, report
from gridir.runtime.tpu.programs import kernel_programs
from gridir.runtime.tpu.report import Report
from gridir.runtime.tpu.workers import Workers


def aot(
    f: Callable[..., Any] | Lowered,
    *args: Any,
    topology: str = "v5e:2x2",
    compare: bool = False,
    jobs: int = 2,
    timeout: float = 300,
    keep: str | None = None,
    workers: Workers | None = None,
    **kwargs: Any,
) -> Report:
    """Compiles the kernels of a function ahead of time with libtpu; needs `pip install 'gridir[tpu]'` and no TPU.

    libtpu runs in separate processes: when it refuses a kernel, ends itself or hangs, that is in the report.

    Args:
      f: a function that JAX can trace, or the result of `gridir.lower(..., target="tpu")`. *args: arrays or
      `jax.ShapeDtypeStruct`s; none for a lowered function.
      topology: the chips, as libtpu names them: "v4:2x2x1", "v5e:2x2", "v5p:2x2x1", "v6e:2x2", "tpu7x:2x2x1".
      compare: also compile the kernels as JAX itself lowers them.
      jobs: how many kernels are compiled at once.
      timeout: seconds after which a compilation is given up.
      keep: a directory for libtpu's files on each kernel: its schedule, register allocation and use of units.
      workers: processes to use instead of new ones; topology, jobs and timeout are then theirs.
      **kwargs: keyword arguments of `f`.

    Raises:
      LibtpuError: when libtpu is not installed, or does not know the topology.
      OptionError: when `f` was lowered for another target, or a comparison is asked of a lowered function.

    Example:
      >>> report = gridir.tpu.aot(f, x, y, topology="v6e:2x2")
      >>> report.accepted, report.kernels[0].bundles
    """
    if isinstance(f, Lowered):
        if f.target is not TPU:
            raise OptionError(f"expected a function lowered for target 'tpu', got one for {f.target.name!r}")
        if compare:
            raise OptionError("expected a function to compare with JAX's lowering of it, got a lowered one")
        candidates = kernels_of(f)
    else:
        with lowering_for(workers.topology if workers is not None else topology):
            candidates = both(f, *args, **kwargs) if compare else ours(f, *args, **kwargs)
    return report(candidates, topology=topology, jobs=jobs, timeout=timeout, keep=keep, workers=workers)


def lowering_for(topology: str) -> contextlib.AbstractContextManager[Any]:
    """Makes JAX lower for the chip of a topology, with the instructions that it has.

    A chip that the caller has chosen stays, as the caller's meshes are of its cores.
    """
    chip = chip_of_topology(topology)
    chosen = jax.sharding.get_abstract_mesh().abstract_device
    if chip is None or chosen is not None:
        return contextlib.nullcontext()
    return jax_tpu.abstract_device(KINDS[chip])


def ours(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Candidate]:
    """Returns the kernels of a function as gridir lowers them."""
    try:
        return kernels_of(lower(f, *args, target="tpu", **kwargs))
    except Error as error:
        return [Candidate(error.kernel or getattr(f, "__name__", "kernel"), "gridir", error=error)]


def both(f: Callable[..., Any], *args: Any, options: TpuOptions | None = None, **kwargs: Any) -> list[Candidate]:
    """Returns the kernels of a function as gridir lowers them, then as JAX lowers them.

    JAX's kernels have the same operands and grids in the same order, so both sides count the same steps and branches.
    """
    candidates, theirs = ours(f, *args, options=options, **kwargs), jax_own(f, *args, **kwargs)
    if len(theirs) == len(candidates):
        theirs = [
            dataclasses.replace(
                other,
                inputs=mine.inputs,
                outputs=mine.outputs,
                planned=mine.planned,
                work=mine.work,
                is_parallel=mine.is_parallel,
            )
            for mine, other in zip(candidates, theirs, strict=True)
        ]
    return candidates + theirs


def jax_own(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Candidate]:
    """Returns the kernels of a function as JAX itself lowers them; an error of JAX's is one without a location."""
    jitted: Any = f if hasattr(f, "trace") else jax.jit(f)
    try:
        with jax_alone(), jax_tpu.some_device():
            lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=("tpu",))
        programs = kernel_programs(lowered.compiler_ir("stablehlo"))
    except Exception as error:
        # An exception of JAX is a valid outcome of the comparison.
        message = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        name = getattr(f, "__name__", "kernel")
        return [Candidate(name, "jax", error=Error(message, kernel=name, details=str(error)))]
    return [Candidate(program.name, "jax", program) for program in programs]
