# The name of a kernel is in the texts of the program that calls it, where people and profiles look for it.
#
# RUN: %python %s | FileCheck %s

import gridir
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


x = jnp.arange(8.0)
with gridir.installed():
    lowered = jax.jit(lambda x: pl.pallas_call(kernel, out_shape=x, name="add_one")(x)).lower(x)
    # CHECK: StableHLO: True
    print("StableHLO:", 'name = "add_one"' in lowered.as_text())
    # CHECK-NEXT: HLO: True
    print("HLO:", 'name = "add_one"' in lowered.compile().as_text())
