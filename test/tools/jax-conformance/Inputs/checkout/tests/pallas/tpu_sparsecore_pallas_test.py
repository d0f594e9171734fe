"""A test of a kernel for SparseCores, and one with the name of a test that is left out."""

import unittest

import jax
import jax.numpy as jnp
from jax._src import test_util
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc


class SparseTest(unittest.TestCase):
    def test_kernel(self):
        self.assertTrue(test_util.is_device_tpu_at_least(6))
        x = jnp.arange(plsc.get_sparse_core_info().num_lanes)
        mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)

        @pl.kernel(out_type=jax.typeof(x), mesh=mesh, scratch_types=[pltpu.VMEM.like(x)])
        def kernel(x_ref, o_ref, held):
            @pl.when(jax.lax.axis_index("subcore") == 0)
            def _():
                pltpu.sync_copy(x_ref, held)
                pltpu.sync_copy(held, o_ref)

        self.assertEqual(kernel(x).tolist(), x.tolist())

    def test_barrier(self):
        self.fail("this is not run")
