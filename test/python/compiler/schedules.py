# RUN: %python %s | FileCheck %s
"""A schedule from Python determines the parts of a program and no results; a schedule that does not fit is an error."""

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.errors import CompileError
from jax.experimental import pallas as pl
from refusals import report

X = jnp.linspace(-4, 4, 32 * 128, dtype=jnp.float32).reshape(32, 128)


def softmax(x_ref, o_ref):
    o_ref[...] = jax.nn.softmax(x_ref[...], axis=-1)


def call(x):
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(softmax, grid=(4,), in_specs=[block], out_specs=block, out_shape=x)(x)


def lowered(schedule):
    [kernel] = gridir.lower(call, X, target="gpu", options=gridir.GpuOptions(schedule=schedule)).kernels
    return kernel


# Two warpgroups of a CTA compute a row each.
TWO = "#warpgroup.schedule<cta = [2, 128], warpgroup = [1, 128]>"
# CHECK: 256 threads, 16 CTAs
kernel = lowered(TWO).prepare()
print(f"{kernel.threads} threads, {kernel.ctas} CTAs")
result = np.zeros(X.shape, np.float32)
kernel.launch([np.asarray(X), result])
np.testing.assert_allclose(result, jax.nn.softmax(X, axis=-1), rtol=1e-6)

# CHECK: CompileError: 3 of 3 refused in these words
report(
    CompileError,
    {
        "expected a size that divides the 8 elements of dimension 0": lambda: lowered(
            TWO.replace("2", "3", 1)
        ).prepare(),
        "expected the text of a #warpgroup.schedule, got 12": lambda: lowered("12").prepare(),
        "expected ','": lambda: lowered("#warpgroup.schedule<cta = [2, 128]>").prepare(),
    },
)
