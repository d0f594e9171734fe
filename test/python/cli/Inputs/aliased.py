"""Kernels with an aliased input: one reads what another program wrote, one reads its output first."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def shift_kernel(prev_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...] + prev_ref[...]


def aliased(x):
    before = pl.BlockSpec((8, 128), lambda i: (jnp.maximum(i - 1, 0), 0))
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        shift_kernel,
        grid=(4,),
        in_specs=[before, block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={0: 0},
    )(x, x)


def add_kernel(x_ref, _, o_ref):
    o_ref[...] += x_ref[...]


def accumulated(x):
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
        add_kernel,
        grid=(4,),
        in_specs=[block, block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        input_output_aliases={1: 0},
    )(x, x)


def example_args():
    return (jnp.ones((32, 128)),)
