"""Runs functions of values in kernels for a TPU: in the interpreter of Mosaic's form, and compiled for this machine."""

from collections.abc import Callable
from typing import Any

import gridir
import jax
from gridir.compiler.cpu import CpuOptions
from gridir.testing import difference, interpreted, mosaic_interpreted
from jax.experimental import pallas as pl

THROUGH_TPU = CpuOptions(pipeline="grid-to-tpu{stop-after=tpu},tpu-to-cpu", platform="tpu")


def check(name: str, function: Callable[..., Any], *operands: Any) -> None:
    """Prints in what the two differ from interpret mode, for a function of values."""

    def kernel(*refs: Any) -> None:
        *xs, o_ref = refs
        o_ref[...] = function(*(x[...] for x in xs))

    check_kernel(name, kernel, *operands, out_shape=jax.eval_shape(function, *operands))


def check_kernel(name: str, kernel: Callable[..., None], *operands: Any, out_shape: Any = None) -> None:
    """Prints in what the two differ from interpret mode; the output is like the first operand if nothing is said."""
    out_shape = out_shape or jax.eval_shape(lambda x: x, operands[0])

    def run() -> Any:
        return jax.jit(pl.pallas_call(kernel, out_shape=out_shape))(*operands)

    with interpreted():
        want = run()
    with mosaic_interpreted():
        executed = run()
    with gridir.installed(options=THROUGH_TPU):
        compiled = run()
    print(name, difference(executed, want), difference(compiled, want))
