# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.lower`: the kernels of a JAX function, and the function compiled with them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from gridir.compiler.kernel import Kernel
from gridir.compiler.options import Options
from gridir.compiler.targets import Target, get_target
from gridir.frontend import jax_compat_tpu
from gridir.frontend.install import capturing


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A function compiled for the CPU; call it with arrays of the shapes and dtypes that it was lowered for.

    Attributes:
      kernels: the kernels in it.
    """

    kernels: tuple[Kernel, ...]
    _compiled: Any = dataclasses.field(repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function; the results are JAX arrays."""
        return self._compiled(*args, **kwargs)


@dataclasses.dataclass(frozen=True)
class Lowered:
    """A function lowered for a target.

    Attributes:
      target: what it is lowered for.
      kernels: one for each distinct kernel in it, in the order in which JAX lowers them.
    """

    target: Target
    kernels: tuple[Kernel, ...]
    _lowered: Any = dataclasses.field(repr=False)
    _options: Options | None = dataclasses.field(default=None, repr=False)

    def compile(self, **options: Any) -> Any:
        """Compiles the kernels, and the function around them.

        Args:
          **options: for a TPU, those of `gridir.tpu.aot`: topology, jobs, timeout, keep.

        Returns:
          On the CPU a `Compiled`, to be called; for a TPU the `Report` of `gridir.tpu.aot`; for a GPU the
          `gridir.runtime.gpu.Report` of what ptxas says.

        Raises:
          CompileError: when a pass, LLVM or the linker refuses a kernel.
          LibtpuError: for a TPU, when libtpu is not installed.
          PtxasError: for a GPU, when ptxas is not installed or refuses a kernel.
        """
        if self.target.name == "tpu":
            from gridir.frontend.tpu_aot import aot

            return aot(self, **options)
        if self.target.name == "gpu":
            from gridir.runtime.gpu import Report

            kernels = [kernel.prepare() for kernel in self.kernels]
            chip = self.target.check_options(self._options).chip
            return Report(chip, tuple(kernel.assemble() for kernel in kernels))
        for kernel in self.kernels:
            # Before XLA asks for it, so that an error has the kernel's place.
            kernel.prepare()
        return Compiled(self.kernels, self._lowered.compile())

    def as_text(self) -> str:
        """Returns JAX's own module around the kernels, as StableHLO."""
        return self._lowered.as_text()

    def stablehlo(self) -> Any:
        """Returns the same as a module of jaxlib's MLIR."""
        return self._lowered.compiler_ir("stablehlo")


def lower(
    f: Callable[..., Any],
    *args: Any,
    target: str = "cpu",
    options: Options | None = None,
    replace_interpret: bool = True,
    **kwargs: Any,
) -> Lowered:
    """Lowers a function for a target and collects its kernels; mirrors `jax.jit(f).lower(...)`.

    Args:
      f: any function that JAX can trace, jitted or not.
      *args: arrays or `jax.ShapeDtypeStruct`s, as `jax.jit(f).lower` takes them.
      target: "cpu", "tpu" or "gpu", or a chip as in "gpu:sm_80".
      options: how kernels are compiled.
      replace_interpret: also take kernels that ask for `interpret=True`.
      **kwargs: keyword arguments of `f`.

    Raises:
      OptionError: for a target that gridir does not have.
      UnsupportedError: when a kernel uses something that gridir cannot lower.

    Example:
      >>> lowered = gridir.lower(f, x, y)
      >>> print(lowered.kernels[0].text("loops"))
      >>> z = lowered.compile()(x, y)
    """
    chosen = get_target(target)
    jitted: Any = f if hasattr(f, "trace") else jax.jit(f)
    with (
        capturing(chosen.platform, replace_interpret, chosen.check_options(options)) as captured,
        jax_compat_tpu.abstract_device() if chosen.name == "tpu" else contextlib.nullcontext(),
    ):
        lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=(chosen.platform,))
    return Lowered(chosen, tuple(captured), lowered, options)
