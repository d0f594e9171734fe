# Code that an author writes by hand in JAX's own MLIR, for one thread of a warpgroup: natively, in two orders and with
# a search for races, and as PTX, in three orders of threads.
#
# RUN: %python %s | FileCheck %s

import functools
import os
import sys

import gridir
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import arith, gpu, llvm, memref
from jax.experimental import pallas as pl
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.pallas import mosaic_gpu as plgpu

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from gridir.testing import difference
from ptx_runs import look as look_as_ptx


def look(name, call, expected, *args):
    """Prints whether a kernel gives what is expected: natively, then as PTX."""
    for options in ({}, {"schedule_seed": 1, "checks": ["races"]}):
        try:
            with gridir.installed(**options):
                said = difference(jax.jit(call)(*args), expected) or "right"
        except (gridir.Error, jax.errors.JaxRuntimeError) as error:
            said = str(error)
        print(f"{name}:", said, flush=True)
    look_as_ptx(name, call, expected, *args)


def of(shape, dtype=jnp.float32, **mesh):
    """What makes a kernel with one result."""
    return functools.partial(plgpu.kernel, out_type=jax.ShapeDtypeStruct(shape, dtype), **mesh)


def tiled(shape, dtype, swizzle):
    """A Ref in shared memory, in tiles of as many columns as the swizzle has bytes, and what says so."""
    tile = (8, swizzle // jnp.dtype(dtype).itemsize)
    transforms = (plgpu.TilingTransform(tile), plgpu.SwizzleTransform(swizzle))
    return plgpu.SMEM(shape, dtype, transforms=transforms), plgpu.RefType(transforms), tile


def signed(dtype):
    """What JAX's arrays of registers say of a sign."""
    return mgpu.utils.is_signed(jnp.dtype(dtype))


def through_tiles(dtype, swizzle, layout):
    """Loads a tile, computes, stores another one of another swizzle, and copies that out; all by hand."""
    source, source_type, _ = tiled((64, 128), dtype, swizzle)
    dest, dest_type, tile = tiled((2, 64, 128), dtype, 128)

    def kernel(x, o, source, dest, barrier):
        plgpu.copy_gmem_to_smem(x, source, barrier)
        plgpu.barrier_wait(barrier)

        @plgpu.inline_mgpu(
            arg_types=(source_type,), return_type=plgpu.ShapeDtypeStruct((64, 128), dtype, layout=layout)
        )
        def load(_, ref):
            value = mgpu.FragmentedArray.load_tiled(ref, swizzle, is_signed=signed(dtype), layout=layout.to_mgpu())
            return value + value

        @plgpu.inline_mgpu(arg_types=(layout, dest_type, plgpu.RefType()))
        def store(context, value, ref, out):
            part = mgpu.memref_slice(ref, (1,))
            value.store_tiled(part, swizzle=128)
            mgpu.commit_shared()
            context.async_copy(src_ref=part, dst_ref=out, swizzle=128, gmem_transform=mgpu.TileTransform(tile))
            context.await_async_copy(0)

        store(load(source), dest, o)

    return of((64, 128), dtype, scratch_types=[source, dest, plgpu.Barrier()])(kernel)


def turned(dtype, swizzle, layout, before):
    """Loads a tile as if its rows were columns, and stores it as if its columns were rows, by transposed matrices."""
    rows, columns = SHAPE = (64, 128)
    source, source_type, _ = tiled(SHAPE, dtype, swizzle)
    dest, dest_type, _ = tiled((columns, rows), dtype, 128)

    def kernel(x, o, source, dest, loaded):
        plgpu.copy_gmem_to_smem(x, source, loaded)
        plgpu.barrier_wait(loaded)

        @plgpu.inline_mgpu(
            arg_types=(source_type,), return_type=plgpu.ShapeDtypeStruct((columns, rows), dtype, layout=layout)
        )
        def load(_, ref):
            ref = mgpu.memref_transpose(ref, (1, 0, 3, 2))
            return mgpu.FragmentedArray.load_tiled(ref, swizzle, is_signed=signed(dtype), layout=layout.to_mgpu())

        @plgpu.inline_mgpu(arg_types=(before, dest_type))
        def store(_, value, ref):
            value.store_tiled(mgpu.memref_transpose(ref, (1, 0, 3, 2)), swizzle=128)

        whole = plgpu.layout_cast(load(source), layout)
        store(plgpu.load(x, layout=before, optimized=False), dest)
        plgpu.commit_smem()
        o[...] = whole + dest[...]

    return of((columns, rows), dtype, scratch_types=[source, dest, plgpu.Barrier()])(kernel)


X = (np.arange(64 * 128) % 61).reshape(64, 128)
# CHECK-COUNT-5: turned float16 128 WGMMA:{{.*}} right
# CHECK-COUNT-5: turned int16 32 TCGEN05:{{.*}} right
for dtype, swizzle, layout in (
    (jnp.float16, 128, plgpu.Layout.WGMMA),
    (jnp.int16, 32, plgpu.Layout.TCGEN05),
):
    x = X.astype(dtype)
    name = f"turned {jnp.dtype(dtype).name} {swizzle} {layout.name}:"
    look(name, turned(dtype, swizzle, layout, plgpu.Layout.WGMMA), x.T + x.T, x)

# CHECK-COUNT-5: tiles float32 128 WGMMA:{{.*}} right
# CHECK-COUNT-5: tiles float16 64 WGMMA:{{.*}} right
# CHECK-COUNT-5: tiles bfloat16 128 WGMMA:{{.*}} right
# CHECK-COUNT-5: tiles int16 32 WGMMA_UPCAST_2X:{{.*}} right
# CHECK-COUNT-5: tiles int32 32 WGMMA:{{.*}} right
for dtype, swizzle, layout in (
    (jnp.float32, 128, plgpu.Layout.WGMMA),
    (jnp.float16, 64, plgpu.Layout.WGMMA),
    (jnp.bfloat16, 128, plgpu.Layout.WGMMA),
    (jnp.int16, 32, plgpu.Layout.WGMMA_UPCAST_2X),
    (jnp.int32, 32, plgpu.Layout.WGMMA),
):
    x = X.astype(dtype)
    name = f"tiles {jnp.dtype(dtype).name} {swizzle} {layout.name}:"
    look(name, through_tiles(dtype, swizzle, layout), x + x, x)


def rows_and_columns(x, rows, columns, o):
    """Arrays of one dimension, spread as rows and as columns are."""
    layout = plgpu.Layout.WGMMA
    types = (layout, layout.reduce(1), layout.reduce(0))

    @plgpu.inline_mgpu(arg_types=types, return_type=plgpu.ShapeDtypeStruct((64, 128), jnp.float32, layout=layout))
    def combine(_, x, rows, columns):
        rows = rows.broadcast_in_dim((64, 128), [0], layout=layout.to_mgpu())
        columns = columns.broadcast_in_dim((64, 128), [1], layout=layout.to_mgpu())
        return (x > rows).select(x * rows, columns - x)

    refs = zip((x, rows, columns), types, strict=True)
    o[...] = combine(*(plgpu.load(ref, layout=layout, optimized=False) for ref, layout in refs))


# CHECK-COUNT-5: rows:{{.*}} right
F, R, C = X.astype(np.float32), np.arange(64, dtype=np.float32), np.arange(128, dtype=np.float32)
look("rows:", of((64, 128))(rows_and_columns), np.where(R[:, None] < F, F * R[:, None], C - F), F, R, C)


def summed(x, o):
    """Sums along rows, in registers and by shuffles; and instructions of PTX that are ops."""
    layout = plgpu.Layout.WGMMA

    @plgpu.inline_mgpu(
        arg_types=(layout,), return_type=plgpu.ShapeDtypeStruct((64,), jnp.float32, layout=layout.reduce(1))
    )
    def total(_, x):
        return (x.abs() * x.max(x - 30.0)).reduce("add", 1)

    o[...] = total(plgpu.load(x, layout=layout, optimized=False))


# CHECK-COUNT-5: summed:{{.*}} right
Y = F - 30
look("summed:", of((64,))(summed), (np.abs(Y) * Y).sum(axis=1), Y)


def moved(x, o):
    """Elements that threads exchange within their warps."""
    before, after = plgpu.Layout.WGMMA_TRANSPOSED, plgpu.Layout.WGMMA

    @plgpu.inline_mgpu(arg_types=(before,), return_type=plgpu.ShapeDtypeStruct((64, 128), jnp.float16, layout=after))
    def move(_, x):
        return (x + x).to_layout(after.to_mgpu())

    o[...] = move(plgpu.load(x, layout=before, optimized=False))


# CHECK-COUNT-5: moved:{{.*}} right
H = X.astype(np.float16)
look("moved:", of((64, 128), jnp.float16)(moved), H + H, H)


def of_two_warpgroups(x, o, tiles):
    """Each warpgroup in its own part of what they share; and a vector that is strided over its threads."""
    wg = jax.lax.axis_index("wg")
    tiles[wg] = x[wg]

    @plgpu.inline_mgpu(arg_types=(plgpu.RefType(), plgpu.RefType()))
    def double(_, tile, out):
        value = mgpu.FragmentedArray.load_strided(tile, vec_size=2)
        mgpu.warpgroup_barrier()
        (value + value).store_untiled(out, optimized=False)

    plgpu.commit_smem()
    double(tiles.at[wg], o.at[wg])


# CHECK-COUNT-5: two:{{.*}} right
V = np.arange(512, dtype=np.float32).reshape(2, 256)
two = of((2, 256), num_threads=2, thread_name="wg", scratch_types=[plgpu.SMEM((2, 256), jnp.float32)])(
    of_two_warpgroups
)
look("two:", two, V * 2, V)


def numbers(x, o, flag):
    """Numbers that the kernel computes: of blocks and clusters, read at an index, stored under a condition."""

    @plgpu.inline_mgpu(
        arg_types=(plgpu.RefType(), plgpu.RefType(), plgpu.Layout.WG_SPLAT),
        return_type=plgpu.ShapeDtypeStruct((), jnp.int32, layout=plgpu.Layout.WG_SPLAT),
    )
    def count(_, x, flag, by):
        i32 = ir.IntegerType.get_signless(32)
        block = gpu.block_id(gpu.Dimension.x)
        number = memref.load(x, [block])
        number = arith.addi(
            number, arith.muli(by.registers.item(), arith.index_cast(i32, gpu.grid_dim(gpu.Dimension.x)))
        )
        is_odd = arith.cmpi(arith.CmpIPredicate.ne, arith.remui(number, mgpu.c(2, i32)), mgpu.c(0, i32))
        with mgpu.utils.when(is_odd):
            memref.store(number, flag, [block])
        return mgpu.FragmentedArray.splat(number, (), is_signed=True)

    i, j = jax.lax.axis_index("i"), jax.lax.axis_index("j")
    block = i * 2 + j
    flag[block] = -1
    o[block] = jnp.full((128,), count(x, flag, i * 100), jnp.int32)


def of_blocks(x):
    out = [jax.ShapeDtypeStruct((6, 128), jnp.int32), jax.ShapeDtypeStruct((6,), jnp.int32)]
    call = plgpu.kernel(numbers, out_type=out, grid=(3,), grid_names=("i",), cluster=(2,), cluster_names=("j",))
    o, flag = call(x)
    return o[:, 0] * 1000 + flag


# CHECK-COUNT-5: numbers:{{.*}} right
N = np.array([5, 8, 1, 4, 7, 2], np.int32)
counted = N + np.arange(6) // 2 * 600
look("numbers:", of_blocks, (counted * 1000 + np.where(counted % 2, counted, -1)).astype(np.int32), N)


def by_warps(o):
    """Code of single warps: the threads of one of them, and its first one."""

    @plgpu.warp_map
    def _(warp):
        @plgpu.inline_mgpu(
            arg_types=(plgpu.RefType(), plgpu.Layout.WG_SPLAT),
        )
        def store(_, out, number):
            with mgpu.utils.when(mgpu.utils.single_thread_predicate(mgpu.utils.ThreadSubset.WARP)):
                memref.store(number.registers.item(), out, [])

        store(o.at[warp], warp * 3)


# CHECK-COUNT-5: warps:{{.*}} right
look("warps:", of((4,), jnp.int32)(by_warps), np.arange(4, dtype=np.int32) * 3)


def named_barrier(kind, number, threads=256):
    """A meeting of two warpgroups at a barrier whose number is known, or computed."""
    known = isinstance(number, int)

    @plgpu.inline_mgpu(arg_types=() if known else (plgpu.Layout.WG_SPLAT,))
    def meet(_, *computed):
        operands, text = ([], str(number)) if known else ([computed[0].registers.item()], "$0")
        assembly = f"bar.{kind} {text}, {threads};"
        llvm.inline_asm(ir.Type.parse("!llvm.void"), operands, assembly, "" if known else "r", has_side_effects=True)

    meet(*(() if known else (number,)))


def takes_turns(o, tile, *, computed):
    """In each round one warpgroup writes, and the other one reads; each barrier has one that waits and one that not."""
    wg = jax.lax.axis_index("wg")

    def round_of(i, total):
        writer = i % 2

        def write():
            tile[...] = jnp.full((128,), i + 1, jnp.int32)
            named_barrier("arrive", writer + 4)
            named_barrier("sync", writer + 6)
            return jnp.int32(0)

        def read():
            named_barrier("sync", writer + 4)
            seen = tile[0]
            named_barrier("arrive", writer + 6)
            return seen

        return total + jax.lax.cond(writer == wg, write, read)

    total = jnp.int32(0)
    if computed:
        total = jax.lax.fori_loop(0, 8, round_of, total)
    else:
        for i in range(8):
            total = round_of(i, total)
    o[wg] = jnp.full((128,), total, jnp.int32)


# CHECK-COUNT-5: turns:{{.*}} right
# CHECK-COUNT-5: computed turns:{{.*}} right
TURNS = np.repeat(np.array([[2 + 4 + 6 + 8], [1 + 3 + 5 + 7]], np.int32), 128, axis=1)
for name, computed in (("turns:", False), ("computed turns:", True)):
    kernel = functools.partial(takes_turns, computed=computed)
    scratch = [plgpu.SMEM((128,), jnp.int32)]
    look(name, of((2, 128), jnp.int32, num_threads=2, thread_name="wg", scratch_types=scratch)(kernel), TURNS)


def feeds(o, tile, *, computed):
    """One warp of a warpgroup writes for the other warpgroup, and they meet: 160 threads. Both warpgroups are 256."""
    wg = jax.lax.axis_index("wg")
    number = wg * 0 + 5 if computed else 5

    @pl.when(wg == 0)
    def _():
        @plgpu.warp_map
        def _(warp):
            @pl.when(warp == 1)
            def _():
                for i in range(3):
                    tile[i, 0] = jnp.int32(i + 1)
                    named_barrier("arrive", number, threads=160)
                    named_barrier("sync", 7, threads=160)

    @pl.when(wg == 1)
    def _():
        for i in range(3):
            named_barrier("sync", number, threads=160)
            o[i] = jnp.full((128,), tile[i, 0], jnp.int32)
            named_barrier("arrive", 7, threads=160)

    named_barrier("sync", 9)


# CHECK-COUNT-5: one warp:{{.*}} right
# CHECK-COUNT-5: one warp, computed:{{.*}} right
FED = np.repeat(np.array([[1], [2], [3]], np.int32), 128, axis=1)
for name, computed in (("one warp:", False), ("one warp, computed:", True)):
    kernel = functools.partial(feeds, computed=computed)
    scratch = [plgpu.SMEM((3, 128), jnp.int32)]
    look(name, of((3, 128), jnp.int32, num_threads=2, thread_name="wg", scratch_types=scratch)(kernel), FED)


def converts(x, o, *, layout):
    """An array by JAX's own instructions on words, in which several lanes are packed."""

    @plgpu.inline_mgpu(arg_types=(layout,), return_type=plgpu.ShapeDtypeStruct(tuple(o.shape), o.dtype, layout=layout))
    def convert(_, value):
        return value.astype(mgpu.utils.dtype_to_ir_type(o.dtype), is_signed=signed(o.dtype))

    o[...] = convert(plgpu.load(x, layout=layout, optimized=False))


def biased(x, o):
    """Each nibble of a word as a byte, with another highest bit, by a few instructions on all of them."""
    layout = plgpu.Layout.WGMMA_UPCAST_4X
    assembly = """{{
        .reg .b32 flipped, low, high;
        xor.b32 flipped, $2, 0x88888888;  // of each nibble
        and.b32 low, flipped, 0x0F0F0F0F;
        shr.u32 high, flipped, 4;
        and.b32 high, high, 0x0F0F0F0F;
        prmt.b32 $0, low, high, 0x5140;
        prmt.b32 $1, low, high, 0x7362;
    }}"""

    @plgpu.inline_mgpu(arg_types=(layout,), return_type=plgpu.ShapeDtypeStruct(tuple(o.shape), o.dtype, layout=layout))
    def widen(_, value):
        i32, bytes_ = (ir.IntegerType.get_signless(bits) for bits in (32, 8))
        widened = np.empty_like(value.registers)
        for index, register in np.ndenumerate(value.registers):
            word = mgpu.utils.bitcast(register, i32)
            pair = llvm.inline_asm(ir.Type.parse("!llvm.struct<(i32, i32)>"), [word], assembly, "=r,=r,r")
            halves = [llvm.extractvalue(i32, pair, [part]) for part in range(2)]
            halves = [mgpu.utils.bitcast(half, ir.VectorType.get((4,), bytes_)) for half in halves]
            widened[index] = mgpu.utils.vector_concat(halves)
        return mgpu.FragmentedArray(_registers=widened, _layout=layout.to_mgpu(), _is_signed=False)

    o[...] = widen(plgpu.load(x, layout=layout, optimized=False))


# CHECK-COUNT-5: int8 to bfloat16{{.*}}: right
# CHECK-COUNT-5: int4 to int8{{.*}}: right
# CHECK-COUNT-5: int4 to bfloat16{{.*}}: right
# CHECK-COUNT-5: float8_e4m3fn to float16{{.*}}: right
# CHECK-COUNT-5: biased{{.*}}: right
NUMBERS = np.arange(-1024, 1024).reshape(64, 32)
NIBBLES = (NUMBERS % 16 - 8).astype(jnp.int4)
for array, dtype, layout in (
    (NUMBERS.astype(np.int8), jnp.bfloat16, plgpu.Layout.WGMMA),
    (NIBBLES, jnp.int8, plgpu.Layout.WGMMA_UPCAST_4X),
    (NIBBLES, jnp.bfloat16, plgpu.Layout.WGMMA_UPCAST_4X),
    ((NUMBERS % 32 - 16).astype(jnp.float8_e4m3fn), jnp.float16, plgpu.Layout.WGMMA),
):
    name = f"{array.dtype.name} to {jnp.dtype(dtype).name}"
    kernel = functools.partial(converts, layout=layout)
    look(name, of(array.shape, dtype)(kernel), array.astype(np.float32).astype(dtype), array)
look("biased", of(NIBBLES.shape, jnp.uint8)(biased), (NIBBLES.astype(np.int8) + 8).astype(np.uint8), NIBBLES)


def meets_nobody(o):
    named_barrier("sync", 4)


def arrives_twice(o):
    for _ in range(2):
        named_barrier("arrive", 4, threads=128)
    o[...] = jnp.zeros((128,), jnp.int32)


# CHECK: meets_nobody: {{.*}}the kernel waits for phase 1 of a named barrier, which has completed 0, and nothing can
# CHECK: arrives_twice: {{.*}}arrival at a named barrier {{.*}}: Barrier completed phase 1, but no threads observed
for kernel in (meets_nobody, arrives_twice):
    try:
        with gridir.installed(checks=["semaphores"]):
            jax.jit(of((128,), jnp.int32)(kernel))()
    except jax.errors.JaxRuntimeError as error:
        print(f"{kernel.__name__}:", error)
