# Products of kernels for Blackwell, as PTX for sm_100a, executed thread by thread with what memory is checked for: the
# numbers are those of NumPy, in the executor's own order of threads and in another one.
#
# RUN: %python %s | FileCheck %s

import functools
from typing import Any

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from gridir.compiler.targets import get_target
from gridir.frontend.execute import execute
from gridir.testing import difference
from jax.experimental.pallas import mosaic_gpu as plgpu

GPU = get_target("gpu:sm_100a")


def look(name: str, call: Any, expected: Any, *args: Any) -> None:
    """Runs a kernel twice and prints its error, or "right"."""
    for seed in (None, 1):
        try:
            run = execute(call, args, GPU, checks=["races", "uninitialized"], schedule_seed=seed)
            said = difference(run.function(*args), expected) or "right"
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            said = str(error)
        print(f"{name} {seed}:", said)


def swizzled(shape: Any, dtype: Any, swizzle: int = 128) -> Any:
    columns = swizzle // np.dtype(dtype).itemsize
    return plgpu.SMEM(shape, dtype, transforms=(plgpu.TilingTransform((8, columns)), plgpu.SwizzleTransform(swizzle)))


def draw(seed: int, shape: Any, dtype: Any) -> Any:
    """Small whole numbers, whose products and sums are exact in all types."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def matmul(a, b, o, a_tile, b_tile, acc, loaded, done, *, turned_a, turned_b, add):
    plgpu.copy_gmem_to_smem(a, a_tile, loaded)
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    plgpu.barrier_wait(loaded)
    lhs = a_tile.T if turned_a else a_tile
    rhs = b_tile.T if turned_b else b_tile
    if add:
        plgpu.async_store_tmem(acc, jnp.ones(acc.shape, acc.dtype))
        plgpu.commit_tmem()
    plgpu.tcgen05_mma(acc, lhs, rhs, done, accumulate=add)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


def look_at_matmul(name, m, n, k, dtype, sums=jnp.float32, turned_a=False, turned_b=False, add=False, swizzle=128):
    a, b = draw(0, (k, m) if turned_a else (m, k), dtype), draw(1, (n, k) if turned_b else (k, n), dtype)
    wide = np.int32 if sums == jnp.int32 else np.float32
    expected = (a.T if turned_a else a).astype(wide) @ (b.T if turned_b else b).astype(wide) + add
    kernel = plgpu.kernel(
        functools.partial(matmul, turned_a=turned_a, turned_b=turned_b, add=add),
        out_type=jax.ShapeDtypeStruct((m, n), sums),
        scratch_types=[
            swizzled(a.shape, dtype, swizzle),
            swizzled(b.shape, dtype, swizzle),
            plgpu.TMEM((m, n), sums, packed=False),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    )
    look(name, kernel, expected.astype(sums), a, b)


# CHECK-COUNT-2: thin {{.*}}: right
look_at_matmul("thin", 128, 128, 64, jnp.float16)

# Operands by rows and by columns, sums that are there before, and 64 rows, whose columns are in two halves of lanes.
# CHECK-COUNT-2: turned {{.*}}: right
# CHECK-COUNT-2: added {{.*}}: right
# CHECK-COUNT-2: half {{.*}}: right
look_at_matmul("turned", 128, 64, 128, jnp.bfloat16, turned_a=True, turned_b=True)
look_at_matmul("added", 128, 64, 64, jnp.float16, sums=jnp.float16, add=True)
look_at_matmul("half", 64, 128, 64, jnp.bfloat16, add=True)

# Elements of 8 and 32 bits.
# CHECK-COUNT-2: e4m3 {{.*}}: right
# CHECK-COUNT-2: e5m2 {{.*}}: right
# CHECK-COUNT-2: int8 {{.*}}: right
# CHECK-COUNT-2: tf32 {{.*}}: right
look_at_matmul("e4m3", 128, 64, 64, jnp.float8_e4m3fn, turned_b=True, swizzle=64)
look_at_matmul("e5m2", 64, 128, 128, jnp.float8_e5m2, swizzle=64)
look_at_matmul("int8", 128, 128, 128, jnp.int8, sums=jnp.int32)
look_at_matmul("tf32", 128, 128, 64, jnp.float32, turned_b=True)
