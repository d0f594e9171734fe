# RUN: %python %s | FileCheck %s
"""Clusters and code of single warps as ops of `warpgroup`, and what their rules refuse."""

import jax
import jax.numpy as jnp
from gridir.errors import KernelError, UnsupportedError
from gridir.frontend.lower import lower
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from refusals import report

X = jax.ShapeDtypeStruct((256, 64), jnp.float16)
TILE = plgpu.SMEM((128, 64), jnp.float16)
PAIR = {"cluster": (2,), "cluster_names": ("c",)}
MET = plgpu.ClusterBarrier(collective_axes=("c",))
DONE = plgpu.Barrier(orders_tensor_core=True)


def kernel(body, *scratch, out=X, **mesh):
    """Lowers a kernel of one array with this scratch."""
    call = plgpu.kernel(body, out_type=out, scratch_types=list(scratch), **mesh)
    return lambda: lower(call, X)


def blocks(x, o, tile, loaded, met):
    c = jax.lax.axis_index("c")
    partition = plgpu.CopyPartition.PARTITIONED(0)
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c", leader_tracked=partition)
    plgpu.copy_gmem_to_smem(
        x.at[pl.ds(0, 128)], tile, loaded, collective_axes="c", leader_tracked=plgpu.CopyPartition.REPLICATED
    )
    plgpu.barrier_arrive(met)
    value = plgpu.cluster_ref(tile.at[pl.ds(0, 64)], {"c": 1 - c})[...]
    plgpu.async_store_smem(value, tile.at[pl.ds(0, 64)], loaded, cluster_idx=0, cluster_dim="c", atomic="add")


# Each block takes its part of a window; the index of another block and the part of a Ref are told apart.
# CHECK:      grid.scoped (%[[TILE:[a-z]+]]: memref<128x64xf16, #warpgroup.space<smem>>
# CHECK-SAME:     memref<{{(1x)?}}!warpgroup.barrier<1, cluster = ["c"]>, #warpgroup.space<smem>>
# CHECK:        %[[FIRST:.*]] = arith.muli %{{.*}}, %c128_i32
# CHECK:        warpgroup.tma_load %{{.*}}[%[[FIRST]] : i32, 0] [128, 64] to %[[TILE]] barrier
# CHECK-SAME:       collective ["c"] leader_tracked
# CHECK:        warpgroup.tma_load %{{.*}}[0, 0] [128, 64] to %[[TILE]] barrier
# CHECK-SAME:       collective ["c"] leader_tracked
# CHECK:        warpgroup.barrier_arrive %{{.*}} : memref<!warpgroup.barrier<1, cluster = ["c"]>
# CHECK:        %[[PART:.*]] = grid.slice_ref %[[TILE]][0, 0] [64, 64]
# CHECK:        %[[VALUE:.*]] = warpgroup.cluster_load %[[PART]] ["c"][%{{.*}}]
# CHECK:        warpgroup.cluster_store %[[VALUE]] to %{{.*}} ["c"][%{{.*}}] reduce add barrier
print(kernel(blocks, TILE, plgpu.Barrier(), MET, **PAIR)().kernels[0].text())


def products(x, o, a, b, sparse_a, scales, metadata, acc, ta, tm, done):
    plgpu.async_copy_scales_to_tmem(scales, ta, collective_axis="c")
    plgpu.async_copy_sparse_metadata_to_tmem(metadata, tm)
    plgpu.tcgen05_mma(acc, a, b, a_scale=ta, b_scale=ta, accumulate=False, collective_axis="c")
    plgpu.tcgen05_mma(acc.at[:, pl.ds(0, 64)], sparse_a, b, done, a_sparse_metadata=tm)
    plgpu.tcgen05_commit_arrive(done, collective_axis="c")


# CHECK: warpgroup.tmem_copy %{{.*}} as_scales collective "c"
# CHECK: warpgroup.tmem_copy %{{.*}} as_metadata :
# CHECK: warpgroup.tcgen05_mma %acc, %{{.*}}, %b accumulate %{{.*}} scales %ta, %ta collective "c"
# CHECK: warpgroup.tcgen05_mma %{{.*}}, %sparse_a, %b accumulate %{{.*}} barrier %{{.*}} sparse %tm
# CHECK: warpgroup.tcgen05_commit %{{.*}} collective "c"
NARROW, SCALE = jnp.float8_e4m3fn, jnp.float8_e8m0fnu
OPERANDS = [plgpu.SMEM(shape, NARROW) for shape in ((128, 128), (128, 64), (128, 64))]
TILES = [plgpu.SMEM((1, 1, 32, 16), SCALE), plgpu.SMEM((1, 1, 128, 64), jnp.uint2)]
ACC = plgpu.TMEM((128, 128), jnp.float32, collective=True)
TA = plgpu.TMEM((128, 4), SCALE, layout=plgpu.TMEMLayout.SCALES_LAYOUT, collective=True)
TM = plgpu.TMEM((128, 64), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT, collective=True)
print(kernel(products, *OPERANDS, *TILES, ACC, TA, TM, DONE, **PAIR)().kernels[0].text())


def warps(x, o, tile, loaded):
    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
        @pl.when(jax.lax.axis_index("warp") == 1)
        def _():
            plgpu.copy_gmem_to_smem(x.at[pl.ds(jax.lax.axis_index("c") * 128, 128)], tile, loaded)

    plgpu.barrier_wait(loaded)

    @plgpu.dynamic_scheduling_loop(grid_names=("i",), thread_axis="wg", cluster_axes=("c",))
    def _(_):
        o[0, 0] = tile[0, 0]


