"""A kernel whose bulk copies store two elements in each byte of an array."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def nibbles(x):
    def body(x, o, union):
        whole, halves = union
        whole[...] = x[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(halves, o)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256,), jnp.uint4),
        scratch_types=[plgpu.RefUnion(plgpu.SMEM((128,), jnp.uint8), plgpu.SMEM((256,), jnp.uint4))],
    )(x)


def example_args():
    return (jnp.arange(128, dtype=jnp.uint8),)
