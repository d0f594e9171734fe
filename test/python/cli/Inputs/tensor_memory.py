"""A file for `gridir`: a matrix product in tensor memory, with nothing wrong."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu

TILES = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def tensor_memory_kernel(x_gmem, y_gmem, o_gmem, x_smem, y_smem, sums, loaded, done):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, loaded)
    plgpu.copy_gmem_to_smem(y_gmem, y_smem, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.tcgen05_mma(sums, x_smem, y_smem, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_gmem[...] = plgpu.async_load_tmem(sums)


def tensor_memory(x, y):
    return plgpu.kernel(
        tensor_memory_kernel,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            plgpu.SMEM((128, 64), jnp.float16, transforms=TILES),
            plgpu.SMEM((64, 64), jnp.float16, transforms=TILES),
            plgpu.TMEM((128, 64), jnp.float32),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
        kernel_name="tensor_memory",
    )(x, y)


def example_args():
    keys = jax.random.split(jax.random.key(0))
    return jax.random.normal(keys[0], (128, 64), jnp.float16), jax.random.normal(keys[1], (64, 64), jnp.float16)


def reference(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32)
