# Until JAX 0.11, a copy whose predicate is false arrives at its barrier. The equation is the one of that release here.
#
# RUN: %python %s | FileCheck %s

import dataclasses

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.frontend.compat.jax_equations import CHANGES
from jax.experimental.pallas import mosaic_gpu as plgpu

# Before the first kernel: which equations are converted is found out once.
CHANGES["copy_gmem_to_smem"] = dataclasses.replace(CHANGES["copy_gmem_to_smem"], since=(99,))


def waits_anyway(x, o, tile, loaded):
    """A copy that is not made, and a wait for it."""
    tile[...] = x[...] + 1
    plgpu.copy_gmem_to_smem(x, tile, loaded, predicate=x[0] > 0)
    plgpu.barrier_wait(loaded)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK: waits_anyway: True
X = np.arange(256, dtype=np.float32)
kernel = plgpu.kernel(
    waits_anyway, out_type=jax.typeof(jnp.asarray(X)), scratch_types=[plgpu.SMEM(X.shape, X.dtype), plgpu.Barrier()]
)
with gridir.installed():
    print("waits_anyway:", np.array_equal(jax.jit(kernel)(X), X + 1))
