# One test for each thing that can become of one.

import os
import time
import unittest

import jax
import jax.numpy as jnp
from gridir.frontend.capture.installation import current
from jax._src import only_in_checkout
from jax._src.pallas import hlo_interpreter
from jax.experimental import pallas as pl


def double(x):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    return pl.pallas_call(kernel, out_shape=x, interpret=True)(x)


class TinyTest(unittest.TestCase):
    def test_kernel(self):
        x = jnp.ones(only_in_checkout.SHAPE)
        self.assertTrue((double(x) == 2).all())

    def test_two_kernels(self):
        self.assertEqual(float(double(double(jnp.ones((8, 256))))[0, 0]), 4)

    def test_no_kernel(self):
        self.assertEqual(jax.eval_shape(double, jnp.ones((8, 128))).shape, (8, 128))

    def test_differs_a(self):
        self.assertTrue(current() is None, "expected 0 kernels, got 1")

    def test_differs_b(self):
        self.assertTrue(current() is None, "expected 0 kernels, got 22")

    def test_falls_back(self):
        if current() is not None:
            hlo_interpreter.pallas_call_hlo_interpret()

    def test_crashes(self):
        if current() is not None:
            os._exit(3)

    def test_fails_with_both(self):
        self.fail("both")

    def test_skips(self):
        self.skipTest("a reason")


class SlowTest(unittest.TestCase):
    def test_sleeps(self):
        if current() is not None:
            time.sleep(100)
