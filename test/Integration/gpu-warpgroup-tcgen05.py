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
from jax import dtypes
from jax.experimental import pallas as pl
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
    columns = swizzle * 8 // dtypes.itemsize_bits(np.dtype(dtype))
    tiling = plgpu.TilingTransform((8, columns))
    transforms = (tiling,) if swizzle == 16 else (tiling, plgpu.SwizzleTransform(swizzle))
    return plgpu.SMEM(shape, dtype, transforms=transforms)


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
# CHECK-COUNT-2: wide {{.*}}: right
look_at_matmul("thin", 128, 128, 64, jnp.float16)
# More sums than a thread has registers for, which are stored part by part.
look_at_matmul("wide", 128, 256, 64, jnp.float16)

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


def tensor_lhs(a, b, o, a_tile, b_tile, copied, stored, acc, loaded, done):
    """Left operands in tensor memory: a copied tile, and half of what the threads stored; sums of two products."""
    plgpu.copy_gmem_to_smem(a, a_tile, loaded)
    plgpu.copy_gmem_to_smem(b, b_tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.async_store_tmem(stored, a_tile[...])
    plgpu.commit_tmem()
    plgpu.async_copy_smem_to_tmem(a_tile, copied)
    plgpu.tcgen05_mma(acc.at[1], copied, b_tile, accumulate=False)
    plgpu.tcgen05_mma(acc.at[1], stored.at[:, 64:], b_tile.at[64:], accumulate=True)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc.at[1, :, 64:])


