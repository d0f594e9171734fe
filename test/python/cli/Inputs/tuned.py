# Kernels with parameters, for `gridir tune`.

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def product_kernel(x_ref, y_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def tuned(x, y, *, rows, columns, depth=512):
    """The product of two matrices."""
    (m, k), (_, n) = x.shape, y.shape
    if m % rows or n % columns or k % depth:
        raise ValueError(f"the matrices are cut into ({rows}, {columns}, {depth})")
    return pl.pallas_call(
        product_kernel,
        grid=(m // rows, n // columns, k // depth),
        in_specs=[
            pl.BlockSpec((rows, depth), lambda i, j, k: (i, k)),
            pl.BlockSpec((depth, columns), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((rows, columns), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((rows, columns), jnp.float32)],
        name="product",
    )(x, y)


def example_args():
    return (jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16),) * 2


def tuning_space():
    return {"rows": [128, 192, 512, 2048], "columns": [64, 512, 2048]}


def plain(x, y, *, rows):
    """A function without a kernel."""
    return x @ y * rows


def scale_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def scaled(x, *, rows, whole=True):
    """Writes half of its output, unless it is told to write all."""
    blocks = x.shape[0] // rows
    spec = pl.BlockSpec((rows, 128), lambda i: (i, 0))
    return pl.pallas_call(
        scale_kernel,
        grid=(blocks if whole else blocks // 2,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        name="scale",
    )(x)


def scaled_rows(x, _, *, rows):
    """Doubles the first 128 columns."""
    return scaled(x[:, :128].astype(jnp.float32), rows=rows)
