# Kernels for JAX's own pipeline for GPUs.

import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import test_util
from jax.experimental.pallas import mosaic_gpu as plgpu


def copy_twice(x_gmem, o_gmem, x_smem, barrier):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, barrier)
    plgpu.barrier_wait(barrier)
    x_smem[...] = x_smem[...] * 2
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(x_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)


class PeerTest(unittest.TestCase, test_util.CudaArchSpecificTest):
    def check_copy(self):
        x = jnp.arange(128 * 32, dtype=jnp.float32).reshape(128, 32)
        scratch = [plgpu.SMEM(x.shape, x.dtype), plgpu.Barrier()]
        result = plgpu.kernel(copy_twice, out_type=x, scratch_types=scratch)(x)
        np.testing.assert_array_equal(result, x * 2)

    def test_hopper(self):
        self.skip_unless_sm90a()
        self.check_copy()

    def test_blackwell(self):
        self.skip_unless_tcgen05()
        self.check_copy()

    def test_arithmetic(self):
        def add_one(x_ref, o_ref):
            o_ref[...] = x_ref[...] + 1

        x = jnp.arange(128, dtype=jnp.float32)
        np.testing.assert_array_equal(plgpu.kernel(add_one, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype))(x), x + 1)
