# Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pass on a kernel, and the results of the kernel."""

import gridir
import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl

gridir.passes.load("my_passes")


def body(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


def double(x):
    rows = pl.BlockSpec((8,), lambda i: (i,))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(body, out_shape=shape, grid=(4,), in_specs=[rows], out_specs=rows)(x)


def test_multiplication_becomes_sum():
    [kernel] = gridir.lower(double, jnp.arange(32.0)).kernels
    text = kernel.text("grid", pipeline="my-twice-is-sum")
    assert "arith.addf" in text
    assert "arith.mulf" not in text


def test_other_factor_stays():
    [kernel] = gridir.lower(double, jnp.arange(32.0)).kernels
    assert "arith.mulf" in kernel.text("grid", pipeline="my-twice-is-sum{factor=3}")


def test_result():
    pipeline = "grid-to-cpu{stop-after=grid-planned},my-twice-is-sum,grid-to-cpu{start-after=grid-planned}"
    x = jnp.arange(32.0)
    lowered = gridir.lower(double, x, options=gridir.CpuOptions(pipeline=pipeline))
    assert (lowered.compile()(x) == 2 * x).all()


def test_wrong_option():
    [kernel] = gridir.lower(double, jnp.arange(32.0)).kernels
    with pytest.raises(gridir.Error, match="factor"):
        kernel.text("grid", pipeline="my-twice-is-sum{factor=two}")