# CHECK-COUNT-2: tensor lhs {{.*}}: right
A, B = draw(2, (128, 128), jnp.float16), draw(3, (128, 128), jnp.float16)
look(
    "tensor lhs",
    plgpu.kernel(
        tensor_lhs,
        out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
        scratch_types=[
            swizzled((128, 128), jnp.float16),
            swizzled((128, 128), jnp.float16),
            plgpu.TMEM((128, 128), jnp.float16, packed=True),
            plgpu.TMEM((128, 128), jnp.float16, packed=True),
            plgpu.TMEM((2, 128, 128), jnp.float32),
            plgpu.Barrier(num_arrivals=2),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    (A.astype(np.float32) @ B + A[:, 64:].astype(np.float32) @ B[64:])[:, 64:],
    A,
    B,
)


def seen(x, o, union):
    """Tensor memory as elements of another width: each row stays in its lane."""
    stored, read = union
    plgpu.async_store_tmem(stored, plgpu.load(x, layout=plgpu.Layout.TCGEN05_TMEM_NATIVE, optimized=False))
    plgpu.commit_tmem()
    o[...] = plgpu.async_load_tmem(read, layout=plgpu.Layout.TCGEN05)


# CHECK-COUNT-2: seen uint8 as uint16 {{.*}}: right
# CHECK-COUNT-2: seen uint32 as uint8 {{.*}}: right
# CHECK-COUNT-2: seen float32 as bfloat16 {{.*}}: right
for old, new in ((np.uint8, np.uint16), (np.uint32, np.uint8), (np.float32, jnp.bfloat16)):
    X = np.random.default_rng(5).integers(0, 200, (128, 128 // np.dtype(old).itemsize)).astype(old)
    shape = (128, 128 // np.dtype(new).itemsize)
    members = (plgpu.TMEM(X.shape, old, packed=True), plgpu.TMEM(shape, new, packed=True))
    look(
        f"seen {np.dtype(old)} as {np.dtype(new)}",
        plgpu.kernel(seen, out_type=jax.ShapeDtypeStruct(shape, new), scratch_types=[plgpu.RefUnion(*members)]),
        X.view(new),
        X,
    )


def copied(x, o, tile, matrix, loaded, done):
    """A tile to tensor memory and back."""
    plgpu.copy_gmem_to_smem(x, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.async_copy_smem_to_tmem(tile, matrix)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(matrix)


# Without a swizzle in panels of 16 bytes a row.
# CHECK-COUNT-2: copied float32 16 {{.*}}: right
# CHECK-COUNT-2: copied bfloat16 32 {{.*}}: right
# CHECK-COUNT-2: copied int8 128 {{.*}}: right
for dtype, swizzle in ((jnp.float32, 16), (jnp.bfloat16, 32), (jnp.int8, 128)):
    A = draw(16, (128, 128), dtype)
    look(
        f"copied {np.dtype(dtype).name} {swizzle}",
        plgpu.kernel(
            copied,
            out_type=jax.ShapeDtypeStruct((128, 128), dtype),
            scratch_types=[
                swizzled((128, 128), dtype, swizzle),
                plgpu.TMEM((128, 128), dtype, packed=True),
                plgpu.Barrier(),
                plgpu.Barrier(orders_tensor_core=True),
            ],
        ),
        A,
        A,
    )


def pair(a, b, o, a_tile, b_tile, acc, loaded, ready, done, *, rows):
    """Two blocks share a product: each has rows of the left operand, and half of the columns of the right one."""
    block = jax.lax.axis_index("x")
    half = b.shape[1] // 2
    plgpu.copy_gmem_to_smem(a.at[pl.ds(block * rows, rows)], a_tile, loaded)
    plgpu.copy_gmem_to_smem(b.at[:, pl.ds(block * half, half)], b_tile, loaded)
    plgpu.barrier_wait(loaded)
    # The first block starts the product when the tiles of both are there.
    plgpu.barrier_arrive(ready)
    plgpu.barrier_wait(ready)
    plgpu.tcgen05_mma(acc, a_tile, b_tile, done, accumulate=False, collective_axis="x")
    plgpu.barrier_wait(done)
    o[pl.ds(block * rows, rows)] = plgpu.async_load_tmem(acc)


# CHECK-COUNT-2: pair 64 {{.*}}: right
# CHECK-COUNT-2: pair 128 {{.*}}: right
for rows in (64, 128):
    A, B = draw(4, (2 * rows, 64), jnp.bfloat16), draw(5, (64, 128), jnp.bfloat16)
    look(
        f"pair {rows}",
        plgpu.kernel(
            functools.partial(pair, rows=rows),
            out_type=jax.ShapeDtypeStruct((2 * rows, 128), jnp.float32),
            cluster=(2,),
            cluster_names=("x",),
            scratch_types=[
                swizzled((rows, 64), jnp.bfloat16),
                swizzled((64, 64), jnp.bfloat16),
                plgpu.TMEM((rows, 128), jnp.float32, collective=True),
                plgpu.Barrier(num_arrivals=2),
                plgpu.ClusterBarrier(collective_axes=("x",)),
                plgpu.Barrier(orders_tensor_core=True),
            ],
        ),
        A.astype(np.float32) @ B.astype(np.float32),
        A,
        B,
    )


def scaled(a, b, a_scale, b_scale, o, a_tile, b_tile, a_factors, b_factors, acc, a_tmem, b_tmem, loaded, done):
    """Each 32 elements of the depth have a factor."""
    for source, tile in ((a, a_tile), (b, b_tile), (a_scale, a_factors), (b_scale, b_factors)):
        plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.async_copy_scales_to_tmem(a_factors, a_tmem)
    plgpu.async_copy_scales_to_tmem(b_factors, b_tmem)
    plgpu.tcgen05_mma(acc, a_tile, b_tile.T, done, a_scale=a_tmem, b_scale=b_tmem, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


def in_blocks(scales: Any) -> Any:
    """Factors as tensor memory takes them: 32 rows of 16."""
    m, k = scales.shape
    blocks = scales.reshape(m // 128, 4, 32, k // 4, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(blocks.reshape(m // 128, k // 4, 32, 16))


# Of elements of 4 bits two share a byte in shared memory, and 16 may have a factor, which need not be a power of two.
# CHECK-COUNT-2: scaled float8_e5m2 float8_e8m0fnu 32 {{.*}}: right
# CHECK-COUNT-2: scaled float4_e2m1fn float8_e8m0fnu 32 {{.*}}: right
# CHECK-COUNT-2: scaled float4_e2m1fn float8_e8m0fnu 16 {{.*}}: right
# CHECK-COUNT-2: scaled float4_e2m1fn float8_e4m3fn 16 {{.*}}: right
E5M2, E2M1, E8M0, E4M3 = jnp.float8_e5m2, jnp.float4_e2m1fn, jnp.float8_e8m0fnu, jnp.float8_e4m3fn
for dtype, factor, span in ((E5M2, E8M0, 32), (E2M1, E8M0, 32), (E2M1, E8M0, 16), (E2M1, E4M3, 16)):
    K = 256
    A, B = draw(6, (128, K), dtype), draw(7, (64, K), dtype)
    powers = [2.0 ** np.random.default_rng(seed).integers(-3, 4, (128, K // span)) for seed in (8, 9)]
    factors = [np.repeat(power, span, axis=1).astype(np.float32) for power in powers]
    look(
        f"scaled {np.dtype(dtype).name} {np.dtype(factor).name} {span}",
        plgpu.kernel(
            scaled,
            out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
            scratch_types=[
                swizzled((128, K), dtype),
                swizzled((64, K), dtype),
                plgpu.SMEM((1, K // span // 4, 32, 16), factor),
                plgpu.SMEM((1, K // span // 4, 32, 16), factor),
                plgpu.TMEM((128, 64), jnp.float32),
                plgpu.TMEM((128, K // span), factor, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
                plgpu.TMEM((128, K // span), factor, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
                plgpu.Barrier(num_arrivals=4),
                plgpu.Barrier(orders_tensor_core=True),
            ],
        ),
        (A.astype(np.float32) * factors[0]) @ (B.astype(np.float32) * factors[1][:64]).T,
        A,
        B,
        *(in_blocks(power.astype(factor)) for power in powers),
    )


def sparse(a, b, metadata, o, a_tile, b_tile, metadata_tile, acc, metadata_tmem, loaded, done):
    """Two of each four elements along the depth of the left operand are there."""
    for source, tile in ((a, a_tile), (b, b_tile), (metadata, metadata_tile)):
        plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.async_copy_sparse_metadata_to_tmem(metadata_tile, metadata_tmem)
    plgpu.tcgen05_mma(acc, a_tile, b_tile.T, done, a_sparse_metadata=metadata_tmem, accumulate=False)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)


# CHECK-COUNT-2: sparse float16 {{.*}}: right
# CHECK-COUNT-2: sparse float8_e5m2 {{.*}}: right
CHOICES = np.stack(np.triu_indices(4, 1), axis=-1)
PAIRS = CHOICES[np.random.default_rng(0).integers(0, len(CHOICES), (128, 64))]
for dtype in (jnp.float16, jnp.float8_e5m2):
    A, B = draw(10, (128, 128), dtype), draw(11, (64, 256), dtype)
    dense = np.zeros((128, 64, 4), np.float32)
    np.put_along_axis(dense, PAIRS, A.astype(np.float32).reshape(PAIRS.shape), axis=-1)
    look(
        f"sparse {np.dtype(dtype).name}",
        plgpu.kernel(
            sparse,
            out_type=jax.ShapeDtypeStruct((128, 64), jnp.float32),
            scratch_types=[
                swizzled((128, 128), dtype),
                swizzled((64, 256), dtype),
                plgpu.SMEM((1, 2, 128, 64), jnp.uint2),
                plgpu.TMEM((128, 64), jnp.float32),
                plgpu.TMEM((128, 128), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
                plgpu.Barrier(num_arrivals=3),
                plgpu.Barrier(orders_tensor_core=True),
            ],
        ),
        dense.reshape(128, 256) @ B.astype(np.float32).T,
        A,
        B,
        np.asarray(plgpu.format_tcgen05_sparse_metadata(PAIRS.astype(jnp.uint2), dtype)),
    )


def scaled_pair(a, b, a_scale, b_scale, o, *scratch):
    """Each block has factors of its rows, and both have those of all columns."""
    a_tile, b_tile, a_factors, b_factors, acc, a_tmem, b_tmem, loaded, ready, done = scratch
    block = jax.lax.axis_index("x")
    rows = pl.ds(block * 64, 64)
    copies = (
        (a.at[rows], a_tile),
        (b.at[rows], b_tile),
        (a_scale.at[pl.ds(block, 1)], a_factors),
        (b_scale, b_factors),
    )
    for source, tile in copies:
        plgpu.copy_gmem_to_smem(source, tile, loaded)
    plgpu.barrier_wait(loaded)
    plgpu.barrier_arrive(ready)
    plgpu.barrier_wait(ready)
    plgpu.async_copy_scales_to_tmem(a_factors, a_tmem, collective_axis="x")
    plgpu.async_copy_scales_to_tmem(b_factors, b_tmem, collective_axis="x")
    plgpu.tcgen05_mma(acc, a_tile, b_tile.T, a_scale=a_tmem, b_scale=b_tmem, accumulate=False, collective_axis="x")
    plgpu.tcgen05_commit_arrive(done, collective_axis="x")
    plgpu.barrier_wait(done)
    o[rows] = plgpu.async_load_tmem(acc)


# CHECK-COUNT-2: scaled pair {{.*}}: right
A, B = draw(12, (128, K), E5M2), draw(13, (128, K), E5M2)
powers = [2.0 ** np.random.default_rng(seed).integers(-3, 4, (128, K // 32)) for seed in (14, 15)]
factors = [np.repeat(power, 32, axis=1).astype(np.float32) for power in powers]
of_blocks = np.concatenate(
    [in_blocks(np.pad(power.astype(E8M0), ((0, 64), (0, 0)))) for power in np.split(powers[0], 2)]
)
of_columns = powers[1].astype(E8M0).reshape(2, 2, 32, K // 128, 4).transpose(3, 0, 2, 1, 4).reshape(1, K // 128, 64, 8)
look(
    "scaled pair",
    plgpu.kernel(
        scaled_pair,
        out_type=jax.ShapeDtypeStruct((128, 128), jnp.float32),
        cluster=(2,),
        cluster_names=("x",),
        scratch_types=[
            swizzled((64, K), E5M2),
            swizzled((64, K), E5M2),
            plgpu.SMEM((1, K // 128, 32, 16), E8M0),
            plgpu.SMEM((1, K // 128, 64, 16), E8M0),
            plgpu.TMEM((64, 128), jnp.float32, collective=True),
            plgpu.TMEM((128, K // 32), E8M0, layout=plgpu.TMEMLayout.SCALES_LAYOUT, collective=True),
            plgpu.TMEM((256, K // 32), E8M0, layout=plgpu.TMEMLayout.SCALES_M64_COLLECTIVE_LAYOUT, collective=True),
            plgpu.Barrier(num_arrivals=4),
            plgpu.ClusterBarrier(collective_axes=("x",)),
            plgpu.Barrier(orders_tensor_core=True),
        ],
    ),
    (A.astype(np.float32) * factors[0]) @ (B.astype(np.float32) * factors[1]).T,
    A,
    B,
    of_blocks,
    np.pad(of_columns, ((0, 0),) * 3 + ((0, 8),)),
)
