# RUN: %python %s | FileCheck %s
"""What code by hand for Mosaic GPU becomes, and what is refused of it, with the op."""

import jax
import jax.numpy as jnp
from gridir.errors import KernelError, UnsupportedError
from gridir.frontend.lower import lower
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import arith, gpu, llvm, memref, scf, vector
from jax.experimental import pallas as pl
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

X = jax.ShapeDtypeStruct((64, 64), jnp.float32)
TILED = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
WGMMA, SPLAT, REF = plgpu.Layout.WGMMA, plgpu.Layout.WG_SPLAT, plgpu.RefType()
TILE = plgpu.SMEM((64, 64), jnp.float32, transforms=TILED)
ARRAY = plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=WGMMA)
ONE = plgpu.ShapeDtypeStruct((), jnp.int32, layout=SPLAT)


def kernel(*args, types=(), returns=None, scratch=(), threads=None):
    """Lowers a kernel with the code of a function, which is given the Refs and arrays of these names."""
    *_, emit = args

    def body(x, o, *rest):
        # The value of a builder is not a result.
        code = emit if returns is not None else lambda *given: (emit(*given), None)[1]
        inlined = plgpu.inline_mgpu(arg_types=types, return_type=returns)(code)
        refs = {"x": x, "o": o, "tile": rest[0] if rest else None}
        given = [x[...] if name == "array" else 3 if name == "one" else refs[name] for name in args[:-1]]
        inlined(*given)

    mesh = {"num_threads": threads, "thread_name": "wg"} if threads else {}
    call = plgpu.kernel(body, out_type=X, scratch_types=list(scratch), **mesh)
    return lower(call, X).kernels[0].text()


def report(name, *args, **params):
    """Prints the error of code that is refused."""
    try:
        print(kernel(*args, **params))
        print(f"{name}: no error")
    except (KernelError, UnsupportedError) as error:
        print(f"{name}:", error.message)


def i32(number):
    return mgpu.c(number, ir.IntegerType.get_signless(32))


def index(number):
    return mgpu.c(number, ir.IndexType.get())


def thread():
    return gpu.thread_id(gpu.Dimension.x)


def raw(text, *operands, results=(), **attributes):
    """An op by its name."""
    parsed = {name: ir.Attribute.parse(value) for name, value in attributes.items()}
    return ir.Operation.create(text, results=list(results), operands=list(operands), attributes=parsed).results


def some(emit):
    """Code of the first thread alone."""

    def of_first(*args):
        first = arith.cmpi(arith.CmpIPredicate.eq, thread(), index(0))
        with mgpu.utils.when(first):
            emit(*args)

    return of_first


# The tiles that threads load one by one, by their addresses, are one load of the Ref; a swizzle changes nothing. What
# they compute is an op on arrays, and what they store one store.
def twice(_, tile, out):
    value = mgpu.FragmentedArray.load_tiled(tile, 128)
    rows = mgpu.memref_slice(out, (slice(0, 64),))
    (value * value).store_untiled(rows, optimized=False)


# CHECK:      %[[X:[a-z0-9]+]] = grid.load %[[TILE:[a-z0-9]+]]
# CHECK-NEXT: %[[Y:[a-z0-9]+]] = arith.mulf %[[X]], %[[X]] {{.*}}: tensor<64x64xf32>
# CHECK-NEXT: grid.store %[[Y]], %{{[a-z0-9]+}}
print(kernel("tile", "o", twice, types=(plgpu.RefType(TILED), REF), scratch=[TILE]))


def number_of_thread(_):
    return mgpu.FragmentedArray.splat(arith.index_cast(ir.IntegerType.get_signless(32), thread()), (), is_signed=True)


