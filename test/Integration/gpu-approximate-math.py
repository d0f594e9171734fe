# As PTX for a GPU, executed on the CPU: what `approx_math` makes of exp, tanh and quotients is near over
# sweeps.
#
# RUN: %python %s | FileCheck %s

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.mosaic_gpu import CompilerParams
from jax.experimental import pallas as pl


def approximate(
    function: Callable[[jax.Array], jax.Array], x: np.ndarray, instruction: str = "ex2.approx.ftz.f32"
) -> np.ndarray:
    def kernel(x_ref: Any, o_ref: Any) -> None:
        o_ref[...] = function(x_ref[...])

    out_shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    call = pl.pallas_call(kernel, out_shape=out_shape, compiler_params=CompilerParams(approx_math=True))
    run = execute(call, (x,), get_target("gpu:sm_90a"))
    ptx = run.kernels[0].prepare().ptx
    assert instruction in ptx
    assert "div.rn.f32" not in ptx
    return np.asarray(run.function(x), np.float64)


# The error of the approximation grows with |x|.
ULP = np.finfo(np.float32).eps
x = np.linspace(-80, 80, 4096, dtype=np.float32)
true = np.exp(x.astype(np.float64))
error = np.abs(approximate(jnp.exp, x) - true) / true
# CHECK: exp: True
print("exp:", bool(np.all(error <= (np.abs(x) + 2) * ULP)))

x = np.linspace(-12, 12, 4096, dtype=np.float32)
error = np.abs(approximate(jnp.tanh, x) - np.tanh(x.astype(np.float64)))
# CHECK: tanh: True
print("tanh:", bool(error.max() <= 2.5e-7))

x = np.geomspace(1e-37, 1e37, 4096, dtype=np.float32)
error = np.abs(approximate(lambda x: jnp.float32(0.7) / x, x, "rcp.approx.f32") * x / np.float32(0.7) - 1)
# CHECK: quotients: True
print("quotients:", bool(error.max() <= 2 * ULP))
