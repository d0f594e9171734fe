# Tests that only a GPU could run for JAX.

import unittest

from jax._src import test_util


class SmallTest(unittest.TestCase, test_util.CudaArchSpecificTest):
    def test_hopper(self):
        self.skip_unless_sm90a()
        self.assertFalse(test_util.is_cuda_compute_capability_at_least("10.0"))

    def test_line_info(self):
        self.fail("left out")

    def test_newer(self):
        self.skip_unless_tcgen05()
        self.assertTrue(test_util.is_cuda_compute_capability_equal("10.0"))
        self.assertTrue(test_util.test_device_matches(["cuda"]))
