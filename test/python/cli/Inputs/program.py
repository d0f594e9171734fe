"""A program of somebody's, which knows nothing of records."""

import gridir
import jax
from double import double

gridir.install()
for scale in (1.0, 2.0):
    jax.block_until_ready(jax.jit(double)(scale * jax.numpy.ones((8, 128))))
