# RUN: %python %s | FileCheck %s
"""Kernels of Pallas' Mosaic GPU backend as ops of `warpgroup`, and what their rules refuse."""

import functools

import jax
import jax.numpy as jnp
from gridir.errors import KernelError, UnsupportedError
from gridir.frontend.lower import lower
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from refusals import report

X = jax.ShapeDtypeStruct((128, 64), jnp.float16)
TILE = plgpu.SMEM((64, 64), jnp.float16, transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))


def kernel(body, *scratch, args=(X,), out=X, **mesh):
    """Lowers a kernel with these arguments and this scratch."""
    call = plgpu.kernel(body, out_type=out, scratch_types=list(scratch), **mesh)
    return lambda: lower(call, *args)


def copies(x, o, tile, barrier):
    for i in range(2):
        plgpu.copy_gmem_to_smem(x.at[pl.ds(i * 64, 64)].at[:, pl.ds(0, 64)], tile, barrier.at[i])
        plgpu.barrier_wait(barrier.at[i])
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(i * 64, 64)], predicate=x[0, 0] > 0)
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)


# A Ref in shared memory has the shape that the author indexes; windows of windows are one.
# CHECK:      grid.scoped (%[[TILE:[a-z]+]]: memref<64x64xf16, #warpgroup.space<smem>>
# CHECK-SAME:     memref<2x!warpgroup.barrier<1>, #warpgroup.space<smem>>
# CHECK:        warpgroup.tma_load %{{.*}}[0, 0] [64, 64] to %[[TILE]] barrier
# CHECK:        warpgroup.barrier_wait
# CHECK:        warpgroup.tma_store %[[TILE]] to %{{.*}}[0, 0] [64, 64] if %
# CHECK-NEXT:   warpgroup.commit_group
# CHECK-NEXT:   warpgroup.wait_group 0 read
# CHECK:        warpgroup.tma_load %{{.*}}[64, 0] [64, 64] to %[[TILE]] barrier
print(kernel(copies, TILE, plgpu.Barrier(num_barriers=2))().kernels[0].text())

# The kernel, and the scope that JAX writes around the author's function, are where that function is.
# CHECK: #[[LINE:[a-z0-9]+]] = loc("{{.*}}ops.py":{{[0-9]+}}:0)
# CHECK: #[[FUNCTION:[a-z0-9]+]] = loc("copies"(#[[LINE]]))
# CHECK: source = "copies at {{.*}}ops.py:{{[0-9]+}}"
# CHECK: } loc(#[[FUNCTION]])
# CHECK-NEXT: } loc(#[[FUNCTION]])
print(kernel(copies, TILE, plgpu.Barrier(num_barriers=2))().kernels[0].text(locations=True))


def products(x, y, o, a, b, barrier):
    wg = jax.lax.axis_index("wg")

    @pl.when(wg == 0)
    def _():
        plgpu.set_max_registers(40, action="decrease")
        plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 64)], a, barrier)
        plgpu.copy_gmem_to_smem(y.at[pl.ds(0, 64)], b, barrier)

    @pl.when(wg == 1)
    def _():
        plgpu.barrier_wait(barrier)

        def multiply(acc):
            plgpu.wgmma(acc, a, b.T)
            plgpu.wgmma_wait(0)
            return acc[...]

        c = plgpu.layout_cast(pl.run_scoped(multiply, plgpu.ACC((64, 64))), plgpu.Layout.WGMMA)
        o[...] = c.astype(jnp.float16)


# The accumulator is zero at first; a transposed operand is a view.
# CHECK:      grid.kernel @products grid(%{{.*}} = 2 named "wg" thread)
# CHECK:        grid.scoped (%[[A:[a-z]+]]: memref<64x64xf16, #warpgroup.space<smem>>
# CHECK-SAME:       memref<{{(1x)?}}!warpgroup.barrier<2>
# CHECK-SAME:       collective = ["wg"]
# CHECK:          warpgroup.set_max_registers 40
# CHECK:          warpgroup.tma_load %{{.*}} to %[[A]] barrier %{{.*}}, memref<!warpgroup.barrier<2>,
# CHECK:          grid.scoped (%[[ACC:[a-z]+]]: memref<64x64xf32, #warpgroup.space<regs>>
# CHECK:            %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
# CHECK-NEXT:       grid.store %[[ZERO]], %[[ACC]]
# CHECK:            %[[B:[a-z0-9_]+]] = grid.transpose_ref
# CHECK:            warpgroup.mma %[[ACC]], %[[A]], %[[B]]
# CHECK:            warpgroup.mma_wait 0
# CHECK:          warpgroup.layout_cast %{{.*}} "WGMMA"
Y = jax.ShapeDtypeStruct((64, 64), jnp.float16)
MESH = {"num_threads": 2, "thread_name": "wg"}
print(kernel(products, TILE, TILE, plgpu.Barrier(num_arrivals=2), args=(X, X), out=Y, **MESH)().kernels[0].text())


