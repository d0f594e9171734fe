# REQUIRES: ptxas
# JAX's own attention for Hopper, at the sizes of a model, is assembled without a spill, and ptxas serialises nothing. A
# product for Blackwell is assembled without a spill, too, and one whose sums are more than a thread's registers, which
# are moved to local memory and back panel by panel. Sums in tensor memory of which a thread has 256 are stored part by
# part. A store to another block is in the version of PTX that a chip is given.
#
# RUN: %python %s %repository/examples/mosaic_gpu | FileCheck %s

import sys
import types

import gridir
import jax
import jax.numpy as jnp
from gridir.cli.example import load_example
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import attention_mgpu, hopper_matmul_mgpu


def look(name, function, *args, target="gpu:sm_90a"):
    try:
        (kernel,) = gridir.lower(function, *args, target=target).compile().kernels
        spills = kernel.cubin.spill_bytes
        print(f"{name}: {spills} bytes of spills", *kernel.cubin.remarks)
    except gridir.Error as error:
        print(f"{name}:", error)


# CHECK: attention: 0 bytes of spills{{$}}
attention_mgpu.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
tuning = attention_mgpu.TuningConfig(block_q=64, block_kv=128, max_concurrent_steps=2)
array = jax.ShapeDtypeStruct((1, 4096, 16, 128), jnp.float16)
look("attention", lambda q, k, v: attention_mgpu.attention(q, k, v, tuning), array, array, array)

# CHECK: tcgen05_matmul: 0 bytes of spills{{$}}
example = load_example(f"{sys.argv[1]}/tcgen05_matmul.py", None)
look("tcgen05_matmul", example.function, *example.args, target="gpu:sm_100a")

# CHECK: wide sums: 0 bytes of spills{{$}}
hopper_matmul_mgpu.get_num_sms = lambda: 132
tiles = hopper_matmul_mgpu.TuningConfig(tile_m=256, tile_n=128, tile_k=64, max_concurrent_steps=3)
lhs, rhs = (jax.ShapeDtypeStruct(shape, jnp.float16) for shape in ((4096, 4096), (4096, 8192)))
look("wide sums", lambda a, b: hopper_matmul_mgpu.matmul(a, b, None, tiles), lhs, rhs)


def swap(x, o, tile, stored):
    """Each block has the tile of the other one, which that one stores."""
    block = jax.lax.axis_index("x")
    value = plgpu.load(x.at[block], layout=plgpu.Layout.WGMMA, optimized=False)
    plgpu.async_store_smem(value, tile, stored, cluster_idx=1 - block, cluster_dim="x")
    plgpu.barrier_wait(stored)
    o[block] = tile[...]


# CHECK: swap: 0 bytes of spills{{$}}
tiles = jax.ShapeDtypeStruct((2, 64, 32), jnp.float32)
transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
scratch = [plgpu.SMEM((64, 32), jnp.float32, transforms=transforms), plgpu.Barrier()]
of_pair = {"cluster": (2,), "cluster_names": ("x",), "scratch_types": scratch}
look("swap", plgpu.kernel(swap, out_type=tiles, **of_pair), tiles)


def add_bias(a, b, bias, o, a_tile, b_tile, o_tile, sums, loaded, done):
    """Sums of 128 rows and 256 columns, to which an array is added, in f32 by way of shared memory."""
    plgpu.copy_gmem_to_smem(a, a_tile, loaded)
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.tcgen05_mma(sums, a_tile, b_tile, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_tile[...] = plgpu.async_load_tmem(sums) + plgpu.load(bias, layout=plgpu.Layout.TCGEN05, optimized=False)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_tile, o)
    plgpu.wait_smem_to_gmem(0)


# CHECK: sums of 256 columns: 0 bytes of spills{{$}}
a, b = jax.ShapeDtypeStruct((128, 64), jnp.float16), jax.ShapeDtypeStruct((64, 256), jnp.float16)
o = jax.ShapeDtypeStruct((128, 256), jnp.float32)
half = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
scratch = [
    plgpu.SMEM(a.shape, a.dtype, transforms=half),
    plgpu.SMEM(b.shape, b.dtype, transforms=half),
    plgpu.SMEM(o.shape, o.dtype, transforms=transforms),
    plgpu.TMEM(o.shape, o.dtype),
    plgpu.Barrier(num_arrivals=2),
    plgpu.Barrier(orders_tensor_core=True),
]
look("sums of 256 columns", plgpu.kernel(add_bias, out_type=o, scratch_types=scratch), a, b, o, target="gpu:sm_100a")
