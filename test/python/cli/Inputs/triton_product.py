# Products of matrices for Triton, for `gridir tune`.

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def product(x, y, rows, stages, warps):
    def kernel(x_ref, y_ref, o_ref):
        def body(k, acc):
            left, right = x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :]
            return acc + jnp.dot(left, right, preferred_element_type=jnp.float32)

        acc = jax.lax.fori_loop(0, x.shape[1] // 64, body, jnp.zeros(o_ref.shape, jnp.float32))
        o_ref[...] = acc.astype(o_ref.dtype)

    return pl.pallas_call(
        kernel,
        grid=(x.shape[0] // rows, y.shape[1] // 128),
        in_specs=[
            pl.BlockSpec((rows, x.shape[1]), lambda i, j: (i, 0)),
            pl.BlockSpec((y.shape[0], 128), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((rows, 128), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
        compiler_params=plgpu.CompilerParams(num_warps=warps, num_stages=stages),
    )(x, y)


def triton_product(x, y, *, stages, warps=4):
    return product(product(x, y, 64, 1, 4), y, 128, stages, warps)


def example_args():
    return (jax.ShapeDtypeStruct((1024, 1024), jnp.bfloat16),) * 2
