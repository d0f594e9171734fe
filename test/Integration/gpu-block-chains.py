# Contractions of the results of contractions, and reductions of results that registers do not hold: loops compute parts
# of them, so that the kernels are warpgroup programs. They give what interpret mode gives, as tasks on the CPU, and as
# PTX with checks that must find nothing.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from block_programs import normal, product, report, small


def of_rows(function, *arrays, rows=64, out):
    """Calls a function of blocks of rows of the first array, and of whole other arrays."""
    x = arrays[0]

    def kernel(*refs):
        *inputs, o_ref = refs
        o_ref[...] = function(*(ref[...] for ref in inputs)).astype(o_ref.dtype)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows,),
        in_specs=[
            pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0)),
            *(pl.BlockSpec(array.shape, lambda i, rank=array.ndim: (0,) * rank) for array in arrays[1:]),
        ],
        out_specs=pl.BlockSpec((rows, out), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], out), jnp.float32),
    )(*arrays)


def attention(q, k, v, mask=None):
    scores = product(q, k, rhs=1) * 0.125
    if mask is not None:
        scores = jnp.where(mask, scores, -1e30)
    weights = jnp.exp(scores - jnp.max(scores, axis=1, keepdims=True))
    return product((weights / jnp.sum(weights, axis=1, keepdims=True)).astype(v.dtype), v)


def layers(x, first, second):
    return product(jax.nn.relu(product(x, first)).astype(x.dtype), second)


def scored(x, y):
    """The softmax of a product."""
    return jax.nn.softmax(product(x, y), axis=1)


def bf16(*shapes):
    return [normal(*shape, dtype=jnp.bfloat16) for shape in shapes]


def exact(*shapes, dtype=jnp.bfloat16):
    """Matrices whose products of products are exact."""
    return [jnp.clip(small(*shape, dtype=dtype), -1, 1) for shape in shapes]


PROGRAMS = {
    "attention of 512 keys": (attention, *bf16((64, 64), (512, 64), (512, 64))),
    "attention of 200 keys": (attention, *bf16((64, 64), (200, 64), (200, 64))),
    "two layers": (layers, *exact((128, 128), (128, 512), (512, 128))),
    "two deep layers": (layers, *exact((64, 512), (512, 1024), (1024, 128))),
    "two deep layers of f32": (layers, *exact((64, 192), (192, 256), (256, 10), dtype=jnp.float32)),
    "softmax of a product": (scored, *exact((64, 64), (64, 512))),
}


def with_columns(function, *arrays):
    """The call for all rows, whose result has as many columns as that of the function."""
    return (functools.partial(of_rows, function, out=jax.eval_shape(function, *arrays).shape[1]), *arrays)


# CHECK: 6 of 6 programs are right
report("programs", {name: with_columns(*case) for name, case in PROGRAMS.items()}, programs=True)
