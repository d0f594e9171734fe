"""A file for `gridir`: a kernel of warpgroups, which interpret mode does not run."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def sums_kernel(x_gmem, o_gmem, x_smem, o_smem, barrier):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, barrier)
    plgpu.barrier_wait(barrier)
    x = x_smem[...]
    o_smem[...] = jnp.sum(x * 1.7, axis=1) - jnp.sum(x * 0.7, axis=1)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)


def warpgroups(x):
    return plgpu.kernel(
        sums_kernel,
        out_type=jax.ShapeDtypeStruct((x.shape[0],), x.dtype),
        scratch_types=[plgpu.SMEM(x.shape, x.dtype), plgpu.SMEM(x.shape[:1], x.dtype), plgpu.Barrier()],
        kernel_name="sums",
    )(x)


def negated(x):
    """Its results are not those of the kernel, so that there is no reference for the kernel."""
    return -warpgroups(-x)


def half_kernel(x_gmem, o_gmem, x_smem, barrier):
    rows = pl.ds(jax.lax.axis_index("i") * 32, 32)
    plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem, barrier)
    plgpu.barrier_wait(barrier)
    o_gmem[rows] = jnp.sum(x_smem[...], axis=1)


def half(x):
    """Of four blocks of rows the grid has two."""
    return plgpu.kernel(
        half_kernel,
        out_type=jax.ShapeDtypeStruct((x.shape[0],), x.dtype),
        scratch_types=[plgpu.SMEM((32, 64), x.dtype), plgpu.Barrier()],
        grid=(2,),
        grid_names=("i",),
        kernel_name="half",
    )(x)


def reference(x):
    return jnp.sum(x, axis=1)


def example_args():
    return (jax.random.normal(jax.random.key(0), (128, 64)),)


def tuned_sums(x, *, columns):
    return warpgroups(x[:, :columns])