# CHECK: several: {{.*}}inline code that gridir can express on whole arrays, got
# CHECK-SAME: expected one number for each element, got several
report("several", number_of_thread, returns=ONE)
# CHECK: unknown: {{.*}}expected an op that gridir knows, in `"some.op"()
report("unknown", lambda _: raw("some.op"))
# CHECK: fence: {{.*}}expected a fence among fence.proxy.async, {{.*}}, got `trap`, in `{{.*}}llvm.inline_asm{{.*}}trap;
report("fence", lambda _: llvm.inline_asm(ir.Type.parse("!llvm.void"), [], "trap;", "", has_side_effects=True))
# CHECK: assembly: {{.*}}expected a fence, in `{{.*}}llvm.inline_asm
report("assembly", lambda _: llvm.inline_asm(i32(1).type, [], "activemask.b32 $0;", "=r"))
# CHECK: fails: {{.*}}expected inline code that gridir can express on whole arrays, got: ZeroDivisionError
report("fails", lambda _: 1 // 0)
# CHECK: context: {{.*}}got: it reads from its context `cluster_idx`
report("context", lambda context: context.cluster_idx())
# CHECK: results: {{.*}}got: it gives 0 results, where its type has 1 arrays
report("results", lambda _: None, returns=ONE)
# CHECK: type: {{.*}}got: it gives an array of dtype f32, where its type says i32
report("type", lambda _: mgpu.FragmentedArray.splat(mgpu.c(1.0, ir.F32Type.get()), ()), returns=ONE)
# CHECK: copy: {{.*}}got: it copies with predicate
report(
    "copy",
    "tile",
    "o",
    lambda context, tile, out: context.async_copy(src_ref=tile, dst_ref=out, predicate=i32(1)),
    types=(plgpu.RefType(TILED), REF),
    scratch=[TILE],
)
# CHECK: copy in: {{.*}}got: it copies in another direction than from shared to global memory
report(
    "copy in",
    "tile",
    "x",
    lambda context, tile, x: context.async_copy(src_ref=x, dst_ref=tile),
    types=(plgpu.RefType(TILED), REF),
    scratch=[TILE],
)
# CHECK: copy of rows: {{.*}}expected a copy of tiles of (8, 32), swizzled by 128, in `"gridir.store_tile"
report(
    "copy of rows",
    "tile",
    "o",
    lambda context, tile, out: context.async_copy(src_ref=tile, dst_ref=out),
    types=(plgpu.RefType(TILED), REF),
    scratch=[TILE],
)


def copy_half(context, tile, out):
    half = mgpu.memref_slice(tile, (slice(0, 4),))
    context.async_copy(src_ref=half, dst_ref=out, swizzle=128, gmem_transform=mgpu.TileTransform((8, 32)))


# CHECK: copy of a half: {{.*}}expected a copy of (64, 64), got one of (32, 64), in `
report("copy of a half", "tile", "o", copy_half, types=(plgpu.RefType(TILED), REF), scratch=[TILE])
# CHECK: wait: {{.*}}got: it waits for copies with scope
report("wait", lambda context: context.await_async_copy(0, scope=mgpu.utils.ThreadSubset.WARP))
# CHECK: layout: {{.*}}got: it has an array with the layout {{.*}}384
odd = plgpu.Layout.WG_STRIDED((384,), vec_size=3)
report(
    "layout",
    lambda _: mgpu.FragmentedArray.splat(mgpu.c(1.0, ir.F32Type.get()), (384,)).to_layout(odd.to_mgpu()),
    returns=plgpu.ShapeDtypeStruct((384,), jnp.float32, layout=odd),
)
# CHECK: transforms: {{.*}}expected a Ref that is tiled once and swizzled once, got one by
report("transforms", "tile", lambda *_: None, types=(plgpu.RefType((*TILED, TILED[0])),), scratch=[TILE])
# CHECK: tiles: {{.*}}expected a Ref of whole tiles of (48, 32), got one of (64, 64)
report("tiles", "tile", lambda *_: None, types=(plgpu.RefType((plgpu.TilingTransform((48, 32)),)),), scratch=[TILE])
# CHECK: tensor memory: {{.*}}expected a Ref in shared or global memory, got one in gpu.tmem
report("tensor memory", "tile", lambda *_: None, types=(REF,), scratch=[plgpu.TMEM((128, 64), jnp.float32)])
# CHECK: memory: {{.*}}expected elements that are in memory, got !warpgroup.barrier<1>
report("memory", "tile", lambda *_: None, types=(REF,), scratch=[plgpu.Barrier()])


# CHECK: window: {{.*}}expected addresses of elements of the Ref, in `{{.*}}memref.load
report("window", "x", lambda _, x: memref.load(x, [thread(), index(0)]), types=(REF,))


def odd_rows(_, x):
    even = arith.muli(arith.remui(thread(), index(32)), index(2))
    memref.store(mgpu.c(1.0, ir.F32Type.get()), x, [even, index(0)])


# CHECK: rows: {{.*}}expected all elements of a window of 64x64, got some of them
report("rows", "o", odd_rows, types=(REF,))


def diagonal(_, x, out):
    row = arith.remui(thread(), index(64))
    memref.store(memref.load(x, [row, row]), out, [row, index(0)])


# CHECK: diagonal: {{.*}}expected all elements of a window of 64x64, got some of them
report("diagonal", "x", "o", diagonal, types=(REF, REF))


def backwards(_, x, out):
    row = arith.remui(thread(), index(64))
    memref.store(memref.load(x, [arith.subi(index(63), row), index(0)]), out, [row, index(0)])


# CHECK: backwards: {{.*}}expected elements in rows and columns of an array, got them in another order
report("backwards", "x", "o", backwards, types=(REF, REF))


def different(_, x, out):
    row = arith.remui(thread(), index(64))
    value = memref.load(x, [row, index(0)])
    lower = arith.cmpi(arith.CmpIPredicate.ult, row, index(32))
    value = arith.select(lower, arith.addf(value, value), arith.mulf(value, value))
    memref.store(value, out, [row, index(0)])


# CHECK: different: {{.*}}expected the same computation in each thread, got different ones
report("different", "x", "o", different, types=(REF, REF))


def of_some(_, x, out):
    first = arith.cmpi(arith.CmpIPredicate.eq, thread(), index(0))
    read = scf.IfOp(first, [ir.F32Type.get()], has_else=True)
    with ir.InsertionPoint(read.then_block):
        scf.yield_([memref.load(x, [index(0), index(0)])])
    with ir.InsertionPoint(read.else_block):
        scf.yield_([mgpu.c(0.0, ir.F32Type.get())])
    lane = arith.remui(thread(), index(64))
    summed = arith.addf(read.result, mgpu.c(1.0, ir.F32Type.get()))
    memref.store(summed, out, [lane, index(0)])


# CHECK: of some: {{.*}}expected the same computation in each thread, got different ones
report("of some", "x", "o", of_some, types=(REF, REF))


def by_warpgroup(_, out):
    memref.store(mgpu.c(1.0, ir.F32Type.get()), out, [arith.divui(thread(), index(128)), index(0)])


# CHECK: warpgroups: {{.*}}expected the same value in each warpgroup, got one that depends on the warpgroup's number
report("warpgroups", "o", by_warpgroup, types=(REF,), threads=2)
# CHECK: barrier: {{.*}}expected a barrier of one warpgroup, got one of all warpgroups of a block, in `"gpu.barrier"
report("barrier", lambda _: raw("gpu.barrier"), threads=2)
# CHECK: meeting: {{.*}}expected all threads, got some of them, in `{{.*}}bar.sync
report("meeting", some(lambda _: mgpu.warpgroup_barrier()))
# CHECK: shuffle: {{.*}}expected a shuffle of all threads of a warp, by `bfly` or `idx`, in `{{.*}}nvvm.shfl.sync
report("shuffle", some(lambda _: mgpu.utils.warp_idx()))


def index_of(one):
    return arith.index_cast(ir.IndexType.get(), one.registers.item())


# CHECK: loop: {{.*}}expected a constant, got a computed number, in `
report("loop", "one", lambda _, one: scf.ForOp(index(0), index_of(one), index(1)), types=(SPLAT,))


def long(_):
    loop = scf.ForOp(index(0), index(5000), index(1))
    with ir.InsertionPoint(loop.body):
        scf.yield_([])


# CHECK: steps: {{.*}}expected a loop of at most 1024 steps
report("steps", long)


def by_number(_, x, one):
    memref.store(mgpu.c(1.0, ir.F32Type.get()), x, [index_of(one), thread()])


# CHECK: indices: {{.*}}expected a number that is the same in all threads, got others, in `
report("indices", "o", "one", by_number, types=(REF, SPLAT))


def part_at(_, x, one):
    part = mgpu.memref_slice(x, (slice(8, 16),))
    memref.load(part, [index_of(one), index(0)])


# CHECK: part: {{.*}}expected one element of a whole Ref at indices that the kernel computes, in `
report("part", "o", "one", part_at, types=(REF, SPLAT))


def branch(_, one):
    is_three = arith.cmpi(arith.CmpIPredicate.eq, one.registers.item(), i32(3))
    scf.IfOp(is_three, [i32(0).type], has_else=True)


# CHECK: branch: {{.*}}expected a branch without results, by a number that is the same in all threads
report("branch", "one", branch, types=(SPLAT,))


def address(_, x, one):
    pointer = mgpu.utils.memref_ptr(x)
    llvm.load(ir.F32Type.get(), mgpu.utils.getelementptr(pointer, [one.registers.item()], ir.F32Type.get()))


# CHECK: address: {{.*}}expected addresses that depend only on the thread's number, got others, in `{{.*}}getelementptr
report("address", "x", "one", address, types=(REF, SPLAT))
# CHECK: number: {{.*}}expected a number, got an address, in `{{.*}}arith.addi
report("number", "x", lambda _, x: raw("arith.addi", x, x, results=[i32(0).type]), types=(REF,))
# CHECK: no Ref: {{.*}}expected a Ref, or an address in one, in `{{.*}}llvm.ptrtoint
report("no Ref", lambda _: raw("llvm.ptrtoint", i32(0), results=[i32(0).type]))
# CHECK: bits: {{.*}}expected elements of 32 bits, as the Ref has, got i16
report(
    "bits",
    "x",
    lambda _, x: llvm.load(ir.IntegerType.get_signless(16), mgpu.utils.memref_ptr(x)),
    types=(REF,),
)
# CHECK: atomic: {{.*}}expected an access that is not atomic, in `{{.*}}llvm.load
report(
    "atomic",
    "x",
    lambda _, x: raw(
        "llvm.load", mgpu.utils.memref_ptr(x), results=[ir.F32Type.get()], ordering="2 : i64", alignment="4 : i64"
    ),
    types=(REF,),
)


def rank_two(_):
    vector.broadcast(ir.VectorType.get((2, 2), i32(0).type), i32(0))


# CHECK: vector: {{.*}}expected scalars and vectors of one dimension, got vector<2x2xi32>
report("vector", rank_two)


def dense(_):
    raw("arith.constant", results=[ir.VectorType.get((2,), i32(0).type)], value="dense<[1, 2]> : vector<2xi32>")


# CHECK: constant: {{.*}}expected a constant that is one number, in `
report("constant", dense)


def on_words(text):
    """Code that runs assembly on the first two registers of an array, as one word."""

    def code(_, x):
        word = mgpu.utils.bitcast(x.astype(ir.F16Type.get()).registers.flat[0], i32(0).type)
        llvm.inline_asm(i32(0).type, [word, word], text, "=r,r,r")

    return code


# CHECK: unknown: {{.*}}expected a fence, or assembly that gridir knows, got `popc.b32 $0, $1`
report("unknown", "array", on_words("{ popc.b32 $0, $1; }"), types=(WGMMA,))
# CHECK: group: {{.*}}expected a fence, or assembly that gridir knows, got `mov.b32 {low, _}, $1`
report("group", "array", on_words("mov.b32 {low, _}, $1; mov.b32 $0, low;"), types=(WGMMA,))
# CHECK: unwritten: {{.*}}expected a register that has been written, got `low`
report("unwritten", "array", on_words(".reg .b32 low; and.b32 $0, low, $1;"), types=(WGMMA,))
# CHECK: steps: {{.*}}expected packed lanes to be moved by a constant number of bits
report("steps", "array", on_words("shl.b32 $0, $1, $2;"), types=(WGMMA,))
# CHECK: order: {{.*}}expected an order of bytes that is a function of the thread's number, got another one
report("order", "array", on_words("prmt.b32 $0, $1, 0, $2;"), types=(WGMMA,))


def in_parts(_, x):
    wide = raw("llvm.mlir.undef", results=[ir.VectorType.get((2,), ir.IntegerType.get_signless(24))])[0]
    vector.bitcast(ir.VectorType.get((3,), ir.IntegerType.get_signless(16)), wide)


# CHECK: parts: {{.*}}expected packed lanes that are moved as a whole or unpacked, in `{{.*}}vector.bitcast
report("parts", "array", in_parts, types=(WGMMA,))


def mixed(_, x):
    word = mgpu.utils.bitcast(x.astype(ir.F16Type.get()).registers.flat[0], i32(0).type)
    order = arith.index_cast(i32(0).type, thread())
    llvm.inline_asm(i32(0).type, [word, word, order], "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r")


# CHECK: mixed: {{.*}}expected packed lanes that are moved as a whole or unpacked, in `{{.*}}prmt
report("mixed", "array", mixed, types=(WGMMA,))


def lane_of(_, x, one):
    raw("llvm.extractelement", x.registers.flat[0], one.registers.item(), results=[ir.F32Type.get()])


# CHECK: lane: {{.*}}expected a constant, got a computed number, in `
report("lane", "array", "one", lane_of, types=(WGMMA, SPLAT))


def lane_outside(_, x):
    raw("llvm.extractelement", x.registers.flat[0], i32(-1), results=[ir.F32Type.get()])


# CHECK: lane outside: {{.*}}expected a constant lane, in `
report("lane outside", "array", lane_outside, types=(WGMMA,))


def of_another_size(_, x):
    raw("vector.bitcast", i32(0), results=[ir.IntegerType.get_signless(16)])


# CHECK: size: {{.*}}expected elements of the size of i16, got i32, in `
report("size", "array", of_another_size, types=(WGMMA,))


def uneven(_, x):
    raw("memref.subview", x, results=[ir.MemRefType.get((32,), ir.F32Type.get())], **PART)


PART = {
    "static_offsets": "array<i64: 0, 0>",
    "static_sizes": "array<i64: 32, 2>",
    "static_strides": "array<i64: 1, 1>",
    "operandSegmentSizes": "array<i32: 1, 0, 0, 0>",
}
# CHECK: subview: {{.*}}expected a part that drops dimensions of size 1, in `
report("subview", "x", uneven, types=(REF,))


def flattened(_, x):
    part = mgpu.memref_slice(x, (slice(0, 8), slice(0, 8)))
    memref.collapse_shape(ir.MemRefType.get((64,), ir.F32Type.get()), part, [[0, 1]])


# CHECK: row: {{.*}}expected a contiguous Ref, in `
report("row", "x", flattened, types=(REF,))


def in_warp(name, types, returns, emit, *args):
    """As `report`, in code of a single warp."""

    def body(x, o):
        @plgpu.warp_map
        def _(warp):
            code = emit if returns is not None else lambda *given: (emit(*given), None)[1]
            plgpu.inline_mgpu(arg_types=types, return_type=returns)(code)(*(arg() for arg in args))

    try:
        lower(plgpu.kernel(body, out_type=X), X)
        print(f"{name}: no error")
    except (KernelError, UnsupportedError) as error:
        print(f"{name}:", error.message)


# CHECK: arrays: inline_mgpu: inline_mgpu in a single-warp context only supports scalar return types. Got
# CHECK-SAME: shape=(64, 64).
in_warp("arrays", (), ARRAY, lambda _: None)
# CHECK: own number: {{.*}}expected single-warp code that does not read its thread's number, in `
in_warp("own number", (), None, lambda _: thread())
# CHECK: operand: inline_mgpu: inline_mgpu in a single-warp context only supports scalar arrays (and Refs). Got
in_warp("operand", (WGMMA,), None, lambda *_: None, lambda: jnp.zeros((64, 64)))


def matrix(layout="row", element="b16", size=8):
    """Code that loads a matrix by the lanes of a warp together."""
    attributes = {
        "num": "1 : i32",
        "layout": f"#nvvm.mma_layout<{layout}>",
        "shape": f"#nvvm.ld_st_matrix_shape<m = {size}, n = {size}>",
        "eltType": f"#nvvm.ld_st_matrix_elt_type<{element}>",
    }
    return lambda _, ref: raw("nvvm.ldmatrix", mgpu.utils.memref_ptr(ref), results=[i32(0).type], **attributes)


# CHECK: some of a matrix: {{.*}}expected all threads, got some of them, in `
report("some of a matrix", "tile", some(matrix()), types=(plgpu.RefType(TILED),), scratch=[TILE])
# CHECK: bytes of a matrix: {{.*}}expected matrices of 8 rows of 16 bytes, in `
report("bytes of a matrix", "tile", matrix("col", "b8", 16), types=(plgpu.RefType(TILED),), scratch=[TILE])
# CHECK: halves of elements: {{.*}}expected elements of at most 16 bits in a matrix that is transposed, got 32, in `
report("halves of elements", "tile", matrix("col"), types=(plgpu.RefType(TILED),), scratch=[TILE])
# CHECK: global matrix: {{.*}}expected an address in shared memory, in `
report("global matrix", "x", matrix(), types=(REF,))


def of_blocks(x, o):
    plgpu.inline_mgpu()(lambda _: (gpu.block_id(gpu.Dimension.x), None)[1])()
    o[...] = x[...]


# CHECK: names: {{.*}}expected a grid whose axes have names and known sizes, in `
try:
    rows = pl.BlockSpec((32, 64), lambda i: (i, 0))
    call = pl.pallas_call(
        of_blocks, grid=(2,), in_specs=[rows], out_specs=rows, out_shape=X, compiler_params=pltpu.CompilerParams()
    )
    lower(call, X)
    print("names: no error")
except UnsupportedError as error:
    print("names:", error.message)
