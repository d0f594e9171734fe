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
    """Prints in what the two differ from interpret mode."""

    def call(*operands: Any) -> Any:
        def kernel(*refs: Any) -> None:
            *xs, o_ref = refs
            o_ref[...] = function(*(x[...] for x in xs))

        return pl.pallas_call(kernel, out_shape=jax.eval_shape(function, *operands))(*operands)

    with interpreted():
        want = jax.jit(call)(*operands)
    with mosaic_interpreted():
        executed = jax.jit(call)(*operands)
    with gridir.installed(options=THROUGH_TPU):
        compiled = jax.jit(call)(*operands)
    print(name, difference(executed, want), difference(compiled, want))