# CHECK:      warpgroup.warps {
# CHECK-NEXT: ^bb0(%[[WARP:.*]]: i32):
# CHECK:        %[[IS_ONE:.*]] = arith.cmpi eq, %[[WARP]], %c1_i32
# CHECK:        %[[BLOCK:.*]] = grid.program_id "c"
# CHECK:        arith.muli %[[BLOCK]], %c128_i32
# CHECK:        warpgroup.tma_load
# CHECK:      warpgroup.barrier_wait
# CHECK:      scf.while
# CHECK:        warpgroup.try_cluster_cancel
# CHECK:        warpgroup.query_cluster_cancel %{{.*}} ["i"]
BOTH = {"grid": (2,), "grid_names": ("i",), "num_threads": 2, "thread_name": "wg"}
print(kernel(warps, TILE, plgpu.Barrier(), **BOTH, **PAIR)().kernels[0].text())


def warps_as_kernel(x, o):
    @pl.kernel(mesh=plgpu.WarpMesh(axis_name="warp"))
    def tells():
        pl.debug_print("warp {}", jax.lax.axis_index("warp"))

    tells()


# So is a kernel that is called for a mesh of warps.
# CHECK:      warpgroup.warps {
# CHECK-NEXT: ^bb0(%[[WARP:.*]]: i32):
# CHECK:        grid.print "warp {}" %[[WARP]]
print(kernel(warps_as_kernel)().kernels[0].text())


def meets(x, o, met):
    plgpu.barrier_arrive(met)


# A barrier of a cluster names its axes.
# CHECK: memref<{{(1x)?}}!warpgroup.barrier<1, cluster = ["row"]>, #warpgroup.space<smem>>
ROWS = plgpu.ClusterBarrier(collective_axes=("row",))
print(kernel(meets, ROWS, cluster=(2,), cluster_names=("row",))().kernels[0].text())


def closes_over_array(x, o, tile):
    value = tile[...]

    @plgpu.warp_map
    def _(_):
        tile[...] = value + 1


def parts(x, o, tile, loaded):
    partition = plgpu.CopyPartition.PARTITIONED(2)
    plgpu.copy_gmem_to_smem(x, tile, loaded, collective_axes="c", leader_tracked=partition)


def several_axes(x, o, tile, loaded):
    plgpu.copy_gmem_to_smem(
        x.at[pl.ds(0, 128)], tile, loaded, collective_axes=("b", "c"), leader_tracked=plgpu.CopyPartition.REPLICATED
    )


def several_blocks(x, o, tile):
    o[pl.ds(0, 128)] = plgpu.cluster_ref(plgpu.cluster_ref(tile, {"c": 0}), {"c": 1})[...]


def along_major(x, o, done):
    plgpu.tcgen05_commit_arrive(done, collective_axis="b")


def loads_array(x, o, tile):
    @plgpu.warp_map
    def _(_):
        tile[...] = x[pl.ds(0, 128), pl.ds(0, 64)]


def warps_of_warps(x, o):
    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
        @pl.core_map(plgpu.WarpMesh(axis_name="warp again"))
        def _():
            pass


def both_memories(x, o, alone):
    pl.run_scoped(lambda _: None, plgpu.TMEM((128, 128), jnp.float32, collective=True))


# JAX itself refuses these since 0.11.
FORMERLY = {
    "Can only close over scalars and Refs when using core_map with WarpMesh": kernel(closes_over_array, TILE),
    "expected a tile that 2 blocks divide evenly along dimension 2": kernel(parts, TILE, plgpu.Barrier(), **PAIR),
}
# CHECK: KernelError: [[ROWS:[68]]] of [[ROWS]] refused in these words
FOUR = {"cluster": (2, 2), "cluster_names": ("b", "c")}
report(
    KernelError,
    {
        "Can only load scalars in warp-level code, got": kernel(loads_array, TILE),
        "over WarpMesh while already": kernel(warps_of_warps),
        "Can't mix collective and non-collective TMEM allocations within the same kernel.": kernel(
            both_memories, plgpu.TMEM((128, 128), jnp.float32)
        ),
        "Expected exactly one collective axis, got collective_axes=('b', 'c')": kernel(
            several_axes, TILE, plgpu.Barrier(), **FOUR
        ),
        "expected one other block of the cluster, got several": kernel(several_blocks, TILE, **PAIR),
        "Can only perform collective MMA along minormost cluster axis. Got b, expected c.": kernel(
            along_major, DONE, **FOUR
        ),
        **(FORMERLY if jax.__version_info__ < (0, 11) else {}),
    },
)


def other_mesh(x, o):
    @pl.core_map(plgpu.Mesh(grid=(2,), grid_names=("i",)))
    def _():
        o[0, 0] = x[0, 0]


def tracked_rows(x, o, tile, loaded):
    rows = x.at[jnp.arange(128, dtype=jnp.int32)]
    replicated = plgpu.CopyPartition.REPLICATED
    plgpu.copy_gmem_to_smem(rows, tile, loaded, collective_axes="c", leader_tracked=replicated)


# CHECK: UnsupportedError: 2 of 2 refused in these words
report(
    UnsupportedError,
    {
        "expected a mesh of the warps of a warpgroup, got": kernel(other_mesh),
        "expected no `leader_tracked`, got": kernel(tracked_rows, TILE, plgpu.Barrier(), **PAIR),
    },
)