def tensor_memory(x, y, o, a, b, acc, lhs, done):
    a[...], b[...] = x[...], y[...]
    plgpu.commit_smem()
    plgpu.async_copy_smem_to_tmem(a, lhs)
    plgpu.tcgen05_mma(acc, lhs, b, accumulate=False)
    plgpu.tcgen05_mma(acc, a, b, done, accumulate=x[0, 0] > 0)
    plgpu.barrier_wait(done)
    o[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.async_store_tmem(acc, o[...])
    plgpu.commit_tmem()
    plgpu.tcgen05_commit_arrive(done)


# CHECK:      warpgroup.tmem_copy
# CHECK:      warpgroup.tcgen05_mma %{{.*}}, %lhs, %b accumulate %{{.*}} : memref<128x128xf32, #warpgroup.space<tmem>>
# CHECK:      %[[ACCUMULATE:.*]] = arith.cmpf
# CHECK:      warpgroup.tcgen05_mma %{{.*}}, %a, %b accumulate %[[ACCUMULATE]] barrier
# CHECK:      grid.load %acc
# CHECK:      warpgroup.wait_tmem_load
# CHECK:      grid.store %{{.*}}, %acc
# CHECK:      warpgroup.commit_tmem
# CHECK:      warpgroup.tcgen05_commit
LHS, RHS = plgpu.SMEM((128, 64), jnp.float16), plgpu.SMEM((64, 128), jnp.float16)
TENSOR = (plgpu.TMEM((128, 128), jnp.float32), plgpu.TMEM((128, 64), jnp.float16, packed=True))
DONE = plgpu.Barrier(orders_tensor_core=True)
WIDE, OUT = jax.ShapeDtypeStruct((64, 128), jnp.float16), jax.ShapeDtypeStruct((128, 128), jnp.float32)
print(kernel(tensor_memory, LHS, RHS, *TENSOR, DONE, args=(X, WIDE), out=OUT)().kernels[0].text())


def copies_rows(x, o, tile, barrier):
    rows = plgpu.layout_cast(jax.lax.broadcasted_iota(jnp.int32, (64,), 0) * 2, plgpu.Layout.WG_STRIDED((64,), 1))
    plgpu.copy_gmem_to_smem(x.at[rows], tile, barrier)


# Rows that an array names are copied to a tile.
# CHECK: warpgroup.tma_gather %{{[a-z_0-9]+}}[%{{[0-9]+}}] to %tile barrier
# CHECK-SAME: memref<128x64xf16, #warpgroup.space<gmem>>, tensor<64xi32>
print(kernel(copies_rows, TILE, plgpu.Barrier())().kernels[0].text())


def copies_to_rows(x, o, tile):
    rows = plgpu.layout_cast(jax.lax.broadcasted_iota(jnp.int32, (64,), 0) * 2, plgpu.Layout.WG_STRIDED((64,), 1))
    plgpu.copy_smem_to_gmem(tile, o.at[rows])


def copies_some_rows(x, o, tile):
    plgpu.copy_smem_to_gmem(tile, o.at[x[0].astype(jnp.int32)], predicate=x[0, 0] > 0)


# Rows that an array names are copied from a tile.
# CHECK:      warpgroup.tma_scatter %tile to %{{[a-z_0-9]+}}[%{{[0-9]+}}]
# CHECK-SAME: memref<128x64xf16, #warpgroup.space<gmem>>, tensor<64xi32>
# CHECK-NEXT: warpgroup.commit_group
# CHECK:      scf.if
# CHECK-NEXT:   warpgroup.tma_scatter %tile to
ROWS = jax.ShapeDtypeStruct((128, 64), jnp.float16)
print(kernel(copies_to_rows, TILE, out=ROWS)().kernels[0].text())
print(kernel(copies_some_rows, TILE, out=ROWS)().kernels[0].text())


def parts(x, o, union):
    _, [_, rows], [_, middle] = union
    o[...] = rows[...] + middle[...]


# A member of a union that begins with a row of another one is rows of that; one that does not is a part of all its
# elements. Members begin at multiples of a KiB.
# CHECK: grid.scoped (%[[ALL:[a-z_0-9]+]]: memref<16x96xf32, #warpgroup.space<smem>>
# CHECK:   %[[ROWS:.*]] = grid.slice_ref %[[ALL]][8, 0] [4, 96] [1, 1]
# CHECK:   %[[LINE:.*]] = grid.reshape_ref %[[ALL]] : {{.*}} -> memref<1536xf32
# CHECK:   %[[PART:.*]] = grid.slice_ref %[[LINE]][256] [384] [1]
# CHECK:   %[[MIDDLE:.*]] = grid.reshape_ref %[[PART]] : {{.*}} -> memref<4x96xf32
# CHECK:   grid.load %[[ROWS]]
# CHECK:   grid.load %[[MIDDLE]]
NARROW = jax.ShapeDtypeStruct((4, 96), jnp.float32)
FOUR_ROWS = plgpu.SMEM((4, 96), jnp.float32)
UNION = plgpu.RefUnion(
    plgpu.SMEM((16, 96), jnp.float32),
    [plgpu.SMEM((768,), jnp.float32), FOUR_ROWS],
    [plgpu.SMEM((256,), jnp.float32), FOUR_ROWS],
)
print(kernel(parts, UNION, args=(NARROW,), out=NARROW)().kernels[0].text())


def gathers(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 64), jnp.arange(64, dtype=jnp.int32)], tile, barrier)


