# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One call of a kernel: the module, its operands and its results."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from gridir.compiler.kernel import Kernel
from gridir.compiler.target import Target
from gridir.compiler.targets import get_target
from gridir.errors import OptionError
from gridir.runtime.cpu.kernels import host_cpu


@dataclasses.dataclass(frozen=True)
class Record:
    """A call of a kernel.

    Attributes:
      name: the kernel's symbol.
      module: its module as MLIR bytecode: that of the frontend, or a later one with the remaining `passes`.
      target: its target, as "cpu" or "gpu:sm_90a".
      options: the fields of the target's options that are not the defaults.
      operands: the arrays that it was given: sizes of a dynamic grid, index operands, inputs.
      results: the arrays that are compared with.
      oracle: whose results these are, as "gridir" or "interpret mode".
      aliases: operand to the result that shares its memory.
      passes: the passes that take the module to the target's last stage, where they are not the target's own.
      right_passes: those with which the results are right, where others are wrong.
      wide: for each result its value in float64, and those of runs with noise, as `gridir.testing.WideRun` has them.
      seed: the number that the floats among the operands were drawn by; None where they are those of the program.
      seconds: how long the call took.
      source: the kernel function and its line, as "add_kernel at add.py:12".
      program: the caller, for people.
      versions: the versions of its creators.
      error: why the call has failed, so that there are no results to compare with; "" where it has not.
    """

    name: str
    module: bytes = dataclasses.field(repr=False)
    target: str
    options: dict[str, Any]
    operands: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    results: tuple[np.ndarray, ...] = dataclasses.field(repr=False)
    oracle: str = "gridir"
    aliases: dict[int, int] = dataclasses.field(default_factory=dict)
    passes: str | None = None
    right_passes: str | None = None
    wide: tuple[tuple[np.ndarray, np.ndarray], ...] | None = dataclasses.field(default=None, repr=False)
    seed: int | None = None
    seconds: float = 0.0
    source: str | None = None
    program: str = ""
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    error: str = ""

    def kernel(self, target: str | None = None) -> Kernel:
        """Returns the kernel for the target of the record, or for another.

        Raises:
          OptionError: for an unknown target, for another one than the record's where the module is no longer
            the frontend's, and for options that this release does not have.
        """
        if target is not None and target != self.target and self.passes is not None:
            raise OptionError(f"expected target {self.target!r}, for which the module is lowered, got {target!r}")
        chosen = get_target(target or self.target)
        own = target is None or target == self.target
        return Kernel(
            name=self.name,
            target=chosen,
            options=read_options(chosen, self.options if own else {}),
            bytecode=self.module,
            source=self.source,
        )


def options_of(options: Any) -> dict[str, Any]:
    """Returns the fields of a target's options that are not the defaults, as JSON has them."""
    fields = ((field, getattr(options, field.name)) for field in dataclasses.fields(options))
    return {f.name: list(v) if isinstance(v, tuple) else v for f, v in fields if v != f.default}


def read_options(target: Target, fields: dict[str, Any]) -> Any:
    """Returns the options of a target with these fields.

    Raises:
      OptionError: for a field that the options do not have, or a value that it cannot have.
    """
    known = {field.name: field for field in dataclasses.fields(target.options)}
    for name in fields:
        if name not in known:
            raise OptionError(f"expected options of target {target.name!r} ({', '.join(known)}), got {name!r}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    chip = getattr(target, "chip", "")
    return target.check_options(target.options(**({"chip": chip} if chip else {}), **values))


def versions() -> dict[str, str]:
    """Returns the versions for a record made here: releases and the machine."""
    import gridir

    found = {"gridir": gridir.__version__, "python": platform.python_version(), "machine": platform.machine()}
    found["cpu"] = host_cpu()
    for name in ("jax", "jaxlib", "numpy"):
        found[name] = importlib.metadata.version(name)
    return found


def is_drawn(x: np.ndarray) -> bool:
    """True if a seed determines an operand: floats and complex numbers."""
    return x.dtype.kind in "fc" or (x.dtype.kind == "V" and "float" in x.dtype.name)


def draw(operands: Sequence[np.ndarray], seed: int) -> tuple[np.ndarray, ...]:
    """Returns operands of the same types whose floats are drawn from a normal distribution.

    Integers and bools stay: they may be sizes, indices and masks, and a kernel may rely on them.
    """
    generator = np.random.default_rng(seed)

    def replace(x: np.ndarray) -> np.ndarray:
        if x.dtype.kind == "c":
            real, imaginary = generator.standard_normal((2, *x.shape))
            return (real + 1j * imaginary).astype(x.dtype)
        return generator.standard_normal(x.shape).astype(x.dtype) if is_drawn(x) else x

    return tuple(map(replace, operands))
