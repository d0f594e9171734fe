# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gridir.lower`: the kernels of a JAX function, and the function compiled with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from gridir.compiler.kernel import Kernel
from gridir.compiler.options import Options
from gridir.compiler.target import Target
from gridir.compiler.targets import get_target
from gridir.frontend.capture.chips import choose_default
from gridir.frontend.capture.install import capturing
from gridir.frontend.targets.hooks import hooks_of
from gridir.markup import MarkupError, environment


@dataclasses.dataclass(frozen=True)
class Lowered:
    """A function lowered for a target.

    Attributes:
      target: the target for which it is lowered.
      kernels: one for each distinct kernel in it, in the order in which JAX lowers them.
      program: JAX's own `jax.stages.Lowered` of the whole function.
      options: how its kernels are compiled.
      jaxpr: the function as JAX traced it.
      arguments: a value, or a `jax.ShapeDtypeStruct`, for each input of the jaxpr.
    """

    target: Target
    kernels: tuple[Kernel, ...]
    program: Any = dataclasses.field(repr=False)
    options: Any = dataclasses.field(repr=False)
    jaxpr: Any = dataclasses.field(default=None, repr=False)
    arguments: tuple[Any, ...] = dataclasses.field(default=(), repr=False)

    def compile(self, **options: Any) -> Any:
        """Compiles the kernels, and the function around them.

        Args:
          **options: for a TPU, those of `gridir.tpu.aot`: topology, jobs, timeout, keep.

        Returns:
          On the CPU a `Compiled`, to be called; for a TPU the `Report` of `gridir.tpu.aot`; for a GPU the
          `gridir.runtime.ptxas.Report` of the output of ptxas.

        Raises:
          CompileError: when a pass, LLVM or the linker refuses a kernel.
          LibtpuError: for a TPU, when libtpu is not installed.
          PtxasError: for a GPU, when ptxas is not installed or refuses a kernel.
        """
        return hooks_of(self.target).compile(self, **options)

    def _repr_html_(self) -> str | None:
        """Returns HTML for a notebook: the kernels at their first stage. None if Jinja2 is not installed."""
        try:
            template = environment("gridir.markup").get_template("lowered.html")
        except MarkupError:
            return None
        from gridir.markup.highlight import STYLE, highlight

        kernels = [
            {
                "name": kernel.name,
                "source": kernel.source,
                "stages": kernel.stages,
                "text": highlight(kernel.text(kernel.stages[0]).splitlines(), "mlir"),
            }
            for kernel in self.kernels
        ]
        return template.render(target=self.target.name, kernels=kernels, style=STYLE)

    def as_text(self) -> str:
        """Returns JAX's own module around the kernels, as StableHLO."""
        return self.program.as_text()

    def stablehlo(self) -> Any:
        """Returns the same as a module of jaxlib's MLIR."""
        return self.program.compiler_ir("stablehlo")


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
    choose_default()
    chosen = get_target(target)
    checked = chosen.check_options(options)
    jitted: Any = f if hasattr(f, "trace") else jax.jit(f)
    with capturing(chosen, replace_interpret, checked) as captured, hooks_of(chosen).tracing():
        traced = jitted.trace(*args, **kwargs)
        lowered = traced.lower(lowering_platforms=(chosen.platform,))
    arguments = tuple(jax.tree.leaves((args, kwargs)))
    return Lowered(chosen, tuple(captured), lowered, checked, traced.jaxpr, arguments)