def batched(x_ref, o_ref, acc):
    o_ref[...] = x_ref[...]
    plgpu.async_store_tmem(acc.at[0], jnp.ones((128, 64), jnp.float32))


def of_blocks():
    """Lowers a kernel for another backend, whose scratch JAX gives as it lies in tensor memory."""
    scratch = [plgpu.TMEM((2, 128, 64), jnp.float32)]
    call = pl.pallas_call(batched, out_shape=X, scratch_shapes=scratch, compiler_params=pltpu.CompilerParams())
    return lower(call, X)


def reduces(x, o, tile, update="inc"):
    plgpu.copy_smem_to_gmem(tile, o.at[pl.ds(0, 64)], reduction_op=update)


def waits(x, o, barriers):
    plgpu.barrier_wait(barriers)


def strides(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x.at[pl.ds(0, 64, 2)], tile, barrier)


def nibbles(x, o, tile, barrier):
    plgpu.copy_gmem_to_smem(x.bitcast(jnp.int4).at[0, pl.ds(0, 3)], tile, barrier)


def computes(x, o):
    plgpu.wait_smem_to_gmem(jax.lax.axis_index("i"))


def allocates(**options):
    """A kernel that allocates shared memory with these options, in a mesh with clusters."""

    def body(x, o):
        def use(tile):
            o[0, 0] = tile[0, 0]

        pl.run_scoped(use, plgpu.SMEM((8, 128), jnp.float16), **options)

    return body


# CHECK: KernelError: 6 of 6 refused in these words
CLUSTER = {"cluster": (2,), "cluster_names": ("c",)}
report(
    KernelError,
    {
        "Attempting to operate on barrier without indexing, but `num_barriers = 2`": kernel(
            waits, plgpu.Barrier(num_barriers=2)
        ),
        "expected a copy of whole bytes, got 3 elements of 4 bits": kernel(
            nibbles, plgpu.SMEM((3,), jnp.int4), plgpu.Barrier()
        ),
        "Collective axis `z` not found among axes `['c', 'wg']`": kernel(
            allocates(collective_axes=("z",)), **CLUSTER, **MESH
        ),
        "Requesting collective allocations, but no explicit thread axis specified.": kernel(
            allocates(collective_axes=("c",)), **CLUSTER
        ),
        "Collective allocations along cluster axes are not supported.": kernel(
            allocates(collective_axes=("c", "wg")), **CLUSTER, **MESH
        ),
        "Scoped allocation must have the thread axis in its collective axes.": kernel(allocates(), **MESH),
    },
)

# Since JAX 0.11 the count that a wait is for is a parameter, which JAX itself checks.
COUNTS = {
    "expected a number, got a value that the kernel computes": kernel(computes, grid=(2,), grid_names=("i",)),
}
# CHECK: UnsupportedError: [[ROWS:[56]]] of [[ROWS]] refused in these words
report(
    UnsupportedError,
    {
        "expected numbers and slices in a copy, got an array of indices": kernel(gathers, TILE, plgpu.Barrier()),
        "expected scratch in tiles, got ExpandLeadingBatchDimensionsTransform": of_blocks,
        "expected a slice of known size and stride 1 in a copy": kernel(strides, TILE, plgpu.Barrier()),
        "expected an update among xchg, add, max, min, and, or, xor, smax, smin, umax, umin, got `inc`": kernel(
            reduces, TILE
        ),
        "expected a dtype that `umax` combines, got float16": kernel(functools.partial(reduces, update="umax"), TILE),
        **(COUNTS if jax.__version_info__ < (0, 11) else {}),
    },
)
